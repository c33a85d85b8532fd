"""The disk fills up in the middle of play: it is said, nothing is lost or half-written, and it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.support.checkout import ROOT
from maumau.cli.shared.export import to_file
from maumau.client.arena import Arena
from maumau.contest.export.verify import verify
from maumau.errors import BadFile, DiskFull
from maumau.submission import package
from tests.support.arenas.embedded import Running, own_mounts
from tests.support.host.disk import fill_disk
from tests.support.polling import until

pytestmark = pytest.mark.long

SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "a-secret-of-both-tournaments"
[[stage]]
format = "round_robin"
[match]
block = 20
cap = 100
"""
ARCHIVE = package.pack_submission(ROOT / "maumau/bots/first").archive


@pytest.fixture(scope="module")
def arena(house_data: Path, tmp_path_factory: pytest.TempPathFactory, not_tested) -> Iterator[Running]:
    """Yield a run on a disk of 32 MiB."""
    try:
        own_mounts()
    except OSError as error:
        not_tested("a full disk", f"no small disk can be mounted ({error})")
    arena = Running(tmp_path_factory.mktemp("disk") / "data", like=house_data, disk="32m")
    arena.wait_for_bots("first", "greedy", "random")
    yield arena
    arena.end()


def begin(client: Arena, name: str) -> None:
    client.create(SPEC.format(name=name))
    client.open(name)
    for bot in ("first", "greedy", "random"):
        client.enter(name, bot)
    client.start(name)


def is_stored(client: Arena, name: str) -> bool:
    """Return True if one of its blocks is stored."""
    labels = [match.label for match in client.matches(name)]
    return any(block.state == "done" for label in labels for block in client.match(name, label).blocks)


def is_full(call: Callable[[], object]) -> bool:
    try:
        call()
    except DiskFull:
        return True
    return False


def compared(export: Path) -> list[bytes]:
    """Return the lines that both tournaments share: not the spec with the name, not what was measured."""
    lines = export.read_bytes().splitlines()
    return [line for line in lines[1:] if not line.startswith((b'{"kind":"measured"', b'{"kind":"end"'))]


def test_a_disk_with_little_room_is_named_at_the_start(arena: Running) -> None:
    arena.wait_for("MiB are left on the disk of")


def test_a_full_disk_loses_nothing(arena: Running, tmp_path: Path) -> None:
    with arena.client() as client:
        begin(client, "roomy")
        until("it is decided", lambda: client.tournament("roomy").over, 60)
        paths = [tmp_path / f"{name}.jsonl" for name in ("roomy", "tight")]
        to_file(client.export("roomy"), paths[0])  # makes the file that the arena keeps
        begin(client, "tight")
        until("a block is stored", lambda: is_stored(client, "tight"), 30)
        filler = arena.data / "filler"
        fill_disk(filler)
        try:
            arena.wait_for("is full: nothing more can be stored")
            assert_refused(arena, client)
        finally:
            filler.unlink()
        arena.wait_for("there is room on the disk again")
        until("it is decided all the same", lambda: client.tournament("tight").over, 60)
        to_file(client.export("tight"), paths[1])
        assert compared(paths[0]) == compared(paths[1])
        assert verify(paths[1]).ok
        assert client.submit("newcomer", ARCHIVE).version.state == "uploaded"


def assert_refused(arena: Running, client: Arena) -> None:
    """Check that all storing is refused for that reason and leaves nothing; existing data can be read."""
    until("a tournament finds no room", lambda: is_full(lambda: client.create(SPEC.format(name="more"))))
    until("an account finds no room", lambda: is_full(lambda: client.create_account("eve")))
    with pytest.raises(DiskFull):
        client.submit("newcomer", ARCHIVE)
    assert client.tournament("tight").state == "running"
    with pytest.raises(BadFile, match="No space left"):
        to_file(client.export("roomy"), arena.data / "exports" / "roomy.jsonl")
    assert list((arena.data / "exports").iterdir()) == []
    assert list((arena.data / "uploads").iterdir()) == []
    assert not [path for path in arena.data.rglob("*.new") if path.is_file()]


def test_an_arena_does_not_start_on_a_full_disk(tmp_path: Path, not_tested) -> None:
    crowd = tmp_path / "crowd"
    crowd.mkdir()
    (crowd / "filler").write_bytes(bytes(60 * 1024))
    try:
        arena = Running(tmp_path / "data", like=crowd, disk="64k")
    except OSError as error:
        not_tested("a full disk", f"no small disk can be mounted ({error})")
    until("it has given up", lambda: arena.process.poll() is not None, 30)
    assert arena.process.returncode == 1
    assert arena.lines == [f"error: the data folder {tmp_path}/data cannot be used: No space left on device"]
