"""The whole embedded arena: it starts, it keeps itself alive, it ends without a trace and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau.client.arena import Arena
from maumau.errors import UploadsClosed
from maumau.process.scratch import remove_dead
from maumau.submission import package
from tests.support.arenas.embedded import PORTS, Running, Window
from tests.support.arenas.ready import broken_checkout
from tests.support.polling import is_alive, until

READY = "Ctrl-C stops everything"
SPEC = """
name = "{name}"
rules = "mau_mau"
[[stage]]
format = "round_robin"
[match]
block = {block}
cap = 20000
delta = 0.0001
"""  # so small a difference is not decided within the first blocks, however slow the host


@pytest.fixture(scope="module")
def arena(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Yield a run on a data folder whose house bots may play, for the tests until the one that ends it."""
    with Running(tmp_path_factory.mktemp("arena") / "data", like=house_data) as arena:
        arena.wait_for(READY)
        yield arena
        assert not arena.says("submitting")


@pytest.mark.long  # in `make test`: tests/cli/test_arena.py
def test_its_first_lines_say_address_data_sandbox_and_how_to_log_in(arena: Running) -> None:
    card = arena.card()
    for words in (card["registry"], card["tournament"], str(arena.data), "sandbox: ", "maumau login"):
        assert arena.says(words)
    assert (arena.data / "arena.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_a_later_start_knows_the_house_bots(arena: Running) -> None:
    with arena.client() as client:
        bots = client.bots()
    assert [len(bot.versions) for bot in bots] == [1] * len(bots)
    assert {bot.account_name for bot in bots} == {"house"}


@pytest.mark.long
def test_a_second_start_on_the_same_data_is_refused_and_harms_nobody(arena: Running) -> None:
    command = [sys.executable, "-m", "services.supervisor", "--data", str(arena.data)]
    second = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=patient(30), check=False
    )
    assert second.returncode == 1
    assert second.stderr.startswith("error: an arena is running on ")
    assert f"process {arena.process.pid}" in second.stderr
    with arena.client() as client:
        assert client.who().account_name == "admin"


@pytest.mark.long
def test_whatever_is_killed_is_started_again(arena: Running) -> None:
    before = arena.card()["processes"]
    assert set(before) >= {"valkey", "registry", "tournament", "engine", "matchmaking", "worker-1"}
    for pid in before.values():
        os.kill(pid, signal.SIGKILL)

    def all_new() -> bool:
        now = arena.card()["processes"]
        return all(now[name] not in {0, pid} for name, pid in before.items())

    until("all of them run again", all_new, 30)
    for name in before:
        assert arena.says(f"{name} died (SIGKILL), starting it again")
    with arena.client() as client:
        assert client.bots()
        assert client.tournaments() is not None


def play(arena: Running, name: str, block: int = 1000) -> None:
    """Begins a long tournament and waits until both programs of a seating play, and none is being started."""
    with arena.client() as client:
        client.create(SPEC.format(name=name, block=block))
        client.open(name)
        for bot in ("first", "greedy"):
            client.enter(name, bot)
        client.start(name)

    looks: deque[set[int]] = deque(maxlen=2)  # on a busy host a look may take as long as a short seating

    def steady() -> bool:
        below = psutil.Process(arena.process.pid).children(recursive=True)
        arena.look_around()
        words = {one.pid: _command(one) for one in below}
        looks.append({pid for pid in words if "bot.py" in words[pid] and "--seccomp" not in words[pid]})
        return len(looks) == looks.maxlen and len(looks[0]) == 2 and looks[0] == looks[1]

    until("programs play", steady, 40)


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


@pytest.mark.long
def test_what_a_killed_worker_had_is_played_at_once(arena: Running) -> None:
    """Not after the minute of its lease."""
    play(arena, "cup-worker")
    with arena.client() as client:
        block = next(b.id for b in client.match("cup-worker", "1.1.1").blocks if b.state == "claimed")
        os.kill(arena.card()["processes"]["worker-1"], signal.SIGKILL)

        def again() -> bool:
            found = next(one for one in client.match("cup-worker", "1.1.1").blocks if one.id == block)
            return found.attempts == 2

        until("it is claimed again", again, 40)
        client.cancel("cup-worker")


def take_port(arena: Running, name: str, sock: socket.socket, port: int) -> None:
    """Kills this process of the arena and listens on its port before it can."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

    def taken() -> bool:
        if pid := arena.card()["processes"][name]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with suppress(OSError):
            sock.bind(("127.0.0.1", port))
            sock.listen()
            return True
        return False

    until(f"the port of {name} is taken", taken, 20)


@pytest.mark.long
def test_a_fixed_port_that_another_program_took_is_waited_for_and_the_arena_says_so(arena: Running) -> None:
    before = arena.card()["registry"]
    with socket.socket() as sock:
        take_port(arena, "registry", sock, int(before.rpartition(":")[2]))
        arena.wait_for(f"registry cannot start because another program has {before}; trying again in")
    with arena.client() as client:
        assert client.bots()
    assert arena.card()["registry"] == before


@pytest.mark.long
def test_an_arena_whose_port_another_program_keeps_starts_again_with_a_free_one(arena: Running) -> None:
    before = arena.card()["redis"]
    with arena.client() as client:
        client.create(SPEC.format(name="cup-port", block=1000))
        client.cancel("cup-port")
    with socket.socket() as sock:
        take_port(arena, "valkey", sock, int(before.rpartition(":")[2].partition("/")[0]))
        arena.wait_for("another program keeps the port of valkey: the arena stops, and starts again")
        until("it has started again", lambda: sum(READY in line for line in arena.lines) == 2, 60)
    assert arena.card()["redis"] != before
    with arena.client() as client:
        assert client.tournament("cup-port").state == "cancelled"


@pytest.mark.long
def test_a_signal_stops_all_in_the_middle_of_play(arena: Running) -> None:
    play(arena, "cup-15")
    arena.end(signal.SIGTERM)
    assert arena.process.returncode == 0
    assert arena.lines[-1] == "stopped"
    assert arena.card()["pid"] == 0


@pytest.fixture(scope="module")
def killed(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of an arena that was killed in mid-play; its temporary one is `temporary`."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "temporary").mkdir()
    with Running(folder / "data", like=house_data, TMPDIR=str(folder / "temporary")) as arena:
        arena.wait_for(READY)
        play(arena, "cup-9", block=200)
        arena.end(signal.SIGKILL)
    return arena.data


@pytest.mark.long
def test_kill_9_in_the_middle_of_play_leaves_no_process_and_no_folder_for_long(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (left,) = killed.with_name("temporary").iterdir()
    assert left.name.startswith("maumau-arena-")
    monkeypatch.setattr(tempfile, "tempdir", str(left.parent))
    remove_dead()  # as the next start of any arena does
    assert not left.exists()


@pytest.fixture(scope="module")
def window(killed: Path) -> Iterator[Window]:
    """Yield the run after the one that was killed, without a sandbox, until its terminal is closed."""
    window = Window(killed, "--trust", MAUMAU_SANDBOX="process", MAUMAU_UPLOADS="all")
    window.wait_for(READY)
    yield window
    if window.process.poll() is None:
        window.close()  # its picture waits to be read by nobody
        window.process.wait(patient(20))


def client_of(data: Path, token: str | None = None) -> Arena:
    card = json.loads((data / "arena.json").read_text())
    return Arena(
        card["registry"], card["tournament"], card["token"] if token is None else token, patience=patient(20)
    )


@pytest.mark.long
def test_the_next_run_goes_on_where_the_killed_one_stopped(killed: Path, window: Window) -> None:
    with client_of(killed) as client:
        assert client.tournament("cup-9").state == "running"

        def goes_on() -> bool:
            labels = [match.label for match in client.matches("cup-9")]
            blocks = [block for label in labels for block in client.match("cup-9", label).blocks]
            return "cup-9: running" in window.shown and any(block.state == "done" for block in blocks)

        until("it goes on, and the picture shows it", goes_on, 40)  # no lease of a minute is waited for
        until("it shows a deal", lambda: re.search(r"set \d+, seating [01]", window.shown), 20)
        client.cancel("cup-9")


def stranger(data: Path) -> Arena:
    """Return the client of somebody who just opened an account."""
    with client_of(data, "") as nobody:
        return client_of(data, nobody.create_account("eve").token)


ARCHIVE = package.pack_submission(ROOT / "maumau/bots/first").archive


@pytest.mark.long
def test_with_trust_strangers_programs_are_taken_without_a_sandbox(killed: Path, window: Window) -> None:
    assert (
        "uploads: everybody's, trusted (--trust), although programs can do here whatever you can"
        in window.shown
    )
    with stranger(killed) as eve:
        assert eve.submit("trusted", ARCHIVE).version.account_name == "eve"


@pytest.mark.long
def test_a_terminal_that_is_closed_ends_everything(window: Window) -> None:
    family = psutil.Process(window.process.pid).children(recursive=True)
    assert family
    window.close()
    window.process.wait(patient(15))
    until("no process is left", lambda: not any(is_alive(one.pid) for one in family), 5)


@pytest.fixture(scope="module")
def guest(house_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Yield a run by another process, without sandbox and trust, usual ports in use, a house bot broken."""
    folder = tmp_path_factory.mktemp("guest") / "data"
    checkout = broken_checkout(folder.with_name("checkout"), "greedy")
    with ExitStack() as taken:
        for port in PORTS.values():
            sock = taken.enter_context(socket.socket())
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):  # another arena has it: all the same to this one
                sock.bind(("127.0.0.1", port))
                sock.listen()
        with Running(
            folder, "--with-parent", like=house_data, parent=True, checkout=checkout, MAUMAU_SANDBOX="process"
        ) as guest:
            guest.wait_for(READY)
            guest.look_around()
            yield guest


@pytest.mark.long
def test_ports_in_use_are_left_alone(guest: Running) -> None:
    for port in PORTS.values():
        assert guest.says(f"port {port} is taken by another program")
        assert f"127.0.0.1:{port}" not in guest.card().values()
    with guest.client() as client:
        assert client.who().account_name == "admin"


@pytest.mark.long
def test_without_a_sandbox_house_bots_play_and_strangers_are_refused(guest: Running) -> None:
    assert guest.says(
        "uploads: house bots only, because programs can do here whatever you can; --trust takes"
    )
    guest.wait_for("house bots: counter, first, hoarder, random, rollout")
    with stranger(guest.data) as eve, pytest.raises(UploadsClosed, match="maumau up --trust"):
        eve.submit("untrusted", ARCHIVE)


@pytest.mark.long
def test_a_house_bot_that_may_not_play_is_said_and_the_arena_goes_on(guest: Running) -> None:
    guest.wait_for("the house bot greedy does not play: refused, ")
    with guest.client() as client:
        assert client.who().account_name == "admin"


@pytest.mark.long
def test_with_its_parent_gone_it_ends_if_it_was_told_to(guest: Running) -> None:
    guest.look_around()
    guest.process.kill()
    guest.process.wait(patient(5))
    until("no process is left", lambda: not any(map(is_alive, guest.family)), 15)


def is_being_validated(arena: Running) -> bool:
    with arena.client() as client:
        versions = [version for bot in client.bots() for version in bot.versions]
    return any(version.state in {"validating", "valid", "active"} for version in versions)


@pytest.mark.long
def test_it_uses_the_stores_that_it_is_given(tmp_path: Path, postgresql_url: str, valkey: str) -> None:
    url = postgresql_url.replace("+psycopg", "")
    given = {"REDIS_URL": f"{valkey}/2", "BROKER_URL": f"{valkey}/3", "DATABASE_URL": url}
    with Running(tmp_path / "data", **{f"MAUMAU_{name}": value for name, value in given.items()}) as arena:
        arena.wait_for(READY)
        until("a worker was woken for a house bot", lambda: is_being_validated(arena), 60)
        assert arena.says("submitting the house bot counter")
        assert "valkey" not in arena.card()["processes"]
    assert not list((tmp_path / "data").glob("*.db"))


@pytest.mark.long
def test_what_cannot_start_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    with Running(tmp_path / "data", MAUMAU_DATABASE_URL="postgresql://nobody@127.0.0.1:1/nothing") as arena:
        until("it has given up", lambda: arena.process.poll() is not None, 60)
    assert arena.process.returncode == 1
    assert [line for line in arena.lines if line.startswith("error: ")] == [arena.lines[-1]]
    assert "did not start" in arena.lines[-1]
    below = [one for one in psutil.process_iter() if str(tmp_path) in " ".join(_command(one))]
    assert not below
