"""Assembly of the registry's webhooks."""

from asyncio import to_thread
from typing import NamedTuple

from services.registry.metrics import RegistryMetrics, Undelivered
from services.registry.store.notices.delivery import Deliveries
from services.registry.store.notices.notice import Notices
from services.registry.store.notices.webhook import Webhooks
from services.registry.webhooks.dispatch import Dispatcher, Senders
from services.registry.webhooks.message import MessageWriter
from services.registry.webhooks.post import Poster
from services.registry.webhooks.reach import Reach, Resolver
from services.registry.webhooks.servicer import WebhookServicer
from services.registry.webhooks.tell import MailServer, MessageTeller
from services.shared.base.clock import DAY, Clock
from services.shared.base.peer import read_networks, read_ports
from services.shared.base.settings import Settings
from services.shared.process.background import EVERY
from services.shared.process.server import Server
from services.shared.store.connect import Database
from services.shared.store.leader import Leader


class Parts(NamedTuple):
    """The webhooks of a registry. resolver: ended with it."""

    servicer: WebhookServicer
    deliveries: Deliveries
    resolver: Resolver

    def wake_dispatcher(self) -> None:
        """Look for something to deliver."""
        self.servicer.dispatcher.wake_dispatcher()

    async def close(self) -> None:
        """End attempts under way."""
        await self.servicer.dispatcher.close()
        self.resolver.close()


def build_parts(
    server: Server,
    settings: Settings,
    database: Database,
    clock: Clock,
    metrics: RegistryMetrics,
    leader: Leader,
) -> Parts:
    """Return the webhooks, delivered in the background while the server runs and this replica leads."""
    reach = Reach(read_ports(settings.webhook_ports), read_networks(settings.webhook_networks))
    notices, resolver = Notices(database, clock), Resolver()
    deliveries = Deliveries(database, clock, int(settings.webhook_days * DAY))
    writer = MessageWriter(settings.page_url)
    teller = MessageTeller(MailServer(settings.mail_url, settings.mail_from), reach, writer)
    senders = Senders(Poster(reach, resolver), teller)
    dispatcher = Dispatcher(notices, deliveries, senders, metrics, clock, leader.leads)
    servicer = WebhookServicer(
        webhooks=Webhooks(database, clock, settings.webhooks),
        notices=notices,
        dispatcher=dispatcher,
        reach=reach,
    )
    server.registry.register(Undelivered(deliveries))
    server.background("webhooks", 0.0, dispatcher.deliver_due)

    async def prune() -> None:
        await to_thread(deliveries.prune_old)

    server.background("prune of webhooks", EVERY, leader.only(prune))
    return Parts(servicer, deliveries, resolver)
