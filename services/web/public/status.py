"""The page `/status`, and its updates."""

import asyncio

from msgspec import Struct

from maumau.client.arena_status import ArenaStatus
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.delivery.feed import Feed, Hub

PARTS = ("arena_status",)
EVERY = 2.0  # seconds between two queries


class StatusView(Struct, frozen=True):
    """The status of the arena, and the number of watchers of its pages."""

    arena_status: ArenaStatus
    watchers: int


class StatusSource:
    """The source of the status page. A silent service is shown as such; it raises no error."""

    def __init__(self, arena: Arena, cache: Cache, hub: Hub) -> None:
        self._arena, self._cache, self._hub = arena, cache, hub

    async def load_view(self) -> StatusView:
        """Load the current data; callers within a second share one query."""
        return StatusView(await self._cache.get("arena_status", self._arena.arena_status), self._hub.watchers)

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed as long as it is watched."""
        while True:
            feed.publish_view(await self.load_view())
            await asyncio.sleep(EVERY)
