"""A plugin of pytest: which statements the services send to PostgreSQL, and from which functions."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from sqlalchemy import Connection, Engine, event

FOLDER = "MAUMAU_STATEMENTS"
"""The environment variable with the folder into which each process of a run writes what it has recorded."""
ROOT = Path(__file__).parents[2]
PASSED = (
    "/services/shared/store/connect.py",
    "/services/shared/base/lane.py",
)  # files through which functions send


class Function(NamedTuple):
    """Of a service: its file, and its name with that of its class."""

    file: str
    name: str


Statements = dict[tuple[str, str], Any]
"""By schema and text: the parameters of the last time."""


class Recorded(NamedTuple):
    statements: Statements
    senders: set[Function]


@contextmanager
def recording() -> Iterator[Recorded]:
    """Yield the statements sent in this context, by this process."""
    found = Recorded({}, set())

    def note(
        connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
    ) -> None:
        if connection.dialect.name == "postgresql" and (sender := _sender()):
            told = parameters[0] if isinstance(parameters, list) else parameters
            found.statements[_schema(connection), statement] = told
            found.senders.add(sender)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _sender() -> Function | None:
    """Return the function of a service nearest to the statement; None if tests have sent it."""
    frame = sys._getframe(2)
    while frame := frame.f_back:  # type: ignore[assignment]
        path = frame.f_code.co_filename
        if path.startswith(f"{ROOT}/services/") and not path.endswith(PASSED):
            name = frame.f_code.co_qualname.replace("<locals>.", "").partition(".<")[0]
            return None if "/migrations/" in path else Function(str(Path(path).relative_to(ROOT)), name)
    return None


def _schema(connection: Connection) -> str:
    info = connection.connection.info
    if "schema" not in info:
        options = connection.connection.driver_connection.info.get_parameters().get("options", "")
        info["schema"] = options.partition("search_path=")[2].split()[0] if options else ""
    return str(info["schema"])


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Modules that say one kind of database is enough for them take this one."""
    if hasattr(metafunc.module, "DATABASES"):
        metafunc.module.DATABASES = ["postgresql"]


@pytest.fixture(scope="session", autouse=True)
def _record() -> Iterator[None]:
    with recording() as found:
        yield
    Path(os.environ[FOLDER], f"{os.getpid()}.pickle").write_bytes(pickle.dumps(tuple(found)))


def read_recorded(folder: Path) -> Recorded:
    """Return the records of all processes of a run."""
    found = Recorded({}, set())
    for file in folder.glob("*.pickle"):
        statements, senders = pickle.loads(file.read_bytes())
        found.statements.update(statements)
        found.senders.update(senders)
    return found
