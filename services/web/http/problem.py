"""Errors over HTTP: RFC 9457 for programs, a page with a way back for people."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from maumau import errors

RETRY = 5  # seconds after which the reader of an error page tries again
STATUS: tuple[tuple[type[errors.MaumauError], int], ...] = (
    (errors.MissingToken, 502),
    (errors.UnknownToken, 502),
    (errors.NotFound, 404),
    (errors.UnknownVariant, 404),
    (errors.BadRequest, 400),
    (errors.NotYours, 403),
    (errors.NotAllowed, 403),
    (errors.TooManyCalls, 429),
    (errors.TooManyStreams, 429),
    (errors.ArenaUnreachable, 503),
    (errors.DatabaseUnavailable, 503),
    (errors.StorageUnavailable, 503),
    (errors.DeadlinePassed, 503),
    (errors.NoHouseBot, 503),
    (errors.InternalFault, 502),
    (errors.RecordsLost, 502),
)


class Problem(Struct, frozen=True):
    """A problem detail: `type` is about:blank#REASON, `title` its name, `detail` one sentence."""

    status: int
    reason: str
    title: str
    detail: str
    instance: str

    def build_body(self) -> dict[str, Any]:
        """Return the body in the notation of RFC 9457."""
        return {
            "type": f"about:blank#{self.reason.lower()}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": self.instance,
            "reason": self.reason,
        }


def say_unreadable(found: Mapping[str, Any]) -> str:
    """Return a sentence about an invalid parameter of an address."""
    kind, given, bounds = found["type"], str(found.get("input", ""))[:80] or "''", found.get("ctx", {})
    words = {
        "int_parsing": "expected a whole number",
        "greater_than_equal": f"expected a number of at least {bounds.get('ge')}",
        "less_than_equal": f"expected a number of at most {bounds.get('le')}",
        "literal_error": f"expected {bounds.get('expected')}",
    }
    expected = words.get(kind)
    return (
        f"{found['loc'][-1]}: {expected}, not {given}."
        if expected
        else f"{found['loc'][-1]}: {found['msg']}."
    )


def of_error(error: errors.MaumauError, path: str) -> Problem:
    """Return the problem of an error, with 409 unless STATUS has it. A refused token is the page's fault."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 409)
    return Problem(status, error.reason, error.reason.replace("_", " ").lower(), str(error), path)
