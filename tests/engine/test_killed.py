"""Real engine processes, killed again and again while tables are played (`make test-long`)."""

import random
import threading
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.v1 import engine_pb2 as pb
from tests.support.arenas.engine import make_table
from tests.support.arenas.replica import Replica, check_told_once
from tests.support.arenas.seat import Player, first_action
from tests.support.waiting import until

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
TABLES, EVERY = 50, 5.0


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
        return first_action(told)

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
