"""Faults of the platform are never results."""

import uuid
from dataclasses import replace

import pytest
from sqlalchemy import text

from maumau.errors import BlockStopped, BuildFailed, MissingRuntime, PlatformFault, SandboxUnavailable
from maumau.sandbox.files import artifact_cache
from maumau.sandbox.launch import choose_sandbox
from maumau.submission import build, package
from services.shared.store.connect import Database
from services.worker import app
from services.worker.artifact import Artifacts
from services.worker.bench import Bench
from services.worker.client import Registry, TournamentClient
from services.worker.metrics import CounterTally
from services.worker.play import advance_contest, play_block
from services.worker.validate import validate_version
from tests.support.arenas.fallen import Fallen
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until
from tests.worker.conftest import BOTS


@pytest.fixture
def bench(arena, tmp_path):
    """Return a worker's bench in this process; parts may be told otherwise."""

    def make(**parts):
        registry = Registry(arena.address, WORKER)
        fields = {
            "name": "bench", "core": None, "sandbox": choose_sandbox("process"), "registry": registry,
            "artifacts": Artifacts(tmp_path / "programs", registry.fetch, 1 << 20),
            "tournament": TournamentClient(arena.address, WORKER), "tally": CounterTally(),
            "stopping": lambda: False,
        }  # fmt: skip
        return Bench(**fields | parts)

    return make


@pytest.fixture
def block(arena):
    """Yield a block of two programs that do not even run."""
    name = arena.begin("first", "random", block=5, cap=10)
    yield until(lambda: arena.blocks(name, "queued"))[0].id
    arena.admin.cancel(name)


def validate(arena, bench, version_id):
    """Validate versions until this one is settled; others may have waited longer."""
    return until(
        lambda: validate_version(bench, version_id) == "done" and arena.admin.version(version_id).settled
    )


def state(arena, block_id):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.read() as session:
        found = session.execute(
            text("SELECT state, attempts, words FROM block WHERE id = :id"), {"id": block_id}
        ).one()
    database.close()
    return tuple(found)


@pytest.mark.long
def test_programs_that_fail_lose_their_deals_and_the_block_is_booked(arena, bench, block):
    one = bench()
    assert play_block(one, block) == "done"
    assert state(arena, block)[0] == "done"
    assert one.tally.get("bot_faults", "start") + one.tally.get("bot_faults", "crash") >= 10
    assert play_block(one, block) == "refused"


@pytest.mark.long
def test_a_build_that_fails_in_play_is_the_programs_own_fault(arena, bench, block, monkeypatch):
    def ready(*_):
        raise BuildFailed("the build step failed: it is Sunday")

    monkeypatch.setattr(build, "prepare_program", ready)
    one = bench()
    assert play_block(one, block) == "done"
    assert state(arena, block)[0] == "done"
    assert one.tally.get("bot_faults", "start") >= 5
    assert list(one.unbuilt.values()) == 2 * ["the build step failed: it is Sunday"]


@pytest.mark.long
def test_a_sandbox_that_does_not_start_gives_the_block_back_with_words(arena, bench, block):
    assert play_block(bench(sandbox=Fallen()), block) == "failed"
    assert state(arena, block) == ("queued", 1, "the wall cannot be built")
    arena.end_rest(block)
    assert play_block(bench(name="another"), block) == "done"


@pytest.mark.long
def test_rules_of_another_hash_are_not_played_by_this_worker(arena, bench, block):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        session.execute(text("UPDATE contest SET rules_hash = :hash"), {"hash": "0" * 64})
    database.close()
    one = bench(name="of-another-version")
    assert play_block(one, block) == "unable"
    assert state(arena, block)[:2] == ("queued", 0)
    assert play_block(one) == "refused"


@pytest.mark.long
def test_a_program_whose_runtime_is_missing_is_left_to_workers_that_have_it(arena, bench, block, monkeypatch):
    def ready(program, *_):
        raise MissingRuntime("node is not offered here")

    name = arena.admin.match(arena.admin.tournaments()[0].name, "1.1.1").match.first_name
    one = bench(name="without-node")
    with monkeypatch.context() as patch:
        patch.setattr(build, "prepare_program", ready)
        assert play_block(one, block) == "unable"
    assert play_block(one, block) == "refused"
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.read() as session:
        (words,) = session.execute(text("SELECT words FROM lack WHERE worker = 'without-node'")).one()
    database.close()
    assert words == f"{name}: node is not offered here"
    assert play_block(bench(name="with-node"), block) == "done"


class Exposed:
    """A wall whose programs read the machine's /usr."""

    name, isolated, counted, says = "exposed", True, True, "no image"

    def holds_in_memory(self, runtime):
        return False


@pytest.mark.long
def test_programs_that_would_read_usr_are_not_played_where_an_image_is_required(arena, bench, block):
    strict = bench(name="strict", sandbox=Exposed(), image_required=True)
    assert play_block(strict, block) == "unable"
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.read() as session:
        (words,) = session.execute(text("SELECT words FROM lack WHERE worker = 'strict'")).one()
    database.close()
    assert "the runtime python has no image in memory on this worker" in words
    assert play_block(bench(name="lenient"), block) == "done"


def test_a_version_that_would_read_usr_is_refused_where_an_image_is_required(arena, bench):
    version = arena.admin.submit("strict", arena.program("strict")).version
    strict = bench(sandbox=Exposed(), image_required=True)
    assert validate(arena, strict, version.id)
    found = arena.admin.version(version.id)
    assert found.state == "refused"
    assert "the runtime python has no image in memory on this worker" in found.reason


def test_a_worker_that_requires_an_image_and_has_none_does_not_begin(arena, monkeypatch):
    monkeypatch.setattr(app, "choose_sandbox", lambda name: Exposed())
    settings = replace(arena.settings, worker_token=WORKER, registry_address=arena.address)
    with pytest.raises(SandboxUnavailable, match=r"no image in memory, .* MAUMAU_IMAGE=optional plays"):
        app._set_up_bench(settings, None, CounterTally(), None)


@pytest.mark.long
def test_an_artifact_that_does_not_come_gives_the_block_back(arena, bench, block, tmp_path):
    def nothing(sha256):
        raise PlatformFault("no such artifact")

    empty = Artifacts(tmp_path / "empty", nothing, 1 << 20)
    assert play_block(bench(artifacts=empty), block) == "failed"
    assert state(arena, block)[2] == "no such artifact"


def test_a_worker_that_shall_end_begins_nothing(arena, bench, block):
    assert play_block(bench(stopping=lambda: True), block) == "given back"
    assert state(arena, block)[:2] == ("queued", 0)


def test_a_silent_service_is_no_error(bench, tmp_path):
    one = bench(tournament=TournamentClient("127.0.0.1:1", WORKER), registry=Registry("127.0.0.1:1", WORKER))
    assert play_block(one, "block_x") == "unreachable"
    assert validate_version(one, "version_x") == "unreachable"
    assert one.tally.get("blocks", "unreachable") == 1


@pytest.mark.long
def test_the_schedule_catches_up_when_a_worker_is_told_to_see_to_it(arena, bench):
    name = arena.begin("first", "random")
    arena.admin.withdraw(name, arena.field("first")[0])
    advance_contest(bench(), arena.admin.tournament(name).id)
    assert arena.admin.tournament(name).over
    advance_contest(bench(), "tournament_x")  # there is none: a line in the log


def test_a_validation_that_the_platform_spoils_says_nothing_of_the_program(arena, bench):
    version = arena.admin.submit("spoilt", arena.program("spoilt")).version
    assert validate_version(bench(sandbox=Fallen()), version.id) == "failed"
    assert not arena.admin.version(version.id).settled
    arena.end_validation_lease(version.id)
    assert validate(arena, bench(), version.id)
    refused = arena.admin.version(version.id)
    assert refused.state == "refused"
    assert refused.reason


def test_a_validation_of_a_worker_that_stops_is_another_ones_at_once(arena, bench, monkeypatch):
    version = arena.admin.submit("leaves", arena.program("leaves")).version

    def stopped(*_, **__):
        raise BlockStopped

    monkeypatch.setattr("services.worker.validate.validate_program", stopped)
    assert validate_version(bench(), version.id) == "given back"
    assert arena.admin.version(version.id).state == "uploaded"
    assert arena.registry(WORKER).ClaimValidation(version_id=version.id, worker="other").claimed


MADE = """# {mark}
import os
from pathlib import Path
Path("bot.py").write_text(Path("bot.in").read_text() + "# " + os.urandom(16).hex())
Path("bot.toml").unlink()
print("made by hand")
"""


@pytest.fixture
def built(tmp_path):
    """Return the archive of a program whose build step leaves something else behind each time."""
    source = tmp_path / "built"
    source.mkdir()
    manifest = 'name = "built"\nbuild = ["python3", "make.py"]\nrun = ["python3", "bot.py"]\n'
    (source / "bot.toml").write_text(manifest + 'rules = ["mau_mau"]\nseats = [2]\n')
    (source / "make.py").write_text(MADE.format(mark=uuid.uuid4().hex))
    (source / "bot.in").write_text((BOTS / "first" / "bot.py").read_text())
    return package.pack_submission(source).archive


@pytest.mark.long
def test_what_validation_built_is_what_every_worker_plays(arena, bench, built, tmp_path, monkeypatch):
    version = arena.admin.submit("built", built).version
    assert validate(arena, bench(), version.id)
    found = arena.admin.version(version.id)
    assert found.state == "active", found.reason
    assert found.built_sha256
    assert not list(artifact_cache.find_cache_folder().glob(f"*built-{found.sha256[:40]}*"))
    assert "made by hand" in arena.admin.log(version.id)
    same = arena.admin.submit("built-again", built).version

    def build_again(*_):
        raise BuildFailed("a build step that was carried out once is carried out again")

    monkeypatch.setattr(build, "_run_build", build_again)
    monkeypatch.setattr(
        build, "_get_build_path", lambda program: tmp_path / f"another machine {program.sha256}"
    )
    assert validate(arena, bench(), same.id)
    assert arena.admin.version(same.id).built_sha256 == found.built_sha256
    one = bench(artifacts=Artifacts(tmp_path / "another", bench().registry.fetch, 1 << 20))
    name = arena.create(block=2, cap=2)
    arena.admin.open(name)
    for bot in ("built", *arena.field("random")):
        arena.admin.enter(name, bot)
    arena.admin.start(name)
    until(lambda: any(play_block(one, block.id) == "done" for block in arena.blocks(name, "queued")))
    assert (
        one.tally.get("bot_faults", "crash") + one.tally.get("bot_faults", "start") == 4
    )  # of random-0 alone
    made = [tmp_path / folder / found.built_sha256 / "bot.py" for folder in ("programs", "another")]
    assert made[0].read_bytes() == made[1].read_bytes()
    assert not (tmp_path / "another" / version.sha256).exists()


@pytest.mark.long
def test_a_build_for_another_platform_is_not_played(arena, bench, block):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        built = text("UPDATE job_seat SET built_sha256 = :hash, built_platform = 'vax-cpython-311'")
        session.execute(built, {"hash": "0" * 64})
    database.close()
    one = bench(name="no-vax")
    assert play_block(one, block) == "unable"
    assert state(arena, block)[:2] == ("queued", 0)
    assert play_block(one) == "refused"
