"""Both brackets of a double elimination: lines with their sources, and the drawing for a projector. Pure.

The winners' bracket stands above the losers', and the grand final to the right of both. A winners' bracket of
more than eight lines grows from both sides. Rounds that are over are omitted where there is no room; if there
is none even then, the earliest round in play is laid out in columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from maumau.client.answer import Match, Round
from maumau.contest.format.double_bracket import BracketLine, BracketRound, Source, build_bracket
from services.web.figures.tree import (
    BOX,
    GAP,
    HEAD,
    PITCH,
    ROW,
    ROWS,
    WIDEST,
    Box,
    RoundHead,
    Tree,
    draw_columns,
    draw_tree,
)

FINAL = "grand final"
ONE_SIDED = 8  # lines up to which a bracket grows from the left alone


class Open(NamedTuple):
    """A line that waits for entrants: their numbers, or the matches they come from. One side: a bye."""

    sides: tuple[int | Source, ...]


Place = Match | int | Open | None
"""The content of a line: a match, an entrant with a bye, one that waits, or nothing for ever."""


class Column(NamedTuple):
    """A round with its lines from top to bottom. loser_to: by match, where its loser goes on."""

    round: Round
    side: str
    places: tuple[Place, ...]
    codes: tuple[str, ...]
    loser_to: tuple[str, ...]

    @property
    def is_over(self) -> bool:
        """True if no match of this round is still to be played."""
        return not any(
            isinstance(one, Open) or (isinstance(one, Match) and one.state != "decided")
            for one in self.places
        )


def is_double(rounds: Sequence[Round]) -> bool:
    """Return True if these are the rounds of a double elimination."""
    return any(one.name == FINAL for one in rounds)


def list_columns(rounds: Sequence[Round]) -> tuple[Column, ...]:
    """Return the rounds in the order of play, each with all its lines; none before its matches are made."""
    first = rounds[0]
    if not first.matches:
        return ()
    bracket = build_bracket(2 * len(first.matches) + len(first.byes))
    known = _list_known(bracket, rounds)
    targets = {
        source: f"{one.round}.{line.number}"
        for one in bracket
        for line in one.lines
        for source in line.sources
        if len(line.sources) == 2
    }
    shape = {one.round: one for one in bracket}
    again = bracket[-1].round + 1
    shape[again] = bracket[-1]._replace(round=again)
    return tuple(_make_column(one, shape[one.round], known, targets) for one in rounds)


def _list_known(bracket: Sequence[BracketRound], rounds: Sequence[Round]) -> dict[Source, int]:
    """Return the entrants that are known, by where they come from."""
    known: dict[Source, int] = {}
    for number, match in _number_matches(rounds).items():
        if match.state == "decided" and match.winner:
            loser = match.second if match.winner == match.first else match.first
            known |= {Source("winner", *number): match.winner, Source("loser", *number): loser}
    byes = iter(rounds[0].byes)
    for line in bracket[0].lines:
        if len(line.sources) == 1:
            known[line.sources[0]] = next(byes)
    return known


def _number_matches(rounds: Sequence[Round]) -> dict[tuple[int, int], Match]:
    return {(one.round, int(match.label.split(".")[2])): match for one in rounds for match in one.matches}


def _make_column(
    one: Round, shape: BracketRound, known: dict[Source, int], targets: dict[Source, str]
) -> Column:
    matches = _number_matches([one])
    places = tuple(_fill_place(line, matches.get((one.round, line.number)), known) for line in shape.lines)
    codes = tuple(f"{one.round}.{line.number}" if len(line.sources) == 2 else "" for line in shape.lines)
    losers = (Source("loser", one.round, line.number) for line in shape.lines)
    return Column(one, shape.side, places, codes, tuple(targets.get(source, "") for source in losers))


def _fill_place(line: BracketLine, match: Match | None, known: dict[Source, int]) -> Place:
    if match or not line.sources:
        return match
    sides = tuple(known.get(source, source) for source in line.sources)
    alone = sides[0] if len(sides) == 1 else None
    return alone if isinstance(alone, int) else Open(sides)


def find_sides(columns: Sequence[Column]) -> list[tuple[str, list[Column]]]:
    """Return the rounds of the winners, of the losers and the finals, without a side that has none."""
    found = [(side, [one for one in columns if one.side == side]) for side in ("winners", "losers", "final")]
    return [(side, own) for side, own in found if own]


def draw_bracket(rounds: Sequence[Round]) -> Tree | None:
    """Return the drawing of a bracket of either kind; None if there is none."""
    if not is_double(rounds):
        return draw_tree(rounds)
    columns = list_columns(rounds)
    return _draw_tree(columns) if columns else None


def _draw_tree(columns: Sequence[Column]) -> Tree:
    sides = dict(find_sides(columns))
    upper, lower = sides["winners"], sides.get("losers", [])
    while _count_rows(upper) + _count_rows(lower) > ROWS:
        tall = sorted((upper, lower), key=_count_rows, reverse=True)
        shortened = next((one for one in tall if len(one) > 1 and one[0].is_over), None)
        if shortened is None:
            now = next(one for one in columns if not one.is_over)
            return draw_columns(now.round, [one for one in now.places if one is not None])
        del shortened[0]
    return _Drawing(upper, lower, sides["final"]).build_tree()


def _is_one_sided(columns: Sequence[Column]) -> bool:
    return len(columns[0].places) <= ONE_SIDED


def _count_rows(columns: Sequence[Column]) -> int:
    """Return the rows of a bracket; only the winners' one grows from both sides."""
    if not columns:
        return 0
    lines = len(columns[0].places)
    return lines // 2 if columns[0].side == "winners" and lines > ONE_SIDED else lines


class _Drawing:
    """Boxes, heads and lines as they are placed."""

    def __init__(self, upper: list[Column], lower: list[Column], finals: list[Column]) -> None:
        self.upper, self.lower, self.finals = upper, lower, finals
        self.one_sided = _is_one_sided(upper)
        wide = len(upper) + 1 if self.one_sided else 2 * len(upper) - 1
        self.wide = max(wide, len(lower) + 1)
        self.pitch = min(PITCH, WIDEST / self.wide)
        self.box = self.pitch - GAP
        self.boxes: list[Box] = []
        self.heads: list[RoundHead] = []
        self.lines: list[str] = []

    def build_tree(self) -> Tree:
        rows = max(_count_rows(self.upper), 2)
        below = HEAD + ROW * rows
        if self.one_sided:
            self._place_bracket(self.upper, 0, rows)
        else:
            self._grow_both(rows)
        self._place_bracket(self.lower, below, _count_rows(self.lower))
        height = below + (HEAD + ROW * _count_rows(self.lower) if self.lower else 0)
        height = max(height, 2 * HEAD + 3 * ROW)  # of two matches with their names
        self._add_finals(height)
        width = round(self.pitch * self.wide, 1)
        return Tree(width, height, (self.box, BOX), tuple(self.boxes), tuple(self.heads), "".join(self.lines))

    def _place_bracket(self, columns: Sequence[Column], top: float, rows: int) -> None:
        """Place a bracket from the left to the right, below `top`."""
        for at, one in enumerate(columns):
            following = columns[at + 1] if at + 1 < len(columns) else None
            self._add_head(one, at, top)
            for line in range(len(one.places)):
                y = _find_middle(line, len(one.places), top, rows)
                self._add_box(one, line, at, y)
                if following and one.places[line] is not None:
                    halved = len(following.places) < len(one.places)
                    onward = line // 2 if halved else line
                    target = _find_middle(onward, len(following.places), top, rows)
                    self._join_places(at, y, target, is_left=True)

    def _grow_both(self, rows: int) -> None:
        """Place the winners' bracket from both sides to its final in the middle."""
        last = 2 * len(self.upper) - 2
        for at, one in enumerate(self.upper):
            half = len(one.places) // 2 or 1
            for column in {at, last - at}:
                self._add_head(one, column, 0)
            for line in range(len(one.places)):
                is_left = line < half
                y = _find_middle(line % half, half, 0, rows)
                self._add_box(one, line, at if is_left else last - at, y)
                if at < len(self.upper) - 1:
                    target = _find_middle(line % half // 2, max(half // 2, 1), 0, rows)
                    self._join_places(at if is_left else last - at, y, target, is_left=is_left)

    def _add_finals(self, height: float) -> None:
        """Place the grand final, and below it the second one; join the ends of both brackets to it."""
        at, y = self.wide - 1, height / 2 if self.one_sided else height - ROW * _count_rows(self.lower) / 2
        for number, one in enumerate(self.finals):
            middle = y + number * (ROW + HEAD)
            self._add_head(one, at, middle - BOX / 2 - 8 - HEAD / 2)
            self._add_box(one, 0, at, middle)
        rows = max(_count_rows(self.upper), 2)
        if self.one_sided:
            self._draw_line(len(self.upper) - 1, _find_middle(0, 1, 0, rows), y)
        if self.lower:
            top = HEAD + ROW * rows
            self._draw_line(len(self.lower) - 1, _find_middle(0, 1, top, _count_rows(self.lower)), y)

    def _draw_line(self, column: int, y: float, target: float) -> None:
        """Draw a line from the last match of a bracket to the grand final."""
        start, end = self.pitch * column + GAP / 2 + self.box, self.pitch * (self.wide - 1)
        self.lines.append(f"M{start:.1f} {y:.1f}H{end:.1f}V{target:.1f}h{GAP / 2:.1f}")

    def _add_head(self, one: Column, column: int, top: float) -> None:
        x = round(self.pitch * (column + 0.5), 1)
        self.heads.append(RoundHead(x, round(top + HEAD / 2, 1), one.round.name))

    def _add_box(self, one: Column, line: int, column: int, y: float) -> None:
        """Place a line; only matches still open have their numbers, by which others refer to them."""
        place = one.places[line]
        if place is None:
            return
        is_over = isinstance(place, Match) and place.state == "decided"
        code, onward = ("", "") if is_over else (one.codes[line], one.loser_to[line])
        x = round(self.pitch * column + GAP / 2, 1)
        self.boxes.append(Box(x, round(y - BOX / 2, 1), place, code, onward))

    def _join_places(self, column: int, y: float, target: float, *, is_left: bool) -> None:
        x = self.pitch * column + GAP / 2
        start, step = (x + self.box, GAP / 2) if is_left else (x, -GAP / 2)
        self.lines.append(f"M{start:.1f} {y:.1f}h{step:.1f}V{target:.1f}h{step:.1f}")


def _find_middle(line: int, count: int, top: float, rows: int) -> float:
    """Return the vertical middle of a line, of `count`, in a bracket of `rows` rows below `top`."""
    return top + HEAD + ROW * rows * (line + 0.5) / count


def list_open(place: Open) -> Iterator[tuple[int, str, str]]:
    """Yield for each side its entrant, or 0, the key of the words for its source, and the match meant."""
    for one in place.sides:
        yield (one, "", "") if isinstance(one, int) else (0, f"{one.kind}_of", f"{one.round}.{one.number}")
