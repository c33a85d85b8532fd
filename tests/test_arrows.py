"""Arrows that import-linter does not draw (docs/decisions/0005-arrows.md), read off the import statements."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LAB = (
    r"|bench/(core|deals|lab|live|load|scale|soak_run|steady)\.py"  # stands in for workers, looks into stores
)
STORES = re.compile(
    r"services/(\w+/(store(/\w+)?|models(/\w+)?|migrations/.*)|shared/(action_table|bulk|change_table|connect|leader|redis|migrate))\.py"
    + LAB
)
MESSAGES = re.compile(
    r"maumau/(v1/\w+|wire|call|client|registry_calls|live|matchmaking|seek|action|status)\.py|services/\w+(/(job|work|live|organise))?/(app|servicer|client|wire)\.py|services/shared/\w+\.py"
    + LAB
)
SETTINGS = re.compile(r"services/(\w+/(app|__main__)|shared/(settings|server)|supervisor/launch)\.py")


@cache
def modules() -> dict[str, set[str]]:
    """What each file of the project imports, by its path."""
    files = [path for part in ("maumau", "services", "bench") for path in (ROOT / part).rglob("*.py")]
    return {str(path.relative_to(ROOT)): imported(path) for path in files}


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def importers(pattern: str) -> set[str]:
    wanted = re.compile(pattern)
    return {path for path, names in modules().items() if any(wanted.match(name) for name in names)}


def test_only_stores_touch_redis_or_the_database() -> None:
    touching = importers(r"(redis|sqlalchemy|sqlmodel)\b")
    assert touching
    assert {path for path in touching if not STORES.fullmatch(path)} == set()


def test_only_servicers_clients_and_wire_see_messages() -> None:
    seeing = importers(r"maumau\.v1\b")
    assert seeing
    assert {path for path in seeing if not MESSAGES.fullmatch(path)} == set()


def test_only_apps_read_settings() -> None:
    reading = {str(path.relative_to(ROOT)) for path in (ROOT / "services").rglob("*.py") if reads(path)}
    assert reading
    assert {path for path in reading if not SETTINGS.fullmatch(path)} == set()


def reads(path: Path) -> bool:
    return bool(re.search(r"os\.environ|from_environment|getenv", path.read_text()))


def test_nothing_imports_the_tests() -> None:
    assert importers(r"tests\b") == set()
