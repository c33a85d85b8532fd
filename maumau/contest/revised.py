"""A large mapping of which little changes: each revision costs what is new, not what there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, ValuesView
from typing import Final, TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST: Final = 500  # revised values; with more of them all are copied once


class Revised(Mapping[K, V]):
    """`base`, in its order, with other values for some of its keys. Made by `revise`."""

    __slots__ = ("base", "news")

    def __init__(self, base: Mapping[K, V], news: Mapping[K, V]) -> None:
        self.base, self.news = base, news

    def __getitem__(self, key: K) -> V:
        return self.news[key] if key in self.news else self.base[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self.base)

    def __len__(self) -> int:
        return len(self.base)

    def __contains__(self, key: object) -> bool:
        return key in self.base

    def values(self) -> ValuesView[V]:
        return {**self.base, **self.news}.values()


def revise(before: Mapping[K, V], news: Mapping[K, V]) -> Mapping[K, V]:
    """Other values for keys that `before` has; neither may change afterwards."""
    if not news:
        return before
    base = before
    if isinstance(before, Revised):
        base, news = before.base, {**before.news, **news}
    return Revised(base, news) if len(news) <= MOST else {**base, **news}
