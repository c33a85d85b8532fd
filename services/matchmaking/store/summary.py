"""A ladder in a few numbers."""

from typing import NamedTuple

from sqlalchemy import func, select
from sqlmodel import Session, col

from services.matchmaking.models import Epoch, Member
from services.matchmaking.store.meeting import count_played_sets


class Summary(NamedTuple):
    """A ladder in a few numbers: members that are here, sets played, the number of the last epoch, 0 if none.

    chain: the newest link of that epoch. ended, compared: number of the last one that is over, and that hash
    of its export; 0 and "" without one.
    """

    members: int
    sets: int
    epoch: int
    chain: str
    ended: int
    compared: str


def read_summary(session: Session, name: str) -> Summary:
    """Return what there is to say of the ladder of this name."""
    here = col(Member.ladder) == name, col(Member.here)
    members = session.scalar(select(func.count()).select_from(Member).where(*here)) or 0
    mine = select(Epoch).where(col(Epoch.ladder) == name).order_by(col(Epoch.number).desc()).limit(1)
    last: Epoch | None = session.scalar(mine)
    over: Epoch | None = session.scalar(mine.where(col(Epoch.compared) != ""))
    running = (last.number, last.chain) if last else (0, "")
    ended = (over.number, over.compared) if over else (0, "")
    return Summary(members, count_played_sets(session, name), *running, *ended)
