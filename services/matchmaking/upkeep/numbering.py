"""Version numbers for ladders and practice of earlier releases, which stored only the versions' ids."""

from asyncio import to_thread

from maumau.errors import MaumauError, NotFound
from services.matchmaking.store.version_number import VersionNumbers
from services.shared.base import log
from services.shared.rpc.registry import Versions

UNKNOWN_VERSION = -1  # in place of the number of a version that the registry does not have

logger = log.get(__name__)


class Numbering:
    """A source of missing version numbers: the registry."""

    def __init__(self, store: VersionNumbers, versions: Versions) -> None:
        self.store, self.versions = store, versions

    async def add_numbers(self) -> None:
        """Add all missing numbers; if the registry does not answer, leave the rest to the next call."""
        try:
            while missing := await to_thread(self.store.list_unnumbered):
                numbers = {one: await self._find_number(one) for one in missing}
                await to_thread(self.store.store_numbers, numbers)
        except MaumauError as err:
            logger.warning("numbers of versions are missing", reason=err.reason, words=str(err))

    async def _find_number(self, version_id: str) -> int:
        try:
            return await self.versions.find_number(version_id)
        except NotFound:
            return UNKNOWN_VERSION
