"""Quotas: what one account may keep and make others wait for; the arena's own accounts have none."""

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from maumau import errors
from maumau.v1 import registry_pb2 as pb
from services.shared.base import clock
from services.shared.base.clock import HOUR
from tests.registry.conftest import _program, _settings

MINUTES = 60_000  # milliseconds
EIGHT = 1_800_000_000_000  # 2027-01-15 08:00 UTC
MIB = 1024 * 1024


@pytest.fixture
def limited(start, valkey, tmp_path, request):
    """`with limited(quota_bots=2) as registry`, on a database of its own."""

    def started(kind="sqlite", **quotas):
        url = f"sqlite:///{tmp_path / 'registry.db'}"
        if kind == "postgresql":
            url = request.getfixturevalue("new_postgresql")()
        return start(_settings(tmp_path, url, f"{valkey}/6", **quotas))

    return started


@pytest.mark.long
def test_an_account_has_so_many_bots_and_retiring_one_makes_room(limited):
    with limited(quota_bots=2) as registry:
        author, other = registry.author(), registry.author()
        author.CreateBot(name="one")
        author.submit("two", _program())
        words = f"{author.name} has 2 bots, .* `maumau retire BOT` makes room"
        with pytest.raises(errors.QuotaReached, match=words):
            author.CreateBot(name="three")
        with pytest.raises(errors.QuotaReached, match=words):
            author.submit("three", _program())
        author.CreateBot(name="two")
        other.CreateBot(name="three")
        author.DeleteBot(name="one")
        author.CreateBot(name="four")
        for number in range(3):
            registry.admin.CreateBot(name=f"of-the-house-{number}")


@pytest.mark.long
def test_bots_that_are_made_and_retired_in_turn_take_so_many_names_a_day(limited, monkeypatch):
    now = [EIGHT]
    monkeypatch.setattr(clock.SteadyClock, "__call__", lambda _: now[0])
    with limited(quota_bots=2) as registry:
        author = registry.author()
        for number in range(4):
            author.CreateBot(name=f"squat-{number}")
            author.DeleteBot(name=f"squat-{number}")
        words = f"{author.name} made 4 bots within 24 hours, retired .* from 2027-01-16 08:00 UTC on"
        with pytest.raises(errors.QuotaReached, match=words):
            author.CreateBot(name="squat-4")
        registry.author().CreateBot(name="squat-4")
        now[0] = EIGHT + 24 * HOUR
        author.CreateBot(name="squat-5")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def test_so_many_versions_a_day_and_the_refusal_says_when_the_next_one_may_come(limited, monkeypatch, kind):
    now = [EIGHT]
    monkeypatch.setattr(clock.SteadyClock, "__call__", lambda _: now[0])
    with limited(kind, quota_versions=2) as registry:
        author, first = registry.author(), _program()
        author.submit("one", first)
        now[0] = EIGHT + 30_500
        author.submit("two", _program())
        now[0] = EIGHT + 23 * HOUR
        words = f"{author.name} submitted 2 versions within 24 hours, .* from 2027-01-16 08:00 UTC on"
        with pytest.raises(errors.QuotaReached, match=words) as refused:
            author.submit("one", _program())
        assert (refused.value.quota, refused.value.retry_after) == (f"versions a day of {author.name}", 3600)
        assert author.submit("one", first).known
        author.DeleteBot(name="two")
        with pytest.raises(errors.QuotaReached, match="08:00 UTC"):
            author.submit("one", _program())
        registry.author().submit("of-another", _program())
        for number in range(3):
            registry.admin.submit(f"of-the-house-{number}", _program())
        now[0] = EIGHT + 24 * HOUR
        author.submit("one", _program())
        with pytest.raises(errors.QuotaReached, match="from 2027-01-16 08:01 UTC on"):
            author.submit("one", _program())


def test_a_stalled_version_waits_again_though_no_new_one_may_come_today(limited, until):
    with limited(quota_versions=1, validation_wait=0.1) as registry:
        author, program = registry.author(), _program()
        version = author.submit("one", program).version
        stalled = pb.VERSION_STATE_STALLED
        until(lambda: author.GetVersion(version_id=version.id).version.state == stalled)
        with pytest.raises(errors.QuotaReached, match="1 version within 24 hours"):
            author.submit("one", _program())
        assert author.submit("one", program).version.state == pb.VERSION_STATE_UPLOADED


@pytest.mark.long
def test_so_many_versions_wait_and_the_same_bytes_may_always_be_sent_again(limited):
    with limited(quota_waiting=2) as registry:
        author = registry.author()
        programs = [_program() for _ in range(2)]
        versions = [author.submit("one", program).version for program in programs]
        with pytest.raises(errors.QuotaReached, match=f"2 versions of {author.name} wait"):
            author.submit("two", _program())
        assert author.submit("one", programs[0]).known
        registry.worker.validate(versions[0].id)
        author.submit("two", _program())


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)])
def test_submissions_at_once_do_not_both_take_the_last_place(limited, kind):
    with limited(kind, quota_waiting=3) as registry:
        author = registry.author()

        def submit(number):
            try:
                author.submit(f"bot-{number}", _program())
            except errors.QuotaReached:
                return 0
            return 1

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(submit, range(8))) == 3


def test_versions_take_up_so_much_room(limited):
    incompressible = {"data": b"".join(hash_of(number) for number in range(20_000))}  # 640,000 bytes
    with limited(quota_mib=1) as registry:
        author = registry.author()
        author.submit("one", _program(files=incompressible))
        with pytest.raises(
            errors.QuotaReached, match="would take up 2 MiB; this arena allows an account 1 MiB"
        ):
            author.submit("one", _program(files=incompressible))
        author.submit("one", _program())


@pytest.mark.long
def test_validations_take_so_many_minutes_of_an_hour(limited, monkeypatch):
    now = [clock.now()]
    monkeypatch.setattr(clock.SteadyClock, "__call__", lambda _: now[0])
    with limited(quota_validation_minutes=10) as registry:
        author = registry.author()
        version = author.submit("one", _program()).version
        claim = registry.worker.ClaimValidation(version_id=version.id, worker="test")
        now[0] += 9 * MINUTES
        author.submit("two", _program())
        now[0] += 2 * MINUTES
        words = f"the versions that {author.name} submitted within the last hour took 11 minutes"
        with pytest.raises(errors.QuotaReached, match=words):
            author.submit("three", _program())
        registry.worker.SubmitValidation(version_id=version.id, fence=claim.fence, ok=True)
        with pytest.raises(errors.QuotaReached, match=words):
            author.submit("three", _program())
        registry.author().submit("of-another", _program())
        now[0] += 50 * MINUTES
        author.submit("three", _program())


def hash_of(number):
    return hashlib.sha256(str(number).encode()).digest()
