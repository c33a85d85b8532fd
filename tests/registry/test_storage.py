"""Limits of the tables and the artifacts' folder, for any caller."""

import os

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from maumau import errors
from services.registry.domain.state import NEXT, WAITING, State, list_before
from services.registry.intake.artifact import Artifacts
from services.registry.intake.upload import FORGOTTEN
from services.shared.store.connect import Database
from services.shared.store.storage import Storage
from tests.support.kinds import one_of

pytestmark = pytest.mark.stores


@pytest.fixture
def tables(registry):
    database = Database(registry.settings.database("registry"), "registry")
    yield database
    database.close()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "change",
    one_of(
        2,
        [
            "state = 'perfect'",
            "state = 'validating'",  # without a lease
            "lease_until = 1",  # without a worker
            "state = 'refused'",  # without a reason
            "number = 0",
            "fence = -1",
            "bot_id = 'bot_none'",
            "sha256 = 'short'",
        ],
    ),
)
def test_the_tables_hold_no_version_that_cannot_be(tables, submitted, change):
    _, _, version = submitted()
    query = text(f"UPDATE version SET {change} WHERE id = :id").bindparams(id=version.id)
    with pytest.raises(IntegrityError), tables.write() as session:
        session.exec(query)


@pytest.mark.sample
def test_the_tables_hold_one_active_version_of_a_bot(registry, tables, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    for version in (first, second):
        registry.worker.validate(version.id)
    query = text("UPDATE version SET state = 'active' WHERE bot_id = :id").bindparams(id=first.bot_id)
    with pytest.raises(IntegrityError), tables.write() as session:
        session.exec(query)


def test_every_state_leads_somewhere_or_is_a_verdict():
    assert {state for state in State if not NEXT[state]} == {State.REFUSED}
    assert {state for state in State if not list_before(state)} == set()
    assert set(WAITING) == {state for state in State if State.REFUSED in NEXT[state]}


@pytest.mark.sample(4)
@pytest.mark.parametrize("asked", ["a\0b", "version_" + "x" * 10_000, "", "'; DROP TABLE version; --"])
def test_a_strange_id_is_not_found_and_breaks_nothing(registry, asked):
    author = registry.author()
    for call in (author.GetVersion, author.GetLog, author.ActivateVersion):
        with pytest.raises((errors.UnknownVersion, errors.BadRequest)):
            call(version_id=asked)


def test_a_program_missing_from_the_storage_comes_back_with_its_next_upload(registry, submitted, program):
    archive = program()
    author, name, version = submitted(archive)
    (path,) = [path for path in registry.files() if path.stem == version.sha256]
    path.unlink()
    with pytest.raises(errors.UnknownArtifact, match="missing"):
        author.fetch(version.sha256)
    author.submit(name, archive)
    assert author.fetch(version.sha256)


def test_programs_may_lie_anywhere_that_fsspec_knows():
    artifacts = Artifacts(Storage("memory://programs", "MAUMAU_ARTIFACTS"))
    artifacts.store_archive("ab" * 32, b"x" * 100_000)
    artifacts.store_archive("ab" * 32, b"never read")
    assert [len(chunk) for chunk in artifacts.read("ab" * 32)] == [65_536, 34_464]
    assert list(artifacts.storage.list()) == [f"ab/{'ab' * 32}.zip"]


def test_what_a_killed_process_left_of_an_upload_is_removed_in_time(start, settings, tmp_path, valkey_url):
    folder = tmp_path / "uploads"
    folder.mkdir()
    old, new = folder / "old.zip", folder / "new.zip"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (new.stat().st_mtime - FORGOTTEN - 1,) * 2)
    with start(settings(tmp_path, "", valkey_url)):
        assert [path.name for path in folder.iterdir()] == ["new.zip"]  # another process may still write it
