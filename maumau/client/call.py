"""gRPC for clients: channels, errors as classes of `maumau.errors`, messages as plain structs.

It knows no message of the contract by name; those are in `arena.py` and the modules beside it.
"""

from __future__ import annotations

import os
import random
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2 as details
from grpc_status import rpc_status

from maumau import errors
from maumau.client import answer
from maumau.process import trace

T = TypeVar("T")
DOMAIN = "maumau"
REQUEST_ID = "x-request-id"  # the metadata under which both sides send it
SERVICE_HEADER = (
    "maumau-service"  # the metadata by which a proxy distinguishes services that answer the same calls
)
SILENT = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
"""Status codes of an arena that is down, restarting or cut off. A client cancels nothing itself."""
UNCONNECTED = {
    "Hostname Verification": "its certificate is not for the name in this address: correct one of them",
    "certificate has expired": "its certificate has expired: whoever runs it must renew it",
    "CERTIFICATE_VERIFY_FAILED": "no authority of MAUMAU_TLS_CA has signed its certificate, or, without that"
    " setting, none that this machine trusts",
    "Socket closed": "it closes every connection: it is not ready, wants TLS, or refuses the certificate that"
    " it was shown",
}
"""Reasons for failed connections, by a part of gRPC's message."""
UNRESOLVED = ("lookup error", "DNS resolution failed")
BROKEN = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNIMPLEMENTED}
METHOD_UNKNOWN = "Method not found!"  # as gRPC itself says it, where an earlier release answers
WRONG_SERVICE = (
    "another of its services answers at this port, or its release is an earlier one. --arena takes the"
    " address of the page or of the registry; the arena tells the other ports"
)
TOKEN_ERRORS = errors.MissingToken, errors.UnknownToken, errors.ExpiredToken, errors.RevokedToken
TRY_AGAIN = (
    errors.ArenaUnreachable,
    errors.DatabaseUnavailable,
    errors.RequestUnderWay,
    errors.TooManyCalls,
)
"""Errors that pass by themselves."""
OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 5000),  # in truth the time that a connection has to come about
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.enable_http_proxy", 0),
    ("grpc.keepalive_time_ms", 30_000),  # an arena that is gone without a word is noticed
    ("grpc.keepalive_timeout_ms", 20_000),
)


def open_channel(address: str, *, tls: bool) -> grpc.Channel:
    """Return a channel to host:port that connects on first use, and reconnects soon after a loss.

    tls: trust the authorities in the PEM file that MAUMAU_TLS_CA names, else the usual ones; show the
    certificate that MAUMAU_TLS_CLIENT_CERT and MAUMAU_TLS_CLIENT_KEY name, if any. Raises BadFile.
    """
    if tls:
        credentials = grpc.ssl_channel_credentials(_read_roots(), *_own_certificate())
        return trace.trace_channel(grpc.secure_channel(address, credentials, options=OPTIONS))
    return trace.trace_channel(grpc.insecure_channel(address, options=OPTIONS))


def _read_roots() -> bytes | None:
    path = os.environ.get("MAUMAU_TLS_CA")
    if not path:
        return None
    try:
        ssl.create_default_context(cafile=path)
        return Path(path).read_bytes()
    except OSError as error:  # an ssl.SSLError is one
        words = getattr(error, "reason", None) or error.strerror
        raise errors.BadFile(f"MAUMAU_TLS_CA = {path!r} is not a file of certificates ({words})") from None


def _own_certificate() -> tuple[bytes, bytes] | tuple[()]:
    """Return the key and the certificate to show; empty without one."""
    paths = [os.environ.get(f"MAUMAU_TLS_CLIENT_{what}", "") for what in ("KEY", "CERT")]
    names = "MAUMAU_TLS_CLIENT_CERT and MAUMAU_TLS_CLIENT_KEY"
    if not any(paths):
        return ()
    if not all(paths):
        raise errors.BadFile(f"{names} belong together: set both or neither")
    try:
        key, chain = (Path(path).read_bytes() for path in paths)
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(paths[1], paths[0], password="")
    except ssl.SSLError as error:
        words = f"{paths[1]} and {paths[0]} are not a certificate and its key in PEM ({error.reason})"
        raise errors.BadFile(f"{words}; {names} name them") from None
    except OSError as error:
        raise errors.BadFile(f"{error.filename} cannot be read ({error.strerror}); {names} name it") from None
    return key, chain


def describe_address(address: str, service: str = "", hint: str = "") -> str:
    """Return host:port as errors say it, with the service and a hint in brackets."""
    words = "; ".join(filter(None, (service, hint)))
    return f"{address} ({words})" if words else address


def from_rpc_error(error: grpc.RpcError, address: str = "") -> errors.MaumauError:
    """Return the error named in the arena's `ErrorInfo`, or for a failed call the error that it means."""
    code, words = error.code(), error.details() or ""
    arena = f"the arena at {address}" if address else "the arena"
    named = _named_error(error)
    if named:
        named.arena = address if isinstance(named, TOKEN_ERRORS) else ""
        return named
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return errors.DeadlinePassed(f"{arena} did not answer in time")
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in words:  # gRPC itself refused it
        return errors.MessageTooLarge(f"the message is larger than {arena} takes ({words})")
    if code in SILENT:
        silent = errors.ArenaUnreachable(f"{arena} does not answer ({_explain_failure(words)})")
        silent.retry_after = None  # there is no arena to set a time
        return silent
    if code in BROKEN:
        why = WRONG_SERVICE if words == METHOD_UNKNOWN else words or code.name.lower()
        return errors.InternalFault(f"{arena} failed: {why}")
    return errors.Refused(words)


def _explain_failure(words: str) -> str:
    """Return the reason of a failed connection, from gRPC's message."""
    if any(sign in words for sign in UNRESOLVED):
        return "no host of this name can be found"
    first, _, last = words.partition(";")
    return next((why for sign, why in UNCONNECTED.items() if sign in last), first)


@contextmanager
def rpc_errors(address: str = "") -> Iterator[None]:
    """Convert failed calls in this context, sync or aio, into errors of maumau."""
    try:
        yield
    except grpc.RpcError as error:
        raise from_rpc_error(error, address) from None


def _named_error(error: grpc.RpcError) -> errors.MaumauError | None:
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # details that contradict the status: not ours
        return None
    for detail in status.details if status else ():
        info = details.ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            named = _error_class(info.reason)(status.message)
            named.request_id, named.retry_after = info.metadata.get("request_id", ""), None
            for more in status.details:
                _add_detail(named, more)
            return named
    return None


def _add_detail(error: errors.MaumauError, detail: Any) -> None:
    """Add the details besides the reason: docs/reference/errors.md."""
    request, retry, quota, resource = (
        details.BadRequest(),
        details.RetryInfo(),
        details.QuotaFailure(),
        details.ResourceInfo(),
    )
    if detail.Unpack(request):
        error.violations = tuple(
            errors.Violation(one.field, one.description) for one in request.field_violations
        )
    elif detail.Unpack(retry):
        error.retry_after = retry.retry_delay.ToMilliseconds() / 1000
    elif detail.Unpack(quota):
        error.quota = ", ".join(one.subject for one in quota.violations)
    elif detail.Unpack(resource):
        error.thing = resource.resource_name


def _error_class(reason: str) -> type[errors.MaumauError]:
    """Return the error class of a reason; for an unknown one a `Refused` that keeps the reason."""
    known = errors.by_reason()
    if reason in known:
        return known[reason]
    unknown: type[errors.Refused] = type("Refused", (errors.Refused,), {})
    unknown.reason = reason
    return unknown


def to_struct(kind: type[T], message: Message) -> T:
    """Return this message as a struct of the package `answer`; nested ones become structs of their names."""
    return kind(**{name: read(message) for name, read in _field_readers(message.DESCRIPTOR)})


@cache
def _field_readers(kind: Any) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Return, by field of such messages, its reader as a plain value; cached."""
    return tuple((field.name, _make_reader(field)) for field in kind.fields)


def _make_reader(field: Any) -> Callable[[Any], Any]:
    value, single = attrgetter(field.name), _make_converter(field)
    if field.is_repeated:
        return lambda message: tuple(map(single, value(message)))
    if field.has_presence:
        return lambda message: single(value(message)) if message.HasField(field.name) else None
    return lambda message: single(value(message))


def _make_converter(field: Any) -> Callable[[Any], Any]:
    """Return the function that makes one value of a field plain."""
    if field.enum_type:
        prefix = _enum_prefix(field.enum_type.name)
        words = {one.number: one.name.removeprefix(prefix).lower() for one in field.enum_type.values}
        return words.__getitem__
    if field.message_type:
        if field.message_type.full_name == "google.protobuf.Timestamp":
            return _to_datetime
        name = field.message_type.name
        return lambda value: to_struct(getattr(answer, name), value)
    return _same_value


def find_number(enum: Any, word: str) -> Any:
    """Return the number of an enum's value: 4 for "paused" in TournamentState; 0 for "".

    Raises:
        BadRequest: if it has no such value.
    """
    if not word:
        return 0
    try:
        return enum.Value(_enum_prefix(enum.DESCRIPTOR.name) + word.upper())
    except ValueError:
        raise errors.BadRequest(f"There is no state {word[:40]!r}.", field="state") from None


def _same_value(value: Any) -> Any:
    return value


def _enum_prefix(enum: str) -> str:
    """Return the prefix of an enum's values: VERSION_STATE_ for VersionState."""
    return "".join("_" + c if c.isupper() and i else c for i, c in enumerate(enum)).upper() + "_"


def _to_datetime(stamp: Any) -> datetime:
    moment: datetime = stamp.ToDatetime(tzinfo=UTC)
    return moment


def yield_pauses() -> Iterator[float]:
    """Yield the seconds to wait before each further try: doubled each time, at most 2.

    Up to half is random, so that clients cut off by one outage do not all return at once.
    """
    pause = 0.1
    while True:
        yield pause * random.uniform(0.5, 1)  # noqa: S311  # no secret
        pause = min(2 * pause, 2.0)


class Patience:
    """Pauses between tries while the arena does not answer.

    They last for at most `seconds` from when that was first noticed, however long nothing had to be said
    before, and not beyond `last` on the monotonic clock.
    """

    def __init__(self, seconds: float, last: float | None = None) -> None:
        self.seconds, self._last = seconds, last
        self.note_answer()

    def note_answer(self) -> None:
        """Note that the arena has answered."""
        self._ends: float | None = None
        self._pauses = yield_pauses()

    def take_pause(self, error: errors.MaumauError, least: float | None = 0.0) -> float:
        """Return the seconds before the next try, `least` or more; raise `error` once patience is over."""
        now = time.monotonic()
        if self._ends is None:
            self._ends = now + self.seconds
        pause = max(next(self._pauses), least or 0.0)
        if now + pause > (self._ends if self._last is None else min(self._ends, self._last)):
            raise error
        return pause


def retry_call(call: Callable[[], T], patience: float, last: float | None = None) -> T:
    """Return the call's answer; repeat it while the arena is silent.

    Give up `patience` seconds after that was first noticed, or at `last` on the monotonic clock.
    """
    waiting = Patience(patience, last)
    while True:
        try:
            return call()
        except TRY_AGAIN as error:
            pause = waiting.take_pause(error, error.retry_after)
        time.sleep(pause)


def resume_stream(stream: Callable[[], Iterator[T]], patience: float) -> Iterator[T]:
    """Yield the stream's parts; when it breaks off, those of a new one.

    Give up when the arena has been silent for `patience` seconds from when that was first noticed.
    """
    waiting = Patience(patience)
    while True:
        try:
            for part in stream():
                waiting.note_answer()
                yield part
        except TRY_AGAIN as error:
            pause = waiting.take_pause(error, error.retry_after)
        else:
            return
        time.sleep(pause)
