"""What the pages of a contest and of a match show, and how they follow it."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from msgspec import Struct

from maumau.answer import GetMatchResponse, Match, Round, Standing, Tournament
from maumau.errors import NotReleased, UnknownStage
from services.web.cache import FOR_EVER, Cache
from services.web.client import Arena
from services.web.feed import Feed
from services.web.table import Table
from services.web.walk import Place, ReadTest, Scores, read_test

PARTS = ("state", "bracket", "standings", "crosstable", "matches")
WALL_PARTS = ("state", "tree", "standings", "crosstable", "matches")
"""On a projector: the bracket as one drawing."""
MATCH_PARTS = ("result", "walk", "blocks")
SHOWN_BLOCKS = 25  # of a match, the newest
MAX_DRAWN_SETS = 20_000  # of a match, whose test is drawn set by set
SETTLE = 0.5  # seconds between two looks at what changes quickly
UNTOLD = 2.0  # seconds after which one looks anyway: entries come without an event


class Contest(Struct, frozen=True):
    """A contest with all that its page shows; matches in the order of their labels."""

    tournament: Tournament
    standings: tuple[Standing, ...]
    final: bool
    rounds: tuple[Round, ...]
    matches: tuple[Match, ...]
    is_hidden: bool = False
    """Whether the results are not for this reader yet."""


class ContestSource:
    """One contest, by its name."""

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._name = arena, name
        self._without_bracket = ""

    async def load(self) -> Contest:
        """As it is now."""
        tournament = await self._arena.tournament(self._name)
        try:
            table = await self._arena.standings(self._name)
        except NotReleased:
            return Contest(tournament, (), False, (), (), is_hidden=True)  # noqa: FBT003 - it is not final
        matches = await self._arena.matches(self._name)
        rounds = await self._load_rounds(tournament.spec_toml)
        return Contest(tournament, table.standings, table.final, rounds, matches)

    async def _load_rounds(self, spec: str) -> tuple[Round, ...]:
        """The rounds of its bracket; a contest without one is asked once for each spec."""
        if spec != self._without_bracket:
            try:
                return await self._arena.bracket(self._name)
            except UnknownStage:
                self._without_bracket = spec
        return ()

    async def source(self, feed: Feed) -> None:
        """Runs until the contest is over."""
        async for _ in changes(self._arena.watch(self._name)):
            show(feed, await self.load())
        view = await self.load()
        show(feed, view)
        feed.over = view.tournament.over


class MatchView(Struct, frozen=True):
    """A match with its blocks and faults, and the contest that it is of.

    test: the spec's [match]. scores: of its sets, once they may be seen. seen: how the test stood before,
    as far as somebody watched.
    """

    contest: str
    found: GetMatchResponse
    is_over: bool
    test: ReadTest
    scores: Scores = Scores()
    seen: tuple[Place, ...] = ()


class MatchSource:
    """One match, by its contest's name and its label."""

    def __init__(self, arena: Arena, cache: Cache, name: str, label: str) -> None:
        self._arena, self._cache, self._name, self._label = arena, cache, name, label
        self._seen: dict[int, float] = {}
        self._tournament: Tournament | None = None

    async def load(self) -> MatchView:
        """As it is now. While a match is played its contest is asked for once: the spec does not change."""
        found = await self._arena.match(self._name, self._label, SHOWN_BLOCKS)
        match = found.match
        if self._tournament is None or match.state != "playing":
            self._tournament = await self._arena.tournament(self._name)
        tournament = self._tournament
        test = read_test(tournament.spec_toml)
        scores = await self._scores(match) if tournament.over else Scores()
        return MatchView(self._name, found, tournament.over, test, scores, self._follow(match))

    def _follow(self, match: Match) -> tuple[Place, ...]:
        if any(sets > match.sets for sets in self._seen):  # it was taken back
            self._seen.clear()
        if match.sets:
            self._seen[match.sets] = match.llr
        return tuple(sorted(self._seen.items()))

    async def _scores(self, match: Match) -> Scores:
        """Of the sets that count; a match of very many is drawn without them."""

        async def ask() -> Scores:
            sets = (await self._arena.set_scores(self._name, self._label))[: match.sets]
            return Scores(sets[0].unit, tuple(one.scores[0] for one in sets)) if sets else Scores()

        if not 0 < match.sets <= MAX_DRAWN_SETS:
            return Scores()
        return await self._cache.get(("scores", match.id, match.sets), ask, lambda _: FOR_EVER)

    async def source(self, feed: Feed) -> None:
        """Runs until the match is decided or taken back."""
        show(feed, await self.load())
        async for _ in changes(self._watch_table(feed)):
            show(feed, await self.load())
        self._tournament = None  # a contest may be cancelled while its match is being played
        show(feed, await self.load())

    async def _watch_table(self, feed: Feed) -> AsyncIterator[Match]:
        """Yields the match when it changes; between changes it tells watchers the deal being shown."""
        table, match = Table(time.monotonic), feed.view.found.match
        async for part in self._arena.watch_match(self._name, self._label):
            if isinstance(part, Match):
                match = part
                yield part
            elif table.feed(self._name, match, part):
                feed.deal = table.shown
                feed.tell()


def show(feed: Feed, view: object) -> None:
    feed.recover()
    if view != feed.view:
        feed.view = view
        feed.tell()


async def changes(stream: AsyncIterator[Any]) -> AsyncIterator[None]:
    """Once now, then soon after anything came, but seldom; ends with the stream or its error."""
    came = asyncio.Event()

    async def read() -> None:
        async for _ in stream:
            came.set()

    reading = asyncio.create_task(read())
    try:
        while not reading.done():
            yield
            waiting = asyncio.create_task(came.wait())
            await asyncio.wait((waiting, reading), timeout=UNTOLD, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            came.clear()
            await asyncio.sleep(SETTLE)
        await reading
    finally:
        reading.cancel()
