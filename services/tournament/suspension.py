"""Suspension: whoever makes faults in three matches in a row sits out until validated again.

A tournament that runs is not touched: its results follow from its entries and its secret alone.
"""

from asyncio import to_thread
from collections.abc import Awaitable, Callable

from maumau.errors import MaumauError, UnknownVersion
from services.shared import log
from services.tournament.store.form import Forms

logger = log.get(__name__)


async def suspend(forms: Forms, tell: Callable[[str, str], Awaitable[None]]) -> None:
    """Tells the registry what it does not know yet; what cannot be told is told the next time."""
    for version_id, words in await to_thread(forms.due):
        try:
            await tell(version_id, words)
        except UnknownVersion as err:
            logger.warning("nobody to suspend", version=version_id, words=str(err))
        except MaumauError as err:
            logger.warning("not suspended yet", version=version_id, words=str(err))
            continue
        else:
            logger.info("suspended", version=version_id, words=words)
        await to_thread(forms.told, version_id, words)
