"""Reading submissions, folder or zip, into checked members; no link is ever followed."""

from __future__ import annotations

import io
import os
import stat
import sys
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from maumau.errors import (
    BadSubmission,
    DuplicateMember,
    ForbiddenMember,
    NoSubmission,
    TooLargeUnpacked,
    TooManyMembers,
    UnreadableArchive,
    UnsafePath,
)
from maumau.protocol.limit import UploadLimits
from maumau.protocol.manifest import NAME

# Left-overs of tools that no program needs: omitted, so that a hash does not depend on having run it.
LEFT_OUT = {".git", ".hg", ".svn", ".venv", ".DS_Store", "__MACOSX", "__pycache__"} | {
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
}
CHUNK = 65536
PROGRAMS = (b"#!", b"\x7fELF")
OPTIONAL_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")  # as far as the system has them
READ_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in OPTIONAL_FLAGS)
_ENCRYPTED, _UTF8 = 0x1, 0x800


class Member(msgspec.Struct, frozen=True):
    """One file: its path inside the submission with `/`, whether it is executable, and its bytes."""

    path: str
    executable: bool
    content: bytes


class Basket:
    """Members read so far, counted against the limits."""

    def __init__(self, limits: UploadLimits) -> None:
        self.limits, self.members, self.left = limits, list[Member](), limits.unpacked
        self._seen = dict[str, str]()

    def add(self, path: str, executable: bool, content: IO[bytes]) -> None:  # noqa: FBT001  # a mode bit
        """Add one file, reading no more than is still allowed."""
        path = sound_path(path, self.limits)
        folded = _fold_path(path)
        if folded in self._seen:
            raise _refuse_double(self._seen[folded], path)
        self._seen[folded] = path
        if len(self._seen) > self.limits.members:
            raise TooManyMembers(f"The submission has more than the {self.limits.members:,} files allowed.")
        data = _read_limited(content, self.left)
        if len(data) > self.left:
            raise TooLargeUnpacked(
                f"The submission has more than the {self.limits.unpacked:,} bytes allowed when unpacked."
            )
        self.left -= len(data)
        self.members.append(Member(path, executable, data))

    def done(self) -> list[Member]:
        """Return the members, after the check that no file is also a folder."""
        for member in self.members:
            for parent in _list_parents(member.path):
                if _fold_path(parent) in self._seen:
                    raise DuplicateMember(f"{parent!r} is a file and a folder.")
        return self.members


def _fold_path(path: str) -> str:
    """Return a key that is equal for paths that differ only in case or Unicode normalisation."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _refuse_double(known: str, path: str) -> DuplicateMember:
    if known == path:
        return DuplicateMember(f"Two files of the submission are called {path!r}.")
    return DuplicateMember(
        f"Two files of the submission are called {known!a} and {path!a}, which differ only in case or in"
        " the way letters are written: on some systems they are one file."
    )


def sound_path(path: str, limits: UploadLimits) -> str:
    """Return the path itself, if it can be a file's name below a folder on every system."""
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "" in parts or "." in parts or "\\" in path:
        raise UnsafePath(f"{path!r} is not a plain path inside the submission's folder.")
    if any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in path):
        raise UnsafePath(f"{path!r} has control characters or is not UTF-8.")
    if len(path.encode()) > limits.path:
        raise UnsafePath(f"The path {path[:60]!r}… is longer than the {limits.path} bytes allowed.")
    return path


def from_folder(folder: Path, limits: UploadLimits) -> list[Member]:
    """Return every file below the folder; refuse links and other special files."""
    basket = Basket(limits)
    for entry in _walk_folder(folder):
        path = Path(entry.path).relative_to(folder).as_posix()
        if not entry.is_file(follow_symlinks=False):
            raise ForbiddenMember(
                f"{path!r} is {_name_kind(entry)}; a submission holds files and folders only."
            )
        try:
            with open_file(Path(entry.path)) as content:
                basket.add(path, _is_executable(content), content)
        except OSError as error:
            raise NoSubmission(f"{path!r} cannot be read: {error.strerror}.") from error
    return basket.done()


def from_zip(archive: bytes, limits: UploadLimits) -> list[Member]:
    """Return every file of the zip; a single top folder, as zipping a folder makes it, is dropped."""
    # Each entry of the directory has this mark: no list of millions is built only to be refused.
    if archive.count(b"PK\x01\x02") > 4 * limits.members:
        raise TooManyMembers(f"The archive has more than the {limits.members:,} files allowed.")
    basket = Basket(limits)
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            infos = [info for info in opened.infolist() if _is_wanted(info)]
            top = _find_top_folder([info.filename for info in infos])
            for info in infos:
                with opened.open(info) as content:
                    basket.add(
                        info.filename[len(top) :], bool(info.external_attr >> 16 & stat.S_IXUSR), content
                    )
    except BadSubmission:
        raise
    except UnicodeDecodeError as error:
        raise UnsafePath("A file's name in the archive is not UTF-8.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableArchive(f"The upload is not a valid zip file: {error}.") from error
    return basket.done()


def from_files(files: Iterable[tuple[str, bytes]], limits: UploadLimits) -> list[Member]:
    """Return the members of a folder sent by a browser: paths that begin with its name, without modes.

    Files that begin like programs are executable: with `#!`, or as ELF.
    """
    wanted = [(path, content) for path, content in files if _is_kept(path)]
    basket, top = Basket(limits), _find_top_folder([path for path, _ in wanted])
    for path, content in wanted:
        basket.add(path[len(top) :], content.startswith(PROGRAMS), io.BytesIO(content))
    return basket.done()


def open_file(path: Path) -> IO[bytes]:
    """Open a regular file without following a link put there meanwhile, nor hanging on a pipe."""
    return os.fdopen(os.open(path, READ_FLAGS), "rb")


def _is_executable(content: IO[bytes]) -> bool:
    """Return True if a file may be executed; Windows has no such bit, so that its beginning tells."""
    if sys.platform == "win32":
        is_program = content.read(max(map(len, PROGRAMS))).startswith(PROGRAMS)
        content.seek(0)
        return is_program
    return bool(os.fstat(content.fileno()).st_mode & stat.S_IXUSR)


def read_file(path: Path, most: int) -> bytes:
    """Return the bytes of a regular file, refused beyond `most`."""
    with open_file(path) as content:
        data = _read_limited(content, most)
    if len(data) > most:
        raise TooLargeUnpacked(f"{path.name} has more than the {most:,} bytes allowed.")
    return data


def _read_limited(content: IO[bytes], most: int) -> bytes:
    """Return at most `most` + 1 bytes: one more shows that the file is too long."""
    chunks, left = [], most + 1
    while left > 0 and (chunk := content.read(min(CHUNK, left))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _walk_folder(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name in LEFT_OUT or entry.name.endswith(".pyc"):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _walk_folder(Path(entry.path))
            else:
                yield entry


def _is_wanted(info: zipfile.ZipInfo) -> bool:
    """Return False for folders and left-overs; raise an error for members that no submission may have."""
    if info.flag_bits & _ENCRYPTED:
        raise UnreadableArchive(f"{info.filename!r} is encrypted.")
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise UnreadableArchive(f"{info.filename!r} is neither stored nor deflated.")
    if not info.flag_bits & _UTF8 and not info.orig_filename.isascii():
        raise UnsafePath(f"The name {info.filename!r} in the archive is not marked as UTF-8.")
    if not info.filename:
        raise UnsafePath("A file in the archive has no name.")
    if "\0" in info.orig_filename:
        raise UnsafePath(f"The name {info.orig_filename!r} has a NUL.")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise ForbiddenMember(
            f"{info.filename!r} is a link or a device; a submission holds files and folders only."
        )
    return not info.is_dir() and _is_kept(info.filename)


def _is_kept(path: str) -> bool:
    parts = path.split("/")
    return not (LEFT_OUT & set(parts) or parts[-1].endswith(".pyc"))


def _find_top_folder(names: list[str]) -> str:
    first = names[0].split("/")[0] + "/" if names else ""
    lonely = NAME not in names and f"{first}{NAME}" in names
    return first if lonely and all(name.startswith(first) for name in names) else ""


def _list_parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _name_kind(entry: os.DirEntry[str]) -> str:
    mode = entry.stat(follow_symlinks=False).st_mode
    kinds = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
