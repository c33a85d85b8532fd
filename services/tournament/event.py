"""What happens in a tournament, as its watchers are told it."""

from typing import Literal

import msgspec

Kind = Literal["state", "match_started", "progress", "block_done", "match_decided", "fault", "alert"]


class StateChange(msgspec.Struct, frozen=True, tag="state_change"):
    """A tournament went from one state to another."""

    before: str
    after: str


class BlockProgress(msgspec.Struct, frozen=True, tag="block_progress"):
    """How many sets of a block are played."""

    block: int
    sets: int
    played: int


class BlockDone(msgspec.Struct, frozen=True, tag="block_done"):
    """A block whose result is stored; sets: how many it has."""

    block: int
    first_set: int
    sets: int


class FaultCount(msgspec.Struct, frozen=True, tag="fault_count"):
    """Faults of one bot and one kind in one block; entrant: the entry's number."""

    block: int
    entrant: int
    bot_name: str
    kind: str
    count: int


Part = StateChange | BlockProgress | BlockDone | FaultCount


class Event(msgspec.Struct, frozen=True):
    """One line of news. at: ms since 1970. label: the match it is about, or empty.

    part: what the sentence says, for programs; None where kind and label say it all.
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
    part: Part | None = None


def encode(event: Event) -> bytes:
    return msgspec.json.encode(event)


def decode(text: bytes | str) -> Event:
    return msgspec.json.decode(text, type=Event)
