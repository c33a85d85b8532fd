"""Uploads: received into a temporary file, counted and hashed, complete or not at all."""

import asyncio
import hashlib
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from maumau.errors import BadRequest, DiskFull, UploadCutOff, UploadTooLarge
from services.shared.store.connect import is_disk_full

MIB = 1024 * 1024
LONGEST_CHUNK = 64 * 1024
FORGOTTEN = 3600  # age in seconds of a file that a killed process must have left
SHA256 = re.compile(r"[0-9a-f]{64}")


class Promise(NamedTuple):
    """The size and hash that an upload's header announces."""

    size: int
    sha256: str

    def check_size(self, most: int) -> None:
        """Raise if the announced upload is not valid. `most`: bytes that the arena accepts."""
        if self.size > most:
            words = f"The upload would have {self.size:,} bytes; the arena takes {most:,}."
            raise UploadTooLarge(words, field="header.size")
        if self.size == 0:
            words = "The header says size 0; a submission has a bot.toml at least."
            raise BadRequest(words, field="header.size")
        if not SHA256.fullmatch(self.sha256):
            raise BadRequest("upload_sha256 is 64 hex digits, 0-9 and a-f.", field="header.upload_sha256")


@asynccontextmanager
async def receive_file(chunks: AsyncIterator[bytes], promise: Promise, folder: Path) -> AsyncIterator[Path]:
    """Yield the path of the complete upload, on disk; the file is deleted after the block in any case."""
    path = _make_path(folder)  # not in a thread: a cancelled call would leave the file behind
    try:
        await _write_chunks(chunks, promise, path)
        yield path
    except OSError as err:
        if is_disk_full(err):
            raise DiskFull from err
        raise
    finally:
        path.unlink(missing_ok=True)


def sweep_folder(folder: Path) -> None:
    """Remove files that a killed process left in the folder of uploads."""
    for path in folder.glob("*.zip"):
        if path.stat().st_mtime < time.time() - FORGOTTEN:
            path.unlink(missing_ok=True)


def _make_path(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(suffix=".zip", dir=folder)
    os.close(descriptor)
    return Path(name)


async def _write_chunks(chunks: AsyncIterator[bytes], promise: Promise, path: Path) -> None:
    digest, count = hashlib.sha256(), 0
    with path.open("wb") as file:
        async for chunk in chunks:
            count += _check_chunk(chunk, promise.size - count)
            digest.update(chunk)
            await asyncio.to_thread(file.write, chunk)
        _check_whole(promise, count, digest.hexdigest())
        await asyncio.to_thread(_to_disk, file)


def _to_disk(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _check_chunk(chunk: bytes, left: int) -> int:
    if not 0 < len(chunk) <= LONGEST_CHUNK:
        raise BadRequest(f"A chunk has 1 to {LONGEST_CHUNK:,} bytes, not {len(chunk):,}.")
    if len(chunk) > left:
        raise UploadCutOff("More bytes came than the header said; nothing was stored.")
    return len(chunk)


def _check_whole(promise: Promise, count: int, sha256: str) -> None:
    if count < promise.size:
        raise UploadCutOff(f"{count:,} of {promise.size:,} bytes came; nothing was stored, send it again.")
    if sha256 != promise.sha256:
        raise UploadCutOff("The bytes differ from the header's upload_sha256; nothing was stored.")
