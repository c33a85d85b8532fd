"""Orders and the queue as messages; reports as structs."""

from math import inf

from maumau.bot.pace import PaceSpan
from maumau.errors import BadReport
from maumau.v1 import game_pb2
from maumau.v1 import tournament_pb2 as pb
from services.shared.auth import Identity, Need
from services.tournament.lease import Order
from services.tournament.measured import Measured, Used
from services.tournament.models import JobSeat, Worker
from services.tournament.store.queue import Line, OwnMatch
from services.tournament.store.worker import PRESENT
from services.tournament.throughput import Throughput
from services.tournament.wire import moment, rule_set

OWN_MATCHES = 50  # in the answer about the queue
MOST_DEALS = 10_000  # of one entrant in a block that are kept


def queue_entry(throughput: Throughput, who: Identity, now: int, line: Line) -> pb.QueueEntry:
    """A contest that runs; practice is its author's own business."""
    contest = line.contest
    shown = contest.purpose != "practice" or who.name == contest.author or who.may(Need.ADMIN)
    rate = throughput.per_minute(contest.id, contest.booked, now)
    return pb.QueueEntry(
        contest_id=contest.id, name=line.name, purpose=contest.purpose, rules=contest.rules,
        account_name=contest.author if shown else "", waiting=line.waiting, playing=line.playing,
        place=line.place, waiting_since=moment(line.since) if line.since else None,
        blocks_per_minute=rate, seconds=60 * (line.waiting + line.playing) / rate if rate else 0,
    )  # fmt: skip


def queued_match(one: OwnMatch) -> pb.QueuedMatch:
    return pb.QueuedMatch(
        contest_id=one.contest_id, label=one.label, bot_names=one.bots,
        waiting=one.waiting, playing=one.playing,
    )  # fmt: skip


def worker(row: Worker, now: int) -> pb.Worker:
    here = row.seen_at > now - PRESENT
    state = "suspended" if row.suspended_at else "present" if here else "silent"
    return pb.Worker(
        name=row.name, state=f"WORKER_STATE_{state.upper()}", seen_at=moment(row.seen_at),
        failures=row.in_row, words=row.words,
    )  # fmt: skip


def order(one: Order) -> pb.BlockOrder:
    claim, contest = one.claim, one.claim.contest
    return pb.BlockOrder(
        block_id=claim.block.id,
        fence=claim.block.fence,
        lease_seconds=seconds(one.lease),
        rules=rule_set(contest, contest.variant_toml),
        seats=contest.seats,
        entrants=map(_block_entrant, claim.seats),
        first_set=claim.block.first_set,
        seeds=one.seeds,
        limits=game_pb2.BotLimits(deal_ms=contest.deal_ms, memory_mib=contest.memory),
        label=claim.job.label,
        contest_id=contest.id,
        match_id=claim.job.id,
        seatings=[] if claim.seating is None else [claim.seating],
    )


def _block_entrant(seat: JobSeat) -> pb.BlockEntrant:
    return pb.BlockEntrant(
        name=seat.bot_name, sha256=seat.sha256, built_sha256=seat.built_sha256,
        built_platform=seat.built_platform,
    )  # fmt: skip


def measured(message: pb.Measured) -> Measured:
    """What a worker says that it measured; BadReport if that is not a valid number."""
    told = [message.probe_ms, message.pace.mean, message.pace.least, message.pace.most]
    told += [time for use in message.uses for time in (use.bank_ms, use.start_ms, *use.deals_ms)]
    if not all(0 <= number < inf for number in told):
        raise BadReport("What was measured has a number that is negative, infinite or none.")
    return Measured(
        worker=message.worker[:200], sandbox=message.sandbox[:40], wall_ms=message.wall_ms,
        play_ms=message.play_ms, start_ms=message.start_ms, fetch_ms=message.fetch_ms,
        decisions=message.decisions, cpu_ms=list(message.cpu_ms)[:16],
        memory_mib=list(message.memory_mib)[:16], deal_ms=message.deal_ms, probe_ms=message.probe_ms,
        pace=PaceSpan(message.pace.mean, message.pace.least, message.pace.most),
        uses=[Used(use.bank_ms, use.start_ms, list(use.deals_ms)[:MOST_DEALS]) for use in message.uses[:16]],
    )  # fmt: skip


def seconds(lease: float) -> int:
    """A lease as the contract says it."""
    return max(1, int(lease))
