"""What the page of a bot shows: its versions, what it has played and against whom, and the time it took."""

import asyncio
from collections.abc import Iterable, Sequence

from msgspec import Struct

from maumau.answer import (
    BankShare,
    Bot,
    GetLeaderboardResponse,
    HeadToHead,
    LeaderboardLine,
    Match,
    Standing,
    Tournament,
    VersionHistory,
)
from maumau.errors import MaumauError, NotJoined, NotReleased, UnknownBot
from services.web.api.bot import public_bot
from services.web.cache import FOR_EVER, Cache
from services.web.client import Arena
from services.web.contest import show
from services.web.feed import Feed

PARTS = ("bot_ladders", "bot_opponents", "bot_contests", "bot_time")
EVERY = 5.0  # seconds between two looks
CONTESTS = 8  # of those it entered, the newest
MATCHES = 12  # whose use of time is shown, the newest
MEETINGS = 200  # that are listed, the newest


class OnLadder(Struct, frozen=True):
    """A ladder that a bot is on: its line there, what it has played against each, its rating over time."""

    ladder: str
    line: LeaderboardLine
    lines: tuple[LeaderboardLine, ...]
    opponents: tuple[HeadToHead, ...]
    history: tuple[VersionHistory, ...]


class Meeting(Struct, frozen=True):
    """A match that a bot plays, its score seen from there."""

    contest: str
    match: Match
    opponent: str
    score: float
    low: float
    high: float
    won: bool


class Entered(Struct, frozen=True):
    """A contest that a bot has entered, and its line of the table if there is one."""

    tournament: Tournament
    standing: Standing | None
    meetings: tuple[Meeting, ...]


class TimeUsed(Struct, frozen=True):
    """What a bot used of its bank in a match."""

    contest: str
    label: str
    bank: BankShare


class BotView(Struct, frozen=True):
    """A bot with all that its page shows. ladders: None if their service is silent."""

    bot: Bot
    ladders: tuple[OnLadder, ...] | None
    contests: tuple[Entered, ...]
    used: tuple[TimeUsed, ...]

    @property
    def faults(self) -> int:
        """Deals lost by its own doing, in the contests and ladders shown."""
        contests = sum(one.standing.faults for one in self.contests if one.standing)
        return contests + sum(one.line.faults for one in self.ladders or ())

    @property
    def meetings(self) -> list[Meeting]:
        """The newest first."""
        found = [one for entered in self.contests for one in reversed(entered.meetings)]
        return found[:MEETINGS]


class BotSource:
    """One bot, by its name. What contests that are over have to say is kept in `cache`."""

    def __init__(self, arena: Arena, cache: Cache, name: str) -> None:
        self._arena, self._cache, self._name = arena, cache, name

    async def load(self) -> BotView:
        """As it is now."""
        bots = await self._cache.get("bots", self._arena.bots)
        bot = next((one for one in bots if one.name == self._name), None)
        if bot is None:
            raise UnknownBot(f"There is no bot {self._name[:80]!r}.")
        found = [one for one in await self._arena.tournaments(1000) if self._number(one)][:CONTESTS]
        contests = tuple(await asyncio.gather(*map(self._entered, found)))
        return BotView(public_bot(bot), await self._ladders(), contests, await self._used(contests))

    async def source(self, feed: Feed) -> None:
        """Runs as long as the services do."""
        while True:
            show(feed, await self.load())
            await asyncio.sleep(EVERY)

    def _number(self, contest: Tournament) -> int:
        """As which entrant it plays there; 0 if it does not."""
        entries = (one for one in contest.entries if one.bot_name == self._name and not one.withdrawn)
        return next((one.number for one in entries), 0)

    async def _entered(self, contest: Tournament) -> Entered:
        async def ask() -> Entered:
            number = self._number(contest)
            try:
                table = await self._arena.standings(contest.name)
            except NotReleased:
                return Entered(contest, None, ())
            standing = next((one for one in table.standings if one.entrant == number), None)
            matches = await self._arena.matches(contest.name)
            return Entered(contest, standing, tuple(_meetings(contest.name, matches, number)))

        key = ("entered", self._name, contest.id, contest.state)
        return await self._cache.get(key, ask, lambda _: FOR_EVER if contest.over else EVERY)

    async def _ladders(self) -> tuple[OnLadder, ...] | None:
        try:
            boards = await asyncio.gather(
                *(self._arena.leaderboard(one.name) for one in await self._arena.ladders())
            )
            return tuple([await self._on(board, line) for board in boards for line in self._lines(board)])
        except MaumauError:
            return None

    def _lines(self, board: GetLeaderboardResponse) -> list[LeaderboardLine]:
        return [line for line in board.lines if line.bot_name == self._name]

    async def _on(self, board: GetLeaderboardResponse, line: LeaderboardLine) -> OnLadder:
        assert board.ladder
        name = board.ladder.name
        try:
            opponents = await self._arena.head_to_head(name, self._name)
            history = await self._arena.rating_history(name, self._name)
        except NotJoined:  # it has met nobody
            opponents, history = (), ()
        return OnLadder(name, line, board.lines, opponents, history)

    async def _used(self, contests: Iterable[Entered]) -> tuple[TimeUsed, ...]:
        played = [
            (each.tournament, one.match)
            for each in contests
            for one in reversed(each.meetings)
            if one.match.state == "decided"
        ]
        found = await asyncio.gather(*(self._bank(contest, match) for contest, match in played[:MATCHES]))
        return tuple(one for one in found if one)

    async def _bank(self, contest: Tournament, match: Match) -> TimeUsed | None:
        found = await self._cache.get(
            ("banks", match.id, match.take), lambda: self._arena.match(contest.name, match.label),
            lambda _: FOR_EVER,
        )  # fmt: skip
        number = self._number(contest)
        share = next((one for one in found.banks if one.entrant == number), None)
        return TimeUsed(contest.name, match.label, share) if share else None


def _meetings(contest: str, matches: Sequence[Match], number: int) -> Iterable[Meeting]:
    for m in matches:
        if m.state == "withdrawn" or number not in (m.first, m.second):
            continue
        won = bool(m.winner) and m.winner == number
        if number == m.first:
            yield Meeting(contest, m, m.second_name, m.estimate, m.low, m.high, won)
        else:
            yield Meeting(contest, m, m.first_name, 1 - m.estimate, 1 - m.high, 1 - m.low, won)
