"""A submission as a content-addressed package: from a folder, a `.py` file or a zip, and back to a folder.

The content hash is SHA-256 over one line per file, sorted by the path's bytes:
`path NUL x|- NUL hex SHA-256 of the content LF` (x: executable). All data are counted while they are read,
so that the sizes stated in an archive are never trusted.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from maumau.errors import BadManifest, BadSubmission, NoManifest, NoSubmission, TooLargePacked, UnsafePath
from maumau.protocol.limit import UPLOAD, UploadLimits
from maumau.protocol.manifest import NAME, Manifest, check_name, parse_manifest
from maumau.submission import source
from maumau.submission.source import Member

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can write
MISSING = "bot.toml is missing at the top of the submission."


class Package(msgspec.Struct, frozen=True):
    """A checked submission: its content hash (hex), the archive to send and store, and its parts."""

    sha256: str
    archive: bytes
    manifest: Manifest
    members: list[Member]


def pack_submission(path: str | Path, limits: UploadLimits = UPLOAD) -> Package:
    """Check the submission at `path` and pack it; raise the BadSubmission that explains a refusal."""
    path = Path(path)
    if path.is_dir():
        if not os.path.lexists(path / NAME):  # before thousands of files of another folder are read
            raise NoManifest(MISSING)
        return from_members(source.from_folder(path, limits), limits)
    if not path.is_file():
        raise NoSubmission(f"There is no folder or file {path}.")
    if path.suffix == ".py":
        content = source.read_file(path, limits.unpacked)
        return from_members(pack_single_file(path.name, content, limits), limits)
    if path.suffix != ".zip" and not zipfile.is_zipfile(path):
        raise BadSubmission(f"{path} is neither a folder with bot.toml, nor a .py file, nor a zip.")
    if path.stat().st_size > limits.packed:
        raise TooLargePacked(f"{path.name} has more than the {limits.packed:,} bytes allowed.")
    return from_members(source.from_zip(path.read_bytes(), limits), limits)


def unpack_archive(archive: bytes, folder: str | Path, limits: UploadLimits = UPLOAD) -> Package:
    """Write the archive's files below `folder`, new or empty; all users can read and none can write them.

    Everything is checked again before the first byte is written.
    """
    package, folder = pack_stored(source.from_zip(archive, limits), limits), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise NoSubmission(f"{folder} is not empty; nothing was unpacked.")
    for member in package.members:
        target = folder / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(member.content)
        target.chmod(0o555 if member.executable else 0o444)
    for directory in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        directory.chmod(0o755)
    return package


def content_hash(members: Iterable[Member]) -> str:
    """Return the hash that names a submission, as hex; the module's docstring defines it."""
    digest = hashlib.sha256()
    for member in sorted(members, key=_get_sort_key):
        line = f"{member.path}\0{'x' if member.executable else '-'}\0"
        digest.update(line.encode() + hashlib.sha256(member.content).hexdigest().encode() + b"\n")
    return digest.hexdigest()


def _get_sort_key(member: Member) -> bytes:
    return member.path.encode()


def from_members(members: list[Member], limits: UploadLimits) -> Package:
    """Pack these files of a new submission."""
    package = pack_stored(members, limits)
    check_name(package.manifest)
    return package


def pack_stored(members: list[Member], limits: UploadLimits) -> Package:
    """Pack these files of a submission that the arena has, whatever it is called."""
    found = [member for member in members if member.path == NAME]
    if not found:
        raise NoManifest(MISSING)
    members = sorted(members, key=_get_sort_key)
    manifest, archive = parse_manifest(found[0].content), _write_archive(members)
    if len(archive) > limits.packed:
        raise TooLargePacked(
            f"The submission has {len(archive):,} bytes as a zip; {limits.packed:,} are allowed."
        )
    return Package(content_hash(members), archive, manifest, members)


def _write_archive(members: Sequence[Member]) -> bytes:
    """Return a zip with fixed times, order and modes: equal lists give equal bytes (with the same zlib)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for member in members:
            info = zipfile.ZipInfo(member.path, EPOCH)
            info.create_system, info.compress_type = 3, zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if member.executable else 0o100644) << 16
            archive.writestr(info, member.content)
    return buffer.getvalue()


def pack_single_file(filename: str, content: bytes, limits: UploadLimits) -> list[Member]:
    """Return the members of a single `.py` file, which runs with python3 and is named after the file."""
    stem = filename.removesuffix(".py")
    name = re.sub(r"[^a-z0-9_-]+", "-", stem.lower()).strip("-_")[:40]
    if not name:
        raise BadManifest(f"No name can be made of {filename}; write a bot.toml beside it.")
    if "/" in filename or filename != source.sound_path(filename, limits):
        raise UnsafePath(f"{filename!r} cannot be a file's name everywhere.")
    text = f"name = {_quote(name)}\nrun = [{_quote('python3')}, {_quote(filename)}]\n"
    return [
        Member(NAME, executable=False, content=text.encode()),
        Member(filename, executable=False, content=content),
    ]


def _quote(word: str) -> str:
    """Return a TOML basic string; JSON's escapes are a subset of TOML's."""
    return msgspec.json.encode(word).decode()
