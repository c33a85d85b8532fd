"""The ladders: anybody may join from the start, the house bots when the demonstration is decided.

A line tells who leads.
"""

import threading
from collections.abc import Sequence

from maumau.answer import GetLeaderboardResponse, LeaderboardLine
from maumau.errors import ClosedClient, MaumauError
from maumau.matchmaking import Matchmaking
from services.supervisor.roster import Say

RULES = ("mau_mau", "prsi", "pesten")
EVERY = 30.0  # seconds between two looks
FIRST = 3  # bots in a line


def open_ladders(link: Matchmaking) -> None:
    for rules in RULES:
        link.create(rules, rules)


def join_house(link: Matchmaking, bots: Sequence[str], warn: Say) -> None:
    """The house bots hold the scale."""
    for rules in RULES:
        for bot in bots:
            try:
                link.join(rules, bot, pinned=True)
            except ClosedClient:
                raise
            except MaumauError as error:
                warn(f"the house bot {bot} is not on the ladder {rules}: {error}")


def follow(link: Matchmaking, say: Say, stop: threading.Event) -> None:
    """Tells who leads, whenever there are new results; until `stop`."""
    told: dict[str, int] = {}
    while not stop.wait(EVERY):
        for rules in RULES:
            try:
                found = link.leaderboard(rules)
            except MaumauError:  # the service is away, or the arena stops
                continue
            if found.ladder and found.ladder.sets != told.get(rules, 0):
                told[rules] = found.ladder.sets
                say(in_words(rules, found))


def in_words(rules: str, found: GetLeaderboardResponse) -> str:
    """Example: ladder prsi: 1. rollout +38, 2. counter +21, 3. greedy +3; 1,240 deal sets."""
    sets = found.ladder.sets if found.ladder else 0
    return f"ladder {rules}: {', '.join(map(_place, found.lines[:FIRST]))}; {sets:,} deal sets"


def _place(line: LeaderboardLine) -> str:
    return f"{line.place}. {line.bot_name} {line.elo:+z.0f}"
