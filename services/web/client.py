"""The arena as the pages ask it: structs of `maumau.answer`; no message of the contract leaves this file."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from maumau import answer
from maumau.arena_status import ArenaStatus, Contact, join_status
from maumau.call import plain, rpc_errors
from maumau.errors import MaumauError, UnknownSet
from maumau.live import Table, Told, read_news, read_table
from maumau.v1 import engine_pb2 as e
from maumau.v1 import (
    engine_pb2_grpc,
    matchmaking_pb2_grpc,
    registry_pb2_grpc,
    status_pb2_grpc,
    tournament_pb2_grpc,
)
from maumau.v1 import matchmaking_pb2 as m
from maumau.v1 import registry_pb2 as r
from maumau.v1 import status_pb2 as s
from maumau.v1 import tournament_pb2 as t
from services.shared.client import connect_aio

PAGE = 1000  # entries of a list that are asked for at once
MAX_SET_NUMBER = 1 << 31  # that a number in an address may name
SECONDS = 5.0  # for a call, unless it says otherwise: somebody waits for a page
LOOK_SECONDS = 2.0  # for a service to say how it is
SERVING = health_pb2.HealthCheckResponse.SERVING


STUBS: Mapping[str, Any] = {
    "registry": registry_pb2_grpc.RegistryServiceStub,
    "tournament": tournament_pb2_grpc.TournamentServiceStub,
    "matchmaking": matchmaking_pb2_grpc.MatchmakingServiceStub,
    "engine": engine_pb2_grpc.EngineServiceStub,
}
STATUS_STUB: Any = status_pb2_grpc.StatusServiceStub


class Arena:
    """The services of STUBS, each at its host:port; make it inside the running loop.

    Every call raises what the service says; ArenaUnreachable and DeadlinePassed where it says nothing.
    """

    def __init__(self, addresses: Mapping[str, str], token: str, roots: bytes = b"") -> None:
        self.addresses = {name: addresses[name] for name in STUBS}
        self._channels = {name: connect_aio(at, token, roots) for name, at in self.addresses.items()}
        self._stubs = {name: STUBS[name](channel) for name, channel in self._channels.items()}

    async def close(self) -> None:
        """Ends all calls."""
        for channel in self._channels.values():
            await channel.close()

    async def tournaments(self, most: int = 100) -> tuple[answer.Tournament, ...]:
        """The newest, newest first."""
        found = await self._ask("ListTournaments", t.ListTournamentsRequest(page_size=most))
        return tuple(plain(answer.Tournament, each) for each in found.tournaments)

    async def tournament(self, name: str) -> answer.Tournament:
        """One contest as it stands."""
        found = await self._ask("GetTournament", t.GetTournamentRequest(tournament=name))
        return plain(answer.Tournament, found.tournament)

    async def standings(self, name: str) -> answer.GetStandingsResponse:
        """The table as it stands, best first."""
        found = await self._ask("GetStandings", t.GetStandingsRequest(tournament=name))
        return plain(answer.GetStandingsResponse, found)

    async def bracket(self, name: str, stage: int = 0) -> tuple[answer.Round, ...]:
        """The rounds of a stage's bracket; stage 0 is the last one that has one."""
        request = t.GetBracketRequest(tournament=name, stage=stage)
        return tuple(
            [plain(answer.Round, each) async for each in self._pages("GetBracket", request, "rounds")]
        )

    async def matches(self, name: str) -> tuple[answer.Match, ...]:
        """All matches in the order of their labels."""
        request = t.ListMatchesRequest(tournament=name)
        found = self._pages("ListMatches", request, "matches")
        return tuple([plain(answer.Match, each) async for each in found])

    async def match(self, name: str, label: str, newest: int = 0) -> answer.GetMatchResponse:
        """One match with its faults and its last `newest` blocks, or all of them if it is 0."""
        request = t.GetMatchRequest(tournament=name, label=label, newest_blocks=newest)
        return plain(answer.GetMatchResponse, await self._ask("GetMatch", request))

    async def set_scores(self, name: str, label: str) -> tuple[answer.SetSummary, ...]:
        """The deal sets of a match that are booked, in order; NotYours before the contest is over."""
        request = t.ListSetsRequest(tournament=name, label=label)
        return tuple(
            [plain(answer.SetSummary, each) async for each in self._pages("ListSets", request, "sets")]
        )

    async def some_set_scores(
        self, name: str, label: str, first: int, most: int
    ) -> tuple[answer.SetSummary, ...]:
        """Some of them, from this number on."""
        request = t.ListSetsRequest(
            tournament=name, label=label, page_size=most, page_token=str(first - 1) if first else ""
        )
        found = await self._ask("ListSets", request)
        return tuple(plain(answer.SetSummary, each) for each in found.sets)

    async def deal_set(self, name: str, label: str, number: int) -> answer.GetSetResponse:
        """A deal set as it was played; NotYours before the contest is over."""
        if not 0 <= number <= MAX_SET_NUMBER:
            raise UnknownSet(f"There is no deal set {number}.")
        request = t.GetSetRequest(tournament=name, label=label, set=number)
        return plain(answer.GetSetResponse, await self._ask("GetSet", request))

    async def bots(self) -> tuple[answer.Bot, ...]:
        """All bots, by name."""
        found = self._pages("ListBots", r.ListBotsRequest(), "bots", "registry")
        return tuple([plain(answer.Bot, each) async for each in found])

    async def watch(self, name: str) -> AsyncIterator[answer.Tournament | answer.TournamentEvent]:
        """The contest as it stands, then what happens in it, until it is over."""
        request = t.WatchTournamentRequest(tournament=name)
        with self._errors("tournament"):
            async for part in self._stubs["tournament"].WatchTournament(request):
                if part.HasField("tournament"):
                    yield plain(answer.Tournament, part.tournament)
                for event in part.events:
                    yield plain(answer.TournamentEvent, event)

    async def watch_match(
        self, name: str, label: str, idle: int = 0
    ) -> AsyncIterator[answer.Match | answer.LiveDeal]:
        """The match as it stands and whenever it changed, and deals of it as they are played.

        It ends with the match, and after `idle` seconds without a deal unless that is 0.
        """
        request = t.WatchMatchRequest(tournament=name, label=label, idle_seconds=idle)
        with self._errors("tournament"):
            async for part in self._stubs["tournament"].WatchMatch(request):
                if part.HasField("match"):
                    yield plain(answer.Match, part.match)
                for deal in part.deals:
                    yield plain(answer.LiveDeal, deal)

    async def ladders(self) -> tuple[answer.Ladder, ...]:
        """All ladders, by name."""
        found = self._pages("ListLadders", m.ListLaddersRequest(), "ladders", "matchmaking")
        return tuple([plain(answer.Ladder, each) async for each in found])

    async def leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        """The table of a ladder, best first."""
        found = await self._ask("GetLeaderboard", m.GetLeaderboardRequest(ladder=ladder), "matchmaking")
        return plain(answer.GetLeaderboardResponse, found)

    async def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        """What a bot of a ladder has played against the others; those it met most come first."""
        request = m.GetHeadToHeadRequest(ladder=ladder, bot_name=bot)
        found = await self._ask("GetHeadToHead", request, "matchmaking")
        return tuple(plain(answer.HeadToHead, each) for each in found.opponents)

    async def rating_history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        """How a bot's versions were rated over time, the first version first."""
        request = m.GetRatingHistoryRequest(ladder=ladder, bot_name=bot)
        found = await self._ask("GetRatingHistory", request, "matchmaking")
        return tuple(plain(answer.VersionHistory, each) for each in found.versions)

    async def pairings(
        self, ladder: str, bot: str = "", most: int = 200, after: str = ""
    ) -> tuple[tuple[answer.Pairing, ...], str]:
        """Some pairings, newest first, of a bot or of all, and the cursor of those before them, or ""."""
        request = m.ListPairingsRequest(ladder=ladder, bot_name=bot, page_size=most, page_token=after)
        found = await self._ask("ListPairings", request, "matchmaking")
        return tuple(plain(answer.Pairing, each) for each in found.pairings), found.next_page_token

    async def explain_pairing(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        """Why a pair was made, in words."""
        request = m.ExplainPairingRequest(ladder=ladder, id=pairing)
        return plain(answer.ExplainPairingResponse, await self._ask("ExplainPairing", request, "matchmaking"))

    async def epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        """The epochs of a ladder with their commitments, newest first."""
        found = self._pages("ListEpochs", m.ListEpochsRequest(ladder=ladder), "epochs", "matchmaking")
        return tuple([plain(answer.Epoch, each) async for each in found])

    async def watch_ladder(self, ladder: str) -> AsyncIterator[answer.GetLeaderboardResponse]:
        """The table of a ladder now, and again whenever it changed."""
        with self._errors("matchmaking"):
            async for part in self._stubs["matchmaking"].WatchLadder(m.WatchLadderRequest(ladder=ladder)):
                yield plain(answer.GetLeaderboardResponse, part.leaderboard)

    async def tables(self, *, ended: bool = False) -> tuple[Table, ...]:
        """The live tables that are open, or those that have ended lately; newest first, without records."""
        found = await self._ask("ListTables", e.ListTablesRequest(ended=ended), "engine")
        return tuple(map(read_table, found.tables))

    async def table(self, table_id: str) -> Table:
        """One live table as it stands."""
        return read_table((await self._ask("GetTable", e.GetTableRequest(table_id=table_id), "engine")).table)

    async def watch_table(self, table_id: str, after: int = 0) -> AsyncGenerator[Table | Told]:
        """The table first and last, and what lies open at it whenever something happened after a cursor."""
        request = e.WatchTableRequest(table_id=table_id, after=after)
        with self._errors("engine"):
            async for part in self._stubs["engine"].WatchTable(request):
                is_table = part.HasField("table")
                yield read_table(part.table) if is_table else read_news("news", part.news)

    async def arena_status(self) -> ArenaStatus:
        """How each service is; each address is asked once."""
        at = {address: name for name, address in self.addresses.items()}
        heard = await asyncio.gather(*(self._hear(self._channels[name]) for name in at.values()))
        told = dict(zip(at, heard, strict=True))
        return join_status({name: told[address] for name, address in self.addresses.items()})

    async def _hear(self, channel: Any) -> answer.GetStatusResponse | Contact:
        """What it says of itself; "silent" only if it does not answer at all."""
        answers, found = await asyncio.gather(_is_serving(channel), self._read_status(channel))
        return found or ("unread" if answers else "silent")

    async def _read_status(self, channel: Any) -> answer.GetStatusResponse | None:
        try:
            with rpc_errors():
                said = await STATUS_STUB(channel).GetStatus(s.GetStatusRequest(), timeout=LOOK_SECONDS)
        except MaumauError:
            return None
        return plain(answer.GetStatusResponse, said)

    def _errors(self, service: str) -> AbstractContextManager[None]:
        """Of its calls; what is said of one that is silent names it: readers know services, not addresses."""
        return rpc_errors(f"{self.addresses[service]} ({service} service)")

    async def _ask(self, method: str, request: Any, service: str = "tournament") -> Any:
        with self._errors(service):
            return await getattr(self._stubs[service], method)(request, timeout=SECONDS)

    async def _pages(
        self, method: str, request: Any, field: str, service: str = "tournament"
    ) -> AsyncIterator[Any]:
        request.page_size = PAGE
        while True:
            found = await self._ask(method, request, service)
            for each in getattr(found, field):
                yield each
            if not found.next_page_token:
                return
            request.page_token = found.next_page_token


async def _is_serving(channel: Any) -> bool:
    stub = health_pb2_grpc.HealthStub(channel)
    try:
        said = await stub.Check(health_pb2.HealthCheckRequest(), timeout=LOOK_SECONDS)
    except grpc.RpcError:
        return False
    return bool(said.status == SERVING)
