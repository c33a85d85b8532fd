"""The RPCs of webhooks for `maumau.client.Arena`."""

from __future__ import annotations

from collections.abc import Sequence

from maumau.client import answer, call
from maumau.client.link import Link
from maumau.v1 import webhook_pb2 as w


class WebhookCalls:
    """The calls of webhooks, over the link that `Arena` makes."""

    _webhooks: Link

    def create_webhook(
        self, url: str, kinds: Sequence[str] = (), contests: Sequence[str] = (), language: str = ""
    ) -> answer.CreateWebhookResponse:
        """Subscribe an address to kinds of events, by default all; its secret is shown this once.

        language: of messages to mail and chat, `en` or `de`.
        """
        request = w.CreateWebhookRequest(url=url, kinds=kinds, contests=contests, language=language)
        return call.to_struct(answer.CreateWebhookResponse, self._webhooks.call("CreateWebhook", request))

    def webhooks(self) -> tuple[answer.Webhook, ...]:
        """Return one's own webhooks, oldest first."""
        found = self._webhooks.call("ListWebhooks", w.ListWebhooksRequest())
        return tuple(call.to_struct(answer.Webhook, one) for one in found.webhooks)

    def webhook(self, webhook_id: str) -> answer.GetWebhookResponse:
        """Return one of one's own webhooks, with its newest deliveries."""
        request = w.GetWebhookRequest(id=webhook_id)
        return call.to_struct(answer.GetWebhookResponse, self._webhooks.call("GetWebhook", request))

    def test_webhook(self, webhook_id: str) -> str:
        """Send a test event, which enables a disabled webhook; return the event's id."""
        request = w.TestWebhookRequest(id=webhook_id)
        return str(self._webhooks.call("TestWebhook", request).delivery_id)

    def delete_webhook(self, webhook_id: str) -> None:
        """Remove one of one's own webhooks."""
        self._webhooks.call("DeleteWebhook", w.DeleteWebhookRequest(id=webhook_id))

    def confirm_mail(self, webhook_id: str, key: str) -> str:
        """Confirm a mail address by the link that was sent to it; return the address."""
        request = w.ConfirmMailRequest(id=webhook_id, key=key)
        return str(self._webhooks.call("ConfirmMail", request).url)

    def stop_mail(self, webhook_id: str, key: str) -> str:
        """Remove the webhook whose mails had this link; return the address."""
        return str(self._webhooks.call("StopMail", w.StopMailRequest(id=webhook_id, key=key)).url)
