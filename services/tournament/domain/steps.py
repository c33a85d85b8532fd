"""Steps that are due in a tournament. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from maumau.contest.format.match import MatchPlan, Verdict


class Steps(NamedTuple):
    """Steps that are due. taken_back: ids of matches that no longer follow from the results.

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
        """True if no further step can follow from these until a result is in."""
        return not any((self.taken_back, self.decided, self.begun, self.finished))

    def split_steps(self, size: int) -> Iterator[Steps]:
        """Yield the steps in parts of at most `size` matches each, to be carried out one after the other."""
        for ids in _split_batches(self.taken_back, size):
            yield NOTHING._replace(taken_back=list(ids))
        for verdicts in _split_batches(self.decided, size):
            yield NOTHING._replace(decided=list(verdicts))
        for plans in _split_batches(self.begun, size):
            blocks = self._blocks_of(plan.label for plan, _ in plans)
            yield NOTHING._replace(begun=list(plans), blocks=blocks)
        new = {plan.label for plan, _ in self.begun}
        for labels in _split_batches([label for label in self.blocks if label not in new], size):
            yield NOTHING._replace(blocks=self._blocks_of(labels))
        if self.finished:
            yield NOTHING._replace(finished=True)

    def _blocks_of(self, labels: Iterable[str]) -> dict[str, range]:
        return {label: self.blocks[label] for label in labels if label in self.blocks}


NOTHING = Steps([], [], [], {}, finished=False)

T = TypeVar("T")


def _split_batches(things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (things[start : start + size] for start in range(0, len(things), size))
