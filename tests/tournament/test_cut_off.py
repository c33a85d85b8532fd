"""A worker is cut off from the services for longer than its lease, and comes back with what it has played."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench.support.lab import Lab
from bench.support.patience import patient
from maumau.errors import StaleFence
from tests.support.arenas.cup import OURS, QUICK, Cup
from tests.support.waiting import free_port

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_what_a_worker_reports_after_it_was_cut_off_is_refused(network, undisturbed, tmp_path):
    lab = Lab("postgresql", tmp_path / "lab", replicas=2, **OURS, **QUICK)
    near, far = lab.replicas
    lab.addresses[far] = f"{network.host}:{free_port()}"
    with lab:
        cup = Cup(lab)
        cup.play(4, near)
        with start_late_worker(network, lab.addresses[far]) as late:
            held = late.stdout.readline().strip()
            network.cut()
            late.stdin.write("\n")  # now it reports
            late.stdin.flush()
            while held not in cup.booked:
                assert cup.play(1, near)
            network.mend()
            said, _ = late.communicate(timeout=patient(200))
        assert said.strip() == StaleFence.reason
        assert cup.finish() == undisturbed
        assert cup.booked[held] == 1


def start_late_worker(network, address):
    command = [*network.enter(), sys.executable, "-m", "tests.tournament.late", address]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
