"""Seeks that this replica serves, and tables for those that fit together, whichever replica serves them."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

from msgspec.structs import replace

from maumau.contest.seeking import Group, Seeker, match_seekers
from maumau.errors import MaumauError, UnknownSeek
from services.matchmaking.live.client import Engine, Player
from services.matchmaking.live.house import House
from services.matchmaking.metrics import Metrics
from services.matchmaking.store.house import Offer
from services.matchmaking.store.seek import Seating, Seek, Seeks, Standing, Waiting
from services.shared import log

JOIN: Final = 30_000  # ms in which everybody comes to the table

logger = log.get(__name__)


class Followed:
    """A seek whose stream is open here. standing: None before the first look; lost: it is gone."""

    def __init__(self, seek: Seek) -> None:
        self.seek = seek
        self.standing: Standing | None = None
        self.lost = False
        self.news = asyncio.Event()


class Prospect(NamedTuple):
    """Whom a seek may meet: how many others seek the same, and whether there are house bots for it."""

    others: int
    house: bool


class Matcher:
    """Belongs to one event loop."""

    def __init__(self, seeks: Seeks, house: House, engine: Engine, metrics: Metrics) -> None:
        self.seeks, self.house, self.engine, self.metrics = seeks, house, engine, metrics
        self.others: Counter[str] = Counter()  # open seeks by pool
        self.seatable: set[str] = set()  # pools for which there are house bots
        self.looked_at: set[str] = set()  # seeks for which both are known
        self._followed: set[Followed] = set()
        self._leaving: set[asyncio.Task[None]] = set()

    # --- streams ---

    async def follow(self, seek: Seek) -> AsyncIterator[Standing]:
        """How a seek stands, again and again until it has led to a seat; UnknownSeek if it is gone."""
        with self._follow(seek) as followed:
            await self.tend()
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
    def _follow(self, seek: Seek) -> Iterator[Followed]:
        followed = Followed(seek)
        self._followed.add(followed)
        try:
            yield followed
        finally:
            self._followed.discard(followed)
            task = asyncio.create_task(self._leave(followed))  # this one may be cancelled
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def _leave(self, followed: Followed) -> None:
        """It keeps its place for a while, but is not seated while its owner is away."""
        ended = followed.lost or (followed.standing and followed.standing.seating)
        if not ended and not any(one.seek.id == followed.seek.id for one in self._followed):
            try:
                await self.seeks.tend([followed.seek], here=False)
            except MaumauError as error:
                logger.info("a seek is left to its deadline", words=str(error))

    async def tend(self) -> None:
        """Says that the owners of these seeks are there, and tells them how their seeks stand."""
        followed = list(self._followed)
        found = await self.seeks.tend([one.seek for one in followed])
        for one, standing in zip(followed, found, strict=True):
            if standing is None:
                one.lost = not (one.standing and one.standing.seating)
            else:
                one.standing = standing
            one.news.set()

    def find_prospect(self, seek: Seek) -> Prospect | None:
        """Whom it may meet; None until all open seeks were looked at since it began."""
        if seek.id not in self.looked_at:
            return None
        return Prospect(max(0, self.others[seek.pool] - 1), seek.pool in self.seatable)

    # --- tables ---

    async def match(self) -> None:
        """Seats everybody who can be."""
        waiting = await self.seeks.waiting()
        self.metrics.open_seeks.set(len(waiting))
        room = await self.house.room() if waiting else 0
        seatable = {
            one.seek.pool for one in waiting
            if room and await self.house.bots(one.seek.rules, one.seek.seats)
        }  # fmt: skip
        self.others, self.seatable = Counter(one.seek.pool for one in waiting), seatable
        self.looked_at = {one.seek.id for one in waiting}
        present = {one.seek.id: one for one in waiting if one.here}
        seekers = [_seeker(one) for one in present.values()]
        for group in await asyncio.to_thread(match_seekers, seekers, secrets.token_hex(8), seatable):
            empty = sum(seat is None for seat in group)
            if empty <= room:
                room -= empty
                await self._seat(group, present)

    async def _seat(self, group: Group, present: Mapping[str, Waiting]) -> None:
        """Takes the seeks of a group, has a table made, and tells them their seats."""
        mark = secrets.token_hex(8)
        taken = [seek_id for seek_id in group if seek_id is not None]
        if not await self.seeks.take(taken, mark):
            return
        try:
            offers = await self._open(group, present, mark)
        except MaumauError as error:
            logger.warning("no table could be made", words=str(error))
            self.metrics.seekers.labels("failed").inc(len(taken))
            await self.seeks.free(taken, mark)
            return
        if offers is None:
            await self.seeks.free(taken, mark)
            return
        for seek_id in taken:
            self.metrics.seek_seconds.observe(present[seek_id].waited_ms / 1000)
        self.metrics.seekers.labels("house" if offers else "seated").inc(len(taken))
        await self.tend()
        await self.house.invite(offers)

    async def _open(self, group: Group, present: Mapping[str, Waiting], mark: str) -> list[Offer] | None:
        """The seats for house bots; None if the seeks were another replica's by then."""
        seeks = [None if seek_id is None else present[seek_id].seek for seek_id in group]
        first = next(seek for seek in seeks if seek)
        bots = iter(await self.house.choose(first.rules, first.seats, group.count(None), mark)
                    if None in group else [])  # fmt: skip
        players = [
            Player(seek.account_id, seek.account_name, seek.bot_name) if seek else next(bots)
            for seek in seeks
        ]
        made = await self.engine.open(first, replace(first.time, join_ms=JOIN), players)
        names = [one.shown for one in players]
        seatings = [
            (seek, Seating(made.table_id, seat, made.tokens[seat], names, seek.rated))
            for seat, seek in enumerate(seeks) if seek
        ]  # fmt: skip
        if not await self.seeks.seat(seatings, mark):
            return None
        return [
            Offer(made.table_id, seat, made.tokens[seat], players[seat].bot_name)
            for seat, seek in enumerate(seeks) if seek is None
        ]  # fmt: skip

    async def sweep(self) -> None:
        """Ends what was left behind, and offers seats again that nobody plays."""
        self.metrics.seekers.labels("gone").inc(await self.seeks.sweep())
        await self.house.wake()


def _seeker(one: Waiting) -> Seeker:
    seek = one.seek
    return Seeker(
        seek.id, seek.pool, seek.seats, seek.account_id, seek.rated, seek.rating, seek.range,
        one.waited_ms / 1000, seek.house_after,
    )  # fmt: skip
