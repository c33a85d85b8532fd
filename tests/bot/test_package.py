"""Submissions: what is allowed, how it is packed, and how everything else is refused."""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from maumau import errors
from maumau.protocol.limit import UploadLimits
from maumau.submission.package import content_hash, pack_submission, unpack_archive
from maumau.submission.source import Member

TOML = b'name = "mine"\nrun = ["python3", "bot.py"]\n'
SMALL = UploadLimits(packed=20_000, unpacked=50_000, members=10, path=60)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "bot.toml").write_bytes(TOML)
    (tmp_path / "mine" / "bot.py").write_text("print()\n")
    return tmp_path / "mine"


@pytest.fixture
def zipped(tmp_path):
    """Write a zip of (name or ZipInfo, content) pairs, by default beside a bot.toml."""

    def written(*entries, toml=TOML, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "mine.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, content in [("bot.toml", toml), *entries] if toml is not None else entries:
                archive.writestr(name, content)
        return path

    return written


def linked(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def test_the_hash_is_over_paths_executable_bits_and_contents():
    members = [Member("b", executable=True, content=b"2"), Member("a", executable=False, content=b"1")]
    # printf "a\0-\0%s\nb\0x\0%s\n" of the two contents' sha256sum, all of it through sha256sum
    assert content_hash(members) == "2e7fcad848677796561a934481796d76263d955cfd4830b10b6bf2c9d87245c1"
    assert content_hash(members[::-1]) == content_hash(members)


def test_a_folder_and_its_zip_are_one_package(folder, zipped, tmp_path):
    packed = pack_submission(folder)
    same = pack_submission(zipped(("mine/bot.py", "print()\n"), ("mine/bot.toml", TOML), toml=None))
    assert (packed.sha256, packed.archive) == (same.sha256, same.archive)
    assert packed.manifest.name == "mine"
    assert [member.path for member in packed.members] == ["bot.py", "bot.toml"]


def test_times_and_left_overs_of_tools_change_nothing(folder):
    before = pack_submission(folder)
    os.utime(folder / "bot.py", (0, 0))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.cpython-311.pyc").write_bytes(b"x")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    assert pack_submission(folder) == before


def test_the_executable_bit_changes_the_hash(folder):
    before = pack_submission(folder).sha256
    (folder / "bot.py").chmod(0o755)
    assert pack_submission(folder).sha256 != before


def test_unpacking_gives_files_that_all_may_read_and_none_may_write(folder, tmp_path):
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o700)
    (folder / "data").mkdir()
    (folder / "data" / "ä.txt").write_text("ö")
    packed = pack_submission(folder)
    again = unpack_archive(packed.archive, tmp_path / "out")
    assert again == packed
    modes = {
        p.relative_to(tmp_path / "out").as_posix(): stat.S_IMODE(p.stat().st_mode)
        for p in (tmp_path / "out").rglob("*")
    }
    assert modes == {"bot.toml": 0o444, "bot.py": 0o444, "run": 0o555, "data": 0o755, "data/ä.txt": 0o444}
    assert pack_submission(tmp_path / "out").sha256 == packed.sha256


def test_a_single_python_file_runs_with_python3_and_is_called_after_the_file(tmp_path):
    (tmp_path / "My Bot.py").write_text("print()\n")
    packed = pack_submission(tmp_path / "My Bot.py")
    assert (packed.manifest.name, packed.manifest.run) == ("my-bot", ["python3", "My Bot.py"])
    assert [member.path for member in packed.members] == ["My Bot.py", "bot.toml"]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("../evil", errors.UnsafePath),
        ("a/../../evil", errors.UnsafePath),
        ("/etc/passwd", errors.UnsafePath),
        ("a//b", errors.UnsafePath),
        ("a/./b", errors.UnsafePath),
        ("C:\\evil", errors.UnsafePath),
        ("new\nline", errors.UnsafePath),
        ("x" * 300, errors.UnsafePath),
        (linked("link", stat.S_IFLNK | 0o777), errors.ForbiddenMember),
        (linked("device", stat.S_IFBLK | 0o666), errors.ForbiddenMember),
        (linked("pipe", stat.S_IFIFO | 0o666), errors.ForbiddenMember),
        (linked("socket", stat.S_IFSOCK | 0o666), errors.ForbiddenMember),
    ],
)
def test_a_zip_with_a_name_or_kind_that_no_submission_has_is_refused(zipped, name, error):
    with pytest.raises(error) as refused:
        pack_submission(zipped((name, "/etc/passwd")))
    assert len(str(refused.value)) > 30


def test_two_files_of_one_name_are_refused(zipped):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = zipped(("a", "1"), ("a", "2"))
    with pytest.raises(errors.DuplicateMember, match="'a'"):
        pack_submission(path)


@pytest.mark.parametrize(
    "names", [("Data.txt", "data.txt"), ("caf\u00e9", "cafe\u0301"), ("a/STRASSE", "a/stra\u00dfe")]
)
def test_names_that_some_systems_take_for_one_are_refused(zipped, names):
    with pytest.raises(errors.DuplicateMember, match="differ only in case or in the way letters are written"):
        pack_submission(zipped(*((name, "1") for name in names)))


def test_a_file_that_is_also_a_folder_is_refused(zipped):
    with pytest.raises(errors.DuplicateMember, match="'a' is a file and a folder"):
        pack_submission(zipped(("a", "1"), ("a/b", "2")))


def test_a_name_that_is_not_utf8_is_refused(zipped):
    path = zipped(("bad-name", "1"))
    path.write_bytes(path.read_bytes().replace(b"bad-name", b"bad\xff\xfe\xfd\xfcx"))
    with pytest.raises(errors.UnsafePath, match="UTF-8"):
        pack_submission(path)


def test_a_folder_with_a_link_a_pipe_or_a_name_that_is_not_utf8_is_refused(folder):
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(errors.ForbiddenMember, match="'link' is a link"):
        pack_submission(folder)
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(errors.ForbiddenMember, match="'pipe' is a pipe"):
        pack_submission(folder)
    (folder / "pipe").unlink()
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_text("x")
    with pytest.raises(errors.UnsafePath, match="UTF-8"):
        pack_submission(folder)


@pytest.mark.long
def test_ten_thousand_files_are_refused(zipped):
    with pytest.raises(errors.TooManyMembers, match="1,000"):
        pack_submission(zipped(*((f"{number}", "") for number in range(10_000))))
    with pytest.raises(errors.TooManyMembers, match="10"):
        pack_submission(zipped(*((f"{number}", "") for number in range(11))), SMALL)


def test_a_submission_that_is_too_large_packed_is_refused(folder, zipped):
    noise = os.urandom(25_000)
    with pytest.raises(errors.TooLargePacked, match="20,000"):
        pack_submission(zipped(("noise", noise)), SMALL)
    (folder / "noise").write_bytes(noise)
    with pytest.raises(errors.TooLargePacked, match="20,000"):
        pack_submission(folder, SMALL)


@pytest.mark.long
def test_a_zip_bomb_is_refused_before_it_is_unpacked(zipped):
    path = zipped(("bomb", bytes(200 << 20)))
    assert path.stat().st_size < 300_000
    with pytest.raises(errors.TooLargeUnpacked, match="67,108,864"):
        pack_submission(path)


def test_an_archive_that_lies_about_a_size_is_refused(zipped):
    path = zipped(("bomb", bytes(100_000)))
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # the sizes as the two headers give them
        struct.pack_into("<I", data, data.rindex(mark) + offset, 10)
    path.write_bytes(data)
    with pytest.raises(errors.BadSubmission):
        pack_submission(path, SMALL)


def test_an_upload_that_breaks_off_or_was_never_a_zip_is_refused(zipped, tmp_path):
    path = zipped(("bot.py", os.urandom(5000)))
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(errors.UnreadableArchive):
            pack_submission(path)
    damaged = bytearray(whole)
    damaged[300] ^= 0xFF
    path.write_bytes(damaged)
    with pytest.raises(errors.UnreadableArchive):
        pack_submission(path)


def test_encrypted_and_oddly_compressed_members_are_refused(zipped):
    path = zipped(("a", "1"))
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(errors.UnreadableArchive, match="encrypted"):
        pack_submission(path)
    with pytest.raises(errors.UnreadableArchive, match="neither stored nor deflated"):
        pack_submission(zipped(("a", "1"), method=zipfile.ZIP_LZMA))


def test_what_is_not_there_or_has_no_manifest_is_refused(tmp_path, zipped):
    with pytest.raises(errors.NoSubmission, match="nowhere"):
        pack_submission(tmp_path / "nowhere")
    (tmp_path / "bot.toml").write_bytes(TOML)
    with pytest.raises(errors.BadSubmission, match=r"nor a \.py file, nor a zip"):
        pack_submission(tmp_path / "bot.toml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.NoManifest, match=r"bot\.toml"):
        pack_submission(tmp_path / "empty")
    with pytest.raises(errors.NoManifest, match=r"bot\.toml"):
        pack_submission(zipped(("deep/er/bot.toml", TOML), ("x", ""), toml=None))


def test_unpacking_over_something_is_refused_and_writes_nothing(folder, tmp_path):
    archive = pack_submission(folder).archive
    with pytest.raises(errors.NoSubmission, match="not empty"):
        unpack_archive(archive, folder)
    hostile = io.BytesIO()
    with zipfile.ZipFile(hostile, "w") as out:
        out.writestr("bot.toml", TOML)
        out.writestr("../evil", "x")
    with pytest.raises(errors.UnsafePath):
        unpack_archive(hostile.getvalue(), tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('run = ["a"]', "line 1, column 1: `name` is missing"),
        ('name = "ab"', "line 1, column 1: `run` is missing"),
        (
            'name = "ab"\nrun = "a b"',
            'line 2, column 1: run is a list of words such as ["python3", "bot.py"]',
        ),
        ('name = "ab"\nrun = ["a", 5]', "line 2, column 1: run is a list of words"),
        ('name = "ab"\nrun = ["a"]\nconcurrent = "8"', "concurrent: expected a whole number, not '8'"),
        ('name = 3\nrun = ["a"]', "bot.toml, line 1, column 1: name: expected text, not 3"),
        (
            'name = "ab"\nrunn = ["a"]',
            "line 2, column 1: there is no 'runn' here (did you mean run?); known: name, run",
        ),
        ('name = "ab"\nrun = []', "run is empty"),
        ('name = "ab"\nrun = ["a", ""]', "empty word"),
        ('name = "a"\nrun = ["a"]', "name is 2 to 40"),
        ('name = "-a"\nrun = ["a"]', "name is 2 to 40"),
        ('name = "a b"\nrun = ["a"]', "name is 2 to 40"),
        (f'name = "{"a" * 41}"\nrun = ["a"]', "name is 2 to 40"),
        ('name = "ab"\nrun = ["a"]\nrule = ["prsi"]', "there is no 'rule' here (did you mean rules?)"),
        ('name = "ab"\nrun = ["a"]\nrules = []', "rules is empty"),
        ('name = "ab"\nrun = ["a"]\nrules = ["chess"]', "known: app, "),
        (
            'name = "ab"\nrun = ["a"]\nrules = ["prsi", "mau_mua"]',
            "rules: there is no 'mau_mua' here (did you mean mau_mau?)",
        ),
        ('name = "ab"\nrun = ["a"]\nseats = []', "seats is empty"),
        ('name = "ab"\nrun = ["a"]\nseats = [2, 3, 2]', "seats has a number twice"),
        ('name = "ab"\nrun = ["a"]\nrules = ["prsi", "prsi"]', "rules names a variant twice"),
        ('name = "ab"\nrun = ["a"]\nseats = [1]', "from 2 to 10"),
        ('name = "ab"\nrun = ["a"]\nconcurrent = 0', "concurrent"),
        ('name = "ab"\nrun = ["a"]\nruntime = "cobol"', "there are python, native"),
        ("name = ", "bot.toml"),
        (b'name = "\xff"', "UTF-8"),
    ],
)
def test_a_manifest_that_says_something_unknown_is_refused_with_what_is_known(folder, toml, words):
    (folder / "bot.toml").write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    with pytest.raises(errors.BadManifest) as refused:
        pack_submission(folder)
    assert words in str(refused.value)


def test_a_manifest_may_say_everything_the_design_names(folder):
    text = """name = "my-bot"
run = ["python3", "bot.py"]
build = ["make"]
runtime = "python"
rules = ["mau_mau", "prsi"]
seats = [2, 3, 4]
concurrent = 64
"""
    (folder / "bot.toml").write_text(text)
    manifest = pack_submission(folder).manifest
    assert (manifest.rules, manifest.seats, manifest.concurrent) == (["mau_mau", "prsi"], [2, 3, 4], 64)
