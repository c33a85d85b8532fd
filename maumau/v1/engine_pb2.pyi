import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from maumau.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Eyes(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EYES_UNSPECIFIED: _ClassVar[Eyes]
    EYES_OPEN: _ClassVar[Eyes]
    EYES_SEAT: _ClassVar[Eyes]
    EYES_WATCHER: _ClassVar[Eyes]

class TableState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_STATE_UNSPECIFIED: _ClassVar[TableState]
    TABLE_STATE_WAITING: _ClassVar[TableState]
    TABLE_STATE_PLAYING: _ClassVar[TableState]
    TABLE_STATE_OVER: _ClassVar[TableState]
    TABLE_STATE_VOID: _ClassVar[TableState]

class Hands(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HANDS_UNSPECIFIED: _ClassVar[Hands]
    HANDS_AFTER_END: _ClassVar[Hands]
    HANDS_DELAYED: _ClassVar[Hands]
EYES_UNSPECIFIED: Eyes
EYES_OPEN: Eyes
EYES_SEAT: Eyes
EYES_WATCHER: Eyes
TABLE_STATE_UNSPECIFIED: TableState
TABLE_STATE_WAITING: TableState
TABLE_STATE_PLAYING: TableState
TABLE_STATE_OVER: TableState
TABLE_STATE_VOID: TableState
HANDS_UNSPECIFIED: Hands
HANDS_AFTER_END: Hands
HANDS_DELAYED: Hands

class ListVariantsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListVariantsResponse(_message.Message):
    __slots__ = ("variants",)
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    variants: _containers.RepeatedCompositeFieldContainer[VariantSummary]
    def __init__(self, variants: _Optional[_Iterable[_Union[VariantSummary, _Mapping]]] = ...) -> None: ...

class VariantSummary(_message.Message):
    __slots__ = ("name", "title", "least_seats", "most_seats", "hash")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    LEAST_SEATS_FIELD_NUMBER: _ClassVar[int]
    MOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    name: str
    title: str
    least_seats: int
    most_seats: int
    hash: str
    def __init__(self, name: _Optional[str] = ..., title: _Optional[str] = ..., least_seats: _Optional[int] = ..., most_seats: _Optional[int] = ..., hash: _Optional[str] = ...) -> None: ...

class GetVariantRequest(_message.Message):
    __slots__ = ("name", "options_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    options_json: str
    def __init__(self, name: _Optional[str] = ..., options_json: _Optional[str] = ...) -> None: ...

class GetVariantResponse(_message.Message):
    __slots__ = ("rules", "title", "source", "least_seats", "most_seats", "cards", "sections", "options")
    RULES_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    LEAST_SEATS_FIELD_NUMBER: _ClassVar[int]
    MOST_SEATS_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    title: str
    source: str
    least_seats: int
    most_seats: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    sections: _containers.RepeatedCompositeFieldContainer[Section]
    options: _containers.RepeatedCompositeFieldContainer[VariantOption]
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., title: _Optional[str] = ..., source: _Optional[str] = ..., least_seats: _Optional[int] = ..., most_seats: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., sections: _Optional[_Iterable[_Union[Section, _Mapping]]] = ..., options: _Optional[_Iterable[_Union[VariantOption, _Mapping]]] = ...) -> None: ...

class Section(_message.Message):
    __slots__ = ("heading", "lines")
    HEADING_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    heading: str
    lines: _containers.RepeatedCompositeFieldContainer[RuleLine]
    def __init__(self, heading: _Optional[str] = ..., lines: _Optional[_Iterable[_Union[RuleLine, _Mapping]]] = ...) -> None: ...

class RuleLine(_message.Message):
    __slots__ = ("text", "quotes")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    QUOTES_FIELD_NUMBER: _ClassVar[int]
    text: str
    quotes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[str] = ..., quotes: _Optional[_Iterable[str]] = ...) -> None: ...

class VariantOption(_message.Message):
    __slots__ = ("name", "value", "fallback", "known", "source")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    FALLBACK_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    fallback: str
    known: str
    source: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., fallback: _Optional[str] = ..., known: _Optional[str] = ..., source: _Optional[str] = ...) -> None: ...

class SeatAction(_message.Message):
    __slots__ = ("seat", "action")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: str
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[str] = ...) -> None: ...

class DealStart(_message.Message):
    __slots__ = ("rules", "seats", "seed", "first")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    seats: int
    seed: str
    first: int
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., seed: _Optional[str] = ..., first: _Optional[int] = ...) -> None: ...

class FoldRequest(_message.Message):
    __slots__ = ("mark", "record", "deal", "actions", "eyes", "seat")
    MARK_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    EYES_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    mark: str
    record: str
    deal: DealStart
    actions: _containers.RepeatedCompositeFieldContainer[SeatAction]
    eyes: Eyes
    seat: int
    def __init__(self, mark: _Optional[str] = ..., record: _Optional[str] = ..., deal: _Optional[_Union[DealStart, _Mapping]] = ..., actions: _Optional[_Iterable[_Union[SeatAction, _Mapping]]] = ..., eyes: _Optional[_Union[Eyes, str]] = ..., seat: _Optional[int] = ...) -> None: ...

class FoldResponse(_message.Message):
    __slots__ = ("mark", "rules", "seats", "to_act", "over", "places", "points", "views", "record")
    MARK_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    mark: str
    rules: _game_pb2.RuleSet
    seats: int
    to_act: _containers.RepeatedScalarFieldContainer[int]
    over: bool
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    views: _containers.RepeatedCompositeFieldContainer[SeatView]
    record: str
    def __init__(self, mark: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., to_act: _Optional[_Iterable[int]] = ..., over: _Optional[bool] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., views: _Optional[_Iterable[_Union[SeatView, _Mapping]]] = ..., record: _Optional[str] = ...) -> None: ...

class SeatView(_message.Message):
    __slots__ = ("seat", "line")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    line: str
    def __init__(self, seat: _Optional[int] = ..., line: _Optional[str] = ...) -> None: ...

class FoldManyRequest(_message.Message):
    __slots__ = ("folds",)
    FOLDS_FIELD_NUMBER: _ClassVar[int]
    folds: _containers.RepeatedCompositeFieldContainer[FoldRequest]
    def __init__(self, folds: _Optional[_Iterable[_Union[FoldRequest, _Mapping]]] = ...) -> None: ...

class FoldManyResponse(_message.Message):
    __slots__ = ("folded",)
    FOLDED_FIELD_NUMBER: _ClassVar[int]
    folded: _containers.RepeatedCompositeFieldContainer[Folded]
    def __init__(self, folded: _Optional[_Iterable[_Union[Folded, _Mapping]]] = ...) -> None: ...

class Folded(_message.Message):
    __slots__ = ("deal", "refusal")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    deal: FoldResponse
    refusal: Refusal
    def __init__(self, deal: _Optional[_Union[FoldResponse, _Mapping]] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ...) -> None: ...

class Refusal(_message.Message):
    __slots__ = ("reason", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class VerifyRequest(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: str
    def __init__(self, record: _Optional[str] = ...) -> None: ...

class VerifyResponse(_message.Message):
    __slots__ = ("ok", "line", "message", "over", "places", "points")
    OK_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    ok: bool
    line: int
    message: str
    over: bool
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, ok: _Optional[bool] = ..., line: _Optional[int] = ..., message: _Optional[str] = ..., over: _Optional[bool] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("bank_ms", "increment_ms", "window_ms", "join_ms")
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_MS_FIELD_NUMBER: _ClassVar[int]
    JOIN_MS_FIELD_NUMBER: _ClassVar[int]
    bank_ms: int
    increment_ms: int
    window_ms: int
    join_ms: int
    def __init__(self, bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., window_ms: _Optional[int] = ..., join_ms: _Optional[int] = ...) -> None: ...

class CreateTableRequest(_message.Message):
    __slots__ = ("rules", "seats", "time", "names", "hands", "delay_seconds", "unlisted", "guest", "network", "record", "named", "day")
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DELAY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    GUEST_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    DAY_FIELD_NUMBER: _ClassVar[int]
    rules: _game_pb2.RuleSet
    seats: int
    time: TimeControl
    names: _containers.RepeatedScalarFieldContainer[str]
    hands: Hands
    delay_seconds: int
    unlisted: bool
    guest: str
    network: str
    record: str
    named: bool
    day: str
    def __init__(self, rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., time: _Optional[_Union[TimeControl, _Mapping]] = ..., names: _Optional[_Iterable[str]] = ..., hands: _Optional[_Union[Hands, str]] = ..., delay_seconds: _Optional[int] = ..., unlisted: _Optional[bool] = ..., guest: _Optional[str] = ..., network: _Optional[str] = ..., record: _Optional[str] = ..., named: _Optional[bool] = ..., day: _Optional[str] = ...) -> None: ...

class CreateTableResponse(_message.Message):
    __slots__ = ("table", "seat_tokens")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    table: Table
    seat_tokens: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., seat_tokens: _Optional[_Iterable[str]] = ...) -> None: ...

class TablePlayer(_message.Message):
    __slots__ = ("account_id", "account_name", "bot_name")
    ACCOUNT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    account_id: str
    account_name: str
    bot_name: str
    def __init__(self, account_id: _Optional[str] = ..., account_name: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class OpenTableRequest(_message.Message):
    __slots__ = ("table", "players", "rated")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    table: CreateTableRequest
    players: _containers.RepeatedCompositeFieldContainer[TablePlayer]
    rated: bool
    def __init__(self, table: _Optional[_Union[CreateTableRequest, _Mapping]] = ..., players: _Optional[_Iterable[_Union[TablePlayer, _Mapping]]] = ..., rated: _Optional[bool] = ...) -> None: ...

class OpenTableResponse(_message.Message):
    __slots__ = ("table", "seat_tokens")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    table: Table
    seat_tokens: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., seat_tokens: _Optional[_Iterable[str]] = ...) -> None: ...

class Table(_message.Message):
    __slots__ = ("id", "rules", "seats", "names", "state", "time", "clocks_ms", "turn", "cursor", "commitment", "secret", "record", "places", "points", "words", "account_name", "created_at", "hands", "delay_seconds", "unlisted", "joined", "rated", "bot_names", "faults", "begun_lines", "named", "day")
    ID_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DELAY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    UNLISTED_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    BOT_NAMES_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    BEGUN_LINES_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    DAY_FIELD_NUMBER: _ClassVar[int]
    id: str
    rules: _game_pb2.RuleSet
    seats: int
    names: _containers.RepeatedScalarFieldContainer[str]
    state: TableState
    time: TimeControl
    clocks_ms: _containers.RepeatedScalarFieldContainer[int]
    turn: int
    cursor: int
    commitment: str
    secret: str
    record: str
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    words: str
    account_name: str
    created_at: _timestamp_pb2.Timestamp
    hands: Hands
    delay_seconds: int
    unlisted: bool
    joined: _containers.RepeatedScalarFieldContainer[int]
    rated: bool
    bot_names: _containers.RepeatedScalarFieldContainer[str]
    faults: _containers.RepeatedScalarFieldContainer[str]
    begun_lines: int
    named: bool
    day: str
    def __init__(self, id: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., names: _Optional[_Iterable[str]] = ..., state: _Optional[_Union[TableState, str]] = ..., time: _Optional[_Union[TimeControl, _Mapping]] = ..., clocks_ms: _Optional[_Iterable[int]] = ..., turn: _Optional[int] = ..., cursor: _Optional[int] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., record: _Optional[str] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., words: _Optional[str] = ..., account_name: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., hands: _Optional[_Union[Hands, str]] = ..., delay_seconds: _Optional[int] = ..., unlisted: _Optional[bool] = ..., joined: _Optional[_Iterable[int]] = ..., rated: _Optional[bool] = ..., bot_names: _Optional[_Iterable[str]] = ..., faults: _Optional[_Iterable[str]] = ..., begun_lines: _Optional[int] = ..., named: _Optional[bool] = ..., day: _Optional[str] = ...) -> None: ...

class GetTableRequest(_message.Message):
    __slots__ = ("table_id",)
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    def __init__(self, table_id: _Optional[str] = ...) -> None: ...

class GetTableResponse(_message.Message):
    __slots__ = ("table",)
    TABLE_FIELD_NUMBER: _ClassVar[int]
    table: Table
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ...) -> None: ...

class ListTablesRequest(_message.Message):
    __slots__ = ("ended", "page_size", "page_token", "day")
    ENDED_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    DAY_FIELD_NUMBER: _ClassVar[int]
    ended: bool
    page_size: int
    page_token: str
    day: str
    def __init__(self, ended: _Optional[bool] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., day: _Optional[str] = ...) -> None: ...

class ListTablesResponse(_message.Message):
    __slots__ = ("tables", "next_page_token")
    TABLES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[Table]
    next_page_token: str
    def __init__(self, tables: _Optional[_Iterable[_Union[Table, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PlayRequest(_message.Message):
    __slots__ = ("hello", "reply", "leave")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    REPLY_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    hello: PlayHello
    reply: PlayReply
    leave: PlayLeave
    def __init__(self, hello: _Optional[_Union[PlayHello, _Mapping]] = ..., reply: _Optional[_Union[PlayReply, _Mapping]] = ..., leave: _Optional[_Union[PlayLeave, _Mapping]] = ...) -> None: ...

class PlayHello(_message.Message):
    __slots__ = ("seat_token", "after", "news", "claim", "bot_name")
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    seat_token: str
    after: int
    news: bool
    claim: str
    bot_name: str
    def __init__(self, seat_token: _Optional[str] = ..., after: _Optional[int] = ..., news: _Optional[bool] = ..., claim: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class PlayLeave(_message.Message):
    __slots__ = ("op_id",)
    OP_ID_FIELD_NUMBER: _ClassVar[int]
    op_id: str
    def __init__(self, op_id: _Optional[str] = ...) -> None: ...

class PlayReply(_message.Message):
    __slots__ = ("cursor", "op_id", "line")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    OP_ID_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    op_id: str
    line: str
    def __init__(self, cursor: _Optional[int] = ..., op_id: _Optional[str] = ..., line: _Optional[str] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("seated", "line", "news", "taken", "refused", "replaced", "voided")
    SEATED_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    VOIDED_FIELD_NUMBER: _ClassVar[int]
    seated: Seated
    line: PlayLine
    news: PlayNews
    taken: ReplyTaken
    refused: ReplyRefused
    replaced: SeatReplaced
    voided: TableVoid
    def __init__(self, seated: _Optional[_Union[Seated, _Mapping]] = ..., line: _Optional[_Union[PlayLine, _Mapping]] = ..., news: _Optional[_Union[PlayNews, _Mapping]] = ..., taken: _Optional[_Union[ReplyTaken, _Mapping]] = ..., refused: _Optional[_Union[ReplyRefused, _Mapping]] = ..., replaced: _Optional[_Union[SeatReplaced, _Mapping]] = ..., voided: _Optional[_Union[TableVoid, _Mapping]] = ...) -> None: ...

class Seated(_message.Message):
    __slots__ = ("table", "seat")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    table: Table
    seat: int
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class PlayLine(_message.Message):
    __slots__ = ("cursor", "line", "clocks_ms")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_MS_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    line: str
    clocks_ms: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cursor: _Optional[int] = ..., line: _Optional[str] = ..., clocks_ms: _Optional[_Iterable[int]] = ...) -> None: ...

class PlayNews(_message.Message):
    __slots__ = ("cursor", "line", "clocks_ms", "turn")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    line: str
    clocks_ms: _containers.RepeatedScalarFieldContainer[int]
    turn: int
    def __init__(self, cursor: _Optional[int] = ..., line: _Optional[str] = ..., clocks_ms: _Optional[_Iterable[int]] = ..., turn: _Optional[int] = ...) -> None: ...

class ReplyTaken(_message.Message):
    __slots__ = ("op_id",)
    OP_ID_FIELD_NUMBER: _ClassVar[int]
    op_id: str
    def __init__(self, op_id: _Optional[str] = ...) -> None: ...

class ReplyRefused(_message.Message):
    __slots__ = ("op_id", "refusal")
    OP_ID_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    op_id: str
    refusal: Refusal
    def __init__(self, op_id: _Optional[str] = ..., refusal: _Optional[_Union[Refusal, _Mapping]] = ...) -> None: ...

class SeatReplaced(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TableVoid(_message.Message):
    __slots__ = ("words",)
    WORDS_FIELD_NUMBER: _ClassVar[int]
    words: str
    def __init__(self, words: _Optional[str] = ...) -> None: ...

class GetViewRequest(_message.Message):
    __slots__ = ("seat_token", "table_id", "claim")
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    seat_token: str
    table_id: str
    claim: str
    def __init__(self, seat_token: _Optional[str] = ..., table_id: _Optional[str] = ..., claim: _Optional[str] = ...) -> None: ...

class GetViewResponse(_message.Message):
    __slots__ = ("cursor", "view", "clocks_ms", "window_ms")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_MS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_MS_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    view: SeatView
    clocks_ms: _containers.RepeatedScalarFieldContainer[int]
    window_ms: int
    def __init__(self, cursor: _Optional[int] = ..., view: _Optional[_Union[SeatView, _Mapping]] = ..., clocks_ms: _Optional[_Iterable[int]] = ..., window_ms: _Optional[int] = ...) -> None: ...

class WatchTableRequest(_message.Message):
    __slots__ = ("table_id", "after", "hands")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    after: int
    hands: bool
    def __init__(self, table_id: _Optional[str] = ..., after: _Optional[int] = ..., hands: _Optional[bool] = ...) -> None: ...

class WatchTableResponse(_message.Message):
    __slots__ = ("table", "news")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    NEWS_FIELD_NUMBER: _ClassVar[int]
    table: Table
    news: TableNews
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., news: _Optional[_Union[TableNews, _Mapping]] = ...) -> None: ...

class TableNews(_message.Message):
    __slots__ = ("cursor", "line", "clocks_ms", "turn")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    CLOCKS_MS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    line: str
    clocks_ms: _containers.RepeatedScalarFieldContainer[int]
    turn: int
    def __init__(self, cursor: _Optional[int] = ..., line: _Optional[str] = ..., clocks_ms: _Optional[_Iterable[int]] = ..., turn: _Optional[int] = ...) -> None: ...

class CloseTableRequest(_message.Message):
    __slots__ = ("table_id", "words")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    words: str
    def __init__(self, table_id: _Optional[str] = ..., words: _Optional[str] = ...) -> None: ...

class CloseTableResponse(_message.Message):
    __slots__ = ("table",)
    TABLE_FIELD_NUMBER: _ClassVar[int]
    table: Table
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ...) -> None: ...
