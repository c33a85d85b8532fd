"""A service as a process of its own, and what holds of tables whatever becomes of it."""

import json
import os
import signal
import subprocess
import sys

import redis

from bench.support.checkout import ROOT
from maumau import game
from tests.support.arenas.engine import ADMIN, WORKER, Calls
from tests.support.waiting import free_port, until


class Replica:
    """A service as a process of its own, which is started again on the same port."""

    def __init__(self, folder, redis_url, service="engine", **env):
        self.address, self.ready = f"127.0.0.1:{free_port()}", folder / "ready"
        folder.mkdir()
        self.service = service
        self.env = {
            **os.environ, "MAUMAU_LISTEN": self.address, "MAUMAU_READY_FILE": str(self.ready),
            "MAUMAU_DATA": str(folder), "MAUMAU_REDIS_URL": f"{redis_url}/0", "MAUMAU_LOG": "json",
            "MAUMAU_REGISTRY_ADDRESS": "127.0.0.1:1", "MAUMAU_ADMIN_TOKEN": ADMIN,
            "MAUMAU_WORKER_TOKEN": WORKER, **env,
        }  # fmt: skip
        self.start()

    def start(self):
        self.ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", f"services.{self.service}"]
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stderr=subprocess.DEVNULL)
        until(self.ready.exists, 30)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def calls(self):
        from maumau.v1 import engine_pb2, engine_pb2_grpc

        calls = Calls(self.address, ADMIN, engine_pb2, engine_pb2_grpc.EngineServiceStub)
        calls.redis_url = self.env["MAUMAU_REDIS_URL"]
        return calls


def table_key(table_id, part=""):
    return f"maumau:table:{{{table_id}}}" + part


def check_told_once(admin, table, players):
    """Check that each seat got each event once, and no reply counts twice."""
    told = admin.GetTable(table_id=table.id).table
    d = game.replay(told.record)
    with redis.Redis.from_url(admin.redis_url, decode_responses=True) as client:
        log = [json.loads(entry["entry"]) for _, entry in client.xrange(table_key(table.id, ":log"))]
    replies = [(entry["seat"], entry["op"]) for entry in log if entry["kind"] == "play"]
    assert len(replies) == len(set(replies))
    for seat, player in enumerate(players):
        lines = [json.loads(line) for line in player.lines]
        events = [event for one in lines for event in (one.get("end") or one).get("events", [])]
        assert events == d.seen(seat)
