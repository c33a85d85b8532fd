"""The leader among the replicas of a service: the one that does what two would do twice, or in vain.

It holds a row of the database for LEASE seconds and renews it. A replica that stops gives it back; one that
is killed, or hangs in the middle of its work, loses it when the time is over. A leader that was replaced may
still be at work for a moment: what it does is safe if two do it, or asks `guard` in the same transaction.
"""

import asyncio
import hashlib
import secrets
import time
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Gauge
from sqlalchemy import BigInteger, select, text, update
from sqlmodel import Field, Session, SQLModel, col

from maumau.errors import MaumauError, NotLeading
from services.shared import log
from services.shared.connect import Database
from services.shared.server import Server

LEASE, RENEWAL = 15.0, 4.0  # seconds that the row is held, and between two renewals
LONGEST_WORK = 120.0  # seconds in one piece of work after which another replica may take over
ROW = 1
BOOT, NETWORK = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/net")
TAKE = """
INSERT INTO leader (id, holder, fence, lease_until) VALUES (:row, :holder, 1, :until)
ON CONFLICT (id) DO UPDATE
SET holder = excluded.holder, fence = leader.fence + 1, lease_until = excluded.lease_until
WHERE leader.holder = excluded.holder OR leader.lease_until < :now OR leader.lease_until > :far
RETURNING fence
"""

Body = Callable[[], Awaitable[object]]

logger = log.get(__name__)


class LeaderRow(SQLModel):
    """The columns of the one row; a service makes it a table of its own.

    fence: how often the leader changed. lease_until: ms since 1970, by the database's clock.
    """

    id: int = Field(primary_key=True)
    holder: str
    fence: int = Field(sa_type=BigInteger)
    lease_until: int = Field(sa_type=BigInteger)


class Leader:
    """This replica's claim to lead.

    model: the service's table, a LeaderRow. holder: gives a name that no other running replica has.
    """

    def __init__(self, database: Database, model: type[Any], holder: Callable[[], str], gauge: Gauge) -> None:
        self.database, self.model, self._holder, self._gauge = database, model, holder, gauge
        self.fence = 0
        self._until = 0.0  # by this process's clock
        self._working: dict[object, float] = {}  # since when
        self._lock = asyncio.Lock()

    def only(self, body: Body, otherwise: Body | None = None) -> Callable[[], Awaitable[None]]:
        """A body of background work that only the leader does; the other replicas do the other one."""

        async def run() -> None:
            if not await self.leads():
                await (otherwise or _rest)()
                return
            mark = object()
            self._working[mark] = time.monotonic()
            try:
                await body()
            finally:
                del self._working[mark]

        return run

    async def leads(self) -> bool:
        """Whether this replica leads; it takes over if nobody does."""
        async with self._lock:
            return self._holds() or await to_thread(self._take)

    async def renew(self) -> None:
        """To be called every RENEWAL seconds."""
        async with self._lock:
            if self._holds() and not self._hangs():
                await to_thread(self._renew)
            self._gauge.set(self._holds())

    async def resign(self) -> None:
        """Another replica may take over at once."""
        async with self._lock:
            if self._holds():
                try:
                    await to_thread(self._write_lease, 0)
                except MaumauError as err:  # it runs out by itself
                    logger.warning("the lead is not given back", words=str(err))
            self._until = 0.0

    def guard(self, session: Session) -> None:
        """Raises NotLeading unless it still leads; nobody takes over before the transaction ends."""
        held = select(col(self.model.fence)).where(col(self.model.id) == ROW).with_for_update()
        if session.scalar(held) != self.fence:
            raise NotLeading

    def _holds(self) -> bool:
        return time.monotonic() < self._until

    def _hangs(self) -> bool:
        return any(time.monotonic() - since > LONGEST_WORK for since in self._working.values())

    def _take(self) -> bool:
        """A lease that ends far in the future was written before the clock was set back."""
        began, now = time.monotonic(), self.database.now()
        lease = round(1000 * LEASE)
        told = {"row": ROW, "holder": self._holder(), "now": now, "until": now + lease}
        with self.database.write() as session:
            fence = session.execute(text(TAKE), told | {"far": now + 2 * lease}).scalar_one_or_none()
        if fence is None:
            return False
        self.fence, self._until = int(fence), began + LEASE
        logger.info("this replica leads now", fence=self.fence)
        return True

    def _renew(self) -> None:
        began, now = time.monotonic(), self.database.now()
        if self._write_lease(now + round(1000 * LEASE)):
            self._until = began + LEASE
        else:
            self._until = 0.0
            logger.warning("another replica leads now")

    def _write_lease(self, until: int) -> bool:
        mine = update(self.model).where(col(self.model.id) == ROW, col(self.model.fence) == self.fence)
        with self.database.write() as session:
            return (
                session.execute(mine.values(lease_until=until).returning(col(self.model.id))).first()
                is not None
            )


def add_leader(server: Server, database: Database, model: type[Any]) -> Leader:
    """That of a service, renewed as long as the server runs; who closes the service resigns first."""
    gauge = new_gauge(server.registry, database.schema)
    leader = Leader(database, model, lambda: identify(server.address), gauge)
    server.background(f"leader of {database.schema}", RENEWAL, leader.renew)
    return leader


def new_gauge(registry: CollectorRegistry, service: str) -> Gauge:
    """The gauge `maumau_<service>_leader`: 1 on the replica that leads, 0 on the others."""
    words = "1 if this replica does what only one of its service does."
    return Gauge(f"maumau_{service}_leader", words, registry=registry)


def identify(address: str) -> str:
    """The same after a restart in the same place, so that it need not wait for its own lease.

    No two that run have the same: an address is listened on by one process of a network.
    """
    try:
        place = f"{BOOT.read_text().strip()} {NETWORK.readlink()}"
    except OSError:  # no Linux
        place = secrets.token_hex(16)
    return hashlib.sha256(f"{place} {address}".encode()).hexdigest()


async def _rest() -> None:
    """A replica that does not lead has nothing to do."""
