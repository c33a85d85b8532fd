"""`maumau validate`, `runtimes`, `doctor`: what the arena will check, and what this machine can do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import game, place
from maumau.errors import MaumauError
from maumau.process.linux import require_linux
from maumau.process.scratch import scratch
from maumau.process.service_path import add_services
from maumau.screen.output import Json, ProgressLines, json_line, plain, show

if TYPE_CHECKING:
    from maumau.home.doctor import Finding

REACH = 2.0  # seconds


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("validate")(validate_bot)
    app.command("runtimes")(list_runtimes)
    app.command("doctor")(report_machine)


def validate_bot(
    bot: Annotated[str, typer.Argument(help="A bot: a folder, a file, a zip or the name of a house bot.")],
    *,
    variant: Annotated[
        str | None,
        typer.Option("--rules", help="Only this variant, or the .toml file of one of your own."),
    ] = None,
    options: game.Options = None,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Check a bot as the arena does before it may play: its files, its build step and its first deals.

    Example: maumau validate my-bot
    """
    from maumau.home import entrant
    from maumau.home.handicap import own_pace
    from maumau.sandbox.launch import choose_sandbox
    from maumau.submission import validate as arena

    if options and variant is None:
        raise typer.BadParameter("--option belongs to --rules")
    only = game.load_rules(variant, options) if variant is not None else None
    with scratch("run") as room:
        program = entrant.unpack_program(bot, room)
        report = arena.validate_program(
            program,
            choose_sandbox(tier),
            pace=own_pace(),
            tell=ProgressLines(f"validating {program.name}").tell,
            only=only,
        )
    if as_json:
        json_line(report)
    else:
        show(f"{program.name} is {'valid' if report.ok else 'refused'}: {report.words}")
        if report.log.strip():
            show("", "log:", plain(report.log.rstrip("\n")))
    if not report.ok:
        raise typer.Exit(1)


def list_runtimes(*, as_json: Json = False) -> None:
    """List the runtimes that bots can use on this machine, with their versions.

    Example: maumau runtimes
    """
    from rich.text import Text

    from maumau.sandbox.files import artifact_cache
    from maumau.sandbox.files.offer import list_offers
    from maumau.screen.table import table

    found = list_offers(own_user=artifact_cache.own_users())
    if as_json:
        json_line(found)
        return
    made = table("runtime", "what", "version")
    for each in found:
        made.add_row(each.name, Text(each.says), Text(each.version or f"not offered: {each.missing}"))
    show(made)


def report_machine(*, as_json: Json = False) -> None:
    """Report what this machine can do, which services of its arena can be reached, and what differs there.

    Example: maumau doctor
    """
    require_linux("Bots")
    add_services()
    from maumau.home.doctor import examine_machine

    found = [*examine_machine(place.data_folders()), *_examine_services(), *_examine_differences()]
    if as_json:
        json_line(found)
        return
    width = max(len(each.what) for each in found)
    show(*_list_findings(found, width))


def _examine_services() -> Iterator[Finding]:
    """Yield a finding for each service of the chosen arena, or the reason why there is no arena."""
    from maumau.home.doctor import Finding

    try:
        found = place.find_arena(None)
    except MaumauError as error:
        yield Finding("arena", ok=False, words=str(error))
        return
    for name in place.SERVICES:
        address = getattr(found, name, "")
        if address:
            host, _, port = address.rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
            except OSError as error:
                words = f"{address} cannot be reached: {error.strerror or error}"
                yield Finding(f"arena: {name}", ok=False, words=words)
            else:
                yield Finding(f"arena: {name}", ok=True, words=f"listens on {address}")


def _examine_differences() -> Iterator[Finding]:
    """Yield findings on the chosen arena's version and differing rules; none if it is silent."""
    from maumau.cli.author.account import list_differing_variants
    from maumau.home.doctor import Finding

    try:
        with place.open_at(place.find_arena(None), "") as link:
            info = link.info()
    except MaumauError:
        return  # none is known, it cannot be reached (as is said above), or it is of an earlier version
    words = f"maumau {info.version}, runtimes {', '.join(info.runtimes)}"
    yield Finding("arena: version", ok=True, words=words)
    if differ := list_differing_variants(info):
        words = f"{', '.join(differ)}: played there by other rules than those of your maumau"
        advice = f"what you play here says nothing about them there; the arena has maumau {info.version}"
        yield Finding("arena: rules", ok=False, words=words, advice=advice)
    else:
        yield Finding("arena: rules", ok=True, words=f"the same in all {len(info.variants)} variants")


def _list_findings(found: list[Finding], width: int) -> Iterator[str]:
    for each in found:
        yield f"{'ok  ' if each.ok else 'no  '} {each.what:{width}}  {each.words}"
        if each.advice:
            yield f"     {'':{width}}  {each.advice}"
