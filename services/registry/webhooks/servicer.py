"""Handlers of WebhookService: message to stores and back."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

from asyncio import to_thread
from dataclasses import dataclass
from typing import Any

import msgspec

from maumau.errors import BadRequest
from maumau.v1 import webhook_pb2 as pb
from maumau.v1 import webhook_pb2_grpc
from services.registry.domain.channel import find_scheme, is_mail, read_channel, read_language
from services.registry.domain.webhook import KINDS, Target, read_contests, read_kinds, read_target
from services.registry.store.notices.notice import Notices
from services.registry.store.notices.webhook import Asked, Shown, ShownDelivery, Webhooks
from services.registry.webhooks.dispatch import Dispatcher
from services.registry.webhooks.reach import Forbidden, Reach
from services.registry.webhooks.tell import NO_MAIL, find_target
from services.shared.base.auth import Need, identity
from services.shared.rpc.timestamp import to_timestamp
from services.shared.store.notice_table import Heard

SERVICE = pb.DESCRIPTOR.services_by_name["WebhookService"]
NEEDS = {
    "CreateWebhook": Need.AUTHOR,
    "ListWebhooks": Need.AUTHOR,
    "GetWebhook": Need.AUTHOR,
    "TestWebhook": Need.AUTHOR,
    "DeleteWebhook": Need.AUTHOR,
    "ConfirmMail": Need.PAGE,
    "StopMail": Need.PAGE,
    "TellNotices": Need.SERVICE,
}
MOST_NOTICES = 1000


@dataclass(kw_only=True)
class WebhookServicer(webhook_pb2_grpc.WebhookServiceServicer):
    """Webhooks for their owners, and notices of other services."""

    webhooks: Webhooks
    notices: Notices
    dispatcher: Dispatcher
    reach: Reach

    async def CreateWebhook(self, request: pb.CreateWebhookRequest, context: Any) -> pb.CreateWebhookResponse:
        url, language = read_channel(request.url), read_language(request.language)
        kinds, contests = read_kinds(request.kinds), read_contests(request.contests)
        shown_url = await self._check(url)
        asked = Asked(url, kinds, contests, shown_url, language if find_scheme(url) else "")
        shown = await to_thread(self.webhooks.create_webhook, identity(), asked)
        self.dispatcher.wake_dispatcher()
        secret = "" if find_scheme(url) else shown.webhook.secret
        return pb.CreateWebhookResponse(webhook=_build_webhook(shown), secret=secret)

    async def _check(self, url: str) -> str:
        """Return the address without secrets, if it has some; raise BadRequest if it is not permitted."""
        try:
            shown, target = await self._find_target(url)
            if target:
                self.reach.check_literal(target)
                self.reach.check_port(target)
        except Forbidden as err:
            raise BadRequest(f"This cannot be the address of a webhook: {err}.", field="url") from None
        return shown

    async def _find_target(self, url: str) -> tuple[str, Target | None]:
        """Return the address without secrets, and the server that it names, if it names one."""
        teller = self.dispatcher.teller
        if not find_scheme(url):
            return "", read_target(url)
        if not is_mail(url):
            outcome = await teller.check(url)
            if outcome.problem:
                raise Forbidden(outcome.problem)
            return outcome.shown, find_target(url, outcome)
        if not teller.server.url:
            raise Forbidden(NO_MAIL)
        return "", None

    async def ConfirmMail(self, request: pb.ConfirmMailRequest, context: Any) -> pb.ConfirmMailResponse:
        found = await to_thread(self.webhooks.confirm, request.id, request.key)
        return pb.ConfirmMailResponse(url=found.url)

    async def StopMail(self, request: pb.StopMailRequest, context: Any) -> pb.StopMailResponse:
        found = await to_thread(self.webhooks.stop, request.id, request.key)
        return pb.StopMailResponse(url=found.url)

    async def ListWebhooks(self, request: pb.ListWebhooksRequest, context: Any) -> pb.ListWebhooksResponse:
        found = await to_thread(self.webhooks.list_all, identity())
        return pb.ListWebhooksResponse(webhooks=map(_build_webhook, found))

    async def GetWebhook(self, request: pb.GetWebhookRequest, context: Any) -> pb.GetWebhookResponse:
        shown, deliveries = await to_thread(self.webhooks.find_webhook, identity(), request.id)
        return pb.GetWebhookResponse(
            webhook=_build_webhook(shown), deliveries=map(_build_delivery, deliveries)
        )

    async def TestWebhook(self, request: pb.TestWebhookRequest, context: Any) -> pb.TestWebhookResponse:
        sent = await to_thread(self.webhooks.queue_test, identity(), request.id)
        self.dispatcher.wake_dispatcher()
        return pb.TestWebhookResponse(delivery_id=sent)

    async def DeleteWebhook(self, request: pb.DeleteWebhookRequest, context: Any) -> pb.DeleteWebhookResponse:
        await to_thread(self.webhooks.remove_webhook, identity(), request.id)
        return pb.DeleteWebhookResponse()

    async def TellNotices(self, request: pb.TellNoticesRequest, context: Any) -> pb.TellNoticesResponse:
        await to_thread(
            self.notices.store_notices, [_read_notice(one) for one in request.notices[:MOST_NOTICES]]
        )
        self.dispatcher.wake_dispatcher()
        return pb.TellNoticesResponse()


def _read_notice(notice: pb.Notice) -> Heard:
    try:
        data = msgspec.json.encode(msgspec.json.decode(notice.data, type=dict)).decode()
    except msgspec.DecodeError:
        raise BadRequest("The data of a notice is a JSON object.", field="notices") from None
    if notice.kind not in KINDS:
        raise BadRequest(f"There is no event {notice.kind[:80]!r}.", field="notices")
    contest = notice.contest if notice.is_public else ""
    at = notice.at.ToMilliseconds()
    return Heard(notice.id, notice.kind, at, tuple(notice.accounts), contest, data)


def _build_webhook(shown: Shown) -> pb.Webhook:
    row = shown.webhook
    answer = pb.Webhook(
        id=row.id,
        url=row.shown or row.url,
        language=row.language,
        kinds=row.kinds.split(),
        contests=shown.contests,
        created_at=to_timestamp(row.created_at),
        problem=row.problem,
        waiting=shown.waiting,
    )
    if row.disabled_at:
        answer.disabled_at.CopyFrom(to_timestamp(row.disabled_at))
    if row.confirm_until:
        answer.confirm_until.CopyFrom(to_timestamp(row.confirm_until))
    if row.failing_since:
        answer.failing_since.CopyFrom(to_timestamp(row.failing_since))
    return answer


def _build_delivery(shown: ShownDelivery) -> pb.Delivery:
    row, notice = shown
    answer = pb.Delivery(
        id=notice.id,
        kind=notice.kind,
        at=to_timestamp(notice.at),
        attempts=row.attempts,
        status=row.status,
    )
    if row.delivered_at:
        answer.delivered_at.CopyFrom(to_timestamp(row.delivered_at))
    return answer
