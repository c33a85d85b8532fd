"""Outputs of build steps, on their way from the worker that validates a version to workers that play it."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

from maumau.errors import BadRequest, BadSubmission, UploadCutOff
from maumau.protocol.limit import BUILT, UploadLimits
from maumau.protocol.manifest import NAME
from maumau.submission import package, source
from maumau.submission.package import Package
from maumau.submission.source import Member
from services.registry.intake import upload
from services.registry.intake.artifact import Artifacts
from services.registry.intake.upload import Promise
from services.registry.store import Validations
from services.registry.store.bots.validation import Built

SLOWEST = 300.0  # seconds that an upload may take
PLATFORM = re.compile(r"[A-Za-z0-9_.-]{1,80}")


class Builds:
    """Uploads of builds. One is unpacked at a time, as it may have 128 MiB."""

    def __init__(
        self, validations: Validations, artifacts: Artifacts, folder: Path, limits: UploadLimits
    ) -> None:
        """Start without uploads. `limits`: of submissions."""
        self.validations, self.artifacts = validations, artifacts
        self.folder, self.limits = folder, limits
        self.checking = asyncio.Semaphore(1)

    async def take_build(
        self, version_id: str, fence: int, platform: str, promise: Promise, chunks: AsyncIterator[bytes]
    ) -> str:
        """Store the build of a version that is being validated; return its content hash."""
        if not PLATFORM.fullmatch(platform):
            raise BadRequest(f"{platform[:80]!r} cannot be a platform's name.", field="header.platform")
        promise.check_size(BUILT.packed)
        submitted = await asyncio.to_thread(self.validations.find_held, version_id, fence)
        try:
            received = upload.receive_file(chunks, promise, self.folder)
            async with asyncio.timeout(SLOWEST), received as path, self.checking:
                found = await asyncio.to_thread(self._check_build, path, submitted)
        except TimeoutError as err:
            raise UploadCutOff(f"The build took longer than {SLOWEST:g} s to come.") from err
        built = Built(found.sha256, platform, len(found.archive))
        await asyncio.to_thread(self.validations.check_may_keep, version_id, fence, found.sha256)
        await asyncio.to_thread(self.artifacts.store_archive, found.sha256, found.archive)
        await asyncio.to_thread(self.validations.keep_build, version_id, fence, built)
        return found.sha256

    def _check_build(self, path: Path, submitted: str) -> Package:
        """Return the build; raise if it exceeds the limits or its manifest differs from the submission's."""
        found = package.pack_stored(source.from_zip(path.read_bytes(), BUILT), BUILT)
        if not found.manifest.build:
            raise BadSubmission("The program has no build step, so nothing is built of it.")
        archive = b"".join(self.artifacts.read(submitted))
        if _write_manifest(found.members) != _write_manifest(source.from_zip(archive, self.limits)):
            raise BadSubmission(f"What was built has another {NAME} than the submission.")
        return found


def _write_manifest(members: list[Member]) -> bytes:
    return next(member.content for member in members if member.path == NAME)
