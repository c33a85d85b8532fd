"""The registry, as the tournament service asks it."""

from maumau.call import rpc_errors
from maumau.v1 import registry_pb2 as pb
from services.shared.registry import Versions


class Registry(Versions):
    """Versions, and their suspension."""

    async def suspend(self, version_id: str, words: str) -> None:
        """Takes a version out of play until its validation deals were played again."""
        with rpc_errors(self.address):
            await self.registry.SuspendVersion(pb.SuspendVersionRequest(version_id=version_id, words=words))
