"""From an upload to a version that waits for its validation: receive, check, store, book."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from maumau.bot import package
from maumau.bot.limit import UploadLimits
from maumau.bot.package import Package
from maumau.errors import DiskFull, MaumauError, MissingRuntime, UploadCutOff, UploadsClosed
from services.registry import upload
from services.registry.artifact import Artifacts
from services.registry.metrics import Metrics
from services.registry.store import Bots, Program
from services.registry.store.bot import Upload
from services.registry.upload import Promise
from services.shared.auth import OWN, Identity

SLOWEST = 300.0  # seconds that an upload may take
AT_ONCE = 2  # submissions that are unpacked to be checked: each may need 64 MiB


class Submissions:
    """The way in; either all of it happens or nothing is left."""

    def __init__(
        self, bots: Bots, artifacts: Artifacts, folder: Path, limits: UploadLimits, metrics: Metrics,
        *, house_only: bool = False, missing: Callable[[str], str] = lambda _: "",
    ) -> None:  # fmt: skip
        """`missing`: why a runtime is not offered, in words; empty if it is."""
        self.missing = missing
        self.bots, self.artifacts, self.metrics = bots, artifacts, metrics
        self.folder, self.limits, self.house_only = folder, limits, house_only
        self.checking = asyncio.Semaphore(AT_ONCE)

    async def take(
        self, name: str, who: Identity, promise: Promise, chunks: AsyncIterator[bytes]
    ) -> tuple[Program, bool]:
        """The version of these bytes, and whether the bot had it already."""
        with self._counted():
            self._check_trusted(who)
            promise.check(self.limits.packed)
            await asyncio.to_thread(self.bots.check_may_submit, name, who)
            found = await self._checked(promise, chunks)
            await asyncio.to_thread(self._check_runtime, found.manifest.runtime)
            await asyncio.to_thread(self.artifacts.put, found.sha256, found.archive)
            program, known = await asyncio.to_thread(self.bots.add_version, name, who, _upload(found))
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

    async def _checked(self, promise: Promise, chunks: AsyncIterator[bytes]) -> Package:
        try:
            received = upload.receive(chunks, promise, self.folder)
            async with asyncio.timeout(SLOWEST), received as path, self.checking:
                return await asyncio.to_thread(package.pack_submission, path, self.limits)
        except TimeoutError as err:
            raise UploadCutOff(f"The upload took longer than {SLOWEST:g} s; nothing was stored.") from err

    @contextmanager
    def _counted(self) -> Iterator[None]:
        try:
            yield
        except MaumauError as err:
            broken = isinstance(err, (UploadCutOff, DiskFull))
            self.metrics.uploads.labels("broken" if broken else "refused").inc()
            raise
        except BaseException:  # the caller went away, or our own mistake
            self.metrics.uploads.labels("broken").inc()
            raise


def _upload(found: Package) -> Upload:
    manifest = found.manifest
    return Upload(found.sha256, len(found.archive), manifest.rules or (), manifest.seats or ())
