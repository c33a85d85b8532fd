"""Crashes during a tournament leave its export as that of an undisturbed run, byte for byte."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis

from bench.support.embedded import Embedded, running, until
from bench.support.patience import patient
from maumau.client.arena import Arena
from maumau.errors import ClosedClient
from services.shared.process.tasks import celery_app, wake

SPEC = """
name = "survival"
rules = "mau_mau"
secret = "a-secret-that-every-run-shares"

[[stage]]
format = "round_robin"

[[stage]]
format = "single_elimination"
seeds = "previous"

[match]
block = 10
cap = 30
"""


def compared(export: Path) -> list[bytes]:
    """Return the lines that two runs with one secret share: all but what was only measured, and its hash."""
    lines = export.read_bytes().splitlines(keepends=True)
    return [line for line in lines if not line.startswith((b'{"kind":"measured"', b'{"kind":"end"'))]


def play(arena: Embedded, disturb: Callable[[Embedded, str], None] | None = None) -> list[bytes]:
    """Play the tournament, with a disturbance in the middle if given; return its compared lines."""
    name = arena.begin(SPEC)
    if disturb:
        arena.wait_until_under_way(name)
        disturb(arena, name)
    return compared(arena.finish(name))


@pytest.fixture(scope="session")
def undisturbed(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    with running(tmp_path_factory.mktemp("undisturbed") / "data", like=house_data) as arena:
        return play(arena)


def kill_a_worker(arena: Embedded, name: str) -> None:
    arena.kill("worker-1")


def deliver_every_task_three_times(arena: Embedded, name: str) -> None:
    app = celery_app(arena.read_card()["broker"])
    open_blocks = [block for block in arena.blocks(name) if block.state in {"queued", "claimed"}]
    assert open_blocks
    for block in open_blocks * 3:
        wake(app, "worker.play_block", block.id)  # an earlier release named the block


def freeze_a_worker_until_its_lease_is_over(arena: Embedded, name: str) -> None:
    """After waking up it reports a block that another worker has played meanwhile."""
    while not is_played_again_while_frozen(arena, name):
        pass  # its report was under way already: another one


def is_played_again_while_frozen(arena: Embedded, name: str) -> bool:
    """Return True if its block was played again; looks once it is frozen, since looks may be slow."""
    name_of_one = until("a block is claimed", lambda: claimed(arena, name))[0].worker
    worker = psutil.Process(int(name_of_one.rpartition("-")[2]))
    frozen = [worker, *worker.children(recursive=True)]
    for process in frozen:
        with suppress(psutil.NoSuchProcess):  # a program whose seating has just ended
            process.suspend()
    try:
        held = [block.id for block in claimed(arena, name) if block.worker == name_of_one]
        if held:
            until("the block is played", lambda: attempts(arena, name, held[0]))
    finally:
        for process in frozen:
            with suppress(psutil.NoSuchProcess):
                process.resume()
    return bool(held) and attempts(arena, name, held[0]) > 1


def claimed(arena: Embedded, name: str) -> list[Any]:
    return [block for block in arena.blocks(name) if block.state == "claimed"]


def attempts(arena: Embedded, name: str, block_id: str) -> int:
    """At a block that is done; 0 as long as it is not."""
    block = next(block for block in arena.blocks(name) if block.id == block_id)
    return block.attempts if block.state == "done" else 0


def lose_all_of_redis(arena: Embedded, name: str) -> None:
    for url in (arena.read_card()["redis"], arena.read_card()["broker"]):
        redis.Redis.from_url(url).flushall()
    arena.kill("valkey")


def watch_every_match_while_redis_hangs(arena: Embedded, name: str) -> None:
    """Claimed blocks are booked meanwhile, at their first attempt."""
    with arena.client() as client:
        labels = [match.label for match in client.matches(name)]
        watchers = [threading.Thread(target=watch, args=(client, name, label)) for label in labels]
        for watcher in watchers:
            watcher.start()
        claimed = {block.id for block in arena.blocks(name) if block.state == "claimed"}
        valkey = psutil.Process(arena.read_card()["processes"]["valkey"])
        valkey.suspend()
        try:
            until("what was claimed is booked", lambda: claimed <= booked_at_once(arena, name))
        finally:
            valkey.resume()
    for watcher in watchers:
        watcher.join(patient(30))
        assert not watcher.is_alive()


def watch(client: Arena, name: str, label: str) -> None:
    """Watch until the client is closed, or the match is decided."""
    with suppress(ClosedClient):
        for _ in client.watch_match(name, label):
            pass


def booked_at_once(arena: Embedded, name: str) -> set[str]:
    return {block.id for block in arena.blocks(name) if (block.state, block.attempts) == ("done", 1)}


def kill_the_tournament_service(arena: Embedded, name: str) -> None:
    arena.kill("tournament")


def kill_a_worker_and_the_tournament_service(arena: Embedded, name: str) -> None:
    """Kill both at once; each alone in `make test-long`."""
    kill_a_worker(arena, name)
    kill_the_tournament_service(arena, name)


def restart_everything(arena: Embedded, name: str) -> None:
    arena.stop()
    arena.start()


@pytest.mark.parametrize(
    "disturb",
    [
        pytest.param(kill_a_worker_and_the_tournament_service, marks=pytest.mark.long),
        pytest.param(kill_a_worker, marks=pytest.mark.long),
        pytest.param(kill_the_tournament_service, marks=pytest.mark.long),
        pytest.param(deliver_every_task_three_times, marks=pytest.mark.long),
        pytest.param(freeze_a_worker_until_its_lease_is_over, marks=pytest.mark.long),
        pytest.param(lose_all_of_redis, marks=pytest.mark.long),
        pytest.param(watch_every_match_while_redis_hangs, marks=pytest.mark.long),
        pytest.param(restart_everything, marks=pytest.mark.long),
    ],
)
def test_the_export_is_the_same_after(
    disturb: Callable[[Embedded, str], None], house_data: Path, undisturbed: list[bytes], tmp_path: Path
) -> None:
    with running(tmp_path / "data", like=house_data) as arena:
        assert play(arena, disturb) == undisturbed


@pytest.mark.long
def test_the_export_is_the_same_with_one_worker(
    house_data: Path, undisturbed: list[bytes], tmp_path: Path
) -> None:
    with running(tmp_path / "data", workers=1, like=house_data) as arena:
        assert play(arena) == undisturbed


@pytest.mark.long
def test_the_export_is_the_same_from_another_clone(undisturbed: list[bytes], tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    root = Path(__file__).parents[2]
    files = subprocess.run(
        ["git", "ls-files", "maumau", "services"], cwd=root, capture_output=True, check=True
    )
    for line in files.stdout.decode().splitlines():
        (clone / line).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / line, clone / line)  # without the permissions and times of the original
    with running(tmp_path / "data", checkout=clone) as arena:
        assert play(arena) == undisturbed
