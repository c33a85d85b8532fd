"""Notices: taken in once from all services, and made deliveries for the webhooks that they concern."""

from collections.abc import Iterable, Sequence

from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, and_, col, select, update

from services.registry.domain.state import State
from services.registry.models import UNTOLD, Account, Bot, Delivery, FollowedContest, Notice, Version, Webhook
from services.registry.store.people.group import choose_told
from services.registry.store.people.owner import list_told
from services.shared.base.clock import Clock
from services.shared.store.connect import Database
from services.shared.store.notice_table import Heard, new_notice

ACTIVE, REFUSED, STALLED, SUSPENDED = "bot.active", "bot.refused", "bot.stalled", "bot.suspended"
AT_ONCE = 20  # notices made deliveries in one transaction
TOLD = Webhook.disabled_at == 0, Webhook.confirm_until == 0


class Notices:
    """The notices of all services."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock

    def store_notices(self, heard: Sequence[Heard]) -> None:
        """Store notices in their order; those that are known are passed over."""
        try:
            self._store_notices(heard)
        except IntegrityError:  # they were stored in between: now they are known
            self._store_notices(heard)

    def _store_notices(self, heard: Sequence[Heard]) -> None:
        with self.database.write() as session:
            ids = [one.id for one in heard]
            known = set(session.exec(select(Notice.id).where(col(Notice.id).in_(ids))).all())
            for one in heard:
                if one.id not in known:
                    known.add(one.id)
                    fields = one._asdict() | {"accounts": " ".join(one.accounts)}
                    session.add(Notice(**fields))
                    session.flush()  # numbers follow the order

    def spread_notices(self) -> int:
        """Make untold notices deliveries, oldest first; return the number of notices."""
        untold = select(Notice).where(UNTOLD).order_by(col(Notice.number)).limit(AT_ONCE)
        with self.database.read() as session:
            if not session.exec(untold.limit(1)).first():
                return 0
        with self.database.write() as session:
            notices = session.exec(untold.with_for_update()).all()
            for notice in notices:
                self._spread_notice(session, notice)
            return len(notices)

    def _spread_notice(self, session: Session, notice: Notice) -> None:
        now = self.clock()
        notice.told_at = now
        session.add(notice)
        concerned = set(_find_concerned(session, notice))
        if not concerned:
            return
        there = select(Webhook.id).where(col(Webhook.id).in_(concerned)).order_by(col(Webhook.id))
        found = session.exec(there.with_for_update()).all()  # so that none is removed meanwhile
        rests = and_(col(Webhook.next_at) == 0, col(Webhook.attempts) == 0)
        session.exec(update(Webhook).where(col(Webhook.id).in_(found), rests).values(next_at=now))
        session.flush()
        common = {"notice_id": notice.id, "created_at": now, "attempts": 0, "status": 0, "delivered_at": 0}
        if found:
            session.execute(insert(Delivery), [{"webhook_id": one, **common} for one in found])


def _find_concerned(session: Session, notice: Notice) -> Iterable[str]:
    """Yield the webhooks to tell: of the accounts that it concerns, and of those that follow the contest."""
    names = notice.accounts.split()
    if names:
        told = list_told(session, choose_told(session, names))
        owned = select(Webhook.id, Webhook.kinds).where(col(Webhook.account_id).in_(told))
        yield from _filter_rows(session.exec(owned.where(*TOLD)).all(), notice.kind)
    if notice.contest:
        following = select(Webhook.id, Webhook.kinds).join(FollowedContest)
        following = following.where(FollowedContest.contest == notice.contest, *TOLD)
        yield from _filter_rows(session.exec(following).all(), notice.kind)


def _filter_rows(rows: Iterable[tuple[str, str]], kind: str) -> list[str]:
    return sorted(webhook_id for webhook_id, kinds in rows if kind in kinds.split())


def tell_of_verdict(session: Session, version: Version, at: int) -> None:
    """Store a notice about a version that has just been validated, if it was refused or plays now."""
    if kind := {State.REFUSED: REFUSED, State.ACTIVE: ACTIVE}.get(State(version.state)):
        tell_of_version(session, kind, version, at)


def tell_of_versions(session: Session, kind: str, version_ids: Iterable[str], at: int) -> None:
    """Store a notice about each of these versions."""
    for version_id in version_ids:
        tell_of_version(session, kind, session.get_one(Version, version_id), at)


def tell_of_version(session: Session, kind: str, version: Version, at: int) -> None:
    """Store a notice about a version for the owner of its bot, in the transaction of the change."""
    bot = session.get_one(Bot, version.bot_id)
    owner = session.get_one(Account, bot.account_id).name
    data = {"bot": bot.name, "version": version.number, "version_id": version.id, "reason": version.reason}
    session.add(new_notice(Notice, kind, at, data, (owner,)))
