"""The page's listening socket, and the log of connections that it cannot accept."""

import asyncio
import errno
import socket
import time
from contextlib import suppress
from typing import Any, Final

import uvicorn

from maumau.errors import PortInUse
from services.shared.base import log
from services.shared.base.settings import Settings

WAITING: Final = 2048  # connections that may wait to be accepted
AT_ONCE: Final = 100
"""Connections that asyncio accepts in a row; also the number of its retries if that fails."""
LOG_SECONDS: Final = 10.0  # between lines of the log
DATE_SECONDS: Final = 1.0  # that the date in an answer's header may be old

logger = log.get(__name__)


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens on the address of the settings; raise PortInUse."""
    host, port = settings.host.strip("[]"), int(settings.listen.rpartition(":")[2])
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=WAITING
        )
    except OSError as err:
        raise PortInUse(
            f"{settings.listen} cannot be listened on: another program has it, or it is not an address of"
            " this machine; MAUMAU_LISTEN chooses another."
        ) from err


class PageServer(uvicorn.Server):
    """A server that ends as soon as it is told to; uvicorn's own looks ten times a second."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Stop accepting connections, and end."""
        self.should_exit = True
        self._ending.set()

    async def main_loop(self) -> None:
        """Keep the date of the headers until the end."""
        while not await self.on_tick(0):  # with 0 it writes the date
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), DATE_SECONDS)


class LoopErrorHandler:
    """A handler of asyncio's errors that logs one line, without traceback, when descriptors run out."""

    def __init__(self) -> None:
        self._said_at = float("-inf")

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in {errno.EMFILE, errno.ENFILE}:
            loop.default_exception_handler(context)
        elif time.monotonic() - self._said_at > LOG_SECONDS:
            self._said_at = time.monotonic()
            logger.warning("no descriptor is left for a caller", words=str(error))
