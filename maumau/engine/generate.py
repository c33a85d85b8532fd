"""Translate the engine to C and compile it in place: `python generate.py MODULE…` in a folder of sources.

A program of its own, for a Python that has mypyc: it imports nothing of maumau.
"""

from __future__ import annotations

import sys

from mypyc.build import mypycify
from setuptools import setup

CHEAP = ("-g0", "-w", "-Wno-all")
"""Options that save time: no debugging symbols, and no search for what could be wrong in generated code."""


def main() -> None:
    """Compile the modules named; the first two arguments are the group's name and the level."""
    group, level, *names = sys.argv[1:]
    modules = mypycify(
        ["--strict", "--follow-imports=silent", "--no-incremental", *names],
        group_name=group,
        target_dir="build",
    )
    for module in modules:
        module.extra_compile_args = [f"-O{level}", *CHEAP]
    setup(name=f"{group}-compiled", packages=[], ext_modules=modules, script_args=["-q", "build_ext", "-i"])


if __name__ == "__main__":
    main()
