"""What went wrong, as HTTP says it: RFC 9457 for programs, a page with a way back for people."""

from typing import Any

from msgspec import Struct

from maumau import errors

RETRY = 5  # seconds after which a reader of a page that is down tries again
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

    def body(self) -> dict[str, Any]:
        """As RFC 9457 writes it."""
        return {
            "type": f"about:blank#{self.reason.lower()}", "title": self.title, "status": self.status,
            "detail": self.detail, "instance": self.instance, "reason": self.reason,
        }  # fmt: skip


def of_error(error: errors.MaumauError, path: str) -> Problem:
    """With the status of STATUS, of other refusals 409. A token that is refused is the arena's mistake."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 409)
    return Problem(status, error.reason, error.reason.replace("_", " ").lower(), str(error), path)
