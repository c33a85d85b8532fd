"""Seeks, live games and their ratings: MatchmakingService's part in live play.

```python
with Seeks("127.0.0.1:7104", token="mm_…") as seeks:
    for told in seeks.seek(Wish(rules="prsi", bot_name="my-bot", house_after=10)):
        if told.token:
            print(told.names, told.seat)  # maumau.client.live.Tables.sit(told.token) plays it
```
A seek that is cut off goes on by itself, for at most 15 s. Errors are those of `maumau.errors`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import msgspec

from maumau.client import answer, call
from maumau.contest.ladder.time_control import read_seconds
from maumau.errors import ArenaUnreachable
from maumau.v1 import engine_pb2, game_pb2, matchmaking_pb2_grpc
from maumau.v1 import seek_pb2 as pb

SECONDS = 60.0  # that an ordinary call may take
PATIENCE = 15.0  # seconds that an arena keeps a seek after the connection is lost
STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a live game; times in seconds, rating_range in Elo. house_after: None for never."""

    rules: str
    options_json: str = ""
    seats: int = 0
    bot_name: str = ""
    rated: bool = False
    rating_range: int = 0
    house_after: int | None = None
    bank: float = 60
    increment: float = 1
    window: float = 8


class Told(msgspec.Struct, frozen=True):
    """The state of a seek; the last one has a token. range: in Elo, 0 for any; house_in: seconds."""

    seek_id: str
    waited: float = 0.0
    others: int = 0
    range: int = 0
    house_in: float | None = None
    words: str = ""
    table_id: str = ""
    seat: int = -1
    token: str = ""
    names: tuple[str, ...] = ()
    rated: bool = False


class Seeks:
    """The matchmaking service at an address (host:port), with a token.

    hint: added to errors of calls that it does not answer.
    """

    def __init__(
        self, address: str, token: str = "", *, tls: bool = False, patience: float = PATIENCE, hint: str = ""
    ) -> None:
        self.address, self.patience = call.describe_address(address, hint=hint), patience
        self._channel = call.open_channel(address, tls=tls)
        self._stub = STUB(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all calls."""
        self._channel.close()

    def seek(self, wish: Wish) -> Iterator[Told]:
        """Yield the seek's states while waiting, then the seat."""
        request = _seek_request(wish)
        seated = False

        def open_stream() -> Iterator[Told]:
            nonlocal seated
            with call.rpc_errors(self.address):
                for part in self._stub.Seek(request, metadata=self._metadata):
                    request.seek_id = part.seek_id
                    seated = part.HasField("seated")
                    yield _read_part(part)
            if not seated:
                raise ArenaUnreachable("the arena ended the seek before there was a table")

        return call.resume_stream(open_stream, self.patience)

    def ratings(self, rules: str, options_json: str = "", seats: int = 0) -> answer.GetLiveRatingsResponse:
        """Return the ratings of live play, best first."""
        what = game_pb2.RuleSet(name=rules, options_json=options_json)
        found = self._call_method("GetLiveRatings", pb.GetLiveRatingsRequest(rules=what, seats=seats))
        return call.to_struct(answer.GetLiveRatingsResponse, found)

    def games(self, bot_name: str = "", account_name: str = "", most: int = 20) -> list[answer.LiveResult]:
        """Return finished games, newest first, without their records."""
        request = pb.ListLiveGamesRequest(bot_name=bot_name, account_name=account_name, page_size=most)
        return [
            call.to_struct(answer.LiveResult, one)
            for one in self._call_method("ListLiveGames", request).games
        ]

    def game(self, table_id: str) -> answer.LiveResult:
        """Return a finished game with its record."""
        found = self._call_method("GetLiveGame", pb.GetLiveGameRequest(table_id=table_id))
        return call.to_struct(answer.LiveResult, found.game)

    def invite_house(
        self, tokens: Sequence[str], bot_names: Sequence[str] = (), think: float = 0.0
    ) -> list[str]:
        """Let house bots of the arena take these seats; return their names. Raise NoHouseBot if none can.

        think: seconds that they wait before they answer.
        """
        request = pb.InviteHouseRequest(seat_tokens=tokens, bot_names=bot_names, think_ms=round(1000 * think))
        return list(self._call_method("InviteHouse", request).bot_names)

    def _call_method(self, method: str, request: Any) -> Any:
        with call.rpc_errors(self.address):
            return getattr(self._stub, method)(request, timeout=SECONDS, metadata=self._metadata)


def _seek_request(wish: Wish) -> Any:
    clocks = read_seconds(bank=wish.bank, increment=wish.increment, window=wish.window)
    return pb.SeekRequest(
        rules=game_pb2.RuleSet(name=wish.rules, options_json=wish.options_json),
        seats=wish.seats,
        time=engine_pb2.TimeControl(**msgspec.structs.asdict(clocks)),
        bot_name=wish.bot_name,
        rated=wish.rated,
        rating_range=wish.rating_range,
        house_after=wish.house_after,
    )


def _read_part(part: Any) -> Told:
    if part.HasField("seated"):
        said = part.seated
        return Told(
            part.seek_id,
            table_id=said.table_id,
            seat=said.seat,
            token=said.seat_token,
            names=tuple(said.names),
            rated=said.rated,
        )
    said = part.waiting
    house_in = said.house_in_ms / 1000 if said.HasField("house_in_ms") else None
    return Told(part.seek_id, said.waited_ms / 1000, said.others, said.range, house_in, said.words)
