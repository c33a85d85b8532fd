"""A stage of a spec: its format and the keys that every format has."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from maumau.contest.whole_game import WholeGame

PAIR: Final = 2

ALWAYS_SHOWN: Final = ("format", "seeds", "third_place")
"""Keys that every root binds, also at their defaults; later ones are bound only where they differ."""


class Stage(msgspec.Struct, frozen=True):
    """One stage, played by all entrants who have not been cut before."""

    format: str
    """Who plays whom."""
    seeds: Literal["entry", "previous", "draw", "given"] = "entry"
    """The order in which the entrants are seeded."""
    third_place: bool = False
    """Whether the losers of the semi-finals play for third place; only in `single_elimination`."""
    take: Annotated[int, Meta(ge=2)] | None = None
    """How many play in this stage, the top of the table after the previous one; without it, all who played
    in that."""
    game: WholeGame | None = None
    """Whole games in this stage, such as `game = { target = 100 }`; without it, those of the contest."""
    given: tuple[str, ...] = ()
    """With `seeds = "given"`, the names of bots, the best seed first; those who are not named follow in the
    order of entry."""
    apart: Literal["account"] | None = None
    """With `"account"`, bots of one account meet as late as a knock-out allows, and play in different groups
    where possible: bots of about equal seeds change places for it. Other formats refuse it."""

    @property
    def table_seats(self) -> int:
        """The largest number of seats of a table."""
        return PAIR

    @property
    def shown(self) -> dict[str, Any]:
        """The part that the root binds and an export shows."""
        table = msgspec.to_builtins(self) | {"game": self.game and self.game.shown}
        defaults = {field.encode_name: field.default for field in msgspec.structs.fields(self)}
        return {key: each for key, each in table.items() if key in ALWAYS_SHOWN or each != defaults[key]}
