"""A bracket as a tree: the layout for a projector and for paper. Pure.

Both halves grow towards the final in the middle, so that 64 bots fit on one screen. Of a larger bracket the
first rounds are omitted once they are over; while one of them is played, its matches are laid out in columns.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from maumau.client.answer import Match, Round

WIDEST, ROW, BOX = 1920.0, 58.0, 48.0  # of the drawing, of a match with its room, of its two lines
PITCH, GAP = 240.0, 10.0  # of a column at most, and between two
HEAD = 34.0  # room for the names of the rounds
ROWS = 16  # most rows of one half: smaller writing is not legible from the back of a room
COLUMNS = 4  # of a round without a tree
THIRD = "third place"

Slot = Match | int | None
"""The content of a line of the bracket: a match, an entrant with a bye, or nothing known yet."""


class Box(NamedTuple):
    """A match, or an entrant with a bye, with the box's top left corner.

    code: the match's number, onward: where its loser goes on; "" where they are not shown.
    """

    x: float
    y: float
    slot: Any
    code: str = ""
    onward: str = ""


class RoundHead(NamedTuple):
    """The name of a round and the middle of its column."""

    x: float
    y: float
    name: str


class Tree(NamedTuple):
    """A drawing with its size; box: size of all boxes; lines: a path that joins them."""

    width: float
    height: float
    box: tuple[float, float]
    boxes: tuple[Box, ...]
    heads: tuple[RoundHead, ...]
    lines: str


def list_slots(rounds: Sequence[Round]) -> list[tuple[Round, list[Slot]]]:
    """Return each round with its lines from top to bottom, including those not known yet."""
    tree = [one for one in rounds if one.name != THIRD]
    depth = len(tree)
    return [(one, _build_slots(one, 2 ** (depth - turn))) for turn, one in enumerate(tree, 1)]


def _build_slots(one: Round, count: int) -> list[Slot]:
    known = {int(match.label.split(".")[2]): match for match in one.matches}
    byes = iter(one.byes)
    empty = None
    return [known.get(number) or next(byes, empty) for number in range(1, count + 1)]


def third_place(rounds: Sequence[Round]) -> Match | None:
    """Return the match for third place, if there is one."""
    return next((match for one in rounds if one.name == THIRD for match in one.matches), None)


def draw_tree(rounds: Sequence[Round]) -> Tree | None:
    """Return the drawing; None if there is no bracket."""
    slots = list_slots(rounds)
    if not slots:
        return None
    while len(slots[0][1]) > 2 * ROWS:
        if any(isinstance(one, Match) and one.state != "decided" for one in slots[0][1]):
            return draw_columns(*slots[0])
        slots = slots[1:]
    return _draw_halves(slots, third_place(rounds))


def draw_columns(one: Round, slots: Sequence[Any]) -> Tree:
    """Return the drawing of a single round, from top to bottom and from left to right."""
    pitch, rows = WIDEST / COLUMNS, -(-len(slots) // COLUMNS)
    boxes = [Box(pitch * (k // rows) + GAP, HEAD + ROW * (k % rows), slot) for k, slot in enumerate(slots)]
    heads = (RoundHead(WIDEST / 2, HEAD / 2, one.name),)
    return Tree(WIDEST, HEAD + ROW * rows, (pitch - 2 * GAP, BOX), tuple(boxes), heads, "")


def _draw_halves(slots: Sequence[tuple[Round, list[Slot]]], third: Match | None) -> Tree:
    columns, rows = 2 * len(slots) - 1, max(len(slots[0][1]) // 2, 4 if third else 2)
    pitch = min(PITCH, WIDEST / columns)
    width, height, size = pitch * columns, HEAD + ROW * rows, (pitch - GAP, BOX)
    boxes: list[Box] = []
    heads: list[RoundHead] = []
    lines: list[str] = []
    for turn, (one, line) in enumerate(slots[:-1]):
        half = len(line) // 2
        for number, slot in enumerate(line):
            column = turn if number < half else columns - 1 - turn
            x, y = pitch * column + GAP / 2, _compute_middle(number % half, half, rows) - BOX / 2
            boxes.append(Box(round(x, 1), round(y, 1), slot))
            above = max(half // 2, 1)
            target = (
                _compute_middle(number % half // 2, above, rows) if half > 1 else _compute_middle(0, 1, rows)
            )
            lines.append(_draw_join(x, y + BOX / 2, target, size[0], is_left=number < half))
        sides_of_it = (turn, columns - 1 - turn)
        heads += [RoundHead(round(pitch * (column + 0.5), 1), HEAD / 2, one.name) for column in sides_of_it]
    middle = pitch * (len(slots) - 1) + GAP / 2
    final, (match,) = slots[-1]
    boxes.append(Box(round(middle, 1), round(_compute_middle(0, 1, rows) - BOX / 2, 1), match))
    heads.append(
        RoundHead(round(width / 2, 1), round(_compute_middle(0, 1, rows) - BOX / 2 - HEAD / 2, 1), final.name)
    )
    if third:
        y = _compute_middle(0, 1, rows) + ROW
        boxes.append(Box(round(middle, 1), round(y, 1), third))
        heads.append(RoundHead(round(width / 2, 1), round(y - 6, 1), THIRD))
    return Tree(round(width, 1), height, size, tuple(boxes), tuple(heads), "".join(lines))


def _compute_middle(number: int, count: int, rows: int) -> float:
    """Return the vertical middle of a line, of `count` in one half."""
    return HEAD + ROW * rows * (number + 0.5) / count


def _draw_join(x: float, y: float, target: float, width: float, *, is_left: bool) -> str:
    """Return a path from a box to the height of its winner's next one."""
    start, step = (x + width, GAP / 2) if is_left else (x, -GAP / 2)
    return f"M{start:.1f} {y:.1f}h{step:.1f}V{target:.1f}h{step:.1f}"


def sides(match: Match) -> Iterator[tuple[int, str, str]]:
    """Yield the entrants of a match: number, name, and `won`, `lost` or ""."""
    for number, name in match.names.items():
        yield number, name, "" if not match.winner else "won" if match.winner == number else "lost"
