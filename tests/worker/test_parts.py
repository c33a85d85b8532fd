"""The parts of a worker, each alone."""

import os

import pytest

from maumau.errors import ArenaUnreachable, BadOrder, BadReport, PlatformFault, StaleFence
from maumau.protocol.fault import Fault
from maumau.referee.block import DealOutcome, SetOutcome
from maumau.submission.package import pack_submission
from maumau.v1 import tournament_pb2 as pb
from maumau.wire import RECORD, block_order, set_message, set_outcomes
from services.worker.artifact import Artifacts
from services.worker.core import Core
from services.worker.lease import Lease
from services.worker.metrics import FAMILIES, CounterTally
from tests.support.waiting import until
from tests.worker.conftest import BOTS


class Shop:
    """Gives programs out, and counts."""

    def __init__(self, *names):
        packages = [pack_submission(BOTS / name) for name in names]
        self.hashes = [package.sha256 for package in packages]
        self.archives = {package.sha256: package.archive for package in packages}
        self.asked = []

    def __call__(self, sha256):
        self.asked.append(sha256)
        return self.archives[sha256]


def test_a_program_is_fetched_once_and_kept(tmp_path):
    shop = Shop("first")
    for _ in range(2):
        artifacts = Artifacts(tmp_path, shop, 1 << 20)
        with artifacts.hold(shop.hashes[0], "first") as program:
            assert (program.folder / "bot.py").read_bytes() == (BOTS / "first" / "bot.py").read_bytes()
            assert program.manifest.name == "first"
    assert len(shop.asked) == 1


def test_an_artifact_with_other_content_is_refused_and_not_kept(tmp_path):
    shop = Shop("first", "greedy")
    first, greedy = shop.hashes
    shop.archives[first] = shop.archives[greedy]
    artifacts = Artifacts(tmp_path, shop, 1 << 20)
    with pytest.raises(PlatformFault, match=greedy), artifacts.hold(first, "first"):
        pass
    assert not (tmp_path / first).exists()
    for archive in (b"", b"no zip"):
        shop.archives[first] = archive
        with pytest.raises(PlatformFault, match="cannot be unpacked"), artifacts.hold(first, "first"):
            pass
    with pytest.raises(PlatformFault, match="is not a content hash"), artifacts.hold("../etc", "x"):
        pass


def test_the_programs_not_used_for_longest_make_room_but_none_in_use(tmp_path):
    shop = Shop("first", "greedy", "random")
    first, greedy, random = shop.hashes
    artifacts, other = Artifacts(tmp_path, shop, 1), Artifacts(tmp_path, shop, 1)
    with artifacts.hold(first, "first") as held:
        with other.hold(greedy, "greedy"):
            pass
        with other.hold(random, "random"):
            assert held.folder.is_dir()
            assert not (tmp_path / greedy).exists()
    with other.hold(greedy, "greedy"):
        assert not held.folder.exists()


def test_every_worker_on_a_machine_has_a_core_of_its_own(tmp_path):
    cores = sorted(os.sched_getaffinity(0))
    taken = [Core("auto", tmp_path) for _ in range(len(cores) + 1)]
    assert [core.number for core in taken] == [*cores, None]
    taken[0].lock.close()  # that worker ended
    assert Core("auto", tmp_path).number == cores[0]
    assert Core("off", tmp_path).number is None
    assert Core("1", tmp_path).number == 1


def test_a_lease_is_renewed_while_its_owner_works():
    renewals = []
    with Lease(60.0, lambda: renewals.append(1) or True, lambda: False, every=0.05) as lease:
        first = lease._until
        until(lambda: len(renewals) >= 5)
        assert not lease.over()
        assert lease._until > first


def test_a_lease_ends_when_the_work_is_not_needed():
    with Lease(0.1, lambda: False, lambda: False) as lease:
        until(lease.over)
    assert (lease.dropped, lease.lost) == (True, False)


def test_a_lease_that_is_refused_is_lost():
    def refuse():
        raise StaleFence

    with Lease(0.1, refuse, lambda: False) as lease:
        until(lease.over)
    assert (lease.dropped, lease.lost) == (False, True)


def test_a_lease_outlives_a_short_silence_and_not_a_long_one():
    silent = []

    def renew():
        if len(silent) < 2:
            silent.append(1)
            raise ArenaUnreachable
        return True

    with Lease(60.0, renew, lambda: False, every=0.05) as lease:
        until(lambda: len(silent) == 2)
        assert not lease.over()

    def never():
        raise ArenaUnreachable

    with Lease(0.2, never, lambda: False) as lease:
        until(lease.over)
    assert lease.lost


def test_a_worker_that_shall_end_is_over():
    with Lease(60.0, lambda: True, lambda: True) as lease:
        assert lease.over()


def test_the_child_counts_and_the_parent_reads():
    tally = CounterTally()
    if not (child := os.fork()):
        tally.add("blocks", label="done")
        tally.add("decisions", 40)
        os._exit(0)
    os.waitpid(child, 0)
    assert (tally.get("blocks", "done"), tally.get("decisions")) == (1, 40)
    assert len(list(tally.collect())) == len(FAMILIES)
    with pytest.raises(ValueError, match="not in"):
        tally.add("blocks", label="unheard of")


def test_sets_are_the_same_after_the_wire():
    fault = Fault(
        1, 0, 17, "crash", "it died", "{}", ["> {}", "< 7H"], "Traceback", 12, 30, 9, "signal 9 (SIGKILL)",
        killed=True,
    )  # fmt: skip
    deals = [DealOutcome([0, 1], [1, 2], [0, -11], "[maumau 1]\n", [fault], []) for _ in range(2)]
    sets = [SetOutcome(number, deals) for number in (17, 18)]
    messages = [pb.SubmitBlockSets.FromString(pb.SubmitBlockSets(sets=[set_message(one)]).SerializeToString())
                for one in sets]  # fmt: skip
    assert [one for message in messages for one in set_outcomes(message.sets)] == sets


def test_what_cannot_be_read_from_the_wire_is_refused():
    with pytest.raises(BadOrder, match="are not JSON"):
        block_order(pb.BlockOrder(rules={"name": "prsi", "options_json": "{"}))
    message = pb.SubmitBlockSets(sets=[{"deals": [{"record": "x" * (RECORD + 1)}]}])
    with pytest.raises(BadReport, match="262,144"):
        set_outcomes(message.sets)
