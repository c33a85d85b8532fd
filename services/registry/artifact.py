"""Where programs are kept: under their content hash, in a folder or any other place that fsspec knows."""

from collections.abc import Iterator

from maumau.errors import UnknownArtifact
from services.shared.storage import Storage


class Artifacts:
    """Whole files only, and the same hash is the same file."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def put(self, sha256: str, archive: bytes) -> None:
        """Stores it; the same hash again changes nothing. Raises DiskFull, and then nothing is stored."""
        if self.storage.size(_name(sha256)) is None:
            self.storage.put(_name(sha256), [archive])

    def read(self, sha256: str) -> Iterator[bytes]:
        """The archive in pieces of at most 64 KiB."""
        try:
            yield from self.storage.read(_name(sha256))
        except FileNotFoundError as err:
            raise UnknownArtifact(
                f"The program {sha256} is missing from the arena's storage.", thing=sha256
            ) from err


def _name(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}.zip"
