"""Answers to GetStatus: states with counts and ages, rates, and dependencies of a service.

Ages and bounds are milliseconds, None where there is none.
"""

from __future__ import annotations

from msgspec import Struct


class StateCount(Struct, frozen=True):
    """The number of items in a state; at least `count` if has_more."""

    service: str
    thing: str
    state: str
    count: int
    has_more: bool
    oldest_ms: int | None
    bound_ms: int | None

    @property
    def is_late(self) -> bool:
        """True if the oldest item has exceeded the state's time limit."""
        return self.oldest_ms is not None and self.bound_ms is not None and self.oldest_ms > self.bound_ms


class WaitCount(Struct, frozen=True):
    """One bar of a histogram of waiting times.

    It counts the items that have waited less than up_to_ms (None: any longer time) and at least the up_to_ms
    of the entry before.
    """

    thing: str
    up_to_ms: int | None
    count: int
    has_more: bool


class Rate(Struct, frozen=True):
    """A rate per second, on average over the last five minutes."""

    thing: str
    per_second: float


class NeedState(Struct, frozen=True):
    """The availability of a service's dependency."""

    need: str
    up: bool


class GetStatusResponse(Struct, frozen=True):
    """The figures of the services at one address."""

    services: tuple[str, ...]
    states: tuple[StateCount, ...]
    waits: tuple[WaitCount, ...]
    rates: tuple[Rate, ...]
    needs: tuple[NeedState, ...]
