"""The pages of a contest and of a match, and their updates."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct, structs

from maumau.client.answer import Foreknowledge, GetMatchResponse, Match, Round, Standing, Tournament
from maumau.client.standing.group_table import list_group_stages
from maumau.client.standing.race import Race, list_races
from maumau.client.standing.stopped import mark_matches, mark_rounds, mark_stages, mark_stopped
from maumau.client.standing.swiss import SwissStage, list_swiss_stages
from maumau.client.standing.table_round import is_at_tables
from maumau.contest.spec.spec import read_table
from maumau.errors import NotReleased, UnknownStage
from services.web.client import Arena
from services.web.delivery.cache import FOR_EVER, Cache
from services.web.delivery.feed import Feed
from services.web.figures.shown_deal import DealWatch, show_match
from services.web.figures.walk import Place, ReadTest, Scores, read_test

PARTS = ("state", "bracket", "standings", "swiss", "seating", "crosstable", "matches")
WALL_PARTS = ("state", "tree", "standings", "swiss", "seating", "crosstable", "matches")
"""The parts on a projector, with the bracket as one drawing."""
MATCH_PARTS = ("result", "walk", "blocks")
SHOWN_BLOCKS = 25  # blocks of a match shown, the newest
MAX_DRAWN_SETS = 20_000  # sets of a match up to which its test is drawn set by set
SETTLE = 1.0  # seconds between two updates of frequent changes, as long as pages are kept
UNTOLD = 2.0  # seconds until an update without an event, since entries come without one


class Contest(Struct, frozen=True):
    """A contest with the data of its page; matches in the order of their labels."""

    tournament: Tournament
    standings: tuple[Standing, ...]
    final: bool
    rounds: tuple[Round, ...]
    matches: tuple[Match, ...]
    is_hidden: bool = False
    """True if this reader may not see the results yet."""
    foreknowledge: tuple[Foreknowledge, ...] = ()
    """For its organiser: the bots tested for foreknowledge."""
    swiss: tuple[SwissStage, ...] = ()
    """Its stages in the Swiss system that have begun."""
    tables: Mapping[int, tuple[Standing, ...]] = MappingProxyType({})
    """The tables after the stages that are played in groups, by the stage's number."""
    races: tuple[Race, ...] = ()
    """Its races of which a batch is complete."""

    @property
    def games_key(self) -> str:
        """The key of the words for what a set is where whole games are played, "" where none are."""
        return _find_games_key(self.tournament.spec_toml)

    def is_race_over(self, race: Race) -> bool:
        """Return True if no further batch of a race follows."""
        is_next = any(int(one.label.split(".")[0]) > race.stage for one in self.matches)
        return is_next or self.tournament.state in ("decided", "finished")


@lru_cache(maxsize=256)
def _find_games_key(spec_toml: str) -> str:
    spec = read_table(spec_toml)
    games = ["game" in spec or "game" in stage for stage in spec.get("stage", ())]
    return "set_is_game" if games and all(games) else "set_may_be_game" if any(games) else ""


class ContestSource:
    """The source of a contest's page, by its name."""

    def __init__(self, arena: Arena, name: str) -> None:
        self._arena, self._name = arena, name
        self._without_bracket = ""

    async def load_view(self) -> Contest:
        """Load the current data."""
        tournament = await self._arena.get_tournament(self._name)
        try:
            table = await self._arena.get_standings(self._name)
        except NotReleased:
            return Contest(tournament, (), False, (), (), is_hidden=True)  # noqa: FBT003 - it is not final
        matches = mark_matches(tournament, await self._arena.list_matches(self._name))
        rounds = mark_rounds(tournament, await self._load_rounds(tournament.spec_toml))
        swiss = mark_stages(tournament, await self._load_swiss(tournament))
        stages = list_group_stages(tournament.spec_toml)
        tables = {stage: (await self._arena.get_standings(self._name, stage)).standings for stage in stages}
        found = tournament, table.standings, table.final, rounds, matches
        races = list_races(tournament.spec_toml, table.race)
        return Contest(*found, swiss=swiss, tables=tables, races=races)

    async def _load_swiss(self, tournament: Tournament) -> tuple[SwissStage, ...]:
        """Return its Swiss stages that have begun."""
        found: list[SwissStage] = []
        for number, wanted in list_swiss_stages(tournament.spec_toml):
            if rounds := await self._arena.get_bracket(self._name, number):
                table = await self._arena.get_standings(self._name, number)
                found.append(SwissStage(number, wanted, rounds, table.standings))
        return tuple(found)

    async def _load_rounds(self, spec: str) -> tuple[Round, ...]:
        """Return the rounds of its bracket; for a contest without one, ask only once per spec."""
        if spec != self._without_bracket:
            try:
                rounds = await self._arena.get_bracket(self._name)
                return () if is_at_tables(rounds) else rounds
            except UnknownStage:
                self._without_bracket = spec
        return ()

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed until the contest is over."""
        async for _ in yield_changes(self._arena.watch_tournament(self._name), feed):
            feed.publish_view(await self.load_view())
        view = await self.load_view()
        feed.publish_view(view)
        feed.over = view.tournament.over


class MatchView(Struct, frozen=True):
    """A match with its blocks and faults, and its contest.

    test: the spec's [match]. scores: of its sets, once they may be seen.
    """

    contest: str
    found: GetMatchResponse
    is_over: bool
    test: ReadTest
    scores: Scores = Scores()

    @property
    def ends(self) -> list[Place]:
        """The test after each block; a service of an earlier release tells only where it stands now."""
        match = self.found.match
        now = [(match.sets, match.llr)] if match.sets else []
        return [(one.sets, one.llr) for one in self.found.walk] or now


class MatchSource:
    """The source of a match's page, by its contest's name and its label."""

    def __init__(self, arena: Arena, cache: Cache, name: str, label: str) -> None:
        self._arena, self._cache, self._name, self._label = arena, cache, name, label
        self._tournament: Tournament | None = None

    async def load_view(self) -> MatchView:
        """Load the current data. During a match its contest is queried once: the spec does not change."""
        found = await self._arena.get_match(self._name, self._label, SHOWN_BLOCKS)
        match = found.match
        if self._tournament is None or match.state != "playing":
            self._tournament = await self._arena.get_tournament(self._name)
        tournament = self._tournament
        test = read_test(tournament.spec_toml, int(self._label.partition(".")[0]))
        scores = await self._load_scores(match) if tournament.over else Scores()
        told = structs.replace(found, match=mark_stopped(tournament, match))
        return MatchView(self._name, told, tournament.over, test, scores)

    async def _load_scores(self, match: Match) -> Scores:
        """Return the scores of the sets that count; none for a very long match."""

        async def ask() -> Scores:
            sets = (await self._arena.set_scores(self._name, self._label))[: match.sets]
            return Scores(sets[0].unit, tuple(one.scores[0] for one in sets)) if sets else Scores()

        if not 0 < match.sets <= MAX_DRAWN_SETS:
            return Scores()
        return await self._cache.get(("scores", match.id, match.sets), ask, lambda _: FOR_EVER)

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed until the match is decided or taken back."""
        feed.publish_view(await self.load_view())
        async for _ in yield_changes(self._watch_table(feed), feed):
            feed.publish_view(await self.load_view())
        self._tournament = None  # a contest may be cancelled during its match
        feed.publish_view(await self.load_view())

    async def _watch_table(self, feed: Feed) -> AsyncIterator[Match]:
        """Yield the match when it changes; in between, update the deal being shown."""
        table, match = DealWatch(time.monotonic), feed.view.found.match
        async for part in self._arena.watch_match(self._name, self._label):
            if isinstance(part, Match):
                match = part
                yield part
            elif table.add_part(show_match(self._name, match), part):
                feed.deal = table.shown
                feed.publish_change()


async def yield_changes(stream: AsyncIterator[Any], feed: Feed) -> AsyncIterator[None]:
    """Yield once now, then soon after each item, but not more often than the feed tells its readers.

    End with the stream or its error.
    """
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
            await asyncio.sleep(max(SETTLE, feed.find_pause()))
        await reading
    finally:
        reading.cancel()
