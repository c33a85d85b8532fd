"""Verdicts of workers on versions, in the form in which they are stored. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from maumau.errors import BadRequest
from maumau.protocol.words import clean_text

REASON, LOG = 2_000, 128 * 1024  # characters
WORD = re.compile(r"[a-z0-9_-]{1,64}")


class Verdict(NamedTuple):
    """A worker's verdict on a version, with its texts as stored."""

    ok: bool
    reason: str
    log: str
    rules: Sequence[str]
    seats: Sequence[int]


def check_verdict(ok: bool, reason: str, log: str, rules: Sequence[str], seats: Sequence[int]) -> Verdict:  # noqa: FBT001
    """Return a worker's report as stored; raise `BadRequest` for a refusal without a reason."""
    if not ok and not reason.strip():
        raise BadRequest("A refusal says why; the reason is empty.", field="reason")
    if strange := [rule for rule in rules if not WORD.fullmatch(rule)]:
        raise BadRequest(f"{strange[0][:80]!r} cannot be a variant's name.", field="rules")
    return Verdict(ok, clip_text(reason, REASON), clip_text(log, LOG), rules, seats)


def clip_text(text: str, most: int) -> str:
    """Return the part of a bot's text that can be stored and shown, at most `most` characters."""
    text = clean_text(text)
    return text if len(text) <= most else text[:most] + "\n[the rest was left out]"
