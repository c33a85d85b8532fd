"""What MatchmakingService has of live play: message to domain to message."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from maumau.errors import ArenaUnreachable, BadRequest, BadSeatToken, NoHouseBot, NotYours
from maumau.v1 import seek_pb2 as pb
from services.matchmaking.live import wire
from services.matchmaking.live.house import House
from services.matchmaking.live.matcher import Matcher
from services.matchmaking.live.ratings import Ratings, pool_of
from services.matchmaking.metrics import Metrics
from services.matchmaking.store import LiveGames
from services.matchmaking.store import seek as seeking
from services.matchmaking.store.house import Offer
from services.matchmaking.store.live import Name
from services.shared import page
from services.shared.auth import Need, identity
from services.shared.clock import Clock
from services.shared.page import Page
from services.shared.worker_name import name_worker

NEEDS = {
    **dict.fromkeys(("Seek", "InviteHouse"), Need.AUTHOR),
    **dict.fromkeys(("GetLiveRatings", "ListLiveGames", "GetLiveGame"), Need.ANY),
    **dict.fromkeys(("ClaimSeat", "RenewSeats"), Need.WORKER),
    "ReportTable": Need.SERVICE,
}
SLOWEST = 5000  # ms that a house bot may wait before it answers
INVITED = 9  # seats of a call


@dataclass(kw_only=True)
class LiveCalls:
    """A part of the service's one servicer. stopping: set when the service begins to stop."""

    games: LiveGames
    ratings: Ratings
    matcher: Matcher
    house: House
    clock: Clock
    metrics: Metrics
    stopping: asyncio.Event

    async def Seek(self, request: Any, context: Any) -> AsyncIterator[Any]:
        seek = await self._resumed(request.seek_id) if request.seek_id else await self._begun(request)
        async for standing in self.matcher.follow(seek):
            yield wire.sought(seek, standing, self.matcher.find_prospect(seek))
            if self.stopping.is_set():
                raise ArenaUnreachable("The matchmaking service stops; seek again with your seek_id.")

    async def _begun(self, request: Any) -> seeking.Seek:
        who = identity()
        wire.check_name(request.bot_name, rated=request.rated)
        rules, seats = await to_thread(wire.game_of, request)
        name = Name(who.account_id, request.bot_name)
        rating = await to_thread(self.ratings.elo, pool_of(rules.hash, seats), name) if name.bot_name else 0.0
        seek = wire.new_seek(request, who, rules, seats, rating)
        await self.matcher.seeks.begin(seek)
        self.metrics.seekers.labels("begun").inc()
        return seek

    async def _resumed(self, seek_id: str) -> seeking.Seek:
        seek = await self.matcher.seeks.find(seek_id)
        if seek.account_id != identity().account_id:
            raise NotYours("This seek is somebody else's.")
        return seek

    async def GetLiveRatings(self, request: Any, context: Any) -> Any:
        rules, seats = await to_thread(wire.game_of, request)
        with self.metrics.refit.time():
            table = await to_thread(self.ratings.table, pool_of(rules.hash, seats))
        return wire.ratings(rules, seats, table)

    async def ListLiveGames(self, request: Any, context: Any) -> Any:
        def fill() -> Page:
            found = self.games.games(
                request.bot_name, request.account_name, request.page_token,
                page.count_entries(request.page_size) + 1,
            )  # fmt: skip
            return page.fill(
                found, request.page_size, lambda one: wire.game(*one, whole=False), lambda one: one[0].id
            )

        games, token = await to_thread(fill)
        return pb.ListLiveGamesResponse(games=games, next_page_token=token)

    async def GetLiveGame(self, request: Any, context: Any) -> Any:
        found = await to_thread(self.games.find, request.table_id)
        return pb.GetLiveGameResponse(game=wire.game(*found, whole=True))

    async def ReportTable(self, request: Any, context: Any) -> Any:
        game, players = wire.read_result(request.result, self.clock())
        stored = await to_thread(self.games.book, game, players)
        self.metrics.live_results.labels("stored" if stored else "known").inc()
        return pb.ReportTableResponse(stored=stored)

    async def InviteHouse(self, request: Any, context: Any) -> Any:
        tokens, wanted = list(request.seat_tokens), list(request.bot_names)
        if not 1 <= len(tokens) <= INVITED:
            raise BadRequest(f"House bots are invited to 1 to {INVITED} seats at a time.")
        if request.think_ms > SLOWEST:
            raise BadRequest(f"think_ms is {request.think_ms:,}; {SLOWEST:,} are the most.")
        seats = [_seat_of(token) for token in tokens]
        known = await self.house.all_bots()
        if not known:
            raise NoHouseBot("This arena has no house bots just now.")
        if strange := [name for name in wanted if name not in known]:
            raise NoHouseBot(
                f"{strange[0]!r} is not a house bot of this arena; its house bots are {', '.join(known)}."
            )
        wanted = wanted or known
        names = [wanted[min(number, len(wanted) - 1)] for number in range(len(tokens))]
        await self.house.check_room(len(tokens))
        await self.house.invite(
            [
                Offer(*seat, token, name, request.think_ms)
                for seat, token, name in zip(seats, tokens, names, strict=True)
            ]
        )
        return pb.InviteHouseResponse(bot_names=names)

    async def ClaimSeat(self, request: Any, context: Any) -> Any:
        worker = name_worker(identity(), request.worker)
        found = await self.house.claim((request.table_id, request.seat), worker)
        if found is None:
            return pb.ClaimSeatResponse()
        claimed, version, lease_ms = *found, self.house.lease_ms
        return pb.ClaimSeatResponse(
            claimed=True, seat_token=claimed.token, bot_name=claimed.bot_name, sha256=version.sha256,
            built_sha256=version.built_sha256, lease_ms=lease_ms,
            think_ms=claimed.think_ms,
        )  # fmt: skip

    async def RenewSeats(self, request: Any, context: Any) -> Any:
        held, left = ([(one.table_id, one.seat) for one in part] for part in (request.seats, request.left))
        worker = name_worker(identity(), request.worker)
        lost = await self.house.seats.renew(worker, request.room, held, left)
        return pb.RenewSeatsResponse(lost=[pb.HeldSeat(table_id=one, seat=seat) for one, seat in lost])


def _seat_of(token: str) -> tuple[str, int]:
    """The table and the seat that a seat's token names (docs/live.md)."""
    table_id, _, rest = token.partition("/")
    seat = rest.partition("/")[0]
    if not table_id.startswith("table_") or len(token) > 200 or not (seat.isascii() and seat.isdecimal()):
        raise BadSeatToken
    return table_id, int(seat[:3])
