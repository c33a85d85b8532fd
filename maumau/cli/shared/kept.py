"""Files that only their owner can read, in the user's configuration folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import typer

from maumau.errors import BadFile

T = TypeVar("T")


def file_path(name: str) -> Path:
    """Return the path of such a file."""
    return Path(typer.get_app_dir("maumau")) / name


def read_file(name: str, kind: type[T], advice: str) -> T:
    """Return the file's content, empty if it is missing; raise BadFile with advice if it is unreadable."""
    try:
        return msgspec.json.decode(file_path(name).read_bytes(), type=kind)
    except FileNotFoundError:
        return kind()
    except (OSError, msgspec.DecodeError) as error:
        raise BadFile(f"{file_path(name)} cannot be read ({error}); {advice}") from None


def write_file(name: str, value: Any) -> None:
    """Replace the file atomically."""
    try:
        file_path(name).parent.mkdir(parents=True, exist_ok=True)
        fresh = file_path(name).with_suffix(".new")
        with open(fresh, "wb", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
            file.write(msgspec.json.encode(value))
        fresh.replace(file_path(name))
    except OSError as error:
        raise BadFile(f"{file_path(name)} cannot be written: {error.strerror}") from None
