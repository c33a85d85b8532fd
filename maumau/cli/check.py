"""`maumau validate`, `runtimes`, `doctor`: what the arena will check, and what this machine can do."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, plain, show

if TYPE_CHECKING:
    from maumau.home.doctor import Finding


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    for command in (validate, runtimes, doctor):
        app.command()(command)


def validate(
    bot: Annotated[str, typer.Argument(help="A folder, a file, a zip or a house bot's name.")],
    *,
    tier: game.Tier = "auto",
    as_json: Json = False,
) -> None:
    """Check a bot as the arena will before it may play: its files, its build step, its first deals."""
    from maumau.bot import validate as arena
    from maumau.bot.sandbox import choose
    from maumau.home import entrant

    with tempfile.TemporaryDirectory(prefix="maumau-") as room:
        program = entrant.unpacked(bot, Path(room))
        report = arena.validate(program, choose(tier))
    if as_json:
        json_line(report)
    else:
        show(f"{program.name} is {'valid' if report.ok else 'refused'}: {report.words}")
        if report.log.strip():
            show("", "log:", plain(report.log.rstrip("\n")))
    if not report.ok:
        raise typer.Exit(1)


def runtimes(*, as_json: Json = False) -> None:
    """List the runtimes that bots may name on this machine, with their versions."""
    from rich.text import Text

    from maumau.bot import shelf
    from maumau.bot.offer import offers
    from maumau.cli.board import table

    found = offers(own_user=shelf.own_users())
    if as_json:
        json_line(found)
        return
    made = table("runtime", "what", "version")
    for each in found:
        made.add_row(each.name, Text(each.says), Text(each.version or f"not offered: {each.missing}"))
    show(made)


def doctor(*, as_json: Json = False) -> None:
    """Say what this machine can do: sandbox tiers, runtimes, cores, and what is installed."""
    from maumau.home.doctor import examine

    found = examine()
    if as_json:
        json_line(found)
        return
    width = max(len(each.what) for each in found)
    show(*_lines(found, width))


def _lines(found: list[Finding], width: int) -> Iterator[str]:
    for each in found:
        yield f"{'ok  ' if each.ok else 'no  '} {each.what:{width}}  {each.words}"
        if each.advice:
            yield f"     {'':{width}}  {each.advice}"
