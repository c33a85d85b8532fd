"""What the first page shows: the match that an onlooker is shown, the contests, what was decided last."""

import asyncio
import time

from msgspec import Struct

from maumau.answer import GetLeaderboardResponse, Match, Tournament
from maumau.errors import MaumauError, NotReleased
from services.web.archive import Archive
from services.web.client import Arena
from services.web.feed import Feed
from services.web.table import Table

PAUSE = 1.0  # seconds between looks at the contests
IDLE = 3  # seconds without a deal, until another match is looked for
LOOKED_AT = 5  # contests whose matches are looked at: the newest
NEWEST = 100  # blocks of a match among which one is looked for that is being played
CANDIDATES = 6  # matches that may be asked whether a worker plays them
DECIDED = 6  # matches that are told as decided last
LADDERS = 6  # whose best are shown
BOARDS_PAUSE = 2.0  # seconds between two looks at the ladders


class Played(Struct, frozen=True):
    """A match and the contest that it is of."""

    contest: str
    match: Match


class Home(Struct, frozen=True):
    """contests: newest first. now: the match at the table. decided: last first.

    boards: the ladders' tables; None if their service is silent.
    """

    contests: tuple[Tournament, ...] = ()
    now: Played | None = None
    decided: tuple[Played, ...] = ()
    boards: tuple[GetLeaderboardResponse, ...] | None = ()


class Onlooker:
    """The source of the first page: goes from match to match, at the pace of its table."""

    def __init__(self, arena: Arena) -> None:
        self._arena, self._archive = arena, Archive(arena)
        self._lists: dict[str, tuple[tuple[int, int, str], tuple[Match, ...]]] = {}
        self._boards: tuple[GetLeaderboardResponse, ...] | None = ()
        self._boards_until = 0.0

    async def home(self) -> Home:
        """As it is now, for a page that nobody watches yet."""
        contests = await self._arena.tournaments()
        found = [Played(each.name, one) for each in contests[:LOOKED_AT] for one in await self._matches(each)]
        playing = [one for one in found if one.match.state == "playing"]
        now = max(playing, key=_interest, default=None) or await self._replayed(contests)
        return Home(contests, now, _last_decided(found), await self._best())

    async def _replayed(self, contests: tuple[Tournament, ...]) -> Played | None:
        """The match of which a deal is shown while nothing is played."""
        found = await self._archive.latest(contests)
        return Played(found[0].name, found[1]) if found else None

    async def boards(self) -> tuple[GetLeaderboardResponse, ...]:
        """The tables of all ladders, by name."""
        ladders = await self._arena.ladders()
        return tuple(await asyncio.gather(*(self._arena.leaderboard(one.name) for one in ladders)))

    async def _best(self) -> tuple[GetLeaderboardResponse, ...] | None:
        """The tables of the first ladders, asked for now and then; nothing waits for a silent service."""
        if time.monotonic() >= self._boards_until:
            self._boards_until = time.monotonic() + BOARDS_PAUSE
            try:
                async with asyncio.timeout(BOARDS_PAUSE):
                    self._boards = (await self.boards())[:LADDERS]
            except (MaumauError, TimeoutError):
                self._boards = None
        return self._boards

    async def source(self, feed: Feed) -> None:
        """Runs until the arena is silent."""
        table = Table(time.monotonic)
        while True:
            home = await self.home()
            now = await self._at_a_table(home)
            self._told(feed, _with_table(home, table, now or home.now))
            if now is None:
                if not table.is_showing and (deal := await self._archive.next_deal(home.contests)):
                    table.show(deal)
                    feed.deal = table.shown
                    self._told(feed, _with_table(home, table, None))
                    feed.tell()
                await feed.wait(feed.version, PAUSE)
            else:
                await self._follow(feed, table, now)

    async def _follow(self, feed: Feed, table: Table, now: Played) -> None:
        """Tells of this match until no worker plays it any more."""
        looked = time.monotonic()
        async for part in self._arena.watch_match(now.contest, now.match.label, IDLE):
            if isinstance(part, Match):
                now = Played(now.contest, part)
                self._told(feed, _with_table(feed.view, table, now))
            elif table.feed(now.contest, now.match, part):
                feed.deal = table.shown
                feed.tell()
                self._told(feed, _with_table(feed.view, table, now))
            if time.monotonic() - looked > PAUSE:
                home, looked = await self.home(), time.monotonic()
                self._told(feed, _with_table(home, table, now))

    def _told(self, feed: Feed, home: Home) -> None:
        feed.recover()
        if home != feed.view:
            feed.view = home
            feed.tell()

    async def _at_a_table(self, home: Home) -> Played | None:
        """The most interesting match of those that a worker plays at the moment."""
        playing = []
        for contest in [each for each in home.contests if each.state == "running"][:LOOKED_AT]:
            matches = await self._matches(contest)
            playing += [Played(contest.name, match) for match in matches if match.state == "playing"]
        for one in sorted(playing, key=_interest, reverse=True)[:CANDIDATES]:
            found = await self._arena.match(one.contest, one.match.label, NEWEST)
            if found.match.state == "playing" and any(block.state == "claimed" for block in found.blocks):
                return Played(one.contest, found.match)
        return None

    async def _matches(self, contest: Tournament) -> tuple[Match, ...]:
        """A contest's matches, asked for again only if one was begun or decided."""
        state = (contest.matches_known, contest.matches_decided, contest.state)
        kept = self._lists.get(contest.id)
        if kept is None or kept[0] != state:
            kept = state, await self._released(contest)
            self._lists[contest.id] = kept
            while len(self._lists) > 2 * LOOKED_AT:
                del self._lists[next(iter(self._lists))]
        return kept[1]

    async def _released(self, contest: Tournament) -> tuple[Match, ...]:
        """Its matches; none while they are not for everybody."""
        try:
            return await self._arena.matches(contest.name)
        except NotReleased:
            return ()


def _with_table(home: Home, table: Table, now: Played | None) -> Home:
    """The score is that of the match whose deal is being shown, although another may be played by now."""
    shown = table.shown
    if shown and table.is_showing and (now is None or shown.match.id != now.match.id):
        now = Played(shown.contest, shown.match)
    return Home(home.contests, now, home.decided, home.boards)


def _interest(one: Played) -> tuple[int, int, float, str]:
    """The later stage and round first; then whose score is nearest to one half after some deals."""
    stage, round_, _ = (int(part) for part in one.match.label.split("."))
    return stage, round_, -abs(one.match.estimate - 0.5) if one.match.sets else -1.0, one.match.label


def _last_decided(found: list[Played]) -> tuple[Played, ...]:
    """Of the newest contest that has any, the last by label."""
    decided = [one for one in found if one.match.state == "decided"]
    names = list(dict.fromkeys(one.contest for one in decided))
    decided.sort(key=lambda one: (-names.index(one.contest), _order(one.match.label)), reverse=True)
    return tuple(decided[:DECIDED])


def _order(label: str) -> tuple[int, ...]:
    return tuple(int(part) for part in label.split("."))
