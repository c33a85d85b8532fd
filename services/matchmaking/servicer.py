"""The contract's calls: message to domain to message. What blocks runs in a thread."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import json
from asyncio import to_thread
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from maumau.contest import leaderboard
from maumau.contest.pairing import Pair, explain
from maumau.contest.score import SEATINGS, count_units
from maumau.contest.terms import Terms
from maumau.errors import ArenaUnreachable, BadRequest, NotAllowed, NotJoined, NotYours
from maumau.game.own import refuse_known_name
from maumau.rulebook.check import check_ends
from maumau.v1 import matchmaking_pb2 as pb
from maumau.v1 import matchmaking_pb2_grpc
from services.matchmaking import wire
from services.matchmaking.client import Core
from services.matchmaking.keeper import author_of
from services.matchmaking.live import servicer as live_servicer
from services.matchmaking.live.servicer import LiveCalls
from services.matchmaking.models import Ladder, Member, Practice
from services.matchmaking.store import History, Ladders, Practices
from services.matchmaking.store.ladder import Version
from services.matchmaking.store.pod import read_others
from services.shared import page, registry
from services.shared.auth import Identity, Need, identity
from services.shared.ident import new_id
from services.shared.page import Page
from services.shared.registry import Versions

NEEDS = {
    "CreateLadder": Need.ADMIN,
    **dict.fromkeys(("JoinLadder", "LeaveLadder", "Practice", "WatchPractice"), Need.AUTHOR),
    **dict.fromkeys(("ListLadders", "GetLeaderboard", "GetHeadToHead", "ListPairings"), Need.ANY),
    "GetRatingHistory": Need.ANY,
    **dict.fromkeys(("ExplainPairing", "WatchLadder", "ListEpochs", "ExportLadder"), Need.ANY),
    **live_servicer.NEEDS,
}
EVERY = 1.0  # seconds between two looks for what is new
USUAL_SETS, MOST_SETS = 100, 500  # of a practice match


@dataclass(kw_only=True)
class Servicer(LiveCalls, matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Each handler is a translation."""

    ladders: Ladders
    history: History
    practices: Practices
    versions: Versions
    core: Core
    leaderboards: dict[str, tuple[tuple[int, ...], pb.GetLeaderboardResponse]] = field(default_factory=dict)
    queued_refits: dict[str, asyncio.Task[pb.GetLeaderboardResponse]] = field(default_factory=dict)
    """By ladder: the next one, which has not begun."""
    refit_locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def CreateLadder(self, request: Any, context: Any) -> Any:
        row = await to_thread(_ladder, request.ladder, self.clock())
        row = await to_thread(self.ladders.create, row)
        return pb.CreateLadderResponse(ladder=await to_thread(self._ladder, row))

    async def ListLadders(self, request: Any, context: Any) -> Any:
        def fill() -> Page:
            rows = self.ladders.all(request.page_token)
            return page.fill(rows, request.page_size, self._ladder, lambda row: row.name)

        found, token = await to_thread(fill)
        return pb.ListLaddersResponse(ladders=found, next_page_token=token)

    def _ladder(self, row: Ladder) -> pb.Ladder:
        words = _idle(row, self.ladders.members(row.name))
        return wire.ladder(row, self.ladders.summary(row.name), words)

    async def JoinLadder(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.ladders.find, request.ladder)
        who, version = identity(), await self.versions.active(request.bot_name)
        if request.pinned and not who.may(Need.ADMIN):
            raise NotAllowed("Bots that hold the scale are chosen by admins.")
        _check_owner(who, version.account_name, version.bot_name)
        version.check(row.rules, row.seats)
        joining = version.bot_name, Version(version.id, version.account_name), self.clock()
        pinned = request.pinned if who.may(Need.ADMIN) else None
        number = await to_thread(lambda: self.ladders.join(row.name, *joining, pinned=pinned))
        return pb.JoinLadderResponse(number=number + 1)

    async def LeaveLadder(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.ladders.find, request.ladder)
        for member in await to_thread(self.ladders.members, row.name):
            if member.bot_name == request.bot_name:
                _check_owner(identity(), member.account_name, member.bot_name)
        await to_thread(self.ladders.leave, row.name, request.bot_name)
        return pb.LeaveLadderResponse()

    async def GetLeaderboard(self, request: Any, context: Any) -> Any:
        return await self._leaderboard(request.ladder)

    async def _leaderboard(self, name: str) -> pb.GetLeaderboardResponse:
        """Computed again if anything changed, once for all callers that ask before that begins."""
        _, known = await to_thread(self._find_leaderboard, name)
        if known:
            return known
        if name not in self.queued_refits:
            self.queued_refits[name] = asyncio.create_task(self._refit(name))
        return await asyncio.shield(self.queued_refits[name])  # others wait for it if this call is cancelled

    async def _refit(self, name: str) -> pb.GetLeaderboardResponse:
        async with self.refit_locks[name]:
            del self.queued_refits[
                name
            ]  # later callers may have seen a newer change: they get a refit of their own
            return await to_thread(self._refit_if_changed, name)

    def _refit_if_changed(self, name: str) -> pb.GetLeaderboardResponse:
        changes, known = self._find_leaderboard(name)
        if known:
            return known
        with self.metrics.refit.time():
            made = self._make_leaderboard(name)
        self.leaderboards[name] = changes, made
        return made

    def _find_leaderboard(self, name: str) -> tuple[tuple[int, ...], pb.GetLeaderboardResponse | None]:
        """What the leaderboard depends on, and the one that was made of just that."""
        changes = self.ladders.changes(self.ladders.find(name).name)
        made_of, made = self.leaderboards.get(name, ((), None))
        return changes, made if made_of == changes else None

    def _make_leaderboard(self, name: str) -> pb.GetLeaderboardResponse:
        pool, faults = self.ladders.pool(name), self.ladders.faults(name)
        members = {one.number: one for one in pool.members if one.here and one.number >= 0}
        lines, _ = leaderboard.rank(len(pool.players), pool.played, members, pool.pinned)
        shown = [
            wire.leaderboard_line(
                one, pool.players[one.player], members[one.player], faults.get(one.player, 0)
            )
            for one in lines
        ]
        return pb.GetLeaderboardResponse(ladder=self._ladder(self.ladders.find(name)), lines=shown)

    async def GetHeadToHead(self, request: Any, context: Any) -> Any:
        def find() -> pb.GetHeadToHeadResponse:
            pool = self.ladders.pool(self.ladders.find(request.ladder).name)
            member = next((one for one in pool.members if one.bot_name == request.bot_name), None)
            if member is None or member.number < 0:
                raise NotJoined(
                    f"{request.bot_name} has never been on the ladder {request.ladder}.",
                    thing=request.bot_name,
                )
            found = pool.played.against(member.number)
            order = sorted(found, key=lambda other: (-found[other].sets, other))
            opponents = [wire.head_to_head(pool.players[one], found[one]) for one in order]
            version_id = pool.players[member.number].version_id
            return pb.GetHeadToHeadResponse(version_id=version_id, opponents=opponents)

        return await to_thread(find)

    async def GetRatingHistory(self, request: Any, context: Any) -> Any:
        table = await self._leaderboard(request.ladder)

        def find() -> pb.GetRatingHistoryResponse:
            pool = self.ladders.pool(request.ladder)
            mine = [one for one in pool.players if one.bot_name == request.bot_name]
            if not mine:
                raise NotJoined(f"{request.bot_name} has never been on the ladder {request.ladder}.")
            written = self.history.of_players(request.ladder, [one.number for one in mine])
            now = next((one for one in table.lines if one.bot_name == request.bot_name), None)
            return wire.rating_history(mine, written, now, self.clock())

        return await to_thread(find)

    async def ListPairings(self, request: Any, context: Any) -> Any:
        def fill() -> Page:
            row = self.ladders.find(request.ladder)
            players = self.ladders.pool(row.name).players
            numbers = [one.number for one in players if one.bot_name == request.bot_name]
            if request.bot_name and not numbers:
                raise NotJoined(
                    f"{request.bot_name} has never been on the ladder {row.name}.", thing=request.bot_name
                )
            before = wire.pairing_id(request.page_token) if request.page_token else None
            names, unit = wire.names(players), count_units(row.score, row.seats)
            found = self.ladders.pairings(
                row.name, numbers if request.bot_name else None, before,
                page.count_entries(request.page_size) + 1,
            )  # fmt: skip
            return page.fill(
                found, request.page_size, lambda one: wire.pairing(*one, names, unit),
                lambda one: f"{one[1]}.{one[0].label}",
            )  # fmt: skip

        pairings, token = await to_thread(fill)
        return pb.ListPairingsResponse(pairings=pairings, next_page_token=token)

    async def ExplainPairing(self, request: Any, context: Any) -> Any:
        def find() -> pb.ExplainPairingResponse:
            row = self.ladders.find(request.ladder)
            found = self.ladders.pairing(row.name, *wire.pairing_id(request.id))
            names = wire.names(self.ladders.pool(row.name).players)
            one = found[0]
            numbers, others = json.loads(one.numbers), read_others(one.others)
            why = Pair(one.first, one.second, one.kind, numbers, others)  # type: ignore[arg-type]
            words = explain(why, names)
            return pb.ExplainPairingResponse(
                pairing=wire.pairing(*found, names, count_units(row.score, row.seats)),
                words=f"{words} {one.words}".strip(),
            )

        return await to_thread(find)

    async def WatchLadder(self, request: Any, context: Any) -> AsyncIterator[Any]:
        shown: Any = None
        while True:
            now = await self._leaderboard(request.ladder)
            if now is not shown:
                shown = now
                yield pb.WatchLadderResponse(leaderboard=now)
            await self._pause()

    async def ListEpochs(self, request: Any, context: Any) -> Any:
        def fill() -> Page:
            row = self.ladders.find(request.ladder)
            epochs = self.ladders.epochs(row.name, page.number_of(request.page_token) or 0)
            return page.fill(epochs, request.page_size, wire.epoch, lambda one: str(one.number))

        epochs, token = await to_thread(fill)
        return pb.ListEpochsResponse(epochs=epochs, next_page_token=token)

    async def ExportLadder(self, request: Any, context: Any) -> AsyncIterator[Any]:
        found = await to_thread(self.ladders.ended_epoch, request.ladder, request.epoch)
        async with aclosing(self.core.export(found.contest_id, request.offset, request.sha256)) as parts:
            async for chunk, size, sha256 in parts:
                yield pb.ExportLadderResponse(chunk=chunk, size=size, sha256=sha256)

    async def Practice(self, request: Any, context: Any) -> Any:
        sets = request.sets or USUAL_SETS
        if not 1 <= sets <= MOST_SETS:
            raise BadRequest(f"A practice match has 1 to {MOST_SETS} deal sets, not {sets}.", field="sets")
        who, seats = identity(), SEATINGS + len(request.more_against)
        terms = await to_thread(_practice_terms, request.rules, who.name, seats)
        keys = request.bot, request.against, *request.more_against
        mine, other, *more = versions = [await self._playable(who, key) for key in keys]
        _check_owner(who, mine.account_name, mine.bot_name)
        _check_different(versions)
        for version in versions:
            version.check(terms.rules, seats)
        row = Practice(
            id=new_id("practice"), account_name=who.name, bot=mine.bot_name, against=other.bot_name,
            version_id=mine.id, other_id=other.id, more=json.dumps([(one.bot_name, one.id) for one in more]),
            rules=terms.rules, options=wire.options_json(terms),
            rules_hash=terms.load_rules().hash, variant_toml=terms.variant_toml, sets=sets,
            created_at=self.clock(),
        )  # fmt: skip
        return pb.PracticeResponse(practice=wire.practice(await to_thread(self.practices.add, row)))

    async def _playable(self, who: Identity, key: str) -> registry.Version:
        """By a bot's name or by the id of a version, which then is one's own."""
        found = await self.versions.playable(key)
        if key != found.bot_name:
            _check_owner(who, found.account_name, found.bot_name)
        return found

    async def WatchPractice(self, request: Any, context: Any) -> AsyncIterator[Any]:
        shown: Any = None
        while True:
            row = await to_thread(self.practices.find, request.id)
            _check_owner(identity(), row.account_name, row.id)
            now = wire.practice(row)
            if now != shown:
                shown = now
                yield pb.WatchPracticeResponse(practice=now)
            if row.state == "over":
                return
            await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), EVERY)
            raise ArenaUnreachable("The matchmaking service stops; watch again.")


def _ladder(message: pb.Ladder, now: int) -> Ladder:
    terms = _checked(wire.ladder_terms(message))
    return Ladder(
        name=message.name, rules=terms.rules, options=wire.options_json(terms),
        rules_hash=terms.load_rules().hash, variant_toml=terms.variant_toml, seats=terms.seats,
        score=terms.score,
        deal_ms=terms.bot.deal_ms, memory=terms.bot.memory, created_at=now,
    )  # fmt: skip


def _practice_terms(rules: Any, author: str, seats: int) -> Terms:
    return _checked(wire.rule_terms(rules, "practice", author, seats=seats))


def _check_different(versions: Sequence[registry.Version]) -> None:
    for place, version in enumerate(versions):
        if version.id in {one.id for one in versions[:place]}:
            raise BadRequest(f"{version.bot_name} cannot practise against itself.", field="against")


def _idle(row: Ladder, members: Sequence[Member]) -> str:
    """Why nobody is paired, "" if somebody may be."""
    playing = [one for one in members if one.number >= 0 and not one.words]
    if len(playing) < row.seats:
        return f"It takes {row.seats} bots; {len(playing)} can play."
    authors = len({author_of(one) for one in playing})
    if row.seats > SEATINGS and authors < row.seats:
        return f"No author has two bots at a table: it takes bots of {row.seats} authors, not {authors}."
    return ""


def _checked(terms: Terms) -> Terms:
    """Whoever brings a variant answers for it."""
    rules = terms.load_rules()
    if rules.text:
        refuse_known_name(rules.name)
        check_ends(rules, terms.seats)
    return terms


def _check_owner(who: Identity, owner: str, what: str) -> None:
    if who.name != owner and not who.may(Need.ADMIN):
        raise NotYours(f"{what} belongs to {owner}, not to {who.name}.")
