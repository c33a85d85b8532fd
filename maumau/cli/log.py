"""`maumau logs`."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, plain, show
from maumau.errors import BadFile, NotFound

if TYPE_CHECKING:
    from maumau.answer import GetFaultResponse

POLL = 0.3


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(logs)


def logs(
    version: Annotated[
        str | None,
        typer.Argument(
            help="The name of a bot or the id of a version, for its validation; or the id of a fault."
        ),
    ] = None,
    *,
    tournament: Annotated[
        str | None, typer.Option(help="With the name of a bot: list its faults in this tournament.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the fault to this file: .html for a page, else for `maumau reproduce`."),
    ] = None,
    service: Annotated[
        str | None, typer.Option(help="A process of the arena on this machine; `all` means all of them.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")] = False,
    lines: Annotated[
        int, typer.Option("-n", min=1, help="How many of the last lines of the process's log to show.")
    ] = 50,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show the log of a validation, everything about a fault, or with --service the log of a process.

    Example: maumau logs my-bot --tournament cup
    """
    _check_named(version, service, out)
    if version is None:
        _processes(service or "", lines, arena, follow=follow, as_json=as_json)
    elif version.startswith("fault_"):
        _fault(version, out, arena, as_json=as_json)
    elif tournament:
        _faults(version, tournament, arena, as_json=as_json)
    else:
        _validation(version, arena, as_json=as_json)


def _check_named(version: str | None, service: str | None, out: Path | None) -> None:
    if (version is None) == (service is None):
        raise typer.BadParameter("name a version, a bot or a fault, or a process with --service")
    if out and not (version or "").startswith("fault_"):
        raise typer.BadParameter("--out is for a fault, by its id")


def _processes(service: str, lines: int, arena: str | None, *, follow: bool, as_json: bool) -> None:
    for name, line in _of_processes(_logs(service, arena), lines, follow=follow):
        if as_json:
            json_line({"service": name, "line": line})
        else:
            show(f"{name}: {line}" if service == "all" else line)


def _validation(version: str, arena: str | None, *, as_json: bool) -> None:
    from maumau.cli.bot import newest

    with place.connect(arena) as link:
        text = link.log(newest(link, version))
    if as_json:
        json_line({"version": version, "log": text})
    else:
        show(plain(text.rstrip("\n")) or "the log is empty")


def _fault(name: str, out: Path | None, arena: str | None, *, as_json: bool) -> None:
    from maumau.cli.fault import fault_page
    from maumau.page.fault import fault_head, fault_parts

    with place.connect(arena) as link:
        found = link.fault(name)
    if out and out.suffix == ".html":
        fault_page(out, name, found)
    elif out:
        _keep(out, found)
    if out and as_json:
        json_line({"fault": name, "file": str(out)})
    elif out:
        show(f"{out}: {fault_head(found)}", _hint(out, found))
    elif as_json:
        json_line(found)
    else:
        show(*fault_parts(found))


def _hint(out: Path, found: GetFaultResponse) -> str:
    """What the file that was written is for."""
    from maumau.bot.fault import FORFEIT

    if found.fault and found.fault.kind == FORFEIT:
        return "the program was not asked any more: the faults before this one can be reproduced"
    if out.suffix == ".html":
        return "open it in a browser: it shows the deal where it was lost, and all about the fault"
    return f"`maumau reproduce {out} BOT` asks a bot the same questions again"


def _keep(path: Path, found: GetFaultResponse) -> None:
    import msgspec

    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror}") from None


def _faults(bot: str, tournament: str, arena: str | None, *, as_json: bool) -> None:
    """The faults of a bot, match by match."""
    from maumau.cli.fault import fault_line

    with place.connect(arena) as link:
        mine = [one for one in link.matches(tournament) if bot in {one.first_name, one.second_name}]
        found = [(one.label, each) for one in mine for each in link.faults(tournament, one.label, bot)]
    if as_json:
        json_line([{"label": label, "fault": each} for label, each in found])
        return
    for label, each in found:
        show(fault_line(each, f"match {label}, "))
    if not found:
        show(f"{bot} has made no fault in {tournament}")


def _of_processes(paths: list[Path], lines: int, *, follow: bool) -> Iterator[tuple[str, str]]:
    ends: dict[Path, int] = {}
    for path in paths:
        try:
            with path.open("rb") as file:
                for line in deque(file, lines):
                    yield path.stem, _text(line)
                ends[path] = file.tell()
        except OSError as error:
            raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    while follow:
        time.sleep(POLL)
        for path in paths:
            yield from _grown(path, ends)


def _grown(path: Path, ends: dict[Path, int]) -> Iterator[tuple[str, str]]:
    """Whole lines since the last look; a log that was cut begins anew."""
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(ends[path] if ends[path] <= file.tell() else 0)
        for line in file:
            if not line.endswith(b"\n"):
                file.seek(-len(line), 1)
                break
            yield path.stem, _text(line)
        ends[path] = file.tell()


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\n")


def _logs(service: str, arena: str | None) -> list[Path]:
    folders = [Path(arena)] if arena else place.data_folders()
    folder = next((one for one in folders if (one / "logs").is_dir()), None)
    found = sorted((folder / "logs").glob("*.log")) if folder else []
    if service == "all" and found:
        return found
    chosen = [path for path in found if path.stem == service]
    if not chosen:
        known = ", ".join(path.stem for path in found) or "none on this machine"
        raise NotFound(f"there is no log of {service!r}; known are {known}")
    return chosen
