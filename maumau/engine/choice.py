"""The choice of the engine that this process uses: a kept build of exactly these sources, or the sources.

It is made once per process, when the first of the modules is imported: builds that come later are for later
processes. Modules compiled in place are used only where they were installed with their sources: in a checkout
they may be older than the sources.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader
from pathlib import Path

from maumau.engine import cache
from maumau.engine.modules import LIBRARY, PACKAGE, SUFFIX, compute_key

VARIABLE = "MAUMAU_ENGINE"
MODES = ("auto", "kept", "source")
"""Make builds and use them; only use them; neither."""


class Choice:
    """The choice, once it is made."""

    def __init__(self) -> None:
        self.reason = ""
        """Why kept builds cannot be used; empty if they can."""
        self.build: cache.Build | None = None
        self._is_made, self._is_hiding = False, False

    def make(self) -> None:
        """Make the choice, unless it has been made."""
        if self._is_made:
            return
        self._is_made = True
        if sys.platform != "linux" or is_installed_compiled():
            return
        self._is_hiding = find_in_place().exists()
        if read_mode() == "source":
            return
        try:
            self.build = cache.find_build(compute_key())
            if self.build:
                __import__(LIBRARY)  # fails on a disk from which nothing may be run
        except (cache.Unusable, OSError) as error:
            self.build, self.reason = None, str(error)
        except ImportError as error:
            self.build, self.reason = None, f"a kept build cannot be loaded: {error}"

    def find_spec(self, name: str, path: object) -> ModuleSpec | None:
        """Return the spec of a module, or None where Python itself finds the right file."""
        self.make()
        if self.build and (file := self.build.files.get(name)):
            return _make_spec(name, ExtensionFileLoader(name, str(file)))
        if self._is_hiding and isinstance(path, list):
            source = Path(path[0], f"{name.rpartition('.')[2]}.py")
            if source.exists():
                return _make_spec(name, SourceFileLoader(name, str(source)))
        return None

    def list_files(self) -> list[tuple[str, Path]]:
        """Return the files of the build in use, by their places beside the sources."""
        self.make()
        files = self.build.files.values() if self.build else ()
        return [(str(path.relative_to(self.build.folder)), path) for path in files if self.build]


CHOICE = Choice()


def read_mode() -> str:
    """Return the mode that is set; an unknown one counts as `source`, and maumau.engine.state reports it."""
    mode = os.environ.get(VARIABLE) or MODES[0]
    return mode if mode in MODES else "source"


def is_checkout() -> bool:
    """Return True if this is a checkout, whose sources change."""
    return PACKAGE.parent.joinpath("pyproject.toml").exists()


def find_in_place() -> Path:
    """Return the path of the library of modules compiled in place."""
    return PACKAGE.parent / f"{LIBRARY}{SUFFIX}"


def is_installed_compiled() -> bool:
    """Return True if this installation came with its compiled modules, as the image does."""
    return find_in_place().exists() and not is_checkout()


def _make_spec(name: str, loader: ExtensionFileLoader | SourceFileLoader) -> ModuleSpec | None:
    from importlib.util import spec_from_file_location

    return spec_from_file_location(name, loader.path, loader=loader)
