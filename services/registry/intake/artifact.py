"""Storage of programs: by content hash, in a folder or any other place that fsspec supports."""

from collections.abc import Iterator

from maumau.errors import UnknownArtifact
from services.shared.store.storage import Storage


class Artifacts:
    """Programs in storage; a file is stored whole, and only once per hash."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def store_archive(self, sha256: str, archive: bytes) -> None:
        """Store a program, unless its hash exists. Raise DiskFull, with nothing stored."""
        if self.storage.size(_name_archive(sha256)) is None:
            self.storage.put(_name_archive(sha256), [archive])

    def read(self, sha256: str) -> Iterator[bytes]:
        """Yield the archive in pieces of at most 64 KiB; raise UnknownArtifact if it is missing."""
        try:
            yield from self.storage.read(_name_archive(sha256))
        except FileNotFoundError as err:
            raise UnknownArtifact(
                f"The program {sha256} is missing from the arena's storage.", thing=sha256
            ) from err


def _name_archive(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}.zip"
