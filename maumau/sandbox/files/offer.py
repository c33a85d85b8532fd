"""The runtimes a machine offers to programs: found on the host, shown read-only in the sandbox."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from maumau.protocol.runtime import RUNTIMES, SAYS, TOOLS
from maumau.sandbox.files import artifact_cache

SYSTEM = Path("/usr")
WAIT = 20.0  # seconds for a tool to say its version


class Offer(msgspec.Struct, frozen=True):
    """A runtime on this machine; `missing` is why it is not offered, empty if it is."""

    name: str
    says: str
    version: str
    path: str
    missing: str


def list_offers(*, own_user: bool) -> list[Offer]:
    """Return every runtime with its version; `own_user`: the seats' own users must be able to read it."""
    own = ".".join(map(str, sys.version_info[:3]))
    libc = os.confstr("CS_GNU_LIBC_VERSION") if "CS_GNU_LIBC_VERSION" in os.confstr_names else ""
    found = [
        Offer("python", SAYS["python"], f"Python {own}", sys.executable, ""),
        Offer("native", SAYS["native"], libc or "", "/usr", ""),
    ]
    return found + [_find_offer(name, own_user=own_user) for name in TOOLS]


def explain_missing(name: str, *, own_user: bool) -> str:
    """Return why this runtime is not offered here, with those that are; empty if it is offered."""
    if name not in TOOLS or not (why := _why_not(name, own_user=own_user)):
        return ""
    here = [each for each in RUNTIMES if each not in TOOLS or not _why_not(each, own_user=own_user)]
    return _not_among(name, here, f": {why}")


def missing_among(name: str, offered: Sequence[str]) -> str:
    """Return why this runtime is not among those known to be offered, such as by other machines."""
    here = [each for each in RUNTIMES if each not in TOOLS or each in offered]
    return "" if name in here else _not_among(name, here)


def _not_among(name: str, here: Sequence[str], why: str = "") -> str:
    return f"the runtime {name} is not offered here{why}; offered are {', '.join(here)}"


def list_homes(*, own_user: bool) -> list[Path]:
    """Return the folders outside /usr that hold offered runtimes, each with programs in `bin`."""
    found = [_find_home(name) for name in TOOLS if not _why_not(name, own_user=own_user)]
    return list(dict.fromkeys(home for home in found if home and not home.is_relative_to(SYSTEM)))


def _find_offer(name: str, *, own_user: bool) -> Offer:
    tool, why = TOOLS[name], _why_not(name, own_user=own_user)
    home = _find_home(name)
    path = home / "bin" / tool.program if home else None
    version = "" if why or not path else _first_line([str(path), *tool.version])
    return Offer(name, tool.says, version, str(path or ""), why)


def _why_not(name: str, *, own_user: bool) -> str:
    home, program = _find_home(name), TOOLS[name].program
    if home is None:
        return f"{program} was not found in /usr/bin or on the PATH"
    if own_user and not artifact_cache.is_readable_by_all(home / "bin" / program):
        return f"{home / 'bin' / program} cannot be read by the users that programs run as"
    return ""


@functools.cache
def _find_home(name: str) -> Path | None:
    """Return the folder above `bin` of the runtime's program; the system's has priority."""
    tool = TOOLS[name]
    if (SYSTEM / "bin" / tool.program).exists():
        return SYSTEM
    found = shutil.which(tool.program)
    if found is None:
        return None
    said = _first_line([found, *tool.home]) if tool.home else ""  # a wrapper such as rustup's knows better
    home = Path(said) if said else Path(found).resolve().parents[1]
    return home if (home / "bin" / tool.program).is_file() else None


def _first_line(command: list[str]) -> str:
    """Return the first line of a tool's output or error output; empty if it cannot be run."""
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=WAIT, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else ""
