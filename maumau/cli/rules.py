"""`maumau rules …`: the variants in words, and checking one of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.output import Json, json_line, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.game import Rules
    from maumau.rulebook import Page

app = typer.Typer(help="Read the rules of the variants, check a variant of your own.")

Chosen = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the variant; may be repeated."),
]


@app.command("list")
def list_all(*, as_json: Json = False) -> None:
    """List the variants there are."""
    from maumau.game import load, variants

    found = [load(name) for name in variants()]
    if as_json:
        json_line([{"name": each.name, "title": each.variant.title, "seats": each.seats, "hash": each.hash}
                   for each in found])  # fmt: skip
        return
    from maumau.cli.board import table

    listed = table("name", "players", "what it is")
    for each in found:
        listed.add_row(each.name, f"{each.seats[0]} to {each.seats[1]}", each.variant.title)
    show(listed)


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(help="A variant's name, or a .toml file of your own.")],
    *,
    option: Chosen = None,
    as_json: Json = False,
) -> None:
    """Print a variant in words, with what its sources say, and its options."""
    from maumau.rulebook import page

    rules = loaded(name, option or [])
    told = page(rules)
    if as_json:
        json_line({"hash": rules.hash, "options": rules.options, "page": told._asdict()})
    else:
        show(*_parts(told, rules))


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="The .toml file of a variant.")],
    *,
    deals: Annotated[int, typer.Option(min=1, help="Random deals that must end.")] = 300,
    as_json: Json = False,
) -> None:
    """Check a variant of your own: every word, every option, and that deals end."""
    from maumau.rulebook.check import check

    found = check(file, deals)
    rules = found.rules
    if as_json:
        json_line({"name": rules.name, "hash": rules.hash, "ok": not found.stopped, "deals": found.deals,
                   "stopped": found.stopped, "decisions": round(found.decisions, 1)})  # fmt: skip
    else:
        show(f"{rules.name} can be played by {rules.seats[0]} to {rules.seats[1]}; hash {rules.hash}")
        words = "all end" if not found.stopped else f"{found.stopped} do not end and are stopped"
        show(f"of {found.deals} random deals {words}, after {found.decisions:.0f} decisions on the average")
    if found.stopped:
        raise typer.Exit(1)


def loaded(name: str, chosen: list[str]) -> Rules:
    """The rules of a variant or of a file, with options as they are typed."""
    from maumau.cli.spec import option
    from maumau.game import load, load_file

    options = dict(option(text) for text in chosen)
    return load_file(Path(name), **options) if name.endswith(".toml") else load(name, **options)


def _parts(told: Page, rules: Rules) -> Iterator[RenderableType]:
    from rich.text import Text

    from maumau.cli.board import table

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
