"""The registry's status: versions waiting for validation, and the age of the oldest."""

from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from services.registry.domain.state import State
from services.registry.metrics import Queue
from services.registry.status import tell_status
from services.registry.store import Validations
from services.registry.store.bots.validation import ValidationLimits
from services.shared.process.service_status import VERSION_WAIT
from services.shared.store.connect import Database
from tests.support.stores import tables

NOW, MINUTE = 10**12, 60_000
VERSION = """
INSERT INTO version (id, bot_id, number, sha256, size, built_sha256, built_platform, built_size, state,
  reason, suspended, rules, seats, log, progress, validated_ms, revision, fence, attempts, worker,
  created_at, since, lease_until)
VALUES (:id, 'bot', :number, :sha256, 1, '', '', 0, :state,
  '', '', '', '', '', '', 0, 0, 0, 0, '',
  0, :since, :lease)
"""


@pytest.fixture
def validations(database_url):
    if database_url.startswith("sqlite"):
        tables.copy_to(Path(make_url(database_url).database), "registry")
    database = Database(database_url, "registry")
    if not database_url.startswith("sqlite"):
        tables.migrate_one(database, "registry")
    with database.write() as session:
        session.execute(text("INSERT INTO account (id, name, scopes, created_at) VALUES ('a', 'ada', '', 0)"))
        session.execute(
            text("INSERT INTO bot (id, name, account_id, created_at) VALUES ('bot', 'bot', 'a', 0)")
        )
    yield Validations(database, lambda: NOW, ValidationLimits(1, 1, 1, 1))
    database.close()


def add(validations, number, state, age):
    told = {"id": f"v{number}", "number": number, "sha256": f"{number:064}", "state": state}
    told |= {"since": NOW - age, "lease": NOW if state == "validating" else None}
    with validations.database.write() as session:
        session.execute(text(VERSION), told)


def read(validations, loop):
    return {one.state: one for one in loop.run(tell_status(validations)()).states}


def test_a_version_that_waits_longer_than_a_quarter_of_an_hour_is_late(validations, loop):
    add(validations, 1, "uploaded", MINUTE)
    add(validations, 2, "uploaded", 16 * MINUTE)
    add(validations, 3, "validating", 3 * MINUTE)
    found = read(validations, loop)
    waiting = found["uploaded"]
    assert (waiting.count, waiting.oldest, waiting.bound) == (2, 16 * MINUTE, VERSION_WAIT)
    assert waiting.oldest > waiting.bound
    assert (found["validating"].count, found["validating"].oldest) == (1, 3 * MINUTE)
    assert found["validating"].bound is None


def test_only_what_waits_is_told(validations, loop):
    add(validations, 1, "active", 10**9)
    add(validations, 2, "valid", 10**9)
    assert [(one.count, one.oldest) for one in read(validations, loop).values()] == [(0, None), (0, None)]


def test_the_gauges_say_the_same(validations, loop):
    add(validations, 1, "uploaded", 7 * MINUTE)
    gauges = {
        (sample.name, sample.labels.get("state", "")): sample.value
        for family in Queue(validations).collect()
        for sample in family.samples
    }
    found = read(validations, loop)
    for state in (State.UPLOADED, State.VALIDATING):
        assert gauges["maumau_registry_versions", state.value] == found[state.value].count
    assert gauges["maumau_registry_oldest_waiting_seconds", ""] == found["uploaded"].oldest / 1000
