"""Handlers of the contract's calls: message to domain to message. Blocking calls run in a thread."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from maumau import wire as game_wire
from maumau.contest.export.foreknowledge import find_foreknowledge
from maumau.v1 import tournament_pb2 as pb
from maumau.v1 import tournament_pb2_grpc
from services.shared.base import page
from services.shared.base.auth import Identity, Need, identity
from services.shared.base.page import Page
from services.shared.rpc import open_stream
from services.tournament.domain.event import Event
from services.tournament.domain.match_row import MatchRow
from services.tournament.history.exports import Exports, Subject
from services.tournament.history.fairness import Fairness
from services.tournament.models import Contest
from services.tournament.organising.boards import ContestView
from services.tournament.organising.permission import is_organiser
from services.tournament.organising.release import check_released, is_released
from services.tournament.rpc import wire
from services.tournament.rpc.fairness_wire import fairness_message
from services.tournament.rpc.organise_servicer import OrganiseServicer
from services.tournament.rpc.work_servicer import WorkServicer
from services.tournament.watching.watch import Watcher

NEEDS = {
    **dict.fromkeys(("CreateTournament", "EditTournament", "OpenEntries", "Start"), Need.LEADER),
    **dict.fromkeys(("Pause", "Resume", "Cancel", "Confirm", "RetakeMatch", "Disqualify"), Need.LEADER),
    **dict.fromkeys(("AnswerProtest", "GetFairness"), Need.LEADER),
    **dict.fromkeys(("ReleaseBlocks", "ListWorkers"), Need.ADMIN),
    **dict.fromkeys(("ConfirmEntries", "Enter", "FileProtest", "OpenNonce", "Withdraw"), Need.AUTHOR),
    "GetTrial": Need.AUTHOR,
    "GetQueue": Need.ANY,
    **dict.fromkeys(("GetTournament", "ListTournaments", "GetStandings", "GetBracket"), Need.ANY),
    **dict.fromkeys(("GetMatch", "GetFault", "GetSet", "ListMatches", "ListFaults"), Need.ANY),
    **dict.fromkeys(("ListTakes", "ListSets"), Need.ANY),
    **dict.fromkeys(("ExportTournament", "WatchTournament", "WatchMatch"), Need.ANY),
    **dict.fromkeys(("ClaimNext", "RenewLease", "ReportDeals", "SubmitBlock", "ReportTest"), Need.WORKER),
    **dict.fromkeys(("ReportPresence", "Advance", "Sweep"), Need.WORKER),
}
CHUNK = 64 << 10
LOOK = 1.0  # seconds between two looks at a tournament whose results the caller may not see
FAULTS = 100  # most faults that GetMatch shows


@dataclass(kw_only=True)
class TournamentServicer(OrganiseServicer, WorkServicer, tournament_pb2_grpc.TournamentServiceServicer):
    """Handlers of TournamentService, each a translation; the logic is in the parts that they call."""

    watcher: Watcher
    exports: Exports
    fairness: Fairness
    stopping: asyncio.Event

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Any) -> Any:
        say = partial(wire.build_tournament, who=identity())
        return pb.GetTournamentResponse(tournament=await self._build_about(request, say))

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Any) -> Any:
        who = identity()
        say = partial(wire.build_tournament, who=who, listed=True)

        def fill() -> Page:
            most = page.count_entries(request.page_size) + 1
            before = page.check_ident(request.page_token, "tournament")
            views = self.boards.list_views(who, before, most, active=request.active, part=request.contains)
            return page.fill(views, request.page_size, say, lambda view: view.board.tournament.id)

        found, token = await to_thread(fill)
        return pb.ListTournamentsResponse(tournaments=found, next_page_token=token)

    async def GetQueue(self, request: pb.GetQueueRequest, context: Any) -> Any:
        """Return the queue without hidden contests, which are not counted in the places of others either."""
        found, who = await super().GetQueue(request, context), identity()
        hidden = await to_thread(self._list_hidden, found.entries, who)
        entries = [one for one in found.entries if one.contest_id not in hidden]
        matches = [one for one in found.matches if one.contest_id not in hidden]
        del found.entries[:], found.matches[:]
        found.entries.extend(entries)
        found.matches.extend(matches)
        for place, one in enumerate((one for one in found.entries if one.place), start=1):
            one.place = place
        return found

    def _list_hidden(self, entries: Iterable[Any], who: Identity) -> set[str]:
        """Return the contests of a queue that the caller must not see there."""
        named = [one.contest_id for one in entries if one.purpose == "tournament"]
        unlisted = self.boards.list_unlisted(who, named)
        seen = (one for one in entries if one.contest_id not in unlisted)
        return unlisted | {one.contest_id for one in seen if self._is_hidden(one, who)}

    def _is_hidden(self, entry: Any, who: Identity) -> bool:
        """Return True if a line of the queue tells of results that the caller may not see yet.

        An audit may be one of a contest whose results are hidden.
        """
        if entry.purpose == "audit":
            return not who.may(Need.ADMIN)
        if not entry.name or entry.purpose != "tournament":
            return False
        return not is_released(self.boards.get_view(entry.contest_id).board, who)

    async def _build_results(self, request: Any, say: Callable[[ContestView], Any]) -> Any:
        """Return a message about a tournament as `_build_about` does, if the caller may see its results."""
        who = identity()

        def say_released(view: ContestView) -> Any:
            check_released(view.board, who)
            return say(view)

        return await self._build_about(request, say_released)

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> Any:
        who = identity()

        def shown(view: ContestView) -> Any:
            row = view.board.tournament
            if not (is_organiser(who, row) and row.root):
                return wire.build_standings(view, organiser=False, stage=request.stage)
            marks = self.leases.auditor.isolator.isolations.read_marks(row.id)
            known = find_foreknowledge(view.board.entrants, marks)
            return wire.build_standings(view, organiser=True, foreknowledge=known, stage=request.stage)

        return await self._build_results(request, shown)

    async def GetFairness(self, request: pb.GetFairnessRequest, context: Any) -> pb.GetFairnessResponse:
        view = await to_thread(self.boards.get_view, await self._find_own(request))

        def find() -> pb.GetFairnessResponse:
            return fairness_message(self.fairness.find_help(view.board), self.fairness.find_alike(view.board))

        return await self.lanes.reports(find)

    async def GetBracket(self, request: pb.GetBracketRequest, context: Any) -> Any:
        last = page.number_of(request.page_token) or 0

        def fill(view: ContestView) -> Page:
            rounds = [one for one in view.board.list_rounds(request.stage) if one.round > last]
            show = partial(wire.bracket_round, view)
            return page.fill(rounds, request.page_size, show, lambda one: str(one.round))

        rounds, token = await self._build_results(request, fill)
        return pb.GetBracketResponse(rounds=rounds, next_page_token=token)

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> Any:
        def fill(view: ContestView) -> Page:
            rows = (played.row for played in view.matches_after(request.page_token))
            return page.fill(rows, request.page_size, partial(wire.build_match, view), lambda row: row.label)

        found, token = await self._build_results(request, fill)
        return pb.ListMatchesResponse(matches=found, next_page_token=token)

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> Any:
        def shown(view: ContestView) -> Any:
            row = self._find_take(view, request)
            found = self.archive.read_match(row, FAULTS, request.newest_blocks)
            return pb.GetMatchResponse(
                match=wire.build_match(view, found.row),
                blocks=[wire.build_block(one, found.done_at.get(one.id, 0)) for one in found.blocks],
                faults=[wire.fault_summary(one) for one in found.faults],
                banks=wire.build_banks(view.board, found.row, found.banks),
                walk=[pb.WalkPoint(**one._asdict()) for one in self.archive.read_walk(view.board, row)],
            )

        return await self._build_results(request, shown)

    async def ListTakes(self, request: pb.ListTakesRequest, context: Any) -> Any:
        last = page.number_of(request.page_token) or 0

        def fill(view: ContestView) -> Page:
            rows = [row for row in self.archive.list_takes(view.board, request.label) if row.take > last]
            return page.fill(
                rows, request.page_size, partial(wire.build_match, view), lambda row: str(row.take)
            )

        takes, token = await self._build_results(request, fill)
        return pb.ListTakesResponse(takes=takes, next_page_token=token)

    async def ListFaults(self, request: pb.ListFaultsRequest, context: Any) -> Any:
        def fill(view: ContestView) -> Page:
            row = self._find_take(view, request)
            entrant = wire.number_of(view, row, request.bot_name) if request.bot_name else 0
            most = page.count_entries(request.page_size) + 1
            after = wire.fault_key(request.page_token)
            found = self.archive.list_faults(row.id, most, after, entrant, request.kind)
            return page.fill(found, request.page_size, wire.fault_summary, wire.fault_token)

        faults, token = await self._build_results(request, fill)
        return pb.ListFaultsResponse(faults=faults, next_page_token=token)

    async def ListSets(self, request: pb.ListSetsRequest, context: Any) -> Any:
        first, who = page.first_number(request.page_token, request.first_set), identity()

        def fill(view: ContestView) -> Page:
            found = self.archive.list_sets(view.board, self._find_take(view, request), first, who)
            say = partial(wire.set_summary, view.board.spec.score)
            return page.fill(found, request.page_size, say, lambda one: str(one.score.number))

        sets, token = await self._build_results(request, fill)
        return pb.ListSetsResponse(sets=sets, next_page_token=token)

    async def GetFault(self, request: pb.GetFaultRequest, context: Any) -> Any:
        who = identity()
        return wire.build_fault(
            await to_thread(self.archive.read_fault, request.fault_id, who, self._check_seen)
        )

    async def GetSet(self, request: pb.GetSetRequest, context: Any) -> Any:
        who = identity()

        def shown(view: ContestView) -> Any:
            row = self._find_take(view, request)
            found = self.archive.deal_set(view.board, row, request.set, who)
            return pb.GetSetResponse(
                set=game_wire.set_message(found),
                first=row.first,
                second=row.second,
                first_name=view.names[row.first],
                second_name=view.names[row.second],
                other_names=[view.names[number] for number in row.players[2:]],
            )

        return await self._build_results(request, shown)

    def _check_seen(self, contest: Contest, who: Identity) -> None:
        """Raise UnknownTournament if the contest is a tournament that the caller may not see."""
        if contest.purpose == "tournament":
            self.boards.find_row(who, contest.id)

    def _find_take(self, view: ContestView, request: Any) -> MatchRow:
        """Return the take of a match that a request names."""
        return self.archive.find_take(view.board, request.label, request.take)

    async def WatchTournament(self, request: pb.WatchTournamentRequest, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find_view, identity(), request.tournament)
        tournament_id = view.board.tournament.id
        self._require_seen(tournament_id)
        if not is_released(view.board, identity()):
            async for picture in self._follow_state(tournament_id, identity()):
                yield picture
            return

        self._require_released(tournament_id)

        def say(events: Sequence[tuple[str, Event]]) -> list[bytes]:
            return wire.tell_events(self.boards.get_view(tournament_id), events)

        who = identity()
        yield wire.encode_picture(view, who)
        async for batch in self.watcher.watch_tournament(tournament_id, request.after, say):
            if batch.lost:
                yield await to_thread(lambda: wire.encode_picture(self.boards.get_view(tournament_id), who))
            for message in batch.messages:
                yield message

    def _require_seen(self, tournament_id: str) -> None:
        """End the stream once the caller may no longer see the tournament, as one removed from its group."""

        async def check(who: Identity | None) -> None:
            await to_thread(self.boards.find_row, who or identity(), tournament_id)

        open_stream.require(check, ("seen", tournament_id))

    def _require_released(self, tournament_id: str) -> None:
        """End the stream once the caller may no longer see the results, as when their last bot has left."""

        async def check(who: Identity | None) -> None:
            view = await to_thread(self.boards.get_view, tournament_id)
            check_released(view.board, who or identity())

        open_stream.require(check, ("released", tournament_id))

    async def _follow_state(self, tournament_id: str, who: Identity) -> AsyncIterator[bytes]:
        """Yield the tournament whenever it has changed, without events, until its results are released."""
        told = b""
        while not self.stopping.is_set():
            view = await to_thread(self.boards.get_view, tournament_id)
            picture = await to_thread(wire.encode_picture, view, who)
            if picture != told:
                yield picture
            told = picture
            if is_released(view.board, who):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), LOOK)

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find_view, identity(), request.tournament)
        check_released(view.board, identity())
        self._require_seen(view.board.tournament.id)
        self._require_released(view.board.tournament.id)
        row = await to_thread(self.archive.find_take, view.board, request.label)

        def show() -> bytes:
            now = self.boards.get_view(view.board.tournament.id)
            return wire.match_picture(now, self.archive.find_take(now.board, request.label))

        shown = await to_thread(show)
        yield shown
        news = self.watcher.watch_match(row.id, request.after, request.idle_seconds, show, wire.tell_deals)
        async for batch in news:
            if batch.picture and batch.picture != shown:
                shown = batch.picture
                yield shown
            for message in batch.messages:
                yield message

    async def ExportTournament(self, request: pb.ExportTournamentRequest, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find_view, identity(), request.tournament)
        row = view.board.tournament
        subject = Subject(row.id, row.name, partial(self.archive.write_export, view.board))
        asked = subject, request.offset, request.sha256
        file, found = await self.lanes.exports(self.exports.open_export, *asked)
        try:
            yield pb.ExportTournamentResponse(size=found.size, sha256=found.sha256)
            while chunk := await to_thread(file.read, CHUNK):
                yield pb.ExportTournamentResponse(chunk=chunk)
        finally:
            file.close()

    async def Advance(self, request: pb.AdvanceRequest, context: Any) -> Any:
        row = await to_thread(self.organiser.tournaments.find_tournament, request.tournament_id)
        queued = await self.lanes.schedule(self.organiser.advance_schedule, row.id)
        self.follower.schedule_follow(row.id)
        return pb.AdvanceResponse(blocks_queued=queued)
