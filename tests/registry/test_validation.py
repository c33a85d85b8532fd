"""Validations: one worker at a time, no verdict twice, nothing forgotten."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlmodel import select

from maumau import errors
from maumau.client.call import rpc_errors
from maumau.v1 import registry_pb2 as pb
from services.registry.domain.trial import TrialTerms
from services.registry.domain.verdict import check_verdict
from services.registry.models import Account, Bot, RegistryBeat, Trial, Version
from services.registry.store import Trials, Validations
from services.registry.store.bots.lease import extend_validation_leases
from services.registry.store.bots.validation import ValidationLimits
from services.shared.store.common_clock import CommonClock
from services.shared.store.connect import Database
from tests.support.stores import tables


def test_a_validated_version_may_be_activated(registry, submitted):
    author, name, version = submitted(no_activate=True)
    registry.worker.validate(version.id)
    assert author.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_VALID
    active = author.ActivateVersion(version_id=version.id).version
    assert active.state == pb.VERSION_STATE_ACTIVE
    assert author.GetVersion(version_id=name).version.id == version.id
    assert author.ActivateVersion(version_id=version.id).version == active


@pytest.mark.long
def test_one_version_of_a_bot_is_active(registry, submitted, program):
    author, name, first = submitted()
    second = author.submit(name, program()).version
    for version in (first, second):
        registry.worker.validate(version.id)
        author.ActivateVersion(version_id=version.id)
    states = {one.number: one.state for one in author.ListBots(mine=True).bots[0].versions}
    assert states == {2: pb.VERSION_STATE_ACTIVE, 1: pb.VERSION_STATE_RETIRED}
    assert author.ActivateVersion(version_id=first.id).version.state == pb.VERSION_STATE_ACTIVE
    assert author.GetVersion(version_id=second.id).version.state == pb.VERSION_STATE_RETIRED


def test_a_version_that_was_not_validated_cannot_be_activated(registry, submitted):
    author, name, version = submitted()
    with pytest.raises(errors.WrongState, match=f"Version 1 of {name} is uploaded"):
        author.ActivateVersion(version_id=version.id)
    registry.worker.validate(version.id, ok=False, reason="deal 3 of prsi: 9C is not allowed")
    with pytest.raises(errors.WrongState, match="9C is not allowed"):
        author.ActivateVersion(version_id=version.id)


def test_a_bot_without_an_active_version_says_what_it_has(registry, submitted):
    author, name, _ = submitted()
    with pytest.raises(errors.NotActive, match=f"{name} has no active version; its newest, 1, is uploaded"):
        author.GetVersion(version_id=name)


def test_a_refused_version_says_why_and_its_log_is_its_author_s(registry, submitted):
    author, _, version = submitted()
    registry.worker.validate(version.id, ok=False, reason="it never answered", log="stderr:\n\0boom")
    now = author.GetVersion(version_id=version.id).version
    assert (now.state, now.reason) == (pb.VERSION_STATE_REFUSED, "it never answered")
    assert author.GetLog(version_id=version.id).log == "stderr:\n\N{REPLACEMENT CHARACTER}boom"
    with pytest.raises(errors.NotYours):
        registry.author().GetLog(version_id=version.id)


def test_an_endless_log_is_cut(registry, submitted):
    author, _, version = submitted()
    registry.worker.validate(version.id, log="x" * 3_000_000)
    log = author.GetLog(version_id=version.id).log
    assert len(log) < 132_000
    assert log.endswith("[the rest was left out]")


def test_a_refusal_without_a_reason_is_not_taken(registry, submitted):
    _, _, version = submitted()
    claim = registry.worker.ClaimValidation(version_id=version.id, worker="w")
    with pytest.raises(errors.BadRequest, match="reason"):
        registry.worker.SubmitValidation(version_id=version.id, fence=claim.fence, ok=False)


@pytest.mark.stores
def test_of_many_workers_one_gets_the_validation(registry, submitted):
    _, _, version = submitted()
    go = threading.Barrier(8)

    def claim(number):
        go.wait()
        return registry.worker.ClaimValidation(version_id=version.id, worker=f"w{number}")

    with ThreadPoolExecutor(8) as pool:
        claims = list(pool.map(claim, range(8)))
    won = [one for one in claims if one.claimed]
    assert len(won) == 1
    assert (won[0].fence, won[0].sha256, won[0].lease_seconds) == (1, version.sha256, 60)


def test_what_a_worker_had_that_is_no_more_is_to_be_had_at_once(registry, submitted):
    _, _, version = submitted()
    fence = registry.worker.ClaimValidation(version_id=version.id, worker="dead-1").fence
    assert registry.admin.ReleaseValidations(workers=["dead-2"]).released == 0
    assert registry.admin.ReleaseValidations(workers=["dead-1", "dead-2"]).released == 1
    assert registry.worker.ClaimValidation(version_id=version.id, worker="w").fence == fence + 1
    with pytest.raises(errors.StaleFence):
        registry.worker.SubmitValidation(version_id=version.id, fence=fence, ok=True)
    with pytest.raises(errors.NotAllowed):
        registry.worker.ReleaseValidations(workers=["w"])


def test_a_report_under_a_fence_that_is_not_held_is_refused_and_counted(registry, submitted):
    author, _, version = submitted()
    fence = registry.worker.ClaimValidation(version_id=version.id, worker="w").fence
    stale = registry.metric("stale_fences_total")
    for wrong in (0, fence + 1, 2**64 - 1):
        with pytest.raises(errors.StaleFence, match="no longer counts"):
            registry.worker.RenewValidation(version_id=version.id, fence=wrong)
        with pytest.raises(errors.StaleFence):
            registry.worker.SubmitValidation(version_id=version.id, fence=wrong, ok=True)
    assert registry.metric("stale_fences_total") == stale + 6
    assert author.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_VALIDATING
    assert registry.worker.RenewValidation(version_id=version.id, fence=fence).lease_seconds == 60


def test_a_verdict_reported_twice_is_one_verdict(registry, submitted):
    author, _, version = submitted()
    fence = registry.worker.ClaimValidation(version_id=version.id, worker="w").fence
    before = registry.metric("validations_total", outcome="valid")
    for _ in range(2):
        registry.worker.SubmitValidation(version_id=version.id, fence=fence, ok=True)
    assert registry.metric("validations_total", outcome="valid") == before + 1
    assert author.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_ACTIVE


def test_a_decided_version_has_nothing_to_claim(registry, submitted):
    _, _, version = submitted()
    registry.worker.validate(version.id)
    assert not registry.worker.ClaimValidation(version_id=version.id, worker="w").claimed
    with pytest.raises(errors.UnknownVersion):
        registry.worker.ClaimValidation(version_id="version_none", worker="w")


def test_a_watcher_sees_every_state_until_the_last(registry, submitted):
    author, _, version = submitted()
    states = author.watch(version.id)
    assert next(states).state == pb.VERSION_STATE_UPLOADED
    claim = registry.worker.ClaimValidation(version_id=version.id, worker="w")
    assert next(states).state == pb.VERSION_STATE_VALIDATING
    registry.worker.SubmitValidation(version_id=version.id, fence=claim.fence, ok=True, seats=[2, 3])
    last = next(states)
    assert (last.state, list(last.seats)) == (pb.VERSION_STATE_ACTIVE, [2, 3])
    assert next(states, None) is None


def test_the_queue_is_measured(registry, submitted, until):
    def sample(name, **labels):
        return registry.server.registry.get_sample_value(name, labels)

    before = sample("maumau_registry_versions", state="uploaded")
    submitted()
    assert sample("maumau_registry_versions", state="uploaded") == before + 1
    until(lambda: sample("maumau_registry_oldest_waiting_seconds") > 0)


def test_a_validation_is_reported_by_the_host_that_claimed_it(registry, submitted):
    _, _, version = submitted()
    mine, other = (
        registry.client(registry.admin.CreateToken(scopes=["worker"], label=name).token)
        for name in ("host-1", "host-2")
    )
    held = {"version_id": version.id, "fence": mine.ClaimValidation(version_id=version.id, worker="w").fence}
    header = pb.UploadBuildRequest(header=pb.UploadBuildHeader(**held, size=1))
    for call in (
        lambda: other.RenewValidation(**held, give_back=True),
        lambda: other.SubmitValidation(**held, ok=False, reason="it is slow"),
        lambda: other.stub.UploadBuild(iter([header])),
    ):
        with pytest.raises(errors.StaleFence, match="A worker of another token"), rpc_errors():
            call()
    with pytest.raises(errors.NotAllowed, match="names begin with host-2/"):
        other.ClaimValidation(version_id=version.id, worker="host-1/w")
    mine.SubmitValidation(**held, ok=True, rules=["mau_mau"])


def test_a_fence_that_is_yet_to_come_is_of_no_use_to_another_host(registry, submitted, monkeypatch):
    author, _, version = submitted()
    mine, other = (
        registry.client(registry.admin.CreateToken(scopes=["worker"], label=name).token)
        for name in ("host-1", "host-2")
    )
    decide = Validations.decide_version

    def decide_once_claimed(*args):
        mine.ClaimValidation(version_id=version.id, worker="w")
        return decide(*args)

    monkeypatch.setattr(Validations, "decide_version", decide_once_claimed)
    with pytest.raises(errors.StaleFence):
        other.SubmitValidation(version_id=version.id, fence=1, ok=True, rules=["mau_mau"])
    assert author.GetVersion(version_id=version.id).version.state == pb.VERSION_STATE_UPLOADED


LEASE, LATE, HOUR = 60_000, 10_000, 3_600_000  # ms


class Host:
    """The host of the replicas: `passed` ms, and the amount by which the database's clock was set."""

    def __init__(self, database):
        self.database, self.passed, self.set_by = database, 0, 0
        database.now = lambda: 1_800_000_000_000 + self.passed + self.set_by

    def start(self):
        """Start a replica; return its clock."""
        common = CommonClock(self.database, RegistryBeat, lambda: self.passed)
        common.beat(partial(extend_validation_leases, late=LATE, kept=LEASE // 2))
        return common


@pytest.fixture
def host(database_url):
    database = Database(database_url, "registry")
    tables.migrate_one(database, "registry")
    yield Host(database)
    database.close()


def begin_work(host):
    """Begin a validation and a trial of a version; return both queues, each with its claim."""
    now, terms = host.start(), ValidationLimits(LEASE, 10 * HOUR, HOUR, 1)
    with host.database.write() as session:
        session.add(Account(id="a", name="ada", scopes="", created_at=0))
        session.flush()
        session.add(Bot(id="b", name="bot", account_id="a", created_at=0))
        session.flush()
        version = {"bot_id": "b", "state": "uploaded", "size": 1, "created_at": 0, "since": now()}
        session.add(Version(id="v", number=1, sha256="a" * 64, **version))
    validations, trials = Validations(host.database, now, terms), Trials(host.database, now, terms)
    trials.request_trial("v", "key", TrialTerms([], [], 1, 1), begin=True)
    return (validations, validations.claim_version("v", "w")), (trials, trials.claim_next("w", "").version)


def list_begun(host):
    """Return since when the version and the trial are played."""
    with host.database.read() as session:
        return [*session.exec(select(Version.since)), *session.exec(select(Trial.since))]


@pytest.mark.stores
@pytest.mark.parametrize("set_by", [HOUR, -2 * HOUR])
def test_what_workers_do_outlives_a_step_of_the_clock_by_half_a_lease(host, set_by):
    work = begin_work(host)
    host.set_by = set_by
    now = host.start()
    jumped_at = now()
    host.passed += LEASE // 2
    for queue, _ in work:
        queue.clock = now
        assert not queue.stall_hopeless()
        assert set(list_begun(host)) == {jumped_at}  # the longest time of a validation counts from it
    host.passed += 1
    for queue, claim in work:
        assert len(queue.stall_hopeless()) == 1
        with pytest.raises(errors.StaleFence):
            queue.renew_lease(claim.version_id, claim.fence, "")


@pytest.mark.stores
def test_validations_and_trials_of_a_worker_that_is_gone_are_released_together(host):
    (validations, _), (trials, _) = begin_work(host)
    assert validations.release_leases(["other"]) == 0
    assert validations.release_leases(["other", "w"]) == 2
    assert len(validations.stall_hopeless() + trials.stall_hopeless()) == 2


@pytest.mark.stores
def test_a_verdict_of_a_trial_that_is_reported_twice_at_once_is_one_verdict(host, monkeypatch):
    _, (trials, claim) = begin_work(host)
    said = claim.version_id, claim.fence, check_verdict(True, "", "", [], [])
    now = trials.clock

    def now_and_again():
        monkeypatch.undo()
        assert trials.decide_version(*said)
        return now()

    monkeypatch.setattr(trials, "clock", now_and_again)
    assert not trials.decide_version(*said)
    with pytest.raises(errors.StaleFence):
        trials.decide_version(claim.version_id, claim.fence + 1, said[-1])
