"""The pages of ladders, and their updates."""

import asyncio
import time
from collections.abc import Iterable, Sequence

from msgspec import Struct

from maumau.client.answer import Epoch, GetLeaderboardResponse, HeadToHead, Ladder, LeaderboardLine, Pairing
from maumau.errors import NotJoined, UnknownPairing
from services.web.client import Arena
from services.web.delivery.feed import Feed
from services.web.figures.shown_deal import DealWatch, ShownGame, show_pairing

PARTS = ("ladder",)
PAIRING_PARTS = ("pairings",)
LIVE_PARTS = ("pairing_result",)
TOP = 5  # bots of a ladder on the first page
PAIRINGS = 25  # of a page
EVERY = 2.0  # seconds between two queries for pairings


class LadderBoard(Struct, frozen=True):
    """A ladder's table: the requested lines, and the bot whose results are shown."""

    ladder: Ladder
    lines: tuple[LeaderboardLine, ...]
    authors: tuple[str, ...]
    author: str = ""
    bot: str = ""
    opponents: tuple[HeadToHead, ...] = ()


class PairingGroup(Struct, frozen=True):
    """Pairings of the same versions that were made for the same kind of reason, newest first.

    words: the reason of the newest one; those of the others differ from it by numbers at most.
    """

    kind: str
    words: str
    pairings: tuple[Pairing, ...]


class Pairings(Struct, frozen=True):
    """Pairings by reason, of all bots or of one: those played, and the newest of those under way.

    older: the cursor of earlier ones that were played.
    """

    ladder: Ladder
    played: tuple[PairingGroup, ...]
    under_way: tuple[PairingGroup, ...]
    epochs: tuple[Epoch, ...]
    bot: str = ""
    older: str = ""


class LadderSource:
    """The source of a ladder's page, by its name; optionally for one author's bots, with a bot's results."""

    def __init__(self, arena: Arena, name: str, author: str = "", bot: str = "") -> None:
        self._arena, self._name, self._author, self._bot = arena, name, author, bot

    async def load_view(self) -> LadderBoard:
        """Load the current data."""
        return await self._build_board(await self._arena.get_leaderboard(self._name))

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed as long as the service answers."""
        async for found in self._arena.watch_ladder(self._name):
            feed.publish_view(await self._build_board(found))

    async def _build_board(self, found: GetLeaderboardResponse) -> LadderBoard:
        assert found.ladder
        authors = tuple(sorted({line.account_name for line in found.lines}))
        lines = tuple(line for line in found.lines if self._author in ("", line.account_name))
        opponents = await self._load_opponents() if self._bot else ()
        return LadderBoard(found.ladder, lines, authors, self._author, self._bot, opponents)

    async def _load_opponents(self) -> tuple[HeadToHead, ...]:
        try:
            return await self._arena.head_to_head(self._name, self._bot)
        except NotJoined:  # it has not met any bot
            return ()


class PairingSource:
    """The source of a ladder's pairings from a cursor on, optionally those of one bot."""

    def __init__(self, arena: Arena, name: str, bot: str = "", after: str = "") -> None:
        self._arena, self._name, self._bot, self._after = arena, name, bot, after
        self._words: dict[str, str] = {}

    async def load_view(self) -> Pairings:
        """Load the current data."""
        found = await self._arena.get_leaderboard(self._name)
        assert found.ladder
        newest = () if self._after else (await self._arena.list_pairings(self._name, self._bot, PAIRINGS))[0]
        asked = self._name, self._bot, PAIRINGS, self._after
        played, older = await self._arena.list_pairings(*asked, over=True)
        played_alike = list_alike(played)
        open_alike = list_alike(one for one in newest if one.state != "over")
        await self._load_reasons([alike[0] for alike in (*played_alike, *open_alike)])
        shown, under_way = (tuple(map(self._build_group, groups)) for groups in (played_alike, open_alike))
        epochs = await self._arena.list_epochs(self._name)
        return Pairings(found.ladder, shown, under_way, epochs, self._bot, older)

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed as long as the service answers."""
        while True:
            feed.publish_view(await self.load_view())
            await asyncio.sleep(EVERY)

    async def _load_reasons(self, pairings: Sequence[Pairing]) -> None:
        """Read the reasons of pairings, once as long as they are shown: a pairing that ends keeps its own."""

        async def words(one: Pairing) -> str:
            return self._words.get(one.id) or (await self._arena.explain_pairing(self._name, one.id)).words

        told = await asyncio.gather(*map(words, pairings))
        self._words = {one.id: said for one, said in zip(pairings, told, strict=True)}

    def _build_group(self, alike: Sequence[Pairing]) -> PairingGroup:
        newest = alike[0]
        return PairingGroup(newest.kind, self._words[newest.id], tuple(alike))


def list_alike(pairings: Iterable[Pairing]) -> list[list[Pairing]]:
    """Return the pairings by kind and versions of bots, in the order in which these come first."""
    found: dict[tuple[str, frozenset[str]], list[Pairing]] = {}
    for one in pairings:
        key = one.kind, frozenset(one.full_names)
        found.setdefault(key, []).append(one)
    return list(found.values())


class PairingView(Struct, frozen=True):
    """A pairing whose deals are on show. now: the same for the table."""

    ladder: str
    pairing: Pairing
    now: ShownGame


class LivePairingSource:
    """The source of the deals of a pairing while they are played, by its ladder and its id."""

    def __init__(self, arena: Arena, ladder: str, pairing: str) -> None:
        self._arena, self._ladder, self._pairing = arena, ladder, pairing

    async def load(self) -> PairingView:
        """Load the current data."""
        found = (await self._arena.explain_pairing(self._ladder, self._pairing)).pairing
        if found is None:
            words = f"The ladder {self._ladder} has no pairing {self._pairing[:80]}."
            raise UnknownPairing(words, thing=self._pairing[:80])
        return self._show(found)

    async def source(self, feed: Feed) -> None:
        """Update the feed until the pairing is over."""
        table = DealWatch(time.monotonic)
        feed.publish_view(await self.load())
        async for part in self._arena.watch_pairing(self._ladder, self._pairing):
            if isinstance(part, Pairing):
                feed.publish_view(self._show(part))
            elif table.add_part(feed.view.now, part):
                feed.deal = table.shown
                feed.publish_change()

    def _show(self, one: Pairing) -> PairingView:
        return PairingView(self._ladder, one, show_pairing(self._ladder, one))
