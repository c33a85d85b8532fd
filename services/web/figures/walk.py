"""The figure of a sequential test: a line from set to set between its two bounds, in a box. Pure.

docs/reference/verify.md ("A match") defines the test; `maumau.contest.statistics.evidence` computes it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from maumau.contest.match_rule import MatchRule
from maumau.contest.spec.spec import parse_spec
from maumau.contest.statistics.evidence import find_bound, weigh_evidence
from maumau.contest.statistics.sequential import Sums
from maumau.errors import MaumauError

WIDTH, HEIGHT, ROOM = 1000, 240, 1.12  # of the box; and its margin around the content
STEPS = 600  # most points of the line
STRIP_CELLS = 2000  # most deal sets drawn singly below it: the table has the rest
BLOCKS = 60  # most blocks whose ends are marked: more would be a grey box

Place = tuple[int, float]
"""The number of sets played, and the log likelihood ratio at that point."""


class Scores(NamedTuple):
    """The sets of a match that count, in order: the first's score in each, in parts of `unit`."""

    unit: int = 0
    first: tuple[int, ...] = ()


class Walk(NamedTuple):
    """The figure: the line's path, heights of the bounds and of zero, ends of blocks, and its numbers.

    is_whole: True if the line has a point for each set; if not, for each block.
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
    """The `[match]` of a spec, or the error if this version cannot read it.

    A contest of a later version may have unknown keys. plays_games: a set is a whole game in every seating.
    """

    match: MatchRule | None
    wrong: str = ""
    plays_games: bool = False


@lru_cache(maxsize=256)
def read_test(spec_toml: str, stage: int = 1) -> ReadTest:
    """Return the test of a stage's matches: the rule by which they are decided."""
    try:
        spec = parse_spec(spec_toml)
        game = spec.find_game(spec.stages[stage - 1]) if 0 < stage <= len(spec.stages) else None
        return ReadTest(spec.choose_match(stage), plays_games=game is not None)
    except MaumauError as error:
        return ReadTest(None, str(error))


def follow_test(scores: Scores, test: MatchRule) -> list[Place]:
    """Return the state of the test after each set."""
    sums, found = Sums(scores.unit), list[Place]()
    for number, score in enumerate(scores.first, 1):
        sums = sums.add_scores((score,))
        found.append((number, float(weigh_evidence(test, sums))))
    return found


def draw_walk(
    scores: Scores, test: MatchRule, ends_of_blocks: Sequence[Place] = (), *, is_over: bool
) -> Walk | None:
    """Return the figure from the sets, or else from the ends of blocks; None without a set."""
    places = follow_test(scores, test) or list(ends_of_blocks)
    if not places:
        return None
    last = places[-1]
    length = last[0] if is_over else max(test.cap, last[0])
    limit = float(find_bound(test))
    reach = ROOM * max(limit, *(abs(llr) for _, llr in places))

    def height(llr: float) -> float:
        return round(HEIGHT * (reach - llr) / (2 * reach), 1)

    def across(sets: int) -> float:
        return round(WIDTH * sets / length, 1)

    line = "L".join(f"{across(sets)} {height(llr)}" for sets, llr in [(0, 0.0), *_thin_places(places)])
    blocks = range(test.block, length, test.block)
    return Walk(
        f"M{line}",
        height(limit),
        height(-limit),
        height(0.0),
        tuple(map(across, blocks)) if len(blocks) < BLOCKS else (),
        across(last[0]),
        height(last[1]),
        last,
        length,
        limit,
        bool(scores.first),
    )


def _thin_places(places: Sequence[Place]) -> Iterator[Place]:
    """Yield few enough points to send: the lowest and highest of each stretch, and the last."""
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
    """Return the score of each set, separated by spaces, for the script that draws the strips."""
    return " ".join(map(str, scores.first))


def score_kind(first: Any, unit: int) -> str:
    """Return `won`, `lost` or `level`, from the first's side of a set."""
    return "level" if 2 * first == unit else "won" if 2 * first > unit else "lost"
