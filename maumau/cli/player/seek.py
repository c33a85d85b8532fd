"""`maumau seek`: a program of this machine plays at live tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.shared import game, place
from maumau.errors import UnknownSeek, WrongState
from maumau.screen.output import Json, Where, console, json_line, plain, show

if TYPE_CHECKING:
    from maumau.client.live import Tables
    from maumau.client.seek import Seeks, Told, Wish
    from maumau.referee.place import Program
    from maumau.sandbox.launch import Sandbox

VOIDS = 5  # tables in a row that end without a result, after which a seek gives up

Range = Annotated[
    int,
    typer.Option("--range", min=0, max=3000, help="The greatest difference in Elo at first; 0 means any."),
]
HouseAfter = Annotated[
    int, typer.Option(min=0, max=3600, help="Seconds until house bots take the empty seats.")
]
Name = Annotated[str | None, typer.Option(help="Its name there; by default the one in its bot.toml.")]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("seek")(seek_games)


def seek_games(  # noqa: PLR0913 - a flag for everything that may be chosen
    variant: Annotated[str, typer.Argument(help="The variant, such as mau_mau or prsi.")],
    *,
    bot: Annotated[str, typer.Option("--bot", help="A bot's folder or file, or the name of a house bot.")],
    name: Name = None,
    rated: Annotated[bool, typer.Option("--rated", help="Play rated games, against other accounts.")] = False,
    games: Annotated[int, typer.Option("--games", "-n", min=1, help="How many games to play.")] = 1,
    seats: game.Seats = None,
    options: game.Options = None,
    rating_range: Range = 0,
    house_after: HouseAfter = 10,
    house: Annotated[bool, typer.Option(help="Whether house bots may take empty seats.")] = True,
    bank: game.Bank = 60,
    increment: game.Increment = 1,
    window: game.Window = 8,
    tier: game.Tier = "auto",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Let a program of yours play others at live tables: it runs here, in the sandbox.

    It meets whoever seeks the same game; if nobody does, house bots sit down.

    Example: maumau seek prsi --bot my-bot --rated --games 20
    """
    from msgspec.structs import replace

    from maumau.client.seek import Wish
    from maumau.game.ruleset.rules import chosen_text
    from maumau.sandbox.launch import choose_sandbox

    rules, sandbox = game.rules_for(variant, options, seats), choose_sandbox(tier)
    house_seconds = house_after if house else None
    wanted = Wish(rules=rules.name, options_json=chosen_text(rules), seats=seats or 0, bot_name=name or "")
    clocked = replace(wanted, bank=bank, increment=increment, window=window)
    wish = replace(clocked, rated=rated, rating_range=rating_range, house_after=house_seconds)
    _play_games(arena, bot, sandbox, wish, games, as_json=as_json)


def _play_games(
    arena: str | None, bot: str, sandbox: Sandbox, wish: Wish, games: int, *, as_json: bool
) -> None:
    with (
        place.connect_seeks(arena) as seeks,
        place.connect_tables(arena) as tables,
        game.open_programs([bot], sandbox) as ([program], _),
    ):
        _Table(seeks, tables, program, sandbox, as_json=as_json).play_games(wish, games)


class _Table:
    """Plays one game after another and reports on them."""

    def __init__(
        self, seeks: Seeks, tables: Tables, program: Program, sandbox: Sandbox, *, as_json: bool
    ) -> None:
        self.seeks, self.tables, self.program, self.sandbox = seeks, tables, program, sandbox
        self.as_json = as_json

    def play_games(self, wish: Wish, games: int) -> None:
        """Play this many games, under the program's own name unless the wish has another."""
        from msgspec.structs import replace

        wish = replace(wish, bot_name=wish.bot_name or self.program.name)
        won = sum(self.play(wish) for _ in range(games))
        if not self.as_json and games > 1:
            show(f"{won:g} of {games} games won")

    def play(self, wish: Wish) -> float:
        """Play a game until it has a result: 1 for a win, 0.5 if others shared it."""
        from maumau.home.live_seat import ProgramSeat

        for _ in range(VOIDS):
            told = self._find_seat(wish)
            with self.tables.sit(told.token) as taken:
                player = ProgramSeat(taken, self.program, self.sandbox)
                player.play()
            if player.end:
                return self._tell_end(told, player.fault, player.end)
            self._print_message(f"{told.table_id} ended without a result; seeking again")
        raise WrongState(f"{VOIDS} tables in a row ended without a result.")

    def _find_seat(self, wish: Wish) -> Told:
        while True:
            said = ""
            try:
                for told in self.seeks.seek(wish):
                    if told.token:
                        self._tell_seat(told)
                        return told
                    if told.words and told.words != said:
                        said = told.words
                        self._print_message(plain(said) + _describe_house(told))
            except UnknownSeek as error:
                self._print_message(str(error))

    def _print_message(self, words: str) -> None:
        if not self.as_json:
            console(stderr=True).print(words, markup=False, soft_wrap=True)

    def _tell_seat(self, told: Told) -> None:
        if self.as_json:
            json_line({"table": told.table_id, "seat": told.seat, "names": told.names, "rated": told.rated})
        else:
            kind = "rated" if told.rated else "unrated"
            show(f"{told.table_id}: {plain(_join_names(told.names))}, {kind}")

    def _tell_end(self, told: Told, fault: str, end: dict[str, Any]) -> float:
        places = end["places"]
        if self.as_json:
            json_line({"table": told.table_id, "end": end, "fault": fault})
        else:
            names = self.tables.table(told.table_id).names  # they were hidden before a rated deal began
            order = sorted(range(len(places)), key=lambda seat: places[seat])
            show("  " + ", ".join(f"{places[seat]}. {plain(names[seat])}" for seat in order))
            if fault:
                name = self.program.name
                show(
                    f"  {name} made a mistake: {plain(fault)}; then the first legal action was played for it"
                )
        if places[told.seat] != 1:
            return 0.0
        return 1.0 if places.count(1) == 1 else 0.5


def _describe_house(told: Told) -> str:
    return "" if told.house_in is None else f" House bots sit down in {told.house_in:.0f} s."


def _join_names(names: tuple[str, ...]) -> str:
    from maumau.game.notation.action import SEATS

    return ", ".join(f"{SEATS[seat]} {name or '?'}" for seat, name in enumerate(names))
