"""The parts of a spec that are tables of their own: entries, schedule, limits of bots, mystery rules."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from maumau.contest.entrant import MOST_ENTRANTS

MOMENT: Final = Meta(
    tz=True, description="a date, a time and its offset from UTC, such as 2026-12-01T19:00:00+01:00"
)
GroupName = Annotated[
    str, Meta(pattern=r"^[a-z0-9-]{3,32}\Z", description="the name of a group, 3 to 32 of a-z, 0-9 and -")
]
AccountName = Annotated[
    str, Meta(pattern=r"^[a-z0-9-]{3,32}\Z", description="the name of an account, 3 to 32 of a-z, 0-9 and -")
]


class Entries(msgspec.Struct, frozen=True):
    """The conditions of entry."""

    closes: Annotated[datetime, MOMENT] | None = None
    """Until when bots may enter, such as `2026-11-30T18:00:00+01:00`; without it, until the start."""
    most: Annotated[int, Meta(ge=2, le=MOST_ENTRANTS)] = 64
    """The most bots that may enter."""
    per_account: Annotated[int, Meta(ge=1, le=MOST_ENTRANTS)] = 3
    """The most bots of one account, each with a program of its own; the arena's own accounts may enter any
    number. In a contest each bot weighs alike, copies of one too: with 1, nobody's rival counts twice."""
    opening_minutes: Annotated[int, Meta(ge=0, le=10_080)] = 10
    """The time, after entries have closed, for which the start waits for nonces that are not opened yet; one
    that is not opened by then is in no seed."""
    accounts: tuple[AccountName, ...] | None = None
    """The names of the accounts whose bots may enter, such as `["ada", "grace"]`; without it, all may."""
    guests: tuple[str, ...] = ()
    """Bots that, once they have entered, play and are rated as guests, such as `["greedy"]`: they take no
    place, seed or prize, rank behind all others, and are not in a knock-out."""


class Schedule(msgspec.Struct, frozen=True):
    """Automatic steps and their times."""

    starts: Annotated[datetime, MOMENT] | None = None
    """When the tournament starts, if its entries are open and two bots have entered; without it, it is
    started by hand."""
    protest_minutes: Annotated[int, Meta(ge=0, le=43_200)] = 0
    """The time, after the last match, in which the result may be protested and matches taken back, before it
    is final and the secret is published."""


class BotLimits(msgspec.Struct, frozen=True):
    """Limits of a bot's program."""

    deal_ms: Annotated[int, Meta(ge=1, le=60_000)] = 100
    """CPU time for a deal, in reference milliseconds: docs/explanation/time.md."""
    memory: Annotated[int, Meta(ge=16, le=16_384)] = 512
    """Memory in MiB."""


class Mystery(msgspec.Struct, frozen=True):
    """Rules that are sealed until they are revealed. Without any key that is at the start."""

    reveal: Annotated[datetime, MOMENT] | None = None
    """When the rules are revealed, once entries have closed and before `schedule.starts`; without it, at the
    start."""
    commitment: str | None = None
    """SHA-256 over the salt and the rules; the arena computes it."""
    salt: str | None = None
    """The arena draws it, and shows it with the rules."""

    @property
    def is_sealed(self) -> bool:
        """True if the rules are sealed and not revealed yet."""
        return self.commitment is not None and self.salt is None

    @property
    def shown(self) -> dict[str, str]:
        """The part that the root binds and an export shows."""
        given = {"commitment": self.commitment, "salt": self.salt}
        return {key: value for key, value in given.items() if value is not None}
