"""The game library: rules, deals, views, records and games, pure functions of a seed and the actions."""

from maumau.game.deal import Deal, deal, deal_by_hand, first_action
from maumau.game.game import Game
from maumau.game.model.chance import bot_seed, order_deals, order_seatings, stream
from maumau.game.notation.action import Action, parse
from maumau.game.record import count_early_forfeits, drop_mark, event_lines, list_lost_seats, record
from maumau.game.replay import replay
from maumau.game.resume import record_game, resume
from maumau.game.ruleset.own import load, load_any, load_file, load_text
from maumau.game.ruleset.rules import Rules, variants
from maumau.game.seen import View

__all__ = [
    "Action",
    "Deal",
    "Game",
    "Rules",
    "View",
    "bot_seed",
    "count_early_forfeits",
    "deal",
    "deal_by_hand",
    "drop_mark",
    "event_lines",
    "first_action",
    "list_lost_seats",
    "load",
    "load_any",
    "load_file",
    "load_text",
    "order_deals",
    "order_seatings",
    "parse",
    "record",
    "record_game",
    "replay",
    "resume",
    "stream",
    "variants",
]
