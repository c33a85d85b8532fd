"""`maumau verify`: checks an export without an arena, on all cores."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.output import Json, json_line, progress, show
from maumau.errors import BadFile

if TYPE_CHECKING:
    from maumau.contest.verify import Report

DIFFERS = 4
SECRET = {
    "drawn": "the secret was drawn by the arena, as the export says",
    "given": "the secret was given by who made the tournament, as the export says",
}


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(verify)


def verify(
    path: Annotated[Path, typer.Argument(metavar="EXPORT", help="A file from `tournament export`.")],
    *,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Processes; 0 is one per core.")] = 0,
    as_json: Json = False,
) -> None:
    """Check an export: hashes, seeds, every record played again, scores, ratings, table."""
    from maumau.contest import verify as contest

    with _spread(jobs or _cores(), _records(path)) as mapped:
        report = contest.verify(path, mapped)
    if as_json:
        json_line({"ok": report.ok, "report": report})
    else:
        show(*_said(path, report))
    if not report.ok:
        raise typer.Exit(DIFFERS)


def _said(path: Path, report: Report) -> Iterator[str]:
    counted = f"{report.lines:,} lines, {report.matches:,} matches, {report.sets:,} deal sets played again"
    if report.ok:
        yield f"{path} agrees: {counted}"
        if report.secret:
            yield SECRET[report.secret]
        return
    yield f"{path} differs in {report.differing:,} places: {counted}"
    for each in report.differences:
        yield f"line {each.line}, {each.field}: said {each.said}, found {each.found}"


@contextmanager
def _spread(processes: int, total: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A map over processes that moves a bar; its results are lists, one element for each of the total."""
    # forked before the bar's thread begins
    fork = "fork" if sys.platform == "linux" else None
    with get_context(fork).Pool(processes) as pool, progress("playing records again", total) as (bar, task):

        def mapped(function: Callable[[Any], list[Any]], jobs: Iterable[Any]) -> Iterator[list[Any]]:
            for result in pool.imap(function, jobs):
                bar.advance(task, len(result))
                yield result

        yield mapped


def _cores() -> int:
    """Those that this process may use, where the system says so."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _records(path: Path) -> int:
    """How many records the file holds."""
    from maumau.contest.sheet import RECORD

    try:
        with path.open("rb") as file:
            return sum(line.startswith(RECORD) for line in file)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
