"""The extras of the package bring all that an arena imports, so that its wheel alone starts one."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

SERVICES = ("engine", "matchmaking", "registry", "supervisor", "tournament", "web", "worker")
APPS = tuple(f"services.{name}.app" for name in SERVICES)
BROKER = "kombu.transport.redis"
"""Celery imports it when it knows the broker's address."""
BLOCKING = """
import importlib, sys

blocked, modules = (words.split() for words in sys.argv[1:])

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}, which no extra brings", name=name)

sys.meta_path.insert(0, Blocker())
for module in modules:
    importlib.import_module(module)
"""


def list_needs(name: str, extras: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the distributions, each with its extras, that one needs here."""
    try:
        found = [Requirement(one) for one in requires(name) or []]
    except PackageNotFoundError:  # for another platform
        return
    for one in found:
        if any(one.marker is None or one.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield canonicalize_name(one.name), frozenset(one.extras)


def find_closure(name: str, extras: Iterable[str]) -> set[str]:
    """Return the names of all distributions that are installed with this one and these extras."""
    seen, left = set(), [(name, frozenset(extras))]
    while left:
        if (one := left.pop()) not in seen:
            seen.add(one)
            left += list_needs(*one)
    return {name for name, _ in seen}


@pytest.mark.parametrize(
    "modules", [("services.worker.app", BROKER), pytest.param(APPS, marks=pytest.mark.long)]
)
def test_an_arena_imports_only_what_its_extra_brings(modules):
    brought = find_closure("maumau-arena", ["platform"])
    assert {"celery", "grpcio", "redis"} <= brought
    assert "pytest" not in brought
    blocked = [
        module
        for module, owners in packages_distributions().items()
        if brought.isdisjoint(map(canonicalize_name, owners))
    ]
    command = [sys.executable, "-c", BLOCKING, " ".join(blocked), " ".join(modules)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
