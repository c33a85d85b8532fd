"""Two registries on one PostgreSQL: the one that leads is killed, and the other does what it left."""

import pytest
import redis
from sqlalchemy import text

from maumau.v1 import registry_pb2 as pb
from services.registry.store.bots.bot import VALIDATE
from services.shared.process import tasks
from services.shared.store.connect import Database
from services.shared.store.leader import identify

pytestmark = pytest.mark.long

WORKER = "mm_a-worker-of-these-tests"


@pytest.fixture
def pair(spawn_at, postgresql_url, valkey_url, tmp_path):
    """Yield both by their identity, with the database that they share."""
    shared = {
        "MAUMAU_DATABASE_URL": postgresql_url, "MAUMAU_ARTIFACTS": str(tmp_path / "artifacts"),
        "MAUMAU_SWEEP": "0.3", "MAUMAU_LEASE": "2",
    }  # fmt: skip
    database = Database(postgresql_url, "registry")
    processes = [spawn_at(tmp_path / name, **shared) for name in ("one", "two")]
    yield {identify(process.said()["address"]): process for process in processes}, database
    database.close()


def leading(database):
    """Return the leader, and how often it has changed."""
    with database.read() as session:
        return tuple(session.execute(text("SELECT holder, fence FROM leader")).one())


def test_when_the_leader_is_killed_validations_go_on_by_the_other(pair, valkey_url, program, until):
    processes, database = pair
    until(lambda: leading(database)[0] in processes, 30)
    leader = processes[leading(database)[0]]
    (other,) = (process for process in processes.values() if process is not leader)
    token = leader.client().CreateAccount(name="ada").token
    author, worker = leader.client(token), leader.client(WORKER)
    waiting, silent, done = (author.submit(name, program()).version for name in ("one", "two", "three"))
    worker.validate(done.id)
    first = worker.ClaimValidation(version_id=silent.id, worker="never-heard-of-again")

    leader.popen.kill()
    leader.popen.wait()
    with redis.Redis.from_url(valkey_url) as broker:
        broker.flushall()
    until(lambda: leading(database) == (identify(other.said()["address"]), 2), 60)
    app = tasks.celery_app(valkey_url)
    until(lambda: tasks.waiting(app, VALIDATE) >= 2, 30)  # both are sent again

    author, worker = other.client(token), other.client(WORKER)
    second = until(lambda: worker.ClaimValidation(version_id=silent.id, worker="w"), 30)
    assert second.fence == first.fence + 1
    worker.SubmitValidation(version_id=silent.id, fence=second.fence, ok=True, rules=["mau_mau"])
    worker.validate(waiting.id)
    for version in (waiting, silent, done):
        author.ActivateVersion(version_id=version.id)
    states = [bot.versions[0].state for bot in author.ListBots(mine=True).bots]
    assert states == [pb.VERSION_STATE_ACTIVE] * 3
    assert worker.fetch(silent.sha256)
