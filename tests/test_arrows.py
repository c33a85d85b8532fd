"""Arrows of docs/explanation/architecture.md that import-linter does not draw, read off import statements."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from tests.support.statements import walk_statements

ROOT = Path(__file__).parents[1]
# these stand in for workers, or look into stores
LAB = (
    r"|bench/(services/(core|deals|live|load|scale)|web/players|support/lab|endurance/(soak_run|steady))\.py"
)
STORES = re.compile(
    r"services/(\w+/(store(/\w+)*|models(/\w+)?|migrations/.*)|shared/store/(action_table|bulk|change_table|connect|leader|redis|migrate))\.py"
    + LAB
)
MESSAGES = re.compile(
    r"services/tournament/rpc/\w+\.py|maumau/(v1/\w+|wire|client/(action|arena|call|group|live|login|matchmaking|registry|seek|status|team|webhook))\.py|services/\w+(/(live|people|practice|replay|teams|webhooks))?/(app|(work_)?servicer|(live_)?client|call|login|wire)\.py|services/shared/\w+/\w+\.py"
    + LAB
)
SETTINGS = re.compile(
    r"services/(\w+/(app|__main__)|shared/(base/settings|process/server)|supervisor/(launch|process/fork\w+))\.py"
)


@cache
def modules() -> dict[str, set[str]]:
    """Return the imports of each file of the project, by its path."""
    files = [path for part in ("maumau", "services", "bench") for path in (ROOT / part).rglob("*.py")]
    return {str(path.relative_to(ROOT)): imported(path) for path in files}


def imported(path: Path) -> set[str]:
    found = set()
    for node in walk_statements(ast.parse(path.read_text())):
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


def test_only_tests_of_benchmarks_import_more_of_them_than_their_support() -> None:
    found = {path.relative_to(ROOT): imported(path) for path in (ROOT / "tests").rglob("*.py")}
    beyond = re.compile(r"bench\b(?!\.support\b)")
    assert {str(path) for path, names in found.items() if any(map(beyond.match, names))} == {
        "tests/platform/test_soak.py",
        "tests/test_bench_page.py",
        "tests/test_benchmarks.py",
        "tests/test_ranking_efficiency.py",
        "tests/test_scale.py",
    }


def test_no_test_file_imports_at_its_top_what_takes_a_second() -> None:
    """Every process of a run imports every test file."""
    costly = re.compile(r"^(import|from) (jsonschema|mcp)\b", re.MULTILINE)
    files = [path for path in (ROOT / "tests").rglob("*.py") if costly.search(path.read_text())]
    assert [str(path.relative_to(ROOT)) for path in files] == []


def test_no_test_changes_a_clock_for_the_whole_process() -> None:
    """Services of other tests run in its threads: `replace_functions` changes it for one module."""
    changed = re.compile(r"setattr\(\s*(\w+\.)*(asyncio|random|socket|threading|time),")
    files = [path for path in (ROOT / "tests").rglob("*.py") if changed.search(path.read_text())]
    assert [str(path.relative_to(ROOT)) for path in files] == []


def test_only_commands_import_commands() -> None:
    commands = importers(r"maumau\.cli\b")
    assert commands
    assert {path for path in commands if not path.startswith("maumau/cli/")} == set()


def test_few_modules_of_the_game_name_each_other_in_a_circle() -> None:
    game = {path.removesuffix(".py").replace("/", "."): names for path, names in modules().items()}
    game = {path: names for path, names in game.items() if path.startswith("maumau.game.")}
    edges = {
        path: {other for other in game if any(f"{name}.".startswith(f"{other}.") for name in names)}
        for path, names in game.items()
    }
    assert all(len(circle) <= 5 for circle in circles(edges)), circles(edges)
    assert not circles({"a": {"b"}, "b": {"c"}, "c": set()})
    assert circles({"a": {"b"}, "b": {"a", "c"}, "c": set()}) == [{"a", "b"}]


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other, directly or through others, types counted."""
    reached = {start: reach(edges, start) for start in edges}
    found = {frozenset(end for end in ends if start in reached[end]) for start, ends in reached.items()}
    return sorted(map(set, found - {frozenset()}), key=len)


def reach(edges: dict[str, set[str]], start: str) -> set[str]:
    """Return the modules that one imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        more = edges[waiting.pop()] - found
        found |= more
        waiting += more
    return found


MOST_MODULES = 16
LARGER = {"services/supervisor": 20}
GENERATED_FOLDERS = re.compile(r"maumau/v1|services/\w+/migrations/versions")


def test_no_folder_has_more_modules_than_one_can_look_over() -> None:
    paths = [
        path for part in ("maumau", "services", "bench", "deploy") for path in (ROOT / part).rglob("*.py")
    ]
    counted = Counter(str(path.parent.relative_to(ROOT)) for path in paths if path.name != "__init__.py")
    shown = {folder: count for folder, count in counted.items() if not GENERATED_FOLDERS.fullmatch(folder)}
    assert {name: count for name, count in shown.items() if count > LARGER.get(name, MOST_MODULES)} == {}
