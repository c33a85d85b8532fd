"""Contests that ended long ago, with results and faults, and what moves their records."""

from prometheus_client import CollectorRegistry
from sqlmodel import select

from maumau.protocol.fault import Fault as Bundle
from maumau.referee.block import DealOutcome, SetOutcome
from services.shared.base.clock import DAY
from services.shared.store.storage import Storage
from services.tournament.domain.pack import pack_value
from services.tournament.history.mover import Mover
from services.tournament.history.record_file import RecordFiles
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import Block, BlockFault, BlockResult, Contest, Tournament
from services.tournament.store.upkeep.record import Records

WEEK = 7
SETS = [SetOutcome(3, [DealOutcome([0, 1], [1, 2], [0, 20], "[maumau 1]\nresult\n", [], [])])]
BUNDLE = Bundle(1, 0, 3, "crash", "it died", exit="exit code 1", stderr="ValueError: no idea\n")


def end_contest(store, contest_id, *blocks, days):
    """End the contest `days` days ago, with results for these blocks and a fault in the last one."""
    at = store.now - days * DAY
    with store.database.write() as session:
        contest = session.get_one(Contest, contest_id)
        contest.state, contest.booked, contest.changes = "over", len(blocks), len(blocks)
        if tournament := session.get(Tournament, contest_id):
            tournament.state, tournament.ended_at = "finished", at
        for block_id in blocks:
            block = session.get_one(Block, block_id)
            block.state, block.claimed_at = "done", at
            bytes_of = {"scores": b"", "measured": b"", "records": pack_value(SETS)}
            session.add(BlockResult(block_id=block_id, stored_at=at, **bytes_of))
        session.flush()
        session.add(
            BlockFault(
                id=f"fault-{blocks[-1]}", block_id=blocks[-1], entrant=2, set_number=3, seating=0,
                kind="crash", words="it died", bundle=pack_value(BUNDLE),
            )
        )  # fmt: skip


def files_in(folder):
    return RecordFiles(Storage(str(folder), "MAUMAU_RECORDS"), TournamentMetrics(CollectorRegistry()))


def mover_of(store, files, days=WEEK):
    return Mover(Records(store.database), files, lambda: store.now, files.metrics, days)


def read_all(store, model):
    with store.database.read() as session:
        return list(session.scalars(select(model)))


def count_outcomes(files, outcome):
    return files.metrics.record_files.labels(outcome)._value.get()
