"""The leader among a service's replicas: it does the work that two would do twice, or in vain.

It holds a row of the database for LEASE seconds and renews it. A replica that stops gives it back; one that
is killed, or hangs at work, loses it when the lease ends. A leader that was replaced may still be
at work for a moment: its work is idempotent, or calls `guard` in the same transaction.
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
from services.shared.base import log
from services.shared.store.connect import Database

LEASE, RENEWAL = 15.0, 4.0  # seconds of the lease, and between two renewals
LONGEST_WORK = 120.0  # seconds of one piece of work after which another replica may take over
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
    """The columns of the single row; each service subclasses it as a table of its own.

    fence: number of changes of the leader. lease_until: ms since 1970, by the database's clock.
    """

    id: int = Field(primary_key=True)
    holder: str
    fence: int = Field(sa_type=BigInteger)
    lease_until: int = Field(sa_type=BigInteger)


class Leader:
    """A replica's claim to be the leader.

    model: the service's table, a LeaderRow. holder: returns a name unique among running replicas.
    """

    def __init__(self, database: Database, model: type[Any], holder: Callable[[], str], gauge: Gauge) -> None:
        self.database, self.model, self._holder, self._gauge = database, model, holder, gauge
        self.fence = 0
        self._until = 0.0  # by this process's clock
        self._working: dict[object, float] = {}  # since when
        self._lock = asyncio.Lock()

    def only(self, body: Body, otherwise: Body | None = None) -> Callable[[], Awaitable[None]]:
        """Return a function for background work: the leader runs `body`, other replicas `otherwise`."""

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
        """Return True if this replica is the leader; it takes over if there is none."""
        async with self._lock:
            return self._holds() or await to_thread(self._take)

    async def renew(self) -> None:
        """Renew the lease; call this every RENEWAL seconds."""
        async with self._lock:
            if self._holds() and not self._hangs():
                await to_thread(self._renew)
            self._gauge.set(self._holds())

    async def resign(self) -> None:
        """Give up the lease, so that another replica may take over at once."""
        async with self._lock:
            if self._holds():
                try:
                    await to_thread(self._write_lease, 0)
                except MaumauError as err:  # it runs out by itself
                    logger.warning("the lead is not given back", words=str(err))
            self._until = 0.0

    def guard(self, session: Session) -> None:
        """Raise NotLeading unless this replica is still the leader, and until the transaction ends."""
        held = select(col(self.model.fence)).where(col(self.model.id) == ROW).with_for_update()
        if session.scalar(held) != self.fence:
            raise NotLeading

    def _holds(self) -> bool:
        return time.monotonic() < self._until

    def _hangs(self) -> bool:
        return any(time.monotonic() - since > LONGEST_WORK for since in self._working.values())

    def _take(self) -> bool:
        """Take the lease if it is free; one that ends far ahead was written before the clock was set back."""
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


def new_gauge(registry: CollectorRegistry, service: str) -> Gauge:
    """Return the gauge `maumau_<service>_leader`: 1 on the leader, 0 on other replicas."""
    words = "1 if this replica does what only one of its service does."
    return Gauge(f"maumau_{service}_leader", words, registry=registry)


def identify(address: str) -> str:
    """Return a name that survives restarts in one place, so that a replica need not await its own lease.

    It is unique among running replicas: an address is listened on by one process of a network.
    """
    try:
        place = f"{BOOT.read_text().strip()} {NETWORK.readlink()}"
    except OSError:  # not on Linux
        place = secrets.token_hex(16)
    return hashlib.sha256(f"{place} {address}".encode()).hexdigest()


async def _rest() -> None:
    """Do nothing: a replica that is not the leader is idle."""
