"""Server-sent events: the parts of a page that have changed since its reader's last event.

The id of an event states what its reader has then seen: a digest for each part, in order, and the deal. A
browser sends it on reconnecting (`Last-Event-ID`), and gets the differences, however long it was away.
"""

import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from services.web.delivery.feed import Feed

BEAT = 5.0  # seconds without an event after which a heartbeat is sent
RETRY_MS = 1000
MOST_SEEN = 400  # characters of an id that are read
MOST_KEPT = 256  # answers of a state that are kept for its readers

Parts = Callable[[Feed, str], Mapping[str, str]]
DealOf = Callable[[Feed, str], Mapping[str, Any] | None]


def seen_id(digests: Sequence[str], deal: str = "-") -> str:
    """Return the id for these states of the parts and this much of a deal."""
    return ".".join((*digests, deal))


def encode_event(event: str, cursor: str, data: Any) -> bytes:
    """Return one event, encoded."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {cursor}\nevent: {event}\ndata: {text}\n\n".encode(errors="replace")


async def stream_events(
    feed: Feed, language: str, seen: str, parts: Parts, deal_of: DealOf, digest: Callable[[str], str]
) -> AsyncIterator[bytes]:
    """Yield the events for one reader, until the thing is over and all is sent, or the reader leaves."""
    seen = seen[:MOST_SEEN]
    yield f"retry: {RETRY_MS}\n\n".encode() + _encode_beat()
    while True:
        version = feed.version
        if feed.view is not None:
            key = (language, seen)
            if key not in feed.cache:
                if len(feed.cache) > MOST_KEPT:  # ids are the readers' own, and any text may be one
                    feed.cache.clear()
                feed.cache[key] = _list_since(feed, language, seen, parts, deal_of, digest)
            message, seen = feed.cache[key]
            if message:
                yield message
        await feed.await_change(version, BEAT)
        if feed.version == version:
            yield _encode_beat()


def _encode_beat() -> bytes:
    """Return a heartbeat with the current time, by which clocks at a table run."""
    return f'event: beat\ndata: {{"now":{time.time():.3f}}}\n\n'.encode()


def _list_since(
    feed: Feed, language: str, seen: str, parts: Parts, deal_of: DealOf, digest: Callable[[str], str]
) -> tuple[bytes, str]:
    """Return the changes that a reader has not seen, and the reader's id after them."""
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
    message = encode_event("parts", cursor, changed) if changed else b""
    if deal and deal_key != had_deal:
        message += encode_event("deal", cursor, deal)
    return message, cursor
