"""What an arena answers, as plain structs: one for each message of the contract that a client shows.

Each struct has the name and exactly the fields of its message in `proto/maumau/v1`, where they are explained.
Enums are their last words in lower case ("running"), times are aware datetimes, or None where unset.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Version(Struct, frozen=True):
    """A program of a bot.

    state: uploaded, validating, valid, refused, active, retired, stalled, suspended.
    """

    id: str
    bot_id: str
    bot_name: str
    account_name: str
    number: int
    sha256: str
    state: str
    reason: str
    rules: tuple[str, ...]
    seats: tuple[int, ...]
    created_at: datetime | None
    progress: str
    built_sha256: str
    built_platform: str
    queue_place: int = 0
    queue_seconds: float = 0.0

    @property
    def settled(self) -> bool:
        """Whether validation is over, one way or the other."""
        return self.state not in {"uploaded", "validating", "suspended"}


class Bot(Struct, frozen=True):
    """A named competitor, its versions newest first."""

    id: str
    name: str
    account_name: str
    versions: tuple[Version, ...]


class CreateAccountResponse(Struct, frozen=True):
    """A new account with its first token."""

    account_id: str
    token: str
    expires_at: datetime | None


class CreateTokenResponse(Struct, frozen=True):
    """A further token."""

    token: str
    expires_at: datetime | None


class RotateTokenResponse(Struct, frozen=True):
    """The token in place of the one that asked."""

    token: str
    expires_at: datetime | None


class CreatePageCodeResponse(Struct, frozen=True):
    """A code to log in to the page with, once; page: its address, or ""."""

    code: str
    expires_at: datetime | None
    page: str


class RedeemPageCodeResponse(Struct, frozen=True):
    """The token of a session on the page."""

    token: str
    expires_at: datetime | None
    account_name: str


class Token(Struct, frozen=True):
    """A token as it is listed; it is shown itself only when it is made."""

    id: str
    label: str
    account_name: str
    scopes: tuple[str, ...]
    created_at: datetime | None
    expires_at: datetime | None
    parent_id: str
    current: bool


class ServerLimits(Struct, frozen=True):
    """What a submission and an account may have at most."""

    upload_bytes: int
    unpacked_bytes: int
    members: int
    bots: int
    waiting_versions: int
    stored_mib: int
    validation_minutes: int


class VariantInfo(Struct, frozen=True):
    """A variant that an arena knows; rules_hash: with the default options."""

    name: str
    rules_hash: str
    fewest_seats: int
    most_seats: int


class GetServerInfoResponse(Struct, frozen=True):
    """What an arena is. open: anybody may open an account; takes_strangers: anybody's programs play."""

    version: str
    open: bool
    takes_strangers: bool
    runtimes: tuple[str, ...]
    limits: ServerLimits | None
    variants: tuple[VariantInfo, ...]


class WhoAmIResponse(Struct, frozen=True):
    """Who a token belongs to."""

    account_id: str
    account_name: str
    scopes: tuple[str, ...]
    expires_at: datetime | None


class SubmitVersionResponse(Struct, frozen=True):
    """What an upload became."""

    version: Version
    known: bool


class RuleSet(Struct, frozen=True):
    """The exact rules of a deal; variant_toml is "" for a known variant."""

    name: str
    options_json: str
    hash: str
    variant_toml: str


class Entry(Struct, frozen=True):
    """A bot in a tournament, numbered from 1 in the order of entry."""

    number: int
    bot_name: str
    version_id: str
    sha256: str
    withdrawn: bool
    account_name: str
    built_sha256: str
    entered_at: datetime | None = None
    commitment: str = ""
    nonce_opened: bool = False
    nonce: str = ""


class Tournament(Struct, frozen=True):
    """A contest; state: created, open, running, paused, decided, finished, cancelled.

    release: public, participants or end: who may see results before it is over.
    """

    id: str
    name: str
    state: str
    spec_toml: str
    rules: RuleSet | None
    commitment: str
    secret: str
    secret_given: bool
    entries_root: str
    entries: tuple[Entry, ...]
    matches_decided: int
    matches_known: int
    created_at: datetime | None
    words: str
    chain: str = ""
    compared: str = ""
    due_at: datetime | None = None
    organiser: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    closes_at: datetime | None = None
    warnings: tuple[str, ...] = ()
    release: str = "public"

    @property
    def over(self) -> bool:
        """Whether nothing will happen in it any more."""
        return self.state in {"finished", "cancelled"}


class Match(Struct, frozen=True):
    """Two entrants until it is decided; state: playing, decided, paused, withdrawn.

    reason: why this take was begun after the one before it.
    """

    label: str
    first: int
    second: int
    first_name: str
    second_name: str
    state: str
    winner: int
    rule: str
    sets: int
    estimate: float
    low: float
    high: float
    llr: float
    faults: tuple[int, ...]
    format: str
    id: str
    take: int
    seed_take: int
    reason: str = ""
    queued_at: datetime | None = None
    started_at: datetime | None = None
    decided_at: datetime | None = None
    withdrawn_at: datetime | None = None


class Standing(Struct, frozen=True):
    """A line of the table; ratings in Elo."""

    rank: int
    entrant: int
    bot_name: str
    rating: float
    low: float
    high: float
    sets: int
    won: int
    lost: int
    level: int
    faults: int
    rule: str


class Carryover(Struct, frozen=True):
    """By how much of a deal a bot scored more in the seating played second, with its 95 % interval.

    p: at least the chance that a bot that remembers nothing ever seems to gain so much. suspicious: it is too
    small.
    """

    entrant: int
    bot_name: str
    sets: int
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool


class GetStandingsResponse(Struct, frozen=True):
    """The table, best first; carryover is for organisers and empty for everybody else."""

    standings: tuple[Standing, ...]
    final: bool
    carryover: tuple[Carryover, ...]


class Round(Struct, frozen=True):
    """A round of a bracket."""

    round: int
    name: str
    matches: tuple[Match, ...]
    byes: tuple[int, ...]


class Block(Struct, frozen=True):
    """A block of a match; state: queued, claimed, done, dropped, void."""

    id: str
    number: int
    first_set: int
    sets: int
    state: str
    attempts: int
    worker: str
    queued_at: datetime | None = None
    claimed_at: datetime | None = None
    done_at: datetime | None = None


class FaultSummary(Struct, frozen=True):
    """A fault in short."""

    id: str
    entrant: int
    kind: str
    set: int
    words: str
    error: str
    deals: int


class SetSummary(Struct, frozen=True):
    """A deal set in short; scores and points: of the first and the second. unit: what a set is worth."""

    set: int
    block: int
    scores: tuple[int, ...]
    unit: int
    points: tuple[int, ...]
    seed: str


class Fault(Struct, frozen=True):
    """All that is known of a fault; used_ms and granted_ms are reference ms, on a core of this pace."""

    entrant: int
    seating: int
    deal: int
    kind: str
    words: str
    ask: str
    lines: tuple[str, ...]
    stderr: str
    cpu_ms: int
    wall_ms: int
    memory_mib: int
    exit: str
    overran: bool
    used_ms: float
    granted_ms: float
    pace: float


class Note(Struct, frozen=True):
    """A bot's remark, said with the last of so many events of the record."""

    event: int
    seat: int
    text: str


class DealResult(Struct, frozen=True):
    """A deal as it was played; entrants, places and points by seat, an entrant 0 is the match's first."""

    entrants: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[int, ...]
    record: str
    faults: tuple[Fault, ...]
    notes: tuple[Note, ...]


class SetResult(Struct, frozen=True):
    """A deal set: its deal in each seating."""

    number: int
    deals: tuple[DealResult, ...]


class GetSetResponse(Struct, frozen=True):
    """A deal set and who played it, by number and name."""

    set: SetResult
    first: int
    second: int
    first_name: str
    second_name: str


class LiveDeal(Struct, frozen=True):
    """A piece of a deal while it is played, without its hidden parts; entrants 0 is the match's first.

    counts: cards in hand by seat, after each of the events. places and points are empty until it is over.
    """

    set: int
    seating: int
    entrants: tuple[int, ...]
    start: int
    events: tuple[str, ...]
    counts: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[int, ...]


class BankShare(Struct, frozen=True):
    """What a bot used of its bank in a match; entrant: its entry's number."""

    entrant: int
    rules: str
    seats: int
    deal_ms: int
    mean_ms: float
    p99_ms: float
    largest_ms: float
    pace: float


class GetMatchResponse(Struct, frozen=True):
    """A match with its blocks, its first faults and what the bots used of their banks."""

    match: Match
    blocks: tuple[Block, ...]
    faults: tuple[FaultSummary, ...]
    banks: tuple[BankShare, ...]


class QueueEntry(Struct, frozen=True):
    """A contest that runs; blocks_per_minute and seconds are 0 where nothing was measured."""

    contest_id: str
    name: str
    purpose: str
    rules: str
    account_name: str
    waiting: int
    playing: int
    place: int
    waiting_since: datetime | None
    blocks_per_minute: float
    seconds: float


class QueuedMatch(Struct, frozen=True):
    """A match with blocks that wait or are being played."""

    contest_id: str
    label: str
    bot_names: tuple[str, ...]
    waiting: int
    playing: int


class GetQueueResponse(Struct, frozen=True):
    """What waits for workers: contests in the order in which they get them, and one's own matches."""

    entries: tuple[QueueEntry, ...]
    workers: int
    suspended_workers: int
    matches: tuple[QueuedMatch, ...]


class Worker(Struct, frozen=True):
    """A process that plays blocks; state: present, suspended, silent."""

    name: str
    state: str
    seen_at: datetime | None
    failures: int
    words: str


class Action(Struct, frozen=True):
    """What an admin asked of a service; outcome: OK, or the status with which it was refused."""

    id: str
    at: datetime | None
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str


class GetFaultResponse(Struct, frozen=True):
    """A fault, its deal (record, rules, bots by seat), and the memory that the bot's process might use."""

    fault: Fault
    record: str
    memory_mib: int
    rules: RuleSet | None
    names: tuple[str, ...]


class WorkLeft(Struct, frozen=True):
    """What is to be played of a tournament, at most; core_hours: 0 if nothing of the kind was measured."""

    matches: int
    blocks: int
    sets: int
    core_hours: float


class SpecKeyChange(Struct, frozen=True):
    """A key of a spec with its values as JSON, empty where it has none."""

    key: str
    before: str
    after: str


class Preview(Struct, frozen=True):
    """What a change would come to; matches by their labels.

    again: those that would start again. withdrawn: taken away. stopped: ended undecided. results_lost: those
    decided before. left, left_now: what would be to play, and what is as things stand.
    """

    state: str
    due_at: datetime | None
    entries: tuple[Entry, ...]
    entries_gone: tuple[Entry, ...]
    begun: tuple[str, ...]
    again: tuple[str, ...]
    resumed: tuple[str, ...]
    withdrawn: tuple[str, ...]
    walkovers: tuple[str, ...]
    stopped: tuple[str, ...]
    results_lost: tuple[str, ...]
    sets_lost: int
    left: WorkLeft
    left_now: WorkLeft
    spec: tuple[SpecKeyChange, ...]


class RetakeMatchResponse(Struct, frozen=True):
    """The match that is played again, and the labels of those taken back with it."""

    match: Match
    withdrawn: tuple[str, ...]
    preview: Preview | None = None


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
    """A block was given up after so many attempts; reason: what the last worker said."""

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


class BotLimits(Struct, frozen=True):
    """What a program may use."""

    deal_ms: int
    memory_mib: int


class Ladder(Struct, frozen=True):
    """A ladder; epoch: the number of the one that runs, 0 before the first."""

    name: str
    rules: RuleSet | None
    score: str
    bot: BotLimits | None
    members: int
    sets: int
    epoch: int
    seats: int
    words: str


class LeaderboardLine(Struct, frozen=True):
    """A bot on a ladder; ratings in Elo, best: the chance that it is the best."""

    place: int
    bot_name: str
    account_name: str
    version_id: str
    elo: float
    low: float
    high: float
    best_place: int
    worst_place: int
    best: float
    sets: int
    faults: int
    pinned: bool
    words: str


class GetLeaderboardResponse(Struct, frozen=True):
    """A ladder and its table, best first."""

    ladder: Ladder | None
    lines: tuple[LeaderboardLine, ...]


class HeadToHead(Struct, frozen=True):
    """What a bot has played against another one; score: its own mean, 0 to 1."""

    opponent: str
    version_id: str
    sets: int
    score: float
    low: float
    high: float


class RatingPoint(Struct, frozen=True):
    """What a version was rated at a time; in Elo."""

    at: datetime | None
    elo: float
    low: float
    high: float
    sets: int


class VersionHistory(Struct, frozen=True):
    """How a version on a ladder was rated over time, oldest first; parent: 0 for a bot's first one."""

    version_id: str
    number: int
    parent: int
    joined_at: datetime | None
    points: tuple[RatingPoint, ...]


class Pairing(Struct, frozen=True):
    """Who was paired with whom; kind: groups, waiting, top two, least played, new."""

    id: str
    epoch: int
    first: str
    second: str
    kind: str
    sets: int
    booked: int
    score: float
    state: str
    made_at: datetime | None
    others: tuple[str, ...]


class ExplainPairingResponse(Struct, frozen=True):
    """Why a pair was made."""

    pairing: Pairing | None
    words: str


class Epoch(Struct, frozen=True):
    """A contest of a ladder; state: running, closed, over."""

    number: int
    contest_id: str
    state: str
    commitment: str
    secret: str
    root: str
    booked: int
    began_at: datetime | None
    ended_at: datetime | None


class PracticeMatch(Struct, frozen=True):
    """A match that somebody asked for; state: open, paused, over."""

    id: str
    bot: str
    against: str
    rules: RuleSet | None
    sets: int
    booked: int
    score: float
    low: float
    high: float
    faults: int
    other_faults: int
    state: str
    words: str
    more_against: tuple[str, ...]


class TablePlayer(Struct, frozen=True):
    """Who plays at a seat of a live table; bot_name: "" for a person."""

    account_id: str
    account_name: str
    bot_name: str


class LiveResult(Struct, frozen=True):
    """A live game that has ended; players, places and points by seat. Lists leave record and secret out."""

    table_id: str
    rules: RuleSet | None
    players: tuple[TablePlayer, ...]
    rated: bool
    secret: str
    record: str
    places: tuple[int, ...]
    points: tuple[int, ...]
    made_at: datetime | None


class LiveRating(Struct, frozen=True):
    """A name that plays at live tables; ratings in Elo."""

    place: int
    bot_name: str
    account_name: str
    elo: float
    low: float
    high: float
    games: int
    provisional: bool


class GetLiveRatingsResponse(Struct, frozen=True):
    """The ratings of live play, best first."""

    rules: RuleSet | None
    seats: int
    games: int
    ratings: tuple[LiveRating, ...]
