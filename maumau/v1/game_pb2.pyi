from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RuleSet(_message.Message):
    __slots__ = ("name", "options_json", "hash", "variant_toml")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_JSON_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    VARIANT_TOML_FIELD_NUMBER: _ClassVar[int]
    name: str
    options_json: str
    hash: str
    variant_toml: str
    def __init__(self, name: _Optional[str] = ..., options_json: _Optional[str] = ..., hash: _Optional[str] = ..., variant_toml: _Optional[str] = ...) -> None: ...

class BotLimits(_message.Message):
    __slots__ = ("deal_ms", "memory_mib")
    DEAL_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    deal_ms: int
    memory_mib: int
    def __init__(self, deal_ms: _Optional[int] = ..., memory_mib: _Optional[int] = ...) -> None: ...

class SetResult(_message.Message):
    __slots__ = ("number", "deals")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    number: int
    deals: _containers.RepeatedCompositeFieldContainer[DealResult]
    def __init__(self, number: _Optional[int] = ..., deals: _Optional[_Iterable[_Union[DealResult, _Mapping]]] = ...) -> None: ...

class DealResult(_message.Message):
    __slots__ = ("entrants", "places", "points", "record", "faults", "notes")
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    entrants: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    record: str
    faults: _containers.RepeatedCompositeFieldContainer[Fault]
    notes: _containers.RepeatedCompositeFieldContainer[Note]
    def __init__(self, entrants: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., record: _Optional[str] = ..., faults: _Optional[_Iterable[_Union[Fault, _Mapping]]] = ..., notes: _Optional[_Iterable[_Union[Note, _Mapping]]] = ...) -> None: ...

class Note(_message.Message):
    __slots__ = ("event", "seat", "text")
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    event: int
    seat: int
    text: str
    def __init__(self, event: _Optional[int] = ..., seat: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class LiveDeal(_message.Message):
    __slots__ = ("set", "seating", "entrants", "start", "events", "counts", "places", "points")
    SET_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    set: int
    seating: int
    entrants: _containers.RepeatedScalarFieldContainer[int]
    start: int
    events: _containers.RepeatedScalarFieldContainer[str]
    counts: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, set: _Optional[int] = ..., seating: _Optional[int] = ..., entrants: _Optional[_Iterable[int]] = ..., start: _Optional[int] = ..., events: _Optional[_Iterable[str]] = ..., counts: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("entrant", "seating", "deal", "kind", "words", "ask", "lines", "stderr", "cpu_ms", "wall_ms", "memory_mib", "exit", "overran", "used_ms", "granted_ms", "pace", "killed")
    ENTRANT_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WORDS_FIELD_NUMBER: _ClassVar[int]
    ASK_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    CPU_MS_FIELD_NUMBER: _ClassVar[int]
    WALL_MS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    EXIT_FIELD_NUMBER: _ClassVar[int]
    OVERRAN_FIELD_NUMBER: _ClassVar[int]
    USED_MS_FIELD_NUMBER: _ClassVar[int]
    GRANTED_MS_FIELD_NUMBER: _ClassVar[int]
    PACE_FIELD_NUMBER: _ClassVar[int]
    KILLED_FIELD_NUMBER: _ClassVar[int]
    entrant: int
    seating: int
    deal: int
    kind: str
    words: str
    ask: str
    lines: _containers.RepeatedScalarFieldContainer[str]
    stderr: str
    cpu_ms: int
    wall_ms: int
    memory_mib: int
    exit: str
    overran: bool
    used_ms: float
    granted_ms: float
    pace: float
    killed: bool
    def __init__(self, entrant: _Optional[int] = ..., seating: _Optional[int] = ..., deal: _Optional[int] = ..., kind: _Optional[str] = ..., words: _Optional[str] = ..., ask: _Optional[str] = ..., lines: _Optional[_Iterable[str]] = ..., stderr: _Optional[str] = ..., cpu_ms: _Optional[int] = ..., wall_ms: _Optional[int] = ..., memory_mib: _Optional[int] = ..., exit: _Optional[str] = ..., overran: _Optional[bool] = ..., used_ms: _Optional[float] = ..., granted_ms: _Optional[float] = ..., pace: _Optional[float] = ..., killed: _Optional[bool] = ...) -> None: ...
