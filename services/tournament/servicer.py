"""The contract's calls: message to domain to message. What blocks runs in a thread."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from maumau import wire as game_wire
from maumau.v1 import tournament_pb2 as pb
from maumau.v1 import tournament_pb2_grpc
from services.shared import page
from services.shared.auth import Identity, Need, identity
from services.shared.page import Page
from services.tournament import wire
from services.tournament.boards import View
from services.tournament.event import Event
from services.tournament.exports import Exports, Subject
from services.tournament.match_row import MatchRow
from services.tournament.organise.servicer import OrganiseServicer
from services.tournament.organiser import is_organiser
from services.tournament.release import check_released, is_released
from services.tournament.watch import Watcher
from services.tournament.work.servicer import WorkServicer

NEEDS = {
    **dict.fromkeys(("CreateTournament", "EditTournament", "OpenEntries", "Start"), Need.ORGANISER),
    **dict.fromkeys(("Pause", "Resume", "Cancel", "Confirm", "RetakeMatch", "Disqualify"), Need.ORGANISER),
    **dict.fromkeys(("ReleaseBlocks", "ListWorkers"), Need.ADMIN),
    **dict.fromkeys(("Enter", "OpenNonce", "Withdraw"), Need.AUTHOR),
    "GetQueue": Need.ANY,
    **dict.fromkeys(("GetTournament", "ListTournaments", "GetStandings", "GetBracket"), Need.ANY),
    **dict.fromkeys(("GetMatch", "GetFault", "GetSet", "ListMatches", "ListFaults"), Need.ANY),
    **dict.fromkeys(("ListTakes", "ListSets"), Need.ANY),
    **dict.fromkeys(("ExportTournament", "WatchTournament", "WatchMatch"), Need.ANY),
    **dict.fromkeys(("ClaimNext", "RenewLease", "ReportDeals", "SubmitBlock", "ReportTest"), Need.WORKER),
    **dict.fromkeys(("Advance", "Sweep"), Need.WORKER),
}
CHUNK = 64 << 10
LOOK = 1.0  # seconds between two looks for who may not see what happens
FAULTS = 100  # that GetMatch shows


@dataclass(kw_only=True)
class Servicer(OrganiseServicer, WorkServicer, tournament_pb2_grpc.TournamentServiceServicer):
    """Each handler is a translation; what it means stands in the part that it calls."""

    watcher: Watcher
    exports: Exports
    stopping: asyncio.Event

    async def GetTournament(self, request: Any, context: Any) -> Any:
        return pb.GetTournamentResponse(tournament=await self._about(request, wire.tournament))

    async def ListTournaments(self, request: Any, context: Any) -> Any:
        def fill() -> Page:
            most = page.count_entries(request.page_size) + 1
            views = self.boards.page(request.page_token, most, active=request.active)
            return page.fill(views, request.page_size, wire.tournament, lambda view: view.board.tournament.id)

        found, token = await to_thread(fill)
        return pb.ListTournamentsResponse(tournaments=found, next_page_token=token)

    async def GetQueue(self, request: Any, context: Any) -> Any:
        found, who = await super().GetQueue(request, context), identity()
        hidden = await to_thread(
            lambda: {one.contest_id for one in found.entries if self._is_hidden(one, who)}
        )
        kept = [one for one in found.matches if one.contest_id not in hidden]
        del found.matches[:]
        found.matches.extend(kept)
        return found

    def _is_hidden(self, entry: Any, who: Identity) -> bool:
        """Whether a line of the queue is of a tournament whose matches are not for the caller yet."""
        if not entry.name or entry.purpose != "tournament":
            return False
        return not is_released(self.boards.get(entry.contest_id).board, who)

    async def _results(self, request: Any, say: Callable[[View], Any]) -> Any:
        """The same as `_about`, for whom the results of that tournament are."""
        who = identity()

        def say_released(view: View) -> Any:
            check_released(view.board, who)
            return say(view)

        return await self._about(request, say_released)

    async def GetStandings(self, request: Any, context: Any) -> Any:
        who = identity()

        def shown(view: View) -> Any:
            return wire.standings(view, organiser=is_organiser(who, view.board.tournament))

        return await self._results(request, shown)

    async def GetBracket(self, request: Any, context: Any) -> Any:
        last = page.number_of(request.page_token) or 0

        def fill(view: View) -> Page:
            rounds = [one for one in view.board.rounds(request.stage) if one.round > last]
            show = partial(wire.bracket_round, view)
            return page.fill(rounds, request.page_size, show, lambda one: str(one.round))

        rounds, token = await self._results(request, fill)
        return pb.GetBracketResponse(rounds=rounds, next_page_token=token)

    async def ListMatches(self, request: Any, context: Any) -> Any:
        def fill(view: View) -> Page:
            rows = (played.row for played in view.matches_after(request.page_token))
            return page.fill(rows, request.page_size, partial(wire.match, view), lambda row: row.label)

        found, token = await self._results(request, fill)
        return pb.ListMatchesResponse(matches=found, next_page_token=token)

    async def GetMatch(self, request: Any, context: Any) -> Any:
        def shown(view: View) -> Any:
            found = self.archive.match(self._take(view, request), FAULTS, request.newest_blocks)
            return pb.GetMatchResponse(
                match=wire.match(view, found.row),
                blocks=[wire.block(one, found.done_at.get(one.id, 0)) for one in found.blocks],
                faults=[wire.fault_summary(one) for one in found.faults],
                banks=wire.banks(view.board, found.row, found.banks),
            )

        return await self._results(request, shown)

    async def ListTakes(self, request: Any, context: Any) -> Any:
        last = page.number_of(request.page_token) or 0

        def fill(view: View) -> Page:
            rows = [row for row in self.archive.takes(view.board, request.label) if row.take > last]
            return page.fill(rows, request.page_size, partial(wire.match, view), lambda row: str(row.take))

        takes, token = await self._results(request, fill)
        return pb.ListTakesResponse(takes=takes, next_page_token=token)

    async def ListFaults(self, request: Any, context: Any) -> Any:
        def fill(view: View) -> Page:
            row = self._take(view, request)
            entrant = wire.number_of(view, row, request.bot_name) if request.bot_name else 0
            most = page.count_entries(request.page_size) + 1
            after = wire.fault_key(request.page_token)
            found = self.archive.faults(row.id, most, after, entrant, request.kind)
            return page.fill(found, request.page_size, wire.fault_summary, wire.fault_token)

        faults, token = await self._results(request, fill)
        return pb.ListFaultsResponse(faults=faults, next_page_token=token)

    async def ListSets(self, request: Any, context: Any) -> Any:
        last, who = page.number_of(request.page_token), identity()

        def fill(view: View) -> Page:
            first = 0 if last is None else last + 1
            found = self.archive.sets(view.board, self._take(view, request), first, who)
            say = partial(wire.set_summary, view.board.spec.score)
            return page.fill(found, request.page_size, say, lambda one: str(one.score.number))

        sets, token = await self._results(request, fill)
        return pb.ListSetsResponse(sets=sets, next_page_token=token)

    async def GetFault(self, request: Any, context: Any) -> Any:
        return wire.fault(await to_thread(self.archive.fault, request.fault_id, identity()))

    async def GetSet(self, request: Any, context: Any) -> Any:
        who = identity()

        def shown(view: View) -> Any:
            row = self._take(view, request)
            found = self.archive.deal_set(view.board, row, request.set, who)
            return pb.GetSetResponse(
                set=game_wire.set_message(found), first=row.first, second=row.second,
                first_name=view.names[row.first], second_name=view.names[row.second],
            )  # fmt: skip

        return await self._results(request, shown)

    def _take(self, view: View, request: Any) -> MatchRow:
        """The take of a match that a request names."""
        return self.archive.take(view.board, request.label, request.take)

    async def WatchTournament(self, request: Any, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find, request.tournament)
        tournament_id = view.board.tournament.id
        if not is_released(view.board, identity()):
            async for picture in self._follow_state(tournament_id, identity()):
                yield picture
            return

        def say(events: Sequence[tuple[str, Event]]) -> list[bytes]:
            return wire.tell_events(self.boards.get(tournament_id), events)

        yield wire.picture(view)
        async for batch in self.watcher.tournament(tournament_id, request.after, say):
            if batch.lost:
                yield await to_thread(lambda: wire.picture(self.boards.get(tournament_id)))
            for message in batch.messages:
                yield message

    async def _follow_state(self, tournament_id: str, who: Identity) -> AsyncIterator[bytes]:
        """The tournament whenever it has changed, without what happens, until its results are released."""
        told = b""
        while not self.stopping.is_set():
            view = await to_thread(self.boards.get, tournament_id)
            picture = await to_thread(wire.picture, view)
            if picture != told:
                yield picture
            told = picture
            if is_released(view.board, who):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), LOOK)

    async def WatchMatch(self, request: Any, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find, request.tournament)
        check_released(view.board, identity())
        row = await to_thread(self.archive.take, view.board, request.label)

        def show() -> bytes:
            now = self.boards.get(view.board.tournament.id)
            return wire.match_picture(now, self.archive.take(now.board, request.label))

        shown = await to_thread(show)
        yield shown
        news = self.watcher.match(row.id, request.after, request.idle_seconds, show, wire.tell_deals)
        async for batch in news:
            if batch.picture and batch.picture != shown:
                shown = batch.picture
                yield shown
            for message in batch.messages:
                yield message

    async def ExportTournament(self, request: Any, context: Any) -> AsyncIterator[Any]:
        view = await to_thread(self.boards.find, request.tournament)
        row = view.board.tournament
        subject = Subject(row.id, row.name, partial(self.archive.export, view.board))
        asked = subject, request.offset, request.sha256
        file, found = await self.lanes.exports(self.exports.open, *asked)
        try:
            yield pb.ExportTournamentResponse(size=found.size, sha256=found.sha256)
            while chunk := await to_thread(file.read, CHUNK):
                yield pb.ExportTournamentResponse(chunk=chunk)
        finally:
            file.close()

    async def Advance(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.organiser.tournaments.find, request.tournament_id)
        queued = await self.lanes.schedule(self.organiser.advance, row.id)
        self.follower.kick(row.id)
        return pb.AdvanceResponse(blocks_queued=queued)
