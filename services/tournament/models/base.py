"""Base class of the tables, and rows for bulk inserts."""

from functools import cache
from typing import Any

from sqlalchemy import MetaData
from sqlmodel import SQLModel

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
