"""Folders and buckets: files written whole, under names with slashes, in any place that fsspec supports."""

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import fsspec

from maumau.errors import BadSetting, DiskFull, MaumauError, StorageUnavailable
from maumau.process.extra import say_install
from services.shared.store.connect import is_disk_full

CHUNK = 64 << 10
DRAFT = ".new-"  # prefix of incomplete files


class Storage:
    """A folder (a path) or a bucket (s3://BUCKET/PREFIX). setting: its name, for messages.

    The constructor raises BadSetting if the URL's kind is unknown.
    """

    def __init__(self, url: str, setting: str) -> None:
        self.url, self.setting = url, setting
        try:
            # so that files written by other replicas are seen at once
            kept = {"use_listings_cache": False, "skip_instance_cache": True}
            self.files, self.root = fsspec.core.url_to_fs(url, **kept)
        except ImportError as error:
            words = f"needs a package that is not installed ({error}): {say_install('s3')}"
            raise BadSetting(f"{setting} = {url!r} {words}.") from None
        except ValueError as error:
            raise BadSetting(f"{setting} = {url!r} cannot be: {error}.") from None
        self.local = isinstance(self.files, fsspec.get_filesystem_class("file"))

    def check(self) -> None:
        """Write and remove a small file; raise BadSetting if the place cannot be used."""
        probe = f"{DRAFT}{secrets.token_hex(8)}"
        try:
            self.put(probe, [b"maumau"])
            self.remove(probe)
        except (StorageUnavailable, DiskFull) as error:
            raise self._unusable(error) from None

    def check_bucket(self) -> None:
        """Raise BadSetting if the bucket is missing: to callers that only read it would look empty."""
        if self.local or "s3" not in self.files.protocol:
            return
        bucket = self.root.partition("/")[0]
        try:
            with self._plain():
                self.files.ls(bucket, detail=False)
        except FileNotFoundError as error:
            raise self._unusable(_no_bucket(error)) from None
        except StorageUnavailable as error:
            raise self._unusable(error) from None

    def _unusable(self, error: MaumauError) -> BadSetting:
        return BadSetting(f"{self.setting} = {self.url!r} cannot be used: {error}")

    def put(self, name: str, chunks: Iterable[bytes]) -> int:
        """Write a file, whole or not at all, and return its size. Raise DiskFull, with nothing stored."""
        place = self._place(name)
        folder, _, last = place.rpartition("/")
        fresh = f"{folder}/{DRAFT}{last}.{secrets.token_hex(8)}" if self.local else place
        with self._plain():
            if not self.local:  # an object is visible only when complete
                return self._write(fresh, chunks)
            self.files.makedirs(folder, exist_ok=True)
            try:
                size = self._write(fresh, chunks)
                self.files.mv(fresh, place)
                _sync_folder(folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    self.files.rm(fresh)
                raise
            return size

    def read(self, name: str) -> Iterator[bytes]:
        """Yield a file in pieces of at most 64 KiB. Raise FileNotFoundError if there is none."""
        with self.open(name) as file:
            while True:
                with self._plain():
                    chunk = file.read(CHUNK)
                if not chunk:
                    return
                yield chunk

    def open(self, name: str) -> Any:
        """Open a file for reading. Raise FileNotFoundError if there is none."""
        with self._plain():
            return self.files.open(self._place(name), "rb")

    def size(self, name: str) -> int | None:
        """Return the size in bytes; None if there is no such file."""
        try:
            with self._plain():
                return int(self.files.info(self._place(name))["size"])
        except FileNotFoundError:
            return None

    def list(self, folder: str = "") -> dict[str, int]:
        """Return all complete files in a folder, with their sizes, sorted by name."""
        with self._plain():
            if not self.files.exists(place := self._place(folder)):
                return {}
            found = self.files.find(place, detail=True)
        start = len(self.root.rstrip("/")) + 1
        names = {path[start:]: int(info["size"]) for path, info in found.items()}
        return {name: names[name] for name in sorted(names) if f"/{DRAFT}" not in f"/{name}"}

    def remove(self, name: str) -> None:
        """Remove a file, if it exists."""
        with self._plain(), contextlib.suppress(FileNotFoundError):
            self.files.rm_file(self._place(name))

    def _place(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}".rstrip("/")

    def _write(self, place: str, chunks: Iterable[bytes]) -> int:
        size = 0
        with self._opened(place) as file:
            for chunk in chunks:
                size += file.write(chunk)
            if self.local:  # on disk before it gets its name
                file.flush()
                os.fsync(file.fileno())
        return size

    @contextmanager
    def _opened(self, place: str) -> Iterator[Any]:
        """Open a file for writing; an object that is not written to its end is discarded."""
        with self.files.open(place, "wb") as file:
            try:
                yield file
            except BaseException:
                if not self.local:
                    file.discard()
                    file.closed = True
                raise

    @contextmanager
    def _plain(self) -> Iterator[None]:
        """Translate errors of the system and of the bucket's client into our own."""
        try:
            yield
        except FileNotFoundError as error:
            if self.local or "bucket" not in str(error):
                raise
            raise _no_bucket(error) from error
        except PermissionError as error:
            raise StorageUnavailable(f"{_who(local=self.local)} ({error}).") from error
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull from error
            raise StorageUnavailable(f"it does not answer as it should ({error}).") from error
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in {"botocore", "aiobotocore", "aiohttp"}:
                raise
            raise StorageUnavailable(f"{_client_words(error)} ({error}).") from error


def _no_bucket(error: Exception) -> StorageUnavailable:
    return StorageUnavailable(f"there is no such bucket; correct its name, or create it first ({error}).")


def _sync_folder(folder: str) -> None:
    """Make a rename in this folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _who(*, local: bool) -> str:
    if local:
        return "this user may not write there"
    return "the key is wrong or may not write there; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY name it"


def _client_words(error: Exception) -> str:
    if type(error).__name__ == "NoCredentialsError":
        return "no key is set; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY name it"
    return "the object store does not answer; AWS_ENDPOINT_URL says where it is"
