"""Lists of tournaments, a page at a time."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import case, func, select
from sqlmodel import Session, col

from services.shared.base.auth import Identity
from services.shared.store.connect import Database
from services.tournament.models import NOT_OVER, Contest, Entry, Match, Tournament
from services.tournament.store.contests.sight import is_listed_for
from services.tournament.store.contests.tournament import ACTIVE
from services.tournament.store.outcomes.link import chain_of


class Summary(NamedTuple):
    """A tournament without its matches, but with the numbers of decided and of known matches."""

    tournament: Tournament
    entries: list[Entry]
    chain: str
    decided: int
    known: int


def list_summaries(
    database: Database, who: Identity, before: str, most: int, *, active: bool = False, part: str = ""
) -> list[Summary]:
    """Return tournaments before the one of that id, newest first, as far as they are listed for the caller.

    active: only running or paused ones. part: of their names, "" for all.
    """
    query = select(Tournament, Contest).join(Contest, col(Contest.id) == col(Tournament.id))
    query = query.where(is_listed_for(who))
    if active:
        query = query.where(NOT_OVER, col(Tournament.state).in_(ACTIVE))
    if part:
        query = query.where(func.lower(col(Tournament.name)).contains(part.lower(), autoescape=True))
    if before:
        query = query.where(col(Tournament.id) < before)
    with database.read() as session:
        found = session.execute(query.order_by(col(Tournament.id).desc()).limit(most)).all()
        if not found:
            return []
        ids = [tournament.id for tournament, _ in found]
        counts, entries = _count_matches(session, ids), defaultdict(list)
        mine = select(Entry).where(col(Entry.tournament_id).in_(ids))
        for entry in session.scalars(mine.order_by(col(Entry.number))):
            entries[entry.tournament_id].append(entry)
    return [Summary(one, entries[one.id], chain_of(contest), *counts[one.id]) for one, contest in found]


def _count_matches(session: Session, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the numbers of matches that are decided and that stand, by tournament."""
    decided = func.sum(case((col(Match.state) == "decided", 1), else_=0))
    counts = select(col(Match.tournament_id), decided, func.count())
    mine = counts.where(col(Match.tournament_id).in_(ids), col(Match.state) != "withdrawn")
    found = {row[0]: (row[1], row[2]) for row in session.execute(mine.group_by(col(Match.tournament_id)))}
    return {one: found.get(one, (0, 0)) for one in ids}
