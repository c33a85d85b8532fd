"""Server-sent events: the parts of a page that have changed since what its reader has seen.

The id of an event is what its reader then has seen: a digest for each part, in order, and the deal. A browser
sends it when it comes back (`Last-Event-ID`), and is told what is different, however long it was away.
"""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from services.web.feed import Feed

BEAT = 5.0  # seconds after which a reader who was told nothing is told that nothing happened
RETRY_MS = 1000
MOST_SEEN = 400  # characters of an id that are looked at

Parts = Callable[[Feed, str], Mapping[str, str]]
DealOf = Callable[[Feed, str], Mapping[str, Any] | None]


def seen_id(digests: Sequence[str], deal: str = "-") -> str:
    """The id of who has seen these states of the parts and this much of a deal."""
    return ".".join((*digests, deal))


def encode(event: str, cursor: str, data: Any) -> bytes:
    """One event."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {cursor}\nevent: {event}\ndata: {text}\n\n".encode(errors="replace")


async def events(
    feed: Feed, language: str, seen: str, parts: Parts, deal_of: DealOf, digest: Callable[[str], str]
) -> AsyncIterator[bytes]:
    """For one reader, until the thing is over and all is told, or he goes."""
    seen = seen[:MOST_SEEN]
    yield f"retry: {RETRY_MS}\n\n".encode() + _beat()
    while True:
        version = feed.version
        if feed.view is not None:
            key = (language, seen)
            if key not in feed.cache:
                feed.cache[key] = _since(feed, language, seen, parts, deal_of, digest)
            message, seen = feed.cache[key]
            if message:
                yield message
        await feed.wait(version, BEAT)
        if feed.version == version:
            yield _beat()


def _beat() -> bytes:
    """That all is well, and what time it is here: clocks at a table run by it."""
    return f'event: beat\ndata: {{"now":{time.time():.3f}}}\n\n'.encode()


def _since(
    feed: Feed, language: str, seen: str, parts: Parts, deal_of: DealOf, digest: Callable[[str], str]
) -> tuple[bytes, str]:
    """What this reader has not seen, and his id then."""
    if ("parts", language) not in feed.cache:
        made = parts(feed, language)
        feed.cache["parts", language] = made, [digest(text) for text in made.values()]
        feed.cache["deal", language] = deal_of(feed, language)
    made, digests = feed.cache["parts", language]
    deal = feed.cache["deal", language]
    *had, had_deal = seen.split(".")
    if len(had) != len(digests):
        had = [""] * len(digests)
    changed = {
        name: text for (name, text), now, then in zip(made.items(), digests, had, strict=True) if now != then
    }
    deal_key = f"{deal['key']}-{len(deal['events'])}-{len(deal['places'])}".replace(".", "_") if deal else "-"
    cursor = seen_id(digests, deal_key)
    message = encode("parts", cursor, changed) if changed else b""
    if deal and deal_key != had_deal:
        message += encode("deal", cursor, deal)
    return message, cursor
