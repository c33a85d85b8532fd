"""An upload on its way in: into a temporary file, counted and hashed, whole or not at all."""

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
from services.shared.connect import is_disk_full

MIB = 1024 * 1024
LONGEST_CHUNK = 64 * 1024
FORGOTTEN = 3600  # seconds after which a file here is what a killed process left behind
SHA256 = re.compile(r"[0-9a-f]{64}")


class Promise(NamedTuple):
    """What the header says will come."""

    size: int
    sha256: str

    def check(self, most: int) -> None:
        """`most`: bytes that the arena takes."""
        if self.size > most:
            words = f"The upload would have {self.size:,} bytes; the arena takes {most:,}."
            raise UploadTooLarge(words, field="header.size")
        if self.size == 0:
            words = "The header says size 0; a submission has a bot.toml at least."
            raise BadRequest(words, field="header.size")
        if not SHA256.fullmatch(self.sha256):
            raise BadRequest("upload_sha256 is 64 hex digits, 0-9 and a-f.", field="header.upload_sha256")


@asynccontextmanager
async def receive(chunks: AsyncIterator[bytes], promise: Promise, folder: Path) -> AsyncIterator[Path]:
    """The path of the complete upload, on the disk; the file is gone after the block, however it ends."""
    path = _fresh(folder)  # not in a thread: a caller who goes away meanwhile would leave the file behind
    try:
        await _write(chunks, promise, path)
        yield path
    except OSError as err:
        if is_disk_full(err):
            raise DiskFull from err
        raise
    finally:
        path.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Removes what a killed process left in the folder of uploads."""
    for path in folder.glob("*.zip"):
        if path.stat().st_mtime < time.time() - FORGOTTEN:
            path.unlink(missing_ok=True)


def _fresh(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(suffix=".zip", dir=folder)
    os.close(descriptor)
    return Path(name)


async def _write(chunks: AsyncIterator[bytes], promise: Promise, path: Path) -> None:
    digest, count = hashlib.sha256(), 0
    with path.open("wb") as file:
        async for chunk in chunks:
            count += _checked(chunk, promise.size - count)
            digest.update(chunk)
            await asyncio.to_thread(file.write, chunk)
        _check_whole(promise, count, digest.hexdigest())
        await asyncio.to_thread(_to_disk, file)


def _to_disk(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _checked(chunk: bytes, left: int) -> int:
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
