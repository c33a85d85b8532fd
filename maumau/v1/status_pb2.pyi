from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("services", "states", "waits", "rates", "needs")
    SERVICES_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    WAITS_FIELD_NUMBER: _ClassVar[int]
    RATES_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    services: _containers.RepeatedScalarFieldContainer[str]
    states: _containers.RepeatedCompositeFieldContainer[StateCount]
    waits: _containers.RepeatedCompositeFieldContainer[WaitCount]
    rates: _containers.RepeatedCompositeFieldContainer[Rate]
    needs: _containers.RepeatedCompositeFieldContainer[NeedState]
    def __init__(self, services: _Optional[_Iterable[str]] = ..., states: _Optional[_Iterable[_Union[StateCount, _Mapping]]] = ..., waits: _Optional[_Iterable[_Union[WaitCount, _Mapping]]] = ..., rates: _Optional[_Iterable[_Union[Rate, _Mapping]]] = ..., needs: _Optional[_Iterable[_Union[NeedState, _Mapping]]] = ...) -> None: ...

class StateCount(_message.Message):
    __slots__ = ("service", "thing", "state", "count", "has_more", "oldest_ms", "bound_ms")
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    THING_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    OLDEST_MS_FIELD_NUMBER: _ClassVar[int]
    BOUND_MS_FIELD_NUMBER: _ClassVar[int]
    service: str
    thing: str
    state: str
    count: int
    has_more: bool
    oldest_ms: int
    bound_ms: int
    def __init__(self, service: _Optional[str] = ..., thing: _Optional[str] = ..., state: _Optional[str] = ..., count: _Optional[int] = ..., has_more: _Optional[bool] = ..., oldest_ms: _Optional[int] = ..., bound_ms: _Optional[int] = ...) -> None: ...

class WaitCount(_message.Message):
    __slots__ = ("thing", "up_to_ms", "count", "has_more")
    THING_FIELD_NUMBER: _ClassVar[int]
    UP_TO_MS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    HAS_MORE_FIELD_NUMBER: _ClassVar[int]
    thing: str
    up_to_ms: int
    count: int
    has_more: bool
    def __init__(self, thing: _Optional[str] = ..., up_to_ms: _Optional[int] = ..., count: _Optional[int] = ..., has_more: _Optional[bool] = ...) -> None: ...

class Rate(_message.Message):
    __slots__ = ("thing", "per_second")
    THING_FIELD_NUMBER: _ClassVar[int]
    PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    thing: str
    per_second: float
    def __init__(self, thing: _Optional[str] = ..., per_second: _Optional[float] = ...) -> None: ...

class NeedState(_message.Message):
    __slots__ = ("need", "up")
    NEED_FIELD_NUMBER: _ClassVar[int]
    UP_FIELD_NUMBER: _ClassVar[int]
    need: str
    up: bool
    def __init__(self, need: _Optional[str] = ..., up: _Optional[bool] = ...) -> None: ...
