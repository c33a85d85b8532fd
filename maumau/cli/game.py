"""What the commands that play at home have in common: rules, options, programs, the sandbox."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.output import console
from maumau.cli.scratch import scratch

if TYPE_CHECKING:
    from maumau.answer import RuleSet
    from maumau.bot.player import Program
    from maumau.bot.sandbox import Sandbox
    from maumau.game import Rules

Variant = Annotated[
    str,
    typer.Option(
        "--rules", help="The variant, such as mau_mau or prsi, or the .toml file of one of your own."
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="Set an option of the variant; repeatable."),
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


def rules(name: str, options: Sequence[str] | None) -> Rules:
    """The rules of a variant, or of a file if the name ends in .toml, with options as they are typed.

    UnknownVariant and BadOption say what is known, BadVariant what is wrong in the file.
    """
    from maumau import game
    from maumau.cli.spec import FILE, option

    chosen = dict(option(text) for text in options or [])
    return game.load_file(Path(name), **chosen) if name.endswith(FILE) else game.load(name, **chosen)


def rules_for(name: str, options: Sequence[str] | None, seats: int | None) -> Rules:
    """The same for a table of so many, or of any number; BadDeal if so many do not play it."""
    from maumau.rulebook.named import check_seats

    found = rules(name, options)
    if seats:
        check_seats(found, seats)
    return found


def named(variant: str, options: Sequence[str] | None) -> RuleSet:
    """The same rules as an arena is told them."""
    import msgspec

    from maumau.answer import RuleSet

    found = rules(variant, options)
    chosen = msgspec.json.encode(found.chosen, order="sorted").decode()
    return RuleSet(found.name, chosen, found.hash, found.text)


def seed(given: str | None) -> str:
    """The seed that was given, else a new one."""
    return given if given is not None else secrets.token_hex(4)


@contextmanager
def programs(words: Sequence[str], sandbox: Sandbox) -> Iterator[tuple[list[Program], list[str]]]:
    """The programs and what to call them, unpacked and built for the time of a command."""
    from maumau.home import entrant

    with scratch("run") as room:
        found = entrant.prepared(words, room, sandbox, say)
        yield found, entrant.names(words, found)


def say(words: str) -> None:
    """A line on stderr about what is going on, where somebody sits there."""
    err = console(stderr=True)
    if err.is_terminal:
        err.print(words, markup=False)
