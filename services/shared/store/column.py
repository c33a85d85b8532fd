"""Shorthands for the columns of tables. Times are whole milliseconds since 1970, UTC."""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, LargeBinary
from sqlmodel import Field


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    """Return the constraint that a column has one of these words."""
    return CheckConstraint(f"{column} IN ({', '.join(map(repr, words))})", name=column)


def time_column(**more: Any) -> Any:
    """Return a 64-bit column for a time. more: as for Field."""
    return Field(sa_type=BigInteger, **more)


def added_number() -> Any:
    """Return a 64-bit number or time, of a column added later: earlier rows have 0."""
    return Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


def added_word() -> Any:
    """Return a text column added later: earlier rows have ""."""
    return Field(default="", sa_column_kwargs={"server_default": ""})


def bytes_column() -> Any:
    return Field(sa_column=Column(LargeBinary, nullable=False))


def added_bytes() -> Any:
    """Return a bytes column added later: earlier rows have None."""
    return Field(default=None, sa_column=Column(LargeBinary, nullable=True))
