"""What has to be done next in a tournament. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TypeVar

from maumau.contest.match import MatchPlan, Verdict


class Steps(NamedTuple):
    """What has to be done now. taken_back: ids of matches that hang on nothing any more.

    decided: id and verdict. begun: matches new to the schedule, with their verdict if it is a walkover.
    blocks: numbers to queue, by label. finished: the tournament is decided.
    """

    taken_back: list[str]
    decided: list[tuple[str, Verdict]]
    begun: list[tuple[MatchPlan, Verdict | None]]
    blocks: dict[str, range]
    finished: bool

    @property
    def any(self) -> bool:
        return any((self.taken_back, self.decided, self.begun, self.blocks, self.finished))

    @property
    def only_queue(self) -> bool:
        """Nothing follows from them until a result is in."""
        return not any((self.taken_back, self.decided, self.begun, self.finished))

    def slices(self, size: int) -> Iterator[Steps]:
        """The same steps in parts of at most so many matches each, to be done one after the other."""
        for ids in _batched(self.taken_back, size):
            yield NOTHING._replace(taken_back=list(ids))
        for verdicts in _batched(self.decided, size):
            yield NOTHING._replace(decided=list(verdicts))
        for plans in _batched(self.begun, size):
            new = {plan.label for plan, _ in plans}
            yield NOTHING._replace(begun=list(plans), blocks=self._blocks_of(new))
        new = {plan.label for plan, _ in self.begun}
        for labels in _batched([label for label in self.blocks if label not in new], size):
            yield NOTHING._replace(blocks=self._blocks_of(labels))
        if self.finished:
            yield NOTHING._replace(finished=True)

    def _blocks_of(self, labels: Collection[str]) -> dict[str, range]:
        return {label: self.blocks[label] for label in labels if label in self.blocks}


NOTHING = Steps([], [], [], {}, finished=False)

T = TypeVar("T")


def _batched(things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (things[start : start + size] for start in range(0, len(things), size))
