"""What can be done after a demonstration, as commands to copy."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def own_command() -> str:
    """How this very `maumau` is called in the present folder."""
    script = Path(sys.executable).with_name("maumau")
    found = shutil.which("maumau")
    if found and Path(found).resolve() == script.resolve():
        return "maumau"
    return _shown(script)


def after_demo(export: Path) -> list[str]:
    """Lines that follow the result of `maumau demo`."""
    verify = f"  {own_command()} verify {_shown(export)}"
    return ["Next, play all of it again from the export and compare, without an arena:", verify]


def after_tour(folder: Path, name: str) -> list[str]:
    """Lines that follow the last tournament of `maumau up --demo`; the arena of `folder` still runs."""
    maumau = own_command()
    found = folder.resolve() == (Path.cwd() / ".maumau").resolve()
    arena = "" if found else f" --arena {_shown(folder)}"
    told = {
        f"{maumau} tournament show {name}{arena}": "bracket and table",
        f"{maumau} tournament export {name}{arena}": "all that was played, in one file",
        f"{maumau} verify {name}.export.jsonl": "plays it again and compares",
        f"{maumau} new my-bot": "a bot of your own",
        f"{maumau} play my-bot greedy": "one deal, card by card",
        f"{maumau} login --new NAME{arena}": "an account to submit it with",
        f"{maumau} submit my-bot --watch{arena}": "submits it to the arena",
    }
    width = max(map(len, told))
    lines = [f"  {command:<{width}}  {what}" for command, what in told.items()]
    return [
        "All tournaments are decided; the arena goes on. In a second terminal, in this folder:",
        *lines,
    ]


def _shown(path: Path) -> str:
    """The path as short as it can be written here, quoted for a shell."""
    here = Path.cwd()
    whole = Path(path).absolute()
    return shlex.quote(str(whole.relative_to(here) if whole.is_relative_to(here) else whole))
