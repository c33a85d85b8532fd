"""Times in messages: ms since 1970 as protobuf's Timestamp."""

from google.protobuf.timestamp_pb2 import Timestamp

FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999
"""The ms that a Timestamp can hold: from year 1 to the end of year 9999."""


def to_timestamp(milliseconds: int) -> Timestamp:
    """Return a time as a timestamp, clamped to the range of a message."""
    stamp = Timestamp()
    stamp.FromMilliseconds(min(max(milliseconds, FIRST), LAST))
    return stamp


def to_past_timestamp(milliseconds: int) -> Timestamp | None:
    """Return a past time as a timestamp; None if it is 0: not yet, or unknown."""
    return to_timestamp(milliseconds) if milliseconds else None
