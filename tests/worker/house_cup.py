"""A cup of house bots in a lab, played by workers as they really run."""

import signal
from contextlib import contextmanager

from maumau.bot.package import pack_submission
from maumau.bots import folder
from maumau.v1 import registry_pb2, registry_pb2_grpc
from tests.tournament.arena import WORKER, Calls, pass_validation, until
from tests.tournament.cup import compared
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
def working(lab, data, around=(), **settings):
    """A worker, killed at the end. around: the words before its command."""
    at = {f"{name}_address": lab.addresses[name] for name in ("registry", "tournament")}
    one = Process(data, around, broker_url=f"{lab.redis}/1", **{"sandbox": "process", **at, **settings})
    try:
        yield one
    finally:
        one.stop(signal.SIGKILL)
