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

class TournamentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_STATE_UNSPECIFIED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CREATED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_OPEN: _ClassVar[TournamentState]
    TOURNAMENT_STATE_RUNNING: _ClassVar[TournamentState]
    TOURNAMENT_STATE_PAUSED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_FINISHED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CANCELLED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_DECIDED: _ClassVar[TournamentState]

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_PLAYING: _ClassVar[MatchState]
    MATCH_STATE_DECIDED: _ClassVar[MatchState]
    MATCH_STATE_PAUSED: _ClassVar[MatchState]
    MATCH_STATE_WITHDRAWN: _ClassVar[MatchState]

class BlockState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BLOCK_STATE_UNSPECIFIED: _ClassVar[BlockState]
    BLOCK_STATE_QUEUED: _ClassVar[BlockState]
    BLOCK_STATE_CLAIMED: _ClassVar[BlockState]
    BLOCK_STATE_DONE: _ClassVar[BlockState]
    BLOCK_STATE_DROPPED: _ClassVar[BlockState]
    BLOCK_STATE_VOID: _ClassVar[BlockState]

class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_KIND_UNSPECIFIED: _ClassVar[EventKind]
    EVENT_KIND_STATE: _ClassVar[EventKind]
    EVENT_KIND_MATCH_STARTED: _ClassVar[EventKind]
    EVENT_KIND_PROGRESS: _ClassVar[EventKind]
    EVENT_KIND_BLOCK_DONE: _ClassVar[EventKind]
    EVENT_KIND_MATCH_DECIDED: _ClassVar[EventKind]
    EVENT_KIND_FAULT: _ClassVar[EventKind]
    EVENT_KIND_ALERT: _ClassVar[EventKind]

class ProtestState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROTEST_STATE_UNSPECIFIED: _ClassVar[ProtestState]
    PROTEST_STATE_OPEN: _ClassVar[ProtestState]
    PROTEST_STATE_ACCEPTED: _ClassVar[ProtestState]
    PROTEST_STATE_REJECTED: _ClassVar[ProtestState]

class ReleaseLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RELEASE_LEVEL_UNSPECIFIED: _ClassVar[ReleaseLevel]
    RELEASE_LEVEL_PUBLIC: _ClassVar[ReleaseLevel]
    RELEASE_LEVEL_PARTICIPANTS: _ClassVar[ReleaseLevel]
    RELEASE_LEVEL_END: _ClassVar[ReleaseLevel]

class TrialState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRIAL_STATE_UNSPECIFIED: _ClassVar[TrialState]
    TRIAL_STATE_NONE: _ClassVar[TrialState]
    TRIAL_STATE_WAITING: _ClassVar[TrialState]
    TRIAL_STATE_PLAYING: _ClassVar[TrialState]
    TRIAL_STATE_PASSED: _ClassVar[TrialState]
    TRIAL_STATE_REFUSED: _ClassVar[TrialState]
    TRIAL_STATE_STALLED: _ClassVar[TrialState]

class HelpWay(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HELP_WAY_UNSPECIFIED: _ClassVar[HelpWay]
    HELP_WAY_AGAINST: _ClassVar[HelpWay]
    HELP_WAY_IN_FAVOUR: _ClassVar[HelpWay]

class WorkerState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WORKER_STATE_UNSPECIFIED: _ClassVar[WorkerState]
    WORKER_STATE_PRESENT: _ClassVar[WorkerState]
    WORKER_STATE_SUSPENDED: _ClassVar[WorkerState]
    WORKER_STATE_SILENT: _ClassVar[WorkerState]
TOURNAMENT_STATE_UNSPECIFIED: TournamentState
TOURNAMENT_STATE_CREATED: TournamentState
TOURNAMENT_STATE_OPEN: TournamentState
TOURNAMENT_STATE_RUNNING: TournamentState
TOURNAMENT_STATE_PAUSED: TournamentState
TOURNAMENT_STATE_FINISHED: TournamentState
TOURNAMENT_STATE_CANCELLED: TournamentState
TOURNAMENT_STATE_DECIDED: TournamentState
MATCH_STATE_UNSPECIFIED: MatchState
MATCH_STATE_PLAYING: MatchState
MATCH_STATE_DECIDED: MatchState
MATCH_STATE_PAUSED: MatchState
MATCH_STATE_WITHDRAWN: MatchState
BLOCK_STATE_UNSPECIFIED: BlockState
BLOCK_STATE_QUEUED: BlockState
BLOCK_STATE_CLAIMED: BlockState
BLOCK_STATE_DONE: BlockState
BLOCK_STATE_DROPPED: BlockState
BLOCK_STATE_VOID: BlockState
EVENT_KIND_UNSPECIFIED: EventKind
EVENT_KIND_STATE: EventKind
EVENT_KIND_MATCH_STARTED: EventKind
EVENT_KIND_PROGRESS: EventKind
EVENT_KIND_BLOCK_DONE: EventKind
EVENT_KIND_MATCH_DECIDED: EventKind
EVENT_KIND_FAULT: EventKind
EVENT_KIND_ALERT: EventKind
PROTEST_STATE_UNSPECIFIED: ProtestState
PROTEST_STATE_OPEN: ProtestState
PROTEST_STATE_ACCEPTED: ProtestState
PROTEST_STATE_REJECTED: ProtestState
RELEASE_LEVEL_UNSPECIFIED: ReleaseLevel
RELEASE_LEVEL_PUBLIC: ReleaseLevel
RELEASE_LEVEL_PARTICIPANTS: ReleaseLevel
RELEASE_LEVEL_END: ReleaseLevel
TRIAL_STATE_UNSPECIFIED: TrialState
TRIAL_STATE_NONE: TrialState
TRIAL_STATE_WAITING: TrialState
TRIAL_STATE_PLAYING: TrialState
TRIAL_STATE_PASSED: TrialState
TRIAL_STATE_REFUSED: TrialState
TRIAL_STATE_STALLED: TrialState
HELP_WAY_UNSPECIFIED: HelpWay
HELP_WAY_AGAINST: HelpWay
HELP_WAY_IN_FAVOUR: HelpWay
WORKER_STATE_UNSPECIFIED: WorkerState
WORKER_STATE_PRESENT: WorkerState
WORKER_STATE_SUSPENDED: WorkerState
WORKER_STATE_SILENT: WorkerState

class Tournament(_message.Message):
    __slots__ = ("id", "name", "state", "spec_toml", "rules", "commitment", "secret", "secret_given", "entries_root", "entries", "matches_decided", "matches_known", "created_at", "words", "chain", "compared", "due_at", "organiser", "started_at", "ended_at", "closes_at", "release", "warnings", "starting", "spec_changes", "protests", "mystery")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SPEC_TOML_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    SECRET_GIVEN_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_ROOT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    MATCHES_DECIDED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_KNOWN_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    COMPARED_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    ORGANISER_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    CLOSES_AT_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    STARTING_FIELD_NUMBER: _ClassVar[int]
    SPEC_CHANGES_FIELD_NUMBER: _ClassVar[int]
    PROTESTS_FIELD_NUMBER: _ClassVar[int]
    MYSTERY_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    state: TournamentState
    spec_toml: str
    rules: _game_pb2.RuleSet
    commitment: str
    secret: str
    secret_given: bool
    entries_root: str
    entries: _containers.RepeatedCompositeFieldContainer[Entry]
    matches_decided: int
    matches_known: int
    created_at: _timestamp_pb2.Timestamp
    words: str
    chain: str
    compared: str
    due_at: _timestamp_pb2.Timestamp
    organiser: str
    started_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    closes_at: _timestamp_pb2.Timestamp
    release: ReleaseLevel
    warnings: _containers.RepeatedScalarFieldContainer[str]
    starting: bool
    spec_changes: _containers.RepeatedCompositeFieldContainer[SpecChange]
    protests: _containers.RepeatedCompositeFieldContainer[Protest]
    mystery: Mystery
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., state: _Optional[_Union[TournamentState, str]] = ..., spec_toml: _Optional[str] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., commitment: _Optional[str] = ..., secret: _Optional[str] = ..., secret_given: _Optional[bool] = ..., entries_root: _Optional[str] = ..., entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., matches_decided: _Optional[int] = ..., matches_known: _Optional[int] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., words: _Optional[str] = ..., chain: _Optional[str] = ..., compared: _Optional[str] = ..., due_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., organiser: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., closes_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., release: _Optional[_Union[ReleaseLevel, str]] = ..., warnings: _Optional[_Iterable[str]] = ..., starting: _Optional[bool] = ..., spec_changes: _Optional[_Iterable[_Union[SpecChange, _Mapping]]] = ..., protests: _Optional[_Iterable[_Union[Protest, _Mapping]]] = ..., mystery: _Optional[_Union[Mystery, _Mapping]] = ...) -> None: ...

class Mystery(_message.Message):
    __slots__ = ("commitment", "reveal_at", "revealed_at", "salt", "sealed_toml", "trials", "draft_toml")
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    REVEAL_AT_FIELD_NUMBER: _ClassVar[int]
    REVEALED_AT_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    SEALED_TOML_FIELD_NUMBER: _ClassVar[int]
    TRIALS_FIELD_NUMBER: _ClassVar[int]
    DRAFT_TOML_FIELD_NUMBER: _ClassVar[int]
    commitment: str
    reveal_at: _timestamp_pb2.Timestamp
    revealed_at: _timestamp_pb2.Timestamp
    salt: str
    sealed_toml: str
    trials: _containers.RepeatedCompositeFieldContainer[TrialRules]
    draft_toml: str
    def __init__(self, commitment: _Optional[str] = ..., reveal_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., revealed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., salt: _Optional[str] = ..., sealed_toml: _Optional[str] = ..., trials: _Optional[_Iterable[_Union[TrialRules, _Mapping]]] = ..., draft_toml: _Optional[str] = ...) -> None: ...

class TrialRules(_message.Message):
    __slots__ = ("name", "variant_toml")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VARIANT_TOML_FIELD_NUMBER: _ClassVar[int]
    name: str
    variant_toml: str
    def __init__(self, name: _Optional[str] = ..., variant_toml: _Optional[str] = ...) -> None: ...

class SpecChange(_message.Message):
    __slots__ = ("at", "account_name", "keys")
    AT_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    at: _timestamp_pb2.Timestamp
    account_name: str
    keys: _containers.RepeatedCompositeFieldContainer[SpecKeyChange]
    def __init__(self, at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., account_name: _Optional[str] = ..., keys: _Optional[_Iterable[_Union[SpecKeyChange, _Mapping]]] = ...) -> None: ...

class Protest(_message.Message):
    __slots__ = ("number", "entrant", "bot_name", "account_name", "text", "at", "state", "answer", "answered_by", "answered_at")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_BY_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_AT_FIELD_NUMBER: _ClassVar[int]
    number: int
    entrant: int
    bot_name: str
    account_name: str
    text: str
    at: _timestamp_pb2.Timestamp
    state: ProtestState
    answer: str
    answered_by: str
    answered_at: _timestamp_pb2.Timestamp
    def __init__(self, number: _Optional[int] = ..., entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., text: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[ProtestState, str]] = ..., answer: _Optional[str] = ..., answered_by: _Optional[str] = ..., answered_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("number", "bot_name", "version_id", "sha256", "withdrawn", "account_name", "built_sha256", "entered_at", "commitment", "nonce_opened", "nonce", "disqualified", "confirmed", "guest")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    ENTERED_AT_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    NONCE_OPENED_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    DISQUALIFIED_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    GUEST_FIELD_NUMBER: _ClassVar[int]
    number: int
    bot_name: str
    version_id: str
    sha256: str
    withdrawn: bool
    account_name: str
    built_sha256: str
    entered_at: _timestamp_pb2.Timestamp
    commitment: str
    nonce_opened: bool
    nonce: str
    disqualified: str
    confirmed: bool
    guest: bool
    def __init__(self, number: _Optional[int] = ..., bot_name: _Optional[str] = ..., version_id: _Optional[str] = ..., sha256: _Optional[str] = ..., withdrawn: _Optional[bool] = ..., account_name: _Optional[str] = ..., built_sha256: _Optional[str] = ..., entered_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., commitment: _Optional[str] = ..., nonce_opened: _Optional[bool] = ..., nonce: _Optional[str] = ..., disqualified: _Optional[str] = ..., confirmed: _Optional[bool] = ..., guest: _Optional[bool] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("label", "first", "second", "first_name", "second_name", "state", "winner", "rule", "sets", "estimate", "low", "high", "llr", "faults", "format", "id", "take", "seed_take", "reason", "queued_at", "started_at", "decided_at", "withdrawn_at", "players", "level", "through", "ahead", "sure", "wins", "reached")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    FIRST_NAME_FIELD_NUMBER: _ClassVar[int]
    SECOND_NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    LLR_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    SEED_TAKE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    QUEUED_AT_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    DECIDED_AT_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_AT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    THROUGH_FIELD_NUMBER: _ClassVar[int]
    AHEAD_FIELD_NUMBER: _ClassVar[int]
    SURE_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    REACHED_FIELD_NUMBER: _ClassVar[int]
    label: str
    first: int
    second: int
    first_name: str
    second_name: str
    state: MatchState
    winner: int
    rule: str
    sets: int
    estimate: float
    low: float
    high: float
    llr: float
    faults: _containers.RepeatedScalarFieldContainer[int]
    format: str
    id: str
    take: int
    seed_take: int
    reason: str
    queued_at: _timestamp_pb2.Timestamp
    started_at: _timestamp_pb2.Timestamp
    decided_at: _timestamp_pb2.Timestamp
    withdrawn_at: _timestamp_pb2.Timestamp
    players: _containers.RepeatedCompositeFieldContainer[MatchPlayer]
    level: _containers.RepeatedCompositeFieldContainer[LevelPair]
    through: int
    ahead: _containers.RepeatedScalarFieldContainer[int]
    sure: float
    wins: _containers.RepeatedScalarFieldContainer[int]
    reached: int
    def __init__(self, label: _Optional[str] = ..., first: _Optional[int] = ..., second: _Optional[int] = ..., first_name: _Optional[str] = ..., second_name: _Optional[str] = ..., state: _Optional[_Union[MatchState, str]] = ..., winner: _Optional[int] = ..., rule: _Optional[str] = ..., sets: _Optional[int] = ..., estimate: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., llr: _Optional[float] = ..., faults: _Optional[_Iterable[int]] = ..., format: _Optional[str] = ..., id: _Optional[str] = ..., take: _Optional[int] = ..., seed_take: _Optional[int] = ..., reason: _Optional[str] = ..., queued_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., decided_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., withdrawn_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., players: _Optional[_Iterable[_Union[MatchPlayer, _Mapping]]] = ..., level: _Optional[_Iterable[_Union[LevelPair, _Mapping]]] = ..., through: _Optional[int] = ..., ahead: _Optional[_Iterable[int]] = ..., sure: _Optional[float] = ..., wins: _Optional[_Iterable[int]] = ..., reached: _Optional[int] = ...) -> None: ...

class MatchPlayer(_message.Message):
    __slots__ = ("entrant", "bot_name", "place", "score", "low", "high", "faults")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    place: int
    score: float
    low: float
    high: float
    faults: int
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., place: _Optional[int] = ..., score: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., faults: _Optional[int] = ...) -> None: ...

class LevelPair(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: int
    second: int
    def __init__(self, first: _Optional[int] = ..., second: _Optional[int] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("rank", "entrant", "bot_name", "rating", "low", "high", "sets", "won", "lost", "level", "faults", "rule")
    RANK_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    WON_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    rank: int
    entrant: int
    bot_name: str
    rating: float
    low: float
    high: float
    sets: int
    won: int
    lost: int
    level: int
    faults: int
    rule: str
    def __init__(self, rank: _Optional[int] = ..., entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., rating: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., sets: _Optional[int] = ..., won: _Optional[int] = ..., lost: _Optional[int] = ..., level: _Optional[int] = ..., faults: _Optional[int] = ..., rule: _Optional[str] = ...) -> None: ...

class RaceBatch(_message.Message):
    __slots__ = ("stage", "batch", "sets", "leader", "chance", "entrants", "chances")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    BATCH_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    CHANCE_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    CHANCES_FIELD_NUMBER: _ClassVar[int]
    stage: int
    batch: int
    sets: int
    leader: int
    chance: float
    entrants: _containers.RepeatedScalarFieldContainer[int]
    chances: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, stage: _Optional[int] = ..., batch: _Optional[int] = ..., sets: _Optional[int] = ..., leader: _Optional[int] = ..., chance: _Optional[float] = ..., entrants: _Optional[_Iterable[int]] = ..., chances: _Optional[_Iterable[float]] = ...) -> None: ...

class Round(_message.Message):
    __slots__ = ("round", "name", "matches", "byes")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BYES_FIELD_NUMBER: _ClassVar[int]
    round: int
    name: str
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    byes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, round: _Optional[int] = ..., name: _Optional[str] = ..., matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., byes: _Optional[_Iterable[int]] = ...) -> None: ...

class Block(_message.Message):
    __slots__ = ("id", "number", "first_set", "sets", "state", "attempts", "worker", "queued_at", "claimed_at", "done_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    WORKER_FIELD_NUMBER: _ClassVar[int]
    QUEUED_AT_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_AT_FIELD_NUMBER: _ClassVar[int]
    DONE_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    number: int
    first_set: int
    sets: int
    state: BlockState
    attempts: int
    worker: str
    queued_at: _timestamp_pb2.Timestamp
    claimed_at: _timestamp_pb2.Timestamp
    done_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., number: _Optional[int] = ..., first_set: _Optional[int] = ..., sets: _Optional[int] = ..., state: _Optional[_Union[BlockState, str]] = ..., attempts: _Optional[int] = ..., worker: _Optional[str] = ..., queued_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., claimed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., done_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class FaultSummary(_message.Message):
    __slots__ = ("id", "entrant", "kind", "set", "words", "error", "deals", "seating")
    ID_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    id: str
    entrant: int
    kind: str
    set: int
    words: str
    error: str
    deals: int
    seating: int
    def __init__(self, id: _Optional[str] = ..., entrant: _Optional[int] = ..., kind: _Optional[str] = ..., set: _Optional[int] = ..., words: _Optional[str] = ..., error: _Optional[str] = ..., deals: _Optional[int] = ..., seating: _Optional[int] = ...) -> None: ...

class TournamentEvent(_message.Message):
    __slots__ = ("cursor", "at", "kind", "match", "words", "sets_ahead", "chain", "compared", "state_change", "block_progress", "block_done", "fault_count", "bot_entered", "bot_withdrawn", "spec_changed", "start_put_off", "match_begun", "match_resumed", "match_result", "match_taken_back", "match_paused", "block_put_off", "bot_suspended", "entries_closed", "nonce_opened", "bot_disqualified", "entry_confirmed", "protest_filed", "protest_answered", "rules_revealed")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    SETS_AHEAD_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    COMPARED_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGE_FIELD_NUMBER: _ClassVar[int]
    BLOCK_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    BLOCK_DONE_FIELD_NUMBER: _ClassVar[int]
    FAULT_COUNT_FIELD_NUMBER: _ClassVar[int]
    BOT_ENTERED_FIELD_NUMBER: _ClassVar[int]
    BOT_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    SPEC_CHANGED_FIELD_NUMBER: _ClassVar[int]
    START_PUT_OFF_FIELD_NUMBER: _ClassVar[int]
    MATCH_BEGUN_FIELD_NUMBER: _ClassVar[int]
    MATCH_RESUMED_FIELD_NUMBER: _ClassVar[int]
    MATCH_RESULT_FIELD_NUMBER: _ClassVar[int]
    MATCH_TAKEN_BACK_FIELD_NUMBER: _ClassVar[int]
    MATCH_PAUSED_FIELD_NUMBER: _ClassVar[int]
    BLOCK_PUT_OFF_FIELD_NUMBER: _ClassVar[int]
    BOT_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_CLOSED_FIELD_NUMBER: _ClassVar[int]
    NONCE_OPENED_FIELD_NUMBER: _ClassVar[int]
    BOT_DISQUALIFIED_FIELD_NUMBER: _ClassVar[int]
    ENTRY_CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    PROTEST_FILED_FIELD_NUMBER: _ClassVar[int]
    PROTEST_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    RULES_REVEALED_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    at: _timestamp_pb2.Timestamp
    kind: EventKind
    match: Match
    words: str
    sets_ahead: int
    chain: str
    compared: str
    state_change: StateChange
    block_progress: BlockProgress
    block_done: BlockDone
    fault_count: FaultCount
    bot_entered: BotEntered
    bot_withdrawn: BotWithdrawn
    spec_changed: SpecChanged
    start_put_off: StartPutOff
    match_begun: MatchBegun
    match_resumed: MatchResumed
    match_result: MatchResult
    match_taken_back: MatchTakenBack
    match_paused: MatchPaused
    block_put_off: BlockPutOff
    bot_suspended: BotSuspended
    entries_closed: EntriesClosed
    nonce_opened: NonceOpened
    bot_disqualified: BotDisqualified
    entry_confirmed: EntryConfirmed
    protest_filed: ProtestFiled
    protest_answered: ProtestAnswered
    rules_revealed: RulesRevealed
    def __init__(self, cursor: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[EventKind, str]] = ..., match: _Optional[_Union[Match, _Mapping]] = ..., words: _Optional[str] = ..., sets_ahead: _Optional[int] = ..., chain: _Optional[str] = ..., compared: _Optional[str] = ..., state_change: _Optional[_Union[StateChange, _Mapping]] = ..., block_progress: _Optional[_Union[BlockProgress, _Mapping]] = ..., block_done: _Optional[_Union[BlockDone, _Mapping]] = ..., fault_count: _Optional[_Union[FaultCount, _Mapping]] = ..., bot_entered: _Optional[_Union[BotEntered, _Mapping]] = ..., bot_withdrawn: _Optional[_Union[BotWithdrawn, _Mapping]] = ..., spec_changed: _Optional[_Union[SpecChanged, _Mapping]] = ..., start_put_off: _Optional[_Union[StartPutOff, _Mapping]] = ..., match_begun: _Optional[_Union[MatchBegun, _Mapping]] = ..., match_resumed: _Optional[_Union[MatchResumed, _Mapping]] = ..., match_result: _Optional[_Union[MatchResult, _Mapping]] = ..., match_taken_back: _Optional[_Union[MatchTakenBack, _Mapping]] = ..., match_paused: _Optional[_Union[MatchPaused, _Mapping]] = ..., block_put_off: _Optional[_Union[BlockPutOff, _Mapping]] = ..., bot_suspended: _Optional[_Union[BotSuspended, _Mapping]] = ..., entries_closed: _Optional[_Union[EntriesClosed, _Mapping]] = ..., nonce_opened: _Optional[_Union[NonceOpened, _Mapping]] = ..., bot_disqualified: _Optional[_Union[BotDisqualified, _Mapping]] = ..., entry_confirmed: _Optional[_Union[EntryConfirmed, _Mapping]] = ..., protest_filed: _Optional[_Union[ProtestFiled, _Mapping]] = ..., protest_answered: _Optional[_Union[ProtestAnswered, _Mapping]] = ..., rules_revealed: _Optional[_Union[RulesRevealed, _Mapping]] = ...) -> None: ...

class RulesRevealed(_message.Message):
    __slots__ = ("rules", "commitment", "salt")
    RULES_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    rules: str
    commitment: str
    salt: str
    def __init__(self, rules: _Optional[str] = ..., commitment: _Optional[str] = ..., salt: _Optional[str] = ...) -> None: ...

class ProtestFiled(_message.Message):
    __slots__ = ("number", "entrant", "bot_name", "text")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    number: int
    entrant: int
    bot_name: str
    text: str
    def __init__(self, number: _Optional[int] = ..., entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class ProtestAnswered(_message.Message):
    __slots__ = ("number", "entrant", "bot_name", "accepted", "answer")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    number: int
    entrant: int
    bot_name: str
    accepted: bool
    answer: str
    def __init__(self, number: _Optional[int] = ..., entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., accepted: _Optional[bool] = ..., answer: _Optional[str] = ...) -> None: ...

class StateChange(_message.Message):
    __slots__ = ("before", "after")
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    before: TournamentState
    after: TournamentState
    def __init__(self, before: _Optional[_Union[TournamentState, str]] = ..., after: _Optional[_Union[TournamentState, str]] = ...) -> None: ...

class BlockProgress(_message.Message):
    __slots__ = ("block", "sets", "played")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    block: int
    sets: int
    played: int
    def __init__(self, block: _Optional[int] = ..., sets: _Optional[int] = ..., played: _Optional[int] = ...) -> None: ...

class BlockDone(_message.Message):
    __slots__ = ("block", "first_set", "sets")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    block: int
    first_set: int
    sets: int
    def __init__(self, block: _Optional[int] = ..., first_set: _Optional[int] = ..., sets: _Optional[int] = ...) -> None: ...

class FaultCount(_message.Message):
    __slots__ = ("block", "entrant", "bot_name", "kind", "count")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    block: int
    entrant: int
    bot_name: str
    kind: str
    count: int
    def __init__(self, block: _Optional[int] = ..., entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., kind: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class BotEntered(_message.Message):
    __slots__ = ("entrant", "bot_name", "account_name", "version_id", "replaced")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    account_name: str
    version_id: str
    replaced: bool
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., account_name: _Optional[str] = ..., version_id: _Optional[str] = ..., replaced: _Optional[bool] = ...) -> None: ...

class EntriesClosed(_message.Message):
    __slots__ = ("until", "entrants")
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    until: _timestamp_pb2.Timestamp
    entrants: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., entrants: _Optional[_Iterable[int]] = ...) -> None: ...

class NonceOpened(_message.Message):
    __slots__ = ("entrant", "bot_name")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ...) -> None: ...

class EntryConfirmed(_message.Message):
    __slots__ = ("entrant", "bot_name")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ...) -> None: ...

class BotWithdrawn(_message.Message):
    __slots__ = ("entrant", "bot_name", "reason")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    reason: str
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class BotDisqualified(_message.Message):
    __slots__ = ("entrant", "bot_name", "reason")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    reason: str
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class SpecChanged(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class StartPutOff(_message.Message):
    __slots__ = ("until", "reason")
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    until: _timestamp_pb2.Timestamp
    reason: str
    def __init__(self, until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class MatchBegun(_message.Message):
    __slots__ = ("take", "seed_take", "reason")
    TAKE_FIELD_NUMBER: _ClassVar[int]
    SEED_TAKE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    take: int
    seed_take: int
    reason: str
    def __init__(self, take: _Optional[int] = ..., seed_take: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class MatchResumed(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class MatchResult(_message.Message):
    __slots__ = ("take", "winner", "rule", "sets", "estimate")
    TAKE_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    take: int
    winner: int
    rule: str
    sets: int
    estimate: float
    def __init__(self, take: _Optional[int] = ..., winner: _Optional[int] = ..., rule: _Optional[str] = ..., sets: _Optional[int] = ..., estimate: _Optional[float] = ...) -> None: ...

class MatchTakenBack(_message.Message):
    __slots__ = ("take", "reason")
    TAKE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    take: int
    reason: str
    def __init__(self, take: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class MatchPaused(_message.Message):
    __slots__ = ("block", "attempts", "reason", "again_at")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    AGAIN_AT_FIELD_NUMBER: _ClassVar[int]
    block: int
    attempts: int
    reason: str
    again_at: _timestamp_pb2.Timestamp
    def __init__(self, block: _Optional[int] = ..., attempts: _Optional[int] = ..., reason: _Optional[str] = ..., again_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BlockPutOff(_message.Message):
    __slots__ = ("block", "entrants")
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    block: int
    entrants: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, block: _Optional[int] = ..., entrants: _Optional[_Iterable[int]] = ...) -> None: ...

class BotSuspended(_message.Message):
    __slots__ = ("entrant", "bot_name", "version_id", "reason")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    version_id: str
    reason: str
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., version_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class Preview(_message.Message):
    __slots__ = ("state", "due_at", "entries", "entries_gone", "begun", "again", "resumed", "withdrawn", "walkovers", "stopped", "results_lost", "sets_lost", "left", "left_now", "spec", "starting")
    STATE_FIELD_NUMBER: _ClassVar[int]
    DUE_AT_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_GONE_FIELD_NUMBER: _ClassVar[int]
    BEGUN_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    WALKOVERS_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_LOST_FIELD_NUMBER: _ClassVar[int]
    SETS_LOST_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    LEFT_NOW_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STARTING_FIELD_NUMBER: _ClassVar[int]
    state: TournamentState
    due_at: _timestamp_pb2.Timestamp
    entries: _containers.RepeatedCompositeFieldContainer[Entry]
    entries_gone: _containers.RepeatedCompositeFieldContainer[Entry]
    begun: _containers.RepeatedScalarFieldContainer[str]
    again: _containers.RepeatedScalarFieldContainer[str]
    resumed: _containers.RepeatedScalarFieldContainer[str]
    withdrawn: _containers.RepeatedScalarFieldContainer[str]
    walkovers: _containers.RepeatedScalarFieldContainer[str]
    stopped: _containers.RepeatedScalarFieldContainer[str]
    results_lost: _containers.RepeatedScalarFieldContainer[str]
    sets_lost: int
    left: WorkLeft
    left_now: WorkLeft
    spec: _containers.RepeatedCompositeFieldContainer[SpecKeyChange]
    starting: bool
    def __init__(self, state: _Optional[_Union[TournamentState, str]] = ..., due_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., entries_gone: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., begun: _Optional[_Iterable[str]] = ..., again: _Optional[_Iterable[str]] = ..., resumed: _Optional[_Iterable[str]] = ..., withdrawn: _Optional[_Iterable[str]] = ..., walkovers: _Optional[_Iterable[str]] = ..., stopped: _Optional[_Iterable[str]] = ..., results_lost: _Optional[_Iterable[str]] = ..., sets_lost: _Optional[int] = ..., left: _Optional[_Union[WorkLeft, _Mapping]] = ..., left_now: _Optional[_Union[WorkLeft, _Mapping]] = ..., spec: _Optional[_Iterable[_Union[SpecKeyChange, _Mapping]]] = ..., starting: _Optional[bool] = ...) -> None: ...

class WorkLeft(_message.Message):
    __slots__ = ("matches", "blocks", "sets", "core_hours")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    CORE_HOURS_FIELD_NUMBER: _ClassVar[int]
    matches: int
    blocks: int
    sets: int
    core_hours: float
    def __init__(self, matches: _Optional[int] = ..., blocks: _Optional[int] = ..., sets: _Optional[int] = ..., core_hours: _Optional[float] = ...) -> None: ...

class SpecKeyChange(_message.Message):
    __slots__ = ("key", "before", "after")
    KEY_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    key: str
    before: str
    after: str
    def __init__(self, key: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class CreateTournamentRequest(_message.Message):
    __slots__ = ("spec_toml",)
    SPEC_TOML_FIELD_NUMBER: _ClassVar[int]
    spec_toml: str
    def __init__(self, spec_toml: _Optional[str] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class EditTournamentRequest(_message.Message):
    __slots__ = ("tournament", "spec_toml", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    SPEC_TOML_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    spec_toml: str
    preview: bool
    def __init__(self, tournament: _Optional[str] = ..., spec_toml: _Optional[str] = ..., preview: _Optional[bool] = ...) -> None: ...

class EditTournamentResponse(_message.Message):
    __slots__ = ("tournament", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    preview: Preview
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class OpenEntriesRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class OpenEntriesResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class EnterRequest(_message.Message):
    __slots__ = ("tournament", "bot_name", "commitment", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    commitment: str
    preview: bool
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ..., commitment: _Optional[str] = ..., preview: _Optional[bool] = ...) -> None: ...

class EnterResponse(_message.Message):
    __slots__ = ("entry", "preview", "warnings")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    entry: Entry
    preview: Preview
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, entry: _Optional[_Union[Entry, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class GetTrialRequest(_message.Message):
    __slots__ = ("tournament", "bot_name")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ...) -> None: ...

class GetTrialResponse(_message.Message):
    __slots__ = ("state", "words", "log")
    STATE_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    state: TrialState
    words: str
    log: str
    def __init__(self, state: _Optional[_Union[TrialState, str]] = ..., words: _Optional[str] = ..., log: _Optional[str] = ...) -> None: ...

class OpenNonceRequest(_message.Message):
    __slots__ = ("tournament", "bot_name", "nonce")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    nonce: str
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ..., nonce: _Optional[str] = ...) -> None: ...

class ConfirmEntriesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ConfirmEntriesResponse(_message.Message):
    __slots__ = ("tournaments",)
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tournaments: _Optional[_Iterable[str]] = ...) -> None: ...

class OpenNonceResponse(_message.Message):
    __slots__ = ("entry",)
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    entry: Entry
    def __init__(self, entry: _Optional[_Union[Entry, _Mapping]] = ...) -> None: ...

class WithdrawRequest(_message.Message):
    __slots__ = ("tournament", "bot_name", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    preview: bool
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ..., preview: _Optional[bool] = ...) -> None: ...

class WithdrawResponse(_message.Message):
    __slots__ = ("entry", "preview")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    entry: Entry
    preview: Preview
    def __init__(self, entry: _Optional[_Union[Entry, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class DisqualifyRequest(_message.Message):
    __slots__ = ("tournament", "bot_name", "reason", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    reason: str
    preview: bool
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ..., reason: _Optional[str] = ..., preview: _Optional[bool] = ...) -> None: ...

class DisqualifyResponse(_message.Message):
    __slots__ = ("entry", "preview")
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    entry: Entry
    preview: Preview
    def __init__(self, entry: _Optional[_Union[Entry, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class StartRequest(_message.Message):
    __slots__ = ("tournament", "preview", "now")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    NOW_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    preview: bool
    now: bool
    def __init__(self, tournament: _Optional[str] = ..., preview: _Optional[bool] = ..., now: _Optional[bool] = ...) -> None: ...

class StartResponse(_message.Message):
    __slots__ = ("tournament", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    preview: Preview
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class PauseRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class PauseResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class ResumeRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class ResumeResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class CancelRequest(_message.Message):
    __slots__ = ("tournament", "preview", "state")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    preview: bool
    state: TournamentState
    def __init__(self, tournament: _Optional[str] = ..., preview: _Optional[bool] = ..., state: _Optional[_Union[TournamentState, str]] = ...) -> None: ...

class CancelResponse(_message.Message):
    __slots__ = ("tournament", "preview")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    preview: Preview
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class ConfirmRequest(_message.Message):
    __slots__ = ("tournament", "chain")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    chain: str
    def __init__(self, tournament: _Optional[str] = ..., chain: _Optional[str] = ...) -> None: ...

class ConfirmResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class FileProtestRequest(_message.Message):
    __slots__ = ("tournament", "bot_name", "text")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    bot_name: str
    text: str
    def __init__(self, tournament: _Optional[str] = ..., bot_name: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class FileProtestResponse(_message.Message):
    __slots__ = ("protest",)
    PROTEST_FIELD_NUMBER: _ClassVar[int]
    protest: Protest
    def __init__(self, protest: _Optional[_Union[Protest, _Mapping]] = ...) -> None: ...

class AnswerProtestRequest(_message.Message):
    __slots__ = ("tournament", "number", "accepted", "answer")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    number: int
    accepted: bool
    answer: str
    def __init__(self, tournament: _Optional[str] = ..., number: _Optional[int] = ..., accepted: _Optional[bool] = ..., answer: _Optional[str] = ...) -> None: ...

class AnswerProtestResponse(_message.Message):
    __slots__ = ("protest",)
    PROTEST_FIELD_NUMBER: _ClassVar[int]
    protest: Protest
    def __init__(self, protest: _Optional[_Union[Protest, _Mapping]] = ...) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "active", "contains")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    CONTAINS_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    active: bool
    contains: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., active: _Optional[bool] = ..., contains: _Optional[str] = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("tournaments", "next_page_token")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[Tournament]
    next_page_token: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[Tournament, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetStandingsRequest(_message.Message):
    __slots__ = ("tournament", "stage")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    stage: int
    def __init__(self, tournament: _Optional[str] = ..., stage: _Optional[int] = ...) -> None: ...

class GetStandingsResponse(_message.Message):
    __slots__ = ("standings", "final", "carryover", "foreknowledge", "race")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    CARRYOVER_FIELD_NUMBER: _ClassVar[int]
    FOREKNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    RACE_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    final: bool
    carryover: _containers.RepeatedCompositeFieldContainer[Carryover]
    foreknowledge: _containers.RepeatedCompositeFieldContainer[Foreknowledge]
    race: _containers.RepeatedCompositeFieldContainer[RaceBatch]
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., final: _Optional[bool] = ..., carryover: _Optional[_Iterable[_Union[Carryover, _Mapping]]] = ..., foreknowledge: _Optional[_Iterable[_Union[Foreknowledge, _Mapping]]] = ..., race: _Optional[_Iterable[_Union[RaceBatch, _Mapping]]] = ...) -> None: ...

class Carryover(_message.Message):
    __slots__ = ("entrant", "bot_name", "sets", "estimate", "low", "high", "p", "suspicious")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    ESTIMATE_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    SUSPICIOUS_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    sets: int
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., sets: _Optional[int] = ..., estimate: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., p: _Optional[float] = ..., suspicious: _Optional[bool] = ...) -> None: ...

class Foreknowledge(_message.Message):
    __slots__ = ("entrant", "bot_name", "told", "told_changed", "fresh", "fresh_changed", "screened", "screened_changed", "p", "suspicious")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    TOLD_FIELD_NUMBER: _ClassVar[int]
    TOLD_CHANGED_FIELD_NUMBER: _ClassVar[int]
    FRESH_FIELD_NUMBER: _ClassVar[int]
    FRESH_CHANGED_FIELD_NUMBER: _ClassVar[int]
    SCREENED_FIELD_NUMBER: _ClassVar[int]
    SCREENED_CHANGED_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    SUSPICIOUS_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    bot_name: str
    told: int
    told_changed: int
    fresh: int
    fresh_changed: int
    screened: int
    screened_changed: int
    p: float
    suspicious: bool
    def __init__(self, entrant: _Optional[int] = ..., bot_name: _Optional[str] = ..., told: _Optional[int] = ..., told_changed: _Optional[int] = ..., fresh: _Optional[int] = ..., fresh_changed: _Optional[int] = ..., screened: _Optional[int] = ..., screened_changed: _Optional[int] = ..., p: _Optional[float] = ..., suspicious: _Optional[bool] = ...) -> None: ...

class GetFairnessRequest(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    def __init__(self, tournament: _Optional[str] = ...) -> None: ...

class GetFairnessResponse(_message.Message):
    __slots__ = ("helps", "help_tests", "alike", "pairs_compared")
    HELPS_FIELD_NUMBER: _ClassVar[int]
    HELP_TESTS_FIELD_NUMBER: _ClassVar[int]
    ALIKE_FIELD_NUMBER: _ClassVar[int]
    PAIRS_COMPARED_FIELD_NUMBER: _ClassVar[int]
    helps: _containers.RepeatedCompositeFieldContainer[Help]
    help_tests: int
    alike: _containers.RepeatedCompositeFieldContainer[Likeness]
    pairs_compared: int
    def __init__(self, helps: _Optional[_Iterable[_Union[Help, _Mapping]]] = ..., help_tests: _Optional[int] = ..., alike: _Optional[_Iterable[_Union[Likeness, _Mapping]]] = ..., pairs_compared: _Optional[int] = ...) -> None: ...

class Help(_message.Message):
    __slots__ = ("helper", "helped", "way", "sets", "lead", "error", "p", "named", "matches")
    HELPER_FIELD_NUMBER: _ClassVar[int]
    HELPED_FIELD_NUMBER: _ClassVar[int]
    WAY_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    P_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    helper: int
    helped: int
    way: HelpWay
    sets: int
    lead: float
    error: float
    p: float
    named: bool
    matches: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, helper: _Optional[int] = ..., helped: _Optional[int] = ..., way: _Optional[_Union[HelpWay, str]] = ..., sets: _Optional[int] = ..., lead: _Optional[float] = ..., error: _Optional[float] = ..., p: _Optional[float] = ..., named: _Optional[bool] = ..., matches: _Optional[_Iterable[str]] = ...) -> None: ...

class Likeness(_message.Message):
    __slots__ = ("first", "second", "deals", "same", "changed", "share", "usual", "distance", "named", "label")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SAME_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    USUAL_FIELD_NUMBER: _ClassVar[int]
    DISTANCE_FIELD_NUMBER: _ClassVar[int]
    NAMED_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    first: int
    second: int
    deals: int
    same: int
    changed: int
    share: float
    usual: float
    distance: float
    named: bool
    label: str
    def __init__(self, first: _Optional[int] = ..., second: _Optional[int] = ..., deals: _Optional[int] = ..., same: _Optional[int] = ..., changed: _Optional[int] = ..., share: _Optional[float] = ..., usual: _Optional[float] = ..., distance: _Optional[float] = ..., named: _Optional[bool] = ..., label: _Optional[str] = ...) -> None: ...

class GetBracketRequest(_message.Message):
    __slots__ = ("tournament", "stage", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    stage: int
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., stage: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class GetBracketResponse(_message.Message):
    __slots__ = ("rounds", "next_page_token")
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rounds: _containers.RepeatedCompositeFieldContainer[Round]
    next_page_token: str
    def __init__(self, rounds: _Optional[_Iterable[_Union[Round, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("tournament", "label", "take", "newest_blocks")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    NEWEST_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    take: int
    newest_blocks: int
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., take: _Optional[int] = ..., newest_blocks: _Optional[int] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match", "blocks", "faults", "banks", "walk")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    BANKS_FIELD_NUMBER: _ClassVar[int]
    WALK_FIELD_NUMBER: _ClassVar[int]
    match: Match
    blocks: _containers.RepeatedCompositeFieldContainer[Block]
    faults: _containers.RepeatedCompositeFieldContainer[FaultSummary]
    banks: _containers.RepeatedCompositeFieldContainer[BankShare]
    walk: _containers.RepeatedCompositeFieldContainer[WalkPoint]
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., blocks: _Optional[_Iterable[_Union[Block, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[FaultSummary, _Mapping]]] = ..., banks: _Optional[_Iterable[_Union[BankShare, _Mapping]]] = ..., walk: _Optional[_Iterable[_Union[WalkPoint, _Mapping]]] = ...) -> None: ...

class WalkPoint(_message.Message):
    __slots__ = ("sets", "llr")
    SETS_FIELD_NUMBER: _ClassVar[int]
    LLR_FIELD_NUMBER: _ClassVar[int]
    sets: int
    llr: float
    def __init__(self, sets: _Optional[int] = ..., llr: _Optional[float] = ...) -> None: ...

class BankShare(_message.Message):
    __slots__ = ("entrant", "rules", "seats", "deal_ms", "mean_ms", "p99_ms", "largest_ms", "pace")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DEAL_MS_FIELD_NUMBER: _ClassVar[int]
    MEAN_MS_FIELD_NUMBER: _ClassVar[int]
    P99_MS_FIELD_NUMBER: _ClassVar[int]
    LARGEST_MS_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    rules: str
    seats: int
    deal_ms: int
    mean_ms: float
    p99_ms: float
    largest_ms: float
    pace: float
    def __init__(self, entrant: _Optional[int] = ..., rules: _Optional[str] = ..., seats: _Optional[int] = ..., deal_ms: _Optional[int] = ..., mean_ms: _Optional[float] = ..., p99_ms: _Optional[float] = ..., largest_ms: _Optional[float] = ..., pace: _Optional[float] = ...) -> None: ...

class GetFaultRequest(_message.Message):
    __slots__ = ("fault_id",)
    FAULT_ID_FIELD_NUMBER: _ClassVar[int]
    fault_id: str
    def __init__(self, fault_id: _Optional[str] = ...) -> None: ...

class GetFaultResponse(_message.Message):
    __slots__ = ("fault", "record", "memory_mib", "rules", "names")
    FAULT_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    fault: _game_pb2.Fault
    record: str
    memory_mib: int
    rules: _game_pb2.RuleSet
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, fault: _Optional[_Union[_game_pb2.Fault, _Mapping]] = ..., record: _Optional[str] = ..., memory_mib: _Optional[int] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., names: _Optional[_Iterable[str]] = ...) -> None: ...

class GetSetRequest(_message.Message):
    __slots__ = ("tournament", "label", "set", "take")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    set: int
    take: int
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., set: _Optional[int] = ..., take: _Optional[int] = ...) -> None: ...

class GetSetResponse(_message.Message):
    __slots__ = ("set", "first", "second", "first_name", "second_name", "other_names")
    SET_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    FIRST_NAME_FIELD_NUMBER: _ClassVar[int]
    SECOND_NAME_FIELD_NUMBER: _ClassVar[int]
    OTHER_NAMES_FIELD_NUMBER: _ClassVar[int]
    set: _game_pb2.SetResult
    first: int
    second: int
    first_name: str
    second_name: str
    other_names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, set: _Optional[_Union[_game_pb2.SetResult, _Mapping]] = ..., first: _Optional[int] = ..., second: _Optional[int] = ..., first_name: _Optional[str] = ..., second_name: _Optional[str] = ..., other_names: _Optional[_Iterable[str]] = ...) -> None: ...

class ListTakesRequest(_message.Message):
    __slots__ = ("tournament", "label", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListTakesResponse(_message.Message):
    __slots__ = ("takes", "next_page_token")
    TAKES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    takes: _containers.RepeatedCompositeFieldContainer[Match]
    next_page_token: str
    def __init__(self, takes: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListFaultsRequest(_message.Message):
    __slots__ = ("tournament", "label", "bot_name", "kind", "page_size", "page_token", "take")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    BOT_NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    bot_name: str
    kind: str
    page_size: int
    page_token: str
    take: int
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., bot_name: _Optional[str] = ..., kind: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., take: _Optional[int] = ...) -> None: ...

class ListFaultsResponse(_message.Message):
    __slots__ = ("faults", "next_page_token")
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    faults: _containers.RepeatedCompositeFieldContainer[FaultSummary]
    next_page_token: str
    def __init__(self, faults: _Optional[_Iterable[_Union[FaultSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSetsRequest(_message.Message):
    __slots__ = ("tournament", "label", "page_size", "page_token", "take", "first_set")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    page_size: int
    page_token: str
    take: int
    first_set: int
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., take: _Optional[int] = ..., first_set: _Optional[int] = ...) -> None: ...

class ListSetsResponse(_message.Message):
    __slots__ = ("sets", "next_page_token")
    SETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sets: _containers.RepeatedCompositeFieldContainer[SetSummary]
    next_page_token: str
    def __init__(self, sets: _Optional[_Iterable[_Union[SetSummary, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SetSummary(_message.Message):
    __slots__ = ("set", "block", "scores", "unit", "points", "seed")
    SET_FIELD_NUMBER: _ClassVar[int]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    set: int
    block: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    unit: int
    points: _containers.RepeatedScalarFieldContainer[int]
    seed: str
    def __init__(self, set: _Optional[int] = ..., block: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., unit: _Optional[int] = ..., points: _Optional[_Iterable[int]] = ..., seed: _Optional[str] = ...) -> None: ...

class GetQueueRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetQueueResponse(_message.Message):
    __slots__ = ("entries", "workers", "suspended_workers", "matches")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_WORKERS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[QueueEntry]
    workers: int
    suspended_workers: int
    matches: _containers.RepeatedCompositeFieldContainer[QueuedMatch]
    def __init__(self, entries: _Optional[_Iterable[_Union[QueueEntry, _Mapping]]] = ..., workers: _Optional[int] = ..., suspended_workers: _Optional[int] = ..., matches: _Optional[_Iterable[_Union[QueuedMatch, _Mapping]]] = ...) -> None: ...

class QueuedMatch(_message.Message):
    __slots__ = ("contest_id", "label", "bot_names", "waiting", "playing", "bot_versions")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    BOT_NAMES_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    BOT_VERSIONS_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    label: str
    bot_names: _containers.RepeatedScalarFieldContainer[str]
    waiting: int
    playing: int
    bot_versions: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, contest_id: _Optional[str] = ..., label: _Optional[str] = ..., bot_names: _Optional[_Iterable[str]] = ..., waiting: _Optional[int] = ..., playing: _Optional[int] = ..., bot_versions: _Optional[_Iterable[int]] = ...) -> None: ...

class QueueEntry(_message.Message):
    __slots__ = ("contest_id", "name", "purpose", "rules", "account_name", "waiting", "playing", "place", "waiting_since", "blocks_per_minute", "seconds")
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_NAME_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    WAITING_SINCE_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_PER_MINUTE_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    contest_id: str
    name: str
    purpose: str
    rules: str
    account_name: str
    waiting: int
    playing: int
    place: int
    waiting_since: _timestamp_pb2.Timestamp
    blocks_per_minute: float
    seconds: float
    def __init__(self, contest_id: _Optional[str] = ..., name: _Optional[str] = ..., purpose: _Optional[str] = ..., rules: _Optional[str] = ..., account_name: _Optional[str] = ..., waiting: _Optional[int] = ..., playing: _Optional[int] = ..., place: _Optional[int] = ..., waiting_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., blocks_per_minute: _Optional[float] = ..., seconds: _Optional[float] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("tournament", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RetakeMatchRequest(_message.Message):
    __slots__ = ("tournament", "label", "fresh_seeds", "reason", "preview", "take", "state")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    FRESH_SEEDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    fresh_seeds: bool
    reason: str
    preview: bool
    take: int
    state: MatchState
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., fresh_seeds: _Optional[bool] = ..., reason: _Optional[str] = ..., preview: _Optional[bool] = ..., take: _Optional[int] = ..., state: _Optional[_Union[MatchState, str]] = ...) -> None: ...

class RetakeMatchResponse(_message.Message):
    __slots__ = ("match", "withdrawn", "preview")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    match: Match
    withdrawn: _containers.RepeatedScalarFieldContainer[str]
    preview: Preview
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., withdrawn: _Optional[_Iterable[str]] = ..., preview: _Optional[_Union[Preview, _Mapping]] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("tournament", "after")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    after: str
    def __init__(self, tournament: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("tournament", "events")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    events: _containers.RepeatedCompositeFieldContainer[TournamentEvent]
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., events: _Optional[_Iterable[_Union[TournamentEvent, _Mapping]]] = ...) -> None: ...

class WatchMatchRequest(_message.Message):
    __slots__ = ("tournament", "label", "after", "idle_seconds")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    IDLE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    label: str
    after: str
    idle_seconds: int
    def __init__(self, tournament: _Optional[str] = ..., label: _Optional[str] = ..., after: _Optional[str] = ..., idle_seconds: _Optional[int] = ...) -> None: ...

class WatchMatchResponse(_message.Message):
    __slots__ = ("match", "deals", "cursor")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    match: Match
    deals: _containers.RepeatedCompositeFieldContainer[_game_pb2.LiveDeal]
    cursor: str
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., deals: _Optional[_Iterable[_Union[_game_pb2.LiveDeal, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...

class ExportTournamentRequest(_message.Message):
    __slots__ = ("tournament", "offset", "sha256")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    tournament: str
    offset: int
    sha256: str
    def __init__(self, tournament: _Optional[str] = ..., offset: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class ExportTournamentResponse(_message.Message):
    __slots__ = ("chunk", "size", "sha256")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    size: int
    sha256: str
    def __init__(self, chunk: _Optional[bytes] = ..., size: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class ClaimNextRequest(_message.Message):
    __slots__ = ("worker", "block_id", "wait_ms", "memory_mib")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    worker: str
    block_id: str
    wait_ms: int
    memory_mib: int
    def __init__(self, worker: _Optional[str] = ..., block_id: _Optional[str] = ..., wait_ms: _Optional[int] = ..., memory_mib: _Optional[int] = ...) -> None: ...

class ClaimNextResponse(_message.Message):
    __slots__ = ("claimed", "order", "watched")
    CLAIMED_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    WATCHED_FIELD_NUMBER: _ClassVar[int]
    claimed: bool
    order: BlockOrder
    watched: bool
    def __init__(self, claimed: _Optional[bool] = ..., order: _Optional[_Union[BlockOrder, _Mapping]] = ..., watched: _Optional[bool] = ...) -> None: ...

class BlockOrder(_message.Message):
    __slots__ = ("block_id", "fence", "lease_seconds", "rules", "seats", "entrants", "first_set", "seeds", "limits", "label", "contest_id", "match_id", "seatings", "game")
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    LEASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SET_FIELD_NUMBER: _ClassVar[int]
    SEEDS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    LABEL_FIELD_NUMBER: _ClassVar[int]
    CONTEST_ID_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEATINGS_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    block_id: str
    fence: int
    lease_seconds: int
    rules: _game_pb2.RuleSet
    seats: int
    entrants: _containers.RepeatedCompositeFieldContainer[BlockEntrant]
    first_set: int
    seeds: _containers.RepeatedScalarFieldContainer[str]
    limits: _game_pb2.BotLimits
    label: str
    contest_id: str
    match_id: str
    seatings: _containers.RepeatedScalarFieldContainer[int]
    game: bool
    def __init__(self, block_id: _Optional[str] = ..., fence: _Optional[int] = ..., lease_seconds: _Optional[int] = ..., rules: _Optional[_Union[_game_pb2.RuleSet, _Mapping]] = ..., seats: _Optional[int] = ..., entrants: _Optional[_Iterable[_Union[BlockEntrant, _Mapping]]] = ..., first_set: _Optional[int] = ..., seeds: _Optional[_Iterable[str]] = ..., limits: _Optional[_Union[_game_pb2.BotLimits, _Mapping]] = ..., label: _Optional[str] = ..., contest_id: _Optional[str] = ..., match_id: _Optional[str] = ..., seatings: _Optional[_Iterable[int]] = ..., game: _Optional[bool] = ...) -> None: ...

class BlockEntrant(_message.Message):
    __slots__ = ("name", "sha256", "built_sha256", "built_platform")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    BUILT_SHA256_FIELD_NUMBER: _ClassVar[int]
    BUILT_PLATFORM_FIELD_NUMBER: _ClassVar[int]
    name: str
    sha256: str
    built_sha256: str
    built_platform: str
    def __init__(self, name: _Optional[str] = ..., sha256: _Optional[str] = ..., built_sha256: _Optional[str] = ..., built_platform: _Optional[str] = ...) -> None: ...

class RenewLeaseRequest(_message.Message):
    __slots__ = ("block_id", "fence", "deals_done", "give_back", "words", "lacks")
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    DEALS_DONE_FIELD_NUMBER: _ClassVar[int]
    GIVE_BACK_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    LACKS_FIELD_NUMBER: _ClassVar[int]
    block_id: str
    fence: int
    deals_done: int
    give_back: bool
    words: str
    lacks: str
    def __init__(self, block_id: _Optional[str] = ..., fence: _Optional[int] = ..., deals_done: _Optional[int] = ..., give_back: _Optional[bool] = ..., words: _Optional[str] = ..., lacks: _Optional[str] = ...) -> None: ...

class RenewLeaseResponse(_message.Message):
    __slots__ = ("lease_seconds", "dropped", "watched")
    LEASE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    WATCHED_FIELD_NUMBER: _ClassVar[int]
    lease_seconds: int
    dropped: bool
    watched: bool
    def __init__(self, lease_seconds: _Optional[int] = ..., dropped: _Optional[bool] = ..., watched: _Optional[bool] = ...) -> None: ...

class ReportDealsRequest(_message.Message):
    __slots__ = ("block_id", "fence", "deals")
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    block_id: str
    fence: int
    deals: _containers.RepeatedCompositeFieldContainer[_game_pb2.LiveDeal]
    def __init__(self, block_id: _Optional[str] = ..., fence: _Optional[int] = ..., deals: _Optional[_Iterable[_Union[_game_pb2.LiveDeal, _Mapping]]] = ...) -> None: ...

class ReportDealsResponse(_message.Message):
    __slots__ = ("watched",)
    WATCHED_FIELD_NUMBER: _ClassVar[int]
    watched: bool
    def __init__(self, watched: _Optional[bool] = ...) -> None: ...

class SubmitBlockRequest(_message.Message):
    __slots__ = ("header", "sets")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    header: SubmitBlockHeader
    sets: SubmitBlockSets
    def __init__(self, header: _Optional[_Union[SubmitBlockHeader, _Mapping]] = ..., sets: _Optional[_Union[SubmitBlockSets, _Mapping]] = ...) -> None: ...

class SubmitBlockHeader(_message.Message):
    __slots__ = ("block_id", "fence", "sets", "measured")
    BLOCK_ID_FIELD_NUMBER: _ClassVar[int]
    FENCE_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    MEASURED_FIELD_NUMBER: _ClassVar[int]
    block_id: str
    fence: int
    sets: int
    measured: Measured
    def __init__(self, block_id: _Optional[str] = ..., fence: _Optional[int] = ..., sets: _Optional[int] = ..., measured: _Optional[_Union[Measured, _Mapping]] = ...) -> None: ...

class SubmitBlockSets(_message.Message):
    __slots__ = ("sets",)
    SETS_FIELD_NUMBER: _ClassVar[int]
    sets: _containers.RepeatedCompositeFieldContainer[_game_pb2.SetResult]
    def __init__(self, sets: _Optional[_Iterable[_Union[_game_pb2.SetResult, _Mapping]]] = ...) -> None: ...

class Measured(_message.Message):
    __slots__ = ("worker", "sandbox", "wall_ms", "start_ms", "fetch_ms", "decisions", "cpu_ms", "memory_mib", "play_ms", "deal_ms", "probe_ms", "pace", "uses")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    WALL_MS_FIELD_NUMBER: _ClassVar[int]
    START_MS_FIELD_NUMBER: _ClassVar[int]
    FETCH_MS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    CPU_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    PLAY_MS_FIELD_NUMBER: _ClassVar[int]
    DEAL_MS_FIELD_NUMBER: _ClassVar[int]
    PROBE_MS_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    USES_FIELD_NUMBER: _ClassVar[int]
    worker: str
    sandbox: str
    wall_ms: int
    start_ms: int
    fetch_ms: int
    decisions: int
    cpu_ms: _containers.RepeatedScalarFieldContainer[int]
    memory_mib: _containers.RepeatedScalarFieldContainer[int]
    play_ms: int
    deal_ms: int
    probe_ms: float
    pace: Pace
    uses: _containers.RepeatedCompositeFieldContainer[Use]
    def __init__(self, worker: _Optional[str] = ..., sandbox: _Optional[str] = ..., wall_ms: _Optional[int] = ..., start_ms: _Optional[int] = ..., fetch_ms: _Optional[int] = ..., decisions: _Optional[int] = ..., cpu_ms: _Optional[_Iterable[int]] = ..., memory_mib: _Optional[_Iterable[int]] = ..., play_ms: _Optional[int] = ..., deal_ms: _Optional[int] = ..., probe_ms: _Optional[float] = ..., pace: _Optional[_Union[Pace, _Mapping]] = ..., uses: _Optional[_Iterable[_Union[Use, _Mapping]]] = ...) -> None: ...

class Pace(_message.Message):
    __slots__ = ("mean", "least", "most")
    MEAN_FIELD_NUMBER: _ClassVar[int]
    LEAST_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    mean: float
    least: float
    most: float
    def __init__(self, mean: _Optional[float] = ..., least: _Optional[float] = ..., most: _Optional[float] = ...) -> None: ...

class Use(_message.Message):
    __slots__ = ("bank_ms", "start_ms", "deals_ms")
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    START_MS_FIELD_NUMBER: _ClassVar[int]
    DEALS_MS_FIELD_NUMBER: _ClassVar[int]
    bank_ms: float
    start_ms: float
    deals_ms: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, bank_ms: _Optional[float] = ..., start_ms: _Optional[float] = ..., deals_ms: _Optional[_Iterable[float]] = ...) -> None: ...

class SubmitBlockResponse(_message.Message):
    __slots__ = ("stored",)
    STORED_FIELD_NUMBER: _ClassVar[int]
    stored: bool
    def __init__(self, stored: _Optional[bool] = ...) -> None: ...

class ReportTestRequest(_message.Message):
    __slots__ = ("worker", "unfit")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    UNFIT_FIELD_NUMBER: _ClassVar[int]
    worker: str
    unfit: str
    def __init__(self, worker: _Optional[str] = ..., unfit: _Optional[str] = ...) -> None: ...

class ReportTestResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ReportPresenceRequest(_message.Message):
    __slots__ = ("worker", "ended")
    WORKER_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    worker: str
    ended: bool
    def __init__(self, worker: _Optional[str] = ..., ended: _Optional[bool] = ...) -> None: ...

class ReportPresenceResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListWorkersRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListWorkersResponse(_message.Message):
    __slots__ = ("workers", "next_page_token")
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    workers: _containers.RepeatedCompositeFieldContainer[Worker]
    next_page_token: str
    def __init__(self, workers: _Optional[_Iterable[_Union[Worker, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class Worker(_message.Message):
    __slots__ = ("name", "state", "seen_at", "failures", "words")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    state: WorkerState
    seen_at: _timestamp_pb2.Timestamp
    failures: int
    words: str
    def __init__(self, name: _Optional[str] = ..., state: _Optional[_Union[WorkerState, str]] = ..., seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., failures: _Optional[int] = ..., words: _Optional[str] = ...) -> None: ...

class AdvanceRequest(_message.Message):
    __slots__ = ("tournament_id",)
    TOURNAMENT_ID_FIELD_NUMBER: _ClassVar[int]
    tournament_id: str
    def __init__(self, tournament_id: _Optional[str] = ...) -> None: ...

class AdvanceResponse(_message.Message):
    __slots__ = ("blocks_queued",)
    BLOCKS_QUEUED_FIELD_NUMBER: _ClassVar[int]
    blocks_queued: int
    def __init__(self, blocks_queued: _Optional[int] = ...) -> None: ...

class ReleaseBlocksRequest(_message.Message):
    __slots__ = ("workers",)
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    workers: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, workers: _Optional[_Iterable[str]] = ...) -> None: ...

class ReleaseBlocksResponse(_message.Message):
    __slots__ = ("released",)
    RELEASED_FIELD_NUMBER: _ClassVar[int]
    released: int
    def __init__(self, released: _Optional[int] = ...) -> None: ...

class SweepRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SweepResponse(_message.Message):
    __slots__ = ("sent",)
    SENT_FIELD_NUMBER: _ClassVar[int]
    sent: int
    def __init__(self, sent: _Optional[int] = ...) -> None: ...
