"""Mystery rules as text: the commitment while they are sealed, then what it was made with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from maumau.screen.output import plain
from maumau.screen.table import clock

if TYPE_CHECKING:
    from maumau.client.answer import GetTrialResponse, Tournament

STATES = {
    "none": "has no validation for it yet; entering begins one",
    "waiting": "waits for a worker to validate it",
    "playing": "is being validated",
    "passed": "has passed and may enter",
    "refused": "has not passed",
    "stalled": "could not be validated by any worker; entering tries again",
}


def name_rules(now: Tournament) -> str:
    """Return the variant of a tournament, or that it is a mystery."""
    if now.rules:
        return now.rules.name
    return "mystery rules" if now.mystery else "?"


def describe_mystery(now: Tournament) -> Iterator[str]:
    """Yield the commitment to mystery rules, and the rules as far as this reader may see them."""
    found = now.mystery
    if found is None:
        return
    if found.revealed_at is None:
        when = f"until {clock(found.reveal_at)}" if found.reveal_at else "until the start"
        yield f"its rules are sealed {when}; commitment to them: {found.commitment}"
        if found.sealed_toml:
            yield "only its organisers see them:"
            yield from _indent(found.sealed_toml)
        return
    yield f"its rules were sealed until {clock(found.revealed_at)}; the commitment {found.commitment}"
    yield f"is the SHA-256 of the salt {found.salt}, a line feed, and this text:"
    yield from _indent(found.sealed_toml)


def describe_trial(bot: str, tournament: str, found: GetTrialResponse) -> Iterator[str]:
    """Yield how far a bot's validation for a tournament is, and its log where that may be seen."""
    words = f": {found.words}" if found.words else ""
    yield f"{plain(bot)} {STATES.get(found.state, found.state)}{plain(words)} ({plain(tournament)})"
    if found.log:
        yield plain(found.log)


def say_needless(bot: str, tournament: str) -> str:
    """Return that a bot needs no validation for a tournament whose rules are not sealed."""
    return f"{plain(tournament)} has no sealed rules, so that {plain(bot)} needs no validation for it"


def _indent(text: str) -> Iterator[str]:
    return (f"  {plain(line)}" for line in text.splitlines())
