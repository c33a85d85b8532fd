"""The audience of a tournament: everybody, unless its spec keeps it for a group or out of lists."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, exists, or_, select, true
from sqlmodel import Session, col

from services.shared.base.auth import Identity, Need
from services.shared.store.connect import Database
from services.tournament.models import Entry, Tournament
from services.tournament.store.contests.tournament import find_tournament, unknown_tournament

PUBLIC, GROUP = "public", "group"


def find_for(database: Database, who: Identity, key: str) -> Tournament:
    """Return a tournament that the caller may see; raise UnknownTournament for others."""
    with database.read() as session:
        row = find_tournament(session, key)
        if not _is_seen(session, row, who):
            raise unknown_tournament(key)
        return row


def is_listed_for(who: Identity) -> ColumnElement[bool]:
    """Return the condition for tournaments that lists name to the caller."""
    if who.may(Need.SERVICE):
        return true()
    of_group = (col(Tournament.visibility) == GROUP) & col(Tournament.group_name).in_(sorted(who.groups))
    return or_(
        col(Tournament.visibility) == PUBLIC,
        (col(Tournament.organiser) == who.name) & (col(Tournament.visibility) != GROUP),
        _has_entered((who.name,), col(Tournament.id)),
        # who joins a team does not see more of a group than its members do
        _has_entered((who.owner,), col(Tournament.id)) & (col(Tournament.visibility) != GROUP),
        *([of_group] if who.groups else ()),
    )


def list_unlisted(database: Database, who: Identity, ids: Collection[str]) -> set[str]:
    """Return those of the tournaments that lists do not name to the caller."""
    query = select(col(Tournament.id)).where(col(Tournament.id).in_(ids), ~is_listed_for(who))
    with database.read() as session:
        return set(session.scalars(query))


def _is_seen(session: Session, row: Tournament, who: Identity) -> bool:
    """Return True unless it is for a group alone: then even its maker sees it only while in the group."""
    if row.visibility != GROUP or row.group_name in who.groups:
        return True
    return who.may(Need.SERVICE) or bool(session.scalar(select(_has_entered((who.name,), row.id))))


def _has_entered(owners: Collection[str], tournament_id: object) -> ColumnElement[bool]:
    entered = col(Entry.tournament_id) == tournament_id, col(Entry.account_name).in_(owners)
    return exists().where(*entered, ~col(Entry.withdrawn))
