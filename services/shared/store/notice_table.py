"""Notices: events that webhooks are told of, stored in the transaction of their change.

Each service has a table of them. The registry's are told to webhooks; those of others wait until the registry
has them, which knows them by their ids.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import BigInteger, delete, select
from sqlmodel import Field, SQLModel, col

from services.shared.base.ident import new_id
from services.shared.store.connect import Database

AT_ONCE = 100  # notices told together

Row = TypeVar("Row", bound="NoticeRow")


class Heard(NamedTuple):
    """A notice for the registry. contest: for those who follow it, if everybody may know; else empty."""

    id: str
    kind: str
    at: int
    accounts: tuple[str, ...]
    contest: str
    data: str


class NoticeRow(SQLModel):
    """The columns of the table; each service subclasses it as a table of its own.

    id: the header `webhook-id` of all deliveries. accounts: names of those that it concerns, space-separated.
    contest: id of the contest that it is about, in the registry its name; empty for none. data: JSON.
    """

    number: int | None = Field(default=None, primary_key=True)
    id: str = Field(unique=True)
    kind: str
    at: int = Field(sa_type=BigInteger)
    accounts: str = ""
    contest: str = ""
    data: str


class NoticeTable:
    """The notices of a service, until the registry has them. model: the table, a NoticeRow."""

    def __init__(self, database: Database, model: type[Any]) -> None:
        self.database, self.model = database, model

    def list_waiting(self) -> list[Any]:
        """Return the first notices that wait, in their order."""
        with self.database.read() as session:
            return list(session.scalars(select(self.model).order_by(col(self.model.number)).limit(AT_ONCE)))

    def forget(self, rows: Sequence[Any]) -> None:
        """Delete notices that the registry has."""
        with self.database.write() as session:
            session.execute(delete(self.model).where(col(self.model.id).in_([row.id for row in rows])))


def new_notice(
    model: type[Row],
    kind: str,
    at: int,
    data: Mapping[str, Any],
    accounts: Sequence[str] = (),
    contest: str = "",
) -> Row:
    """Return a new notice, for the transaction of its change."""
    text, named = msgspec.json.encode(data).decode(), " ".join(accounts)
    return model(id=new_id("msg"), kind=kind, at=at, accounts=named, contest=contest, data=text)
