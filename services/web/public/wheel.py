"""The wheel of the code that runs here, packed from its files: from a checkout, a wheel or the image alike.

It has no compiled modules, so that it can be installed on every system.
"""

import base64
import hashlib
import importlib
import io
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

from maumau.build import find_commit

DISTRIBUTION: Final = "maumau-arena"
PLACES: Final = {"maumau": "maumau", "services": "maumau/installed/services"}
"""The packages, each with its place in the wheel: that of deploy/build_hook.py."""
COMMIT: Final = "maumau/COMMIT"
LEFT_OUT: Final = {".so", ".pyc", ".po"}
EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""Date of all files in the archive, so that equal files give an equal wheel."""


def name_wheel() -> str:
    """Return the file name of the wheel, by which installers know its content."""
    found = distribution(DISTRIBUTION)
    return f"{DISTRIBUTION.replace('-', '_')}-{found.version}-py3-none-any.whl"


@cache
def pack_wheel() -> bytes:
    """Return the wheel. The first call reads all files of the packages and takes about a second."""
    found = distribution(DISTRIBUTION)
    info = f"{DISTRIBUTION.replace('-', '_')}-{found.version}.dist-info"
    files = {**dict(_list_modules()), **dict(_list_metadata(found, info))}
    files[f"{info}/RECORD"] = _write_record(files, info)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            file.writestr(entry, content)
    return archive.getvalue()


def _list_modules() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the packages by their names in the archive, and the commit they are of."""
    for package, place in PLACES.items():
        folder = Path(str(importlib.import_module(package).__file__)).parent
        for path in sorted(folder.rglob("*")):
            name = Path(place) / path.relative_to(folder)
            is_hidden = any(part.startswith(".") for part in name.parts)
            if path.is_file() and not is_hidden and path.suffix not in LEFT_OUT:
                yield name.as_posix(), path.read_bytes()
    if commit := find_commit():
        yield COMMIT, f"{commit}\n".encode()


def _list_metadata(found: Distribution, info: str) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata for installers, without that of the installation here."""
    for file in found.files or []:
        _, is_info, name = file.as_posix().partition(".dist-info/")
        if is_info and (name in {"METADATA", "entry_points.txt"} or name.startswith("licenses/")):
            yield f"{info}/{name}", file.read_binary()
    tags = "Wheel-Version: 1.0\nGenerator: maumau-arena\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    yield f"{info}/WHEEL", tags.encode()


def _write_record(files: dict[str, bytes], info: str) -> bytes:
    """Return the list of all files with their hashes and sizes, as the format of wheels wants it."""
    lines = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
