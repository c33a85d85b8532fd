"""The number of accounts per address, for all replicas together, and the address of a caller."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import grpc
import pytest

from bench.support.patience import patient
from maumau import errors
from maumau.client.call import rpc_errors
from maumau.v1 import registry_pb2 as pb
from maumau.v1.registry_pb2_grpc import RegistryServiceStub
from services.registry.store import Accounts
from services.registry.store.people.registration import SITE_FACTOR, RegistrationBounds
from services.shared.base import clock
from services.shared.base.address import Address, find_address
from services.shared.base.auth import Identity
from services.shared.base.clock import DAY, HOUR
from services.shared.base.settings import Settings
from services.shared.store.connect import Database
from tests.registry.conftest import _settings
from tests.support.stores import tables

EIGHT = 1_800_000_000_000  # 2027-01-15 08:00 UTC
HERE = Address("192.0.2.7")
PUPILS = 30


@pytest.fixture
def bounded(database_url):
    """Yield two replicas' accounts, five an hour and eight a day for each address, with a settable clock."""
    now, databases = [EIGHT], [Database(database_url, "registry") for _ in range(2)]
    tables.migrate_one(databases[0], "registry")
    bounds = RegistrationBounds(5, 8)
    yield [Accounts(one, lambda: now[0], 90, bounds, "open") for one in databases], now
    for one in databases:
        one.close()


def test_the_sixth_account_of_an_hour_is_refused_and_the_refusal_says_when_and_whom_to_ask(bounded):
    replicas, now = bounded
    for number in range(5):
        replicas[number % 2].create_account(f"author-{number}", None, HERE)
        now[0] += 60_000
    for one in replicas:
        with pytest.raises(errors.QuotaReached) as refused:
            one.create_account("author-5", None, HERE)
        said = refused.value
        assert "192.0.2.7, has opened 5 accounts within an hour" in str(said)
        assert "from 2027-01-15 09:00 UTC on" in str(said)
        assert "maumau admin accounts" in str(said)
        assert (said.retry_after, said.quota) == (HOUR // 1000 - 300, "accounts of the address 192.0.2.7")
    replicas[0].create_account("of-another", None, Address("192.0.2.8"))
    now[0] = EIGHT + HOUR
    replicas[1].create_account("author-5", None, HERE)


def test_the_ninth_account_of_a_day_is_refused_whatever_the_hour(bounded):
    replicas, now = bounded
    for number in range(8):
        replicas[0].create_account(f"author-{number}", None, HERE)
        now[0] += 2 * HOUR
    with pytest.raises(errors.QuotaReached, match=r"8 accounts within a day.*2027-01-16 08:00"):
        replicas[0].create_account("author-8", None, HERE)
    now[0] = EIGHT + DAY
    replicas[0].create_account("author-8", None, HERE)


def test_two_replicas_do_not_both_give_the_last_place(bounded):
    replicas, _ = bounded

    def create(number):
        with suppress(errors.QuotaReached):
            return bool(replicas[number % 2].create_account(f"author-{number}", None, HERE))
        return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(16))) == 5


def test_a_name_that_is_taken_counts_for_nobody(bounded):
    replicas, _ = bounded
    replicas[0].create_account("ada", None, HERE)
    for _ in range(10):
        with pytest.raises(errors.NameTaken):
            replicas[0].create_account("ada", None, HERE)
        with pytest.raises(errors.BadName):
            replicas[0].create_account("a\N{CYRILLIC SMALL LETTER DE}a", None, HERE)
    for number in range(4):
        replicas[0].create_account(f"author-{number}", None, HERE)


def test_an_admin_opens_a_class_behind_one_address(bounded):
    replicas, _ = bounded
    admin = Identity("account_admin", "admin", frozenset({"admin"}))
    for number in range(PUPILS):
        replicas[0].create_account(f"pupil-{number}", admin, HERE)
    replicas[0].create_account("a-stranger", None, HERE)


def test_a_site_with_many_addresses_opens_no_more_than_a_few_machines(bounded):
    replicas, _ = bounded
    made = 0
    for machine in range(40):
        address = find_address(f"ipv6:%5B2001:db8:7:{machine:x}::1%5D:4711", "", ())
        with suppress(errors.QuotaReached):
            replicas[0].create_account(f"author-{machine}", None, address)
            made += 1
    assert made == SITE_FACTOR * 5


@contextmanager
def arena(start, valkey, folder, **settings):
    given = {"quota_accounts_hour": 5, "quota_accounts_day": 20, **settings}
    folder.mkdir(exist_ok=True)
    with start(_settings(folder, f"sqlite:///{folder / 'registry.db'}", f"{valkey}/6", **given)) as registry:
        yield registry


def create(registry, name, **metadata):
    """Return the token of a new account, without a client, which would send its own request id."""
    told = tuple((key.replace("_", "-"), value) for key, value in metadata.items())
    with grpc.insecure_channel(registry.address) as channel, rpc_errors():
        call = RegistryServiceStub(channel).CreateAccount
        return call(pb.CreateAccountRequest(name=name), metadata=told, timeout=patient(20)).token


@pytest.mark.long
def test_two_thousand_accounts_from_one_address_are_refused(start, valkey, tmp_path):
    """As the attack asks, which had 632 in three seconds."""
    made = 0
    with arena(start, valkey, tmp_path) as registry:
        for number in range(300):  # at once as many as the rate of calls allows
            with suppress(errors.QuotaReached, errors.TooManyCalls):
                create(registry, f"puppet-{number}")
                made += 1
        for number in range(10):
            registry.admin.CreateAccount(name=f"pupil-{number}")
    assert made == 5


@pytest.mark.long
def test_a_forged_header_is_no_other_address_and_a_trusted_proxy_s_is(start, valkey, tmp_path):
    with arena(start, valkey, tmp_path / "plain") as registry:
        for number in range(5):
            create(registry, f"author-{number}", x_forwarded_for=f"198.51.100.{number}")
        with pytest.raises(errors.QuotaReached, match=r"127\.0\.0\.1"):
            create(registry, "author-5", x_forwarded_for="198.51.100.5")
    trusted = Settings.read({"MAUMAU_PROXIES": "127.0.0.0/8, ::1"}).proxies
    with arena(start, valkey, tmp_path / "proxy", proxies=trusted) as registry:
        for number in range(5):
            create(registry, f"author-{number}", x_forwarded_for=f"203.0.113.{number}, 198.51.100.1")
        with pytest.raises(errors.QuotaReached, match=r"198\.51\.100\.1"):
            create(registry, "author-5", x_forwarded_for="203.0.113.5, 198.51.100.1")
        create(registry, "author-6", x_forwarded_for="198.51.100.2")


def test_the_token_of_a_new_account_is_told_again_to_its_own_address_for_a_minute_only(
    start, valkey, tmp_path, monkeypatch
):
    trusted = "127.0.0.0/8"
    with arena(start, valkey, tmp_path, proxies=trusted) as registry:
        request_id = "request_0123456789abcdef"
        mine = {"x_request_id": request_id, "x_forwarded_for": "198.51.100.1"}
        token = create(registry, "ada", **mine)
        assert create(registry, "ada", **mine) == token
        with pytest.raises(errors.NameTaken):
            create(registry, "ada", **mine | {"x_forwarded_for": "198.51.100.2"})
        later = clock.monotonic() + 61_000
        monkeypatch.setattr(registry.server.around.changing, "_monotonic", lambda: later)
        with pytest.raises(errors.AnswerLost):
            create(registry, "ada", **mine)
