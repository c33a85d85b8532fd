"""The first page: the match on show, the contests, and the latest decisions."""

import asyncio
import time
from contextlib import suppress
from datetime import UTC, datetime

from msgspec import Struct

from maumau.client.answer import GetLeaderboardResponse, Match, Tournament
from maumau.errors import MaumauError, NotReleased
from services.web.client import Arena
from services.web.delivery.feed import Feed
from services.web.figures.shown_deal import STEP, DealWatch, ShownGame, ShownMatch, show_match
from services.web.public.archive import Archive
from services.web.public.people import LISTED, Victory, find_victory

PAUSE = 1.0  # seconds between queries for the contests
IDLE = 3  # seconds without a deal before another match is chosen
LOOKED_AT = 5  # contests considered: the newest
NEWEST = 100  # blocks of a match among which one in play is sought
CANDIDATES = 6  # matches checked for being played
DECIDED = 6  # matches shown as decided last
LADDERS = 6  # ladders shown
BOARDS_PAUSE = 2.0  # seconds between two queries for the ladders
VICTORY_PAUSE = 15.0  # seconds between two looks at the tables that have ended


class Home(Struct, frozen=True):
    """The data of the first page. contests: newest first. now: what is on show. decided: last first.

    boards: the ladders' tables; None if their service is silent. victory: of a person against a champion.
    """

    contests: tuple[Tournament, ...] = ()
    now: ShownGame | None = None
    decided: tuple[ShownMatch, ...] = ()
    boards: tuple[GetLeaderboardResponse, ...] | None = ()
    victory: Victory | None = None


class Onlooker:
    """The source of the first page: it moves from match to match, at the pace of its table."""

    def __init__(self, arena: Arena) -> None:
        self._arena, self._archive = arena, Archive(arena)
        self._lists: dict[str, tuple[tuple[int, int, str], tuple[Match, ...]]] = {}
        self._boards: tuple[GetLeaderboardResponse, ...] | None = ()
        self._boards_until = self._victory_until = 0.0
        self._victory: Victory | None = None

    async def load_home(self) -> Home:
        """Load the current data, for a page without watchers."""
        contests = await self._arena.list_tournaments()
        found = [
            show_match(each.name, one)
            for each in contests[:LOOKED_AT]
            for one in await self._list_matches(each)
        ]
        playing = [one for one in found if one.match.state == "playing"]
        boards = await self._load_best()
        best = max(playing, key=_rank_interest, default=None)
        now = best or await self._archive.find_latest(contests, boards or ())
        return Home(contests, now, _last_decided(found), boards, await self._find_victory(boards or ()))

    async def load_boards(self) -> tuple[GetLeaderboardResponse, ...]:
        """Return the tables of all ladders, by name."""
        ladders = await self._arena.list_ladders()
        return tuple(await asyncio.gather(*(self._arena.get_leaderboard(one.name) for one in ladders)))

    async def _load_best(self) -> tuple[GetLeaderboardResponse, ...] | None:
        """Return the tables of the first ladders, queried now and then; do not wait for a silent service."""
        if time.monotonic() >= self._boards_until:
            self._boards_until = time.monotonic() + BOARDS_PAUSE
            try:
                async with asyncio.timeout(BOARDS_PAUSE):
                    self._boards = (await self.load_boards())[:LADDERS]
            except (MaumauError, TimeoutError):
                self._boards = None
        return self._boards

    async def _find_victory(self, boards: tuple[GetLeaderboardResponse, ...]) -> Victory | None:
        """Return the newest victory of a person, looked for now and then; do not wait for a silent engine."""
        if time.monotonic() >= self._victory_until:
            self._victory_until = time.monotonic() + VICTORY_PAUSE
            champions = [line.bot_name for board in boards for line in board.ranked[:1]]
            with suppress(MaumauError, TimeoutError):
                async with asyncio.timeout(BOARDS_PAUSE):
                    tables = await self._arena.list_tables(LISTED, ended=True)
                self._victory = find_victory(tables, champions, datetime.now(UTC))
        return self._victory

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed until the arena is silent."""
        table = DealWatch(time.monotonic)
        feed.least_rest = STEP  # a deal begins at most one event late
        while True:
            home = await self.load_home()
            now = await self._at_a_table(home)
            feed.publish_view(_with_table(home, table, now or home.now))
            if now is None:
                if not table.is_showing and (
                    deal := await self._archive.next_deal(home.contests, home.boards or ())
                ):
                    table.show_deal(deal)
                    feed.deal = table.shown
                    feed.publish_view(_with_table(home, table, None))
                    feed.publish_change()
                await feed.await_change(feed.version, PAUSE)
            else:
                await self._follow_match(feed, table, now)

    async def _follow_match(self, feed: Feed, table: DealWatch, now: ShownMatch) -> None:
        """Show this match until no worker plays it any more."""
        looked = time.monotonic()
        async for part in self._arena.watch_match(now.contest, now.match.label, IDLE):
            if isinstance(part, Match):
                now = show_match(now.contest, part)
                feed.publish_view(_with_table(feed.view, table, now))
            elif table.add_part(now, part):
                feed.deal = table.shown
                feed.publish_change()
                feed.publish_view(_with_table(feed.view, table, now))
            if time.monotonic() - looked > PAUSE:
                home, looked = await self.load_home(), time.monotonic()
                feed.publish_view(_with_table(home, table, now))

    async def _at_a_table(self, home: Home) -> ShownMatch | None:
        """Return the most interesting match that a worker is playing now."""
        playing = []
        for contest in [each for each in home.contests if each.state == "running"][:LOOKED_AT]:
            matches = await self._list_matches(contest)
            playing += [show_match(contest.name, match) for match in matches if match.state == "playing"]
        for one in sorted(playing, key=_rank_interest, reverse=True)[:CANDIDATES]:
            found = await self._arena.get_match(one.contest, one.match.label, NEWEST)
            if found.match.state == "playing" and any(block.state == "claimed" for block in found.blocks):
                return show_match(one.contest, found.match)
        return None

    async def _list_matches(self, contest: Tournament) -> tuple[Match, ...]:
        """Return a contest's matches, queried again only after one was begun or decided."""
        state = (contest.matches_known, contest.matches_decided, contest.state)
        kept = self._lists.get(contest.id)
        if kept is None or kept[0] != state:
            kept = state, await self._list_released(contest)
            self._lists[contest.id] = kept
            while len(self._lists) > 2 * LOOKED_AT:
                del self._lists[next(iter(self._lists))]
        return kept[1]

    async def _list_released(self, contest: Tournament) -> tuple[Match, ...]:
        """Return its matches; none if they are not public."""
        try:
            return await self._arena.list_matches(contest.name)
        except NotReleased:
            return ()


def _with_table(home: Home, table: DealWatch, now: ShownGame | None) -> Home:
    """Return the page with the score of the match whose deal is shown, even if another is played by now."""
    shown = table.shown
    if shown and table.is_showing and (now is None or shown.game.id != now.id):
        now = shown.game
    return Home(home.contests, now, home.decided, home.boards)


def _rank_interest(one: ShownMatch) -> tuple[int, int, float, str]:
    """Return the sort key of interest: later stage and round first, then the score nearest to one half."""
    stage, round_, _ = (int(part) for part in one.match.label.split("."))
    return stage, round_, -abs(one.match.estimate - 0.5) if one.match.sets else -1.0, one.match.label


def _last_decided(found: list[ShownMatch]) -> tuple[ShownMatch, ...]:
    """Return the latest decisions of the newest contest that has any, the last by label."""
    decided = [one for one in found if one.match.state == "decided"]
    names = list(dict.fromkeys(one.contest for one in decided))
    decided.sort(key=lambda one: (-names.index(one.contest), _order_label(one.match.label)), reverse=True)
    return tuple(decided[:DECIDED])


def _order_label(label: str) -> tuple[int, ...]:
    return tuple(int(part) for part in label.split("."))
