"""Compile the engine and the busiest parts of the table with mypyc, from the same source.

    python deploy/compiled.py [FOLDER]

FOLDER (the checkout, if none is named) gets the compiled modules beside their sources, where Python finds
them first. They are an extra: without them everything works as it stands. `make pure` takes them away again,
and so does every other target as soon as a source is newer.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from mypyc.build import mypycify
from setuptools import setup

GROUP = "maumau"  # the module with all the compiled code is called after it: maumau__mypyc
SLOW = {"__init__", "mistake", "scenario"}  # nobody waits for these
TABLE = ("cgroup", "channel", "play", "process", "question", "seating")
DECLARES = ("(Struct", "(msgspec.Struct")  # msgspec makes these classes itself


def sources() -> list[Path]:
    """The modules to compile: the game, and of the table what runs for every decision."""
    game = [path for path in sorted(Path("maumau/game").glob("*.py")) if path.stem not in SLOW]
    found = game + [Path("maumau/bot", f"{name}.py") for name in TABLE]
    return [path for path in found if not any(word in path.read_text() for word in DECLARES)]


def main() -> None:
    """Compile in place."""
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    modules = mypycify(
        ["--strict", "--follow-imports=silent", *map(str, sources())], group_name=GROUP, target_dir="build"
    )
    setup(
        name="maumau-compiled",
        packages=[],
        ext_modules=modules,
        script_args=["-q", "build_ext", "--inplace"],
    )


if __name__ == "__main__":
    main()
