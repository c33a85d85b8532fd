"""Events of a tournament for its watchers."""

from typing import Literal

import msgspec

Kind = Literal["state", "match_started", "progress", "block_done", "match_decided", "fault", "alert"]


class StateChange(msgspec.Struct, frozen=True, tag="state_change"):
    """A tournament went from one state to another."""

    before: str
    after: str


class BlockProgress(msgspec.Struct, frozen=True, tag="block_progress"):
    """The number of sets of a block that have been played so far."""

    block: int
    sets: int
    played: int


class BlockDone(msgspec.Struct, frozen=True, tag="block_done"):
    """A block whose result is stored; sets: its number of sets."""

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
    """A bot was entered; replaced: this version takes the place of an earlier one."""

    entrant: int
    bot_name: str
    account_name: str
    version_id: str
    replaced: bool


class EntriesClosed(msgspec.Struct, frozen=True, tag="entries_closed"):
    """Entries are closed; the start waits for the nonces of these entrants, at the latest until `until`."""

    until: int
    entrants: list[int]


class NonceOpened(msgspec.Struct, frozen=True, tag="nonce_opened"):
    """The nonce of an entrant was revealed to the arena."""

    entrant: int
    bot_name: str


class EntryConfirmed(msgspec.Struct, frozen=True, tag="entry_confirmed"):
    """The start no longer waits for the author of an entrant."""

    entrant: int
    bot_name: str


class BotWithdrawn(msgspec.Struct, frozen=True, tag="bot_withdrawn"):
    """A bot was withdrawn; reason: the arena's, empty if a person withdrew it."""

    entrant: int
    bot_name: str
    reason: str = ""


class BotDisqualified(msgspec.Struct, frozen=True, tag="bot_disqualified"):
    """A bot forfeits all its matches; reason: the organiser's."""

    entrant: int
    bot_name: str
    reason: str


class SpecChanged(msgspec.Struct, frozen=True, tag="spec_changed"):
    """The spec was replaced; name: the tournament's name in the new spec."""

    name: str


class StartPutOff(msgspec.Struct, frozen=True, tag="start_put_off"):
    """A start that was due is tried again at `until`."""

    until: int
    reason: str


class MatchBegun(msgspec.Struct, frozen=True, tag="match_begun"):
    """A take of a match has begun."""

    take: int
    seed_take: int
    reason: str


class MatchResumed(msgspec.Struct, frozen=True, tag="match_resumed"):
    """A paused match goes on; reason: that of the person who resumed it, empty if it resumed by itself."""

    reason: str


class MatchResult(msgspec.Struct, frozen=True, tag="match_result"):
    """The decision of a take of a match; winner: 0 if the bots were not separated."""

    take: int
    winner: int
    rule: str
    sets: int
    estimate: float


class MatchTakenBack(msgspec.Struct, frozen=True, tag="match_taken_back"):
    """A take of a match no longer counts."""

    take: int
    reason: str


class MatchPaused(msgspec.Struct, frozen=True, tag="match_paused"):
    """A block was given up after this many attempts; reason: the last worker's message."""

    block: int
    attempts: int
    reason: str
    again_at: int


class BlockPutOff(msgspec.Struct, frozen=True, tag="block_put_off"):
    """A block is played a second time, because these entrants ran out of time or were killed."""

    block: int
    entrants: list[int]


class BotSuspended(msgspec.Struct, frozen=True, tag="bot_suspended"):
    """A version is to be suspended."""

    entrant: int
    bot_name: str
    version_id: str
    reason: str


class ProtestFiled(msgspec.Struct, frozen=True, tag="protest_filed"):
    """A protest against the result was filed."""

    number: int
    entrant: int
    bot_name: str
    text: str


class ProtestAnswered(msgspec.Struct, frozen=True, tag="protest_answered"):
    """A protest was accepted or rejected; answer: the organiser's."""

    number: int
    entrant: int
    bot_name: str
    accepted: bool
    answer: str


class RulesRevealed(msgspec.Struct, frozen=True, tag="rules_revealed"):
    """Sealed rules are public from now on."""

    rules: str
    commitment: str
    salt: str


Part = (
    StateChange
    | BlockProgress
    | BlockDone
    | FaultCount
    | BotEntered
    | BotWithdrawn
    | BotDisqualified
    | SpecChanged
    | EntryConfirmed
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
    | ProtestFiled
    | ProtestAnswered
    | RulesRevealed
)
"""Tags are fields of TournamentEvent (proto/maumau/v1/tournament.proto), class names those of messages."""


class Event(msgspec.Struct, frozen=True):
    """One line of news. at: ms since 1970. label: the match that it is about, or empty.

    part: the content of the sentence, for programs; None only in events of earlier releases. sets_ahead: for
    progress, sets of the block that are played but not yet stored. chain: the number of the link made with
    the event, a space and the link; empty if there is none. compared: once the tournament is finished.
    """

    at: int
    kind: Kind
    words: str
    label: str = ""
    sets_ahead: int = 0
    chain: str = ""
    compared: str = ""
    part: Part | None = None


def encode_event(event: Event) -> bytes:
    return msgspec.json.encode(event)


def decode_event(text: bytes | str) -> Event:
    return msgspec.json.decode(text, type=Event)
