"""Deliveries: which are due, and what became of an attempt. A webhook's are delivered one after the other."""

import random
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlmodel import Session, and_, col, delete, func, select, update

from services.registry.domain.webhook import DISABLED
from services.registry.models import DUE, UNDELIVERED, Account, Delivery, Notice, Webhook
from services.shared.base.clock import DAY, Clock
from services.shared.store.connect import Database
from services.shared.store.notice_table import new_notice

FIRST_WAIT, LONGEST_WAIT = 5_000, 3_600_000  # ms between two attempts
EACH = 4  # webhooks of an account that are told at the same time
KEPT = 30 * DAY
"""Milliseconds that deliveries are kept, those of a disabled webhook too."""
PRUNED = 1000  # rows deleted in one transaction
LONGEST_PROBLEM = 300

_waits = random.SystemRandom()


class Due(NamedTuple):
    """A delivery whose turn it is. attempts: those that failed so far."""

    webhook_id: str
    account_id: str
    url: str
    secret: str
    number: int
    attempts: int
    notice_id: str
    kind: str
    at: int
    data: str
    language: str = ""
    confirm_until: int = 0


class FinishedAttempt(NamedTuple):
    """The end of an attempt. problem: empty if it was delivered; gone: the receiver wants no more."""

    due: Due
    status: int
    problem: str = ""
    gone: bool = False


class Counts(NamedTuple):
    """The number of deliveries that wait, and the age in ms of the oldest; those of disabled ones are not."""

    waiting: int
    oldest: int


class Deliveries:
    """Deliveries of all webhooks. patience: ms of failures after which a webhook is disabled."""

    def __init__(self, database: Database, clock: Clock, patience: int) -> None:
        self.database, self.clock, self.patience = database, clock, patience

    def list_due(self, most: int, without: Collection[str] = (), *, messages: bool = False) -> list[Due]:
        """Return the first waiting delivery of webhooks whose turn it is, of EACH an account at most.

        without: webhooks left out. messages: those of mail and chat, instead of webhooks.
        """
        place = func.row_number().over(
            partition_by=col(Webhook.account_id), order_by=(col(Webhook.next_at), col(Webhook.id))
        )
        due = select(Webhook.id, Webhook.next_at, place.label("place"))
        kind = col(Webhook.language) != "" if messages else col(Webhook.language) == ""
        due = due.where(DUE, kind, col(Webhook.next_at) <= self.clock(), col(Webhook.id).not_in(without))
        placed = due.subquery()
        turn = select(placed.c.id).where(placed.c.place <= EACH).order_by(placed.c.next_at, placed.c.id)
        with self.database.read() as session:
            return _read_heads(session, session.exec(turn.limit(most)).all())

    def find_next(self, without: Collection[str] = ()) -> int | None:
        """Return the time of the next attempt, in ms since 1970; None if nothing waits."""
        waiting = DUE, col(Webhook.id).not_in(without)
        first = select(Webhook.next_at).where(*waiting).order_by(col(Webhook.next_at)).limit(1)
        with self.database.read() as session:
            return session.exec(first).first()

    def note_attempts(self, done: Sequence[FinishedAttempt]) -> list[Due | None]:
        """Record the outcomes of attempts; return for each its webhook's next delivery, to be made at once.

        Webhooks that were removed meanwhile are passed over.
        """
        ids = [one.due.webhook_id for one in done]
        with self.database.write() as session:
            mine = select(Webhook).where(col(Webhook.id).in_(ids)).order_by(col(Webhook.id))
            webhooks = {one.id: one for one in session.exec(mine.with_for_update())}
            now = self.clock()
            self._note_answers(session, done, now)
            delivered = [one.due.webhook_id for one in done if not one.problem]
            heads = {one.webhook_id: one for one in _read_heads(session, delivered)}
            for one in done:
                webhook = webhooks.get(one.due.webhook_id)
                if webhook is not None and one.problem:
                    self._note_failure(session, webhook, one, now)
            _note_success(session, delivered, heads, now)
        return [heads.get(one.due.webhook_id) for one in done]

    def _note_answers(self, session: Session, done: Sequence[FinishedAttempt], now: int) -> None:
        """Write the answers of deliveries that were not delivered before."""
        by_answer: dict[tuple[int, int], list[int]] = {}
        for one in done:
            answer = one.status, 0 if one.problem else now
            by_answer.setdefault(answer, []).append(one.due.number)
        for (status, delivered_at), numbers in by_answer.items():
            theirs = update(Delivery).where(col(Delivery.number).in_(numbers), UNDELIVERED)
            noted = {"status": status, "delivered_at": delivered_at, "attempts": Delivery.attempts + 1}
            session.exec(theirs.values(**noted))

    def _note_failure(self, session: Session, webhook: Webhook, done: FinishedAttempt, now: int) -> None:
        if webhook.disabled_at:
            return  # while this was delivered, because its account was blocked
        webhook.attempts += 1
        webhook.failing_since = webhook.failing_since or now
        webhook.problem = done.problem[:LONGEST_PROBLEM]
        webhook.next_at = now + choose_wait(webhook.attempts)
        if done.gone or now - webhook.failing_since >= self.patience:
            webhook.disabled_at, webhook.next_at = now, 0
            owner = session.get_one(Account, webhook.account_id).name
            data = {"webhook": webhook.id, "url": webhook.shown or webhook.url, "reason": webhook.problem}
            session.add(new_notice(Notice, DISABLED, now, data, (owner,)))

    def count_waiting(self) -> Counts:
        """Return what waits at webhooks that are not disabled."""
        waiting = select(func.count(), func.min(Delivery.created_at)).join(Webhook)
        waiting = waiting.where(UNDELIVERED, Webhook.disabled_at == 0)
        with self.database.read() as session:
            count, since = session.exec(waiting).one()
        return Counts(count, max(0, self.clock() - since) if count else 0)

    def prune_old(self) -> None:
        """Delete what is past retention."""
        before = self.clock() - KEPT
        old = select(Delivery.number).where(Delivery.created_at < before).limit(PRUNED)
        told = select(Notice.number).where(col(Notice.told_at).between(1, before))
        told = told.where(~select(Delivery.number).where(Delivery.notice_id == Notice.id).exists()).limit(
            PRUNED
        )
        with self.database.write() as session:
            session.exec(delete(Delivery).where(col(Delivery.number).in_(session.exec(old).all())))
            session.exec(delete(Notice).where(col(Notice.number).in_(session.exec(told).all())))


def choose_wait(attempts: int) -> int:
    """Return the ms until the next attempt: doubled after each one, and half of it random."""
    longest = min(LONGEST_WAIT, FIRST_WAIT << min(attempts - 1, 20))
    return _waits.randint(longest // 2, longest)


def _note_success(session: Session, webhook_ids: Sequence[str], more: Collection[str], now: int) -> None:
    """Note that webhooks took a delivery; more: those for which another one waits."""
    calm = {"attempts": 0, "failing_since": 0, "problem": ""}
    for ids, next_at in (
        ([one for one in webhook_ids if one in more], now),
        ([one for one in webhook_ids if one not in more], 0),
    ):
        if ids:
            theirs = update(Webhook).where(col(Webhook.id).in_(ids), col(Webhook.disabled_at) == 0)
            session.exec(theirs.values(next_at=next_at, **calm))


def _read_heads(session: Session, webhook_ids: Sequence[str]) -> list[Due]:
    """Return the first waiting delivery of each of these webhooks."""
    if not webhook_ids:
        return []
    first = (
        select(Delivery.webhook_id, func.min(Delivery.number).label("number"))
        .where(col(Delivery.webhook_id).in_(webhook_ids), UNDELIVERED)
        .group_by(col(Delivery.webhook_id))
        .subquery()
    )
    query = (
        select(Delivery, Webhook, Notice)
        .join(first, and_(first.c.number == Delivery.number))
        .join(Webhook, col(Webhook.id) == col(Delivery.webhook_id))
        .join(Notice, col(Notice.id) == col(Delivery.notice_id))
        .where(Webhook.disabled_at == 0)
    )
    return [_build_due(*row) for row in session.exec(query)]


def _build_due(delivery: Delivery, webhook: Webhook, notice: Notice) -> Due:
    owned = webhook.id, webhook.account_id, webhook.url, webhook.secret
    told = notice.id, notice.kind, notice.at, notice.data
    return Due(
        *owned, delivery.number or 0, delivery.attempts, *told, webhook.language, webhook.confirm_until
    )
