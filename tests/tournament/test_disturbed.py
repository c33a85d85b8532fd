"""A store is lost, a clock is wrong: a cup ends as if nothing had happened."""

import os
import subprocess

import pytest

from bench.support import postgresql
from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, QUICK, Cup
from tests.support.host import debian

pytestmark = pytest.mark.long

MIDDLE = 4  # blocks that are played before the disturbance
APART = 30  # seconds between the clocks of two hosts


def restart_postgresql(lab):
    lab.server.stop()
    lab.server.start()


def crash_postgresql(lab):
    lab.server.crash()
    lab.server.start()


def promote_a_copy_of_postgresql(lab, folder=None):
    """Promote a copy that follows the server until that stops, and give it the server's address."""
    copy = postgresql.Server(folder or lab.server.folder / "copy", like=lab.server)
    copy.start()
    lab.server.stop()
    copy.promote()
    copy.stop()
    copy.start(listen=lab.server.folder)
    lab.server = copy


def lose_both_redis(lab):
    lab.valkey.stop()
    lab.start_redis()


@pytest.mark.parametrize(
    "disturb", [restart_postgresql, crash_postgresql, promote_a_copy_of_postgresql, lose_both_redis]
)
def test_a_cup_ends_as_if_its_stores_had_not_been_lost(disturb, undisturbed, tmp_path):
    with Lab("postgresql", tmp_path / "lab", replicas=2, **OURS, **QUICK) as lab:
        cup = Cup(lab)
        cup.play(MIDDLE, *lab.replicas)
        held = cup.workers["tournament-2"].claim(wait=5.0)
        assert held  # and never reported
        disturb(lab)
        assert cup.finish() == undisturbed


@pytest.fixture
def clock_ahead(not_tested):
    """Return the environment of processes whose clock is ahead; time passes for them at normal speed."""
    try:
        (library,) = debian.unpack_packages("faketime", "libfaketime").rglob("libfaketimeMT.so.1")
        told = {"LD_PRELOAD": str(library), "FAKETIME": f"+{APART}s", "DONT_FAKE_MONOTONIC": "1"}
        words = ["date", "--utc", "+%s"]
        ahead, here = (
            int(subprocess.run(words, env={**os.environ, **more}, capture_output=True, check=True).stdout)
            for more in (told, {})
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        not_tested("clocks of two hosts that differ", f"libfaketime: {error}")
    assert APART - 5 <= ahead - here <= APART + 1
    return told


@pytest.mark.parametrize("ahead", ["tournament", "tournament-2"])
def test_a_cup_ends_as_ever_where_one_host_is_30_s_ahead(ahead, clock_ahead, undisturbed, tmp_path):
    """Either may lead: a renewed lease is never lost, and an expired one does not last much longer."""
    lab = Lab("postgresql", tmp_path / "lab", replicas=2, **OURS, **QUICK)
    lab.own[ahead] = clock_ahead
    with lab:
        cup = Cup(lab)
        cup.play(MIDDLE, *lab.replicas)
        other = next(name for name in lab.replicas if name != ahead)
        silent = [cup.workers[name].claim(wait=5.0) for name in (ahead, other)]
        assert all(silent)
        assert cup.finish() == undisturbed
        again = cup.row("SELECT sum(attempts - 1) FROM block WHERE attempts > 0")
        assert len(silent) <= again <= len(silent) + cup.late + cup.unheard
