import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from maumau.v1 import game_pb2 as _game_pb2
from maumau.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Purpose(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PURPOSE_UNSPECIFIED: _ClassVar[Purpose]
    PURPOSE_TOURNAMENT: _ClassVar[Purpose]
    PURPOSE_PRACTICE: _ClassVar[Purpose]
    PURPOSE_LADDER: _ClassVar[Purpose]
    PURPOSE_AUDIT: _ClassVar[Purpose]

class Score(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCORE_UNSPECIFIED: _ClassVar[Score]
    SCORE_WIN: _ClassVar[Score]
    SCORE_PLACES: _ClassVar[Score]
    SCORE_POINTS: _ClassVar[Score]

class ContestState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTEST_STATE_UNSPECIFIED: _ClassVar[ContestState]
    CONTEST_STATE_RUNNING: _ClassVar[ContestState]
    CONTEST_STATE_CLOSED: _ClassVar[ContestState]
    CONTEST_STATE_OVER: _ClassVar[ContestState]

class JobState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_STATE_UNSPECIFIED: _ClassVar[JobState]
    JOB_STATE_OPEN: _ClassVar[JobState]
    JOB_STATE_PAUSED: _ClassVar[JobState]
    JOB_STATE_OVER: _ClassVar[JobState]
PURPOSE_UNSPECIFIED: Purpose
PURPOSE_TOURNAMENT: Purpose
PURPOSE_PRACTICE: Purpose
PURPOSE_LADDER: Purpose
PURPOSE_AUDIT: Purpose
SCORE_UNSPECIFIED: Score
SCORE_WIN: Score
SCORE_PLACES: Score
SCORE_POINTS: Score
CONTEST_STATE_UNSPECIFIED: ContestState
CONTEST_STATE_RUNNING: ContestState
CONTEST_STATE_CLOSED: ContestState
CONTEST_STATE_OVER: ContestState
JOB_STATE_UNSPECIFIED: JobState
JOB_STATE_OPEN: JobState
JOB_STATE_PAUSED: JobState
JOB_STATE_OVER: JobState

class Terms(_message.Message):
    __slots__ = ("purpose", "author", "rules", "seats", "score", "bot")
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    purpose: Purpose
    author: str
    rules: _game_pb2.RuleSet
    seats: int
    score: Score
    bot: _game_pb2.BotLimits
    def __init__(self, purpose: _Optional[_Union[Purpose, str]] = ..., author: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., score: _Optional[_Union[Score, str]] = ..., bot: _Optional[_Union[_game_pb2.BotLimits, _Mapping]] = ...) -> None: ...

class Contest(_message.Message):
    __slots__ = ("id", "terms", "state", "commitment", "secret", "root", "booked", "chain", "links", "compared")
    ID_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    BOOKED_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    COMPARED_FIELD_NUMBER: _ClassVar[int]
    id: str
    terms: Terms
    state: ContestState
    commitment: str
    secret: str
    root: str
    booked: int
    chain: str
    links: int
    compared: str
    def __init__(self, id: _Optional[str] = ..., terms: _Optional[_Union[Terms, _Mapping]] = ..., state: _Optional[_Union[ContestState, str]] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., root: _Optional[str] = ..., booked: _Optional[int] = ..., chain: _Optional[str] = ..., links: _Optional[int] = ..., compared: _Optional[str] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("label", "version_ids", "sets", "block")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    VERSION_IDS_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    label: str
    version_ids: _containers.RepeatedScalarFieldContainer[str]
    sets: int
    block: int
    def __init__(self, label: _Optional[str] = ..., version_ids: _Optional[_Iterable[str]] = ..., sets: _Optional[int] = ..., block: _Optional[int] = ...) -> None: ...

class OpenContestRequest(_message.Message):
    __slots__ = ("request_id", "terms")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    terms: Terms
    def __init__(self, request_id: _Optional[str] = ..., terms: _Optional[_Union[Terms, _Mapping]] = ...) -> None: ...

class OpenContestResponse(_message.Message):
    __slots__ = ("contest",)
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    contest: Contest
    def __init__(self, contest: _Optional[_Union[Contest, _Mapping]] = ...) -> None: ...

class GetContestRequest(_message.Message):
    __slots__ = ("contest_id",)
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    def __init__(self, contest_id: _Optional[str] = ...) -> None: ...

class GetContestResponse(_message.Message):
    __slots__ = ("contest",)
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    contest: Contest
    def __init__(self, contest: _Optional[_Union[Contest, _Mapping]] = ...) -> None: ...

class CloseContestRequest(_message.Message):
    __slots__ = ("contest_id",)
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    def __init__(self, contest_id: _Optional[str] = ...) -> None: ...

class CloseContestResponse(_message.Message):
    __slots__ = ("contest",)
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    contest: Contest
    def __init__(self, contest: _Optional[_Union[Contest, _Mapping]] = ...) -> None: ...

class CreateJobsRequest(_message.Message):
    __slots__ = ("contest_id", "jobs")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    JOBS_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    jobs: _containers.RepeatedCompositeFieldContainer[Job]
    def __init__(self, contest_id: _Optional[str] = ..., jobs: _Optional[_Iterable[_Union[Job, _Mapping]]] = ...) -> None: ...

class CreateJobsResponse(_message.Message):
    __slots__ = ("blocks_queued",)
    BLOCKS_QUEUED_FIELD_NUMBER: _ClassVar[int]
    blocks_queued: int
    def __init__(self, blocks_queued: _Optional[int] = ...) -> None: ...

class CancelJobsRequest(_message.Message):
    __slots__ = ("contest_id", "labels", "only_unbegun")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    ONLY_UNBEGUN_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    labels: _containers.RepeatedScalarFieldContainer[str]
    only_unbegun: bool
    def __init__(self, contest_id: _Optional[str] = ..., labels: _Optional[_Iterable[str]] = ..., only_unbegun: _Optional[bool] = ...) -> None: ...

class CancelJobsResponse(_message.Message):
    __slots__ = ("cancelled", "labels")
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    cancelled: int
    labels: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cancelled: _Optional[int] = ..., labels: _Optional[_Iterable[str]] = ...) -> None: ...

class FollowContestRequest(_message.Message):
    __slots__ = ("contest_id", "after")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    after: int
    def __init__(self, contest_id: _Optional[str] = ..., after: _Optional[int] = ...) -> None: ...

class FollowContestResponse(_message.Message):
    __slots__ = ("booked", "job", "contest")
    BOOKED_FIELD_NUMBER: _ClassVar[int]
    JOB_FIELD_NUMBER: _ClassVar[int]
    CONTEST_FIELD_NUMBER: _ClassVar[int]
    booked: BlockBooked
    job: JobChanged
    contest: Contest
    def __init__(self, booked: _Optional[_Union[BlockBooked, _Mapping]] = ..., job: _Optional[_Union[JobChanged, _Mapping]] = ..., contest: _Optional[_Union[Contest, _Mapping]] = ...) -> None: ...

class BlockBooked(_message.Message):
    __slots__ = ("booking", "label", "block", "sets", "faults", "chain", "at", "decisions", "put_off")
    BOOKING_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    PUT_OFF_FIELD_NUMBER: _ClassVar[int]
    booking: int
    label: str
    block: int
    sets: _containers.RepeatedCompositeFieldContainer[BookedSet]
    faults: _containers.RepeatedCompositeFieldContainer[BookedFault]
    chain: str
    at: _timestamp_pb2.Timestamp
    decisions: int
    put_off: _containers.RepeatedCompositeFieldContainer[PutOff]
    def __init__(self, booking: _Optional[int] = ..., label: _Optional[str] = ..., block: _Optional[int] = ..., sets: _Optional[_Iterable[_Union[BookedSet, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[BookedFault, _Mapping]]] = ..., chain: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., decisions: _Optional[int] = ..., put_off: _Optional[_Iterable[_Union[PutOff, _Mapping]]] = ...) -> None: ...

class PutOff(_message.Message):
    __slots__ = ("position", "words")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    position: int
    words: str
    def __init__(self, position: _Optional[int] = ..., words: _Optional[str] = ...) -> None: ...

class BookedSet(_message.Message):
    __slots__ = ("number", "units", "points", "gain")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    GAIN_FIELD_NUMBER: _ClassVar[int]
    number: int
    units: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    gain: int
    def __init__(self, number: _Optional[int] = ..., units: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., gain: _Optional[int] = ...) -> None: ...

class BookedFault(_message.Message):
    __slots__ = ("id", "position", "set", "kind", "words")
    ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    position: int
    set: int
    kind: str
    words: str
    def __init__(self, id: _Optional[str] = ..., position: _Optional[int] = ..., set: _Optional[int] = ..., kind: _Optional[str] = ..., words: _Optional[str] = ...) -> None: ...

class JobChanged(_message.Message):
    __slots__ = ("label", "state", "words")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    label: str
    state: JobState
    words: str
    def __init__(self, label: _Optional[str] = ..., state: _Optional[_Union[JobState, str]] = ..., words: _Optional[str] = ...) -> None: ...

class ExportContestRequest(_message.Message):
    __slots__ = ("contest_id", "offset", "sha256")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    offset: int
    sha256: str
    def __init__(self, contest_id: _Optional[str] = ..., offset: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class ExportContestResponse(_message.Message):
    __slots__ = ("chunk", "size", "sha256")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    size: int
    sha256: str
    def __init__(self, chunk: _Optional[bytes] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class ListJobSetsRequest(_message.Message):
    __slots__ = ("contest_id", "label", "page_size", "page_token", "first_set")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    label: str
    page_size: int
    page_token: str
    first_set: int
    def __init__(self, contest_id: _Optional[str] = ..., label: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., first_set: _Optional[int] = ...) -> None: ...

class ListJobSetsResponse(_message.Message):
    __slots__ = ("sets", "next_page_token")
    SETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sets: _containers.RepeatedCompositeFieldContainer[_tournament_pb2.SetSummary]
    next_page_token: str
    def __init__(self, sets: _Optional[_Iterable[_Union[_tournament_pb2.SetSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetJobSetRequest(_message.Message):
    __slots__ = ("contest_id", "label", "set")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    label: str
    set: int
    def __init__(self, contest_id: _Optional[str] = ..., label: _Optional[str] = ..., set: _Optional[int] = ...) -> None: ...

class GetJobSetResponse(_message.Message):
    __slots__ = ("set",)
    SET_FIELD_NUMBER: _ClassVar[int]
    set: _game_pb2.SetResult
    def __init__(self, set: _Optional[_Union[_game_pb2.SetResult, _Mapping]] = ...) -> None: ...

class WatchJobRequest(_message.Message):
    __slots__ = ("contest_id", "label", "after")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    label: str
    after: str
    def __init__(self, contest_id: _Optional[str] = ..., label: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class WatchJobResponse(_message.Message):
    __slots__ = ("deals", "cursor")
    DEALS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    deals: _containers.RepeatedCompositeFieldContainer[_game_pb2.LiveDeal]
    cursor: str
    def __init__(self, deals: _Optional[_Iterable[_Union[_game_pb2.LiveDeal, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...
