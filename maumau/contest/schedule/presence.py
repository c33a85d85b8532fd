"""Test whether each round was drawn with the entrants present, and with no others.

A round of the formats with `drops_leavers` depends on those who had left when it was drawn. From the results
alone it seems that whoever is not named in a round had left by then. The moments of the departures say more:

- Whoever left before the round could be drawn is not in it.
- Whoever left after it was drawn was there. Drawn again with them, the round has the same matches.
- Whoever left at a moment when it may have been drawn was there, or had gone. A Swiss round is drawn at one
  moment: those who left later were there. In a race the rest of a batch is drawn anew when somebody leaves
  who has no match in it (`_list_subsets`), until its last decision. Some choice gives the same matches.
- Whoever left a race when its batch had begun had no match in it of which all trace is gone.

Retakes and disqualifications may draw a round anew. It then counts from its first draw to the last of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from maumau.contest.entrant import Entrant
from maumau.contest.format import FORMATS
from maumau.contest.format.draw import Draw, Round
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.format.race import MOST_TRIED
from maumau.contest.schedule.advance import Book
from maumau.contest.spec.spec import Spec


class Moments(NamedTuple):
    """Numbers of links of a round. drawn: it was drawn after this link at the earliest.

    began: its first event since it was drawn last, None if that is unknown. over: all of it was decided, and
    nothing draws it anew any more.
    """

    drawn: int
    began: int | None
    over: int


class Misdrawn(NamedTuple):
    """A round, or a match, that was not drawn with the entrants present. plan: the match that shows it.

    missing: entrants that were there. gone: entrants that had left.
    """

    plan: MatchPlan
    missing: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()


class Records(NamedTuple):
    """The records by which rounds are tested. left: the link of each departure, by entrant."""

    spec: Spec
    entrants: Sequence[Entrant]
    draws: Sequence[Draw]
    verdicts: Sequence[Verdict]
    left: Mapping[int, int]


def find_misdrawn(records: Records, moments: Callable[[int, int], Moments]) -> Iterator[Misdrawn]:
    """Yield the rounds that were not drawn with the entrants present. moments: of a stage and round."""
    stages = zip(records.spec.stages, records.draws, strict=False) if records.left else ()
    for number, (stage, draw) in enumerate(stages, start=1):
        if FORMATS[stage.format].drops_leavers:
            rounds = [moments(number, turn) for turn in range(1, len(draw.rounds) + 1)]
            yield from _StageTest(records, number, rounds).find_misdrawn()


Kept = Mapping[int, frozenset[int]]
"""By round: entrants that left during it and count as present."""


class _Presence(Book):
    """Results for drawing a stage again with the entrants present."""

    def __init__(self, records: Records, moments: Sequence[Moments], kept: Kept) -> None:
        super().__init__(records.spec, records.entrants, records.verdicts, ())
        self.left, self.moments, self.kept = records.left, moments, kept

    def has_left(self, entrant: int, stage: int, turn: int) -> bool:
        """Return True if an entrant had left when this round was drawn."""
        if not super().has_left(entrant, stage, turn):
            return False
        left = self.left.get(entrant, 0)
        if not left or turn > len(self.moments) or left < self.moments[turn - 1].drawn:
            return True
        return left < self.moments[turn - 1].over and entrant not in self.kept.get(turn, ())

    def keeps_played(self, _stage: int, _turn: int, _matches: Sequence[MatchPlan]) -> bool:
        """Return True: `kept` alone decides who was there."""
        return True


class _StageTest:
    """The test of a stage."""

    def __init__(self, records: Records, number: int, moments: Sequence[Moments]) -> None:
        self.records, self.number = records, number
        self.draw, self.stage = records.draws[number - 1], records.spec.stages[number - 1]
        self.redraws_rest = FORMATS[self.stage.format].redraws_rest
        self.moments = moments if self.redraws_rest else [_end_with_start(one) for one in moments]
        self.book = Book(records.spec, records.entrants, records.verdicts, ())

    def find_misdrawn(self) -> Iterator[Misdrawn]:
        """Yield the rounds of the stage that were not drawn with the entrants present."""
        yield from self._find_gone()
        kept: dict[int, frozenset[int]] = {}
        choices: dict[int, Iterator[frozenset[int]]] = {}
        for turn in range(1, len(self.draw.rounds) + 1):
            choices[turn] = self._list_choices(turn)
            kept[turn] = next(choices[turn])
        while turn := self._find_change(rounds := self._draw_again(kept)):
            choice = next(choices[turn], None)
            if choice is None:
                yield self._name_missing(turn, rounds)
                return
            kept[turn] = choice
        for turn in range(1, len(self.draw.rounds) + 1) if self.redraws_rest else ():
            yield from self._find_dropped(turn, kept)

    def _find_gone(self) -> Iterator[Misdrawn]:
        """Yield the matches of entrants that had left before the round could be drawn."""
        for one, (drawn, _, _) in zip(self.draw.rounds, self.moments, strict=True):
            for plan in one.matches:
                gone = tuple(
                    player for player in plan.players if 0 < self.records.left.get(player, 0) < drawn
                )
                if gone:
                    yield Misdrawn(plan, gone=gone)

    def _find_change(self, rounds: Sequence[Round]) -> int:
        """Return the first round that has other matches when it is drawn again, 0 if there is none.

        Where the stage ends too early, that is the last one.
        """
        pairs = zip(rounds, self.draw.rounds, strict=False)
        ends = len(rounds) if len(rounds) < len(self.draw.rounds) else 0
        return next((turn for turn, (a, b) in enumerate(pairs, start=1) if a.matches != b.matches), ends)

    def _draw_again(self, kept: Kept) -> Sequence[Round]:
        find = _Presence(self.records, self.moments, kept)
        return FORMATS[self.stage.format].schedule(self.stage, self.number, self.draw.seeds, find).rounds

    def _list_unnamed(self, turn: int) -> Iterator[tuple[int, int]]:
        """Yield the entrants that have left and have no result in this round or later, and when they left."""
        for one in self.draw.seeds:
            if (left := self.records.left.get(one, 0)) and self.book.has_left(one, self.number, turn):
                yield one, left

    def _list_between(self, turn: int) -> list[int]:
        """Return those of them who left when the round may have been drawn, in the order of leaving."""
        drawn, _, over = self.moments[turn - 1]
        left = sorted((left, one) for one, left in self._list_unnamed(turn) if drawn < left < over)
        return [one for _, one in left]

    def _list_choices(self, turn: int) -> Iterator[frozenset[int]]:
        """Yield who of those may have been there without a match: in a Swiss round one had a bye."""
        between = self._list_between(turn)
        if self.redraws_rest:
            return _list_subsets(between)
        return iter([frozenset(), *(frozenset([one]) for one in between[-1:])])

    def _find_dropped(self, turn: int, kept: Kept) -> Iterator[Misdrawn]:
        """Yield the entrants that left after the start of a batch in which they must have had a match.

        Before they left, it was drawn with them, and with all who left later.
        """
        drawn, began, _ = self.moments[turn - 1]
        between = self._list_between(turn)
        start = max(drawn, began or 0)
        late = [one for one in between if began and self.records.left[one] > start]
        for choice in _list_subsets(between) if late else ():
            there = [one for place, one in enumerate(between) if choice.issuperset(between[place:])]
            if not (late_there := set(late).intersection(there)):
                continue
            rounds = self._draw_again({**kept, turn: choice})[turn - 1 : turn]
            paired = {one for each in rounds for plan in each.matches for one in plan.players}
            late = [one for one in late if one not in late_there or one in paired]
        for one in late:
            yield Misdrawn(self.draw.rounds[turn - 1].matches[0], missing=(one,))

    def _name_missing(self, turn: int, rounds: Sequence[Round]) -> Misdrawn:
        """Return the round's first match that differs, and the entrants that were present but not named."""
        drawn, matches = rounds[turn - 1], self.draw.rounds[turn - 1].matches
        plan = next((one for one in matches if one not in drawn.matches), matches[0])
        over = self.moments[turn - 1].over
        there = [one for one, left in self._list_unnamed(turn) if left > over]
        paired = {one for match in drawn.matches for one in match.players}
        return Misdrawn(plan, missing=tuple(one for one in there if one in paired) or tuple(there))


def _end_with_start(one: Moments) -> Moments:
    """Return the moments of a round that is not redrawn once it has begun."""
    return one if one.began is None else one._replace(over=one.began)


def _list_subsets(leavers: Sequence[int]) -> Iterator[frozenset[int]]:
    """Yield who of these may have been there when a batch was drawn, at first all.

    The first of them may be any that explain what was played (`race`); all who left later were there. Once
    more than `MOST_TRIED` had gone, a batch is drawn without all of them, or with all.
    """
    first, later = leavers[:MOST_TRIED], leavers[MOST_TRIED:]
    for size in range(len(first), -1, -1):
        for some in combinations(first, size):
            yield frozenset((*some, *later))
    for place in range(1, len(later) + 1):
        yield frozenset(later[place:])
