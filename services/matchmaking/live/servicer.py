"""The handlers of MatchmakingService for live play: message to domain to message."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from maumau.errors import ArenaUnreachable, BadRequest, NotYours
from maumau.v1 import seek_pb2 as pb
from services.matchmaking.live import wire
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings, pool_of
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.store import LiveGames
from services.matchmaking.store.live_tables import seek as seeking
from services.matchmaking.store.live_tables.house import Offer
from services.matchmaking.store.live_tables.live import Name
from services.shared.base import page
from services.shared.base.auth import Need, find_network, find_owner, identity
from services.shared.base.clock import Clock
from services.shared.base.page import Page
from services.shared.base.seat_token import split_token
from services.shared.base.worker_name import name_worker

NEEDS = {
    "Seek": Need.AUTHOR,
    "InviteHouse": Need.GUEST,
    **dict.fromkeys(("GetLiveRatings", "ListLiveGames", "GetLiveGame"), Need.ANY),
    **dict.fromkeys(("ClaimSeat", "RenewSeats"), Need.WORKER),
    "ReportTable": Need.SERVICE,
}
SLOWEST = 5000  # longest time in ms for a house bot to think
INVITED = 9  # seats of a call at most


@dataclass(kw_only=True)
class LiveCalls:
    """The live part of the service's servicer. stopping: set when the service begins to stop."""

    games: LiveGames
    ratings: Ratings
    matcher: Matcher
    house: House
    clock: Clock
    metrics: MatchmakingMetrics
    stopping: asyncio.Event

    async def Seek(self, request: pb.SeekRequest, context: Any) -> AsyncIterator[pb.SeekResponse]:
        seek = (
            await self._resume_seek(request.seek_id) if request.seek_id else await self._begin_seek(request)
        )
        async for standing in self.matcher.follow_seek(seek):
            yield wire.build_seek(seek, standing, self.matcher.find_prospect(seek))
            if self.stopping.is_set():
                raise ArenaUnreachable("The matchmaking service stops; seek again with your seek_id.")

    async def _begin_seek(self, request: pb.SeekRequest) -> seeking.Seek:
        who = identity()
        wire.check_name(request.bot_name, rated=request.rated)
        rules, seats = await to_thread(wire.game_of, request)
        name = Name(who.account_id, request.bot_name)
        rating = (
            await to_thread(self.ratings.find_elo, pool_of(rules.hash, seats), name) if name.bot_name else 0.0
        )
        seek = wire.new_seek(request, who, rules, seats, rating)
        await self.matcher.seeks.open_seek(seek)
        self.metrics.seekers.labels("begun").inc()
        return seek

    async def _resume_seek(self, seek_id: str) -> seeking.Seek:
        seek = await self.matcher.seeks.find_seek(seek_id)
        if seek.account_id != identity().account_id:
            raise NotYours("This seek is somebody else's.")
        return seek

    async def GetLiveRatings(
        self, request: pb.GetLiveRatingsRequest, context: Any
    ) -> pb.GetLiveRatingsResponse:
        rules, seats = await to_thread(wire.game_of, request)
        with self.metrics.refit.time():
            table = await to_thread(self.ratings.compute_table, pool_of(rules.hash, seats))
        return wire.build_ratings(rules, seats, table)

    async def ListLiveGames(self, request: pb.ListLiveGamesRequest, context: Any) -> pb.ListLiveGamesResponse:
        def fill_page() -> Page:
            found = self.games.list_games(
                request.bot_name,
                request.account_name,
                request.page_token,
                page.count_entries(request.page_size) + 1,
            )
            return page.fill(
                found,
                request.page_size,
                lambda one: wire.build_game(*one, whole=False),
                lambda one: one[0].id,
            )

        games, token = await to_thread(fill_page)
        return pb.ListLiveGamesResponse(games=games, next_page_token=token)

    async def GetLiveGame(self, request: pb.GetLiveGameRequest, context: Any) -> pb.GetLiveGameResponse:
        found = await to_thread(self.games.find_game, request.table_id)
        return pb.GetLiveGameResponse(game=wire.build_game(*found, whole=True))

    async def ReportTable(self, request: pb.ReportTableRequest, context: Any) -> pb.ReportTableResponse:
        game, players = wire.read_result(request.result, self.clock())
        stored = await to_thread(self.games.store_game, game, players)
        self.metrics.live_results.labels("stored" if stored else "known").inc()
        return pb.ReportTableResponse(stored=stored)

    async def InviteHouse(self, request: pb.InviteHouseRequest, context: Any) -> pb.InviteHouseResponse:
        tokens, wanted = list(request.seat_tokens), list(request.bot_names)
        if not 1 <= len(tokens) <= INVITED:
            raise BadRequest(f"House bots are invited to 1 to {INVITED} seats at a time.")
        if request.think_ms > SLOWEST:
            raise BadRequest(f"think_ms is {request.think_ms:,}; {SLOWEST:,} are the most.")
        who, seats = find_owner(request.guest), [split_token(token) for token in tokens]
        wanted = await self.house.find_wanted(wanted)
        await self.matcher.engine.check_seats(tokens)
        names = [wanted[min(number, len(wanted) - 1)] for number in range(len(tokens))]
        unlimited = who.may(Need.ADMIN)
        network = find_network(request.network, request.guest)
        await self.house.offer_seats(
            [
                Offer(*seat, token, name, request.think_ms, who.account_id, network)
                for seat, token, name in zip(seats, tokens, names, strict=True)
            ],
            unlimited=unlimited,
        )
        return pb.InviteHouseResponse(bot_names=names)

    async def ClaimSeat(self, request: pb.ClaimSeatRequest, context: Any) -> pb.ClaimSeatResponse:
        worker = name_worker(identity(), request.worker)
        found = await self.house.claim_seat((request.table_id, request.seat), worker)
        if found is None:
            return pb.ClaimSeatResponse()
        claimed, version, lease_ms = *found, self.house.lease_ms
        return pb.ClaimSeatResponse(
            claimed=True,
            seat_token=claimed.token,
            bot_name=claimed.bot_name,
            sha256=version.sha256,
            built_sha256=version.built_sha256,
            lease_ms=lease_ms,
            think_ms=claimed.think_ms,
        )

    async def RenewSeats(self, request: pb.RenewSeatsRequest, context: Any) -> pb.RenewSeatsResponse:
        held, left = ([(one.table_id, one.seat) for one in part] for part in (request.seats, request.left))
        worker = name_worker(identity(), request.worker)
        lost = await self.house.seats.renew_seats(worker, request.room, held, left)
        return pb.RenewSeatsResponse(lost=[pb.HeldSeat(table_id=one, seat=seat) for one, seat in lost])
