"""Identification of this installation: version, commit, protocol, and the rules that it plays."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import msgspec

from maumau import game
from maumau.engine.state import describe as describe_engine
from maumau.protocol.message import VERSION as PROTOCOL

HERE = Path(__file__).parent
RECORDED = HERE / "COMMIT"
"""Written by deploy/Dockerfile into a package that is built without a repository."""

NEW_CODE = ("?? maumau/", "?? services/")
"""Lines of `git status --porcelain` for files that git does not know yet and a build has all the same."""


class Build(msgspec.Struct, frozen=True):
    """The build of this installation: its commit, its rules and its engine.

    commit: "" if unknown; it may end in `-changed`. rules: the hash of each variant's rules, as exports have
    it. rules_hash: SHA-256 of the lines "NAME HASH" of all variants, sorted by name. compiled: True if the
    engine is compiled. engine: its description, with the reason if it is not compiled.
    """

    version: str
    commit: str
    protocol: int
    python: str
    compiled: bool
    engine: str
    rules_hash: str
    rules: dict[str, str]


def describe_build() -> Build:
    """Return the identification of this build; loads all variants."""
    rules = {name: game.load(name).hash for name in sorted(game.variants())}
    engine = describe_engine()
    lines = "".join(f"{name} {digest}\n" for name, digest in rules.items())
    return Build(
        version=version("maumau-arena"),
        commit=find_commit(),
        protocol=PROTOCOL,
        python=platform.python_version(),
        compiled=engine.is_compiled,
        engine=engine.words,
        rules_hash=hashlib.sha256(lines.encode()).hexdigest(),
        rules=rules,
    )


def find_commit() -> str:
    """Return the recorded commit, or that of the checkout, with `-changed` if it has local changes."""
    if RECORDED.exists():
        return RECORDED.read_text().strip()
    if not (HERE.parent / ".git").exists():
        return ""
    try:
        return _ask_git("rev-parse", "HEAD") + ("-changed" if _has_changes() else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _has_changes() -> bool:
    """Return True if the checkout's own files differ; bots and exports beside them are not of the build."""
    lines = _ask_git("status", "--porcelain").splitlines()
    return any(not line.startswith("??") or line.startswith(NEW_CODE) for line in lines)


def _ask_git(*words: str) -> str:
    command = ["git", "-C", str(HERE.parent), *words]
    asked = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", timeout=10)
    return asked.stdout.strip()
