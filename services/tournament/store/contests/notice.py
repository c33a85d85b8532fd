"""Notices for webhooks, completed when they are sent: the accounts concerned, and those that may know."""

from collections.abc import Sequence

import msgspec
from sqlmodel import Session

from services.shared.store.connect import Database
from services.shared.store.notice_table import Heard, NoticeTable
from services.tournament.domain.notice import name_entrant, name_organiser
from services.tournament.models import Tournament, TournamentNotice
from services.tournament.store.contests.sight import PUBLIC
from services.tournament.store.contests.tournament import entries_of


class ContestNotices(NoticeTable):
    """The notices of contests."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, TournamentNotice)

    def complete(self, rows: Sequence[TournamentNotice]) -> list[Heard]:
        """Return them for the registry."""
        with self.database.read() as session:
            return [_complete_notice(session, row) for row in rows]


def _complete_notice(session: Session, row: TournamentNotice) -> Heard:
    """Add what is true of the contest now: those who may not see it any more are not told."""
    data = msgspec.json.decode(row.data)
    tournament = session.get(Tournament, row.contest) if row.contest else None
    if tournament is None:
        return Heard(row.id, row.kind, row.at, tuple(row.accounts.split()), "", row.data)
    entrants = {one.account_name for one in entries_of(session, tournament.id) if not one.withdrawn}
    group = tournament.group_name
    about = {"contest": tournament.name, "contest_id": tournament.id}
    told = msgspec.json.encode(about | data).decode()
    named = {name_entrant(one, group) for one in entrants}
    if tournament.organiser not in entrants:
        named.add(name_organiser(tournament.organiser, group))
    accounts = tuple(sorted(named))
    followed = tournament.name if is_public(tournament) else ""
    return Heard(row.id, row.kind, row.at, accounts, followed, told)


def is_public(tournament: Tournament) -> bool:
    """Return True if everybody may know of it."""
    return tournament.visibility == PUBLIC
