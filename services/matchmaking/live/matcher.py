"""Seeks served by this replica, and tables for seeks that fit together, whichever replica serves them."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

from msgspec.structs import replace

from maumau.contest.ladder.seeking import Group, Seeker, match_seekers
from maumau.errors import MaumauError, UnknownSeek
from services.matchmaking.live.client import Engine, SeatPlayer
from services.matchmaking.live.house import House
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.store.live_tables.house import Offer
from services.matchmaking.store.live_tables.seek import Seating, Seek, Seeks, SeekState, WaitingSeek
from services.shared.base import log

JOIN: Final = 30_000  # ms within which all players must come to the table

logger = log.get(__name__)

IDLE_SWEEPS = 3  # calls of `sweep_seeks` for one while nobody seeks
IDLE_SECONDS = 5.0  # between two looks while nobody seeks: who seeks here has one at once


class Followed:
    """A seek whose stream is open here. standing: None until first read; lost: the seek is gone."""

    def __init__(self, seek: Seek) -> None:
        self.seek = seek
        self.standing: SeekState | None = None
        self.lost = False
        self.news = asyncio.Event()


class Prospect(NamedTuple):
    """A seek's prospects: the number of other seeks for the same game; True if house bots play it."""

    others: int
    house: bool


class Matcher:
    """Matching of seeks, for one event loop."""

    def __init__(self, seeks: Seeks, house: House, engine: Engine, metrics: MatchmakingMetrics) -> None:
        self.seeks, self.house, self.engine, self.metrics = seeks, house, engine, metrics
        self.others: Counter[str] = Counter()  # numbers of open seeks by pool
        self.seatable: set[str] = set()  # pools that house bots can play
        self.looked_at: set[str] = set()  # seeks for which both are known
        self._followed: set[Followed] = set()
        self._has_followed = asyncio.Event()  # set while a seek is followed here
        self._has_seeks = True  # as of the last look
        self._sweeps = 0
        self._leaving: set[asyncio.Task[None]] = set()

    # --- streams ---

    async def follow_seek(self, seek: Seek) -> AsyncIterator[SeekState]:
        """Yield a seek's standing repeatedly until it has a seat; raise UnknownSeek if it is gone."""
        with self._register_stream(seek) as followed:
            await self.tend_seeks()
            while True:
                if followed.lost:
                    raise UnknownSeek
                if followed.standing:
                    yield followed.standing
                    if followed.standing.seating:
                        return
                followed.news.clear()
                await followed.news.wait()

    @contextmanager
    def _register_stream(self, seek: Seek) -> Iterator[Followed]:
        followed = Followed(seek)
        self._followed.add(followed)
        self._has_followed.set()
        try:
            yield followed
        finally:
            self._followed.discard(followed)
            if not self._followed:
                self._has_followed.clear()
            task = asyncio.create_task(self._mark_absent(followed))  # a task, as this one may be cancelled
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _mark_absent(self, followed: Followed) -> None:
        """Mark a seek as absent once its last stream is closed: it keeps its place, but is not seated."""
        ended = followed.lost or (followed.standing and followed.standing.seating)
        if not ended and not any(one.seek.id == followed.seek.id for one in self._followed):
            try:
                await self.seeks.tend_seeks([followed.seek], here=False)
            except MaumauError as error:
                logger.info("a seek is left to its deadline", words=str(error))

    async def tend_followed(self) -> None:
        """Tend the seeks followed here; wait while there are none."""
        await self._has_followed.wait()
        await self.tend_seeks()

    async def tend_seeks(self) -> None:
        """Mark the seeks followed here as present, and publish their standing."""
        followed = list(self._followed)
        found = await self.seeks.tend_seeks([one.seek for one in followed])
        for one, standing in zip(followed, found, strict=True):
            if standing is None:
                one.lost = not (one.standing and one.standing.seating)
            else:
                one.standing = standing
            one.news.set()

    def find_prospect(self, seek: Seek) -> Prospect | None:
        """Return a seek's prospects; None until all open seeks have been read since it began."""
        if seek.id not in self.looked_at:
            return None
        return Prospect(max(0, self.others[seek.pool] - 1), seek.pool in self.seatable)

    # --- tables ---

    async def match_seeks(self) -> None:
        """Seat everybody who can be; while nobody seeks, wait for the first one before a look."""
        if not self._has_seeks:
            with suppress(TimeoutError):  # another replica may have some
                await asyncio.wait_for(self._has_followed.wait(), IDLE_SECONDS)
        waiting = await self.seeks.list_waiting()
        self._has_seeks = bool(waiting)
        self.metrics.open_seeks.set(len(waiting))
        room = await self.house.count_room() if waiting else 0
        seatable = {
            one.seek.pool
            for one in waiting
            if room and await self.house.list_bots(one.seek.rules, one.seek.seats)
        }
        self.others, self.seatable = Counter(one.seek.pool for one in waiting), seatable
        self.looked_at = {one.seek.id for one in waiting}
        present = {one.seek.id: one for one in waiting if one.here}
        seekers = [_build_seeker(one) for one in present.values()]
        if not seekers:
            return
        for group in await asyncio.to_thread(match_seekers, seekers, secrets.token_hex(8), seatable):
            empty = sum(seat is None for seat in group)
            if empty <= room and await self._has_share(group, present, empty):
                room -= empty
                await self._seat_group(group, present)

    async def _has_share(self, group: Group, present: Mapping[str, WaitingSeek], empty: int) -> bool:
        """Return True if nobody in the group would have too many house bots at their tables."""
        accounts = {present[seek_id].seek.account_id for seek_id in group if seek_id is not None}
        return not empty or all([await self.house.has_share(one, empty) for one in accounts])

    async def _seat_group(self, group: Group, present: Mapping[str, WaitingSeek]) -> None:
        """Take the seeks of a group, open a table, and tell them their seats."""
        mark = secrets.token_hex(8)
        taken = [seek_id for seek_id in group if seek_id is not None]
        if not await self.seeks.take_seeks(taken, mark):
            return
        try:
            offers = await self._open_table(group, present, mark)
        except MaumauError as error:
            logger.warning("no table could be made", words=str(error))
            self.metrics.seekers.labels("failed").inc(len(taken))
            await self.seeks.free_seeks(taken, mark)
            return
        if offers is None:
            await self.seeks.free_seeks(taken, mark)
            return
        for seek_id in taken:
            self.metrics.seek_seconds.observe(present[seek_id].waited_ms / 1000)
        self.metrics.seekers.labels("house" if offers else "seated").inc(len(taken))
        await self.tend_seeks()
        if offers:
            await self.house.wake_workers()

    async def _open_table(
        self, group: Group, present: Mapping[str, WaitingSeek], mark: str
    ) -> list[Offer] | None:
        """Open a table; return the seats kept for house bots, None if another replica took the seeks."""
        seeks = [None if seek_id is None else present[seek_id].seek for seek_id in group]
        first = next(seek for seek in seeks if seek)
        empty = group.count(None)
        bots = iter(await self.house.choose_bots(first.rules, first.seats, empty, mark) if empty else [])
        players = [
            SeatPlayer(seek.account_id, seek.account_name, seek.bot_name) if seek else next(bots)
            for seek in seeks
        ]
        made = await self.engine.open_table(first, replace(first.time, join_ms=JOIN), players)
        names = [one.shown for one in players]
        seatings = [
            (seek, Seating(made.table_id, seat, made.tokens[seat], told, seek.rated))
            for seat, seek in enumerate(seeks)
            if seek and (told := hide_others(names, seek, seat))
        ]
        offers = [
            Offer(made.table_id, seat, made.tokens[seat], players[seat].bot_name, account_id=first.account_id)
            for seat, seek in enumerate(seeks)
            if seek is None
        ]
        await self.house.keep_seats(offers)
        if await self.seeks.seat_seeks(seatings, mark):  # after an error they may be seated: the offers stay
            return offers
        await self.house.seats.withdraw_offers(offers)
        return None

    async def sweep_seeks(self) -> None:
        """End what was left behind, and offer seats again that nobody plays; seldom while nobody seeks."""
        self._sweeps += 1
        if not self._has_seeks and not self._followed and self._sweeps % IDLE_SWEEPS:
            return
        self.metrics.seekers.labels("gone").inc(await self.seeks.sweep_seeks())
        await self.house.wake_workers()


def hide_others(names: list[str], seek: Seek, seat: int) -> list[str]:
    """Return the names that a seat is told before the deal begins: at a rated table only its own.

    Players who knew the others could avoid strong ones, and so choose whom they are rated against.
    """
    return [name if at == seat else "" for at, name in enumerate(names)] if seek.rated else names


def _build_seeker(one: WaitingSeek) -> Seeker:
    seek = one.seek
    return Seeker(
        seek.id,
        seek.pool,
        seek.seats,
        f"team {seek.team}" if seek.team else seek.account_id,
        seek.rated,
        seek.rating,
        seek.range,
        one.waited_ms / 1000,
        seek.house_after,
    )
