"""The core that carries the play: booking, long queues, big tournaments, watchers; on both kinds of database.

`make bench-core` writes the rows into docs/reference/benchmarks.md. CPU time is the tournament service's own.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
from sqlalchemy import select
from sqlmodel import col

from bench.results.row import ResultRow
from bench.support.lab import ADMIN, LARGE, WORKER, Lab, report_block, token_metadata
from bench.support.patience import Deadline
from maumau.referee.pace import REFERENCE
from maumau.referee.probe import run_probe
from maumau.v1 import tournament_pb2 as pb
from maumau.v1 import tournament_pb2_grpc
from services.tournament.domain.event import Event, encode_event
from services.tournament.models import Contest, Job
from services.tournament.store.blocks.queue import note_change
from services.tournament.store.broadcast.watch import events_of
from services.tournament.store.contests.schedule import Schedule

KINDS = ("sqlite", "postgresql")
WORKERS, SECONDS = 32, 20.0  # of the booking
BLOCKS = 40  # booked one after the other
FIELD = 256  # entrants of a big tournament
MATCHES = FIELD * (FIELD - 1) // 2
HALF = FIELD // 2
BIG = 3  # of them: 98,000 blocks queued
CALLS = 50
CHANNELS = 8
EVENTS = 10.0  # a second


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about ten minutes."""
    for kind in KINDS:
        for part in (measure_booking, measure_growth, measure_watching):
            with tempfile.TemporaryDirectory() as folder, Lab(kind, Path(folder)) as lab:
                for row in part(lab):
                    yield row._replace(name=f"{row.name}, {kind}")


def measure_booking(lab: Lab) -> Iterator[ResultRow]:
    """Yield the booking rate with workers that saturate the service and report at once."""
    lab.begin("cup", 64)
    lab.wait_for_blocks(64 * 63 // 2)
    began, cpu = time.perf_counter(), lab.count_cpu_seconds()
    done = asyncio.run(_saturate_service(lab))
    took, used = time.perf_counter() - began, lab.count_cpu_seconds() - cpu
    how = (
        f"{done} blocks in {took:.0f} s, {1000 * used / done:.1f} ms of CPU each, {used / took:.0%} of a core"
    )
    yield ResultRow("blocks of 100 sets booked a second", done / took, 120, how=how)
    yield ResultRow("the same for each core of CPU", done / used, 120)


async def _saturate_service(lab: Lab) -> int:
    last, counts = time.monotonic() + SECONDS, []
    async with Channels(lab) as channels:

        async def work_blocks(number: int) -> None:
            stub = tournament_pb2_grpc.TournamentServiceStub(channels[number % CHANNELS])
            count, ask = 0, pb.ClaimNextRequest(worker=f"bench-{number}", wait_ms=1000)
            while time.monotonic() < last:
                found = await stub.ClaimNext(ask, metadata=token_metadata(WORKER), timeout=60)
                if found.claimed:
                    await stub.SubmitBlock(
                        report_block(found.order), metadata=token_metadata(WORKER), timeout=60
                    )
                    count += not found.order.seatings  # one ordered by itself is half a block
            counts.append(count)

        await asyncio.gather(*(work_blocks(number) for number in range(WORKERS)))
    return sum(counts)


class Channels:
    """Several connections to the tournament service."""

    def __init__(self, lab: Lab) -> None:
        options = (*LARGE, ("grpc.use_local_subchannel_pool", 1))
        address = lab.addresses["tournament"]
        self.channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNELS)]

    async def __aenter__(self) -> list[grpc.aio.Channel]:
        return self.channels

    async def __aexit__(self, *_: object) -> None:
        for channel in self.channels:
            await channel.close()


def measure_growth(lab: Lab) -> Iterator[ResultRow]:
    """Yield the costs that grow with queue and field, and those that do not."""
    lab.begin("small", 8)
    lab.wait_for_blocks(100)
    cost_of_a_block(lab)  # the first blocks have their statements compiled
    few = cost_of_a_block(lab)
    with renew_meanwhile(lab) as waits:
        began = time.perf_counter()
        big = lab.begin("big-1", FIELD)
        lab.wait_for_blocks(MATCHES, big)
        ready = time.perf_counter() - began
    how = f"the longest of {len(waits)} renewals"
    name = f"another's lease waits while a round robin of {FIELD} starts"
    yield ResultRow(name, max(waits), 0.2, most=True, unit="s", how=how)
    lab.wait_until_idle()
    yield ResultRow(
        f"until all blocks of a round robin of {FIELD} are queued", ready, 20, most=True, unit="s"
    )
    yield from measure_board(lab, big)
    more = cost_of_a_block(lab)
    for number in range(2, BIG + 1):
        lab.wait_for_blocks(MATCHES, lab.begin(f"big-{number}", FIELD))
    yield first_block(lab)
    yield measure_following(lab)
    most = cost_of_a_block(lab)
    name = "CPU of a block, {} blocks queued against 100"
    for blocks, cost in ((MATCHES, more), (BIG * MATCHES, most)):
        how = f"{1000 * cost:.1f} / {1000 * few:.1f} reference ms, one worker"
        yield ResultRow(name.format(f"{blocks:,}"), cost / few, 1.2, most=True, how=how)


def cost_of_a_block(lab: Lab) -> float:
    """Return the reference seconds of CPU for claiming, booking and follow-ups of a block, with one worker.

    These costs are compared minutes apart, and the host's pace changes in between.
    """
    lab.wait_until_idle()
    ask, paces = pb.ClaimNextRequest(worker="bench", wait_ms=10_000), list[float]()
    cpu = lab.count_cpu_seconds()
    with lab.stub() as stub:
        while len(paces) < BLOCKS:
            found = stub.ClaimNext(ask)
            if found.claimed:
                stub.SubmitBlock(report_block(found.order))
                paces.append(run_probe() / REFERENCE)
        return (lab.count_cpu_seconds() - cpu) / BLOCKS / statistics.median(paces)


@contextmanager
def renew_meanwhile(lab: Lab) -> Iterator[list[float]]:
    """Yield the seconds of a lease's renewals, one after the other, while the context lasts."""
    waits: list[float] = []
    stop = threading.Event()

    def renew_lease() -> None:
        with lab.stub() as stub:
            order = stub.ClaimNext(pb.ClaimNextRequest(worker="victim", wait_ms=10_000)).order
            while not stop.wait(0.02):
                began = time.perf_counter()
                done = min(len(waits) // 10, 190)
                held = {"block_id": order.block_id, "fence": order.fence, "deals_done": done}
                stub.RenewLease(pb.RenewLeaseRequest(**held))
                waits.append(time.perf_counter() - began)

    thread = threading.Thread(target=renew_lease)
    thread.start()
    try:
        yield waits
    finally:
        stop.set()
        thread.join()


def measure_board(lab: Lab, big: str) -> Iterator[ResultRow]:
    """Yield the costs of showing a big tournament."""
    with lab.stub(ADMIN) as stub:
        standings, first = pb.GetStandingsRequest(tournament=big), pb.ListMatchesRequest(tournament=big)
        for name, bound, call in (
            (f"GetStandings of {FIELD}, warm", 50, lambda: stub.GetStandings(standings)),
            (f"ListMatches of {FIELD}, first page", 20, lambda: stub.ListMatches(first)),
        ):
            used, waited = time_call(lab, call)
            how = f"CPU time; {1000 * waited:.0f} ms by the wall clock, median of {CALLS}"
            yield ResultRow(name, 1000 * used, bound, most=True, unit="ms", how=how)
    cpu, began = time.process_time(), time.perf_counter()
    verdicts = Schedule(lab.database).read_board(big).verdicts
    how = f"{len(verdicts):,} matches read and judged; {time.perf_counter() - began:.2f} s by the wall clock"
    yield ResultRow(f"a cold board of {FIELD}", time.process_time() - cpu, 1, most=True, unit="s", how=how)


def measure_following(lab: Lab) -> ResultRow:
    """Return the cost of finding the next steps after a result, in a process that knows the board."""
    tournament_id, schedule = lab.begin("middle", HALF), Schedule(lab.database)
    lab.wait_for_blocks(HALF * (HALF - 1) // 2, tournament_id)
    lab.wait_until_idle()
    before, costs = schedule.read_board(tournament_id), []
    before.plan_steps(1)
    for _ in range(CALLS):
        note_result(lab, tournament_id)
        cpu = time.process_time()
        before = schedule.read_board(tournament_id, before)
        before.plan_steps(1)
        costs.append(1000 * (time.process_time() - cpu))
    how = f"CPU time, median of {CALLS}"
    name = f"what follows from a result, {len(before.matches):,} matches"
    return ResultRow(name, statistics.median(costs), 20, most=True, unit="ms", how=how)


def note_result(lab: Lab, tournament_id: str) -> None:
    """Mark a match for a look, as after a result."""
    with lab.database.write() as session:
        contest = session.get_one(Contest, tournament_id)
        mine = select(Job).where(col(Job.contest_id) == tournament_id).order_by(col(Job.changed)).limit(1)
        note_change(contest, session.scalars(mine).one())


def time_call(lab: Lab, call: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU and wall-clock seconds of a call, from many after a first one."""
    call()
    waits, cpu = [], lab.count_cpu_seconds()
    for _ in range(CALLS):
        began = time.perf_counter()
        call()
        waits.append(time.perf_counter() - began)
    return (lab.count_cpu_seconds() - cpu) / CALLS, statistics.median(waits)


def first_block(lab: Lab) -> ResultRow:
    """Return the wait for the first block of a cup of two bots behind everything else."""
    queued = lab.count_blocks("queued")
    lab.wait_until_idle()
    began, last = time.perf_counter(), Deadline(120)
    cup = lab.begin("cup", 2)
    with lab.stub() as stub:
        while not lab.count_blocks("claimed", cup):
            assert not last.has_passed(), "nobody plays the cup"
            stub.ClaimNext(pb.ClaimNextRequest(worker="bench", wait_ms=1000))
    took = time.perf_counter() - began
    how = f"{queued:,} blocks queued before, one worker that claims"
    return ResultRow(
        "Start to the first block claimed of a cup of two", took, 2, most=True, unit="s", how=how
    )


def measure_watching(lab: Lab) -> Iterator[ResultRow]:
    """Yield the costs of watchers of one tournament: some while it is quiet, more while it is busy."""
    cup = lab.begin("cup", 2)
    lab.wait_for_blocks(1)
    for count, events, bound in ((500, 0.0, 3), (1000, EVENTS, 30)):
        told, share = asyncio.run(_watch_contest(lab, cup, count, events))
        what = f"{count:,} watchers, {events:.0f} events a second" if events else f"{count:,} watchers, idle"
        yield ResultRow(
            what, 100 * share, bound, most=True, unit="%", how=f"of a core; {told:,.0f} events a second told"
        )


async def _watch_contest(lab: Lab, cup: str, count: int, events: float) -> tuple[float, float]:
    """Return the events delivered per second, and the share of a core."""
    heard = [-1] * count  # events; -1: nothing yet
    async with Channels(lab) as channels:

        async def watch_stream(number: int) -> None:
            stub = tournament_pb2_grpc.TournamentServiceStub(channels[number % CHANNELS])
            ask = pb.WatchTournamentRequest(tournament=cup)
            async for part in stub.WatchTournament(ask, metadata=token_metadata(ADMIN)):
                heard[number] = max(heard[number], 0) + len(part.events)

        watching = [asyncio.create_task(watch_stream(number)) for number in range(count)]
        while min(heard) < 0:  # noqa: ASYNC110 - all of them, not one
            await asyncio.sleep(0.1)
        await asyncio.sleep(2)
        began, cpu, before = time.perf_counter(), lab.count_cpu_seconds(), sum(heard)
        await _publish_events(lab, cup, events)
        took = time.perf_counter() - began
        result = (sum(heard) - before) / took, (lab.count_cpu_seconds() - cpu) / took
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)
    return result


async def _publish_events(lab: Lab, cup: str, events: float) -> None:
    """Write this many events per second, for a while."""
    writer, last = lab.writer(), time.monotonic() + SECONDS / 2
    event = encode_event(
        Event(at=1, kind="progress", words="25 of 100 sets of block 0 are played", label="1.1.1")
    )
    while time.monotonic() < last:
        if events:
            writer.append_entry(events_of(cup), event)
        await asyncio.sleep(1 / (events or 1))
