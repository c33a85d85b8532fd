"""Atom feeds (RFC 4287), written from entries. Pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final
from xml.etree import ElementTree as ET

from msgspec import Struct

from services.web.syndication.plain import BEGINNING, clean_text, make_uuid

TYPE: Final = "application/atom+xml; charset=utf-8"
NAMESPACE: Final = "http://www.w3.org/2005/Atom"
MOST: Final = 100
"""Entries of a feed: the latest."""


class FeedItem(Struct, frozen=True):
    """Something that happened: the parts of its id, its moment, title, sentence, and its page's address.

    order: among those of the same moment, the highest counts as the latest.
    """

    key: tuple[str, ...]
    at: datetime
    title: str
    text: str
    page: str
    order: int = 0


class FeedHead(Struct, frozen=True):
    """The head of a feed: the parts of its id, its title and language, its address and its page's."""

    key: tuple[str, ...]
    title: str
    language: str
    here: str
    page: str
    author: str


def choose_latest(news: Iterable[FeedItem]) -> list[FeedItem]:
    """Return the latest entries that a feed has room for, the latest first."""
    return sorted(news, key=lambda one: (one.at, one.order, one.key), reverse=True)[:MOST]


def find_updated(latest: Sequence[FeedItem]) -> datetime:
    """Return when the latest entry happened."""
    return latest[0].at if latest else BEGINNING


def write_feed(head: FeedHead, latest: Sequence[FeedItem]) -> bytes:
    """Return the feed with these entries."""
    feed = ET.Element("feed", {"xmlns": NAMESPACE, "xml:lang": head.language})
    _add_element(feed, "id", f"urn:uuid:{make_uuid('feed', *head.key)}")
    _add_element(feed, "title", head.title)
    _add_element(feed, "updated", _write_moment(find_updated(latest)))
    author = ET.SubElement(feed, "author")
    _add_element(author, "name", head.author)
    ET.SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": head.here})
    ET.SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": head.page})
    for one in latest:
        entry = ET.SubElement(feed, "entry")
        _add_element(entry, "id", f"urn:uuid:{make_uuid(*one.key)}")
        _add_element(entry, "title", one.title)
        _add_element(entry, "updated", _write_moment(one.at))
        ET.SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": one.page})
        _add_element(entry, "summary", one.text)
    written: bytes = ET.tostring(feed, "utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + written + b"\n"


def _add_element(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = clean_text(text)


def _write_moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
