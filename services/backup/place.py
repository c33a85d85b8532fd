"""A place of backups: a folder for each, named by its time, and files shared by all of them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from maumau.errors import BadBackup, DiskFull
from services.backup import manifest
from services.backup.manifest import MANIFEST, SEAL, BackupTable, Manifest, StoredFile
from services.shared.store.storage import Storage

NAME = "%Y%m%dT%H%M%S"
ABANDONED = timedelta(
    days=1
)  # age of an incomplete backup after which nobody is writing it any more and it can be removed


class BackupPlace:
    """Backups in a folder or a bucket."""

    def __init__(self, url: str) -> None:
        self.storage = Storage(url, "The place of the backups")

    def new_name(self) -> str:
        """Return the name of a backup begun now."""
        now = datetime.now(UTC)
        name = f"{now:{NAME}}.{now.microsecond // 1000:03}Z"
        if self.storage.list(name):
            raise BadBackup(f"{self.storage.url} has a backup {name} already; try again.")
        return name

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        """Write a part, whole or not at all; return its size. Raise DiskFull, naming the place."""
        try:
            return self.storage.put(name, chunks)
        except DiskFull:
            raise DiskFull(
                f"The disk of {self.storage.url} is full, and this backup is not whole; those before it are"
                " as they were. Make room there, or choose another place, and try again."
            ) from None

    def names(self) -> dict[str, bool]:
        """Return all backups, oldest first, and whether each is complete."""
        found = self.storage.list()
        folders = {name.partition("/")[0] for name in found if "/" in name} - {"files"}
        return {name: f"{name}/{SEAL}" in found for name in sorted(folders)}

    def choose(self, name: str) -> str:
        """Return this backup's name, or the newest one's. Raise BadBackup if it is incomplete or missing."""
        known = self.names()
        chosen = name or next(reversed(known), "")
        if chosen not in known:
            words = f"no backup {name}" if name else "no backup"
            raise BadBackup(f"{self.storage.url} has {words}; `maumau admin backups` lists those of a place.")
        if not known[chosen]:
            whole = [each for each, is_whole in known.items() if is_whole]
            words = f"`--name {whole[-1]}` takes the last whole one" if whole else "there is no whole one"
            raise BadBackup(f"The backup {chosen} was cut short: its {SEAL} is missing; {words}.")
        return chosen

    def read(self, name: str) -> Manifest:
        """Return a backup's manifest; raise BadBackup if it is damaged or of a later version."""
        try:
            text, seal = (b"".join(self.storage.read(f"{name}/{part}")) for part in (MANIFEST, SEAL))
        except FileNotFoundError:
            raise BadBackup(f"The backup {name} was cut short: its {MANIFEST} is missing.") from None
        return manifest.read_manifest(text, seal, name)

    def seal(self, name: str, written: Manifest) -> None:
        """Complete a backup: this is its last step."""
        text, seal = manifest.write_manifest(written)
        self.put(f"{name}/{MANIFEST}", [text])
        self.put(f"{name}/{SEAL}", [seal])

    def check(self, name: str, written: Manifest) -> None:
        """Read every part; raise BadBackup at the first that is missing or damaged."""
        for table in written.tables:
            self._check_part(f"{name}/{table.part}", table, name)
        for file in written.files:
            self._check_part(file.place, file, name)

    def _check_part(self, where: str, part: BackupTable | StoredFile, name: str) -> None:
        try:
            for _ in manifest.check_part(self.storage.read(where), part, f"{name}: {where}"):
                pass
        except FileNotFoundError:
            raise BadBackup(f"{name}: {where} is missing; {manifest.OTHER}") from None

    def remove_old(self, keep: int) -> list[str]:
        """Remove all but the newest complete backups; return the names removed.

        An incomplete one may be in progress: it is kept for a day, together with all shared files.
        """
        known = self.names()
        whole = [name for name, is_whole in known.items() if is_whole]
        oldest = f"{datetime.now(UTC) - ABANDONED:{NAME}}"
        old = whole[:-keep] + [name for name, is_whole in known.items() if not is_whole and name < oldest]
        for name in old:
            self._remove_backup(name)
        if all(is_whole for name, is_whole in known.items() if name not in old):
            self._remove_unused(whole[-keep:])
        return old

    def _remove_backup(self, name: str) -> None:
        parts = self.storage.list(name)
        for part in sorted(parts, key=lambda part: not part.endswith(SEAL)):  # the rest is not whole
            self.storage.remove(part)

    def _remove_unused(self, kept: list[str]) -> None:
        used = {file.place for name in kept for file in self.read(name).files}
        for place in self.storage.list("files").keys() - used:
            self.storage.remove(place)
