"""What happens in a tournament, for a terminal: tables kept up to date, or one line for each event."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match, Standing, Tournament, TournamentEvent

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from maumau.cli.live import LiveTable

SHOWN = 12
"""Matches of a board; the ones being played first, then those decided last."""
LEGEND = (
    "A deal is played once in every seating. Scores are the first bot's, ratings are Elo, both with 95 %.\n"
    "Sequential: to lead by delta explains the deals 19 times (at alpha 0.05) as well as to trail by delta."
)
WINDOW = 10.0
"""Seconds over which blocks per second are counted."""


class Board:
    """One tournament as told by its watch. `feed` may be called by one thread while another renders."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tournament: Tournament | None = None
        self.standings: tuple[Standing, ...] = ()
        self._matches: dict[str, Match] = {}
        self._ahead: dict[str, int] = {}
        self._blocks: deque[float] = deque(maxlen=1000)
        self.table: LiveTable | None = None

    def feed(self, part: Tournament | TournamentEvent) -> str:
        """Takes in what a watch says; the line that says it, empty for mere progress."""
        if isinstance(part, Tournament):
            self.tournament = part
            return ""
        if part.match:
            self._matches = {**self._matches, part.match.label: part.match}
            self._ahead[part.match.label] = part.sets_ahead
        if part.kind == "block_done" and _age(part) < WINDOW:
            self._blocks.append(time.monotonic())
        return "" if part.kind in {"progress", "block_done"} else event_line(self.name, part)

    @property
    def speed(self) -> float:
        """Blocks per second, lately."""
        now = time.monotonic()
        return sum(now - then < WINDOW for then in list(self._blocks)) / WINDOW

    def render(self) -> RenderableType:
        """The matches and the table as they stand."""
        from rich.console import Group

        matches = list(self._matches.values())
        playing = [match for match in matches if match.state != "decided"]
        decided = [match for match in matches if match.state == "decided"]
        shown = playing[-SHOWN:] + decided[::-1][: max(0, SHOWN - len(playing))]
        parts: list[RenderableType] = [self._title(len(decided))]
        if shown:
            parts += ["", match_table(shown, self._ahead)]
        if self.standings:
            parts += ["", standing_table(self.standings)]
        if self.table:
            parts += ["", self.table.render()]
        return Group(*parts)

    @property
    def playing(self) -> list[Match]:
        """The matches that are not decided, in the order in which they began."""
        return [match for match in list(self._matches.values()) if match.state == "playing"]

    def show(self, match: Match, deal: LiveDeal | None) -> None:
        """Puts a match at the board's table, or a piece of a deal on it."""
        from maumau.cli.live import LiveTable

        if not self.table or self.table.match.id != match.id:
            self.table = LiveTable(match)
        self.table.match = match
        if deal:
            self.table.feed(deal)

    def _title(self, decided: int) -> str:
        now = self.tournament
        if not now:
            return self.name
        words = f", {now.words}" if now.words else ""
        known = max(now.matches_known, len(self._matches))
        done = f"{decided} of {known} matches decided"
        return f"{now.name}: {now.state}{words}, {done}, {self.speed:.1f} blocks/s"


def _age(event: TournamentEvent) -> float:
    return (datetime.now(UTC) - event.at).total_seconds() if event.at else 0.0


def event_line(name: str, event: TournamentEvent) -> str:
    """An event in one line, with the score where a match was decided."""
    match = event.match
    if event.kind == "match_started" and match:
        return f"{name} {match.label}: {match.first_name} against {match.second_name}"
    if event.kind == "match_decided" and match:
        return f"{name} {match.label}: {score_line(match)}"
    words = event.words or event.kind.replace("_", " ")
    return words if words.startswith(name) else f"{name}: {words}"


def score_line(match: Match) -> str:
    """Who beat whom, by how much, how surely and by which rule; the score is the one named first."""
    first, second = match.first_name, match.second_name
    score = match.estimate, match.low, match.high
    if match.winner == match.second:
        first, second = second, first
        score = 1 - match.estimate, 1 - match.high, 1 - match.low
    how = "beats" if match.winner else "is level with"
    shown = "{:.3f} ({:.3f} to {:.3f})".format(*score)
    return f"{first} {how} {second}, score {shown} after {match.sets} deals ({match.rule})"


def match_table(matches: Iterable[Match], ahead: dict[str, int] | None = None) -> Table:
    """Matches with estimate, interval, sets, and who won by which rule."""
    made = table("match", "first", "second", ">score", ">95 %", ">deals", "result")
    for match in matches:
        more = (ahead or {}).get(match.label, 0) if match.state == "playing" else 0
        score = (f"{match.estimate:.3f}", f"{match.low:.3f} to {match.high:.3f}") if match.sets else ("", "")
        deals = f"{match.sets} + {more}" if more else str(match.sets)
        made.add_row(match.label, match.first_name, match.second_name, *score, deals, result(match))
    return made


def result(match: Match) -> str:
    """The state of an open match; of a decided one the winner and the rule."""
    if match.state != "decided":
        return match.state
    names = {match.first: match.first_name, match.second: match.second_name}
    return f"{names[match.winner]} ({match.rule})" if match.winner else match.rule


def standing_table(standings: Iterable[Standing]) -> Table:
    """The table: rating with its interval, deals, matches, and what decided each place."""
    made = table(
        ">#", "bot", ">rating", ">95 %", ">deals", ">won", ">lost", ">level", ">faults", "decided by"
    )
    for line in standings:
        rating = (f"{line.rating:+.2f}", f"{line.low:+.2f} to {line.high:+.2f}") if line.sets else ("", "")
        made.add_row(
            str(line.rank), line.bot_name, *rating,
            *(str(n) for n in (line.sets, line.won, line.lost, line.level, line.faults)), line.rule,
        )  # fmt: skip
    return made


def table(*columns: str) -> Table:
    """A plain table; a column that begins with > is set flush right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in columns:
        made.add_column(column.lstrip(">"), justify="right" if column.startswith(">") else "left")
    return made
