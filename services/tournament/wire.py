"""Tournaments, matches and results as messages; reports as structs."""

from collections.abc import Sequence
from typing import Any

import msgspec
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from maumau import wire as game_wire
from maumau.bot.live import LiveDeal
from maumau.bot.share import BankTally
from maumau.contest.carryover import Carryover
from maumau.contest.draw import Round
from maumau.contest.match import Verdict
from maumau.contest.ranking import Row
from maumau.contest.score import UNITS
from maumau.errors import BadRequest, NotEntered
from maumau.v1 import game_pb2
from maumau.v1 import tournament_pb2 as pb
from services.shared import page
from services.tournament.archive import FaultFound, FaultLine, SetLine
from services.tournament.board import Board
from services.tournament.boards import View
from services.tournament.event import Event, Part, StateChange
from services.tournament.level import release_of
from services.tournament.match_row import MatchRow, read_verdict
from services.tournament.models import Block, Contest, Entry, Tournament
from services.tournament.store.result import FaultKey
from services.tournament.store.tournament import OVER

EVENTS = 100  # that a watcher is told in one message
WAITING = ("created", "open", "decided")  # states that end by themselves, where that is due
FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999  # ms that a Timestamp can hold: years 1 to 9999
MOMENTS = {"until", "again_at"}  # fields of parts of events that are times


def tournament(view: View) -> pb.Tournament:
    board, row = view.board, view.board.tournament
    decided, known = view.counts
    return pb.Tournament(
        id=row.id,
        name=row.name,
        state=f"TOURNAMENT_STATE_{row.state.upper()}",
        spec_toml=row.spec,
        rules=rule_set(row, view.variant_toml),
        commitment=row.commitment,
        secret=row.secret if row.state in OVER else "",
        secret_given=row.secret_given,
        entries_root=row.root,
        entries=[entry(one, row) for one in board.entries],
        matches_decided=decided,
        matches_known=known,
        created_at=moment(row.created_at),
        words=view.words,
        chain=board.chain,
        compared=row.compared,
        due_at=past(row.due_at) if row.state in WAITING else None,
        organiser=row.organiser,
        started_at=past(row.started_at),
        ended_at=past(row.ended_at),
        closes_at=past(row.closed_at or view.closes_at),
        warnings=view.warnings,
        release=f"RELEASE_LEVEL_{release_of(row.spec).upper()}",
    )


def rule_set(row: Tournament | Contest, variant_toml: str | None) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(
        name=row.rules, options_json=row.options, hash=row.rules_hash, variant_toml=variant_toml or ""
    )


def entry(row: Entry, tournament: Tournament) -> pb.Entry:
    """Nobody sees a nonce before all that count are there."""
    return pb.Entry(
        number=row.number, bot_name=row.bot_name, version_id=row.version_id, sha256=row.sha256,
        withdrawn=row.withdrawn, account_name=row.account_name, built_sha256=row.built_sha256,
        entered_at=past(row.entered_at), commitment=row.commitment, nonce_opened=bool(row.nonce),
        nonce=row.nonce if tournament.root else "", disqualified=row.disqualified,
    )  # fmt: skip


def match(view: View, row: MatchRow) -> pb.Match:
    """As it stands; one that was taken back, as it stood then."""
    live = view.board.matches.get(row.label)
    if live and live.row.id == row.id:
        state = "paused" if live.paused else row.state
        return _match(view, row, state, view.board.shown(row.label), view.faults.get(row.label, (0, 0)))
    verdict = read_verdict(row.verdict) if row.verdict else None
    return _match(view, row, row.state, verdict, (0, 0))


def _match(
    view: View, row: MatchRow, state: str, verdict: Verdict | None, faults: tuple[int, int]
) -> pb.Match:
    message = pb.Match(
        label=row.label, first=row.first, second=row.second, first_name=view.names[row.first],
        second_name=view.names[row.second], state=f"MATCH_STATE_{state.upper()}",
        faults=faults, format=view.board.spec.stages[row.stage - 1].format, id=row.id, take=row.take,
        seed_take=row.seed_take, reason=row.reason, queued_at=past(row.queued_at),
        started_at=past(row.started_at), decided_at=past(row.decided_at), withdrawn_at=past(row.withdrawn_at),
    )  # fmt: skip
    if verdict:
        message.winner, message.rule, message.sets = verdict.winner or 0, verdict.rule, verdict.counted
        message.estimate, message.llr = verdict.estimate, verdict.llr
        message.low, message.high = verdict.interval
    return message


def standings(view: View, *, organiser: bool) -> pb.GetStandingsResponse:
    """The table; for organisers also whether a bot knows deals from their other seating."""
    lines = [_standing(view, row) for row in view.board.table]
    found = [_carryover(one) for one in view.board.carryover] if organiser else []
    final = view.board.tournament.state == "finished"
    return pb.GetStandingsResponse(standings=lines, final=final, carryover=found)


def _carryover(one: Carryover) -> pb.Carryover:
    return pb.Carryover(
        entrant=one.entrant, bot_name=one.name, sets=one.sets, estimate=one.estimate, low=one.low,
        high=one.high, p=one.p, suspicious=one.suspicious,
    )  # fmt: skip


def _standing(view: View, row: Row) -> pb.Standing:
    return pb.Standing(
        rank=row.place, entrant=row.entrant, bot_name=row.name, rating=row.rating, low=row.low, high=row.high,
        sets=row.sets, won=row.won, lost=row.lost, level=row.level, faults=view.faults_of.get(row.entrant, 0),
        rule=row.rule,
    )  # fmt: skip


def bracket_round(view: View, one: Round) -> pb.Round:
    rows = [view.board.matches[plan.label].row for plan in one.matches if plan.label in view.board.matches]
    shown = [match(view, row) for row in rows]
    return pb.Round(round=one.round, name=one.name, matches=shown, byes=one.byes)


def block(row: Block, done_at: int) -> pb.Block:
    return pb.Block(
        id=row.id, number=row.number, first_set=row.first_set, sets=row.sets,
        state=f"BLOCK_STATE_{row.state.upper()}", attempts=row.attempts, worker=row.worker,
        queued_at=past(row.queued_at), claimed_at=past(row.claimed_at), done_at=past(done_at),
    )  # fmt: skip


def fault_summary(one: FaultLine) -> pb.FaultSummary:
    row = one.fault
    return pb.FaultSummary(
        id=row.id, entrant=row.entrant, kind=row.kind, set=row.set_number, words=row.words, error=one.error,
        deals=one.deals,
    )  # fmt: skip


def number_of(view: View, row: MatchRow, bot_name: str) -> int:
    """The entrant of this name in a match."""
    for number in (row.first, row.second):
        if view.names[number] == bot_name:
            return number
    raise NotEntered(f"{bot_name} does not play in match {row.label} of {view.board.tournament.name}.")


def fault_token(one: FaultLine) -> str:
    return ".".join(map(str, one.key))


def fault_key(token: str) -> FaultKey | None:
    """Where a page of faults ended; None for the first page."""
    if not token:
        return None
    parts = [page.number_of(part) for part in token.split(".")]
    if len(parts) != len(FaultKey._fields):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    return FaultKey(*(part or 0 for part in parts))


def set_summary(mode: str, one: SetLine) -> pb.SetSummary:
    score = one.score
    return pb.SetSummary(
        set=score.number, block=one.block, scores=score.by_entrant(mode), unit=UNITS[mode],
        points=score.points, seed=one.seed,
    )  # fmt: skip


def fault(found: FaultFound) -> pb.GetFaultResponse:
    return pb.GetFaultResponse(
        fault=game_wire.fault_message(found.bundle), record=found.record, memory_mib=found.contest.memory,
        rules=rule_set(found.contest, found.contest.variant_toml), names=found.names,
    )  # fmt: skip


def picture(view: View) -> bytes:
    """A tournament as it stands, as its watchers are told it."""
    return _encoded(pb.WatchTournamentResponse(tournament=tournament(view)))


def match_picture(view: View, row: MatchRow) -> bytes:
    return _encoded(pb.WatchMatchResponse(match=match(view, row)))


def tell_events(view: View, events: Sequence[tuple[str, Event]]) -> list[bytes]:
    """Events with their cursors, at most EVENTS in a message."""
    said = [event(view, *one) for one in events]
    parts = [said[start : start + EVENTS] for start in range(0, len(said), EVENTS)]
    return [_encoded(pb.WatchTournamentResponse(events=part)) for part in parts]


def tell_deals(cursor: str, deals: Sequence[LiveDeal]) -> bytes:
    """Pieces of deals, as a worker reported them together."""
    return _encoded(pb.WatchMatchResponse(cursor=cursor, deals=map(game_wire.live_message, deals)))


def _encoded(message: Message) -> bytes:
    """Once for all who are told it; the server sends bytes as they are."""
    return message.SerializeToString()


def event(view: View, cursor: str, one: Event) -> pb.TournamentEvent:
    about = view.board.matches.get(one.label)
    return pb.TournamentEvent(
        cursor=cursor,
        at=moment(one.at),
        kind=f"EVENT_KIND_{one.kind.upper()}",
        match=match(view, about.row) if about else None,
        words=one.words,
        sets_ahead=one.sets_ahead,
        chain=one.chain,
        compared=one.compared,
        **_part(one.part),
    )


def _part(part: Part | None) -> dict[str, Any]:
    """The field of an event that has it."""
    if part is None:
        return {}
    fields = msgspec.structs.asdict(part)
    if isinstance(part, StateChange):
        fields = {name: f"TOURNAMENT_STATE_{state.upper()}" for name, state in fields.items()}
    for name in MOMENTS & fields.keys():
        fields[name] = moment(fields[name])
    return {str(part.__struct_config__.tag): getattr(pb, type(part).__name__)(**fields)}


def banks(board: Board, row: MatchRow, tallies: Sequence[BankTally]) -> list[pb.BankShare]:
    """What the first and the second of a match used of their banks; nothing of whom nothing was measured."""
    shares = [tally.share(board.tournament.rules, board.spec.seats) for tally in tallies]
    return [
        pb.BankShare(entrant=entrant, **msgspec.structs.asdict(share))
        for entrant, share in zip((row.first, row.second), shares, strict=True)
        if share
    ]


def moment(at: int) -> Timestamp:
    """at: ms since 1970; what a message cannot hold becomes the nearest that it can."""
    stamp = Timestamp()
    stamp.FromMilliseconds(min(max(at, FIRST), LAST))
    return stamp


def past(at: int) -> Timestamp | None:
    """When it happened; None if it has not, or nobody knows when."""
    return moment(at) if at else None
