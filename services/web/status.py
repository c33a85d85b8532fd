"""What `/status` shows, and how it stays current."""

import asyncio

from msgspec import Struct

from maumau.answer import StateCount, WaitCount
from maumau.arena_status import ArenaStatus, Row, say_span
from services.web.cache import Cache
from services.web.client import Arena
from services.web.contest import show
from services.web.feed import Feed, Hub
from services.web.words import WORDS, Tongue

PARTS = ("arena_status",)
EVERY = 2.0  # seconds between two looks


class StatusView(Struct, frozen=True):
    """How the arena is, and how many watch its pages."""

    arena_status: ArenaStatus
    watchers: int


class StatusSource:
    """The whole arena. A service that does not answer is shown as silent; it raises no error."""

    def __init__(self, arena: Arena, cache: Cache, hub: Hub) -> None:
        self._arena, self._cache, self._hub = arena, cache, hub

    async def load(self) -> StatusView:
        """As it is now; everybody who asks within a second shares one question."""
        return StatusView(await self._cache.get("arena_status", self._arena.arena_status), self._hub.watchers)

    async def source(self, feed: Feed) -> None:
        """Runs as long as somebody watches."""
        while True:
            show(feed, await self.load())
            await asyncio.sleep(EVERY)


def state_words(t: Tongue, thing: str, state: str) -> str:
    """What a state is called; one that this release does not know keeps its own name."""
    key = f"state_{thing}_{state}"
    return t(key) if key in WORDS else f"{thing} {state}"


def bound_words(t: Tongue, row: Row) -> str:
    """When a state is late, and from when its age is counted if its name does not say so; "" for neither."""
    found, hint = row.found, f"since_{row.thing}_{row.state}"
    parts = []
    if found and found.bound_ms is not None:
        span = say_span(found.bound_ms)
        kind = "is_late" if found.is_late else "late_after"
        parts.append(t(kind, span=span) if found.bound_ms else t(f"{kind}_at_once"))
    if hint in WORDS:
        parts.append(t(hint))
    return " · ".join(parts)


def count_words(t: Tongue, one: StateCount | WaitCount | None) -> str:
    """How many, or that it is not known."""
    if one is None:
        return t("unknown")
    return t("at_least", n=t.number(one.count)) if one.has_more else t.number(one.count)


def verdict_words(t: Tongue, arena_status: ArenaStatus) -> str:
    """All is well, or what is not."""
    silent = [t(name) for name, how in arena_status.services.items() if how == "silent"]
    unread = [t(name) for name, how in arena_status.services.items() if how == "unread"]
    away = [need_words(t, need) for need in dict.fromkeys(need for _, need in arena_status.away)]
    late = [_in_sentence(t, state_words(t, one.thing, one.state)) for one in arena_status.late]
    kinds = {"status_silent": silent, "status_unread": unread, "status_away": away, "status_late": late}
    said = [t(kind, names=", ".join(names)) for kind, names in kinds.items() if names]
    return " ".join([t("status_ill"), *said]) if said else t("status_well")


def _in_sentence(t: Tongue, words: str) -> str:
    return words if t.language == "de" else words[:1].lower() + words[1:]


def needs_line(t: Tongue, arena_status: ArenaStatus, service: str) -> str:
    """Whether what a service needs answers it."""
    if away := arena_status.away_of(service):
        return t("needs_away", names=", ".join(need_words(t, need) for need in away))
    return t("needs_answer") if arena_status.needs.get(service) else t("needs_unknown")


def need_words(t: Tongue, need: str) -> str:
    """What a need is called; one that the page does not know keeps the name that its service gives it."""
    key = f"need_{need}"
    return t(key) if key in WORDS else need


def wait_words(t: Tongue, one: WaitCount) -> str:
    """For how long these blocks have waited."""
    return t("waits_less", span=say_span(one.up_to_ms)) if one.up_to_ms else t("waits_longer")
