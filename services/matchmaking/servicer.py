"""Handlers of the contract's calls: message to domain to message. Blocking calls run in a thread."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import json
from asyncio import to_thread
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import Any

from maumau.contest.ladder import leaderboard
from maumau.contest.ladder.pairing import Pair, explain_pair
from maumau.contest.score import count_units
from maumau.contest.statistics.helping import find_help, tables_of
from maumau.errors import BadRequest, MaumauError, NotAllowed, NotJoined
from maumau.v1 import matchmaking_pb2 as pb
from maumau.v1 import matchmaking_pb2_grpc
from services.matchmaking import wire
from services.matchmaking.live import servicer as live_servicer
from services.matchmaking.live.servicer import LiveCalls
from services.matchmaking.models import AUTHOR_BOTS, Ladder, Member
from services.matchmaking.practice import servicer as practice_servicer
from services.matchmaking.practice.servicer import PracticeCalls
from services.matchmaking.replay import servicer as replay_servicer
from services.matchmaking.replay.servicer import ReplayCalls, pause_watch
from services.matchmaking.store import LadderHistory
from services.matchmaking.store.live_tables.pod import read_others
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.store.pool import author_of, encode_players, list_playing
from services.matchmaking.terms import check_terms
from services.shared.base import page
from services.shared.base.auth import Need, check_owner, identity
from services.shared.base.page import Page

NEEDS = {
    **dict.fromkeys(("CreateLadder", "GetLadderHelps"), Need.ADMIN),
    **dict.fromkeys(("JoinLadder", "LeaveLadder"), Need.AUTHOR),
    **dict.fromkeys(("ListLadders", "GetLeaderboard", "GetHeadToHead", "ListPairings"), Need.ANY),
    "GetRatingHistory": Need.ANY,
    **dict.fromkeys(("ExplainPairing", "WatchLadder", "ListEpochs", "ExportLadder"), Need.ANY),
    **live_servicer.NEEDS,
    **replay_servicer.NEEDS,
    **practice_servicer.NEEDS,
}
MOST_AUTHOR_BOTS = 1000


@dataclass(kw_only=True)
class MatchmakingServicer(
    LiveCalls, ReplayCalls, PracticeCalls, matchmaking_pb2_grpc.MatchmakingServiceServicer
):
    """Handlers of MatchmakingService, each a translation."""

    history: LadderHistory
    wake_ladder: Callable[[str], None] = lambda _: None
    """Has a ladder's members paired at once."""
    take_back_gone: Callable[[str], Awaitable[None]]
    """Takes back a ladder's unbegun pairings with a bot that has left."""
    leaderboards: dict[str, tuple[tuple[int, ...], pb.GetLeaderboardResponse]] = field(default_factory=dict)
    queued_refits: dict[str, asyncio.Task[pb.GetLeaderboardResponse]] = field(default_factory=dict)
    """By ladder: the next refit, which has not begun."""
    refit_locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    report_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def CreateLadder(self, request: pb.CreateLadderRequest, context: Any) -> pb.CreateLadderResponse:
        asked, unbounded = await to_thread(_read_ladder, request.ladder, self.clock())
        author_bots = request.ladder.author_bots or None
        row = await to_thread(self.ladders.create_ladder, asked, unbounded, author_bots)
        return pb.CreateLadderResponse(ladder=await to_thread(self._build_ladder, row))

    async def ListLadders(self, request: pb.ListLaddersRequest, context: Any) -> pb.ListLaddersResponse:
        def fill_page() -> Page:
            rows = self.ladders.list_ladders(request.page_token)
            return page.fill(rows, request.page_size, self._build_ladder, lambda row: row.name)

        found, token = await to_thread(fill_page)
        return pb.ListLaddersResponse(ladders=found, next_page_token=token)

    def _build_ladder(self, row: Ladder) -> pb.Ladder:
        words = _explain_idleness(row, self.ladders.list_members(row.name))
        is_resting = bool(row.rests) and words == row.rests
        return wire.build_ladder(row, self.ladders.summarize_ladder(row.name), words, rests=is_resting)

    async def JoinLadder(self, request: pb.JoinLadderRequest, context: Any) -> pb.JoinLadderResponse:
        row = await to_thread(self.ladders.find_ladder, request.ladder)
        who, version = identity(), await self.versions.active(request.bot_name)
        if request.pinned and not who.may(Need.ADMIN):
            raise NotAllowed("Bots that hold the scale are chosen by admins.")
        check_owner(who, version.account_name, version.bot_name)
        version.check(row.rules, row.seats)
        playing = ActiveVersion(version.id, version.account_name, version.owner.party, version.number)
        joining = version.bot_name, playing, self.clock()
        pinned = request.pinned if who.may(Need.ADMIN) else None
        number = await to_thread(lambda: self.ladders.join_ladder(row.name, *joining, pinned=pinned))
        self.wake_ladder(row.name)
        return pb.JoinLadderResponse(number=number + 1)

    async def LeaveLadder(self, request: pb.LeaveLadderRequest, context: Any) -> pb.LeaveLadderResponse:
        await to_thread(self.ladders.leave_ladder, request.ladder, request.bot_name, identity())
        with suppress(MaumauError):  # else at the next look
            await self.take_back_gone(request.ladder)
        self.wake_ladder(request.ladder)
        return pb.LeaveLadderResponse()

    async def GetLeaderboard(
        self, request: pb.GetLeaderboardRequest, context: Any
    ) -> pb.GetLeaderboardResponse:
        return await self._compute_leaderboard(request.ladder)

    async def _compute_leaderboard(self, name: str) -> pb.GetLeaderboardResponse:
        """Return the leaderboard, recomputed after changes, once for all callers before that begins."""
        _, known = await to_thread(self._find_leaderboard, name)
        if known:
            return known
        if name not in self.queued_refits:
            self.queued_refits[name] = asyncio.create_task(self._refit_leaderboard(name))
        return await asyncio.shield(self.queued_refits[name])  # others wait for it if this call is cancelled

    async def _refit_leaderboard(self, name: str) -> pb.GetLeaderboardResponse:
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
        """Return the leaderboard's version, and the leaderboard if it is of that version."""
        changes = self.ladders.count_changes(self.ladders.find_ladder(name).name)
        made_of, made = self.leaderboards.get(name, ((), None))
        return changes, made if made_of == changes else None

    def _make_leaderboard(self, name: str) -> pb.GetLeaderboardResponse:
        pool, faults = self.ladders.read_pool(name), self.ladders.count_faults(name)
        members = {one.number: one for one in pool.members if one.here and one.number >= 0}
        lines, _ = leaderboard.rank_players(len(pool.players), pool.rated, members, pool.anchors, pool.fit)
        fresh = sorted(members.keys() - {one.player for one in lines})
        shown = [
            wire.leaderboard_line(
                one, pool.players[one.player], members[one.player], faults.get(one.player, 0)
            )
            for one in (*lines, *(leaderboard.RankedLine(0, player) for player in fresh))
        ]
        return pb.GetLeaderboardResponse(
            ladder=self._build_ladder(self.ladders.find_ladder(name)), lines=shown
        )

    async def GetHeadToHead(self, request: pb.GetHeadToHeadRequest, context: Any) -> pb.GetHeadToHeadResponse:
        def find() -> pb.GetHeadToHeadResponse:
            pool = self.ladders.read_pool(self.ladders.find_ladder(request.ladder).name)
            member = next((one for one in pool.members if one.bot_name == request.bot_name), None)
            if member is None or member.number < 0:
                raise NotJoined(
                    f"{request.bot_name} has never been on the ladder {request.ladder}.",
                    thing=request.bot_name,
                )
            found = pool.played.sum_against(member.number)
            order = sorted(found, key=lambda other: (-found[other].sets, other))
            opponents = [wire.head_to_head(pool.players[one], found[one]) for one in order]
            mine = pool.players[member.number]
            return pb.GetHeadToHeadResponse(
                version_id=mine.version_id, opponents=opponents, version=mine.known_version
            )

        return await to_thread(find)

    async def GetLadderHelps(
        self, request: pb.GetLadderHelpsRequest, context: Any
    ) -> pb.GetLadderHelpsResponse:
        def find() -> pb.GetLadderHelpsResponse:
            pool = self.ladders.read_pool(self.ladders.find_ladder(request.ladder).name)
            tables = tables_of(pool.played.duels, pool.played.pods)
            return wire.ladder_helps(pool.players, find_help(len(pool.players), tables))

        async with self.report_lock:
            return await to_thread(find)

    async def GetRatingHistory(
        self, request: pb.GetRatingHistoryRequest, context: Any
    ) -> pb.GetRatingHistoryResponse:
        table = await self._compute_leaderboard(request.ladder)

        def find() -> pb.GetRatingHistoryResponse:
            pool = self.ladders.read_pool(request.ladder)
            mine = [one for one in pool.players if one.bot_name == request.bot_name]
            if not mine:
                raise NotJoined(f"{request.bot_name} has never been on the ladder {request.ladder}.")
            written = self.history.of_players(request.ladder, [one.number for one in mine])
            now = next((one for one in table.lines if one.bot_name == request.bot_name), None)
            return wire.rating_history(mine, written, now, self.clock())

        return await to_thread(find)

    async def ListPairings(self, request: pb.ListPairingsRequest, context: Any) -> pb.ListPairingsResponse:
        def fill_page() -> Page:
            row = self.ladders.find_ladder(request.ladder)
            players = self.ladders.list_players(row.name)
            numbers = [one.number for one in players if one.bot_name == request.bot_name]
            if request.bot_name and not numbers:
                raise NotJoined(
                    f"{request.bot_name} has never been on the ladder {row.name}.", thing=request.bot_name
                )
            before = wire.pairing_id(request.page_token) if request.page_token else None
            found = self.ladders.list_pairings(
                row.name,
                numbers if request.bot_name else None,
                before,
                page.count_entries(request.page_size) + 1,
                over=request.over,
            )
            known = wire.map_players(self.ladders.list_players(row.name))  # with whoever is new in them
            unit = count_units(row.score, row.seats)
            return page.fill(
                found,
                request.page_size,
                lambda one: wire.build_pairing(*one, known, unit),
                lambda one: f"{one[1]}.{one[0].label}",
            )

        pairings, token = await to_thread(fill_page)
        return pb.ListPairingsResponse(pairings=pairings, next_page_token=token)

    async def ExplainPairing(
        self, request: pb.ExplainPairingRequest, context: Any
    ) -> pb.ExplainPairingResponse:
        def find() -> pb.ExplainPairingResponse:
            row = self.ladders.find_ladder(request.ladder)
            found = self.ladders.find_pairing(row.name, *wire.pairing_id(request.id))
            known = wire.map_players(self.ladders.list_players(row.name))
            one = found[0]
            numbers, others = json.loads(one.numbers), read_others(one.others)
            why = Pair(one.first, one.second, one.kind, numbers, others)  # type: ignore[arg-type]
            words = explain_pair(why, wire.tell_players_apart([known[number] for number in why.players]))
            return pb.ExplainPairingResponse(
                pairing=wire.build_pairing(*found, known, count_units(row.score, row.seats)),
                words=f"{words} {one.words}".strip(),
            )

        return await to_thread(find)

    async def WatchLadder(
        self, request: pb.WatchLadderRequest, context: Any
    ) -> AsyncIterator[pb.WatchLadderResponse]:
        shown: Any = None
        while True:
            now = await self._compute_leaderboard(request.ladder)
            if now is not shown:
                shown = now
                yield pb.WatchLadderResponse(leaderboard=now)
            await pause_watch(self.stopping)

    async def ListEpochs(self, request: pb.ListEpochsRequest, context: Any) -> pb.ListEpochsResponse:
        def fill_page() -> Page:
            row = self.ladders.find_ladder(request.ladder)
            epochs = self.ladders.list_epochs(row.name, page.number_of(request.page_token) or 0)
            return page.fill(epochs, request.page_size, wire.build_epoch, lambda one: str(one.number))

        epochs, token = await to_thread(fill_page)
        return pb.ListEpochsResponse(epochs=epochs, next_page_token=token)

    async def ExportLadder(
        self, request: pb.ExportLadderRequest, context: Any
    ) -> AsyncIterator[pb.ExportLadderResponse]:
        found = await to_thread(self.ladders.ended_epoch, request.ladder, request.epoch)
        async with aclosing(
            self.core.export_contest(found.contest_id, request.offset, request.sha256)
        ) as parts:
            async for chunk, size, sha256 in parts:
                yield pb.ExportLadderResponse(chunk=chunk, size=size, sha256=sha256)


def _read_ladder(message: pb.Ladder, now: int) -> tuple[Ladder, str]:
    """Return the ladder asked for, and the hash of its rules with the variant's own bound of a deal."""
    unbounded = wire.ladder_terms(message)
    terms = check_terms(unbounded)
    return Ladder(
        name=message.name,
        rules=terms.rules,
        options=wire.options_json(terms),
        rules_hash=terms.load_rules().hash,
        variant_toml=terms.variant_toml,
        seats=terms.seats,
        score=terms.score,
        deal_ms=terms.bot.deal_ms,
        memory=terms.bot.memory,
        author_bots=_read_author_bots(message),
        created_at=now,
    ), unbounded.load_rules().hash


def _read_author_bots(message: pb.Ladder) -> int:
    if message.author_bots > MOST_AUTHOR_BOTS:
        raise BadRequest(
            f"A ladder takes at most {MOST_AUTHOR_BOTS:,} bots of one author.", field="author_bots"
        )
    return message.author_bots or AUTHOR_BOTS


def _explain_idleness(row: Ladder, members: Sequence[Member]) -> str:
    """Return why nobody is paired, "" if somebody may be."""
    playing = list_playing(members)
    if len(playing) < row.seats:
        return f"It takes {row.seats} bots; {len(playing)} can play."
    authors = len({author_of(one) for one in playing})
    if authors < row.seats:
        return f"No author has two bots at a table: it takes bots of {row.seats} authors, not {authors}."
    return row.rests if row.rests_for == encode_players(members) else ""
