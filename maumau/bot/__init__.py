"""Programs that play: the SDK for bots (`Bot`, `run`), and the table and sandbox that play them."""

from maumau.bot.sdk import Bot, run
from maumau.bot.view import Result, Rules, View, fits, laid, top_of, wished

__all__ = ["Bot", "Result", "Rules", "View", "fits", "laid", "run", "top_of", "wished"]
