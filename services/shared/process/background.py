"""Background tasks of a service with a database: leading, and pruning its actions and changes."""

from asyncio import to_thread
from typing import Any

from services.shared.base import clock, log
from services.shared.process.server import Server
from services.shared.store.action_table import ActionTable
from services.shared.store.change import KEPT
from services.shared.store.change_table import ChangeTable
from services.shared.store.connect import Database
from services.shared.store.leader import RENEWAL, Leader, identify, new_gauge

EVERY = 3600.0  # seconds between two clean-ups
CHANGES = 200_000  # kept at most

logger = log.get(__name__)


def add_leader(server: Server, database: Database, model: type[Any]) -> Leader:
    """Return a service's leader, renewed while the server runs; call `resign` when the service is closed."""
    gauge = new_gauge(server.registry, database.schema)
    leader = Leader(database, model, lambda: identify(server.address), gauge)
    server.background(f"leader of {database.schema}", RENEWAL, leader.renew)
    return leader


def keep_calls(
    server: Server, database: Database, leader: Leader, action: type[Any], change: type[Any]
) -> tuple[ActionTable, ChangeTable]:
    """Return a service's tables of actions and changes; its leader deletes old and surplus rows."""
    actions, changes = ActionTable(database, action), ChangeTable(database, change)
    oldest, most = server.settings.actions_days * clock.DAY, server.settings.actions_most

    def prune() -> None:
        now = clock.now()
        if forgotten := actions.prune(now - oldest, most):
            logger.info("actions forgotten", number=forgotten)
        changes.prune(database.now() - KEPT, CHANGES)

    async def prune_aside() -> None:
        await to_thread(prune)

    server.background(f"prune of {database.schema}", EVERY, leader.only(prune_aside))
    return actions, changes
