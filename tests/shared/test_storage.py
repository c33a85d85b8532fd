"""Storage of files: a folder, and a bucket of a real server that speaks S3 over HTTP."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from maumau.errors import BadBackup, BadSetting
from services.backup.app import migrations_folder
from services.backup.place import BackupPlace
from services.backup.restore import restore_backup
from services.backup.save import save_backup
from services.shared.store.storage import CHUNK, Storage
from tests.support.host.s3 import KEY
from tests.support.stores.contents import fill_databases, open_databases, read_contents
from tests.support.waiting import free_port


@pytest.fixture(params=["folder", "bucket"])
def storage(request, tmp_path):
    if request.param == "folder":
        return Storage(str(tmp_path / "files"), "MAUMAU_ARTIFACTS")
    request.getfixturevalue("s3")
    return Storage(f"s3://arena/{tmp_path.name}", "MAUMAU_ARTIFACTS")


@pytest.mark.long
def test_what_was_written_is_read_in_pieces_listed_and_removed(storage):
    storage.check()
    assert storage.list() == {}
    written = b"x" * (2 * CHUNK + 1)
    assert storage.put("ab/one.zip", [written[:CHUNK], written[CHUNK:]]) == len(written)
    storage.put("cd/two.zip", [b""])
    assert [len(chunk) for chunk in storage.read("ab/one.zip")] == [CHUNK, CHUNK, 1]
    assert storage.list() == {"ab/one.zip": len(written), "cd/two.zip": 0}
    assert storage.list("cd") == {"cd/two.zip": 0}
    assert (storage.size("ab/one.zip"), storage.size("ab/none.zip")) == (len(written), None)
    with storage.open("ab/one.zip") as file:
        file.seek(2 * CHUNK)
        assert file.read() == b"x"
    storage.remove("cd/two.zip")
    storage.remove("cd/two.zip")
    assert list(storage.list()) == ["ab/one.zip"]
    with pytest.raises(FileNotFoundError):
        next(storage.read("cd/two.zip"))


def test_what_ends_early_leaves_nothing(storage):
    def chunks():
        yield b"half"
        raise ValueError("the other half is missing")

    with pytest.raises(ValueError, match="other half"):
        storage.put("ab/one.zip", chunks())
    assert storage.list() == {}


@pytest.mark.long
def test_what_another_replica_has_written_is_seen_at_once(storage):
    assert storage.list("ab") == {}
    assert storage.size("ab/one.zip") is None
    Storage(storage.url, "MAUMAU_ARTIFACTS").put("ab/one.zip", [b"1"])
    assert storage.list("ab") == {"ab/one.zip": 1}
    assert storage.size("ab/one.zip") == 1


@pytest.mark.long
@pytest.mark.usefixtures("s3")
def test_a_backup_in_a_bucket_is_restored_with_its_programs(tmp_path):
    programs = Storage(f"s3://arena/{tmp_path.name}/programs", "artifacts")
    programs.put("ab/abab.zip", [b"a program"])
    source = fill_databases(tmp_path / "old")
    place = BackupPlace(f"s3://arena/{tmp_path.name}/backups")
    name, _ = save_backup(source, {"artifacts": programs}, place)
    target, new = open_databases(tmp_path / "new"), Storage(str(tmp_path / "programs"), "artifacts")
    restore_backup(place.choose(""), place, target, {"artifacts": new}, migrations_folder)
    assert b"".join(new.read("ab/abab.zip")) == b"a program"
    assert read_contents(target["registry"]) == read_contents(source["registry"])
    place.storage.remove(f"{name}/manifest.sha256")
    with pytest.raises(BadBackup, match="was cut short"):
        place.choose("")


def refused(url: str) -> str:
    with pytest.raises(BadSetting) as caught:
        Storage(url, "MAUMAU_ARTIFACTS").check()
    return str(caught.value)


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_is_not_there_is_named():
    words = refused("s3://nowhere/programs")
    assert words.startswith(
        "MAUMAU_ARTIFACTS = 's3://nowhere/programs' cannot be used: there is no such bucket; correct its"
        " name, or create it first"
    )


@pytest.mark.usefixtures("s3")
def test_a_key_that_is_not_set_says_where_it_belongs(monkeypatch, tmp_path):
    for name in KEY:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "no key is set; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY name it" in refused("s3://arena/x")


def test_a_server_that_does_not_answer_is_named(monkeypatch):
    for name, value in {**KEY, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{free_port()}"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    assert "does not answer" in refused("s3://arena/x")


def test_a_kind_of_place_that_nobody_knows_is_refused():
    assert refused("gopher://arena").startswith("MAUMAU_ARTIFACTS = 'gopher://arena' cannot be: ")


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    words = refused(str(tmp_path / "file" / "programs"))
    assert words.startswith(f"MAUMAU_ARTIFACTS = '{tmp_path}/file/programs' cannot be used: ")


def test_without_its_package_a_bucket_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.delitem(sys.modules["fsspec.registry"]._registry, "s3", raising=False)
    assert "-py3-none-any.whl[s3]'" in refused("s3://arena/x")
