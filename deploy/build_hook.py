"""Puts the services into the wheel, and the compiled engine from the folder that MAUMAU_COMPILED names.

Hatchling calls it (pyproject.toml).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SERVICES = "maumau/installed/services"
"""The place of `services` in the wheel: an author's environment gets no such package (decision 4)."""

COMMIT = "maumau/COMMIT"
"""The file that `maumau --version` reads where there is no checkout."""

NEW_CODE = ("?? maumau/", "?? services/")
"""Lines of `git status --porcelain` for files that git does not know yet and the wheel has all the same."""


def ask_commit(root: Path) -> str:
    """Return the commit of a checkout, with `-changed` if it has local changes.

    It is empty where there is no checkout, or where the file exists already, as in the build of the image.
    """
    if (root / COMMIT).exists() or not (root / ".git").exists():
        return ""
    try:
        return ask_git(root, "rev-parse", "HEAD") + ("-changed" if has_changes(root) else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def has_changes(root: Path) -> bool:
    """Return True if the checkout's own files differ, as maumau/build.py asks it, too; raise as `ask_git`."""
    lines = ask_git(root, "status", "--porcelain").splitlines()
    return any(not line.startswith("??") or line.startswith(NEW_CODE) for line in lines)


def ask_git(root: Path, *words: str) -> str:
    """Return what git says; raise OSError or SubprocessError."""
    command = ["git", "-C", str(root), *words]
    return subprocess.run(
        command, capture_output=True, check=True, encoding="utf-8", timeout=10
    ).stdout.strip()


class ServicesAndEngine(BuildHookInterface[Any]):
    """Adds the services, and the modules of a kept build or those that deploy/compiled.py made."""

    @property
    def _commit(self) -> Path:
        return Path(self.directory) / ".commit"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Implement hatchling's hook after the wheel is written."""
        self._commit.unlink(missing_ok=True)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Implement hatchling's hook before the wheel is written; version is `standard` or `editable`."""
        if version != "standard":
            return
        root = Path(self.root)
        build_data["force_include"][str(root / "services")] = SERVICES
        if commit := ask_commit(root):
            self._commit.write_text(f"{commit}\n", encoding="utf-8")
            build_data["force_include"][str(self._commit)] = COMMIT
        if not (given := os.environ.get("MAUMAU_COMPILED")):
            return
        folder = root / given
        modules = [*folder.glob("maumau__mypyc*.so"), *folder.glob("maumau/**/*.so")]
        if not modules:
            raise FileNotFoundError(f"nothing is compiled in {folder}: run deploy/compiled.py first")
        build_data["force_include"] |= {str(path): str(path.relative_to(folder)) for path in modules}
        build_data["pure_python"], build_data["infer_tag"] = False, True
