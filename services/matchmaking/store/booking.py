"""Results of pairings as they are booked."""

from typing import NamedTuple

from sqlalchemy import func, select
from sqlmodel import Session, col

from services.matchmaking.models import Epoch, Pairing, Result
from services.matchmaking.store.history import forget_points
from services.matchmaking.store.live_tables.pod import encode_table
from services.matchmaking.store.meeting import count_results


class Booked(NamedTuple):
    """A result from the core. words: of the first fault of the program named first.

    total, squares: the first's; faults: by position. scores: at a table of more than two, all of each set.
    decisions: of all its programs; 0 if they were not told. chain: the link. put_off: what happened to
    programs for whose sake the block was played a second time, by position.
    """

    booking: int
    label: str
    sets: int
    total: int
    squares: int
    faults: tuple[int, ...]
    at: int
    words: str = ""
    scores: tuple[tuple[int, ...], ...] = ()
    decisions: int = 0
    chain: str = ""
    put_off: tuple[tuple[int, str], ...] = ()


def book_result(session: Session, epoch_id: str, one: Booked) -> bool:
    """Store a result of a locked ladder and move the cursor; return False if it was known."""
    epoch = session.scalars(select(Epoch).where(col(Epoch.id) == epoch_id).with_for_update()).one()
    if one.booking <= epoch.cursor:
        return False
    forget_points(session, epoch.ladder, one.at)
    epoch.other_links += one.booking - epoch.cursor - 1
    epoch.cursor, label = one.booking, int(one.label)
    epoch.chain = f"{one.booking} {one.chain}"
    pairing = session.get_one(Pairing, (epoch_id, label))
    sums = encode_table(pairing, one.scores, one.faults) if one.scores else ""
    session.add(
        Result(
            epoch_id=epoch_id,
            booking=one.booking,
            label=label,
            sets=one.sets,
            total=one.total,
            squares=one.squares,
            sums=sums,
            first_faults=one.faults[0],
            second_faults=one.faults[1],
            at=one.at,
            decisions=one.decisions,
        )
    )
    session.flush()
    booked = select(func.sum(col(Result.sets)))
    booked = booked.where(col(Result.epoch_id) == epoch_id, col(Result.label) == label)
    if (session.scalar(booked) or 0) >= pairing.sets:
        pairing.state, pairing.words = "over", ""
    count_results(session, epoch.ladder)
    return True
