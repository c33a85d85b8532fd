"""A cup of house bots in a lab, played by workers as they really run."""

import signal
from contextlib import contextmanager

from maumau.bots import folder
from maumau.submission.package import pack_submission
from maumau.v1 import registry_pb2, registry_pb2_grpc
from tests.support.arenas.calls import Calls
from tests.support.arenas.cup import compared_lines
from tests.support.arenas.tournament import WORKER, pass_validation
from tests.support.waiting import until
from tests.worker.conftest import Process

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


def enter_house_bots(lab):
    """Enter house bots as valid, as if a worker had reported it."""
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
    return compared_lines(b"".join(lab.admin.export(name)))


@contextmanager
def working(lab, data, around=(), **settings):
    """Yield a worker, killed at the end. around: the words before its command."""
    at = {f"{name}_address": lab.addresses[name] for name in ("registry", "tournament")}
    usual = {"broker_url": f"{lab.redis}/1", "sandbox": "process", **at}
    one = Process(data, around, **{**usual, **settings})
    try:
        yield one
    finally:
        one.stop(signal.SIGKILL)
