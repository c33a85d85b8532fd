"""A worker that fails again and again stops, says so, and comes back when it is well."""

import resource

import psutil
import pytest

from maumau.sandbox.launch import choose_sandbox
from services.worker import fitness
from services.worker.artifact import Artifacts
from services.worker.bench import Bench
from services.worker.client import Registry, TournamentClient
from services.worker.fitness import find_unfitness, keep_fit
from services.worker.metrics import CounterTally
from tests.support.arenas.fallen import Fallen
from tests.support.arenas.tournament import WORKER
from tests.support.waiting import until


@pytest.fixture
def bench(arena, tmp_path):
    registry = Registry(arena.address, WORKER)
    return Bench(
        name="worn", core=None, sandbox=choose_sandbox("process"), registry=registry,
        artifacts=Artifacts(tmp_path / "programs", registry.fetch, 1 << 20),
        tournament=TournamentClient(arena.address, WORKER), tally=CounterTally(), stopping=lambda: False,
    )  # fmt: skip


def told(arena):
    return next((one for one in arena.admin.workers() if one.name == "worn"), None)


@pytest.mark.long
def test_a_worker_in_order_passes_its_test(bench):
    assert find_unfitness(bench) == ""


@pytest.mark.long
def test_three_failures_in_a_row_bring_the_test_and_a_result_between_them_does_not(arena, bench):
    for outcome in ("failed", "failed", "done", "failed", "failed", "lost"):
        bench.note("blocks", outcome)
        keep_fit(bench)
    assert bench.tally.get("tests", "passed") == 0
    bench.note("validations", "failed")
    keep_fit(bench)
    assert bench.tally.get("tests", "passed") == 1
    assert (bench.failures.count, told(arena).state) == (0, "present")


@pytest.mark.long
def test_it_claims_nothing_until_it_is_well(arena, bench, monkeypatch):
    monkeypatch.setattr(fitness, "FIRST_PAUSE", 0.01)
    found = []

    def stopping():
        """Asked between two tests: the sandbox is mended after the third."""
        if bench.tally.get("tests", "failed") and not found:
            found.append(told(arena))
        if bench.tally.get("tests", "failed") >= 3:
            object.__setattr__(bench, "sandbox", choose_sandbox("process"))
        return False

    broken = {"sandbox": Fallen(), "stopping": stopping}
    for name, value in broken.items():
        object.__setattr__(bench, name, value)
    for _ in range(3):
        bench.note("blocks", "failed")
    keep_fit(bench)
    assert found[0].state == "suspended"
    assert found[0].words == "PlatformFault: the wall cannot be built"
    assert (bench.tally.get("tests", "failed"), bench.tally.get("tests", "passed")) == (3, 1)
    assert told(arena).state == "present"


@pytest.mark.long
def test_a_worker_whose_disk_is_full_pauses_no_match_while_another_one_plays(arena, worker, house):
    """As on a full disk no file of it may grow, once it has started."""
    names = [house("first", trusted=True), house("greedy", trusted=True), house("random", trusted=True)]
    with worker(sandbox="process") as bad:
        trial = arena.admin.submit("trial", arena.program("trial")).version
        until(lambda: arena.admin.version(trial.id).settled, 40)  # it works
        for one in (psutil.Process(bad.pid), *bad.family()):
            resource.prlimit(one.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        cup = arena.create(block=5, cap=40)
        arena.admin.open(cup)
        for name in names:
            arena.admin.enter(cup, name)
        arena.admin.start(cup)
        mine = f"-{bad.pid}"

        def suspended():
            return [
                one for one in arena.admin.workers() if one.name.endswith(mine) and one.state == "suspended"
            ]

        until(suspended, 60)
        with worker() as good:
            until(lambda: arena.admin.tournament(cup).over, 60)
            assert good.stop() == 0
        assert suspended()
    assert arena.metric("blocks_total", outcome="void") == 0
