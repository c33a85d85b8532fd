"""What the pages of ladders show, and how they follow them."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from maumau.answer import Epoch, GetLeaderboardResponse, HeadToHead, Ladder, LeaderboardLine, Pairing
from maumau.errors import NotJoined
from services.web.client import Arena
from services.web.contest import show
from services.web.feed import Feed

PARTS = ("ladder",)
PAIRING_PARTS = ("pairings",)
TOP = 5  # bots of a ladder on the first page
PAIRINGS = 25  # of a page
EVERY = 2.0  # seconds between two looks at pairings


class Board(Struct, frozen=True):
    """A ladder's table: the lines that are asked for, and the bot whose results are open."""

    ladder: Ladder
    lines: tuple[LeaderboardLine, ...]
    authors: tuple[str, ...]
    author: str = ""
    bot: str = ""
    opponents: tuple[HeadToHead, ...] = ()


class Explained(Struct, frozen=True):
    """A pairing and why it was made."""

    pairing: Pairing
    words: str


class Pairings(Struct, frozen=True):
    """Some pairings, newest first; older: the cursor of those before them."""

    ladder: Ladder
    items: tuple[Explained, ...]
    epochs: tuple[Epoch, ...]
    older: str = ""


class LadderSource:
    """One ladder, by its name; of one author's bots, and with a bot's results, if they are named."""

    def __init__(self, arena: Arena, name: str, author: str = "", bot: str = "") -> None:
        self._arena, self._name, self._author, self._bot = arena, name, author, bot

    async def load(self) -> Board:
        """As it is now."""
        return await self._board(await self._arena.leaderboard(self._name))

    async def source(self, feed: Feed) -> None:
        """Runs as long as the service does."""
        async for found in self._arena.watch_ladder(self._name):
            show(feed, await self._board(found))

    async def _board(self, found: GetLeaderboardResponse) -> Board:
        assert found.ladder
        authors = tuple(sorted({line.account_name for line in found.lines}))
        lines = tuple(line for line in found.lines if self._author in ("", line.account_name))
        opponents = await self._opponents() if self._bot else ()
        return Board(found.ladder, lines, authors, self._author, self._bot, opponents)

    async def _opponents(self) -> tuple[HeadToHead, ...]:
        try:
            return await self._arena.head_to_head(self._name, self._bot)
        except NotJoined:  # it has met nobody
            return ()


class PairingSource:
    """The pairings of a ladder from a cursor on, of one bot if one is named."""

    def __init__(self, arena: Arena, name: str, bot: str = "", after: str = "") -> None:
        self._arena, self._name, self._bot, self._after = arena, name, bot, after
        self._words: dict[str, str] = {}

    async def load(self) -> Pairings:
        """As they are now."""
        found = await self._arena.leaderboard(self._name)
        assert found.ladder
        pairings, older = await self._arena.pairings(self._name, self._bot, PAIRINGS, self._after)
        items = await self._explained(pairings)
        return Pairings(found.ladder, items, await self._arena.epochs(self._name), older)

    async def source(self, feed: Feed) -> None:
        """Runs as long as the service does."""
        while True:
            show(feed, await self.load())
            await asyncio.sleep(EVERY)

    async def _explained(self, pairings: Sequence[Pairing]) -> tuple[Explained, ...]:
        """With words, which are asked for once for each that is still shown."""

        async def words(one: Pairing) -> str:
            return self._words.get(one.id) or (await self._arena.explain_pairing(self._name, one.id)).words

        told = await asyncio.gather(*map(words, pairings))
        self._words = {one.id: said for one, said in zip(pairings, told, strict=True)}
        return tuple(Explained(one, said) for one, said in zip(pairings, told, strict=True))
