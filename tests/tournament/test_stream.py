"""Numbered entries are appended once each and in order, and the outbox loses none and keeps none back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from redis.exceptions import ResponseError
from sqlalchemy import select
from sqlmodel import col

from services.shared.store import redis
from services.tournament.domain.event import Event, encode_event
from services.tournament.models import Outbox
from services.tournament.store.broadcast.stream import EventStream, Writer
from services.tournament.store.broadcast.watch import Streams, events_of
from tests.support.stores.tournament import add_contest


@pytest.fixture
def client(redis_url: str) -> Iterator[Any]:
    client = redis.connect(redis_url)
    yield client
    client.close()


@pytest.fixture
def stream() -> EventStream:
    return EventStream("test", uuid.uuid4().hex, "events", 10_000, 60)


def entries(client: Any, stream: EventStream) -> list[str]:
    return [fields["entry"] for _, fields in client.xrange(stream.build_key(stream.name))]


def test_an_entry_is_appended_once_by_its_number_and_in_order(client: Any, stream: EventStream) -> None:
    writer = Writer(client)
    for numbers in ((1, 2, 3), (2, 3, 4), (1, 2, 3, 4)):
        writer.append_once(stream, {number: f"entry {number}".encode() for number in numbers})
    assert entries(client, stream) == ["entry 1", "entry 2", "entry 3", "entry 4"]


def test_one_without_a_number_is_appended_as_often_as_it_is_given(client: Any, stream: EventStream) -> None:
    writer = Writer(client)
    for _ in range(2):
        writer.append_entry(stream, b"half")
    assert entries(client, stream) == ["half", "half"]


def test_an_entry_that_could_not_be_appended_is_not_taken_for_a_told_one(
    client: Any, stream: EventStream
) -> None:
    writer = Writer(client)
    client.set(stream.build_key(stream.name), "of another kind")
    for _ in range(2):
        with pytest.raises(ResponseError, match="WRONGTYPE"):
            writer.append_once(stream, {1: b"one", 2: b"two"})
    client.delete(stream.build_key(stream.name))
    writer.append_once(stream, {1: b"one", 2: b"two"})
    assert entries(client, stream) == ["one", "two"]


def test_where_nothing_is_appended_there_is_no_epoch(client: Any, stream: EventStream) -> None:
    Writer(client).append_once(stream, {})
    assert not client.exists(stream.build_key("epoch"))


def test_events_of_contests_that_alternate_are_told_in_their_order(store: Any, client: Any) -> None:
    """One that cannot be read is skipped."""
    one, other = f"contest_{uuid.uuid4().hex}", f"contest_{uuid.uuid4().hex}"
    with store.database.write() as session:
        for name in (one, other):
            add_contest(session, name)
        session.flush()
        for number in range(6):
            event = encode_event(Event(number, "progress", f"event {number}"))
            session.add(Outbox(contest_id=(one, other)[number % 2], event=event, created_at=number))
            session.flush()
        session.add(Outbox(contest_id=one, event=b"\xff", created_at=9))
    streams = Streams(store.database, client)
    assert streams.empty_outbox() == 7
    told = {each: " ".join(entries(client, events_of(each))) for each in (one, other)}
    places = {each: [told[each].find(f"event {number}") for number in range(6)] for each in told}
    assert [place >= 0 for place in places[one]] == [True, False] * 3
    assert [place >= 0 for place in places[other]] == [False, True] * 3
    assert places[one][::2] == sorted(places[one][::2])
    with store.database.read() as session:
        assert session.scalars(select(col(Outbox.id))).all() == []
