"""`maumau rules …`: the variants in words, and checking one of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import game
from maumau.cli.output import Json, json_line, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.game import Rules
    from maumau.rulebook import Page

app = typer.Typer(help="Read the rules of the variants; check your own variant.", no_args_is_help=True)

Chosen = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="Set an option of the variant; repeatable."),
]


@app.command("list")
def list_all(*, as_json: Json = False) -> None:
    """List all variants.

    Example: maumau rules list
    """
    from maumau.game import load, variants

    found = [load(name) for name in variants()]
    if as_json:
        json_line([{"name": each.name, "title": each.variant.title, "seats": each.seats, "hash": each.hash}
                   for each in found])  # fmt: skip
        return
    from maumau.cli.table import table

    listed = table("name", "players", "what it is")
    for each in found:
        listed.add_row(each.name, f"{each.seats[0]} to {each.seats[1]}", each.variant.title)
    show(listed)


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(help="The name of a variant, or your own .toml file.")],
    *,
    option: Chosen = None,
    as_json: Json = False,
) -> None:
    """Print the rules of a variant in plain English, with its sources and options.

    Example: maumau rules show prsi --option ace_stack=none
    """
    from maumau.rulebook import page

    rules = game.rules(name, option)
    told = page(rules)
    if as_json:
        json_line({"hash": rules.hash, "options": rules.options, "page": told._asdict()})
    else:
        show(*_parts(told, rules))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The .toml file of a variant.")],
    *,
    deals: Annotated[
        int, typer.Option(min=1, help="Number of random deals to play; all of them must end.")
    ] = 300,
    as_json: Json = False,
) -> None:
    """Check your own variant: every word, every option, and that deals end.

    docs/variant.md explains every key of the file.

    Example: maumau rules check mine.toml
    """
    from maumau.rulebook.check import check

    found = check(file, deals)
    rules = found.rules
    if as_json:
        json_line({"name": rules.name, "hash": rules.hash, "ok": not found.stopped, "deals": found.deals,
                   "stopped": found.stopped, "decisions": round(found.decisions, 1)})  # fmt: skip
    else:
        show(f"{rules.name} can be played by {rules.seats[0]} to {rules.seats[1]}; hash {rules.hash}")
        words = f"all {found.deals} random deals end"
        if found.stopped:
            words = f"{found.stopped} of {found.deals} random deals do not end and are stopped"
        show(f"{words}; a deal has {found.decisions:.0f} decisions on average")
    if found.stopped:
        raise typer.Exit(1)


def _parts(told: Page, rules: Rules) -> Iterator[RenderableType]:
    from rich.text import Text

    from maumau.cli.table import table

    yield Text(told.title, "bold")
    yield f"{told.name}, {told.seats[0]} to {told.seats[1]} players; source: {told.source}\n"
    for heading, lines in told.sections:
        yield Text(heading, "bold underline")
        for line in lines:
            yield Text.assemble("- ", line.text, *[(f"\n  “{quote}”", "dim italic") for quote in line.quotes])
        yield ""
    listed = table("option", "value", "known", "source")
    for each in told.options:
        changed = "bold" if each.name in rules.chosen else ""
        listed.add_row(Text(each.name, changed), Text(each.value, changed), each.known, each.source)
    yield listed
