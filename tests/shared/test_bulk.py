"""Many rows in one statement: what is read is what was given, and errors are those of an INSERT."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Column, LargeBinary, MetaData, select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Field, SQLModel

from maumau.errors import BadRequest
from services.shared.store.bulk import insert_rows
from services.shared.store.connect import Database

pytestmark = pytest.mark.stores


class Order(SQLModel, table=True):  # a table whose names have to be quoted
    __tablename__ = "order"
    metadata = MetaData()

    id: int | None = Field(default=None, primary_key=True)
    user: str = Field(unique=True)
    body: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    share: float = 0.0
    is_open: bool = False


ODD = [
    "",
    "\\N",
    "\\.",
    "tab\there",
    "line\nfeed\r",
    '"quoted", with commas',
    "back\\slash",
    "Käfer ♠ 🂡",
    "NULL",
]


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url, "public")
    Order.metadata.create_all(database.engine)
    yield database
    database.close()


def row(user: str, body: bytes = b"", **more: float) -> dict[str, object]:
    return {"user": user, "body": body, "share": 0.1, "is_open": True} | more


def users(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(Order.user).order_by(Order.id)))


def test_rows_are_stored_as_they_are_and_in_order(database: Database) -> None:
    with database.write() as session:
        insert_rows(session, Order, [row(user, bytes(range(256)) + b"\\x") for user in ODD])
    assert users(database) == ODD
    with database.read() as session:
        first = session.get_one(Order, 1)
    assert (first.body, first.share, first.is_open) == (bytes(range(256)) + b"\\x", 0.1, True)


def test_no_rows_are_no_statement(database: Database) -> None:
    with database.write() as session:
        insert_rows(session, Order, [])
    assert users(database) == []


def test_a_row_that_is_there_already_refuses_all(database: Database) -> None:
    with pytest.raises(IntegrityError), database.write() as session:
        insert_rows(session, Order, [row("a"), row("b"), row("a")])
    assert users(database) == []
    with database.write() as session:
        insert_rows(session, Order, [row("b")])
    assert users(database) == ["b"]


def test_what_is_rehearsed_is_undone(database: Database) -> None:
    with database.rehearse():
        with database.write() as session:
            insert_rows(session, Order, [row("a")])
        assert users(database) == ["a"]
    assert users(database) == []


def test_a_text_that_postgresql_cannot_store_is_a_bad_request(postgresql_url: str) -> None:
    database = Database(postgresql_url, "public")
    Order.metadata.create_all(database.engine)
    with pytest.raises(BadRequest, match="cannot be stored"), database.write() as session:
        insert_rows(session, Order, [row("a\0b")])
    assert users(database) == []
    database.close()
