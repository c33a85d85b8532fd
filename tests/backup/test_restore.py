"""Restores: their results, and refusals before anything is changed."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text

from maumau.errors import BadBackup, NotEmpty
from services.backup import manifest, store
from services.backup.app import migrations_folder
from services.backup.place import BackupPlace
from services.backup.restore import find_unknown, restore_backup
from services.backup.save import save_backup
from services.shared.base.clock import DAY
from services.shared.store.storage import Storage
from services.tournament.models import BlockFault, BlockResult, Contest
from tests.backup.conftest import admin
from tests.support.stores.contents import (
    SERVICES,
    fill_databases,
    open_databases,
    read_contents,
    reflect_tables,
)
from tests.support.stores.old_records import BUNDLE, SETS, end_contest, files_in, mover_of
from tests.support.stores.tournament import Store

PROGRAM = b"a program" * 20_000


@pytest.fixture
def stores(tmp_path):
    """Return stores of programs and exports with one program, one export, and one unfinished file."""
    found = {name: Storage(str(tmp_path / name), name) for name in ("artifacts", "exports")}
    found["artifacts"].put("ab/abab.zip", [PROGRAM])
    found["exports"].put("tournament_1.77.jsonl", [b"{}\n"])
    (tmp_path / "artifacts" / "ab" / ".new-cd.zip.0").write_bytes(b"half")
    return found


@pytest.fixture(scope="session")
def used(tmp_path_factory):
    """Return the data folder of an arena on SQLite, not to be changed."""
    folder = tmp_path_factory.mktemp("used")
    for database in fill_databases(folder).values():
        database.close()
    return folder


@pytest.fixture
def source(used, tmp_path):
    """Return the databases of a copy of it."""
    return open_databases(shutil.copytree(used, tmp_path / "data"))


@pytest.fixture(scope="session")
def kept(used, tmp_path_factory):
    """Return a backup of it, not to be changed: its place."""
    folder = tmp_path_factory.mktemp("kept")
    programs = Storage(str(folder / "artifacts"), "artifacts")
    programs.put("ab/abab.zip", [PROGRAM])
    save_backup(open_databases(used), {"artifacts": programs}, BackupPlace(str(folder / "backups")))
    return folder / "backups"


@pytest.fixture
def copied(kept, tmp_path):
    """Return a copy of that place, to be damaged."""
    return Path(shutil.copytree(kept, tmp_path / "backups"))


def restored(place: Path, folder: Path, url: str = "", name: str = ""):
    """Return the databases after a restore into a new arena; its programs lie in `folder`."""
    found = open_databases(folder, url)
    programs = {"artifacts": Storage(str(folder / "artifacts"), "artifacts")}
    there = BackupPlace(str(place))
    restore_backup(there.choose(name), there, found, programs, migrations_folder)
    return found


def is_untouched(folder: Path) -> bool:
    """Return True if there is no database and no program."""
    return [path for path in folder.rglob("*") if path.is_file()] == []


def test_every_row_and_file_comes_back_in_either_kind_of_database(database_url, stores, tmp_path, request):
    to_other = database_url.startswith("sqlite")
    url = "" if to_other else database_url
    source = fill_databases(tmp_path / "one", url)
    place = BackupPlace(str(tmp_path / "backups"))
    name, written = save_backup(source, stores, place)
    assert [(file.store, file.name, file.size) for file in written.files] == [
        ("artifacts", "ab/abab.zip", 180_000), ("exports", "tournament_1.77.jsonl", 3),
    ]  # fmt: skip
    target = open_databases(tmp_path / "two", request.getfixturevalue("postgresql_url") if to_other else "")
    new = {each: Storage(str(tmp_path / "new" / each), each) for each in stores}
    restore_backup(name, place, target, new, migrations_folder)
    assert b"".join(new["artifacts"].read("ab/abab.zip")) == PROGRAM
    before, after = ({one: read_contents(each[one]) for one in SERVICES} for each in (source, target))
    (done,) = (row for row in after["tournament"]["block"] if row["id"] == "block_1")
    assert done in before["tournament"]["block"]  # booked results are unchanged
    for each in (before, after):
        del each["tournament"]["block"]
    assert after == before


@pytest.fixture
def moved(used, tmp_path):
    """Return a backup of an arena whose cup ended long ago: its place, and the folder of its record file."""
    url = f"sqlite:///{shutil.copytree(used, tmp_path / 'one') / 'tournament.db'}"
    store, folder = Store(url), tmp_path / "records"
    store.now = 1000 * DAY
    end_contest(store, "cup", "12", days=8)
    assert mover_of(store, files_in(folder)).move_due() == 1
    store.database.close()
    place = BackupPlace(str(tmp_path / "backups"))
    save_backup(open_databases(tmp_path / "one"), {"records": Storage(str(folder), "records")}, place)
    return place, folder


@pytest.mark.long
@pytest.mark.parametrize("damage", ["lost", "damaged"])
def test_rows_that_point_into_record_files_come_back_with_the_files(database_url, moved, tmp_path, damage):
    place, folder = moved
    [path] = folder.iterdir()
    path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])
    if damage == "lost":
        path.unlink()
    target = open_databases(tmp_path / "two", "" if database_url.startswith("sqlite") else database_url)
    restore_backup(
        place.choose(""), place, target, {"records": Storage(str(folder), "records")}, migrations_folder
    )
    with target["tournament"].read() as session:
        assert session.get_one(Contest, "cup").moved_at
        result, fault = session.get_one(BlockResult, "12"), session.get_one(BlockFault, "fault-12")
    files = files_in(folder)
    assert (result.records, files.read_sets(result)) == (b"", SETS)
    assert (fault.bundle, files.read_bundle(fault)) == (b"", BUNDLE)


@pytest.mark.long
def test_no_lease_from_before_holds_and_no_number_is_given_twice(database_url, kept, tmp_path):
    url = "" if database_url.startswith("sqlite") else database_url
    target = restored(kept, tmp_path / "data", url)["tournament"]
    with target.write() as session:
        found = session.execute(text("SELECT state, fence, attempts FROM block WHERE id = 'block_2'")).one()
        assert (found.state, found.attempts) == ("queued", 1)
        assert found.fence % store.FENCES == 7
        assert found.fence > store.FENCES
        outbox = reflect_tables(target)["outbox"]
        event = {"contest_id": "contest_1", "event": b"", "created_at": 9}
        assert (
            session.execute(outbox.insert().returning(outbox.c.id), event).scalar_one() == 4
        )  # 2, 3 were told


@pytest.mark.long
def test_restored_twice_a_fence_is_still_another(kept, tmp_path):
    once = restored(kept, tmp_path / "one")
    place = BackupPlace(str(tmp_path / "again"))
    name, _ = save_backup(once, {}, place)
    twice = restored(tmp_path / "again", tmp_path / "two", name=name)
    earlier, later = (
        [row["fence"] for row in read_contents(each["tournament"])["block"] if row["id"] == "block_2"]
        for each in (once, twice)
    )
    assert later > earlier


def parts(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


@pytest.mark.long
def test_one_byte_changed_in_any_part_is_found_before_anything_is_changed(copied, tmp_path):
    names = parts(copied)
    assert len(names) > 25
    for name in names:
        path = copied / name
        before = path.read_bytes()
        middle = len(before) // 2
        path.write_bytes(before[:middle] + bytes([before[middle] ^ 1]) + before[middle + 1 :])
        with pytest.raises(BadBackup, match=r"nothing was changed\. Take another copy"):
            restored(copied, tmp_path / "data")
        path.write_bytes(before)
    assert is_untouched(tmp_path / "data")
    restored(copied, tmp_path / "data")  # as it was written it is restored


@pytest.mark.long
def test_a_part_that_ends_early_or_is_gone_is_named(copied, tmp_path):
    (block,) = copied.glob("*/tournament.block.gz")
    whole = block.read_bytes()
    block.write_bytes(whole[:-1])
    with pytest.raises(BadBackup, match=r"tournament\.block\.gz was cut short: it has \d+ of \d+ bytes"):
        restored(copied, tmp_path / "data")
    block.unlink()
    with pytest.raises(BadBackup, match=r"tournament\.block\.gz is missing"):
        restored(copied, tmp_path / "data")
    assert is_untouched(tmp_path / "data")


@pytest.mark.long
def test_a_backup_that_was_cut_short_is_refused_and_the_last_whole_one_named(copied, tmp_path):
    (whole,) = BackupPlace(str(copied)).names()
    shutil.copytree(copied / whole, copied / "20990101T000000.000Z")
    (copied / "20990101T000000.000Z" / manifest.SEAL).unlink()
    with pytest.raises(BadBackup, match=f"2099.* was cut short.*`--name {whole}` takes the last whole one"):
        restored(copied, tmp_path / "data")
    assert is_untouched(tmp_path / "data")
    restored(copied, tmp_path / "data", name=whole)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("format", r"made by maumau 9\.1\.0.*restore it with that version"),
        ("revisions", r"later version of maumau has changed \(registry 9999\); restore it with that version"),
    ],
)
def test_a_backup_of_a_later_version_is_refused(copied, tmp_path, field, words):
    (name,) = BackupPlace(str(copied)).names()
    told = json.loads((copied / name / manifest.MANIFEST).read_text()) | {"version": "9.1.0"}
    told |= {"format": 2, "new": 1} if field == "format" else {"revisions": {"registry": "9999"}}
    told_bytes = json.dumps(told).encode()
    (copied / name / manifest.MANIFEST).write_bytes(told_bytes)
    seal = f"{hashlib.sha256(told_bytes).hexdigest()}  {manifest.MANIFEST}\n"
    (copied / name / manifest.SEAL).write_text(seal)
    with pytest.raises(BadBackup, match=words):
        restored(copied, tmp_path / "data")
    assert is_untouched(tmp_path / "data")


@pytest.mark.long
def test_a_backup_of_tables_that_a_later_version_changed_says_who_can_restore_it(source, stores, tmp_path):
    with source["registry"].write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9001'"))
    _, written = save_backup(source, stores, BackupPlace(str(tmp_path / "backups")))
    assert find_unknown(written, source, migrations_folder) == ["registry 9001"]


@pytest.mark.long
def test_an_arena_that_is_not_empty_stays_as_it_is(database_url, kept, tmp_path):
    url = "" if database_url.startswith("sqlite") else database_url
    there = fill_databases(tmp_path / "data", url)
    before = {name: read_contents(database) for name, database in there.items()}
    with pytest.raises(NotEmpty, match=r"nothing was changed\. Choose"):
        restored(kept, tmp_path / "data", url)
    assert {name: read_contents(database) for name, database in there.items()} == before


@pytest.mark.long
@pytest.mark.usefixtures("s3")
@pytest.mark.parametrize("verb", ["backup", "restore", pytest.param("backups", marks=pytest.mark.long)])
def test_a_bucket_that_is_not_there_is_to_be_created_first(new_arena, verb):
    arena = new_arena("sqlite", run=False)
    words = admin(arena, verb, "s3://nowhere/daily", refused=True)
    assert words.startswith(
        "The place of the backups = 's3://nowhere/daily' cannot be used: there is no such bucket; correct its"
        " name, or create it first"
    )
    assert is_untouched(arena.settings.data)


@pytest.mark.long
@pytest.mark.usefixtures("s3")
def test_an_empty_bucket_has_no_backup_but_is_there(new_arena):
    arena = new_arena("sqlite", run=False)
    words = admin(arena, "restore", "s3://arena/never-written", refused=True)
    assert words == "s3://arena/never-written has no backup; `maumau admin backups` lists those of a place."
    assert admin(arena, "backups", "s3://arena/never-written") == {"backups": []}


@pytest.mark.parametrize("kept", ["", "mine"])
def test_a_refused_backup_leaves_no_folder_behind(tmp_path, kept):
    """Folders that were there before are kept, empty or not."""
    (tmp_path / kept).mkdir(exist_ok=True)
    no_arena = SimpleNamespace(settings=SimpleNamespace(data=tmp_path / "no" / "data", database_url=""))
    words = admin(no_arena, "backup", tmp_path / kept / "x" / "y", refused=True)
    assert words.startswith("There is no database of the service ")
    assert list(tmp_path.rglob("*")) == ([tmp_path / kept] if kept else [])


def test_an_empty_place_has_no_backup(tmp_path):
    with pytest.raises(BadBackup, match="has no backup; `maumau admin backups` lists"):
        BackupPlace(str(tmp_path)).choose("")


@pytest.mark.long
def test_programs_are_copied_once_and_go_with_the_last_backup_that_names_them(source, stores, tmp_path):
    place = BackupPlace(str(tmp_path / "backups"))
    first, _ = save_backup(source, stores, place)
    copied = place.storage.files.modified(f"{place.storage.root}/files/artifacts/ab/abab.zip")
    stores["exports"].remove("tournament_1.77.jsonl")
    second, _ = save_backup(source, stores, place)
    assert place.storage.files.modified(f"{place.storage.root}/files/artifacts/ab/abab.zip") == copied
    assert place.remove_old(1) == [first]
    assert list(place.names()) == [second]
    assert list(place.storage.list("files")) == ["files/artifacts/ab/abab.zip"]
    place.check(second, place.read(second))


@pytest.mark.long
def test_while_one_is_being_written_nothing_that_it_may_need_is_removed(source, stores, tmp_path):
    place = BackupPlace(str(tmp_path / "backups"))
    first, _ = save_backup(source, stores, place)
    stores["exports"].remove("tournament_1.77.jsonl")
    save_backup(source, stores, place)
    place.storage.put(f"{place.new_name()}/registry.account.gz", [b"so far"])
    assert place.remove_old(1) == [first]
    assert "files/exports/tournament_1.77.jsonl" in place.storage.list("files")


@pytest.mark.long
def test_a_backup_shows_all_databases_at_one_moment(database_url, tmp_path):
    """A row is written in one, then in the other: no backup has the second without the first."""
    there = fill_databases(tmp_path / "data", "" if database_url.startswith("sqlite") else database_url)
    with there["tournament"].write() as session:
        session.execute(text("DELETE FROM beat"))  # a migration made the first
    enough = threading.Event()

    def write():
        number = 0
        while not enough.is_set():
            number += 1
            for service, table in (("tournament", "beat"), ("registry", "outbox")):
                columns = {"beat": "(id, at)", "outbox": "(task, subject)"}[table]
                values = {"beat": f"({number}, 0)", "outbox": f"('t', '{number}')"}[table]
                with there[service].write() as session:
                    session.execute(text(f"INSERT INTO {table} {columns} VALUES {values}"))

    writer = threading.Thread(target=write)
    writer.start()
    seen = []
    try:
        for turn in range(8):
            (scratch := tmp_path / str(turn)).mkdir()
            with store.cut_snapshot(there, scratch) as sources:
                seen.append(tuple(
                    sources[service].connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one()
                    for service, table in (("tournament", "beat"), ("registry", "outbox"))
                ))  # fmt: skip
    finally:
        enough.set()
        writer.join()
    assert {first - second for first, second in seen} <= {0, 1}
    assert seen[-1] > seen[0]  # it went on meanwhile
