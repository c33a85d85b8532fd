"""What exactly is installed here: version, commit, protocol, and the rules that it plays."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

import msgspec

from maumau import game
from maumau.bot.message import VERSION as PROTOCOL
from maumau.game import turn

HERE = Path(__file__).parent
RECORDED = HERE / "COMMIT"
"""Written into a package when it is built where there is no repository: deploy/Dockerfile."""


class Build(msgspec.Struct, frozen=True):
    """commit: "" if nobody knows; it may end in `-changed`. rules: the hash of each variant's
    rules, as exports have it.

    rules_hash: SHA-256 of the lines "NAME HASH" of all variants, in the order of their names.
    compiled: whether the engine is.
    """

    version: str
    commit: str
    protocol: int
    python: str
    compiled: bool
    rules_hash: str
    rules: dict[str, str]


def describe_build() -> Build:
    """Loads all variants."""
    rules = {name: game.load(name).hash for name in sorted(game.variants())}
    lines = "".join(f"{name} {digest}\n" for name, digest in rules.items())
    return Build(
        version=version("maumau-arena"),
        commit=find_commit(),
        protocol=PROTOCOL,
        python=platform.python_version(),
        compiled=not (turn.__file__ or "").endswith(".py"),
        rules_hash=hashlib.sha256(lines.encode()).hexdigest(),
        rules=rules,
    )


def find_commit() -> str:
    """That which was recorded, else that of the checkout, with `-changed` if it has changes of its own."""
    if RECORDED.exists():
        return RECORDED.read_text().strip()
    if not (HERE.parent / ".git").exists():
        return ""
    try:
        return _ask_git("rev-parse", "HEAD") + ("-changed" if _ask_git("status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _ask_git(*words: str) -> str:
    command = ["git", "-C", str(HERE.parent), *words]
    return subprocess.run(command, capture_output=True, check=True, text=True, timeout=10).stdout.strip()
