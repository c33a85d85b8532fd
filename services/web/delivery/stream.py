"""Server-sent events: the parts of a page that have changed since its reader's last event.

The id of an event states what its reader has then seen: a digest for each part, in order, and the deal. A
browser sends it on reconnecting (`Last-Event-ID`), and gets the differences, however long it was away.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.web.delivery.feed import Feed
from services.web.http.response import EventStream

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


class FeedReader:
    """One reader of a feed, who gets on its stream what has changed since its last event.

    seen: the id of that event. parts, deal_of: render the state in a language. digest: tells texts apart.
    """

    def __init__(
        self,
        feed: Feed,
        stream: EventStream,
        language: str,
        seen: str,
        parts: Parts,
        deal_of: DealOf,
        digest: Callable[[str], str],
    ) -> None:
        self._feed, self._stream, self._language, self._seen = feed, stream, language, seen[:MOST_SEEN]
        self._parts, self._deal_of, self._digest = parts, deal_of, digest
        stream.on_drain = self.hear_change
        stream.push(f"retry: {RETRY_MS}\n\n".encode() + _encode_beat(time.time()))
        self.hear_change()

    def hear_change(self) -> None:
        """Send the changes; a slow reader gets them once it has taken the message before."""
        if self._feed.view is None or self._stream.is_sending:
            return
        try:
            message = self._take_changes()
        except Exception as error:  # noqa: BLE001 - whatever a template raises ends this stream, not the feed
            self._stream.fail(error)
            return
        if message:
            self._stream.push(message)

    def hear_beat(self, now: float) -> None:
        """Send a heartbeat."""
        if not self._stream.is_sending:
            self._stream.push(_encode_beat(now))

    def _take_changes(self) -> bytes:
        """Return the events that the reader has not had, and count them as had."""
        cache, key = self._feed.cache, (self._language, self._seen)
        found = cache.get(key)
        if found is None:
            if len(cache) > MOST_KEPT:  # ids are the readers' own, and any text may be one
                cache.clear()
            found = cache[key] = _list_since(
                self._feed, self._language, self._seen, self._parts, self._deal_of, self._digest
            )
        message, self._seen = found
        return message


def _encode_beat(now: float) -> bytes:
    """Return a heartbeat with the time, by which clocks at a table run."""
    return f'event: beat\ndata: {{"now":{now:.3f}}}\n\n'.encode()


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
