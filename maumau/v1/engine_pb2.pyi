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
EYES_UNSPECIFIED: Eyes
EYES_OPEN: Eyes
EYES_SEAT: Eyes
EYES_WATCHER: Eyes

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
