"""Presence of logged-in readers: no start of a contest waits for them."""

import asyncio
import time
from collections.abc import Callable

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from maumau.client.arena import Arena
from maumau.errors import MaumauError
from services.shared.base import log
from services.shared.base.lane import Lane

GAP = 2.0  # seconds between two signs of one person that are passed on
STAY = 5.0  # seconds
THREADS = 2  # of their own: nobody's page waits for this
MOST = 10_000  # people whose last sign is remembered
UNSEEN = ("/static/", "/healthz")

logger = log.get(__name__)


class Presence:
    """Says for those who have logged in that they are there, whatever page they open and while it stays open.

    people: a client without a token. read_token: the token of a request's session, or "". clock: in seconds.
    stay: seconds after which a page that stays open is a sign again.
    """

    def __init__(
        self,
        app: ASGIApp,
        people: Arena,
        read_token: Callable[[Request], str],
        clock: Callable[[], float] = time.monotonic,
        stay: float = STAY,
    ) -> None:
        self._app, self._people, self._read_token = app, people, read_token
        self._clock, self._stay_seconds = clock, stay
        self._call = Lane("presence", THREADS)
        self._signs: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = self._read_token(Request(scope)) if _is_seen(scope) else ""
        if not token:
            await self._app(scope, receive, send)
            return
        self._pass_on(token)  # before the page: one that waits for nothing leaves no other task its turn
        staying = asyncio.create_task(self._keep_present(token))
        try:
            await self._app(scope, receive, send)
        finally:
            staying.cancel()

    async def _keep_present(self, token: str) -> None:
        while True:
            await asyncio.sleep(self._stay_seconds)
            self._pass_on(token)

    def _pass_on(self, token: str) -> None:
        if self._take_sign(token):
            task = asyncio.create_task(self._confirm_presence(token))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _take_sign(self, token: str) -> bool:
        """Return True if the last sign of this person was passed on long enough ago."""
        now = self._clock()
        if now - self._signs.get(token, -GAP) < GAP:
            return False
        if len(self._signs) >= MOST:
            self._signs = {one: at for one, at in self._signs.items() if now - at < GAP}
        self._signs[token] = now
        return True

    async def _confirm_presence(self, token: str) -> None:
        """Ask in the background: the page is shown whether or not the arena answers."""
        try:
            await self._call(self._people.with_token(token).confirm_entries)
        except MaumauError as error:
            logger.debug("a sign of presence was not taken", error=str(error))


def _is_seen(scope: Scope) -> bool:
    return scope["type"] == "http" and not scope["path"].startswith(UNSEEN)
