"""Validations take turns: of lanes, addresses and accounts, by the time that they cost."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlmodel import select

from services.registry.domain.state import State
from services.registry.domain.turn import BUILD, NEWCOMERS, PLAIN, Waits, find_cost, make_key, order_versions
from services.registry.domain.verdict import Verdict
from services.registry.models import BY_ADMIN, Account, Bot, Turn, Version
from services.registry.store.bots import place
from services.registry.store.bots.place import Places
from services.registry.store.bots.turn import give_turn, lock_turns
from services.registry.store.bots.validation import ValidationLimits, Validations
from services.shared.base.clock import DAY, HOUR
from services.shared.store.connect import Database
from tests.support.stores import tables

NOON = 1_800_000_000_000
SLOW = BUILD + PLAIN
GOOD = Verdict(True, "", "", (), ())


def waits(number, address, account, *, newcomer=False, builds=False):
    """Return a version that came as the one of that number."""
    key = make_key(newcomer=newcomer, address=address, account_id=account)
    return Waits(number, f"version_{number:06d}", key, find_cost(builds=builds))


def order(*versions):
    return [int(one.id.removeprefix("version_")) for one in order_versions(versions, {})]


def test_who_comes_first_is_first_among_equals():
    assert order(*(waits(n, f"a{9 - n}", f"account_{n}") for n in range(5))) == [0, 1, 2, 3, 4]


def test_an_address_with_many_accounts_has_one_turn_where_another_has_one():
    crowd = [waits(n, "a", f"account_{n}") for n in range(6)]
    assert order(*crowd, waits(6, "b", "ada"), waits(7, "b", "bob")) == [0, 6, 1, 7, 2, 3, 4, 5]


def test_an_account_with_many_versions_has_one_turn_where_its_neighbour_has_one():
    many = [waits(n, "a", "ada") for n in range(4)]
    assert order(*many, waits(4, "a", "bob"), waits(5, "a", "bob")) == [0, 4, 1, 5, 2, 3]


def test_an_account_that_an_admin_opened_has_a_turn_of_its_own():
    keys = {make_key(newcomer=False, address="", account_id=f"pupil_{n}") for n in range(3)}
    assert len({key.rpartition("/")[0] for key in keys}) == 3


def test_newcomers_get_an_eleventh_of_the_time_and_all_of_it_while_nobody_else_waits():
    old = [waits(n, f"a{n}", f"account_{n}") for n in range(40)]
    new = [waits(40 + n, f"b{n}", f"new_{n}", newcomer=True) for n in range(6)]
    found = order(*old, *new)
    assert [number >= 40 for number in found[:22]].count(True) == 2
    assert [number >= 40 for number in found[:11]].count(True) == 1
    assert order(*new) == [40, 41, 42, 43, 44, 45]


def test_a_build_that_may_take_long_waits_until_others_have_had_as_much():
    found = order(waits(0, "a", "ada", builds=True), *(waits(n, f"b{n}", f"b{n}") for n in range(1, 5)))
    assert found == [1, 2, 3, 4, 0]


class Simulated:
    """One worker, and versions that take as long as they take: when each one's validation has ended."""

    def __init__(self, versions, took=lambda one: PLAIN // 6):
        self.ended, now = {}, 0
        for one in order_versions(versions, {}):
            now += took(one)
            self.ended[one.id] = now

    def last(self, versions):
        return max(self.ended[one.id] for one in versions)


HONEST = [waits(20_000 + n, f"h{n}", f"honest_{n}") for n in range(60)]
NEW = [waits(30_000 + n, f"n{n}", f"new_{n}", newcomer=True) for n in range(60)]


def puppets(addresses=1, *, builds):
    """2,000 accounts with five versions each, which came before everybody else."""
    return [
        waits(n, f"evil{n % addresses}", f"puppet_{n % 2000}", newcomer=True, builds=builds)
        for n in range(10_000)
    ]


def time_of(one):
    """Return the time of a build step that sleeps for 250 s, as in the attack; others take 5 s."""
    return 250_000 if one.cost > PLAIN else 5_000


@pytest.mark.sample
@pytest.mark.parametrize("builds", [True, False])
@pytest.mark.parametrize("honest", [HONEST, NEW])
def test_two_thousand_puppets_at_one_address_delay_sixty_authors_by_a_tenth_at_most(builds, honest):
    alone = Simulated(honest, time_of).last(honest)
    beside = Simulated([*puppets(builds=builds), *honest], time_of).last(honest)
    assert alone == 60 * 5_000
    assert beside <= 1.1 * alone


def test_established_authors_wait_a_tenth_longer_at_most_however_many_addresses_there_are():
    crowd = puppets(addresses=2000, builds=False)
    beside = Simulated([*crowd, *HONEST], time_of).last(HONEST)
    assert beside <= 1.1 * 60 * 5_000


accounts = st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans())  # address, account, newcomer
arrivals = st.lists(st.tuples(accounts, st.booleans()), min_size=1, max_size=40)


@given(arrivals)
def test_in_any_queue_each_address_and_each_account_gets_its_share(came):
    versions = [
        waits(n, f"a{a}", f"a{a}-{b}-{new}", newcomer=new, builds=builds)
        for n, ((a, b, new), builds) in enumerate(came)
    ]
    found = list(order_versions(versions, {}))
    assert sorted(found) == sorted(versions)
    for level in (2, 3):
        check_shares(found, level)


def check_shares(found, level):
    """While two nodes with one parent wait, neither gets more than its next version's cost ahead."""
    left = Counter(part(one.turn, level) for one in found)
    used = defaultdict(int)
    for one in found:
        chosen = part(one.turn, level)
        parent = chosen.rpartition("/")[0]
        for other, count in left.items():
            if count and other != chosen and other.rpartition("/")[0] == parent:
                assert used[chosen] <= used[other] + SLOW
        used[chosen] += one.cost
        left[chosen] -= 1


def part(key, level):
    return "/".join(key.split("/")[:level])


class Store:
    """A queue in a database, filled by hand."""

    def __init__(self, url):
        self.now = NOON
        self.database = Database(url, "registry")
        if self.database.sqlite:
            tables.copy_to(Path(self.database.url.database), "registry")
        else:
            tables.migrate_one(self.database, "registry")
        self.validations = Validations(
            self.database, lambda: self.now, ValidationLimits(60_000, HOUR, HOUR, 5)
        )
        self.places = Places(self.database, lambda: self.now)
        self.count = 0

    def account(self, name, address="", *, age=0, passed=False):
        account = Account(
            id=f"account_{name}",
            name=name,
            scopes="author",
            created_at=self.now - age,
            registered_from=address,
        )
        with self.database.write() as session:
            session.add(account)
            session.flush()
            session.add(Bot(id=f"bot_{name}", name=name, account_id=account.id, created_at=self.now))
            session.flush()
            if passed:
                session.add(self._version(name, State.VALID))

    def submit(self, name, *, builds=False):
        """Return the new version's id."""
        with self.database.write() as session:
            lock_turns(session)
            version = self._version(name, State.UPLOADED, find_cost(builds=builds))
            session.add(version)
            give_turn(session, version, self.now)
            return version.id

    def _version(self, name, state, cost=0):
        self.count, self.now = self.count + 1, self.now + 1
        return Version(
            id=f"version_{self.count:06d}", bot_id=f"bot_{name}", number=self.count,
            sha256=f"{self.count:064d}", size=1, state=state, created_at=self.now, since=self.now,
            turn_cost=cost,
        )  # fmt: skip

    def work(self, seconds=5.0):
        """Return the version that a worker gets and validates."""
        claim = self.validations.claim_next("w")
        self.now += round(seconds * 1000)
        if claim:
            self.validations.decide_version(claim.version_id, claim.fence, GOOD)
        return claim and claim.version_id

    def expected(self):
        """Return the order as the pure function has it."""
        with self.database.read() as session:
            rows = session.exec(
                select(Version.since, Version.id, Version.turn, Version.turn_cost).where(
                    Version.state == State.UPLOADED
                )
            ).all()
            used = dict(session.exec(select(Turn.key, Turn.used)).all())
        return [one.id for one in order_versions((Waits(*row) for row in rows), used)]

    def close(self):
        self.database.close()


@pytest.fixture
def store(database_url):
    store = Store(database_url)
    yield store
    store.close()


OLD = {"age": 2 * DAY, "passed": True}


@pytest.mark.long
@pytest.mark.stores
def test_the_database_gives_turns_as_the_pure_order_says(store):
    for a in range(3):
        for b in range(3):
            store.account(f"{'xyz'[a]}-{b}0", f"192.0.2.{a}", **(OLD if b else {}))
            for number in range(3):
                store.submit(f"{'xyz'[a]}-{b}0", builds=number == b)
    expected = store.expected()
    assert len(expected) == 27
    found = []
    while claim := store.validations.claim_next("w"):
        found.append(claim.version_id)
    assert found == expected


@pytest.mark.long
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 30)), min_size=5, max_size=15))
def test_after_any_moves_the_next_turn_is_the_one_that_is_told(tmp_path_factory, moves):
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('turns')}/registry.db")
    for number in range(5):
        store.account(f"author-{number}", f"192.0.2.{number // 2}", **(OLD if number % 2 else {}))
    for author, seconds in moves:
        store.submit(f"author-{author}", builds=seconds % 3 == 0)
        if seconds > 10:
            expected = store.expected()
            assert store.work(seconds) == expected[0]
    while expected := store.expected():
        assert store.work() == expected[0]
    assert store.work() is None
    store.close()


@pytest.mark.stores
def test_a_place_is_that_in_the_order_of_turns_and_counts_build_limits(store):
    store.account("evil", "192.0.2.1")
    store.account("ada", "192.0.2.2", **OLD)
    slow = [store.submit("evil", builds=True) for _ in range(3)]
    mine = store.submit("ada")
    assert place_of(store, mine) == (1, 0)
    assert [place_of(store, one) for one in slow] == [(2, 0), (3, 300), (4, 600)]


def place_of(store, version_id):
    with store.database.read() as session:
        version = session.get_one(Version, version_id)
    return tuple(store.places.find_place(version))


def test_where_many_wait_places_are_worked_out_a_twentieth_of_the_time(store, monkeypatch):
    monkeypatch.setattr(place, "FEW", 1)
    now, worked = [0.0], []
    store.account("ada")
    first = [store.submit("ada") for _ in range(2)]
    places = Places(store.database, lambda: store.now, lambda: now[0])
    work_out = places._work_out

    def slowly():
        worked.append(now[0])
        now[0] += 2.0
        return work_out()

    monkeypatch.setattr(places, "_work_out", slowly)
    with store.database.read() as session:
        versions = [session.get_one(Version, one) for one in first]
    assert [places.find_place(one).number for one in versions] == [1, 2]
    later = store.submit("ada")
    with store.database.read() as session:
        new = session.get_one(Version, later)
    assert places.find_place(new).number == 0
    now[0] = 42.0
    assert places.find_place(new).number == 3
    assert worked == [0.0, 42.0]


def test_what_took_longer_than_expected_is_paid_for_by_its_address(store):
    for name, address in (("slow", "192.0.2.1"), ("quick", "192.0.2.2")):
        store.account(name, address, **OLD)
    slow, quick = [store.submit("slow") for _ in range(2)], [store.submit("quick") for _ in range(9)]
    assert store.work(200) == slow[0]
    assert [store.work(20) for _ in range(9)] == quick  # nine times twenty is less than 200
    assert store.work() == slow[1]


@pytest.mark.long
def test_one_that_comes_after_a_rest_has_saved_nothing_up(store):
    for name, address in (("busy", "192.0.2.1"), ("rested", "192.0.2.2")):
        store.account(name, address, **OLD)
    store.submit("rested")
    store.work()
    for _ in range(20):
        store.submit("busy")
        store.work(30)
    busy, rested = [store.submit("busy") for _ in range(3)], [store.submit("rested") for _ in range(3)]
    found = [store.work(30) for _ in range(6)]
    assert [one in rested for one in found].count(True) == 3
    assert found[:4].count(busy[0]) == 1


def test_a_newcomer_is_one_until_a_day_is_over_and_a_version_has_passed(store):
    for name, more in (("new", {}), ("old", OLD), ("idle", {"age": 2 * DAY}), ("quick", {"passed": True})):
        store.account(name, "192.0.2.1", **more)
        store.submit(name)
    store.account("pupil", BY_ADMIN)
    store.account("earlier")  # opened by an earlier release, as many puppets may have been
    store.account("known", passed=True)  # ditto, of an author who plays
    for name in ("pupil", "earlier", "known"):
        store.submit(name)
    with store.database.read() as session:
        keys = session.exec(select(Version.turn).where(Version.turn != "")).all()
    lanes = {key.rpartition("_")[2]: key.startswith(NEWCOMERS) for key in keys}
    newcomers = {"new", "idle", "quick", "earlier"}
    assert lanes == {name: name in newcomers for name in (*newcomers, "old", "pupil", "known")}


def test_whoever_waits_because_of_others_is_not_stalled(store):
    for number in range(6):
        store.account(f"author-{number}", f"192.0.2.{number}", **OLD)
    mine = store.submit("author-0", builds=True)  # due after those that take less
    for number in range(1, 6):
        store.submit(f"author-{number}")
    for _ in range(5):
        assert store.work(20 * 60) != mine
        assert store.validations.stall_hopeless() == []
    store.now += HOUR  # and no worker comes
    assert [words.partition(":")[0] for words in store.validations.stall_hopeless()] == [mine]


def test_a_version_whose_platform_no_worker_has_is_stalled_though_others_are_taken(store):
    for name, address in (("ada", "192.0.2.1"), ("bob", "192.0.2.2")):
        store.account(name, address, **OLD)
    built = store.submit("ada")
    with store.database.write() as session:
        version = session.get_one(Version, built)
        version.built_platform, version.built_sha256 = "pdp-11", "0" * 64
    others = [store.submit("bob") for _ in range(2)]
    assert [store.work(), store.work(), store.work()] == [*others, None]
    store.now += 2 * HOUR
    store.submit("bob")
    assert store.work()
    assert [words.partition(":")[0] for words in store.validations.stall_hopeless()] == [built]


def test_a_version_that_an_earlier_release_left_waiting_gets_a_turn(store):
    store.account("ada")
    with store.database.write() as session:
        session.add(store._version("ada", State.UPLOADED))
    assert store.work() is None
    assert store.validations.give_missing_turns() == 1
    assert store.work() == "version_000001"


CROWD = 6_000
FILL = {
    "account": "INSERT INTO account (id, name, scopes, created_at, registered_from)"
    " VALUES (:a, :n, 'author', 1, :f)",
    "bot": "INSERT INTO bot (id, name, account_id, created_at) VALUES (:b, :n, :a, 1)",
    "version": "INSERT INTO version (id, bot_id, number, sha256, size, state, created_at, since, reason,"
    " suspended, rules, seats, log, progress, worker, revision, fence, attempts, built_sha256,"
    " built_platform, built_size, validated_ms, turn, turn_cost) VALUES (:v, :b, 1, :h, 1, 'uploaded', 1,"
    " :s, '', '', '', '', '', '', '', 0, 0, 0, '', '', 0, 0, :t, 30000)",
    "turn": "INSERT INTO turn (key, parent, used, clock, cost, since, due)"
    " VALUES (:t, :p, 0, 0, 30000, :s, 30000)",
}


def fill(store):
    """Add a crowd of accounts with a version each, three at an address, as if submitted."""
    rows = []
    for n in range(CROWD):
        address, account = f"198.51.{n // 3}", f"account_{n:06d}"
        key = make_key(newcomer=False, address=address, account_id=account)
        rows.append({
            "a": account, "n": f"crowd-{n:06d}", "f": address, "b": f"bot_{n:06d}", "v": f"version_x{n:06d}",
            "h": f"{n:064d}", "s": NOON - CROWD + n, "t": key, "p": key.rpartition("/")[0],
        })  # fmt: skip
    heads = {row["p"]: {"t": row["p"], "p": "established", "s": row["s"]} for row in reversed(rows)}
    lane = {"t": "established", "p": "", "s": rows[0]["s"]}
    with store.database.write() as session:
        for statement in FILL.values():
            session.connection().execute(text(statement), rows)
        session.connection().execute(text(FILL["turn"]), [*heads.values(), lane])
    with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


@pytest.mark.long
@pytest.mark.stores
def test_a_turn_reads_no_table_from_end_to_end_however_many_wait(store):
    fill(store)
    sent = []

    def note(_connection, _cursor, statement, parameters, *_):
        sent.append((statement, parameters))

    store.account("ada", "192.0.2.1", **OLD)
    event.listen(store.database.engine, "before_cursor_execute", note)
    mine = store.submit("ada")
    for _ in range(3):
        assert store.work()
    assert store.validations.stall_hopeless() == []
    event.remove(store.database.engine, "before_cursor_execute", note)
    assert place_of(store, mine)[0] > 1
    assert list(find_scans(store.database, sent)) == []


def find_scans(database, sent):
    """Statements that read a table from end to end; that of platforms has a row or two."""
    with database.engine.connect() as connection:
        for statement, parameters in {one[0]: one for one in sent}.values():
            if not statement.startswith(("SELECT", "UPDATE", "WITH")):
                continue
            words = "EXPLAIN QUERY PLAN" if database.sqlite else "EXPLAIN"
            plan = connection.exec_driver_sql(f"{words} {statement}", parameters).all()
            for line in (str(row[-1]) for row in plan):
                is_scan = (line.startswith("SCAN") and "INDEX" not in line) or "Seq Scan" in line
                if is_scan and "platform" not in line:
                    yield line, statement
