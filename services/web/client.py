"""An arena's client for the pages: structs of `maumau.client.answer`; no protobuf message leaves it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from maumau.client import answer
from maumau.client.arena_status import ArenaStatus, Contact, join_status
from maumau.client.call import rpc_errors, to_struct
from maumau.errors import MaumauError, UnknownBot, UnknownSet
from maumau.v1 import matchmaking_pb2 as m
from maumau.v1 import registry_pb2 as r
from maumau.v1 import status_pb2 as s
from maumau.v1 import status_pb2_grpc, team_pb2
from maumau.v1 import tournament_pb2 as t
from services.web.call import PAGE
from services.web.live_client import LiveCalls

MAX_SET_NUMBER = 1 << 31  # highest set number in an address
LOOK_SECONDS = 2.0  # for the status of a service
SERVING = health_pb2.HealthCheckResponse.SERVING
STATUS_STUB: Any = status_pb2_grpc.StatusServiceStub


class Arena(LiveCalls):
    """All calls that the pages make: of contests, bots and ladders, live tables, and the status."""

    async def list_tournaments(self, most: int = 100) -> tuple[answer.Tournament, ...]:
        """Return the newest contests, newest first."""
        found = await self._call_method("ListTournaments", t.ListTournamentsRequest(page_size=most))
        return tuple(to_struct(answer.Tournament, each) for each in found.tournaments)

    async def tournament_page(self, most: int, after: str = "") -> tuple[tuple[answer.Tournament, ...], str]:
        """Return some contests, newest first, and the cursor of those before them, or ""."""
        request = t.ListTournamentsRequest(page_size=most, page_token=after)
        found = await self._call_method("ListTournaments", request)
        return tuple(to_struct(answer.Tournament, each) for each in found.tournaments), found.next_page_token

    async def all_tournaments(self) -> AsyncIterator[answer.Tournament]:
        """Yield all contests, newest first; pages are asked for as they are read."""
        async for each in self._list_pages("ListTournaments", t.ListTournamentsRequest(), "tournaments"):
            yield to_struct(answer.Tournament, each)

    async def get_tournament(self, name: str) -> answer.Tournament:
        """Return a contest in its current state."""
        found = await self._call_method("GetTournament", t.GetTournamentRequest(tournament=name))
        return to_struct(answer.Tournament, found.tournament)

    async def get_standings(self, name: str, stage: int = 0) -> answer.GetStandingsResponse:
        """Return the current table, best first, or that after a stage."""
        found = await self._call_method("GetStandings", t.GetStandingsRequest(tournament=name, stage=stage))
        return to_struct(answer.GetStandingsResponse, found)

    async def get_bracket(self, name: str, stage: int = 0) -> tuple[answer.Round, ...]:
        """Return the rounds of a stage's bracket; stage 0 is the last one with a bracket."""
        request = t.GetBracketRequest(tournament=name, stage=stage)
        return tuple(
            [
                to_struct(answer.Round, each)
                async for each in self._list_pages("GetBracket", request, "rounds")
            ]
        )

    async def list_matches(self, name: str) -> tuple[answer.Match, ...]:
        """Return all matches in the order of their labels."""
        request = t.ListMatchesRequest(tournament=name)
        found = self._list_pages("ListMatches", request, "matches")
        return tuple([to_struct(answer.Match, each) async for each in found])

    async def get_match(self, name: str, label: str, newest: int = 0) -> answer.GetMatchResponse:
        """Return a match with its faults and its last `newest` blocks, or all of them if it is 0."""
        request = t.GetMatchRequest(tournament=name, label=label, newest_blocks=newest)
        return to_struct(answer.GetMatchResponse, await self._call_method("GetMatch", request))

    async def set_scores(self, name: str, label: str) -> tuple[answer.SetSummary, ...]:
        """Return the booked deal sets of a match, in order; raise NotYours before the contest is over."""
        request = t.ListSetsRequest(tournament=name, label=label)
        return tuple(
            [
                to_struct(answer.SetSummary, each)
                async for each in self._list_pages("ListSets", request, "sets")
            ]
        )

    async def some_set_scores(
        self, name: str, label: str, first: int, most: int
    ) -> tuple[answer.SetSummary, ...]:
        """Return up to `most` of them, from number `first` on."""
        request = t.ListSetsRequest(tournament=name, label=label, page_size=most, first_set=first)
        found = await self._call_method("ListSets", request)
        return tuple(to_struct(answer.SetSummary, each) for each in found.sets)

    async def deal_set(self, name: str, label: str, number: int) -> answer.GetSetResponse:
        """Return a deal set as it was played; raise NotYours before the contest is over."""
        if not 0 <= number <= MAX_SET_NUMBER:
            raise UnknownSet(f"There is no deal set {number}.")
        request = t.GetSetRequest(tournament=name, label=label, set=number)
        return to_struct(answer.GetSetResponse, await self._call_method("GetSet", request))

    async def find_contests(
        self, part: str, most: int, after: str = ""
    ) -> tuple[tuple[answer.Tournament, ...], str]:
        """Return some contests whose names contain a part, newest first, and the cursor of those before."""
        request = t.ListTournamentsRequest(page_size=most, page_token=after, contains=part)
        found = await self._call_method("ListTournaments", request)
        return tuple(to_struct(answer.Tournament, each) for each in found.tournaments), found.next_page_token

    async def find_bots(
        self, part: str, most: int, after: str = "", owner: str = ""
    ) -> tuple[tuple[answer.Bot, ...], str]:
        """Return some bots by name, whose names contain a part or of an owner, and the cursor of the next."""
        request = r.ListBotsRequest(page_size=most, page_token=after, contains=part, account_name=owner)
        found = await self._call_method("ListBots", request, "registry")
        return tuple(to_struct(answer.Bot, each) for each in found.bots), found.next_page_token

    async def find_registration(self) -> str:
        """Return how accounts are opened here: "open", "code" or "closed"."""
        found = await self._call_method("GetServerInfo", r.GetServerInfoRequest(), "registry")
        return found.registration or ("open" if found.open else "closed")

    async def find_authors(
        self, part: str, most: int, after: str = "", name: str = ""
    ) -> tuple[tuple[answer.Author, ...], str]:
        """Return some owners of bots by name, and the cursor of the next. name: only the one of this name."""
        request = r.ListAuthorsRequest(page_size=most, page_token=after, contains=part, name=name)
        found = await self._call_method("ListAuthors", request, "registry")
        return tuple(to_struct(answer.Author, each) for each in found.authors), found.next_page_token

    async def team(self, name: str) -> answer.GetTeamResponse:
        """Return a team with its members."""
        found = await self._call_method("GetTeam", team_pb2.GetTeamRequest(name=name), "teams")
        return to_struct(answer.GetTeamResponse, found)

    async def list_bots(self) -> tuple[answer.Bot, ...]:
        """Return all bots, by name."""
        found = self._list_pages("ListBots", r.ListBotsRequest(), "bots", "registry")
        return tuple([to_struct(answer.Bot, each) async for each in found])

    async def load_retired_bot(self, name: str) -> answer.Bot:
        """Return a bot that `list_bots` leaves out; raise UnknownBot if there has never been one."""
        found = self._list_pages("ListVersions", r.ListVersionsRequest(bot_name=name), "versions", "registry")
        versions = [to_struct(answer.Version, each) async for each in found]
        if not versions:
            raise UnknownBot(f"There is no bot {name[:80]!r}.")
        return answer.Bot(versions[0].bot_id, name, versions[0].account_name, tuple(versions))

    async def watch_tournament(self, name: str) -> AsyncIterator[answer.Tournament | answer.TournamentEvent]:
        """Yield the current contest, then its events, until it is over."""
        request = t.WatchTournamentRequest(tournament=name)
        with self._translate_errors("tournament"):
            async for part in self._stubs["tournament"].WatchTournament(request, metadata=self._own):
                if part.HasField("tournament"):
                    yield to_struct(answer.Tournament, part.tournament)
                for event in part.events:
                    yield to_struct(answer.TournamentEvent, event)

    async def watch_match(
        self, name: str, label: str, idle: int = 0
    ) -> AsyncIterator[answer.Match | answer.LiveDeal]:
        """Yield the current match and its changes, and deals of it as they are played.

        The stream ends with the match, and after `idle` seconds without a deal unless that is 0.
        """
        request = t.WatchMatchRequest(tournament=name, label=label, idle_seconds=idle)
        with self._translate_errors("tournament"):
            async for part in self._stubs["tournament"].WatchMatch(request, metadata=self._own):
                if part.HasField("match"):
                    yield to_struct(answer.Match, part.match)
                for deal in part.deals:
                    yield to_struct(answer.LiveDeal, deal)

    async def list_ladders(self) -> tuple[answer.Ladder, ...]:
        """Return all ladders, by name."""
        found = self._list_pages("ListLadders", m.ListLaddersRequest(), "ladders", "matchmaking")
        return tuple([to_struct(answer.Ladder, each) async for each in found])

    async def get_leaderboard(self, ladder: str) -> answer.GetLeaderboardResponse:
        """Return the table of a ladder, best first."""
        found = await self._call_method(
            "GetLeaderboard", m.GetLeaderboardRequest(ladder=ladder), "matchmaking"
        )
        return to_struct(answer.GetLeaderboardResponse, found)

    async def head_to_head(self, ladder: str, bot: str) -> tuple[answer.HeadToHead, ...]:
        """Return a bot's results on a ladder by opponent, the most frequent first."""
        request = m.GetHeadToHeadRequest(ladder=ladder, bot_name=bot)
        found = await self._call_method("GetHeadToHead", request, "matchmaking")
        return tuple(to_struct(answer.HeadToHead, each) for each in found.opponents)

    async def rating_history(self, ladder: str, bot: str) -> tuple[answer.VersionHistory, ...]:
        """Return the ratings of a bot's versions over time, the first version first."""
        request = m.GetRatingHistoryRequest(ladder=ladder, bot_name=bot)
        found = await self._call_method("GetRatingHistory", request, "matchmaking")
        return tuple(to_struct(answer.VersionHistory, each) for each in found.versions)

    async def list_pairings(
        self, ladder: str, bot: str = "", most: int = 200, after: str = "", *, over: bool = False
    ) -> tuple[tuple[answer.Pairing, ...], str]:
        """Return some pairings, newest first, of a bot or of all, and the cursor of earlier ones, or "".

        over: only those that are.
        """
        request = m.ListPairingsRequest(
            ladder=ladder, bot_name=bot, page_size=most, page_token=after, over=over
        )
        found = await self._call_method("ListPairings", request, "matchmaking")
        return tuple(to_struct(answer.Pairing, each) for each in found.pairings), found.next_page_token

    async def explain_pairing(self, ladder: str, pairing: str) -> answer.ExplainPairingResponse:
        """Return a pairing with the reason for it."""
        request = m.ExplainPairingRequest(ladder=ladder, id=pairing)
        return to_struct(
            answer.ExplainPairingResponse, await self._call_method("ExplainPairing", request, "matchmaking")
        )

    async def pairing_sets(
        self, ladder: str, pairing: str, most: int = PAGE, after: str = "", *, first: int = 0
    ) -> tuple[tuple[answer.SetSummary, ...], str]:
        """Return some booked deal sets of a pairing, in order, and the cursor of later ones, or "".

        after: such a cursor. first: without one, the number from which on they are returned.
        """
        request = m.ListPairingSetsRequest(
            ladder=ladder, id=pairing, page_size=most, page_token=after, first_set=first
        )
        found = await self._call_method("ListPairingSets", request, "matchmaking")
        return tuple(to_struct(answer.SetSummary, each) for each in found.sets), found.next_page_token

    async def pairing_set(self, ladder: str, pairing: str, number: int) -> answer.GetPairingSetResponse:
        """Return a deal set of a pairing as it was played."""
        if not 0 <= number <= MAX_SET_NUMBER:
            raise UnknownSet(f"There is no deal set {number}.")
        request = m.GetPairingSetRequest(ladder=ladder, id=pairing, set=number)
        return to_struct(
            answer.GetPairingSetResponse, await self._call_method("GetPairingSet", request, "matchmaking")
        )

    async def watch_pairing(
        self, ladder: str, pairing: str
    ) -> AsyncIterator[answer.Pairing | answer.LiveDeal]:
        """Yield the current pairing and its changes, and deals of it as they are played, until it is over."""
        request = m.WatchPairingRequest(ladder=ladder, id=pairing)
        with self._translate_errors("matchmaking"):
            async for part in self._stubs["matchmaking"].WatchPairing(request):
                if part.HasField("pairing"):
                    yield to_struct(answer.Pairing, part.pairing)
                for deal in part.deals:
                    yield to_struct(answer.LiveDeal, deal)

    async def list_epochs(self, ladder: str) -> tuple[answer.Epoch, ...]:
        """Return the epochs of a ladder with their commitments, newest first."""
        found = self._list_pages("ListEpochs", m.ListEpochsRequest(ladder=ladder), "epochs", "matchmaking")
        return tuple([to_struct(answer.Epoch, each) async for each in found])

    async def watch_ladder(self, ladder: str) -> AsyncIterator[answer.GetLeaderboardResponse]:
        """Yield the current table of a ladder, and again after each change."""
        with self._translate_errors("matchmaking"):
            async for part in self._stubs["matchmaking"].WatchLadder(m.WatchLadderRequest(ladder=ladder)):
                yield to_struct(answer.GetLeaderboardResponse, part.leaderboard)

    async def arena_status(self) -> ArenaStatus:
        """Return the status of all services; each address is queried once."""
        at = {address: name for name, address in self.addresses.items()}
        heard = await asyncio.gather(*(self._ask_status(self._channels[name]) for name in at.values()))
        told = dict(zip(at, heard, strict=True))
        return join_status({name: told[address] for name, address in self.addresses.items()})

    async def _ask_status(self, channel: Any) -> answer.GetStatusResponse | Contact:
        """Return a service's figures; "unread" if it only answers, "silent" if it does not."""
        answers, found = await asyncio.gather(_is_serving(channel), self._read_status(channel))
        return found or ("unread" if answers else "silent")

    async def _read_status(self, channel: Any) -> answer.GetStatusResponse | None:
        try:
            with rpc_errors():
                said = await STATUS_STUB(channel).GetStatus(s.GetStatusRequest(), timeout=LOOK_SECONDS)
        except MaumauError:
            return None
        return to_struct(answer.GetStatusResponse, said)


async def _is_serving(channel: Any) -> bool:
    stub = health_pb2_grpc.HealthStub(channel)
    try:
        said = await stub.Check(health_pb2.HealthCheckRequest(), timeout=LOOK_SECONDS)
    except grpc.RpcError:
        return False
    return bool(said.status == SERVING)
