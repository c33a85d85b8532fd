"""No statement of a service reads a table from end to end that grows with play: PostgreSQL's plans."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text

from bench.support.patience import patient
from services.shared.store.connect import Database
from tests.platform.growth import BLOCKS, grow
from tests.platform.recorder import FOLDER, ROOT, Function, Recorded, read_recorded, recording
from tests.platform.tour import use_everything
from tests.support.arenas.matchmaker import Matchmaker

TESTS = (
    *(f"registry/test_{name}.py" for name in (
        "activation", "deletion", "groups", "logins", "messages", "registration", "sources", "teams", "turn",
        "webhook",
    )),
    *(f"matchmaking/test_{name}.py" for name in (
        "history", "meetings", "overtaken", "practice", "replays", "rest", "seats", "seek", "version_numbers",
    )),
    *(f"tournament/test_{name}.py" for name in (
        "apart", "attribution", "audit", "board", "disqualify", "entry", "failure", "host", "isolator", "job",
        "lease", "mover", "mystery", "preview", "reaper", "second_run", "spec", "suspension", "takes", "told",
        "visibility",
    )),
)  # fmt: skip
"""The services' own tests of what the tour does not come by."""
SENDS = {"exec", "execute", "scalars", "scalar", "exec_driver_sql"}
BY_HAND = {
    "services/backup/store.py": "a backup is of all rows",
    "services/shared/store/bulk.py": "COPY reads nothing",
    "services/shared/store/migrate.py": "tables are made and changed before a service serves",
    "services/shared/store/connect.py": "names no table that grows",
}
"""Files whose statements are not explained, and why."""

pytestmark = pytest.mark.long


@pytest.fixture
def arena(loop: Any, new_postgresql: Any, valkey: str, tmp_path: Any) -> Iterator[Matchmaker]:
    arena = Matchmaker(loop, tmp_path, new_postgresql(), valkey, sweep=0.3, audit=1.0, replay=0.1).begin()
    yield arena
    arena.stop()


@pytest.mark.timeout(3600)
def test_no_table_that_grows_is_read_from_end_to_end(arena: Matchmaker, tmp_path: Path) -> None:
    of_tests = run_tests(tmp_path / "statements")
    use_everything(arena)
    arena.stop()
    engine = create_engine(Database(arena.settings.database("tournament"), "tournament").url)
    grown = grow(engine)
    assert count_blocks(engine) >= BLOCKS
    arena.begin()
    with recording() as of_play:
        use_everything(arena)
    found: dict[str, list[str]] = {}
    for recorded in (of_tests, of_play):
        for table, statement in scan_all(engine, recorded, grown):
            found.setdefault(table, []).append(statement[:500])
    engine.dispose()
    assert not found, json.dumps(found, indent=1)
    assert sorted(list_senders() - of_tests.senders - of_play.senders) == []


def run_tests(folder: Path) -> Recorded:
    """Return the statements that the services send to PostgreSQL in their own tests."""
    folder.mkdir()
    words = [sys.executable, "-m", "pytest", "-p", "tests.platform.recorder", "-n", "2", "-q", "-m", ""]
    done = subprocess.run(
        [*words, "-k", "postgresql", *(f"tests/{name}" for name in TESTS)],
        cwd=ROOT, env={**os.environ, FOLDER: str(folder)}, timeout=patient(1800), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stdout[-5000:]  # 1: what fails there fails by itself, too
    return read_recorded(folder)


def count_blocks(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM tournament.block")).scalar_one())


def list_senders() -> set[Function]:
    """Return all functions of services that send a statement."""
    found = set()
    for path in sorted((ROOT / "services").rglob("*.py")):
        file = str(path.relative_to(ROOT))
        if "migrations" not in path.parts and file not in BY_HAND:
            found |= {Function(file, name) for name in _senders(ast.parse(path.read_text()), "")}
    return found


def _senders(tree: ast.AST, prefix: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(map(_is_sending, _own(node))):
            yield f"{prefix}{node.name}"
        is_named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        yield from _senders(node, f"{prefix}{node.name}." if is_named else prefix)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """Yield a function's own nodes, without inner functions."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node
            yield from _own(node)


def _is_sending(node: ast.AST) -> bool:
    """`session.exec(…)` and its like; `session.get` asks for a key."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    whose = ast.unparse(node.func.value)
    return node.func.attr in SENDS and whose in {"session", "connection", "session.connection()"}


DELETED = "DELETE FROM action WHERE action.at <"
"""Deletes what it reads: on a grown table half of the rows, which one index or none finds as well."""


def scan_all(engine: Engine, recorded: Recorded, grown: dict[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Yield the tables that PostgreSQL would read from end to end, each with the statement that does so."""
    with engine.connect() as connection:
        for (schema, statement), parameters in recorded.statements.items():
            if statement.startswith(DELETED):
                continue
            if statement.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
                with connection.begin() as transaction:
                    connection.execute(text(f"SET LOCAL search_path = {schema}"))
                    explained = f"EXPLAIN (FORMAT JSON) {statement}"
                    plan = connection.exec_driver_sql(explained, parameters).scalar_one()
                    transaction.rollback()
                for table in set(_scans(plan[0]["Plan"])) & grown[schema]:
                    yield f"{schema}.{table}", statement


def _scans(node: dict[str, Any]) -> Iterator[str]:
    if node["Node Type"] == "Seq Scan":
        yield node["Relation Name"]
    for child in node.get("Plans", []):
        yield from _scans(child)
