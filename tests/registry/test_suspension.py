"""A version that makes faults is suspended: out of play until its validation deals were played again."""

import pytest

from maumau import errors
from maumau.v1 import registry_pb2 as pb

WORDS = "faults in 3 matches in a row, last in 1.2.1 of cup: crash"


@pytest.fixture
def active(registry, submitted):
    """Return a bot with an active version."""
    author, name, version = submitted()
    registry.worker.validate(version.id)
    author.ActivateVersion(version_id=version.id)
    return author, name, version.id


def suspend(registry, version_id):
    return registry.worker.SuspendVersion(version_id=version_id, words=WORDS).suspended


def test_a_suspended_version_is_out_of_play_and_says_why(registry, active):
    author, name, version_id = active
    assert suspend(registry, version_id)
    now = author.GetVersion(version_id=version_id).version
    assert (now.state, now.reason) == (pb.VERSION_STATE_SUSPENDED, WORDS)
    with pytest.raises(errors.NotActive, match="its newest, 1, is suspended"):
        author.GetVersion(version_id=name)
    with pytest.raises(errors.WrongState, match="is suspended"):
        author.ActivateVersion(version_id=version_id)
    assert not suspend(registry, version_id)


def test_who_passes_is_active_again(registry, active):
    author, name, version_id = active
    suspend(registry, version_id)
    registry.worker.validate(version_id)
    now = author.GetVersion(version_id=name).version
    assert (now.id, now.state) == (version_id, pb.VERSION_STATE_ACTIVE)
    assert now.reason.startswith(f"suspended before ({WORDS}), validated again on 2")


def test_who_is_refused_stays_out_and_reads_both_reasons(registry, active):
    author, _, version_id = active
    suspend(registry, version_id)
    registry.worker.validate(version_id, ok=False, reason="in prsi: crash", log="boom")
    now = author.GetVersion(version_id=version_id).version
    assert now.state == pb.VERSION_STATE_REFUSED
    assert now.reason == f"{WORDS}; validated again: in prsi: crash"
    assert author.GetLog(version_id=version_id).log == "boom"


@pytest.mark.long
def test_who_passes_after_its_author_chose_another_version_is_retired(registry, active, program):
    author, name, version_id = active
    suspend(registry, version_id)
    other = author.submit(name, program()).version
    registry.worker.validate(other.id)
    author.ActivateVersion(version_id=other.id)
    registry.worker.validate(version_id)
    assert author.GetVersion(version_id=version_id).version.state == pb.VERSION_STATE_RETIRED
    assert author.GetVersion(version_id=name).version.id == other.id


def test_authors_and_the_hosts_of_workers_suspend_nobody(registry, active):
    author, _, version_id = active
    with pytest.raises(errors.NotAllowed):
        author.SuspendVersion(version_id=version_id, words="I do not like it")
    host = registry.client(
        registry.admin.CreateToken(account_name="worker", scopes=["worker"], label="host-1").token
    )
    assert (list(host.WhoAmI().scopes), host.WhoAmI().host) == (["worker"], "host-1")
    assert (registry.worker.WhoAmI().host, author.WhoAmI().host) == ("", "")
    with pytest.raises(errors.NotAllowed, match="Only the arena's own services may do this"):
        host.SuspendVersion(version_id=version_id, words="my host does not like it")
    with pytest.raises(errors.UnknownVersion):
        suspend(registry, "version_x")
