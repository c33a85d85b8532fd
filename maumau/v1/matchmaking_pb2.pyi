import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from maumau.v1 import game_pb2 as _game_pb2
from maumau.v1 import job_pb2 as _job_pb2
from maumau.v1 import seek_pb2 as _seek_pb2
from maumau.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Ladder(_message.Message):
    __slots__ = ("name", "rules", "score", "bot", "members", "sets", "epoch", "seats", "words", "chain", "ended", "compared", "rests", "author_bots")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    COMPARED_FIELD_NUMBER: _ClassVar[int]
    RESTS_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_BOTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    rules: _game_pb2.RuleSet
    score: _job_pb2.Score
    bot: _game_pb2.BotLimits
    members: int
    sets: int
    epoch: int
    seats: int
    words: str
    chain: str
    ended: int
    compared: str
    rests: bool
    author_bots: int
    def __init__(self, name: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., score: _Optional[_Union[_job_pb2.Score, str]] = ..., bot: _Optional[_Union[_game_pb2.BotLimits, _Mapping]] = ..., members: _Optional[int] = ..., sets: _Optional[int] = ..., epoch: _Optional[int] = ..., seats: _Optional[int] = ..., words: _Optional[str] = ..., chain: _Optional[str] = ..., ended: _Optional[int] = ..., compared: _Optional[str] = ..., rests: _Optional[bool] = ..., author_bots: _Optional[int] = ...) -> None: ...

class CreateLadderRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: Ladder
    def __init__(self, ladder: _Optional[_Union[Ladder, _Mapping]] = ...) -> None: ...

class CreateLadderResponse(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: Ladder
    def __init__(self, ladder: _Optional[_Union[Ladder, _Mapping]] = ...) -> None: ...

class ListLaddersRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListLaddersResponse(_message.Message):
    __slots__ = ("ladders", "next_page_token")
    LADDERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ladders: _containers.RepeatedCompositeFieldContainer[Ladder]
    next_page_token: str
    def __init__(self, ladders: _Optional[_Iterable[_Union[Ladder, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class JoinLadderRequest(_message.Message):
    __slots__ = ("ladder", "bot_name", "pinned")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    bot_name: str
    pinned: bool
    def __init__(self, ladder: _Optional[str] = ..., bot_name: _Optional[str] = ..., pinned: _Optional[bool] = ...) -> None: ...

class JoinLadderResponse(_message.Message):
    __slots__ = ("number",)
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    number: int
    def __init__(self, number: _Optional[int] = ...) -> None: ...

class LeaveLadderRequest(_message.Message):
    __slots__ = ("ladder", "bot_name")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    bot_name: str
    def __init__(self, ladder: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class LeaveLadderResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LeaderboardLine(_message.Message):
    __slots__ = ("place", "bot_name", "account_name", "version_id", "elo", "low", "high", "best_place", "worst_place", "best", "sets", "faults", "pinned", "words", "discounted_sets", "discounted_elo", "version")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    BEST_PLACE_FIELD_NUMBER: _ClassVar[int]
    WORST_PLACE_FIELD_NUMBER: _ClassVar[int]
    BEST_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    PINNED_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    DISCOUNTED_SETS_FIELD_NUMBER: _ClassVar[int]
    DISCOUNTED_ELO_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    place: int
    bot_name: str
    account_name: str
    version_id: str
    elo: float
    low: float
    high: float
    best_place: int
    worst_place: int
    best: float
    sets: int
    faults: int
    pinned: bool
    words: str
    discounted_sets: float
    discounted_elo: float
    version: int
    def __init__(self, place: _Optional[int] = ..., bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., version_id: _Optional[str] = ..., elo: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., best_place: _Optional[int] = ..., worst_place: _Optional[int] = ..., best: _Optional[float] = ..., sets: _Optional[int] = ..., faults: _Optional[int] = ..., pinned: _Optional[bool] = ..., words: _Optional[str] = ..., discounted_sets: _Optional[float] = ..., discounted_elo: _Optional[float] = ..., version: _Optional[int] = ...) -> None: ...

class GetLeaderboardRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    def __init__(self, ladder: _Optional[str] = ...) -> None: ...

class GetLeaderboardResponse(_message.Message):
    __slots__ = ("ladder", "lines")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    ladder: Ladder
    lines: _containers.RepeatedCompositeFieldContainer[LeaderboardLine]
    def __init__(self, ladder: _Optional[_Union[Ladder, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[LeaderboardLine, _Mapping]]] = ...) -> None: ...

class GetLadderHelpsRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    def __init__(self, ladder: _Optional[str] = ...) -> None: ...

class GetLadderHelpsResponse(_message.Message):
    __slots__ = ("helps", "tests")
    HELPS_FIELD_NUMBER: _ClassVar[int]
    TESTS_FIELD_NUMBER: _ClassVar[int]
    helps: _containers.RepeatedCompositeFieldContainer[LadderHelp]
    tests: int
    def __init__(self, helps: _Optional[_Iterable[_Union[LadderHelp, _Mapping]]] = ..., tests: _Optional[int] = ...) -> None: ...

class LadderHelp(_message.Message):
    __slots__ = ("helper_name", "helper_account", "helped_name", "helped_account", "over_others", "sets", "lead", "error", "p", "named", "helper_version", "helped_version")
    HELPER_NAME_FIELD_NUMBER: _ClassVar[int]
    HELPER_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HELPED_NAME_FIELD_NUMBER: _ClassVar[int]
    HELPED_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    OVER_OTHERS_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    HELPER_VERSION_FIELD_NUMBER: _ClassVar[int]
    HELPED_VERSION_FIELD_NUMBER: _ClassVar[int]
    helper_name: str
    helper_account: str
    helped_name: str
    helped_account: str
    over_others: bool
    sets: int
    lead: float
    error: float
    p: float
    named: bool
    helper_version: int
    helped_version: int
    def __init__(self, helper_name: _Optional[str] = ..., helper_account: _Optional[str] = ..., helped_name: _Optional[str] = ..., helped_account: _Optional[str] = ..., over_others: _Optional[bool] = ..., sets: _Optional[int] = ..., lead: _Optional[float] = ..., error: _Optional[float] = ..., p: _Optional[float] = ..., named: _Optional[bool] = ..., helper_version: _Optional[int] = ..., helped_version: _Optional[int] = ...) -> None: ...

class GetHeadToHeadRequest(_message.Message):
    __slots__ = ("ladder", "bot_name")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    bot_name: str
    def __init__(self, ladder: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class HeadToHead(_message.Message):
    __slots__ = ("opponent", "version_id", "sets", "score", "low", "high", "version")
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    opponent: str
    version_id: str
    sets: int
    score: float
    low: float
    high: float
    version: int
    def __init__(self, opponent: _Optional[str] = ..., version_id: _Optional[str] = ..., sets: _Optional[int] = ..., score: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., version: _Optional[int] = ...) -> None: ...

class GetHeadToHeadResponse(_message.Message):
    __slots__ = ("version_id", "opponents", "version")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    opponents: _containers.RepeatedCompositeFieldContainer[HeadToHead]
    version: int
    def __init__(self, version_id: _Optional[str] = ..., opponents: _Optional[_Iterable[_Union[HeadToHead, _Mapping]]] = ..., version: _Optional[int] = ...) -> None: ...

class GetRatingHistoryRequest(_message.Message):
    __slots__ = ("ladder", "bot_name")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    bot_name: str
    def __init__(self, ladder: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class RatingPoint(_message.Message):
    __slots__ = ("at", "elo", "low", "high", "sets")
    AT_FIELD_NUMBER: _ClassVar[int]
    ELO_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    elo: float
    low: float
    high: float
    sets: int
    def __init__(self, at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., elo: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., sets: _Optional[int] = ...) -> None: ...

class VersionHistory(_message.Message):
    __slots__ = ("version_id", "number", "parent", "joined_at", "points", "version")
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version_id: str
    number: int
    parent: int
    joined_at: _timestamp_pb2.Timestamp
    points: _containers.RepeatedCompositeFieldContainer[RatingPoint]
    version: int
    def __init__(self, version_id: _Optional[str] = ..., number: _Optional[int] = ..., parent: _Optional[int] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., points: _Optional[_Iterable[_Union[RatingPoint, _Mapping]]] = ..., version: _Optional[int] = ...) -> None: ...

class GetRatingHistoryResponse(_message.Message):
    __slots__ = ("versions",)
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[VersionHistory]
    def __init__(self, versions: _Optional[_Iterable[_Union[VersionHistory, _Mapping]]] = ...) -> None: ...

class Pairing(_message.Message):
    __slots__ = ("id", "epoch", "first", "second", "kind", "sets", "booked", "score", "state", "made_at", "others", "first_version", "second_version", "other_versions", "words")
    ID_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    BOOKED_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MADE_AT_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    FIRST_VERSION_FIELD_NUMBER: _ClassVar[int]
    SECOND_VERSION_FIELD_NUMBER: _ClassVar[int]
    OTHER_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    epoch: int
    first: str
    second: str
    kind: str
    sets: int
    booked: int
    score: float
    state: _job_pb2.JobState
    made_at: _timestamp_pb2.Timestamp
    others: _containers.RepeatedScalarFieldContainer[str]
    first_version: int
    second_version: int
    other_versions: _containers.RepeatedScalarFieldContainer[int]
    words: str
    def __init__(self, id: _Optional[str] = ..., epoch: _Optional[int] = ..., first: _Optional[str] = ..., second: _Optional[str] = ..., kind: _Optional[str] = ..., sets: _Optional[int] = ..., booked: _Optional[int] = ..., score: _Optional[float] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., made_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., others: _Optional[_Iterable[str]] = ..., first_version: _Optional[int] = ..., second_version: _Optional[int] = ..., other_versions: _Optional[_Iterable[int]] = ..., words: _Optional[str] = ...) -> None: ...

class ListPairingsRequest(_message.Message):
    __slots__ = ("ladder", "bot_name", "page_size", "page_token", "over")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    bot_name: str
    page_size: int
    page_token: str
    over: bool
    def __init__(self, ladder: _Optional[str] = ..., bot_name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., over: _Optional[bool] = ...) -> None: ...

class ListPairingsResponse(_message.Message):
    __slots__ = ("pairings", "next_page_token")
    PAIRINGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    pairings: _containers.RepeatedCompositeFieldContainer[Pairing]
    next_page_token: str
    def __init__(self, pairings: _Optional[_Iterable[_Union[Pairing, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExplainPairingRequest(_message.Message):
    __slots__ = ("ladder", "id")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    id: str
    def __init__(self, ladder: _Optional[str] = ..., id: _Optional[str] = ...) -> None: ...

class ExplainPairingResponse(_message.Message):
    __slots__ = ("pairing", "words")
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    pairing: Pairing
    words: str
    def __init__(self, pairing: _Optional[_Union[Pairing, _Mapping]] = ..., words: _Optional[str] = ...) -> None: ...

class ListPairingSetsRequest(_message.Message):
    __slots__ = ("ladder", "id", "page_size", "page_token", "first_set")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    id: str
    page_size: int
    page_token: str
    first_set: int
    def __init__(self, ladder: _Optional[str] = ..., id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., first_set: _Optional[int] = ...) -> None: ...

class ListPairingSetsResponse(_message.Message):
    __slots__ = ("sets", "next_page_token")
    SETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sets: _containers.RepeatedCompositeFieldContainer[_tournament_pb2.SetSummary]
    next_page_token: str
    def __init__(self, sets: _Optional[_Iterable[_Union[_tournament_pb2.SetSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetPairingSetRequest(_message.Message):
    __slots__ = ("ladder", "id", "set")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    id: str
    set: int
    def __init__(self, ladder: _Optional[str] = ..., id: _Optional[str] = ..., set: _Optional[int] = ...) -> None: ...

class GetPairingSetResponse(_message.Message):
    __slots__ = ("pairing", "set", "names", "rules")
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    pairing: Pairing
    set: _game_pb2.SetResult
    names: _containers.RepeatedScalarFieldContainer[str]
    rules: _game_pb2.RuleSet
    def __init__(self, pairing: _Optional[_Union[Pairing, _Mapping]] = ..., set: _Optional[_Union[_game_pb2.SetResult, _Mapping]] = ..., names: _Optional[_Iterable[str]] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ...) -> None: ...

class WatchPairingRequest(_message.Message):
    __slots__ = ("ladder", "id", "after")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    id: str
    after: str
    def __init__(self, ladder: _Optional[str] = ..., id: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class WatchPairingResponse(_message.Message):
    __slots__ = ("pairing", "deals", "cursor")
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    pairing: Pairing
    deals: _containers.RepeatedCompositeFieldContainer[_game_pb2.LiveDeal]
    cursor: str
    def __init__(self, pairing: _Optional[_Union[Pairing, _Mapping]] = ..., deals: _Optional[_Iterable[_Union[_game_pb2.LiveDeal, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...

class WatchLadderRequest(_message.Message):
    __slots__ = ("ladder",)
    LADDER_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    def __init__(self, ladder: _Optional[str] = ...) -> None: ...

class WatchLadderResponse(_message.Message):
    __slots__ = ("leaderboard",)
    LEADERBOARD_FIELD_NUMBER: _ClassVar[int]
    leaderboard: GetLeaderboardResponse
    def __init__(self, leaderboard: _Optional[_Union[GetLeaderboardResponse, _Mapping]] = ...) -> None: ...

class ListEpochsRequest(_message.Message):
    __slots__ = ("ladder", "page_size", "page_token")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    page_size: int
    page_token: str
    def __init__(self, ladder: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class Epoch(_message.Message):
    __slots__ = ("number", "contest_id", "state", "commitment", "secret", "root", "booked", "began_at", "ended_at", "chain", "compared")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    BOOKED_FIELD_NUMBER: _ClassVar[int]
    BEGAN_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    COMPARED_FIELD_NUMBER: _ClassVar[int]
    number: int
    contest_id: str
    state: _job_pb2.ContestState
    commitment: str
    secret: str
    root: str
    booked: int
    began_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    chain: str
    compared: str
    def __init__(self, number: _Optional[int] = ..., contest_id: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.ContestState, str]] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., root: _Optional[str] = ..., booked: _Optional[int] = ..., began_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., chain: _Optional[str] = ..., compared: _Optional[str] = ...) -> None: ...

class ListEpochsResponse(_message.Message):
    __slots__ = ("epochs", "next_page_token")
    EPOCHS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    epochs: _containers.RepeatedCompositeFieldContainer[Epoch]
    next_page_token: str
    def __init__(self, epochs: _Optional[_Iterable[_Union[Epoch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ExportLadderRequest(_message.Message):
    __slots__ = ("ladder", "epoch", "offset", "sha256")
    LADDER_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    ladder: str
    epoch: int
    offset: int
    sha256: str
    def __init__(self, ladder: _Optional[str] = ..., epoch: _Optional[int] = ..., offset: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class ExportLadderResponse(_message.Message):
    __slots__ = ("chunk", "size", "sha256")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    size: int
    sha256: str
    def __init__(self, chunk: _Optional[bytes] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class PracticeRequest(_message.Message):
    __slots__ = ("bot", "against", "rules", "sets", "more_against")
    BOT_FIELD_NUMBER: _ClassVar[int]
    AGAINST_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    MORE_AGAINST_FIELD_NUMBER: _ClassVar[int]
    bot: str
    against: str
    rules: _game_pb2.RuleSet
    sets: int
    more_against: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bot: _Optional[str] = ..., against: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., sets: _Optional[int] = ..., more_against: _Optional[_Iterable[str]] = ...) -> None: ...

class PracticeResponse(_message.Message):
    __slots__ = ("practice",)
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    practice: PracticeMatch
    def __init__(self, practice: _Optional[_Union[PracticeMatch, _Mapping]] = ...) -> None: ...

class PracticeMatch(_message.Message):
    __slots__ = ("id", "bot", "against", "rules", "sets", "booked", "score", "low", "high", "faults", "other_faults", "state", "words", "more_against", "created_at", "ended_at", "version", "against_version", "more_versions")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    AGAINST_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    BOOKED_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    OTHER_FAULTS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    MORE_AGAINST_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    AGAINST_VERSION_FIELD_NUMBER: _ClassVar[int]
    MORE_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    id: str
    bot: str
    against: str
    rules: _game_pb2.RuleSet
    sets: int
    booked: int
    score: float
    low: float
    high: float
    faults: int
    other_faults: int
    state: _job_pb2.JobState
    words: str
    more_against: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    version: int
    against_version: int
    more_versions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[str] = ..., bot: _Optional[str] = ..., against: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., sets: _Optional[int] = ..., booked: _Optional[int] = ..., score: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., faults: _Optional[int] = ..., other_faults: _Optional[int] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., words: _Optional[str] = ..., more_against: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., version: _Optional[int] = ..., against_version: _Optional[int] = ..., more_versions: _Optional[_Iterable[int]] = ...) -> None: ...

class ListPracticeRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "bot_name")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    bot_name: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class ListPracticeResponse(_message.Message):
    __slots__ = ("practice", "next_page_token")
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    practice: _containers.RepeatedCompositeFieldContainer[PracticeMatch]
    next_page_token: str
    def __init__(self, practice: _Optional[_Iterable[_Union[PracticeMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class WatchPracticeRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: str
    def __init__(self, id: _Optional[str] = ...) -> None: ...

class WatchPracticeResponse(_message.Message):
    __slots__ = ("practice",)
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    practice: PracticeMatch
    def __init__(self, practice: _Optional[_Union[PracticeMatch, _Mapping]] = ...) -> None: ...

class ListPracticeSetsRequest(_message.Message):
    __slots__ = ("id", "page_size", "page_token", "first_set")
    ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    id: str
    page_size: int
    page_token: str
    first_set: int
    def __init__(self, id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., first_set: _Optional[int] = ...) -> None: ...

class ListPracticeSetsResponse(_message.Message):
    __slots__ = ("sets", "next_page_token")
    SETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sets: _containers.RepeatedCompositeFieldContainer[_tournament_pb2.SetSummary]
    next_page_token: str
    def __init__(self, sets: _Optional[_Iterable[_Union[_tournament_pb2.SetSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetPracticeSetRequest(_message.Message):
    __slots__ = ("id", "set")
    ID_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    id: str
    set: int
    def __init__(self, id: _Optional[str] = ..., set: _Optional[int] = ...) -> None: ...

class GetPracticeSetResponse(_message.Message):
    __slots__ = ("practice", "set", "names")
    PRACTICE_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    practice: PracticeMatch
    set: _game_pb2.SetResult
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, practice: _Optional[_Union[PracticeMatch, _Mapping]] = ..., set: _Optional[_Union[_game_pb2.SetResult, _Mapping]] = ..., names: _Optional[_Iterable[str]] = ...) -> None: ...
