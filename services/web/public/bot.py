"""The page of a bot: its versions, results by opponent, and the time it used."""

import asyncio
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from maumau.client.answer import (
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
from maumau.errors import MaumauError, NotJoined, NotReleased
from services.web.client import Arena
from services.web.delivery.cache import FOR_EVER, Cache
from services.web.delivery.feed import Feed

PARTS = ("bot_ladders", "bot_opponents", "bot_contests", "bot_time")
EVERY = 5.0  # seconds between two queries
CONTESTS = 8  # contests of a bot that are shown, the newest
MATCHES = 12  # matches for which the use of time is shown, the newest
MEETINGS = 200  # matches listed, the newest


class OnLadder(Struct, frozen=True):
    """A ladder with a bot: its line, its results against each opponent, its rating over time."""

    ladder: str
    line: LeaderboardLine
    lines: tuple[LeaderboardLine, ...]
    opponents: tuple[HeadToHead, ...]
    history: tuple[VersionHistory, ...]


class BotMatch(Struct, frozen=True):
    """A match of a bot, with the score from its side."""

    contest: str
    match: Match
    opponent: str
    score: float
    low: float
    high: float
    won: bool


class Versus(Struct, frozen=True):
    """All that a bot has played against an opponent in contests; score: the mean over all sets.

    matches: won, lost and not separated or not decided.
    """

    opponent: str
    meetings: tuple[BotMatch, ...]
    sets: int
    score: float

    @property
    def matches(self) -> tuple[int, int, int]:
        """Numbers of matches won, lost, and neither."""
        won = sum(one.won for one in self.meetings)
        lost = sum(bool(one.match.winner) and not one.won for one in self.meetings)
        return won, lost, len(self.meetings) - won - lost


class Entered(Struct, frozen=True):
    """A contest that a bot has entered, with its line of the table if there is one."""

    tournament: Tournament
    standing: Standing | None
    meetings: tuple[BotMatch, ...]


class TimeUsed(Struct, frozen=True):
    """A bot's use of its bank in a match."""

    contest: str
    label: str
    bank: BankShare


class BotView(Struct, frozen=True):
    """A bot with the data of its page. ladders: None if their service is silent.

    is_retired: it plays no more.
    """

    bot: Bot
    ladders: tuple[OnLadder, ...] | None
    contests: tuple[Entered, ...]
    used: tuple[TimeUsed, ...]
    is_retired: bool = False

    @property
    def faults(self) -> int:
        """The number of deals lost through its own fault, in the contests and ladders shown."""
        contests = sum(one.standing.faults for one in self.contests if one.standing)
        return contests + sum(one.line.faults for one in self.ladders or ())

    @property
    def meetings(self) -> list[BotMatch]:
        """Its matches, newest first."""
        found = [one for entered in self.contests for one in reversed(entered.meetings)]
        return found[:MEETINGS]

    @property
    def versus(self) -> list[Versus]:
        """Results by opponent."""
        return join_meetings(self.meetings)


def join_meetings(meetings: Iterable[BotMatch]) -> list[Versus]:
    """Return the meetings by opponent, in the order in which these come first."""
    by: dict[str, list[BotMatch]] = {}
    for one in meetings:
        by.setdefault(one.opponent, []).append(one)
    return [_sum_up(opponent, met) for opponent, met in by.items()]


def _sum_up(opponent: str, met: Sequence[BotMatch]) -> Versus:
    sets = sum(one.match.sets for one in met)
    score = sum(one.score * one.match.sets for one in met) / sets if sets else 0.0
    return Versus(opponent, tuple(met), sets, score)


class BotSource:
    """The source of a bot's page, by its name. Data of ended contests are kept in `cache`."""

    def __init__(self, arena: Arena, cache: Cache, name: str) -> None:
        self._arena, self._cache, self._name = arena, cache, name

    async def load_view(self) -> BotView:
        """Load the current data."""
        bots = await self._cache.get("bots", self._arena.list_bots)
        bot = next((one for one in bots if one.name == self._name), None)
        is_retired = bot is None
        if bot is None:
            bot = await self._load_retired()
        contests = tuple(await asyncio.gather(*map(self._load_entered, await self._find_contests())))
        used = await self._list_used(contests)
        ladders = await self._load_ladders()
        return BotView(public_bot(bot), ladders, contests, used, is_retired=is_retired)

    async def _load_retired(self) -> Bot:
        key = "retired bot", self._name
        return await self._cache.get(key, lambda: self._arena.load_retired_bot(self._name))

    async def update_feed(self, feed: Feed) -> None:
        """Update the feed as long as the services answer."""
        while True:
            feed.publish_view(await self.load_view())
            await asyncio.sleep(EVERY)

    async def _find_contests(self) -> list[Tournament]:
        """Return the newest contests that it entered, at most CONTESTS of them."""
        found: list[Tournament] = []
        async for one in self._arena.all_tournaments():
            if self._find_number(one):
                found.append(one)
            if len(found) == CONTESTS:
                break
        return found

    def _find_number(self, contest: Tournament) -> int:
        """Return the bot's entrant number in a contest; 0 if it has none."""
        entries = (one for one in contest.entries if one.bot_name == self._name and not one.withdrawn)
        return next((one.number for one in entries), 0)

    async def _load_entered(self, contest: Tournament) -> Entered:
        async def ask() -> Entered:
            number = self._find_number(contest)
            try:
                table = await self._arena.get_standings(contest.name)
            except NotReleased:
                return Entered(contest, None, ())
            standing = next((one for one in table.standings if one.entrant == number), None)
            matches = await self._arena.list_matches(contest.name)
            return Entered(contest, standing, tuple(_list_meetings(contest.name, matches, number)))

        key = ("entered", self._name, contest.id, contest.state)
        return await self._cache.get(key, ask, lambda _: FOR_EVER if contest.over else EVERY)

    async def _load_ladders(self) -> tuple[OnLadder, ...] | None:
        try:
            boards = await asyncio.gather(
                *(self._arena.get_leaderboard(one.name) for one in await self._arena.list_ladders())
            )
            return tuple(
                [await self._build_place(board, line) for board in boards for line in self._list_lines(board)]
            )
        except MaumauError:
            return None

    def _list_lines(self, board: GetLeaderboardResponse) -> list[LeaderboardLine]:
        return [line for line in board.lines if line.bot_name == self._name]

    async def _build_place(self, board: GetLeaderboardResponse, line: LeaderboardLine) -> OnLadder:
        assert board.ladder
        name = board.ladder.name
        try:
            opponents = await self._arena.head_to_head(name, self._name)
            history = await self._arena.rating_history(name, self._name)
        except NotJoined:  # it has not met any bot
            opponents, history = (), ()
        return OnLadder(name, line, board.lines, opponents, history)

    async def _list_used(self, contests: Iterable[Entered]) -> tuple[TimeUsed, ...]:
        played = [
            (each.tournament, one.match)
            for each in contests
            for one in reversed(each.meetings)
            if one.match.state == "decided"
        ]
        found = await asyncio.gather(
            *(self._find_bank(contest, match) for contest, match in played[:MATCHES])
        )
        return tuple(one for one in found if one)

    async def _find_bank(self, contest: Tournament, match: Match) -> TimeUsed | None:
        found = await self._cache.get(
            ("banks", match.id, match.take),
            lambda: self._arena.get_match(contest.name, match.label),
            lambda _: FOR_EVER,
        )
        number = self._find_number(contest)
        share = next((one for one in found.banks if one.entrant == number), None)
        return TimeUsed(contest.name, match.label, share) if share else None


def _list_meetings(contest: str, matches: Sequence[Match], number: int) -> Iterable[BotMatch]:
    for m in matches:
        if m.state == "withdrawn" or number not in m.names:
            continue
        won = bool(m.winner) and m.winner == number
        if m.players:
            mine = next(one for one in m.players if one.entrant == number)
            rivals = ", ".join(name for other, name in m.names.items() if other != number)
            yield BotMatch(contest, m, rivals, mine.score, mine.low, mine.high, won)
            continue
        if number == m.first:
            yield BotMatch(contest, m, m.second_name, m.estimate, m.low, m.high, won)
        else:
            yield BotMatch(contest, m, m.first_name, 1 - m.estimate, 1 - m.high, 1 - m.low, won)


def public_bot(bot: Bot) -> Bot:
    """Return a bot without the messages of its validation, which are its author's."""
    versions = tuple(msgspec.structs.replace(one, reason="", progress="") for one in bot.versions)
    return msgspec.structs.replace(bot, versions=versions)
