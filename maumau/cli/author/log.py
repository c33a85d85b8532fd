"""`maumau logs`."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import place
from maumau.cli.shared.version import Number, find_version
from maumau.errors import BadFile, NotFound
from maumau.screen.output import Json, Where, json_line, plain, show

if TYPE_CHECKING:
    from maumau.client.answer import GetFaultResponse

POLL = 0.3

Named = Annotated[
    str | None,
    typer.Argument(
        help="The name of a bot or the id of a version, for its validation; or the id of a fault."
    ),
]
OfContest = Annotated[
    str | None,
    typer.Option(
        "--contest", "--tournament", help="With the name of a bot: list its faults in this contest."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Write the fault to this file: .html for a page, else for `maumau reproduce`."),
]
Process = Annotated[
    str | None, typer.Option(help="A process of the arena on this machine; `all` means all of them.")
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")]
LineCount = Annotated[
    int,
    typer.Option("--limit", "-n", min=1, help="How many of the last lines of the process's log to show."),
]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("logs")(show_logs)


def show_logs(  # noqa: PLR0913 - a flag for everything that may be chosen
    version: Named = None,
    number: Number = None,
    *,
    tournament: OfContest = None,
    out: Out = None,
    service: Process = None,
    follow: Follow = False,
    lines: LineCount = 50,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show the log of a validation, everything about a fault, or with --service the log of a process.

    Example: maumau logs my-bot --contest cup
    """
    _check_named(version, service, out)
    if number and (tournament or (version or "").startswith("fault_")):
        raise typer.BadParameter(
            "a version number selects the log of a validation, not of a contest or a fault"
        )
    if version is None:
        _show_process_logs(service or "", lines, arena, follow=follow, as_json=as_json)
    elif version.startswith("fault_"):
        _show_fault(version, out, arena, as_json=as_json)
    elif tournament:
        _list_faults(version, tournament, arena, as_json=as_json)
    else:
        _show_validation_log(version, number, arena, as_json=as_json)


def _check_named(version: str | None, service: str | None, out: Path | None) -> None:
    if (version is None) == (service is None):
        raise typer.BadParameter("name a version, a bot or a fault, or a process with --service")
    if out and not (version or "").startswith("fault_"):
        raise typer.BadParameter("--out is for a fault, by its id")


def _show_process_logs(service: str, lines: int, arena: str | None, *, follow: bool, as_json: bool) -> None:
    for name, line in _of_processes(_find_logs(service, arena), lines, follow=follow):
        if as_json:
            json_line({"service": name, "line": line})
        else:
            show(f"{name}: {line}" if service == "all" else line)


def _show_validation_log(version: str, number: str | None, arena: str | None, *, as_json: bool) -> None:
    with place.connect_arena(arena) as link:
        found = find_version(link, version, number)
        text = link.log(found)
    if as_json:
        json_line({"version": found, "log": text})
    else:
        show(plain(text.rstrip("\n")) or "the log is empty")


def _show_fault(name: str, out: Path | None, arena: str | None, *, as_json: bool) -> None:
    from maumau.page.fault import fault_head, fault_parts
    from maumau.screen.fault import fault_page

    with place.connect_arena(arena) as link:
        found = link.fault(name)
    if out and out.suffix == ".html":
        fault_page(out, name, found)
    elif out:
        _write_bundle(out, found)
    if out and as_json:
        json_line({"fault": name, "file": str(out)})
    elif out:
        show(f"{out}: {fault_head(found)}", _describe_purpose(out, found))
    elif as_json:
        json_line(found)
    else:
        show(*fault_parts(found))


def _describe_purpose(out: Path, found: GetFaultResponse) -> str:
    """Return the purpose of the file that was written."""
    from maumau.protocol.fault import FORFEIT

    if found.fault and found.fault.kind == FORFEIT:
        return "the program was no longer asked; the faults before this one can be reproduced"
    if out.suffix == ".html":
        return "open it in a browser: it shows where the deal was lost, and everything about the fault"
    return f"`maumau reproduce {out} BOT` asks a bot the same questions again"


def _write_bundle(path: Path, found: GetFaultResponse) -> None:
    import msgspec

    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None


def _list_faults(bot: str, tournament: str, arena: str | None, *, as_json: bool) -> None:
    """Show the faults of a bot, match by match."""
    from maumau.screen.fault import fault_line

    with place.connect_arena(arena) as link:
        mine = [one for one in link.matches(tournament) if bot in one.names.values()]
        found = [(one.label, each) for one in mine for each in link.faults(tournament, one.label, bot)]
    if as_json:
        json_line([{"label": label, "fault": each} for label, each in found])
        return
    for label, each in found:
        show(fault_line(each, f"match {label}, "))
    if not found:
        show(f"{bot} has no faults in {tournament}")


def _of_processes(paths: list[Path], lines: int, *, follow: bool) -> Iterator[tuple[str, str]]:
    ends: dict[Path, int] = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                for line in deque(file, lines):
                    yield path.stem, _plain_text(line)
                ends[path] = file.tell()
        except OSError as error:
            raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    while follow:
        time.sleep(POLL)
        for path in paths:
            yield from _read_new_lines(path, ends)


def _read_new_lines(path: Path, ends: dict[Path, int]) -> Iterator[tuple[str, str]]:
    """Yield complete lines added since the last call; start over if the log was truncated."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(ends[path] if ends[path] <= file.tell() else 0)
        for line in file:
            if not line.endswith(b"\n"):
                file.seek(-len(line), 1)
                break
            yield path.stem, _plain_text(line)
        ends[path] = file.tell()


def _plain_text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\n")


def _find_logs(service: str, arena: str | None) -> list[Path]:
    folders = [Path(arena)] if arena else place.data_folders()
    folder = next((one for one in folders if (one / "logs").is_dir()), None)
    found = sorted((folder / "logs").glob("*.log")) if folder else []
    if service == "all" and found:
        return found
    chosen = [path for path in found if path.stem == service]
    if not chosen:
        known = ", ".join(path.stem for path in found) or "none on this machine"
        raise NotFound(f"there is no log of {service!r}; known: {known}")
    return chosen
