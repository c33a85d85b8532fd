"""Our errors as gRPC statuses: one table, and rich details that clients can evaluate."""

from typing import Any

import grpc
from google.protobuf import any_pb2, duration_pb2
from google.protobuf.message import Message
from google.rpc import code_pb2, status_pb2
from google.rpc import error_details_pb2 as details
from grpc_status import rpc_status

from maumau import errors
from maumau.client.call import DOMAIN, from_rpc_error, rpc_errors
from maumau.errors import MaumauError

__all__ = ["CODES", "code", "from_rpc_error", "rpc_errors", "status"]

LONGEST = 2000  # characters of a message: statuses travel in headers, which are limited to 8 KiB
PART, VIOLATIONS = 200, 3  # characters of a part of the details, and violations in an answer

Code = grpc.StatusCode

ASKED_WRONG = (  # the request can never be carried out as it is
    errors.BadRequest, errors.BadSubmission, errors.BadVariant, errors.BadOption, errors.BadRule,
    errors.BadDeal, errors.BadRecord, errors.BadOrder, errors.BadResult, errors.BadGuess,
    errors.UnreadableCard, errors.UnreadableAction, errors.UnreadableMessage, errors.BadAnswer, errors.NoBot,
)  # fmt: skip
NOT_NOW = (  # it could be carried out in another state
    errors.WrongState,
    errors.Refused,
    errors.IllegalAction,
    errors.GameOver,
    errors.AlreadyRunning,
)
NOT_THERE = (errors.NotFound, errors.UnknownVariant)
NO_TOKEN = (errors.MissingToken, errors.UnknownToken, errors.ExpiredToken, errors.RevokedToken)
TRY_AGAIN = (
    errors.DatabaseUnavailable, errors.StorageUnavailable, errors.BrokerUnavailable, errors.RequestUnderWay,
    errors.ArenaUnreachable, errors.PlatformFault, errors.SandboxUnavailable, errors.BlockStopped,
)  # fmt: skip
OUR_OWN = (  # they occur before or beside a call; within one they are our mistake
    errors.InternalFault, errors.BadSetting, errors.PortInUse, errors.StartFailed, errors.HouseBotRefused,
    errors.BadDataFolder, errors.BadFile, errors.MissingExtra, errors.ClosedClient, errors.BadArena,
    errors.BadLogin, errors.NotLoggedIn, errors.NotDecided, errors.RatingDiverged, errors.ScenarioFailed,
    errors.BadBundle, errors.NotReproducible, errors.BadHandicap, errors.BadBackup, errors.NotEmpty,
    errors.LaterDatabase, errors.LinuxOnly, errors.NotDelivered,
)  # fmt: skip

LATER = {Code.UNAVAILABLE, Code.RESOURCE_EXHAUSTED}  # statuses with a time to retry after
RESOURCES: dict[type[MaumauError], str] = {errors.NotJoined: "bot", errors.UnknownTokenId: "token"}

# A class includes its subclasses, unless they have a line of their own.
CODES: dict[type[MaumauError], Any] = {
    **dict.fromkeys(ASKED_WRONG, Code.INVALID_ARGUMENT),
    **dict.fromkeys(NOT_NOW, Code.FAILED_PRECONDITION),
    **dict.fromkeys(NOT_THERE, Code.NOT_FOUND),
    **dict.fromkeys(NO_TOKEN, Code.UNAUTHENTICATED),
    **dict.fromkeys(TRY_AGAIN, Code.UNAVAILABLE),
    **dict.fromkeys(OUR_OWN, Code.INTERNAL),
    errors.NotAllowed: Code.PERMISSION_DENIED,
    errors.NameTaken: Code.ALREADY_EXISTS,
    errors.StaleFence: Code.FAILED_PRECONDITION,
    errors.NotLeading: Code.UNAVAILABLE,
    errors.AnswerLost: Code.ABORTED,
    errors.RecordsLost: Code.DATA_LOSS,
    errors.DiskFull: Code.RESOURCE_EXHAUSTED,
    errors.TooManyStreams: Code.RESOURCE_EXHAUSTED,
    errors.TooManyCalls: Code.RESOURCE_EXHAUSTED,
    errors.QuotaReached: Code.RESOURCE_EXHAUSTED,
    errors.DeadlinePassed: Code.DEADLINE_EXCEEDED,
}


def code(kind: type[MaumauError]) -> Any:
    """Return the code of the nearest class in the table; INTERNAL for a class that is not placed."""
    return next((CODES[base] for base in kind.__mro__ if base in CODES), Code.INTERNAL)


def status(error: MaumauError, request_id: str) -> Any:
    """Return a grpc.Status with the message for people, and reason and details for programs."""
    packed = [_pack(detail) for detail in _details(error, request_id)]
    number = code_pb2.Code.Value(code(type(error)).name)
    said = status_pb2.Status(code=number, message=_clipped(str(error), LONGEST), details=packed)
    return rpc_status.to_status(said)


def resource_type(kind: type[MaumauError]) -> str:
    """Return the type of a missing resource: `bot` for UnknownBot."""
    return RESOURCES.get(kind, kind.reason.removeprefix("UNKNOWN_").lower())


def _details(error: MaumauError, request_id: str) -> list[Message]:
    """Return the details of google.rpc listed in docs/reference/errors.md."""
    told: list[Message] = [
        details.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata={"request_id": request_id[:100]})
    ]
    if error.violations:
        fields = [
            details.BadRequest.FieldViolation(field=field[:PART], description=_clipped(words, PART))
            for field, words in error.violations[:VIOLATIONS]
        ]
        told.append(details.BadRequest(field_violations=fields))
    if error.retry_after is not None and code(type(error)) in LATER:
        told.append(details.RetryInfo(retry_delay=_duration(error.retry_after)))
    if error.quota:
        words = _clipped(str(error), PART)
        violation = details.QuotaFailure.Violation(subject=error.quota[:PART], description=words)
        told.append(details.QuotaFailure(violations=[violation]))
    if code(type(error)) is Code.NOT_FOUND:
        told.append(details.ResourceInfo(resource_type=resource_type(type(error)), resource_name=error.thing))
    return told


def _pack(detail: Message) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(detail)
    return packed


def _duration(seconds: float) -> duration_pb2.Duration:
    duration = duration_pb2.Duration()
    duration.FromMilliseconds(round(1000 * seconds))
    return duration


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
