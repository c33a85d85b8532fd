"""Large mappings in which few values change: a revision costs as much as its changes, not a whole copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST: Final = 500  # changed values that a revision holds; with more the mapping is copied


class Revised(Mapping[K, V]):
    """`base`, in its order, with other values for the keys in `changed`. Made by `revise_mapping`."""

    __slots__ = ("base", "changed")

    def __init__(self, base: Mapping[K, V], changed: Mapping[K, V]) -> None:
        self.base, self.changed = base, changed

    def __getitem__(self, key: K) -> V:
        return self.changed[key] if key in self.changed else self.base[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self.base)

    def __len__(self) -> int:
        return len(self.base)

    def __contains__(self, key: object) -> bool:
        return key in self.base

    def values(self) -> ValuesView[V]:
        return {**self.base, **self.changed}.values()


def revise_mapping(before: Mapping[K, V], changed: Mapping[K, V]) -> Mapping[K, V]:
    """Return `before` with other values for some of its keys; neither argument may be modified afterwards."""
    if not changed:
        return before
    base = before
    if isinstance(before, Revised):
        base, changed = before.base, {**before.changed, **changed}
    return Revised(base, changed) if len(changed) <= MOST else {**base, **changed}
