"""Submitted bots that play people, as their authors allow, and how strong they are."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from msgspec import Struct

from maumau.client.answer import Bot, GetLeaderboardResponse, Version
from maumau.errors import MaumauError
from services.shared.base.auth import HOUSE
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.figures.axis import is_rated
from services.web.public.winner import look_up_winner

SHOWN: Final = 30  # bots of a list, the strongest
CONTESTS: Final = 12  # finished contests whose winners are looked up, the newest
SECONDS: Final = 10.0  # for which what is known of them is kept


class Opponent(Struct, frozen=True):
    """A bot that plays people. place: on the game's ladder, of `among`; 0 if it is on none.

    won: contests that it has won, the newest first. is_rated: the interval of its rating says something.
    """

    name: str
    account: str
    place: int = 0
    among: int = 0
    elo: float = 0.0
    won: tuple[str, ...] = ()
    is_rated: bool = False


class Opponents:
    """The bots that play people, from the services, each question kept for a while."""

    def __init__(self, arena: Arena, cache: Cache) -> None:
        self._arena, self._cache = arena, cache

    async def list_players(self, rules: str, seats: int = 0) -> tuple[Opponent, ...]:
        """Return the bots that play these rules at tables of this size (0: of any), the strongest first."""
        bots = await self._cache.get("bots that play people", self._list_bots, lambda _: SECONDS)
        able = [bot for bot in bots if _can_play(find_active(bot), rules, seats)]
        if not able:
            return ()
        key = "ladders of a game", rules
        boards = await self._cache.get(key, lambda: self._list_boards(rules), lambda _: SECONDS)
        won = await self._cache.get("contests won", self._list_winners, lambda _: SECONDS)
        found = [_describe_bot(bot, boards, won) for bot in able]
        return tuple(sorted(found, key=lambda one: (not one.place, -one.elo, not one.won, one.name))[:SHOWN])

    async def _list_bots(self) -> tuple[Bot, ...]:
        """Return the bots of people that play people; none while their service is silent."""
        with suppress(MaumauError):
            found = await self._arena.list_bots()
            return tuple(one for one in found if one.account_name != HOUSE and find_active(one))
        return ()

    async def _list_boards(self, rules: str) -> tuple[GetLeaderboardResponse, ...]:
        with suppress(MaumauError):
            ladders = [
                one for one in await self._arena.list_ladders() if one.rules and one.rules.name == rules
            ]
            return tuple(await asyncio.gather(*(self._arena.get_leaderboard(one.name) for one in ladders)))
        return ()

    async def _list_winners(self) -> tuple[tuple[str, str], ...]:
        """Return the winners of finished contests: contest and bot, the newest first."""
        with suppress(MaumauError):
            ended = [one for one in await self._arena.list_tournaments() if one.state == "finished"][
                :CONTESTS
            ]
            winners = [await look_up_winner(self._arena, self._cache, one) for one in ended]
            return tuple((one.name, bot) for one, bot in zip(ended, winners, strict=True) if bot)
        return ()


def find_active(bot: Bot) -> Version | None:
    """Return a bot's active version, if that plays people."""
    return next((one for one in bot.versions if one.state == "active" and one.plays_people), None)


def _can_play(version: Version | None, rules: str, seats: int) -> bool:
    """Return True if a version was validated for these rules, and this number of seats unless it is 0."""
    if version is None or (version.rules and rules not in version.rules):
        return False
    return not (seats and version.seats) or seats in version.seats


def _describe_bot(
    bot: Bot, boards: Iterable[GetLeaderboardResponse], won: Iterable[tuple[str, str]]
) -> Opponent:
    contests = tuple(contest for contest, name in won if name == bot.name)
    for board in boards:
        for line in board.ranked:
            if line.bot_name == bot.name:
                at = line.place, len(board.ranked), line.elo
                return Opponent(bot.name, bot.account_name, *at, contests, is_rated(line))
    return Opponent(bot.name, bot.account_name, won=contests)
