"""A worker is cut off from all services in the middle of a block, for longer than its lease."""

import signal
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from bench.lab import Lab
from maumau.bot.package import pack_submission
from maumau.bots import folder
from maumau.v1 import registry_pb2, registry_pb2_grpc
from tests.tournament.arena import WORKER, Calls, pass_validation, until
from tests.tournament.cup import OURS, QUICK, compared
from tests.worker.conftest import Process

pytestmark = pytest.mark.long

BOTS = ("first", "greedy", "random")
SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "a-secret-of-both-cups"
[[stage]]
format = "round_robin"
[match]
block = 20
cap = 60
delta = 0.001
"""
CLAIMED = "SELECT id, worker FROM block WHERE state = 'claimed'"
PLAYED_AGAIN = "SELECT count(*) FROM block WHERE id = :id AND state = 'done' AND attempts > 1"


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


def enter_house_bots(lab):
    """They are valid, as if a worker had said so."""
    stub = registry_pb2_grpc.RegistryServiceStub
    workers = Calls(lab.addresses["registry"], WORKER, registry_pb2, stub)
    for bot in BOTS:
        version = lab.admin.submit(bot, pack_submission(folder(bot)).archive).version
        pass_validation(workers, version.id, ["mau_mau"])
        lab.admin.activate(version.id)


def begin(lab, name):
    lab.admin.create(SPEC.format(name=name))
    lab.admin.open(name)
    for bot in BOTS:
        lab.admin.enter(name, bot)
    lab.admin.start(name)
    return name


def finish(lab, name):
    until(lambda: lab.admin.tournament(name).over, 60)
    return compared(b"".join(lab.admin.export(name)))


@contextmanager
def working(lab, data, around=()):
    at = {f"{name}_address": lab.addresses[name] for name in ("registry", "tournament")}
    one = Process(data, around, broker_url=f"{lab.redis}/1", sandbox="process", **at)
    try:
        yield one
    finally:
        one.stop(signal.SIGKILL)


def is_played_again_by_another(lab, network, data):
    """The one worker that there is holds a block; what that is, is looked for once it is cut off."""
    until(lambda: ask(lab, CLAIMED), 60)
    network.cut()
    try:
        held = ask(lab, CLAIMED)
        if held:
            with working(lab, data):
                until(lambda: ask(lab, PLAYED_AGAIN, id=held[0].id)[0][0], 60)
    finally:
        network.mend()
    return bool(held)


def ask(lab, question, **told):
    with lab.database.read() as session:
        return session.execute(text(question), told).all()
