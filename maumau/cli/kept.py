"""Files that only their owner can read, in the user's configuration folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import typer

from maumau.errors import BadFile

T = TypeVar("T")


def path(name: str) -> Path:
    """Where such a file is."""
    return Path(typer.get_app_dir("maumau")) / name


def read(name: str, kind: type[T], advice: str) -> T:
    """What it says; an empty one if it is not there. Raises BadFile with advice if it cannot be read."""
    try:
        return msgspec.json.decode(path(name).read_bytes(), type=kind)
    except FileNotFoundError:
        return kind()
    except (OSError, msgspec.DecodeError) as error:
        raise BadFile(f"{path(name)} cannot be read ({error}); {advice}") from None


def write(name: str, value: Any) -> None:
    """Replaces it, whole or not at all."""
    try:
        path(name).parent.mkdir(parents=True, exist_ok=True)
        fresh = path(name).with_suffix(".new")
        with open(fresh, "wb", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
            file.write(msgspec.json.encode(value))
        fresh.replace(path(name))
    except OSError as error:
        raise BadFile(f"{path(name)} cannot be written: {error.strerror}") from None
