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


class BotEntered(msgspec.Struct, frozen=True, tag="bot_entered"):
    """A bot has entered; replaced: in place of a version that had."""

    entrant: int
    bot_name: str
    account_name: str
    version_id: str
    replaced: bool


class EntriesClosed(msgspec.Struct, frozen=True, tag="entries_closed"):
    """Entries are closed; until then the start waits for the nonces of these entrants."""

    until: int
    entrants: list[int]


class NonceOpened(msgspec.Struct, frozen=True, tag="nonce_opened"):
    """The arena has the nonce of an entrant."""

    entrant: int
    bot_name: str


class BotWithdrawn(msgspec.Struct, frozen=True, tag="bot_withdrawn"):
    """A bot was taken out; reason: why the arena did it, empty if somebody asked for it."""

    entrant: int
    bot_name: str
    reason: str = ""


class BotDisqualified(msgspec.Struct, frozen=True, tag="bot_disqualified"):
    """A bot loses all its matches; reason: of the organiser."""

    entrant: int
    bot_name: str
    reason: str


class SpecChanged(msgspec.Struct, frozen=True, tag="spec_changed"):
    """The spec was replaced; name: the one that the tournament has now."""

    name: str


class StartPutOff(msgspec.Struct, frozen=True, tag="start_put_off"):
    """A start that was due is tried again."""

    until: int
    reason: str


class MatchBegun(msgspec.Struct, frozen=True, tag="match_begun"):
    """A take of a match was begun."""

    take: int
    seed_take: int
    reason: str


class MatchResumed(msgspec.Struct, frozen=True, tag="match_resumed"):
    """A paused match goes on; reason: of whoever let it, empty if it does by itself."""

    reason: str


class MatchResult(msgspec.Struct, frozen=True, tag="match_result"):
    """How a take of a match was decided; winner: 0 if it was not separated."""

    take: int
    winner: int
    rule: str
    sets: int
    estimate: float


class MatchTakenBack(msgspec.Struct, frozen=True, tag="match_taken_back"):
    """A take of a match counts no more."""

    take: int
    reason: str


class MatchPaused(msgspec.Struct, frozen=True, tag="match_paused"):
    """A block was given up after so many attempts; reason: what the last worker said."""

    block: int
    attempts: int
    reason: str
    again_at: int


class BlockPutOff(msgspec.Struct, frozen=True, tag="block_put_off"):
    """A block is played a second time, because these entrants ran out of time."""

    block: int
    entrants: list[int]


class BotSuspended(msgspec.Struct, frozen=True, tag="bot_suspended"):
    """A version is to be suspended."""

    entrant: int
    bot_name: str
    version_id: str
    reason: str


Part = (
    StateChange
    | BlockProgress
    | BlockDone
    | FaultCount
    | BotEntered
    | BotWithdrawn
    | BotDisqualified
    | SpecChanged
    | StartPutOff
    | MatchBegun
    | MatchResumed
    | MatchResult
    | MatchTakenBack
    | MatchPaused
    | BlockPutOff
    | BotSuspended
    | EntriesClosed
    | NonceOpened
)
"""Tags are the fields of TournamentEvent (proto/maumau/v1/tournament.proto), names its messages."""


class Event(msgspec.Struct, frozen=True):
    """One line of news. at: ms since 1970. label: the match it is about, or empty.

    part: what the sentence says, for programs; None only in what an earlier arena told.
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
