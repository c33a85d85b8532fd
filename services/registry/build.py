"""What a build step left behind, on its way from the worker that validates a version to all that play it."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

from maumau.bot import package, source
from maumau.bot.limit import BUILT, UploadLimits
from maumau.bot.manifest import NAME
from maumau.bot.package import Package
from maumau.bot.source import Member
from maumau.errors import BadRequest, BadSubmission, UploadCutOff
from services.registry import upload
from services.registry.artifact import Artifacts
from services.registry.store import Validations
from services.registry.store.validation import Built
from services.registry.upload import Promise

SLOWEST = 300.0  # seconds that an upload may take
PLATFORM = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class Builds:
    """One is unpacked at a time: it may have 128 MiB."""

    def __init__(
        self, validations: Validations, artifacts: Artifacts, folder: Path, limits: UploadLimits
    ) -> None:
        """`limits`: of submissions."""
        self.validations, self.artifacts = validations, artifacts
        self.folder, self.limits = folder, limits
        self.checking = asyncio.Semaphore(1)

    async def take(
        self, version_id: str, fence: int, platform: str, promise: Promise, chunks: AsyncIterator[bytes]
    ) -> str:
        """Stores the build of a version that is being validated; its content hash."""
        if not PLATFORM.fullmatch(platform):
            raise BadRequest(f"{platform[:80]!r} cannot be a platform's name.", field="header.platform")
        promise.check(BUILT.packed)
        submitted = await asyncio.to_thread(self.validations.find_held, version_id, fence)
        try:
            received = upload.receive(chunks, promise, self.folder)
            async with asyncio.timeout(SLOWEST), received as path, self.checking:
                found = await asyncio.to_thread(self._check, path, submitted)
        except TimeoutError as err:
            raise UploadCutOff(f"The build took longer than {SLOWEST:g} s to come.") from err
        built = Built(found.sha256, platform, len(found.archive))
        await asyncio.to_thread(self.validations.check_may_keep, version_id, fence, found.sha256)
        await asyncio.to_thread(self.artifacts.put, found.sha256, found.archive)
        await asyncio.to_thread(self.validations.keep_build, version_id, fence, built)
        return found.sha256

    def _check(self, path: Path, submitted: str) -> Package:
        """It is within its limits, and says of itself what the submission says."""
        found = package.pack_submission(path, BUILT)
        if not found.manifest.build:
            raise BadSubmission("The program has no build step, so nothing is built of it.")
        archive = b"".join(self.artifacts.read(submitted))
        if _manifest(found.members) != _manifest(source.from_zip(archive, self.limits)):
            raise BadSubmission(f"What was built has another {NAME} than the submission.")
        return found


def _manifest(members: list[Member]) -> bytes:
    return next(member.content for member in members if member.path == NAME)
