"""Events of a tournament, one struct for each kind."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from maumau.client.answer.match import Match


class StateChange(Struct, frozen=True):
    """A tournament's change of state."""

    before: str
    after: str


class BlockProgress(Struct, frozen=True):
    """The number of a block's sets that have been played."""

    block: int
    sets: int
    played: int


class BlockDone(Struct, frozen=True):
    """A block whose result is stored; sets: its number of sets."""

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
    """A bot's entry; replaced: it takes the place of another version."""

    entrant: int
    bot_name: str
    account_name: str
    version_id: str
    replaced: bool


class EntriesClosed(Struct, frozen=True):
    """The closing of entries; the start then waits for the nonces of these entrants."""

    until: datetime | None
    entrants: tuple[int, ...]


class NonceOpened(Struct, frozen=True):
    """The arrival of an entrant's nonce."""

    entrant: int
    bot_name: str


class EntryConfirmed(Struct, frozen=True):
    """The confirmation of an entry by its author."""

    entrant: int
    bot_name: str


class BotWithdrawn(Struct, frozen=True):
    """A bot's withdrawal; reason: why the arena did it, empty if it was requested."""

    entrant: int
    bot_name: str
    reason: str


class BotDisqualified(Struct, frozen=True):
    """A bot's disqualification, which loses all its matches; reason: of the organiser."""

    entrant: int
    bot_name: str
    reason: str


class ProtestFiled(Struct, frozen=True):
    """The filing of a protest; text: what it says."""

    number: int
    entrant: int
    bot_name: str
    text: str


class ProtestAnswered(Struct, frozen=True):
    """The answer to a protest; answer: what the organiser says."""

    number: int
    entrant: int
    bot_name: str
    accepted: bool
    answer: str


class SpecChanged(Struct, frozen=True):
    """The replacement of the spec; name: the tournament's present one."""

    name: str


class StartPutOff(Struct, frozen=True):
    """A due start that will be tried again."""

    until: datetime | None
    reason: str


class MatchBegun(Struct, frozen=True):
    """The start of a take of a match."""

    take: int
    seed_take: int
    reason: str


class MatchResumed(Struct, frozen=True):
    """The resumption of a paused match; reason: empty if it is automatic."""

    reason: str


class MatchResult(Struct, frozen=True):
    """The decision of a take of a match, as of then; winner: 0 if it was not separated."""

    take: int
    winner: int
    rule: str
    sets: int
    estimate: float


class MatchTakenBack(Struct, frozen=True):
    """The revocation of a take of a match, which no longer counts."""

    take: int
    reason: str


class MatchPaused(Struct, frozen=True):
    """A match paused after several attempts at a block; reason: the last worker's message."""

    block: int
    attempts: int
    reason: str
    again_at: datetime | None


class BlockPutOff(Struct, frozen=True):
    """A block to be played a second time, because these entrants ran out of time or were killed."""

    block: int
    entrants: tuple[int, ...]


class BotSuspended(Struct, frozen=True):
    """A version due for suspension."""

    entrant: int
    bot_name: str
    version_id: str
    reason: str


class RulesRevealed(Struct, frozen=True):
    """The reveal of sealed rules, with the salt of their commitment."""

    rules: str
    commitment: str
    salt: str


class TournamentEvent(Struct, frozen=True):
    """An event; kind: state, match_started, progress, block_done, match_decided, fault, alert.

    One of the fields from `state_change` on is set: the sentence as data for programs. Only events of earlier
    arenas have none.
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
    protest_filed: ProtestFiled | None = None
    protest_answered: ProtestAnswered | None = None
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
    entry_confirmed: EntryConfirmed | None = None
    rules_revealed: RulesRevealed | None = None
