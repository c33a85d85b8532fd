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

from maumau.cli.shared.bounded import is_plain
from maumau.errors import BadFile
from maumau.process.spread import spread
from maumau.screen.output import Json, json_line, plain, progress, show

if TYPE_CHECKING:
    from maumau.contest.export.verify import Report

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
    """Register the command."""
    app.command("verify")(verify_export)


def verify_export(
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
    from maumau.contest.export import verify as contest

    hashes = _parse_hashes(seen or [])
    records = _count_records(path)
    with _map_over_processes(jobs or min(_count_cores(), records // WORTH_A_PROCESS), records) as mapped:
        report = contest.verify(path, mapped, hashes)
    if as_json:
        json_line({"ok": report.ok, "report": report})
    else:
        show(*_describe_report(path, report))
    if not report.ok:
        raise typer.Exit(DIFFERS)


def _describe_report(path: Path, report: Report) -> Iterator[str]:
    counted = f"{report.lines:,} lines, {report.matches:,} matches, {report.sets:,} deal sets played again"
    for hash_ in report.missed:
        other = "" if not report.sealed else ", nor the commitment to its rules"
        yield f"{path} is not what was told: {hash_} is neither compared nor a link of its chain{other}"
    if report.differing:
        places = "1 place" if report.differing == 1 else f"{report.differing:,} places"
        yield f"{path} differs in {places}: {counted}"
        for each in report.differences:
            yield f"line {each.line}, {each.field}: said {each.said}, found {each.found}"
        return
    yield f"{path} agrees{' in itself' if report.missed else ''}: {counted}"
    yield from _describe_rules(report)
    yield from _describe_vouched_hashes(report)
    yield from _list_departures(report)
    yield from _list_protests(report)
    for label, number in report.retaken.items():
        take = report.fresh_seeds.get(label)
        seeds = f" (with fresh seeds since take {take})" if take else ""
        again = "decided without play" if label in report.walkovers else f"played again{seeds}"
        yield (f"match {label} was taken back and {again}: links before number {number} say nothing of it")
    for label, reasons in report.reasons.items():
        for take, reason in enumerate(reasons, start=2):
            yield f"match {label}, take {take}: {reason or 'no reason is given'}"
    if report.secret:
        yield SECRET[report.secret]
    yield from _list_nonces(report)
    yield f"compared: {report.compared} (what the arena told at the end must be the same)"


def _describe_vouched_hashes(report: Report) -> Iterator[str]:
    """Yield how far the hashes reach that somebody saw."""
    if 0 < report.vouched < report.links:
        yield (
            f"what you saw vouches for links 1 to {report.vouched} of {report.links};"
            " only a later link, or `compared`, can vouch for what came after"
        )


def _list_departures(report: Report) -> Iterator[str]:
    """Yield the departures during play, and the booked blocks of matches that were won without play."""
    for one in report.departed:
        link = f" (link {one.link})" if one.link else " (no link tells when)"
        yield (
            f"{one.name} was disqualified{link}: {one.reason}"
            if one.reason
            else f"{one.name} was withdrawn{link}"
        )
    for label, walkover in report.walkovers.items():
        if walkover.blocks:
            first, last = walkover.first_link, walkover.last_link
            links = f"link {first}" if first == last else f"links {first} to {last}"
            blocks = "1 block" if walkover.blocks == 1 else f"{walkover.blocks} blocks"
            yield (
                f"match {label} is a walkover, because {walkover.loser} was {walkover.rule},"
                f" although {blocks} of it had been booked ({links})"
            )


def _describe_rules(report: Report) -> Iterator[str]:
    """Yield remarks on the rules, and on those by which faults count."""
    if report.sealed:
        yield f"mystery rules: they are those to which {report.sealed} was published before"
    if report.own_rules:
        yield f"played by a rule text of its own under a known variant's name, hash {report.own_rules}"
    if report.early_forfeits:
        deals = "1 deal" if report.early_forfeits == 1 else f"{report.early_forfeits:,} deals"
        yield f"faults in {deals} count as they did when these were played: version 1 of forfeits"


def _list_protests(report: Report) -> Iterator[str]:
    """Yield the protests against the result, each with its answer."""
    for one in report.protests:
        link = f" (link {one.link})" if one.link else ""
        said = f"{one.state}: {plain(one.answer)}" if one.answer else "not answered"
        yield f"protest {one.number} of {plain(one.name)}{link}: {plain(one.text)}; {said}"


def _list_nonces(report: Report) -> Iterator[str]:
    """Yield the entrants whose nonces are in the seeds, and how many sets of deals could be chosen from."""
    if report.opened:
        yield f"the deals come from nonces too: of {', '.join(report.opened)}"
    if report.unopened:
        yield (
            f"never opened: the nonces of {', '.join(report.unopened)}; whoever knew the secret and could"
            f" keep them back chose between {2 ** len(report.unopened):,} sets of deals"
        )


def _parse_hashes(seen: Sequence[str]) -> list[str]:
    """Return hashes as the arena writes them; a whole link with its number is accepted too."""
    found = [text.split(" ")[-1].lower() for text in seen]
    for text, hash_ in zip(seen, found, strict=True):
        if not HASH.fullmatch(hash_):
            words = f"{text!r} is not a hash: 64 hex digits, or at least the first 16"
            raise typer.BadParameter(words, param_hint="--compared")
    return found


@contextmanager
def _map_over_processes(processes: int, total: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a map over processes that moves a bar; its results are lists, one element per unit of `total`."""
    with ExitStack() as stack:
        spread_map = stack.enter_context(spread(processes)).map if processes > 1 else map
        bar, task = stack.enter_context(progress("playing records again", total))

        def map_jobs(function: Callable[[Any], list[Any]], jobs: Iterable[Any]) -> Iterator[list[Any]]:
            for result in spread_map(function, jobs):
                bar.advance(task, len(result))
                yield result

        yield map_jobs


def _count_cores() -> int:
    """Return the number of cores that this process may use, as far as the system says."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _count_records(path: Path) -> int:
    """Return the number of records in the file."""
    from maumau.contest.export.sheet import RECORD

    try:
        with path.open("rb") as file:
            if not is_plain(os.fstat(file.fileno())):
                raise BadFile(f"{path} is not a plain file, which is needed: it is read more than once")
            return sum(line.startswith(RECORD) for line in iter(partial(file.readline, CHUNK), b""))
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
