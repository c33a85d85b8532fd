"""What happens in a tournament, as its watchers are told it."""

from typing import Literal

import msgspec

Kind = Literal["state", "match_started", "progress", "block_done", "match_decided", "fault", "alert"]


class Event(msgspec.Struct, frozen=True):
    """One line of news. at: ms since 1970. label: the match it is about, or empty.

    sets_ahead: for progress, sets played in the block that are not yet stored. chain: for block_done, the
    number of the booking, a space and its link. compared: once it is finished.
    """

    at: int
    kind: Kind
    words: str
    label: str = ""
    sets_ahead: int = 0
    chain: str = ""
    compared: str = ""


def encode(event: Event) -> bytes:
    return msgspec.json.encode(event)


def decode(text: bytes | str) -> Event:
    return msgspec.json.decode(text, type=Event)
