"""House bots at live tables: which there are, who sits where, and the messages that wake workers."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

from maumau.bots import HOUSE as NAMES
from maumau.errors import (
    ArenaUnreachable,
    BrokerUnavailable,
    DatabaseUnavailable,
    MaumauError,
    NoHouseBot,
    NotFound,
    NotValidated,
    WrongState,
)
from services.matchmaking.live.client import Player
from services.matchmaking.live.ratings import HOUSE
from services.matchmaking.store.house import LEASE, Claimed, HouseSeats, Offer, Seat
from services.shared import log, tasks
from services.shared.registry import Version, Versions

REMEMBERED = 30.0  # seconds that the registry is not asked again which house bots there are
TASK = "worker.seat"
USUAL = "greedy"

logger = log.get(__name__)


class House:
    """`app` is Celery's: its messages say that a seat waits."""

    lease_ms = LEASE

    def __init__(self, seats: HouseSeats, versions: Versions, app: Any) -> None:
        self.seats, self.versions, self.app = seats, versions, app
        self._active: dict[str, Version] = {}
        self._asked = -REMEMBERED

    async def bots(self, rules: str, seats: int) -> list[str]:
        """The names of those that play this, sorted."""
        active = await self._known()
        return sorted(name for name, version in active.items() if _plays(version, rules, seats))

    async def all_bots(self) -> list[str]:
        """The names of all of them, the usual opponent first."""
        return sorted(await self._known(), key=lambda name: (name != USUAL, name))

    async def _known(self) -> dict[str, Version]:
        if time.monotonic() - self._asked > REMEMBERED:
            try:
                self._active = {name: found for name in NAMES if (found := await self._find(name))}
            except (ArenaUnreachable, DatabaseUnavailable) as error:  # those known still play
                logger.warning("the registry is not asked for house bots", words=str(error))
            self._asked = time.monotonic()
        return self._active

    async def _find(self, name: str) -> Version | None:
        try:
            found = await self.versions.active(name)
        except (WrongState, NotFound):
            return None
        return found if found.account_name == HOUSE else None

    async def room(self) -> int:
        """Seats that workers could take now."""
        return await self.seats.count_room()

    async def check_room(self, count: int) -> None:
        """Raises NoHouseBot, with the reason, if the workers have no room for `count` seats now."""
        room = await self.room()
        if room >= count:
            return
        if not await self.seats.has_workers():
            raise NoHouseBot
        taken = "seats of the workers that play for them are taken"
        if not room:
            raise NoHouseBot(f"No house bot can sit down just now: all {taken}.")
        raise NoHouseBot(f"Only {room} of {count} house bots can sit down just now: the other {taken}.")

    async def choose(self, rules: str, seats: int, count: int, seed: str) -> list[Player]:
        """So many of those that play this, each once as long as there are others."""
        names = await self.bots(rules, seats)
        if not names:
            raise NoHouseBot(f"No house bot of this arena plays {rules} with {seats} seats.")
        random.Random(seed).shuffle(names)  # noqa: S311 - nobody gains by guessing an opponent
        return [Player(HOUSE, HOUSE, names[number % len(names)]) for number in range(count)]

    async def invite(self, offers: Sequence[Offer]) -> None:
        """Has house bots sit down; a message that is lost is sent again."""
        if offers:
            await self.seats.offer(offers)
            await self.wake()

    async def wake(self) -> None:
        """Sends a message for each seat that nobody plays."""
        for table_id, seat in await self.seats.overdue():
            try:
                await asyncio.to_thread(tasks.wake, self.app, TASK, table_id, str(seat))
            except BrokerUnavailable as error:
                logger.warning("a seat waits", table=table_id, words=str(error))

    async def claim(self, seat: Seat, worker: str) -> tuple[Claimed, Version] | None:
        """The seat for a worker with the program that plays there; None if it is not to be had."""
        claimed = await self.seats.claim(seat, worker)
        if claimed is None:
            return None
        try:
            return claimed, await self.versions.active(claimed.bot_name)
        except MaumauError:
            await self.seats.renew(worker, 0, [], [seat])
            raise


def _plays(version: Version, rules: str, seats: int) -> bool:
    try:
        version.check(rules, seats)
    except NotValidated:
        return False
    return True
