"""Answers about webhooks."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct


class Webhook(Struct, frozen=True):
    """An address that is notified of events; its fields are explained in the contract."""

    id: str
    url: str
    kinds: tuple[str, ...]
    contests: tuple[str, ...]
    created_at: datetime | None
    disabled_at: datetime | None
    failing_since: datetime | None
    problem: str
    waiting: int
    language: str = ""
    confirm_until: datetime | None = None

    @property
    def state(self) -> str:
        """Return `unconfirmed`, `disabled`, `failing` or `active`."""
        if self.confirm_until:
            return "unconfirmed"
        if self.disabled_at:
            return "disabled"
        return "failing" if self.failing_since else "active"


class Delivery(Struct, frozen=True):
    """An event that a webhook has received or is to receive."""

    id: str
    kind: str
    at: datetime | None
    attempts: int
    status: int
    delivered_at: datetime | None


class CreateWebhookResponse(Struct, frozen=True):
    """A new webhook, and the secret that its events are signed with."""

    webhook: Webhook
    secret: str


class GetWebhookResponse(Struct, frozen=True):
    """A webhook with its newest deliveries, newest first."""

    webhook: Webhook
    deliveries: tuple[Delivery, ...]
