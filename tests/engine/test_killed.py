"""Real engine processes, killed again and again while tables are played (`make test-long`)."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bench.patience import patient
from maumau.v1 import engine_pb2 as pb
from tests.engine.arena import ADMIN, WORKER, Calls, free_port, make_table, until
from tests.engine.seat import Player, first
from tests.engine.test_survival import check_told_once

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
TABLES, EVERY = 50, 5.0


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


@pytest.fixture
def replicas(valkey, tmp_path):
    made = [Replica(tmp_path / str(number), valkey) for number in range(2)]
    yield made
    for replica in made:
        replica.kill()


def test_every_game_ends_and_nothing_is_lost_or_applied_twice(replicas):
    over, pause = threading.Event(), threading.Event()

    def think(told):
        pause.wait(random.uniform(0.05, 0.4))
        return first(told)

    links = [replica.calls() for replica in replicas]
    made = [make_table(links[0], "prsi", 2) for _ in range(TABLES)]
    playing = [
        (table, [Player([links[(number + seat) % 2], links[(number + seat + 1) % 2]], token, think)
                 for seat, token in enumerate(tokens)])
        for number, (table, tokens) in enumerate(made)
    ]  # fmt: skip
    deaths = []

    def kill():
        while not over.wait(EVERY):
            replica = replicas[len(deaths) % 2]
            replica.kill()
            deaths.append(replica.address)
            replica.start()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        for _, players in playing:
            for player in players:
                player.join(patient(120))
                assert player.end is not None, player
    finally:
        over.set()
        killer.join()
    assert deaths
    for table, players in playing:
        told = until(lambda table=table: links[0].GetTable(table_id=table.id).table)
        assert told.state == pb.TABLE_STATE_OVER
        assert "forfeit" not in told.record
        check_told_once(links[0], table, players)
