"""Events, and the webhooks that are told of them."""

from sqlalchemy import (
    Index,
    UniqueConstraint,
    text,
)
from sqlmodel import Field

from services.registry.models.base import RegistryTable
from services.shared.store.column import added_number, added_word, time_column
from services.shared.store.notice_table import NoticeRow

UNTOLD = text("told_at = 0")
DUE = text("next_at > 0")
UNDELIVERED = text("delivered_at = 0")
CONFIRMS = text("kind = 'confirm'")


class Webhook(RegistryTable, table=True):
    """An address of an account that is told of events. kinds: space-separated. secret: its events' key.

    url: also of mail or of a chat. shown: that address without its secrets, if it has some. language: of
    messages. confirm_until: set while a mail address waits to be confirmed; its link ends then.

    attempts: failed ones of its first waiting delivery. next_at: time of the next attempt; 0: nothing waits,
    or it is disabled. failing_since, disabled_at: 0 if it does not fail, or is not disabled. problem: why.
    """

    id: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id")
    url: str
    kinds: str
    secret: str
    created_at: int = time_column()
    attempts: int = 0
    next_at: int = time_column(default=0)
    failing_since: int = time_column(default=0)
    disabled_at: int = time_column(default=0)
    problem: str = ""
    shown: str = added_word()
    language: str = added_word()
    confirm_until: int = added_number()

    __table_args__ = (
        UniqueConstraint("account_id", "url", name="uq_webhook_account_id_url"),
        Index("ix_webhook_due", "next_at", sqlite_where=DUE, postgresql_where=DUE),
    )


class FollowedContest(RegistryTable, table=True):
    """The name of a contest that a webhook follows beside those of its account."""

    contest: str = Field(primary_key=True)
    webhook_id: str = Field(primary_key=True, foreign_key="webhook.id", index=True)

    __tablename__ = "followed_contest"


class Notice(NoticeRow, RegistryTable, table=True):
    """An event of any service that webhooks are told of. contest: its name, if everybody may know of it.

    told_at: when it was made a delivery for every webhook concerned; 0: not yet.
    """

    told_at: int = time_column(default=0)

    __tablename__ = "event"
    __table_args__ = (
        Index("ix_event_untold", "number", sqlite_where=UNTOLD, postgresql_where=UNTOLD),
        Index("ix_event_told_at", "told_at"),
        Index("ix_event_confirms", "accounts", "at", sqlite_where=CONFIRMS, postgresql_where=CONFIRMS),
    )


class Delivery(RegistryTable, table=True):
    """A notice for a webhook; they are delivered in the order of their numbers."""

    number: int | None = Field(default=None, primary_key=True)
    webhook_id: str = Field(foreign_key="webhook.id")
    notice_id: str = Field(foreign_key="event.id", index=True)
    created_at: int = time_column(index=True)
    attempts: int = 0
    status: int = 0  # of the last answer
    delivered_at: int = time_column(default=0)

    __table_args__ = (
        UniqueConstraint("webhook_id", "notice_id", name="uq_delivery_webhook_id_notice_id"),
        Index("ix_delivery_newest", "webhook_id", "number"),
        Index(
            "ix_delivery_waiting",
            "webhook_id",
            "number",
            sqlite_where=UNDELIVERED,
            postgresql_where=UNDELIVERED,
        ),
    )
