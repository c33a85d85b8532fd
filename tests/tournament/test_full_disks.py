"""A disk is full: it is said, nothing is lost, and everything goes on by itself once there is room."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis
from sqlalchemy import text

from bench.support.lab import Lab
from maumau.errors import DatabaseUnavailable, DiskFull
from services.tournament.models import Contest
from tests.support.arenas.cup import AWAY, OURS, QUICK, SPEC, Cup
from tests.support.arenas.engine import make_table
from tests.support.arenas.tournament import CUP
from tests.support.host.disk import fill_disk
from tests.support.waiting import until
from tests.tournament.test_disturbed import MIDDLE, promote_a_copy_of_postgresql
from tests.tournament.test_mover import BACKDATE
from tests.tournament.two_replicas import LabArena, LiveTable

pytestmark = pytest.mark.long

DATABASES = ["sqlite"]  # of the arenas in this process


def is_refused_for_room(lab):
    """Return True if a change is refused for lack of space; PostgreSQL stops if its log has no room."""
    try:
        lab.admin.create(SPEC.format(name=f"more-{uuid.uuid4().hex[:8]}"))
    except DiskFull:
        return True
    except AWAY:
        return not lab.server.is_running
    return False


def test_a_cup_goes_on_when_the_disk_of_postgresql_has_room_again(undisturbed, small_disk, tmp_path):
    disk = small_disk("200m")  # PostgreSQL's files take a third of it
    with Lab("postgresql", tmp_path / "lab", replicas=2, **OURS, **QUICK) as lab:
        promote_a_copy_of_postgresql(lab, disk)
        cup = Cup(lab)
        cup.play(MIDDLE, *lab.replicas)
        assert cup.workers["tournament-2"].claim(wait=5.0)
        fill_disk(disk / "filler")
        until(lambda: is_refused_for_room(lab), 60)
        (disk / "filler").unlink()
        if not lab.server.is_running:
            lab.server.start()
        assert cup.finish() == undisturbed


def test_a_cup_and_a_live_table_go_on_when_the_append_only_file_of_redis_has_room_again(
    undisturbed, small_disk, tmp_path
):
    """State and broker both refuse to write; blocks are claimed and booked all the same."""
    disk, beside = small_disk("4m"), ("registry", "engine", "engine-2")
    with Lab("postgresql", tmp_path / "lab", replicas=2, beside=beside, **OURS, **QUICK) as lab:
        lab.valkey.stop()
        lab.start_redis(disk)
        arena, cup = LabArena(lab), Cup(lab)
        table = LiveTable(arena)
        table.move()
        cup.play(MIDDLE, *lab.replicas)
        fill_disk(disk / "filler")
        until(lambda: is_refused_by_redis(lab))
        cup.play(MIDDLE, *lab.replicas)
        with pytest.raises(DatabaseUnavailable, match="No space left on device"):
            make_table(arena.ask("engine"))
        until(lambda: "need=redis" in (said := read_log(lab, "engine")) and "No space left" in said, 30)
        with ThreadPoolExecutor(1) as pool:
            move = pool.submit(table.move)
            (disk / "filler").unlink()
            move.result()
        assert cup.finish() == undisturbed
        assert set(cup.events().values()) == {1}
        table.finish(f"{lab.redis}/0")


def is_refused_by_redis(lab):
    """Return True if Redis refuses a write; its file's last page may have had some room."""
    try:
        with redis.Redis.from_url(f"{lab.redis}/0") as client:
            client.set("filler", bytes(8192), ex=60)
    except redis.ResponseError as error:
        return "No space left" in str(error)
    return False


def read_log(lab, name):
    return (lab.folder / f"{name}.log").read_text()


def test_records_stay_in_the_database_until_their_disk_has_room(start, small_disk, capfd):
    disk = small_disk("1m")
    with start(sweep=0.05, move_records_days=1, records=str(disk)) as arena:
        name = arena.begin("first", "random", **CUP)
        arena.finish(name)
        ident, export = arena.admin.tournament(name).id, arena.export(name)
        fill_disk(disk / "filler")
        with arena.database.write() as session:
            for statement in BACKDATE:
                session.execute(text(statement), {"id": ident})
        until(lambda: arena.metric("record_files_total", outcome="failed"), 60)
        assert f"records of {ident} stay in the database: {DiskFull.__doc__}" in capfd.readouterr().err
        assert [path.name for path in disk.iterdir()] == ["filler"]
        assert export_anew(arena, name) == export
        (disk / "filler").unlink()
        until(lambda: find_moved_at(arena, ident), 60)
        assert arena.metric("record_files_total", outcome="written") == 1
        assert export_anew(arena, name) == export


def export_anew(arena, name):
    """Export without the stored file."""
    for path in Path(arena.settings.stores()["exports"]).glob(f"{arena.admin.tournament(name).id}.*"):
        path.unlink()
    return arena.export(name)


def find_moved_at(arena, contest_id):
    with arena.database.read() as session:
        return session.get_one(Contest, contest_id).moved_at
