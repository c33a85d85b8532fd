"""A worker process plays what it is woken for, and loses nothing when it ends."""

import signal
import urllib.request
from contextlib import suppress

import psutil
import pytest
from sqlmodel import update

from bench.support.patience import patient
from services.registry.domain.token import token_hash
from services.registry.models import Token
from services.shared.store.connect import Database
from tests.support.waiting import free_port, until

LONG = {"block": 1000, "cap": 1000}  # a block of many seconds


@pytest.fixture(scope="module")
def bots(house):
    """Return two house bots that may play."""
    return [house("first", trusted=True), house("greedy", trusted=True)]


def begin(arena, bots, **spec):
    name = arena.create(**spec)
    arena.admin.open(name)
    for bot in bots:
        arena.admin.enter(name, bot)
    arena.admin.start(name)
    return name


def claimed(arena, name):
    return until(lambda: arena.blocks(name, "claimed"))[0]


def playing(process):
    """Return the processes of a worker in the middle of a block, both programs having begun."""
    until(lambda: len(programs(process)) == 2)
    return process.family()


def programs(process):
    """Return the programs that play, and not bubblewrap, which has their commands among its words."""
    found = []
    for one in process.family():
        with suppress(psutil.NoSuchProcess):
            words = one.cmdline()
            found += [one] if "bot.py" in words and "--seccomp" not in words else []
    return found


def test_a_worker_validates_a_bot_plays_a_tournament_to_its_end_and_counts(arena, worker, house):
    port, trusted = free_port(), house("greedy", trusted=True)  # no worker validates it: none runs yet
    with worker(metrics_port=port) as process:
        name = begin(arena, [house("first"), trusted], block=5, cap=10)
        until(lambda: arena.admin.tournament(name).over, 30)
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
        assert process.stop() == 0
    done = len(arena.blocks(name, "done"))
    assert f'maumau_worker_blocks_total{{outcome="done"}} {done}.0' in page
    assert "maumau_worker_decisions_total 0.0" not in page
    assert {block.worker.rpartition("-")[2] for block in arena.blocks(name, "done")} == {str(process.pid)}


@pytest.mark.long
def test_a_worker_without_a_block_says_that_it_is_there(arena, worker):
    def find_worker(process):
        found = (one for one in arena.admin.workers() if one.name.endswith(f"-{process.pid}"))
        return next(found, None)

    with worker() as process:
        first = until(lambda: find_worker(process), 30)
        assert first.state == "present"
        until(lambda: find_worker(process).seen_at > first.seen_at, 60)
        assert process.stop() == 0
    assert find_worker(process) is None  # it has said that it ends


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_worker_that_is_told_to_end_gives_its_block_back(arena, worker, bots, number):
    name = begin(arena, bots, **LONG)
    with worker() as process:
        claimed(arena, name)
        family = playing(process)
        assert process.stop(number) == 0
    until(lambda: not any(alive(one) for one in family))
    block = arena.blocks(name)[0]
    assert (block.state, block.attempts) == ("queued", 0)
    arena.admin.cancel(name)


@pytest.mark.long
def test_a_worker_killed_in_the_middle_of_a_block_leaves_nothing_and_loses_nothing(arena, worker, bots):
    name = begin(arena, bots, block=500, cap=500)  # it plays for longer than a look takes
    with worker() as process:
        block = claimed(arena, name)
        family = playing(process)
        process.stop(signal.SIGKILL)
        until(lambda: not any(alive(one) for one in family))
    arena.end_lease(block.id)
    with worker() as process:
        until(lambda: arena.admin.tournament(name).over, 30)
        assert process.stop() == 0
    again = arena.blocks(name)[0]
    assert (again.id, again.state, again.attempts) == (block.id, "done", 2)


def alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


@pytest.mark.long
def test_a_block_that_is_not_needed_any_more_is_left(arena, worker, bots, house):
    """A bot that thinks: the block must not be over before its lease is renewed."""
    name = begin(arena, [bots[0], house("rollout", trusted=True)], **LONG)
    with worker() as process:
        claimed(arena, name)
        playing(process)
        arena.admin.cancel(name)
        until(lambda: [block.state for block in arena.blocks(name)] == ["dropped"], 60)
        until(lambda: not programs(process))
        assert process.stop() == 0


@pytest.mark.long
def test_a_worker_whose_sandbox_is_not_to_be_had_says_so_and_does_not_play(worker):
    with worker(path="/nonexistent", sandbox="bwrap") as process:
        assert process.process.wait(patient(10)) == 1
        assert "error: " in process.log.read_text()


@pytest.mark.long
def test_a_worker_with_the_token_of_yesterday_says_what_to_do_and_claims_nothing(arena, worker, bots):
    name = begin(arena, bots, block=5, cap=10)
    with worker(worker_token="mm_the-token-of-yesterday") as process:
        assert process.process.wait(patient(30)) == 1
        said = process.log.read_text()
        assert "error: the services do not take MAUMAU_WORKER_TOKEN; give this worker the token" in said
    assert {block.attempts for block in arena.blocks(name)} == {0}
    arena.admin.cancel(name)


@pytest.mark.long
def test_a_worker_whose_token_has_expired_says_who_makes_another_and_claims_nothing(arena, worker, bots):
    name = begin(arena, bots, block=5, cap=10)
    token = arena.admin.create_token(scopes=("worker",), label="host-1", days=1).token
    database = Database(arena.settings.database("registry"), "registry")
    with database.write() as session:
        session.exec(update(Token).where(Token.hash == token_hash(token)).values(expires_at=database.now()))
    database.close()
    with worker(worker_token=token) as process:
        assert process.process.wait(patient(60)) == 1
        said = process.log.read_text()
    assert "error: the token in MAUMAU_WORKER_TOKEN has expired; an admin makes another one with" in said
    assert "Traceback" not in said
    assert {block.attempts for block in arena.blocks(name)} == {0}
    arena.admin.cancel(name)


@pytest.mark.long
def test_an_unknown_tier_is_refused(worker):
    with worker(sandbox="paper") as process:
        assert process.process.wait(patient(10)) == 1
        assert "auto, process, bwrap" in process.log.read_text()
