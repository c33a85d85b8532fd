"""Base class of the tables, and shorthands for their columns."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, LargeBinary, MetaData
from sqlmodel import Field, SQLModel

from services.shared.store.migrate import NAMING


class TournamentTable(SQLModel):
    """Base of this service's tables, with metadata apart from others imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


def new_row(table: type[TournamentTable], **values: Any) -> dict[str, Any]:
    """Return a row with the table's defaults, for bulk inserts: objects of the table are much slower."""
    return _find_defaults(table) | values


@cache
def _find_defaults(table: type[TournamentTable]) -> dict[str, Any]:
    return {name: field.default for name, field in table.model_fields.items() if not field.is_required()}


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def time_of() -> Any:
    return Field(default=0, sa_type=BigInteger)


def added_number() -> Any:
    """Return a 64-bit number or time, of a column added later: earlier rows have 0."""
    return Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


def bytes_of() -> Any:
    return Field(sa_column=Column(LargeBinary, nullable=False))


def added_bytes() -> Any:
    """Return a bytes column added later: earlier rows have None."""
    return Field(default=None, sa_column=Column(LargeBinary, nullable=True))


def added_word() -> Any:
    """Return a text column added later: earlier rows have ""."""
    return Field(default="", sa_column_kwargs={"server_default": ""})
