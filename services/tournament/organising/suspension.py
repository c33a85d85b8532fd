"""Suspension of bots: after faults in three matches in a row, until they are validated again.

A running tournament is not affected: its results follow from its entries and its secret alone.
"""

from asyncio import to_thread
from collections.abc import Awaitable, Callable

from maumau.errors import MaumauError, UnknownVersion
from services.shared.base import log
from services.tournament.store.outcomes.form import Forms

logger = log.get(__name__)


async def report_suspensions(forms: Forms, tell: Callable[[str, str], Awaitable[None]]) -> None:
    """Report due suspensions to the registry; those that fail are reported the next time."""
    for version_id, words in await to_thread(forms.list_due):
        try:
            await tell(version_id, words)
        except UnknownVersion as err:
            logger.warning("nobody to suspend", version=version_id, words=str(err))
        except MaumauError as err:
            logger.warning("not suspended yet", version=version_id, words=str(err))
            continue
        else:
            logger.info("suspended", version=version_id, words=words)
        await to_thread(forms.mark_told, version_id, words)
