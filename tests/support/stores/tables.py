"""Databases that have their tables already: migrated once in a process of tests, and copied from then on.

Migrations take longer than most tests. They have tests of their own, in `shared`.
"""

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from sqlalchemy import MetaData

from services.matchmaking import app as matchmaking
from services.matchmaking import models as matchmaking_models
from services.registry import app as registry
from services.registry import models as registry_models
from services.shared.store import migrate
from services.shared.store.connect import Database
from services.tournament import app as tournament
from services.tournament import models as tournament_models

SERVICES = {
    "registry": (registry.MIGRATIONS, registry_models.RegistryTable.metadata),
    "tournament": (tournament.MIGRATIONS, tournament_models.TournamentTable.metadata),
    "matchmaking": (matchmaking.MIGRATIONS, matchmaking_models.MatchmakingTable.metadata),
}


def find_metadata(name: str) -> MetaData:
    """Return the tables that the code of a service has."""
    return SERVICES[name][1]


def make_tables(url: Callable[[str], str]) -> None:
    """Make the tables of every service, in the database at the URL that `url` gives for its name."""
    for name in SERVICES:
        database = Database(url(name), name)
        migrate_one(database, name)
        database.close()


def migrate_one(database: Database, name: str) -> None:
    """Make the tables of one service, in a database of any kind."""
    migrate.upgrade(database, *SERVICES[name])


def add_tables(database: Database, name: str) -> None:
    """Add the tables of a service to an empty database: to a SQLite file by a copy."""
    if database.sqlite:
        copy_to(Path(str(database.url.database)), name)
    migrate_one(database, name)  # nothing is pending in a copy


def copy_into(folder: Path) -> None:
    """Copy a SQLite file for each service into the data folder of an arena that has none yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SERVICES:
        copy_to(folder / f"{name}.db", name)


def copy_to(file: Path, name: str) -> None:
    """Copy the SQLite file of this service, unless it is there."""
    if not file.exists():
        shutil.copyfile(_make_template() / f"{name}.db", file)


@lru_cache(maxsize=1)
def _make_template() -> Path:
    folder = make_folder()
    make_tables(lambda name: f"sqlite:///{folder / name}.db")
    return folder


def make_folder() -> Path:
    """Return a new folder that is removed at the end of the process."""
    folder = Path(tempfile.mkdtemp(prefix="maumau-tables-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
