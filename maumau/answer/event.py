"""What happens in a tournament, one struct for each kind of event."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.answer.match import Match


class StateChange(Struct, frozen=True):
    """A tournament went from one state to another."""

    before: str
    after: str


class BlockProgress(Struct, frozen=True):
    """How many sets of a block are played."""

    block: int
    sets: int
    played: int


class BlockDone(Struct, frozen=True):
    """A block whose result is stored; sets: how many it has."""

    block: int
    first_set: int
    sets: int


class FaultCount(Struct, frozen=True):
    """Faults of one bot and one kind in one block; entrant: the entry's number."""

    block: int
    entrant: int
    bot_name: str
    kind: str
    count: int


class BotEntered(Struct, frozen=True):
    """A bot has entered; replaced: in place of a version that had."""

    entrant: int
    bot_name: str
    account_name: str
    version_id: str
    replaced: bool


class EntriesClosed(Struct, frozen=True):
    """Entries are closed; until then the start waits for the nonces of these entrants."""

    until: datetime | None
    entrants: tuple[int, ...]


class NonceOpened(Struct, frozen=True):
    """The arena has the nonce of an entrant."""

    entrant: int
    bot_name: str


class BotWithdrawn(Struct, frozen=True):
    """A bot was taken out; reason: why the arena did it, empty if somebody asked for it."""

    entrant: int
    bot_name: str
    reason: str


class BotDisqualified(Struct, frozen=True):
    """A bot loses all its matches; reason: of the organiser."""

    entrant: int
    bot_name: str
    reason: str


class SpecChanged(Struct, frozen=True):
    """The spec was replaced; name: the one that the tournament has now."""

    name: str


class StartPutOff(Struct, frozen=True):
    """A start that was due is tried again."""

    until: datetime | None
    reason: str


class MatchBegun(Struct, frozen=True):
    """A take of a match was begun."""

    take: int
    seed_take: int
    reason: str


class MatchResumed(Struct, frozen=True):
    """A paused match goes on; reason: empty if it does by itself."""

    reason: str


class MatchResult(Struct, frozen=True):
    """How a take of a match was decided, as it was then; winner: 0 if it was not separated."""

    take: int
    winner: int
    rule: str
    sets: int
    estimate: float


class MatchTakenBack(Struct, frozen=True):
    """A take of a match counts no more."""

    take: int
    reason: str


class MatchPaused(Struct, frozen=True):
    """A block was given up after several attempts; reason: what the last worker said."""

    block: int
    attempts: int
    reason: str
    again_at: datetime | None


class BlockPutOff(Struct, frozen=True):
    """A block is played a second time, because these entrants ran out of time."""

    block: int
    entrants: tuple[int, ...]


class BotSuspended(Struct, frozen=True):
    """A version is to be suspended."""

    entrant: int
    bot_name: str
    version_id: str
    reason: str


class TournamentEvent(Struct, frozen=True):
    """What happened; kind: state, match_started, progress, block_done, match_decided, fault, alert.

    One of those from `state_change` on is set, for programs: it says what the sentence says. None is only in
    what an earlier arena told.
    """

    cursor: str
    at: datetime | None
    kind: str
    match: Match | None
    words: str
    sets_ahead: int
    chain: str = ""
    compared: str = ""
    state_change: StateChange | None = None
    block_progress: BlockProgress | None = None
    block_done: BlockDone | None = None
    fault_count: FaultCount | None = None
    bot_entered: BotEntered | None = None
    bot_withdrawn: BotWithdrawn | None = None
    spec_changed: SpecChanged | None = None
    start_put_off: StartPutOff | None = None
    match_begun: MatchBegun | None = None
    match_resumed: MatchResumed | None = None
    match_result: MatchResult | None = None
    match_taken_back: MatchTakenBack | None = None
    match_paused: MatchPaused | None = None
    block_put_off: BlockPutOff | None = None
    bot_suspended: BotSuspended | None = None
    entries_closed: EntriesClosed | None = None
    nonce_opened: NonceOpened | None = None
    bot_disqualified: BotDisqualified | None = None
