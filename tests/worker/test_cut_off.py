"""A worker is cut off from all services in the middle of a block, for longer than its lease."""

import pytest
from sqlalchemy import text

from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, QUICK
from tests.support.waiting import until
from tests.worker.house_cup import begin, enter_house_bots, finish, working

pytestmark = pytest.mark.long

CLAIMED = "SELECT id, worker FROM block WHERE state = 'claimed'"
ENDED = "SELECT attempts FROM block WHERE id = :id AND state NOT IN ('queued', 'claimed')"


def test_a_worker_that_was_cut_off_plays_on_and_no_result_is_different(network, tmp_path):
    """The cup in which it happens ends as the one that it then plays alone."""
    with Lab("sqlite", tmp_path / "lab", host=network.host, AUDIT="0", **OURS, **QUICK) as lab:
        enter_house_bots(lab)
        with working(lab, tmp_path / "far", network.enter()):
            disturbed = begin(lab, "disturbed")
            while not is_played_again_by_another(lab, network, tmp_path / "near"):
                pass  # it had just reported what it held
            alone = begin(lab, "alone")
            ended = [finish(lab, one) for one in (disturbed, alone)]
        assert ended[0][1:] == ended[1][1:]  # but for the spec, which has the name


def is_played_again_by_another(lab, network, data):
    """Return True if the only worker's block is played by another; looked up once it is cut off.

    Its last report may have arrived all the same, and be booked a moment later.
    """
    until(lambda: ask(lab, CLAIMED), 60)
    network.cut()
    try:
        held = ask(lab, CLAIMED)
        if not held:
            return False
        with working(lab, data):
            ((attempts,),) = until(lambda: ask(lab, ENDED, id=held[0].id), 60)
    finally:
        network.mend()
    return attempts > 1


def ask(lab, question, **told):
    with lab.database.read() as session:
        return session.execute(text(question), told).all()
