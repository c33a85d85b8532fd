"""The fit of a ladder's ratings: that of its last epoch."""

from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.ladder.played import SEEN
from services.matchmaking.models import Epoch


def find_fit(session: Session, ladder: str, before: int | None = None) -> int:
    """Return the fit of the last epoch, or of the last one before a time; today's if there is none.

    A change of the fit comes with a new epoch, so that table, pairing and history change at the same time,
    and a point of the history made later is the same.
    """
    mine = select(col(Epoch.fit)).where(col(Epoch.ladder) == ladder)
    if before is not None:
        mine = mine.where(col(Epoch.began_at) < before)
    found: int | None = session.scalar(mine.order_by(col(Epoch.number).desc()).limit(1))
    return SEEN if found is None else found
