"""Lists of tournaments, a page at a time."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlmodel import Session, col

from services.shared.connect import Database
from services.tournament.models import NOT_OVER, Contest, Entry, Match, Tournament
from services.tournament.store.tournament import ACTIVE, chain_of


class Summary(NamedTuple):
    """A tournament without its matches, but with how many of them are decided and how many are known."""

    tournament: Tournament
    entries: list[Entry]
    chain: str
    decided: int
    known: int


def list_summaries(database: Database, before: str, most: int, *, active: bool = False) -> list[Summary]:
    """Newest first, those before the one of that id. active: only those that run or are paused."""
    query = select(Tournament, Contest).join(Contest, col(Contest.id) == col(Tournament.id))
    if active:
        query = query.where(NOT_OVER, col(Tournament.state).in_(ACTIVE))
    if before:
        query = query.where(col(Tournament.id) < before)
    with database.read() as session:
        found = session.execute(query.order_by(col(Tournament.id).desc()).limit(most)).all()
        ids = [tournament.id for tournament, _ in found]
        counts, entries = _count_matches(session, ids), defaultdict(list)
        mine = select(Entry).where(col(Entry.tournament_id).in_(ids))
        for entry in session.scalars(mine.order_by(col(Entry.number))):
            entries[entry.tournament_id].append(entry)
    return [Summary(one, entries[one.id], chain_of(contest), *counts[one.id]) for one, contest in found]


def _count_matches(session: Session, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Matches that are decided and all that stand, by tournament."""
    decided = func.sum(case((col(Match.state) == "decided", 1), else_=0))
    counts = select(col(Match.tournament_id), decided, func.count())
    mine = counts.where(col(Match.tournament_id).in_(ids), col(Match.state) != "withdrawn")
    found = {row[0]: (row[1], row[2]) for row in session.execute(mine.group_by(col(Match.tournament_id)))}
    return {one: found.get(one, (0, 0)) for one in ids}
