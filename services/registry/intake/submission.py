"""Submissions, from the upload to a version waiting for its validation: receive, check, store, record."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from maumau.errors import DiskFull, MaumauError, MissingRuntime, UploadCutOff, UploadsClosed
from maumau.protocol.limit import UploadLimits
from maumau.submission import package
from maumau.submission.package import Package
from services.registry.intake import upload
from services.registry.intake.artifact import Artifacts
from services.registry.intake.upload import Promise
from services.registry.metrics import RegistryMetrics
from services.registry.store import Bots, Program
from services.registry.store.bots.bot import Upload
from services.shared.base.auth import OWN, Identity

SLOWEST = 300.0  # seconds for an upload
AT_ONCE = 2  # submissions unpacked at the same time: each may need 64 MiB


class Submissions:
    """The intake of submissions, each taken completely or not at all."""

    def __init__(
        self,
        bots: Bots,
        artifacts: Artifacts,
        folder: Path,
        limits: UploadLimits,
        metrics: RegistryMetrics,
        *,
        house_only: bool = False,
        missing: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Start without uploads. `missing`: returns why a runtime is not offered; empty if it is."""
        self.missing = missing
        self.bots, self.artifacts, self.metrics = bots, artifacts, metrics
        self.folder, self.limits, self.house_only = folder, limits, house_only
        self.checking = asyncio.Semaphore(AT_ONCE)

    async def take_submission(
        self,
        name: str,
        who: Identity,
        promise: Promise,
        chunks: AsyncIterator[bytes],
        *,
        activates: bool = True,
    ) -> tuple[Program, bool]:
        """Return the version of these bytes, and True if the bot had it already.

        activates: it becomes the bot's active version once it has passed its validation.
        """
        with self._count_outcome():
            self._check_trusted(who)
            promise.check_size(self.limits.packed)
            await asyncio.to_thread(self.bots.check_may_submit, name, who)
            found = await self._receive_package(promise, chunks)
            await asyncio.to_thread(self._check_runtime, found.manifest.runtime)
            await asyncio.to_thread(self.artifacts.store_archive, found.sha256, found.archive)
            program, known = await asyncio.to_thread(
                self.bots.add_version, name, who, _build_upload(found, activates)
            )
        self.metrics.uploads.labels("known" if known else "stored").inc()
        self.metrics.bytes.inc(promise.size)
        return program, known

    def _check_trusted(self, who: Identity) -> None:
        if self.house_only and who.name not in OWN:
            raise UploadsClosed

    def _check_runtime(self, name: str) -> None:
        words = self.missing(name)
        if words:
            raise MissingRuntime(words)

    async def _receive_package(self, promise: Promise, chunks: AsyncIterator[bytes]) -> Package:
        try:
            received = upload.receive_file(chunks, promise, self.folder)
            async with asyncio.timeout(SLOWEST), received as path, self.checking:
                return await asyncio.to_thread(package.pack_submission, path, self.limits)
        except TimeoutError as err:
            raise UploadCutOff(f"The upload took longer than {SLOWEST:g} s; nothing was stored.") from err

    @contextmanager
    def _count_outcome(self) -> Iterator[None]:
        try:
            yield
        except MaumauError as err:
            broken = isinstance(err, (UploadCutOff, DiskFull))
            self.metrics.uploads.labels("broken" if broken else "refused").inc()
            raise
        except BaseException:  # the caller went away, or it is our own mistake
            self.metrics.uploads.labels("broken").inc()
            raise


def _build_upload(found: Package, activates: bool) -> Upload:  # noqa: FBT001 - handed on
    manifest = found.manifest
    rules, seats = manifest.rules or (), manifest.seats or ()
    size, builds = len(found.archive), bool(manifest.build)
    return Upload(
        found.sha256,
        size,
        rules,
        seats,
        builds=builds,
        activates=activates,
        runtime=manifest.runtime,
        plays_people=manifest.plays_people,
    )
