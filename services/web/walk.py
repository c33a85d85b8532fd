"""The figure of a sequential test: a line from set to set between its two bounds, in a box. Pure.

docs/verify.md ("A match") says what is drawn; `maumau.contest.sequential` works it out.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from maumau.contest import spec
from maumau.contest.sequential import Sums, bound
from maumau.errors import MaumauError

WIDTH, HEIGHT, ROOM = 1000, 240, 1.12  # of the box; how far it reaches beyond what is in it
STEPS = 600  # places of the line, at most
STRIP_CELLS = 2000  # deal sets that are drawn one by one below it: the table has the rest
BLOCKS = 60  # whose ends are marked, at most: more would be a grey box

Place = tuple[int, float]
"""How many sets were played, and the log likelihood ratio then."""


class Scores(NamedTuple):
    """The sets of a match that count, in order: what the first scored in each, of so many units."""

    unit: int = 0
    first: tuple[int, ...] = ()


class Walk(NamedTuple):
    """The figure: the line's path, heights of the bounds and of zero, where blocks end, and its numbers.

    is_whole: whether the line has a place for each set; if not, only for moments somebody saw.
    """

    path: str
    upper: float
    lower: float
    middle: float
    ends: tuple[float, ...]
    last_x: float
    last_y: float
    last: Place
    length: int
    bound: float
    is_whole: bool


class ReadTest(NamedTuple):
    """The `[match]` of a spec; None, and what is wrong with it, if it cannot be read here.

    A contest of a later version of the arena can have keys that this one does not know.
    """

    match: spec.Match | None
    wrong: str = ""


@lru_cache(maxsize=256)
def read_test(spec_toml: str) -> ReadTest:
    """When a match of the contest with this spec is decided."""
    try:
        return ReadTest(spec.parse_spec(spec_toml).match)
    except MaumauError as error:
        return ReadTest(None, str(error))


def follow_test(scores: Scores, test: spec.Match) -> list[Place]:
    """The test after each set, in their order."""
    delta, sums, found = Fraction(str(test.delta)), Sums(scores.unit), list[Place]()
    for number, score in enumerate(scores.first, 1):
        sums = sums.plus((score,))
        found.append((number, float(sums.llr(delta))))
    return found


def draw_walk(scores: Scores, test: spec.Match, seen: Sequence[Place] = (), *, is_over: bool) -> Walk | None:
    """From its sets, or from what was seen of it so far; None without a set."""
    places = follow_test(scores, test) or list(seen)
    if not places:
        return None
    last = places[-1]
    length = last[0] if is_over else max(test.cap, last[0])
    limit = float(bound(Fraction(str(test.alpha))))
    reach = ROOM * max(limit, *(abs(llr) for _, llr in places))

    def height(llr: float) -> float:
        return round(HEIGHT * (reach - llr) / (2 * reach), 1)

    def across(sets: int) -> float:
        return round(WIDTH * sets / length, 1)

    line = "L".join(f"{across(sets)} {height(llr)}" for sets, llr in [(0, 0.0), *_thin(places)])
    ends = tuple(across(n) for n in range(test.block, length, test.block))
    return Walk(
        f"M{line}", height(limit), height(-limit), height(0.0), ends if len(ends) < BLOCKS else (),
        across(last[0]), height(last[1]), last, length, limit, bool(scores.first),
    )  # fmt: skip


def _thin(places: Sequence[Place]) -> Iterator[Place]:
    """Few enough to be sent: of each stretch its lowest and its highest place, and the last of all."""
    size = -(-2 * len(places) // STEPS)
    if size <= 2:
        yield from places
        return
    for start in range(0, len(places), size):
        stretch = places[start : start + size]
        low, high = (pick(stretch, key=lambda one: one[1]) for pick in (min, max))
        yield from sorted({low, high})
    yield places[-1]


def said_scores(scores: Scores) -> str:
    """For the script that draws the strips: a number for each set."""
    return " ".join(map(str, scores.first))


def score_kind(first: Any, unit: int) -> str:
    """`won`, `lost` or `level`, as the first sees a set."""
    return "level" if 2 * first == unit else "won" if 2 * first > unit else "lost"
