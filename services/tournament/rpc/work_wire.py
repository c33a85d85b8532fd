"""Orders and the queue as messages; reports as structs."""

import json
from math import inf

from maumau.errors import BadReport
from maumau.referee.pace import PaceSpan
from maumau.v1 import game_pb2
from maumau.v1 import tournament_pb2 as pb
from services.shared.base.auth import Identity, Need
from services.shared.rpc.timestamp import to_timestamp
from services.tournament.domain.measured import Measured, Used
from services.tournament.models import JobSeat, Worker
from services.tournament.organising.throughput import Throughput
from services.tournament.play.lease import Order
from services.tournament.rpc.wire import rule_set
from services.tournament.store.blocks.queue import OwnMatch, QueueLine
from services.tournament.store.blocks.worker import PRESENT

OWN_MATCHES = 50  # most own matches in an answer about the queue
MOST_DEALS = 10_000  # most deals of an entrant in a block whose times are kept


def queue_entry(throughput: Throughput, who: Identity, now: int, line: QueueLine) -> pb.QueueEntry:
    """Return a running contest as a message; the author of practice is hidden from others."""
    contest = line.contest
    shown = contest.purpose != "practice" or who.owns(contest.author) or who.may(Need.ADMIN)
    rate = throughput.per_minute(contest.id, contest.results, now)
    return pb.QueueEntry(
        contest_id=contest.id,
        name=line.name,
        purpose=contest.purpose,
        rules=contest.rules,
        account_name=contest.author if shown else "",
        waiting=line.waiting,
        playing=line.playing,
        place=line.place,
        waiting_since=to_timestamp(line.since) if line.since else None,
        blocks_per_minute=rate,
        seconds=60 * (line.waiting + line.playing) / rate if rate else 0,
    )


def queued_match(one: OwnMatch) -> pb.QueuedMatch:
    versions = [version for _, version in one.bots]
    return pb.QueuedMatch(
        contest_id=one.contest_id,
        label=one.label,
        bot_names=[name for name, _ in one.bots],
        waiting=one.waiting,
        playing=one.playing,
        bot_versions=versions if any(versions) else (),
    )


def build_worker(row: Worker, now: int) -> pb.Worker:
    here = row.seen_at > now - PRESENT
    state = "suspended" if row.suspended_at else "present" if here else "silent"
    return pb.Worker(
        name=row.name,
        state=f"WORKER_STATE_{state.upper()}",
        seen_at=to_timestamp(row.seen_at),
        failures=row.in_row,
        words=row.words,
    )


def build_order(one: Order) -> pb.BlockOrder:
    claim, contest = one.claim, one.claim.contest
    rules = rule_set(contest, contest.variant_toml)
    if contest.games:
        rules.options_json = json.dumps(claim.rules.options, sort_keys=True)
        rules.hash = claim.rules.order_hash
    return pb.BlockOrder(
        block_id=claim.block.id,
        fence=claim.block.fence,
        lease_seconds=round_lease(one.lease),
        rules=rules,
        seats=claim.size,
        entrants=map(_block_entrant, claim.seats),
        first_set=claim.block.first_set,
        seeds=one.seeds,
        limits=game_pb2.BotLimits(deal_ms=claim.deal_ms, memory_mib=contest.memory),
        label=claim.job.label,
        contest_id=contest.id,
        match_id=claim.job.id,
        seatings=[] if claim.seating is None else [claim.seating],
        game=claim.rules.is_game,
    )


def _block_entrant(seat: JobSeat) -> pb.BlockEntrant:
    return pb.BlockEntrant(
        name=seat.bot_name,
        sha256=seat.sha256,
        built_sha256=seat.built_sha256,
        built_platform=seat.built_platform,
    )


def read_measured(message: pb.Measured) -> Measured:
    """Return a worker's measurements; raise BadReport if a number is negative, infinite or NaN."""
    told = [message.probe_ms, message.pace.mean, message.pace.least, message.pace.most]
    told += [time for use in message.uses for time in (use.bank_ms, use.start_ms, *use.deals_ms)]
    if not all(0 <= number < inf for number in told):
        raise BadReport("What was measured has a number that is negative, infinite or none.")
    return Measured(
        worker=message.worker[:200],
        sandbox=message.sandbox[:40],
        wall_ms=message.wall_ms,
        play_ms=message.play_ms,
        start_ms=message.start_ms,
        fetch_ms=message.fetch_ms,
        decisions=message.decisions,
        cpu_ms=list(message.cpu_ms)[:16],
        memory_mib=list(message.memory_mib)[:16],
        deal_ms=message.deal_ms,
        probe_ms=message.probe_ms,
        pace=PaceSpan(message.pace.mean, message.pace.least, message.pace.most),
        uses=[Used(use.bank_ms, use.start_ms, list(use.deals_ms)[:MOST_DEALS]) for use in message.uses[:16]],
    )


def round_lease(lease: float) -> int:
    """Return a lease in whole seconds, at least 1, as the contract has it."""
    return max(1, int(lease))
