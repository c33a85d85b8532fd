"""`maumau admin`: backups of an arena, for whoever runs it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from maumau.cli.output import Json
from maumau.cli.run import check_installed
from maumau.cli.start import hold

app = typer.Typer(
    help="Back up and restore an arena, on the host where its services run.", no_args_is_help=True
)

Place = Annotated[str, typer.Argument(metavar="PLACE", help="A folder, or s3://BUCKET/PREFIX.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="The arena's data folder; by default the one that MAUMAU_DATA and the other settings name."
    ),
]


@app.command()
def backup(
    place: Place,
    *,
    data: Data = None,
    keep: Annotated[int, typer.Option(min=0, help="Keep the newest N backups; 0 means all.")] = 0,
    as_json: Json = False,
) -> None:
    """Back up all databases, programs, exports and old records while the arena goes on.

    It runs where the services run and reads the same settings: MAUMAU_DATABASE_URL, MAUMAU_ARTIFACTS,
    MAUMAU_EXPORTS, MAUMAU_RECORDS and MAUMAU_DATA. A backup has the secrets of contests: keep it where nobody
    else reads it.

    Example: maumau admin backup s3://arena-backups/daily --keep 14
    """
    _run("backup", place, data, ["--keep", str(keep)], as_json=as_json)


@app.command()
def restore(
    place: Place,
    *,
    data: Data = None,
    name: Annotated[str, typer.Option(help="The backup; by default the newest.")] = "",
    as_json: Json = False,
) -> None:
    """Restore a backup into an empty arena, of either kind of database.

    Everything is checked before anything is changed. Start the services afterwards.

    Example: maumau admin restore s3://arena-backups/daily
    """
    _run("restore", place, data, ["--name", name], as_json=as_json)


@app.command()
def backups(
    place: Place,
    *,
    check: Annotated[bool, typer.Option("--check", help="Read every part and compare its SHA-256.")] = False,
    as_json: Json = False,
) -> None:
    """List the backups in a place, the oldest first.

    Example: maumau admin backups s3://arena-backups/daily --check
    """
    _run("list", place, None, ["--check"] if check else [], as_json=as_json)


def _run(verb: str, place: str, data: Path | None, flags: list[str], *, as_json: bool) -> None:
    """The platform's program takes this process's place."""
    check_installed("services.backup", "alembic", "fsspec", "sqlmodel")
    if data:
        os.environ["MAUMAU_DATA"] = str(data)
    words = [sys.executable, "-m", "services.backup", verb, place, *flags, *(["--json"] if as_json else [])]
    sys.stdout.flush()
    hold()
    os.execv(words[0], words)  # noqa: S606
