"""`maumau rules …`: the variants in words, and checks of a custom one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from maumau.cli.shared import game
from maumau.errors import BadRequest
from maumau.screen.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.game import Rules
    from maumau.rulebook import RulePage

app = typer.Typer(help="Read the rules of the variants; check your own variant.", no_args_is_help=True)

Chosen = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="Set an option of the variant; repeatable."),
]


Language = Literal["en", "de"]


class Labels(NamedTuple):
    """Labels of the rules page. seats: with places for two numbers. columns: of the table of options."""

    seats: str
    source: str
    columns: tuple[str, str, str, str]


WORDS: Final[dict[Language, Labels]] = {
    "en": Labels(
        "{} to {} players",
        "source",
        ("option", "value", "known", "meaning and source of the default"),
    ),
    "de": Labels(
        "{} bis {} Spieler",
        "Quelle",
        ("Option", "Wert", "möglich", "Bedeutung und Quelle des Standards"),
    ),
}
"""Labels of the rules page, by language."""


@app.command("list")
def list_all(*, as_json: Json = False) -> None:
    """List all variants by families.

    Example: maumau rules list
    """
    from maumau.game import load, variants

    found = [load(name) for name in variants()]
    if as_json:
        json_line(
            [
                {"name": each.name, "title": each.variant.title, "seats": each.seats, "hash": each.hash}
                for each in found
            ]
        )
        return
    from maumau.rulebook.family import FAMILIES, tell_words
    from maumau.screen.table import table

    named = {each.name: each for each in found}
    for family in FAMILIES:
        listed = table(tell_words(family.title), "where", "players", "name")
        for name, country in family.members.items():
            seats = named[name].seats
            listed.add_row(named[name].variant.title, tell_words(country), f"{seats[0]} to {seats[1]}", name)
        show(listed, "")


@app.command("show")
def show_one(
    name: Annotated[str, typer.Argument(help="The name of a variant, or your own .toml file.")] = "",
    *,
    option: Chosen = None,
    contest: game.Contest = None,
    ladder: game.Ladder = None,
    file: Annotated[
        bool, typer.Option("--file", help="Print the file of the contest's own variant instead.")
    ] = False,
    lang: Annotated[Language, typer.Option("--language", "--lang", help="The language: en or de.")] = "en",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Print the rules of a variant in plain words, with its sources and options.

    Example: maumau rules show prsi --option ace_stack=none

    Example: maumau rules show mau_mau --language de

    Example: maumau rules show --contest class-cup
    """
    from maumau.rulebook import build_page

    rules = _find_rules(name, option, contest, ladder, arena)
    if file:
        if not rules.text:
            raise BadRequest(f"{rules.name} is a variant of maumau itself and has no file of its own.")
        typer.echo(rules.text, nl=not rules.text.endswith("\n"))
        return
    told = build_page(rules, lang)
    if as_json:
        json_line({"hash": rules.hash, "options": rules.options, "page": told._asdict()})
    else:
        show(*_render_page(told, rules, lang))


@app.command("check")
def check_variant(
    file: Annotated[Path, typer.Argument(help="The .toml file of a variant.")],
    *,
    deals: Annotated[
        int, typer.Option(min=1, help="Number of random deals to play; all of them must end.")
    ] = 300,
    as_json: Json = False,
) -> None:
    """Check your own variant: every word, every option, and that deals end.

    docs/reference/variant.md explains every key of the file.

    Example: maumau rules check mine.toml
    """
    from maumau.rulebook.check import check_file

    found = check_file(file, deals)
    rules = found.rules
    if as_json:
        json_line(
            {
                "name": rules.name,
                "hash": rules.hash,
                "ok": not found.stopped,
                "deals": found.deals,
                "stopped": found.stopped,
                "decisions": round(found.decisions, 1),
            }
        )
    else:
        show(f"{rules.name} can be played by {rules.seats[0]} to {rules.seats[1]}; hash {rules.hash}")
        words = f"all {found.deals} random deals end"
        if found.stopped:
            words = f"{found.stopped} of {found.deals} random deals do not end and are stopped"
        show(f"{words}; a deal has {found.decisions:.0f} decisions on average")
    if found.stopped:
        raise typer.Exit(1)


def _find_rules(
    name: str, option: list[str] | None, contest: str | None, ladder: str | None, arena: str | None
) -> Rules:
    """Return the rules of this name, or those of the contest or the ladder."""
    if not (contest or ladder):
        if not name:
            raise BadRequest("Name a variant, or a contest with --contest; `maumau rules list` has variants.")
        return game.load_rules(name, option)
    if option:
        raise BadRequest("Options come from the contest or ladder; leave out --option.")
    told = game.read_rules_of(contest, ladder, arena)
    if name and name != told.name:
        raise BadRequest(f"{contest or ladder} is played by {told.name}, not by {name}.")
    return game.load_rules_of(told)


def _render_page(told: RulePage, rules: Rules, language: Language) -> Iterator[RenderableType]:
    from rich.text import Text

    from maumau.rulebook.meaning import tell_known, tell_meaning, tell_source
    from maumau.screen.table import table

    yield Text(told.title, "bold")
    words = WORDS[language]
    seats = words.seats.format(*told.seats)
    yield f"{told.name}, {seats}; {words.source}: {tell_source(told.source, language)}\n"
    for heading, lines in told.sections:
        yield Text(heading, "bold underline")
        for line in lines:
            yield Text.assemble("- ", line.text, *[(f"\n  “{quote}”", "dim italic") for quote in line.quotes])
        yield ""
    listed = table(*words.columns)
    for each in told.options:
        changed = "bold" if each.name in rules.chosen else ""
        meaning = tell_meaning(each.name, each.says, language)
        told_source = tell_source(each.source, language)
        why = Text.assemble(meaning, ("\n" if meaning and told_source else "", ""), (told_source, "dim"))
        listed.add_row(
            Text(each.name, changed), Text(each.value, changed), tell_known(each.known, language), why
        )
    yield listed
