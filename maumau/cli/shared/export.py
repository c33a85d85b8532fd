"""Writing export files: whole or not at all."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from maumau.errors import BadFile
from maumau.screen.output import progress


def to_file(chunks: Iterable[bytes], path: Path) -> int:
    """Write the file; return its size in bytes. Raise BadFile, leaving nothing half-written."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            size = _write_chunks(chunks, fresh, path.name)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise BadFile(f"{path} cannot be written: {error.strerror or error}") from None
    return size


def to_stdout(chunks: Iterable[bytes]) -> None:
    """Write the file's bytes to stdout."""
    for chunk in chunks:
        sys.stdout.buffer.write(chunk)
    sys.stdout.buffer.flush()


def _write_chunks(chunks: Iterable[bytes], path: Path, name: str) -> int:
    size = 0
    with path.open("wb") as file, progress(f"exporting {name}", None) as (bar, task):
        for chunk in chunks:
            size += file.write(chunk)
            bar.update(task, description=f"exporting {name}, {size / 1e6:.1f} MB")
        file.flush()
        os.fsync(file.fileno())
    return size
