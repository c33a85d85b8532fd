"""Names of functions and classes: ceilings by folder, which are lowered and never raised."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.statements import list_statements, walk_statements

ROOT = Path(__file__).parents[1]
GENERATED = ("maumau/v1/", "maumau/templates/", "maumau/bots/")
PROTOCOLS = {
    "close",  # contextlib.closing, Storage
    "collect",  # prometheus_client's Collector
    "describe",  # the same
    "read",  # files
    "readline",
    "run",  # threading.Thread
    "write",
}
"""Names of methods that a library or the language calls."""

SHARES = {
    "bench": 17,
    "maumau/bot": 37,
    "maumau/cli": 4,
    "maumau/client": 38,
    "maumau/contest": 8,
    "maumau/data": 25,
    "maumau/engine": 27,
    "maumau/env": 43,
    "maumau/errors": 0,
    "maumau/game": 21,
    "maumau/home": 19,
    "maumau/page": 17,
    "maumau/process": 32,
    "maumau/protocol": 6,
    "maumau/referee": 15,
    "maumau/review": 13,
    "maumau/rulebook": 0,
    "maumau/sandbox": 10,
    "maumau/screen": 51,
    "maumau/submission": 23,
    "services/backup": 18,
    "services/dump": 15,
    "services/engine": 4,
    "services/matchmaking": 14,
    "services/registry": 22,
    "services/shared": 59,
    "services/supervisor": 7,
    "services/tournament": 18,
    "services/web": 17,
    "services/worker": 23,
    "tests/support": 38,
}
"""The highest share, in per cent, of functions whose name is one word, by folder."""

REPEATED = {
    "Bot": "the SDK's `maumau.bot.Bot`, the registry's table of bots, and the message",
    "EntriesClosed": "an error, an event, and the message of that event, whose name the event has to have",
}
"""Class names that stand more than twice, and why."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Names(NamedTuple):
    """Names in a file."""

    functions: list[str]
    """Names that count."""
    classes: list[tuple[str, int]]
    """Names with their lines."""


@cache
def read_names() -> dict[str, Names]:
    """Return the names of each file by its path."""
    parts = ("maumau", "services", "bench", "tests/support")
    files = [path for part in parts for path in sorted((ROOT / part).rglob("*.py"))]
    names = {path: str(path.relative_to(ROOT)) for path in files}
    return {
        name: list_names(ast.parse(path.read_text()))
        for path, name in names.items()
        if not name.startswith(GENERATED)
    }


def list_names(tree: ast.Module) -> Names:
    """Return the names in a file, whose tree is not kept: a thousand trees are looked through for garbage."""
    functions = [
        function.name
        for function, is_method in find_functions(tree)
        if is_counted(function, is_method=is_method)
    ]
    classes = [(node.name, node.lineno) for node in walk_statements(tree) if isinstance(node, ast.ClassDef)]
    return Names(functions, classes)


def folder_of(path: str) -> str:
    """Return the folder that a ceiling is for: maumau/cli, services/web, bench."""
    parts = path.split("/")
    return parts[0] if parts[0] == "bench" else "/".join(parts[:2])


def find_functions(tree: ast.AST, *, in_class: bool = False) -> Iterator[tuple[Function, bool]]:
    """Yield all functions, and whether each is a method."""
    for node in list_statements(tree):
        if isinstance(node, Function):
            yield node, in_class
        yield from find_functions(node, in_class=isinstance(node, ast.ClassDef))


def is_counted(function: Function, *, is_method: bool) -> bool:
    """Return False for special methods, properties, RPCs (`ClaimBlock`) and names that a library calls."""
    name = function.name
    decorators = {ast.unparse(one).rsplit(".", 1)[-1] for one in function.decorator_list}
    if name.startswith("__") and name.endswith("__"):
        return False
    if decorators & {"property", "cached_property", "setter"}:
        return False
    return not (is_method and (name in PROTOCOLS or name[0].isupper()))


def is_one_word(name: str) -> bool:
    return "_" not in name.lstrip("_")


@cache
def count_names() -> dict[str, list[str]]:
    """Return the names of all functions that count, by folder."""
    found = defaultdict(list)
    for path, names in read_names().items():
        found[folder_of(path)] += names.functions
    return found


@pytest.mark.parametrize("folder", sorted(SHARES))
def test_names_of_functions_are_verb_and_noun(folder: str) -> None:
    names = count_names()[folder]
    single = [name for name in names if is_one_word(name)]
    assert 100 * len(single) <= SHARES[folder] * len(names), Counter(single).most_common(20)


def test_every_folder_has_a_ceiling() -> None:
    assert {name for name in count_names() if not name.endswith(".py")} == set(SHARES)


@cache
def find_classes() -> dict[str, list[str]]:
    """Return the places of all classes outside of tests by name."""
    places = defaultdict(list)
    for path, names in read_names().items():
        if not path.startswith("tests/"):
            for name, line in names.classes:
                places[name].append(f"{path}:{line}")
    return places


def test_a_class_name_stands_at_most_twice() -> None:
    often = {name: places for name, places in find_classes().items() if len(places) > 2}
    assert {name: places for name, places in often.items() if name not in REPEATED} == {}


def test_every_exception_for_a_class_name_is_needed() -> None:
    assert {name for name in REPEATED if len(find_classes()[name]) <= 2} == set()


BLOCKS = """
class Outer:
    def method(self): pass
    class Inner:
        async def inner(self): pass
def nesting():
    if nested:
        def in_if(): pass
    else:
        def in_else(): pass
try:
    def in_try(): pass
except OSError:
    def in_except(): pass
else:
    def after_try(): pass
finally:
    def in_finally(): pass
match given:
    case 1:
        def in_case(): pass
with opened, (lambda: 1):
    for _ in range(2):
        def in_for(): pass
"""


def test_functions_and_classes_are_found_in_every_block() -> None:
    found = {(function.name, is_method) for function, is_method in find_functions(ast.parse(BLOCKS))}
    branches = {"in_if", "in_else", "in_try", "in_except", "after_try", "in_finally", "in_case", "in_for"}
    methods = {"method": True, "inner": True, "nesting": False}
    assert found == (methods | dict.fromkeys(branches, False)).items()
    assert list_names(ast.parse(BLOCKS)).classes == [("Outer", 2), ("Inner", 4)]
