"""Answers of the tournament service about work: the queue and the workers."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class QueueEntry(Struct, frozen=True):
    """A contest that runs; blocks_per_minute and seconds are 0 where nothing was measured."""

    contest_id: str
    name: str
    purpose: str
    rules: str
    account_name: str
    waiting: int
    playing: int
    place: int
    waiting_since: datetime | None
    blocks_per_minute: float
    seconds: float


class QueuedMatch(Struct, frozen=True):
    """A match with blocks that are queued or in progress. bot_versions: () in a tournament."""

    contest_id: str
    label: str
    bot_names: tuple[str, ...]
    waiting: int
    playing: int
    bot_versions: tuple[int, ...] = ()


class GetQueueResponse(Struct, frozen=True):
    """The queue of the workers: contests in order of service, and the caller's own matches."""

    entries: tuple[QueueEntry, ...]
    workers: int
    suspended_workers: int
    matches: tuple[QueuedMatch, ...]


class Worker(Struct, frozen=True):
    """A process that plays blocks; state: present, suspended, silent."""

    name: str
    state: str
    seen_at: datetime | None
    failures: int
    words: str
