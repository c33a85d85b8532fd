"""Tournaments, matches and results as messages; reports as structs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from google.protobuf.message import Message

from maumau import wire as game_wire
from maumau.contest.export.carryover import Carryover
from maumau.contest.export.foreknowledge import Foreknowledge
from maumau.contest.format.draw import Round
from maumau.contest.format.match import Verdict
from maumau.contest.schedule.ranking import Row
from maumau.contest.score import choose_mode, count_units
from maumau.contest.statistics.evidence import find_chance
from maumau.errors import BadRequest, NotEntered
from maumau.protocol.live import LiveDeal
from maumau.referee.share import BankTally
from maumau.v1 import game_pb2
from maumau.v1 import tournament_pb2 as pb
from services.shared.base import page
from services.shared.base.auth import Identity
from services.shared.rpc.timestamp import to_past_timestamp, to_timestamp
from services.tournament.domain.board import ContestBoard, is_guest
from services.tournament.domain.event import Event, Part, StateChange
from services.tournament.domain.level import release_of
from services.tournament.domain.match_row import MatchRow, read_verdict
from services.tournament.history.archive import FaultFound, FaultLine, SetLine
from services.tournament.models import Block, Contest, Entry, Protest, SpecChange, Tournament
from services.tournament.organising.boards import ContestView
from services.tournament.organising.release import is_released
from services.tournament.rpc.mystery_wire import is_sealed, mystery_message
from services.tournament.store.contests.tournament import OVER
from services.tournament.store.outcomes.result import FaultKey

EVENTS = 100  # most events in a message to a watcher
WAITING = ("created", "open", "decided")  # states with an automatic end, once that is due
FOREKNOWLEDGE = (
    "entrant",
    "told",
    "told_changed",
    "fresh",
    "fresh_changed",
    "screened",
    "screened_changed",
    "p",
    "suspicious",
)
MOMENTS = {"until", "again_at"}  # fields of events' parts that are times


def build_tournament(view: ContestView, who: Identity, *, listed: bool = False) -> pb.Tournament:
    """Return a tournament as a message; what follows from results only if the caller may see these."""
    board, row = view.board, view.board.tournament
    shown = is_released(board, who)
    decided, known = view.counts if shown else (0, 0)
    return pb.Tournament(
        id=row.id,
        name=row.name,
        state=f"TOURNAMENT_STATE_{row.state.upper()}",
        spec_toml=row.spec,
        rules=None if is_sealed(row) else rule_set(row, view.variant_toml),
        commitment=row.commitment,
        secret=row.secret if row.state in OVER else "",
        secret_given=row.secret_given,
        entries_root=row.root,
        entries=[build_entry(one, row) for one in board.entries],
        matches_decided=decided,
        matches_known=known,
        created_at=to_timestamp(row.created_at),
        words=view.words if shown else view.general_words,
        chain=board.chain if shown else "",
        compared=row.compared,
        due_at=to_past_timestamp(row.due_at) if row.state in WAITING else None,
        organiser=row.organiser,
        started_at=to_past_timestamp(row.started_at),
        ended_at=to_past_timestamp(row.ended_at),
        closes_at=to_past_timestamp(row.closed_at or view.closes_at),
        starting=view.is_starting,
        warnings=view.warnings,
        release=f"RELEASE_LEVEL_{release_of(row.spec).upper()}",
        spec_changes=map(spec_change, board.notes.spec_changes),
        protests=map(build_protest, board.notes.protests),
        mystery=mystery_message(row, who, listed=listed),
    )


def build_protest(row: Protest) -> pb.Protest:
    return pb.Protest(
        number=row.number,
        entrant=row.entrant,
        bot_name=row.bot_name,
        account_name=row.account_name,
        text=row.text,
        at=to_timestamp(row.at),
        state=f"PROTEST_STATE_{row.state.upper()}",
        answer=row.answer,
        answered_by=row.answered_by,
        answered_at=to_past_timestamp(row.answered_at),
    )


def spec_change(row: SpecChange) -> pb.SpecChange:
    keys = [pb.SpecKeyChange(key=one[0], before=one[1], after=one[2]) for one in json.loads(row.changes)]
    return pb.SpecChange(at=to_timestamp(row.at), account_name=row.account_name, keys=keys)


def rule_set(row: Tournament | Contest, variant_toml: str | None) -> game_pb2.RuleSet:
    return game_pb2.RuleSet(
        name=row.rules, options_json=row.options, hash=row.rules_hash, variant_toml=variant_toml or ""
    )


def build_entry(row: Entry, tournament: Tournament) -> pb.Entry:
    """Return an entry as a message; its nonce only once all that count are revealed."""
    return pb.Entry(
        number=row.number,
        bot_name=row.bot_name,
        version_id=row.version_id,
        sha256=row.sha256,
        withdrawn=row.withdrawn,
        account_name=row.account_name,
        built_sha256=row.built_sha256,
        entered_at=to_past_timestamp(row.entered_at),
        commitment=row.commitment,
        nonce_opened=bool(row.nonce),
        nonce=row.nonce if tournament.root else "",
        disqualified=row.disqualified,
        confirmed=bool(row.nonce or row.confirmed_at),
        guest=is_guest(tournament.spec, row.bot_name),
    )


def build_match(view: ContestView, row: MatchRow) -> pb.Match:
    """Return a match as it stands; one that was taken back, as it stood then."""
    live = view.board.matches.get(row.label)
    if live and live.row.id == row.id:
        state = "paused" if live.paused else row.state
        none = (0,) * len(row.players)
        return _build_match(
            view, row, state, view.board.show_match(row.label), view.faults.get(row.label, none)
        )
    verdict = read_verdict(row.verdict) if row.verdict else None
    return _build_match(view, row, row.state, verdict, (0,) * len(row.players))


def _build_match(
    view: ContestView, row: MatchRow, state: str, verdict: Verdict | None, faults: tuple[int, ...]
) -> pb.Match:
    message = pb.Match(
        label=row.label,
        first=row.first,
        second=row.second,
        first_name=view.names[row.first],
        second_name=view.names[row.second],
        state=f"MATCH_STATE_{state.upper()}",
        faults=faults,
        format=view.board.spec.stages[row.stage - 1].format,
        id=row.id,
        take=row.take,
        seed_take=row.seed_take,
        reason=row.reason,
        queued_at=to_past_timestamp(row.queued_at),
        started_at=to_past_timestamp(row.started_at),
        decided_at=to_past_timestamp(row.decided_at),
        withdrawn_at=to_past_timestamp(row.withdrawn_at),
        through=row.through,
    )
    if verdict:
        message.winner, message.rule, message.sets = verdict.winner or 0, verdict.rule, verdict.counted
        message.estimate, message.llr = verdict.estimate, verdict.llr
        message.low, message.high = verdict.interval
        message.ahead.extend(verdict.ahead if verdict.decided else ())
        if verdict.counted and view.board.spec.choose_match(row.stage).kind != "sequential":
            message.sure = find_chance(verdict.sums)
        message.wins.extend(verdict.wins)
        message.reached = verdict.reached
        message.level.extend(pb.LevelPair(first=one, second=other) for one, other in verdict.level)
    if row.others:
        message.players.extend(_table_players(view, row, verdict, faults))
    return message


def _table_players(
    view: ContestView, row: MatchRow, verdict: Verdict | None, faults: Sequence[int]
) -> Iterator[pb.MatchPlayer]:
    """Yield the players of a table in the order of the plan."""
    for position, number in enumerate(row.players):
        player = pb.MatchPlayer(entrant=number, bot_name=view.names[number], faults=faults[position])
        if verdict and verdict.counted and verdict.totals:
            sums = verdict.table.sum_scores(position)
            player.place = 1 + sum(other > sums.total for other in verdict.totals)
            player.score, (player.low, player.high) = sums.estimate, sums.interval
        yield player


def build_standings(
    view: ContestView, *, organiser: bool, foreknowledge: Sequence[Foreknowledge] = (), stage: int = 0
) -> pb.GetStandingsResponse:
    """Return the table, or that after a stage; for organisers also the tests for foreknowledge of deals."""
    lines = [_build_standing(view, row) for row in view.board.table_after(stage)]
    found = [_build_carryover(one) for one in view.board.carryover] if organiser else []
    final = view.board.tournament.state == "finished"
    known = [_build_foreknowledge(one) for one in foreknowledge] if organiser else []
    race = [
        pb.RaceBatch(stage=number, entrants=draw.seeds, **msgspec.structs.asdict(step))
        for number, draw in enumerate(view.board.plan.draws if lines else (), start=1)
        for step in draw.race
    ]
    return pb.GetStandingsResponse(
        standings=lines, final=final, carryover=found, foreknowledge=known, race=race
    )


def _build_foreknowledge(one: Foreknowledge) -> pb.Foreknowledge:
    counts = {name: getattr(one, name) for name in FOREKNOWLEDGE}
    return pb.Foreknowledge(bot_name=one.name, **counts)


def _build_carryover(one: Carryover) -> pb.Carryover:
    return pb.Carryover(
        entrant=one.entrant,
        bot_name=one.name,
        sets=one.sets,
        estimate=one.estimate,
        low=one.low,
        high=one.high,
        p=one.p,
        suspicious=one.suspicious,
    )


def _build_standing(view: ContestView, row: Row) -> pb.Standing:
    return pb.Standing(
        rank=row.place,
        entrant=row.entrant,
        bot_name=row.name,
        rating=row.rating,
        low=row.low,
        high=row.high,
        sets=row.sets,
        won=row.won,
        lost=row.lost,
        level=row.level,
        faults=view.faults_of.get(row.entrant, 0),
        rule=row.rule,
    )


def bracket_round(view: ContestView, one: Round) -> pb.Round:
    rows = [view.board.matches[plan.label].row for plan in one.matches if plan.label in view.board.matches]
    shown = [build_match(view, row) for row in rows]
    return pb.Round(round=one.round, name=one.name, matches=shown, byes=one.byes)


def build_block(row: Block, done_at: int) -> pb.Block:
    return pb.Block(
        id=row.id,
        number=row.number,
        first_set=row.first_set,
        sets=row.sets,
        state=f"BLOCK_STATE_{row.state.upper()}",
        attempts=row.attempts,
        worker=row.worker,
        queued_at=to_past_timestamp(row.queued_at),
        claimed_at=to_past_timestamp(row.claimed_at),
        done_at=to_past_timestamp(done_at),
    )


def fault_summary(one: FaultLine) -> pb.FaultSummary:
    row = one.fault
    return pb.FaultSummary(
        id=row.id,
        entrant=row.entrant,
        kind=row.kind,
        set=row.set_number,
        words=row.words,
        error=one.error,
        deals=one.deals,
        seating=row.seating,
    )


def number_of(view: ContestView, row: MatchRow, bot_name: str) -> int:
    """Return the number of the entrant of this name in a match; raise NotEntered if there is none."""
    for number in row.players:
        if view.names[number] == bot_name:
            return number
    raise NotEntered(f"{bot_name} does not play in match {row.label} of {view.board.tournament.name}.")


def fault_token(one: FaultLine) -> str:
    return ".".join(map(str, one.key))


def fault_key(token: str) -> FaultKey | None:
    """Return the place where a page of faults ended; None for the first page."""
    if not token:
        return None
    parts = [page.number_of(part) for part in token.split(".")]
    if len(parts) != len(FaultKey._fields):
        raise BadRequest(f"{token[:80]!r} is not the token of a page.", field="page_token")
    return FaultKey(*(part or 0 for part in parts))


def set_summary(mode: str, one: SetLine) -> pb.SetSummary:
    score = one.score
    return pb.SetSummary(
        set=score.number,
        block=one.block,
        scores=score.by_entrant(mode),
        unit=count_units(choose_mode(mode, len(score.points)), len(score.points)),
        points=score.points,
        seed=one.seed,
    )


def build_fault(found: FaultFound) -> pb.GetFaultResponse:
    return pb.GetFaultResponse(
        fault=game_wire.fault_message(found.bundle),
        record=found.record,
        memory_mib=found.contest.memory,
        rules=rule_set(found.contest, found.contest.variant_toml),
        names=found.names,
    )


def encode_picture(view: ContestView, who: Identity) -> bytes:
    """Return a tournament as it stands, encoded for a watcher."""
    return _encode_message(pb.WatchTournamentResponse(tournament=build_tournament(view, who)))


def match_picture(view: ContestView, row: MatchRow) -> bytes:
    return _encode_message(pb.WatchMatchResponse(match=build_match(view, row)))


def tell_events(view: ContestView, events: Sequence[tuple[str, Event]]) -> list[bytes]:
    """Return events with their cursors as messages of at most EVENTS each."""
    said = [build_event(view, *one) for one in events]
    parts = [said[start : start + EVENTS] for start in range(0, len(said), EVENTS)]
    return [_encode_message(pb.WatchTournamentResponse(events=part)) for part in parts]


def tell_deals(cursor: str, deals: Sequence[LiveDeal]) -> bytes:
    """Return the parts of deals of a worker's report as one message."""
    return _encode_message(pb.WatchMatchResponse(cursor=cursor, deals=map(game_wire.live_message, deals)))


def _encode_message(message: Message) -> bytes:
    """Encode a message once for all its watchers; the server sends bytes as they are."""
    return message.SerializeToString()


def build_event(view: ContestView, cursor: str, one: Event) -> pb.TournamentEvent:
    about = view.board.matches.get(one.label)
    return pb.TournamentEvent(
        cursor=cursor,
        at=to_timestamp(one.at),
        kind=f"EVENT_KIND_{one.kind.upper()}",
        match=build_match(view, about.row) if about else None,
        words=one.words,
        sets_ahead=one.sets_ahead,
        chain=one.chain,
        compared=one.compared,
        **_build_part(one.part),
    )


def _build_part(part: Part | None) -> dict[str, Any]:
    """Return the field of the event message that holds its part."""
    if part is None:
        return {}
    fields = msgspec.structs.asdict(part)
    if isinstance(part, StateChange):
        fields = {name: f"TOURNAMENT_STATE_{state.upper()}" for name, state in fields.items()}
    for name in MOMENTS & fields.keys():
        fields[name] = to_timestamp(fields[name])
    return {str(part.__struct_config__.tag): getattr(pb, type(part).__name__)(**fields)}


def build_banks(board: ContestBoard, row: MatchRow, tallies: Sequence[BankTally]) -> list[pb.BankShare]:
    """Return the use of banks by player; nothing for one without measurements."""
    shares = [tally.share(board.tournament.rules, len(row.players)) for tally in tallies]
    return [
        pb.BankShare(entrant=entrant, **msgspec.structs.asdict(share))
        for entrant, share in zip(row.players, shares, strict=True)
        if share
    ]
