"""Uploads that attack whoever opens them: refused in words, quickly, and nothing is written."""

from __future__ import annotations

import io
import os
import socket
import stat
import struct
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau import errors
from maumau.submission import package
from tests.attack.table import table
from tests.support.kinds import one_of

SOUND = b'name = "ab"\nrun = ["python3", "bot.py"]\n'
QUICK = 2.0  # seconds, on an idle host
EOCD = b"PK\x05\x06"


UPLOADS = table().upload


def zipped(*members: tuple[str, bytes], mode: int = 0, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return an archive; `mode` is that of all members except bot.toml."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in (("bot.toml", SOUND), *members):
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, (mode if name != "bot.toml" else 0o100644) << 16
            archive.writestr(info, content, compress_type=packing, compresslevel=9)
    return data.getvalue()


def manifest(text: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bot.toml", text)
    return data.getvalue()


def says_size(size: int, content: bytes) -> bytes:
    """Return an archive whose directory and local header give another size than the real one."""
    data = bytearray(zipped(("large", content)))
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, size)
    local = data.rindex(b"PK\x03\x04")
    struct.pack_into("<I", data, local + 22, size)
    return bytes(data)


def overlapping() -> bytes:
    """Return an archive whose entries all point to one member of 8 MiB."""
    data = zipped(("x", bytes(8 << 20)))
    at, end = data.rindex(b"PK\x01\x02"), data.rindex(EOCD)
    first, entry = data[data.index(b"PK\x01\x02") : at], data[at:end]
    head = data[: data.index(b"PK\x01\x02")]
    directory = first + entry * 1000
    tail = EOCD + struct.pack("<4H2IH", 0, 0, 1001, 1001, len(directory), len(head), 0)
    return head + directory + tail


def marked(archive: bytes, flag: int) -> bytes:
    """Return the archive with this flag in every entry."""
    data = bytearray(archive)
    for sign, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = data.rindex(sign)
        struct.pack_into("<H", data, at + offset, struct.unpack_from("<H", data, at + offset)[0] | flag)
    return bytes(data)


def folder(room: Path) -> Path:
    (room / "bot").mkdir()
    (room / "bot/bot.toml").write_bytes(SOUND)
    return room / "bot"


def link(room: Path) -> Path:
    (folder(room) / "x").symlink_to("/etc/passwd")
    return room / "bot"


def tar(_: Path) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, target in (("bot.toml", ""), ("x", "/etc/passwd")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = (tarfile.LNKTYPE, target) if target else (tarfile.REGTYPE, "")
            info.size = 0 if target else len(SOUND)
            archive.addfile(info, io.BytesIO(SOUND))
    return data.getvalue()


def pipe(room: Path) -> Path:
    os.mkfifo(folder(room) / "x")
    return room / "bot"


def unix(room: Path) -> Path:
    where = folder(room)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(where / "x"))
    return where


def device(room: Path) -> Path:
    try:
        os.mknod(folder(room) / "x", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root can make a device")
    return room / "bot"


MAKES = {
    "link in a folder": link,
    "link in a zip": lambda _: zipped(("x", b"/etc/passwd"), mode=0o120777),
    "hard link in a tar": tar,
    "pipe": pipe,
    "socket": unix,
    "device": lambda _: zipped(("x", b""), mode=0o020666),
    "device in a folder": device,
    "climbs": lambda _: zipped(("../../escaped", b"x")),
    "absolute": lambda _: zipped(("/tmp/escaped", b"x")),
    "bomb": lambda _: zipped(("x", bytes(100 << 20))),
    "lies small": lambda _: says_size(10, bytes(100 << 20)),
    "lies large": lambda _: says_size(0xFFFFFFF0, b"0123456789"),
    "overlaps": lambda _: overlapping(),
    "members": lambda _: zipped(("x", b"")) + b"PK\x01\x02" * 100_000,
    "twins": lambda _: zipped(("x", b"1"), ("x", b"2")),
    "file and folder": lambda _: zipped(("x", b"1"), ("x/y", b"2")),
    "encrypted": lambda _: marked(zipped(("x", b"1")), 1),
    "rare packing": lambda _: zipped(("x", b"1" * 999), packing=zipfile.ZIP_LZMA),
    "cut off": lambda _: (data := zipped(("x", os.urandom(9999))))[: len(data) // 2],
    "nameless": lambda _: zipped(("", b"1")),
    "much to validate": lambda _: manifest(SOUND + b"seats = [" + b"2," * 1500 + b"]"),
    "deep manifest": lambda _: manifest(b"run = " + b"[" * 4000),
    "long manifest": lambda _: manifest(b".".join([b"a"] * 500_000) + b" = 1"),
    "endless number": lambda _: manifest(SOUND + b"concurrent = " + b"9" * 5000),
    "odd name": lambda _: manifest(b'name = "\\u001b[2J"\nrun = ["x"]\n'),
}


def test_an_archive_is_taken_as_what_it_is_whatever_it_says(tmp_path):
    (tmp_path / "upload.zip").write_bytes(MAKES["lies large"](tmp_path))
    members = package.pack_submission(tmp_path / "upload.zip").members
    assert [(member.path, len(member.content)) for member in members] == [
        ("bot.toml", len(SOUND)),
        ("large", 10),
    ]


def test_every_upload_of_the_table_is_made_here():
    assert sorted(MAKES) == sorted(upload.name for upload in UPLOADS)


@pytest.mark.sample(6)
@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "upload", one_of(2, [each for each in UPLOADS if each.error]), ids=lambda upload: upload.name
)
def test_an_upload_that_attacks_is_refused_and_writes_nothing(upload, tmp_path):
    made = MAKES[upload.name](tmp_path)
    if isinstance(made, bytes):
        (tmp_path / "upload.zip").write_bytes(made)
        made = tmp_path / "upload.zip"
    before, began = sorted(tmp_path.rglob("*")), time.monotonic()
    with pytest.raises(errors.BadSubmission) as caught:
        package.pack_submission(made)
    assert time.monotonic() - began < patient(QUICK)
    assert isinstance(caught.value, getattr(errors, upload.error)), caught.value
    assert len(str(caught.value)) < 1000
    if made.is_file() and upload.name != "odd name":  # what is stored plays on, whatever it is called
        with pytest.raises(errors.BadSubmission):
            package.unpack_archive(made.read_bytes(), tmp_path / "unpacked")
    assert sorted(tmp_path.rglob("*")) == before
