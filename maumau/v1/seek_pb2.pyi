import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from maumau.v1 import engine_pb2 as _engine_pb2
from maumau.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SeekRequest(_message.Message):
    __slots__ = ("rules", "seats", "time", "bot_name", "rated", "rating_range", "house_after", "seek_id")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    RATING_RANGE_FIELD_NUMBER: _ClassVar[int]
    HOUSE_AFTER_FIELD_NUMBER: _ClassVar[int]
    SEEK_ID_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    seats: int
    time: _engine_pb2.TimeControl
    bot_name: str
    rated: bool
    rating_range: int
    house_after: int
    seek_id: str
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., time: _Optional[_Union[_engine_pb2.TimeControl, _Mapping]] = ..., bot_name: _Optional[str] = ..., rated: _Optional[bool] = ..., rating_range: _Optional[int] = ..., house_after: _Optional[int] = ..., seek_id: _Optional[str] = ...) -> None: ...

class SeekResponse(_message.Message):
    __slots__ = ("seek_id", "waiting", "seated")
    SEEK_ID_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    SEATED_FIELD_NUMBER: _ClassVar[int]
    seek_id: str
    waiting: SeekWaiting
    seated: SeekSeated
    def __init__(self, seek_id: _Optional[str] = ..., waiting: _Optional[_Union[SeekWaiting, _Mapping]] = ..., seated: _Optional[_Union[SeekSeated, _Mapping]] = ...) -> None: ...

class SeekWaiting(_message.Message):
    __slots__ = ("waited_ms", "others", "range", "house_in_ms", "words")
    WAITED_MS_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    RANGE_FIELD_NUMBER: _ClassVar[int]
    HOUSE_IN_MS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    waited_ms: int
    others: int
    range: int
    house_in_ms: int
    words: str
    def __init__(self, waited_ms: _Optional[int] = ..., others: _Optional[int] = ..., range: _Optional[int] = ..., house_in_ms: _Optional[int] = ..., words: _Optional[str] = ...) -> None: ...

class SeekSeated(_message.Message):
    __slots__ = ("table_id", "seat", "seat_token", "names", "rated")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    seat: int
    seat_token: str
    names: _containers.RepeatedScalarFieldContainer[str]
    rated: bool
    def __init__(self, table_id: _Optional[str] = ..., seat: _Optional[int] = ..., seat_token: _Optional[str] = ..., names: _Optional[_Iterable[str]] = ..., rated: _Optional[bool] = ...) -> None: ...

class LiveResult(_message.Message):
    __slots__ = ("table_id", "rules", "players", "rated", "secret", "record", "places", "points", "made_at")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    rules: _game_pb2.RuleSet
    players: _containers.RepeatedCompositeFieldContainer[_engine_pb2.TablePlayer]
    rated: bool
    secret: str
    record: str
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    made_at: _timestamp_pb2.Timestamp
    def __init__(self, table_id: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., players: _Optional[_Iterable[_Union[_engine_pb2.TablePlayer, _Mapping]]] = ..., rated: _Optional[bool] = ..., secret: _Optional[str] = ..., record: _Optional[str] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., made_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ReportTableRequest(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: LiveResult
    def __init__(self, result: _Optional[_Union[LiveResult, _Mapping]] = ...) -> None: ...

class ReportTableResponse(_message.Message):
    __slots__ = ("stored",)
    STORED_FIELD_NUMBER: _ClassVar[int]
    stored: bool
    def __init__(self, stored: _Optional[bool] = ...) -> None: ...

class GetLiveRatingsRequest(_message.Message):
    __slots__ = ("rules", "seats")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    seats: int
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ...) -> None: ...

class LiveRating(_message.Message):
    __slots__ = ("place", "bot_name", "account_name", "elo", "low", "high", "games", "provisional")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    PROVISIONAL_FIELD_NUMBER: _ClassVar[int]
    place: int
    bot_name: str
    account_name: str
    elo: float
    low: float
    high: float
    games: int
    provisional: bool
    def __init__(self, place: _Optional[int] = ..., bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., elo: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., games: _Optional[int] = ..., provisional: _Optional[bool] = ...) -> None: ...

class GetLiveRatingsResponse(_message.Message):
    __slots__ = ("rules", "seats", "games", "ratings")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    seats: int
    games: int
    ratings: _containers.RepeatedCompositeFieldContainer[LiveRating]
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., games: _Optional[int] = ..., ratings: _Optional[_Iterable[_Union[LiveRating, _Mapping]]] = ...) -> None: ...

class ListLiveGamesRequest(_message.Message):
    __slots__ = ("bot_name", "account_name", "page_size", "page_token")
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bot_name: str
    account_name: str
    page_size: int
    page_token: str
    def __init__(self, bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListLiveGamesResponse(_message.Message):
    __slots__ = ("games", "next_page_token")
    GAMES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    games: _containers.RepeatedCompositeFieldContainer[LiveResult]
    next_page_token: str
    def __init__(self, games: _Optional[_Iterable[_Union[LiveResult, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetLiveGameRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetLiveGameResponse(_message.Message):
    __slots__ = ("game",)
    GAME_FIELD_NUMBER: _ClassVar[int]
    game: LiveResult
    def __init__(self, game: _Optional[_Union[LiveResult, _Mapping]] = ...) -> None: ...

class InviteHouseRequest(_message.Message):
    __slots__ = ("seat_tokens", "bot_names", "think_ms", "guest", "network")
    SEAT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    BOT_NAMES_FIELD_NUMBER: _ClassVar[int]
    THINK_MS_FIELD_NUMBER: _ClassVar[int]
    GUEST_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    seat_tokens: _containers.RepeatedScalarFieldContainer[str]
    bot_names: _containers.RepeatedScalarFieldContainer[str]
    think_ms: int
    guest: str
    network: str
    def __init__(self, seat_tokens: _Optional[_Iterable[str]] = ..., bot_names: _Optional[_Iterable[str]] = ..., think_ms: _Optional[int] = ..., guest: _Optional[str] = ..., network: _Optional[str] = ...) -> None: ...

class InviteHouseResponse(_message.Message):
    __slots__ = ("bot_names",)
    BOT_NAMES_FIELD_NUMBER: _ClassVar[int]
    bot_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bot_names: _Optional[_Iterable[str]] = ...) -> None: ...

class ClaimSeatRequest(_message.Message):
    __slots__ = ("table_id", "seat", "worker")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    seat: int
    worker: str
    def __init__(self, table_id: _Optional[str] = ..., seat: _Optional[int] = ..., worker: _Optional[str] = ...) -> None: ...

class ClaimSeatResponse(_message.Message):
    __slots__ = ("claimed", "seat_token", "bot_name", "sha256", "built_sha256", "lease_ms", "think_ms")
    CLAIMED_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    LEASE_MS_FIELD_NUMBER: _ClassVar[int]
    THINK_MS_FIELD_NUMBER: _ClassVar[int]
    claimed: bool
    seat_token: str
    bot_name: str
    sha256: str
    built_sha256: str
    lease_ms: int
    think_ms: int
    def __init__(self, claimed: _Optional[bool] = ..., seat_token: _Optional[str] = ..., bot_name: _Optional[str] = ..., sha256: _Optional[str] = ..., built_sha256: _Optional[str] = ..., lease_ms: _Optional[int] = ..., think_ms: _Optional[int] = ...) -> None: ...

class HeldSeat(_message.Message):
    __slots__ = ("table_id", "seat")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    seat: int
    def __init__(self, table_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class RenewSeatsRequest(_message.Message):
    __slots__ = ("worker", "room", "seats", "left")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    ROOM_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    worker: str
    room: int
    seats: _containers.RepeatedCompositeFieldContainer[HeldSeat]
    left: _containers.RepeatedCompositeFieldContainer[HeldSeat]
    def __init__(self, worker: _Optional[str] = ..., room: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[HeldSeat, _Mapping]]] = ..., left: _Optional[_Iterable[_Union[HeldSeat, _Mapping]]] = ...) -> None: ...

class RenewSeatsResponse(_message.Message):
    __slots__ = ("lost",)
    LOST_FIELD_NUMBER: _ClassVar[int]
    lost: _containers.RepeatedCompositeFieldContainer[HeldSeat]
    def __init__(self, lost: _Optional[_Iterable[_Union[HeldSeat, _Mapping]]] = ...) -> None: ...
