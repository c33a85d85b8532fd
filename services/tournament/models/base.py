"""What the tables have in common."""

from functools import cache
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Column, LargeBinary, MetaData
from sqlmodel import Field, SQLModel

from services.shared.migrate import NAMING


class Table(SQLModel):
    """Tables of this service alone, whatever else is imported into the process."""

    metadata = MetaData(naming_convention=NAMING)


def new_row(table: type[Table], **values: Any) -> dict[str, Any]:
    """A row with the table's defaults, for an insert of many: objects of the table take much longer."""
    return _defaults(table) | values


@cache
def _defaults(table: type[Table]) -> dict[str, Any]:
    return {name: field.default for name, field in table.model_fields.items() if not field.is_required()}


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    return CheckConstraint(f"{column} IN ({', '.join(repr(word) for word in words)})", name=column)


def time_of() -> Any:
    return Field(default=0, sa_type=BigInteger)


def added_number() -> Any:
    """A number of up to 64 bits, or a time, of a column that came later: rows from before have 0."""
    return Field(default=0, sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})


def bytes_of() -> Any:
    return Field(sa_column=Column(LargeBinary, nullable=False))


def added_word() -> Any:
    """A text of a column that came later: rows from before have none."""
    return Field(default="", sa_column_kwargs={"server_default": ""})
