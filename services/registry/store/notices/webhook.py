"""Webhooks of accounts: made, listed, tested and removed by their owners."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, delete, func, select

from maumau.errors import BadRequest, QuotaReached, UnknownWebhook
from services.registry.domain.channel import CONFIRM, is_key, is_mail, name_confirmation, name_end
from services.registry.domain.webhook import TEST, new_secret
from services.registry.models import (
    CONFIRMS,
    UNDELIVERED,
    Delivery,
    FollowedContest,
    Notice,
    Webhook,
)
from services.registry.store.people.owner import lock_caller
from services.shared.base.auth import Identity
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database
from services.shared.store.notice_table import new_notice

SHOWN = 20  # deliveries
CONFIRM_WITHIN = 2 * DAY
MOST_CONFIRMATIONS = 5  # mails that ask an address to be confirmed, by an account in a day


UNCONFIRMED = "This link confirms nothing (any more): it was used, has expired, or a newer one was sent."


class Asked(NamedTuple):
    """A webhook as it is asked for. shown: its address without secrets, if it has some."""

    url: str
    kinds: Sequence[str]
    contests: Sequence[str]
    shown: str = ""
    language: str = ""


class Shown(NamedTuple):
    """A webhook with the contests that it follows, and how many deliveries wait."""

    webhook: Webhook
    contests: tuple[str, ...]
    waiting: int


class ShownDelivery(NamedTuple):
    """A delivery and its event."""

    delivery: Delivery
    notice: Notice


class Webhooks:
    """The webhooks of accounts. most: of one account."""

    def __init__(self, database: Database, clock: Clock, most: int) -> None:
        self.database, self.clock, self.most = database, clock, most

    def create_webhook(self, who: Identity, asked: Asked) -> Shown:
        """Subscribe an address; raise QuotaReached if the account has enough of them."""
        webhook = Webhook(
            id=new_id("hook"),
            account_id=who.account_id,
            url=asked.url,
            kinds=" ".join(asked.kinds),
            secret=new_secret(),
            created_at=self.clock(),
            shown=asked.shown,
            language=asked.language,
        )
        try:
            with self.database.write() as session:
                self._check_room(session, who)
                session.add(webhook)
                session.flush()
                followed = [FollowedContest(contest=one, webhook_id=webhook.id) for one in asked.contests]
                session.add_all(followed)
                if is_mail(asked.url):
                    self._ask_owner(session, who, webhook)
        except IntegrityError:
            raise BadRequest("You have a webhook with this address already.", field="url") from None
        return Shown(webhook, tuple(asked.contests), 0)

    def _check_room(self, session: Session, who: Identity) -> None:
        lock_caller(session, who)
        mine = select(func.count()).select_from(Webhook).where(Webhook.account_id == who.account_id)
        if session.exec(mine).one() >= self.most:
            words = (
                f"{who.name} has {self.most} webhooks, as many as this arena allows an account;"
                " `maumau webhook remove ID` makes room."
            )
            raise QuotaReached(words, quota=f"webhooks of {who.name}")

    def list_all(self, who: Identity) -> list[Shown]:
        """Return the caller's webhooks, oldest first."""
        mine = select(Webhook).where(Webhook.account_id == who.account_id).order_by(col(Webhook.id))
        with self.database.read() as session:
            return [_build_shown(session, one) for one in session.exec(mine).all()]

    def find_webhook(self, who: Identity, webhook_id: str) -> tuple[Shown, list[ShownDelivery]]:
        """Return one of the caller's webhooks, and its newest deliveries."""
        with self.database.read() as session:
            webhook = _find_own(session, who, webhook_id)
            newest = (
                select(Delivery, Notice)
                .join(Notice, col(Notice.id) == col(Delivery.notice_id))
                .where(Delivery.webhook_id == webhook.id)
                .order_by(col(Delivery.number).desc())
            )
            rows = session.exec(newest.limit(SHOWN)).all()
            return _build_shown(session, webhook), [ShownDelivery(*row) for row in rows]

    def queue_test(self, who: Identity, webhook_id: str) -> str:
        """Queue an event for this webhook alone, and enable it if it is disabled; return the event's id.

        A mail address that waits to be confirmed is asked once more, with a new link.
        """
        with self.database.write() as session:
            lock_caller(session, who)
            webhook = _find_own(session, who, webhook_id, lock=True)
            if webhook.confirm_until:
                return self._ask_owner(session, who, webhook)
            return self._queue(session, who, webhook, TEST)

    def confirm(self, webhook_id: str, key: str) -> Webhook:
        """Confirm a mail address by the link that was sent to it; raise UnknownWebhook for any other link."""
        with self.database.write() as session:
            webhook = session.exec(select(Webhook).where(Webhook.id == webhook_id).with_for_update()).first()
            until = webhook.confirm_until if webhook else 0
            if webhook is None or until <= self.clock():
                raise UnknownWebhook(UNCONFIRMED)
            if not is_key(key, webhook.secret, name_confirmation(webhook.id, until)):
                raise UnknownWebhook(UNCONFIRMED)
            webhook.confirm_until = 0
            return webhook

    def stop(self, webhook_id: str, key: str) -> Webhook:
        """Remove the webhook whose mails had this link; raise UnknownWebhook if there is none (any more)."""
        with self.database.write() as session:
            webhook = session.exec(select(Webhook).where(Webhook.id == webhook_id).with_for_update()).first()
            if webhook is None or not is_key(key, webhook.secret, name_end(webhook_id)):
                raise UnknownWebhook("No mails are left to unsubscribe from with this link.")
            remove(session, webhook)
            return webhook

    def _ask_owner(self, session: Session, who: Identity, webhook: Webhook) -> str:
        """Queue the mail that asks the owner of an address to confirm it; links of earlier ones end."""
        now = self.clock()
        asked = select(func.count()).select_from(Notice).where(CONFIRMS, Notice.accounts == who.name)
        if session.exec(asked.where(Notice.at > now - DAY)).one() >= MOST_CONFIRMATIONS:
            words = (
                f"{who.name} has asked for {MOST_CONFIRMATIONS} confirmations within a day; wait until then."
            )
            raise QuotaReached(words, quota=f"confirmations of {who.name}")
        webhook.confirm_until = now + CONFIRM_WITHIN
        return self._queue(session, who, webhook, CONFIRM)

    def _queue(self, session: Session, who: Identity, webhook: Webhook, kind: str) -> str:
        """Queue an event for this webhook alone, to be sent now; return its id."""
        now = self.clock()
        notice = new_notice(Notice, kind, now, {"words": "This is a test.", "account": who.name}, (who.name,))
        notice.told_at = now
        session.add(notice)
        session.flush()
        session.add(Delivery(webhook_id=webhook.id, notice_id=notice.id, created_at=now))
        webhook.next_at = now
        webhook.attempts = webhook.failing_since = webhook.disabled_at = 0
        webhook.problem = ""
        return notice.id

    def remove_webhook(self, who: Identity, webhook_id: str) -> None:
        """Delete one of the caller's webhooks, with its waiting events."""
        with self.database.write() as session:
            remove(session, _find_own(session, who, webhook_id, lock=True))


def remove(session: Session, webhook: Webhook) -> None:
    """Delete a webhook, with its waiting events."""
    for model in (FollowedContest, Delivery):
        session.exec(delete(model).where(col(model.webhook_id) == webhook.id))
    session.delete(webhook)


def _find_own(session: Session, who: Identity, webhook_id: str, *, lock: bool = False) -> Webhook:
    """Return a webhook of the caller; one of another account counts as unknown."""
    mine = select(Webhook).where(Webhook.id == webhook_id, Webhook.account_id == who.account_id)
    found = session.exec(mine.with_for_update() if lock else mine).first()
    if found is None:
        words = f"You have no webhook {webhook_id[:80]!r}; `maumau webhook list` shows yours."
        raise UnknownWebhook(words, thing=webhook_id)
    return found


def _build_shown(session: Session, webhook: Webhook) -> Shown:
    followed = select(FollowedContest.contest).where(FollowedContest.webhook_id == webhook.id)
    contests = session.exec(followed.order_by(col(FollowedContest.contest))).all()
    waiting = select(func.count()).select_from(Delivery)
    waiting = waiting.where(Delivery.webhook_id == webhook.id, UNDELIVERED)
    return Shown(webhook, tuple(contests), session.exec(waiting).one())
