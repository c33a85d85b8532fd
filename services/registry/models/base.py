"""Base class of the tables."""

from sqlalchemy import MetaData
from sqlmodel import SQLModel

from services.shared.store.migrate import NAMING


class RegistryTable(SQLModel):
    """Base of this service's tables, with metadata apart from others imported into the process."""

    metadata = MetaData(naming_convention=NAMING)
