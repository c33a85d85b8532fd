"""Notices of a service, told to the registry in their order, until it has them."""

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from maumau.client.call import rpc_errors
from maumau.errors import MaumauError
from maumau.v1 import webhook_pb2 as pb
from maumau.v1 import webhook_pb2_grpc
from services.shared.base import log
from services.shared.rpc.timestamp import to_timestamp
from services.shared.store.notice_table import Heard

STUB: Any = webhook_pb2_grpc.WebhookServiceStub

logger = log.get(__name__)


class NoticeQueue(Protocol):
    """The notices of a service, until the registry has them."""

    def list_waiting(self) -> list[Any]:
        """Return the first ones, in their order."""

    def complete(self, rows: Sequence[Any]) -> list[Heard]:
        """Return them for the registry."""

    def forget(self, rows: Sequence[Any]) -> None:
        """Delete those that it has."""


class Relay:
    """The leader's telling. leads: whether this replica is the leader."""

    def __init__(
        self, notices: NoticeQueue, channel: Any, address: str, leads: Callable[[], Awaitable[bool]]
    ) -> None:
        self.notices, self.leads, self.address = notices, leads, address
        self._registry = STUB(channel)
        self._stirred = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def stir(self) -> None:
        """Look for notices; from any thread."""
        self._loop.call_soon_threadsafe(self._stirred.set)

    async def look(self) -> None:
        """Wait for a wake-up, then send the notices to the registry; retry refused ones next time."""
        await self._stirred.wait()
        self._stirred.clear()
        if not await self.leads():
            return
        try:
            while await self._tell():
                pass
        except MaumauError as err:
            logger.warning("notices kept", words=str(err))

    async def _tell(self) -> bool:
        """Tell some; return False if there were none."""
        rows = await to_thread(self.notices.list_waiting)
        if not rows:
            return False
        heard = await to_thread(self.notices.complete, rows)
        with rpc_errors(self.address):
            await self._registry.TellNotices(pb.TellNoticesRequest(notices=map(_message, heard)))
        await to_thread(self.notices.forget, rows)
        return True


def _message(one: Heard) -> pb.Notice:
    return pb.Notice(
        id=one.id,
        kind=one.kind,
        at=to_timestamp(one.at),
        accounts=one.accounts,
        contest=one.contest,
        is_public=bool(one.contest),
        data=one.data,
    )
