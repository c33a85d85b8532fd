"""The ladders of a demonstration, open from its start; the house bots join before its tournaments.

Newcomers then meet somebody at once: a ladder gets a share of the workers beside tournaments. A line names
the leaders.
"""

import threading
from collections.abc import Sequence

from maumau.client.answer import GetLeaderboardResponse, LeaderboardLine
from maumau.client.matchmaking import Matchmaking
from maumau.errors import ClosedClient, MaumauError
from maumau.screen.table import is_rating_known
from services.supervisor.process.roster import Say

RULES = ("mau_mau", "prsi", "pesten")
EVERY = 30.0  # seconds between two looks
FIRST = 3  # bots in a line
ALL_REST = "All ladders rest: the arena waits, and uses next to nothing of this machine."


def open_ladders(link: Matchmaking) -> None:
    for rules in RULES:
        link.create(rules, rules)


def join_house(link: Matchmaking, bots: Sequence[str], warn: Say) -> None:
    """Let the house bots join; they hold the scale."""
    for rules in RULES:
        for bot in bots:
            try:
                link.join(rules, bot, pinned=True)
            except ClosedClient:
                raise
            except MaumauError as error:
                warn(f"the house bot {bot} is not on the ladder {rules}: {error}")


def follow_ladders(link: Matchmaking, say: Say, stop: threading.Event) -> None:
    """Tell who leads whenever there are new results, and once why a ladder rests; until `stop`."""
    told: dict[str, int] = {}
    resting: dict[str, str] = {}
    while not stop.wait(EVERY):
        for rules in RULES:
            try:
                found = link.leaderboard(rules)
            except MaumauError:  # the service is down, or the arena stops
                continue
            if found.ladder and found.ladder.sets != told.get(rules, 0):
                told[rules] = found.ladder.sets
                say(in_words(rules, found))
            if line := note_rest(found, resting):
                say(line)


def note_rest(found: GetLeaderboardResponse, resting: dict[str, str]) -> str:
    """Return a line when a ladder has come to rest. resting: why, by the ladders that rest; kept up to date.

    The last one to do so leaves the arena with nothing to play.
    """
    if found.ladder is None:
        return ""
    name, words = found.ladder.name, found.ladder.words
    if not found.ladder.rests:
        resting.pop(name, None)
        return ""
    if resting.get(name) == words:
        return ""
    resting[name] = words
    line = f"ladder {name}: {words}"
    return f"{line} {ALL_REST}" if len(resting) == len(RULES) else line


def in_words(rules: str, found: GetLeaderboardResponse) -> str:
    """Return a line such as: ladder prsi: 1. rollout +38, 2. counter +21, 3. greedy; 1,240 deal sets.

    A rating is left out while its interval says nothing.
    """
    sets = found.ladder.sets if found.ladder else 0
    first = ", ".join(map(_format_place, found.ranked[:FIRST])) or "no result yet"
    return f"ladder {rules}: {first}; {sets:,} deal sets"


def _format_place(line: LeaderboardLine) -> str:
    known = f" {line.elo:+z.0f}" if is_rating_known(line.elo, line.low, line.high) else ""
    return f"{line.place}. {line.bot_name}{known}"
