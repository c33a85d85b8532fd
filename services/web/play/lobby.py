"""The choice of a game: what a form asks for, and the table that is made for it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

from maumau.bots import HOUSE, USUAL_OPPONENT
from maumau.errors import BadRequest, MaumauError
from maumau.game import variants
from maumau.rulebook import RulePage
from services.web.client import Arena
from services.web.play.moment import Start
from services.web.play.opponents import Opponent
from services.web.play.seat_pass import SeatPass
from services.web.play.seat_view import choose_seats, find_traits
from services.web.seat import USUAL_CLOCK, Payer, TableWish
from services.web.words import Tongue
from services.web.words.rules import tell_variant

USUAL_GAME: Final = "mau_mau"
MOST_SEATS: Final = 6
BANK_MS, INCREMENT_MS = USUAL_CLOCK.bank_ms, USUAL_CLOCK.increment_ms
WINDOW_MS = USUAL_CLOCK.window_ms
JOIN_MS: Final = 600_000
"""For which a table waits for friends; the most that the engine allows."""
THINK_MS = 800
"""For which a house bot waits before it answers, so that people can follow."""
STRONGEST_FIRST: Final = tuple(reversed(HOUSE))
NO_BOT_CAME: Final = "no house bot came"
PLAYER_LEFT: Final = "the player left"
"""Reasons why a table of the page is closed; words/told.py has their German."""


class Wish(Struct, frozen=True):
    """A deal that somebody wants to play. has_own_calls: the player says “Mau!”. friends: who are invited.

    start: of a deal that has been played, from which this one goes on. is_named: the person may be named on
    the board. day: of whose deal it is an attempt, else "".
    """

    rules: str = USUAL_GAME
    seats: int = 2
    bot: str = USUAL_OPPONENT
    has_own_calls: bool = False
    friends: int = 0
    start: Start | None = None
    is_named: bool = False
    day: str = ""


class Lobby(Struct, frozen=True):
    """The page on which a game is chosen: the game with its one sentence, and all others.

    submitted: bots of the arena's authors that play people.
    """

    wish: Wish
    game: RulePage
    games: tuple[RulePage, ...]
    has_calls: bool
    submitted: tuple[Opponent, ...] = ()

    @property
    def seats(self) -> range:
        """The numbers of players that there may be."""
        return range(self.game.seats[0], min(self.game.seats[1], MOST_SEATS) + 1)

    @property
    def friends(self) -> range:
        """The numbers of friends that there may be."""
        return range(self.seats[-1])


def make_lobby(wish: Wish, language: str, submitted: tuple[Opponent, ...] = ()) -> Lobby:
    """Return the page of a choice."""
    games = tuple(tell_variant(name, language) for name in variants())
    game = next(one for one in games if one.name == wish.rules)
    return Lobby(wish, game, games, find_traits(wish.rules).has_calls, submitted)


def read_rules(given: Mapping[str, Any], t: Tongue) -> str:
    """Return the game that a form or an address asks for; raise BadRequest, in words, if there is none."""
    rules = str(given.get("rules") or USUAL_GAME)
    if rules not in variants():
        raise BadRequest(t("play_wrong_game"), field="rules")
    return rules


def read_wish(given: Mapping[str, Any], t: Tongue, submitted: Iterable[Opponent] = ()) -> Wish:
    """Return what a form or an address asks for; raise BadRequest, in words, if that cannot be.

    submitted: the bots that play people at this game.
    """
    rules = read_rules(given, t)
    least, most = tell_variant(rules).seats
    most = min(most, MOST_SEATS)
    seats = str(given.get("seats") or least)
    if seats not in map(str, range(least, most + 1)):
        raise BadRequest(t("play_wrong_seats", least=least, most=most), field="seats")
    bot = str(given.get("bot") or USUAL_OPPONENT)
    if bot not in HOUSE and bot not in {one.name for one in submitted}:
        raise BadRequest(t("play_wrong_bot"), field="bot")
    friends = str(given.get("friends") or 0)
    if friends not in map(str, range(int(seats))):
        raise BadRequest(t("play_wrong_friends", most=int(seats) - 1, seats=seats), field="friends")
    has_own_calls = given.get("calls") == "own" and find_traits(rules).has_calls
    return Wish(rules, int(seats), bot, has_own_calls, int(friends), is_named=given.get("named") == "1")


async def open_table(arena: Arena, wish: Wish, name: str, payer: Payer) -> SeatPass:
    """Make a table, invite bots to it, and take the player's own seat; where no bot comes it is closed."""
    start = wish.start or Start("", -1)
    own, *friends = (start.seat,) if wish.start else choose_seats(wish.seats, 1 + wish.friends)
    called = {own: name, **dict.fromkeys(friends, "")}
    names = tuple(called.get(seat, wish.bot) for seat in range(wish.seats))
    clocks = BANK_MS, INCREMENT_MS, WINDOW_MS, JOIN_MS if friends else 0
    is_named = wish.is_named and not payer.guest
    asked = TableWish(
        wish.rules, names, *clocks, start.record, start.variant_toml, is_named=is_named, day=wish.day
    )
    table_id, tokens = await arena.create_table(asked, payer)
    try:
        if bots := [token for seat, token in enumerate(tokens) if seat not in called]:
            await arena.invite_house(bots, wish.bot, THINK_MS, payer)
        await arena.take_seat(tokens[own])
    except MaumauError:
        await arena.close_table(table_id, NO_BOT_CAME, payer)
        raise
    invites = tuple(tokens[seat] for seat in friends)
    return SeatPass(tokens[own], bool(payer.guest), wish.has_own_calls, invites=invites)
