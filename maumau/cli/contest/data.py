"""`maumau data`: a contest or a ladder as tables for analysis."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from maumau.cli.shared import place
from maumau.errors import BadRequest
from maumau.screen.output import Json, Where, count_things, json_line, show

if TYPE_CHECKING:
    from maumau.data.file import DataFile, TableFiles

LADDER = "ladder:"
Format = Literal["parquet", "csv", "jsonl"]
TIMES = ["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]

Contest = Annotated[str, typer.Argument(metavar="CONTEST", help="A tournament that is over, or ladder:NAME.")]
Since = Annotated[
    datetime | None,
    typer.Option(
        metavar="TIME",
        formats=TIMES,
        help="For a ladder: only epochs that ended at this time (UTC) or later.",
    ),
]
FileFormat = Annotated[Format, typer.Option("--format", help="The format of the files.")]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FOLDER", help="The folder to write; by default CONTEST.data, with - for :."
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("data")(write_data)


def write_data(
    contest: Contest,
    *,
    since: Since = None,
    form: FileFormat = "parquet",
    out: Out = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Write the records, deal sets and ratings of a contest as tables.

    The folder gets three files and a manifest, whole or not at all. Columns: docs/reference/data.md.

    Example: maumau data winter-cup --format csv

    Example: maumau data ladder:prsi --since 2026-11-01
    """
    from maumau.data.source import write_contest

    folder = out or Path(f"{contest.replace(':', '-')}.data")
    if contest.startswith(LADDER):
        found = _write_ladder(contest.removeprefix(LADDER), since, folder, form, arena)
    elif since:
        raise BadRequest("--since chooses epochs of a ladder; a tournament is written whole.", field="since")
    else:
        with place.connect_arena(arena) as link:
            found = write_contest(link, contest, folder, form)
    if as_json:
        json_line({"contest": contest, "folder": str(folder), "files": found.files})
        return
    show(*(_describe(folder, file) for file in found.files))


def _write_ladder(
    ladder: str, since: datetime | None, folder: Path, form: Format, arena: str | None
) -> TableFiles:
    from maumau.data.source import LadderPart, choose_epochs, write_ladder

    from_time = since.replace(tzinfo=UTC) if since else None
    with place.connect_matchmaking(arena) as link:
        every = link.epochs(ladder)
        part = LadderPart(every, choose_epochs(every, ladder, from_time), from_time)
        return write_ladder(link, ladder, part, folder, form)


def _describe(folder: Path, file: DataFile) -> str:
    return f"{folder / file.name}: {count_things(file.rows, 'row')}, {file.bytes / 1e6:,.1f} MB"
