"""What a service keeps of calls, and for how long: who did what, and the answers to changes."""

from asyncio import to_thread
from typing import Any

from services.shared import clock, log
from services.shared.action_table import ActionTable
from services.shared.change import KEPT
from services.shared.change_table import ChangeTable
from services.shared.connect import Database
from services.shared.leader import Leader
from services.shared.server import Server

EVERY = 3600.0  # seconds between two looks
CHANGES = 200_000  # that are kept at most

logger = log.get(__name__)


def keep_calls(
    server: Server, database: Database, leader: Leader, action: type[Any], change: type[Any]
) -> tuple[ActionTable, ChangeTable]:
    """The two tables of a service, whose leader forgets what is too old or too much in them."""
    actions, changes = ActionTable(database, action), ChangeTable(database, change)
    oldest, most = server.settings.actions_days * clock.DAY, server.settings.actions_most

    def prune() -> None:
        now = clock.now()
        if forgotten := actions.prune(now - oldest, most):
            logger.info("actions forgotten", number=forgotten)
        changes.prune(now - KEPT, CHANGES)

    async def prune_aside() -> None:
        await to_thread(prune)

    server.background(f"prune of {database.schema}", EVERY, leader.only(prune_aside))
    return actions, changes
