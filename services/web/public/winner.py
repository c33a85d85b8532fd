"""The winner of a contest, looked up once for all pages that name it."""

from maumau.client.answer import Tournament
from maumau.client.standing.winner import find_winner
from maumau.errors import NotReleased
from services.web.client import Arena
from services.web.delivery.cache import FOR_EVER, Cache


async def look_up_winner(arena: Arena, cache: Cache, contest: Tournament) -> str:
    """Return the name of the bot that won a finished contest, "" if none has or results are hidden."""

    async def ask() -> str:
        try:
            standings = (await arena.get_standings(contest.name)).standings
            entries = (await arena.get_tournament(contest.name)).entries
            found = find_winner(standings, entries, await arena.list_matches(contest.name))
        except NotReleased:
            return ""
        return found.bot_name if found else ""

    return await cache.get(("winner", contest.id, contest.compared), ask, lambda _: FOR_EVER)
