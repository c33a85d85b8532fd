"""Swiss stages as page and terminal show them: the table with every opponent. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct

from maumau.client.answer import Match, Round, Standing
from maumau.contest.claim import WALKOVER_RULES
from maumau.contest.format.swiss.score import BYE, Game, PlayedRound, ScoreLine, SwissMeeting, score_rounds
from maumau.contest.format.swiss.swiss import SWISS, Swiss, count_rounds
from maumau.contest.spec.spec import read_table


class SwissStage(Struct, frozen=True):
    """A Swiss stage that has begun.

    number: from 1. wanted: the rounds that the spec asks for, None for the usual number. rounds: those
    paired. table: after this stage, or as it stands.
    """

    number: int
    wanted: int | None
    rounds: tuple[Round, ...]
    table: tuple[Standing, ...] = ()

    @property
    def planned(self) -> int:
        """Its rounds unless opponents run out; all who play in it are in the first one."""
        first = self.rounds[0]
        return count_rounds(Swiss(SWISS.name, rounds=self.wanted), 2 * len(first.matches) + len(first.byes))


class SwissCell(NamedTuple):
    """A round of an entrant. kind: won, lost, level, open, bye or walkover. place: the opponent's line."""

    kind: str
    place: int = 0
    opponent: int = 0
    label: str = ""


class SwissRow(NamedTuple):
    """A line of the table: points and Buchholz in halves, Sonneborn-Berger in quarters."""

    place: int
    entrant: int
    points: float
    buchholz: float
    sonneborn_berger: float
    cells: tuple[SwissCell | None, ...]


@lru_cache(maxsize=256)
def list_swiss_stages(spec_toml: str) -> tuple[tuple[int, int | None], ...]:
    """Return the number of each Swiss stage of a spec, and the rounds that it asks for, if it does."""
    return tuple(
        (number, stage.get("rounds"))
        for number, stage in enumerate(read_table(spec_toml).get("stage", ()), start=1)
        if stage.get("format") == SWISS.name
    )


def is_cut_short(view: Any, stage: SwissStage) -> bool:
    """Return True if a stage is over before its last round."""
    matches = [match for one in stage.rounds for match in one.matches]
    is_next = any(int(match.label.split(".")[0]) > stage.number for match in view.matches)
    is_over = is_next or view.tournament.state in ("decided", "finished")
    return is_over and len(stage.rounds) < stage.planned and all(one.state == "decided" for one in matches)


def swiss_rows(view: Any, stage: SwissStage) -> list[SwissRow]:
    """Return the table of a stage, in the order of the standings after it."""
    lines = score_rounds(
        [entry.number for entry in view.tournament.entries], [_read_round(one) for one in stage.rounds]
    )
    paired = {entrant for entrant, line in lines.items() if any(line.games)}
    order = [one.entrant for one in stage.table if one.entrant in paired]
    places = {entrant: place for place, entrant in enumerate(order, start=1)}
    return [_swiss_row(lines[entrant], places) for entrant in order]


def _read_round(one: Round) -> PlayedRound:
    return PlayedRound([_read_meeting(match) for match in one.matches], one.byes)


def _read_meeting(match: Match) -> SwissMeeting:
    is_decided = match.state == "decided"
    is_walkover = is_decided and match.rule in WALKOVER_RULES
    return SwissMeeting(match.label, match.first, match.second, is_decided, match.winner or None, is_walkover)


def _swiss_row(line: ScoreLine, places: dict[int, int]) -> SwissRow:
    cells = tuple(game and _swiss_cell(game, places) for game in line.games)
    scores = line.points / 2, line.buchholz / 2, line.sonneborn_berger / 4
    return SwissRow(places[line.entrant], line.entrant, *scores, cells)


def _swiss_cell(game: Game, places: dict[int, int]) -> SwissCell:
    if game.opponent == BYE:
        return SwissCell("bye")
    kind = "open" if game.result is None else ("lost", "level", "won")[game.result]
    if game.is_walkover:
        kind = f"{kind}_walkover"
    return SwissCell(kind, places.get(game.opponent, 0), game.opponent, game.label)


def say_half(number: float) -> str:
    """Return halves and quarters as tables have them: ½ for 0.5, 2¼ for 2.25."""
    whole, part = divmod(round(4 * number), 4)
    return f"{whole or '' if part else whole}{('', '¼', '½', '¾')[part]}"


def list_newest_first(rounds: Sequence[Round]) -> Sequence[Round]:
    """Return the rounds, the newest first."""
    return tuple(reversed(rounds))
