"""The SDK for bots: `Bot` and `run`, and what a bot sees of a deal."""

from maumau.bot.sdk import Bot, run
from maumau.bot.view import Result, Rules, View, fits, laid, top_of, wished

__all__ = ["Bot", "Result", "Rules", "View", "fits", "laid", "run", "top_of", "wished"]
