"""`maumau verify`: checks an export without an arena, on all cores."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.output import Json, json_line, progress, show
from maumau.errors import BadFile
from maumau.spread import spread

if TYPE_CHECKING:
    from maumau.contest.verify import Report

DIFFERS = 4
WORTH_A_PROCESS = 100  # records that take about as long as the start of a process
CHUNK = 1 << 20  # bytes of a line that are looked at together
HASH = re.compile(r"[0-9a-f]{16,64}")

Seen = Annotated[
    list[str] | None,
    typer.Option(
        "--compared",
        metavar="HASH",
        help="A hash that the arena announced: `compared`, or a link of the chain; repeatable.",
    ),
]
SECRET = {
    "drawn": "the secret was drawn by the arena, as the export says",
    "given": "the secret was given by who made the tournament, as the export says",
}


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(verify)


def verify(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="EXPORT", help="A file written by `maumau tournament export` or `maumau ladder export`."
        ),
    ],
    *,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Number of processes; 0 means up to one per core.")
    ] = 0,
    seen: Seen = None,
    as_json: Json = False,
) -> None:
    """Check an export without the arena: hashes, seeds, all deals played again, ratings, the final table.

    With --compared, also find out whether this is the tournament that was watched.

    Example: maumau verify cup.export.jsonl
    """
    from maumau.contest import verify as contest

    hashes = _hashes(seen or [])
    records = _records(path)
    with _spread(jobs or min(_cores(), records // WORTH_A_PROCESS), records) as mapped:
        report = contest.verify(path, mapped, hashes)
    if as_json:
        json_line({"ok": report.ok, "report": report})
    else:
        show(*_said(path, report))
    if not report.ok:
        raise typer.Exit(DIFFERS)


def _said(path: Path, report: Report) -> Iterator[str]:
    counted = f"{report.lines:,} lines, {report.matches:,} matches, {report.sets:,} deal sets played again"
    for hash_ in report.missed:
        yield f"{path} is not what was told: {hash_} is neither compared nor a link of its chain"
    if report.differing:
        places = "1 place" if report.differing == 1 else f"{report.differing:,} places"
        yield f"{path} differs in {places}: {counted}"
        for each in report.differences:
            yield f"line {each.line}, {each.field}: said {each.said}, found {each.found}"
        return
    yield f"{path} agrees{' in itself' if report.missed else ''}: {counted}"
    for label, number in report.retaken.items():
        take = report.fresh_seeds.get(label)
        seeds = f" (with fresh seeds since take {take})" if take else ""
        yield (
            f"match {label} was taken back and played again{seeds}:"
            f" links before number {number} say nothing of it"
        )
    for label, reasons in report.reasons.items():
        for take, reason in enumerate(reasons, start=2):
            yield f"match {label}, take {take}: {reason or 'no reason is given'}"
    if report.secret:
        yield SECRET[report.secret]
    yield from _nonces(report)
    yield f"compared: {report.compared} (what the arena told when the tournament ended must be the same)"


def _nonces(report: Report) -> Iterator[str]:
    """Whose nonces are in the seeds, and how many sets of deals there were to choose from."""
    if report.opened:
        yield f"the deals come from nonces too: of {', '.join(report.opened)}"
    if report.unopened:
        yield (
            f"never opened: the nonces of {', '.join(report.unopened)}; whoever knew the secret and could"
            f" keep them back chose between {2 ** len(report.unopened):,} sets of deals"
        )


def _hashes(seen: Sequence[str]) -> list[str]:
    """As the arena writes them: also a whole link, with its number before it."""
    found = [text.split(" ")[-1].lower() for text in seen]
    for text, hash_ in zip(seen, found, strict=True):
        if not HASH.fullmatch(hash_):
            words = f"{text!r} is not a hash: 64 hex digits, or at least the first 16"
            raise typer.BadParameter(words, param_hint="--compared")
    return found


@contextmanager
def _spread(processes: int, total: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A map over processes that moves a bar; its results are lists, one element for each of the total."""
    with ExitStack() as stack:
        spread_map = stack.enter_context(spread(processes)).map if processes > 1 else map
        bar, task = stack.enter_context(progress("playing records again", total))

        def mapped(function: Callable[[Any], list[Any]], jobs: Iterable[Any]) -> Iterator[list[Any]]:
            for result in spread_map(function, jobs):
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
            return sum(line.startswith(RECORD) for line in iter(partial(file.readline, CHUNK), b""))
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
