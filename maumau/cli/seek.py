"""`maumau seek`: a program of this machine plays at live tables. `maumau ladder live`: the ratings there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli import game, ladder, place
from maumau.cli.output import Json, Where, json_line, plain, show
from maumau.errors import UnknownSeek, WrongState

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.answer import GetLiveRatingsResponse, LiveRating
    from maumau.bot.player import Program
    from maumau.bot.sandbox import Sandbox
    from maumau.live import Tables
    from maumau.seek import Seeks, Told, Wish

VOIDS = 5  # tables in a row that end without a result, after which a seek gives up

Range = Annotated[
    int,
    typer.Option("--range", min=0, max=3000, help="How many Elo others may be away at first; 0 means any."),
]
HouseAfter = Annotated[
    int, typer.Option(min=0, max=3600, help="Seconds until house bots take the empty seats.")
]
Name = Annotated[str | None, typer.Option(help="What to call it there; by default the name in its bot.toml.")]


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    app.command()(seek)
    ladder.app.command("live")(live_ratings)


def seek(  # noqa: PLR0913 - a flag for everything that may be chosen
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
    from maumau.bot.sandbox import choose_sandbox
    from maumau.game.rules import chosen_text
    from maumau.seek import Wish

    rules, sandbox = game.rules_for(variant, options, seats), choose_sandbox(tier)
    wish = Wish(
        rules=rules.name, options_json=chosen_text(rules), seats=seats or 0, rated=rated,
        rating_range=rating_range, house_after=house_after if house else None, bank=bank,
        increment=increment, window=window, bot_name=name or "",
    )  # fmt: skip
    with (
        place.seeks(arena) as seeks, place.tables(arena) as tables,
        game.programs([bot], sandbox) as ([program], _),
    ):  # fmt: skip
        _Table(seeks, tables, program, sandbox, as_json=as_json).play_games(wish, games)


class _Table:
    """One game after another, told as it goes."""

    def __init__(
        self, seeks: Seeks, tables: Tables, program: Program, sandbox: Sandbox, *, as_json: bool
    ) -> None:
        self.seeks, self.tables, self.program, self.sandbox = seeks, tables, program, sandbox
        self.as_json = as_json

    def play_games(self, wish: Wish, games: int) -> None:
        """So many; under the program's own name unless the wish has another."""
        from msgspec.structs import replace

        wish = replace(wish, bot_name=wish.bot_name or self.program.name)
        won = sum(self.play(wish) for _ in range(games))
        if not self.as_json and games > 1:
            show(f"{won:g} of {games} games won")

    def play(self, wish: Wish) -> float:
        """A game that has a result: 1 if it was won, 0.5 if others were equal."""
        from maumau.home.live_seat import ProgramSeat

        for _ in range(VOIDS):
            told = self._find_seat(wish)
            with self.tables.sit(told.token) as taken:
                player = ProgramSeat(taken, self.program, self.sandbox)
                player.play()
            if player.end:
                return self._tell_end(told, player.fault, player.end)
            self._say(f"{told.table_id} ended without a result; seeking again")
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
                        self._say(plain(said) + _house(told))
            except UnknownSeek as error:
                self._say(str(error))

    def _say(self, words: str) -> None:
        if not self.as_json:
            game.say(words)

    def _tell_seat(self, told: Told) -> None:
        if self.as_json:
            json_line({"table": told.table_id, "seat": told.seat, "names": told.names, "rated": told.rated})
        else:
            kind = "rated" if told.rated else "unrated"
            show(f"{told.table_id}: {plain(_names(told.names))}, {kind}")

    def _tell_end(self, told: Told, fault: str, end: dict[str, Any]) -> float:
        places = end["places"]
        if self.as_json:
            json_line({"table": told.table_id, "end": end, "fault": fault})
        else:
            order = sorted(range(len(places)), key=lambda seat: places[seat])
            show("  " + ", ".join(f"{places[seat]}. {plain(told.names[seat])}" for seat in order))
            if fault:
                name = self.program.name
                show(
                    f"  {name} made a mistake: {plain(fault)}; then the first legal action was played for it"
                )
        if places[told.seat] != 1:
            return 0.0
        return 1.0 if places.count(1) == 1 else 0.5


def _house(told: Told) -> str:
    return "" if told.house_in is None else f" House bots sit down in {told.house_in:.0f} s."


def _names(names: tuple[str, ...]) -> str:
    from maumau.game.action import SEATS

    return ", ".join(f"{SEATS[seat]} {name}" for seat, name in enumerate(names))


def live_ratings(
    variant: Annotated[str, typer.Argument(help="The variant, such as mau_mau or prsi.")],
    *,
    seats: game.Seats = None,
    options: game.Options = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show the ratings of live play, which has independent deals and a ladder of its own.

    Example: maumau ladder live prsi
    """
    from maumau.cli.question import count_things
    from maumau.game.rules import chosen_text

    rules = game.rules(variant, options)
    with place.seeks(arena) as seeks:
        found = seeks.ratings(rules.name, chosen_text(rules), seats or 0)
    if as_json:
        json_line(found)
        return
    games = count_things(found.games, "rated game")
    show(f"{rules.name}, {found.seats} players, live: {games}, each an independent deal")
    show(_table(found) if found.ratings else "nobody has played a rated game yet; `maumau seek --rated` does")
    if any(line.provisional for line in found.ratings):
        show("? provisional: fewer than 50 games")


def _table(found: GetLiveRatingsResponse) -> Table:
    from maumau.cli.table import table

    made = table(">#", "bot", "author", ">rating", ">95 %", ">games")
    for line in found.ratings:
        made.add_row(
            str(line.place), line.bot_name, line.account_name, _rating(line),
            f"{line.low:+z.0f} to {line.high:+z.0f}", f"{line.games:,}",
        )  # fmt: skip
    return made


def _rating(line: LiveRating) -> str:
    return f"{line.elo:+z.0f}{'?' if line.provisional else ''}"
