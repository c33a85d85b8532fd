"""A place with backups: a folder for each, named by its time, and the files that all of them share."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from maumau.errors import BadBackup, DiskFull
from services.backup import manifest
from services.backup.manifest import MANIFEST, SEAL, Manifest, StoredFile, Table
from services.shared.storage import Storage

NAME = "%Y%m%dT%H%M%S"
ABANDONED = timedelta(
    days=1
)  # since when a backup that is not whole was begun and is not being written any more


class Place:
    """Backups in a folder or a bucket."""

    def __init__(self, url: str) -> None:
        self.storage = Storage(url, "The place of the backups")

    def new_name(self) -> str:
        """Of a backup that is begun now."""
        now = datetime.now(UTC)
        name = f"{now:{NAME}}.{now.microsecond // 1000:03}Z"
        if self.storage.list(name):
            raise BadBackup(f"{self.storage.url} has a backup {name} already; try again.")
        return name

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        """Writes a part, whole or not at all; its size. DiskFull says whose disk is full."""
        try:
            return self.storage.put(name, chunks)
        except DiskFull:
            raise DiskFull(
                f"The disk of {self.storage.url} is full, and this backup is not whole; those before it are"
                " as they were. Make room there, or choose another place, and try again."
            ) from None

    def names(self) -> dict[str, bool]:
        """All backups, the oldest first, and whether they are whole."""
        found = self.storage.list()
        folders = {name.partition("/")[0] for name in found if "/" in name} - {"files"}
        return {name: f"{name}/{SEAL}" in found for name in sorted(folders)}

    def choose(self, name: str) -> str:
        """This one, or the newest. Raises BadBackup if it was cut short, or there is none."""
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
        """Raises BadBackup if it was damaged or comes from a later version."""
        try:
            text, seal = (b"".join(self.storage.read(f"{name}/{part}")) for part in (MANIFEST, SEAL))
        except FileNotFoundError:
            raise BadBackup(f"The backup {name} was cut short: its {MANIFEST} is missing.") from None
        return manifest.read(text, seal, name)

    def seal(self, name: str, written: Manifest) -> None:
        """The last step of a backup: from now on it is whole."""
        text, seal = manifest.write(written)
        self.put(f"{name}/{MANIFEST}", [text])
        self.put(f"{name}/{SEAL}", [seal])

    def check(self, name: str, written: Manifest) -> None:
        """Reads every part; BadBackup at the first one that is missing or not as it was written."""
        for table in written.tables:
            self._check_part(f"{name}/{table.part}", table, name)
        for file in written.files:
            self._check_part(file.place, file, name)

    def _check_part(self, where: str, part: Table | StoredFile, name: str) -> None:
        try:
            for _ in manifest.check_part(self.storage.read(where), part, f"{name}: {where}"):
                pass
        except FileNotFoundError:
            raise BadBackup(f"{name}: {where} is missing; {manifest.OTHER}") from None

    def remove_old(self, keep: int) -> list[str]:
        """Keeps the newest whole ones; those that were removed.

        One that is not whole may be being written: it stays for a day, and with it all the shared files.
        """
        known = self.names()
        whole = [name for name, is_whole in known.items() if is_whole]
        oldest = f"{datetime.now(UTC) - ABANDONED:{NAME}}"
        old = whole[:-keep] + [name for name, is_whole in known.items() if not is_whole and name < oldest]
        for name in old:
            self._remove(name)
        if all(is_whole for name, is_whole in known.items() if name not in old):
            self._remove_unused(whole[-keep:])
        return old

    def _remove(self, name: str) -> None:
        parts = self.storage.list(name)
        for part in sorted(parts, key=lambda part: not part.endswith(SEAL)):  # what is left is not whole
            self.storage.remove(part)

    def _remove_unused(self, kept: list[str]) -> None:
        used = {file.place for name in kept for file in self.read(name).files}
        for place in self.storage.list("files").keys() - used:
            self.storage.remove(place)
