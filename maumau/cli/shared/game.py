"""Common parts of the commands that play at home: rules, options, programs, the sandbox."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.errors import BadRequest, BadVariant, RulesSealed
from maumau.process.scratch import scratch
from maumau.screen.output import console

if TYPE_CHECKING:
    from maumau.client.answer import RuleSet
    from maumau.game import Rules
    from maumau.referee.place import Program
    from maumau.sandbox.launch import Sandbox

Variant = Annotated[
    str,
    typer.Option(
        "--rules", help="The variant, such as mau_mau or prsi, or the .toml file of one of your own."
    ),
]
AnyVariant = Annotated[
    str | None,
    typer.Option(
        "--rules", help="The variant, such as mau_mau or prsi, or the .toml file of one of your own."
    ),
]
"""A variant that a contest or ladder may choose instead."""
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="Set an option of the variant; repeatable."),
]
Contest = Annotated[
    str | None, typer.Option("--contest", help="Use the rules and options of this contest of the arena.")
]
Ladder = Annotated[
    str | None, typer.Option("--ladder", help="Use the rules and options of this ladder of the arena.")
]
Seed = Annotated[str | None, typer.Option(help="Any text; the same seed gives the same deals.")]
Tier = Annotated[str, typer.Option("--sandbox", help="The sandbox to play in: auto, bwrap or process.")]
Millis = Annotated[
    int, typer.Option("--deal-ms", min=1, max=60_000, help="CPU time per deal in reference milliseconds.")
]
Seats = Annotated[int | None, typer.Option(min=2, help="Number of players; the fewest by default.")]
Bank = Annotated[float, typer.Option(min=0.1, help="Seconds that each player has.")]
Increment = Annotated[float, typer.Option(min=0, help="Seconds that an answer gives back.")]
Window = Annotated[float, typer.Option(min=0.1, help="Seconds that a reaction window is open.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=0, help="Number of processes; 0 means one per core.")]

VARIANT_SUFFIX = ".toml"


def load_rules(name: str, options: Sequence[str] | None) -> Rules:
    """Return the rules of a variant, or of a file if the name ends in .toml, with options as typed.

    Raises UnknownVariant and BadOption with the known ones, BadVariant with the mistake in the file.
    """
    from maumau import game

    chosen = dict(parse_option(text) for text in options or [])
    return (
        game.load_file(Path(name), **chosen) if name.endswith(VARIANT_SUFFIX) else game.load(name, **chosen)
    )


def parse_option(given: str) -> tuple[str, Any]:
    """Return key and value of KEY=VALUE; the value is JSON (true, 2, ["7", "8"]), else a word."""
    import msgspec

    key, equals, value = given.partition("=")
    if not equals or not key:
        raise typer.BadParameter(f"--option {given!r} is not KEY=VALUE")
    try:
        return key, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return key, value


def rules_for(name: str, options: Sequence[str] | None, seats: int | None) -> Rules:
    """Return the rules for a table of this many seats, or of any number; raise BadDeal for a wrong number."""
    from maumau.rulebook.named import check_seats

    found = load_rules(name, options)
    if seats:
        check_seats(found, seats)
    return found


def name_rules(variant: str, options: Sequence[str] | None) -> RuleSet:
    """Return the rules as an arena takes them."""
    import msgspec

    from maumau.client.answer import RuleSet

    found = load_rules(variant, options)
    chosen = msgspec.json.encode(found.chosen, order="sorted").decode()
    return RuleSet(found.name, chosen, found.hash, found.text)


def read_rules_of(contest: str | None, ladder: str | None, arena: str | None) -> RuleSet:
    """Return the rules that a contest or a ladder of the arena is played by.

    Raises:
        BadRequest: Both are named, or what is named does not say its rules.
        RulesSealed: They are a mystery until the start.
    """
    from maumau.cli.shared import place

    if contest and ladder:
        raise BadRequest("Name a contest or a ladder, not both.")
    if contest:
        with place.connect_arena(arena) as link:
            now = link.tournament(contest)
        found = now.rules
        if found is None and now.mystery:
            raise RulesSealed(f"The rules of {now.name} are sealed until they are revealed.")
    else:
        with place.connect_matchmaking(arena) as ladders:
            told = ladders.leaderboard(ladder or "").ladder
            found = told.rules if told else None
    if found is None:
        raise BadRequest(f"The arena does not say by which rules {contest or ladder} is played.")
    return found


def load_rules_of(told: RuleSet) -> Rules:
    """Return the rules that an arena tells.

    Raises:
        BadVariant: This version of maumau has other rules by that name.
    """
    import msgspec

    from maumau import game

    options = msgspec.json.decode(told.options_json or "{}", type=dict[str, object])
    found = game.load_any(told.name, told.variant_toml, **options)
    if found.hash != told.hash:
        raise BadVariant(
            f"the rules of {told.name} have the hash {found.hash[:12]} here and {told.hash[:12]} in the "
            "arena, which has another version of maumau"
        )
    return found


def choose_seed(given: str | None) -> str:
    """Return the given seed, else a new one."""
    return given if given is not None else secrets.token_hex(4)


@contextmanager
def open_programs(words: Sequence[str], sandbox: Sandbox) -> Iterator[tuple[list[Program], list[str]]]:
    """Yield the programs and their display names, unpacked and built for the time of a command."""
    from maumau.home import entrant

    with scratch("run") as room:
        found = entrant.prepare_programs(words, room, sandbox, say_progress)
        yield found, entrant.display_names(words, found)


def say_progress(words: str) -> None:
    """Print a progress message on stderr, if it is a terminal."""
    err = console(stderr=True)
    if err.is_terminal:
        err.print(words, markup=False)
