"""The bracket of a double elimination: who of which match goes where. It depends on the field's size alone.

The graph is that of brackets-manager (npm) with its default orders: natural into the losers' first round,
then those of `CROSSINGS`. Byes fall through: an entrant without an opponent comes to its next line directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from maumau.contest.format.single_elimination import standard_order

Side = Literal["winners", "losers", "final"]

CROSSINGS: Final[dict[int, tuple[str, ...]]] = {
    8: ("reverse",),
    16: ("reverse_half_shift", "reverse"),
    32: ("reverse", "half_shift", "natural"),
    64: ("reverse", "half_shift", "reverse", "natural"),
    128: ("reverse", "half_shift", "pair_flip", "pair_flip", "pair_flip"),
    256: ("half_shift", "reverse", "reverse_half_shift", "pair_flip", "half_shift", "natural"),
}
"""By lines of the bracket: the orders in which the losers of the winners' second, third … round join the
losers' bracket, in the words of brackets-manager. It has none for 256: these give the fewest rematches."""


class Source(NamedTuple):
    """The source of an entrant: a seed from 1 (round 0), or the winner or the loser of a match."""

    kind: Literal["seed", "winner", "loser"]
    round: int
    number: int


class BracketLine(NamedTuple):
    """A line of a round: a match if it has two sources, a bye if it has one, for ever empty if none.

    number: from 1, also of lines without a match.
    """

    number: int
    sources: tuple[Source, ...]


class BracketRound(NamedTuple):
    """A round of either bracket. round: in the order of play over both, from 1. turn: in its own bracket."""

    round: int
    side: Side
    turn: int
    name: str
    lines: tuple[BracketLine, ...]


Lines = Sequence[Source | None]
"""The entrants that come out of a round, by line; None where nobody does."""


@cache
def build_bracket(count: int) -> tuple[BracketRound, ...]:
    """Return the rounds for this number of entrants in the order of play, without a second grand final."""
    depth = (count - 1).bit_length()
    line: Lines = [Source("seed", 0, s) if s <= count else None for s in standard_order(2**depth)]
    rounds: list[BracketRound] = []
    dropped: list[Lines] = []
    for turn in range(1, depth + 1):
        number = 3 * turn - 4 if turn > 1 else 1
        rounds.append(
            _play_round("winners", turn, number, _name_round("winners", turn, depth), _pair_up(line))
        )
        line = _list_outcomes(rounds[-1], "winner")
        dropped.append(_list_outcomes(rounds[-1], "loser"))
    survivors = _add_losers(rounds, dropped)
    last = [(line[0], survivors[0])]
    rounds.append(_play_round("final", 1, 3 * depth - 1, "grand final", last))
    return tuple(sorted(rounds))


def _add_losers(rounds: list[BracketRound], dropped: Sequence[Lines]) -> Lines:
    """Append the rounds of the losers' bracket; return who comes out of it."""
    line, depth = dropped[0], len(dropped)
    orders = ("natural", *CROSSINGS.get(2**depth, ()), "natural")
    for turn in range(1, 2 * depth - 1):
        joining = dropped[turn // 2] if turn % 2 == 0 else ()
        crossed = [joining[cross_lines(orders[turn // 2], at, len(joining))] for at in range(len(joining))]
        pairs = list(zip(crossed, line, strict=True)) if crossed else _pair_up(line)
        number = turn + 2 + (turn - 1) // 2
        rounds.append(_play_round("losers", turn, number, _name_round("losers", turn, 2 * depth - 2), pairs))
        line = _list_outcomes(rounds[-1], "winner")
    return line


def cross_lines(order: str, at: int, lines: int) -> int:
    """Return the match, from 0, whose loser joins the line `at`; `lines` is a power of two."""
    if lines == 1:
        return at
    half = lines // 2
    flipped = {
        "natural": 0,
        "reverse": lines - 1,
        "half_shift": half,
        "reverse_half_shift": half - 1,
        "pair_flip": 1,
    }
    return at ^ flipped[order]


def name_crossings(rounds: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return by round the name of the one in which its losers go on; of other brackets none.

    rounds: number and name of each. In the order of play it is always the next but one.
    """
    names = dict(rounds)
    found = {
        number: names.get(number + 2, "") for number, name in names.items() if name.startswith("winners'")
    }
    return {number: name for number, name in found.items() if name.startswith("losers'")}


def _pair_up(line: Lines) -> list[tuple[Source | None, Source | None]]:
    return list(zip(line[::2], line[1::2], strict=True))


def _play_round(
    side: Side, turn: int, number: int, name: str, pairs: Iterable[tuple[Source | None, Source | None]]
) -> BracketRound:
    lines = (
        BracketLine(at, tuple(one for one in pair if one is not None))
        for at, pair in enumerate(pairs, start=1)
    )
    return BracketRound(number, side, turn, name, tuple(lines))


def _list_outcomes(one: BracketRound, kind: Literal["winner", "loser"]) -> Lines:
    """Return who wins or loses each line; a bye has a winner and no loser."""
    return [_find_outcome(one.round, line, kind) for line in one.lines]


def _find_outcome(number: int, line: BracketLine, kind: Literal["winner", "loser"]) -> Source | None:
    if len(line.sources) == 2:
        return Source(kind, number, line.number)
    return line.sources[0] if line.sources and kind == "winner" else None


def _name_round(side: Side, turn: int, last: int) -> str:
    return f"{side}' final" if turn == last else f"{side}' round {turn}"
