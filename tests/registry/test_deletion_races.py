"""Changes at the same time as others: none gets around the deletion of an account, or around a limit."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest
from sqlalchemy import text
from sqlmodel import select

from bench.support.patience import patient
from maumau.errors import NameTaken, QuotaReached, RevokedToken, UnknownAccount, UnknownPageCode, WrongState
from services.registry.domain.role import MEMBER, ORGANISER, OWNER
from services.registry.domain.state import State
from services.registry.domain.trial import TrialTerms
from services.registry.models import (
    Account,
    GroupInvitation,
    Login,
    Membership,
    Notice,
    Team,
    TeamMember,
    Token,
    Version,
)
from services.registry.store.bots import activation, bot, quota, trial
from services.registry.store.bots.bot import Bots, Upload
from services.registry.store.bots.quota import Quota, Quotas
from services.registry.store.bots.trial import Trials
from services.registry.store.bots.validation import ValidationLimits, Validations
from services.registry.store.notices import webhook
from services.registry.store.notices.notice import Notices
from services.registry.store.people import group, invitation
from services.registry.store.people.account import Accounts
from services.registry.store.people.deletion import Deletions
from services.registry.store.people.group import Groups
from services.registry.store.people.invitation import Invitations
from services.registry.store.people.login import Logins
from services.registry.store.people.page import PageCodes
from services.registry.store.people.registration import RegistrationBounds
from services.registry.store.people.team import Teams, lock_team
from services.registry.store.people.token import Tokens
from services.shared.base import clock
from services.shared.base.auth import Identity
from services.shared.store.connect import Database
from services.shared.store.notice_table import Heard
from tests.support.polling import until
from tests.support.stores import tables

pytestmark = pytest.mark.stores
ISSUER = "https://id.example"


@pytest.fixture
def database(database_url):
    database = Database(database_url, "registry")
    tables.add_tables(database, "registry")
    yield database
    database.close()


@pytest.fixture
def accounts(database):
    return Accounts(database, clock.now, 90, RegistrationBounds(0, 0), "open")


@pytest.fixture
def person(database, accounts):
    """Return a function that opens an account, and returns the caller with its first token."""

    def open_account(name, *scopes):
        grant = accounts.create_vouched(name, lambda *_: None)
        who = accounts.identify_caller(grant.token)
        return Identity(who.account_id, name, frozenset(scopes or who.scopes), who.expires_at, who.token_id)

    return open_account


class SlowDeletions(Deletions):
    """Deletions that stop before they commit until they may go on."""

    def __init__(self, database):
        super().__init__(database, clock.now)
        self.is_inside, self.may_go = Event(), Event()

    def _close_name(self, session, account):
        pseudonym = super()._close_name(session, account)
        self.is_inside.set()
        assert self.may_go.wait(patient(30))
        return pseudonym


def delete_during(database, who, act):
    """Delete the caller's account, act before the deletion is committed, and return how that ended."""
    deletions = SlowDeletions(database)
    with ThreadPoolExecutor(2) as pool:
        deleted = pool.submit(deletions.delete_account, who, who.name)
        assert deletions.is_inside.wait(patient(30))
        acted = pool.submit(act)
        try:
            if not database.sqlite:  # there all writers wait for each other before they begin
                until("the other waits", lambda: acted.done() or has_waiting(database))
        finally:
            deletions.may_go.set()
        assert deleted.result(patient(30)).pseudonym
        return acted.exception(patient(30))


def has_waiting(database):
    waiting = text(
        "SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)"
        " WHERE NOT granted AND datname = current_database()"
    )
    with database.read() as session:
        return session.exec(waiting).first() is not None


def list_rows(database, table):
    with database.read() as session:
        return session.exec(select(table)).all()


def test_a_name_is_not_given_again_during_its_deletion(database, accounts, person):
    ada, bob = person("ada"), person("bob")
    again = delete_during(database, ada, lambda: accounts.create_vouched("ada", lambda *_: None))
    assert isinstance(again, NameTaken)
    team = delete_during(database, bob, lambda: Teams(database, clock.now, 10).create(person("eve"), "bob"))
    assert isinstance(team, NameTaken)
    assert not {"ada", "bob"} & {one.name for one in list_rows(database, Account)}


@pytest.mark.sample
def test_an_account_gets_no_access_during_its_deletion(database, accounts, person):
    logins, groups = Logins(database, clock.now, accounts), Groups(database, clock.now)
    root = person("root", "admin")
    changes = {
        "linked": lambda: logins.link("linked", ISSUER, "one"),
        "token": lambda: accounts.create_token(root, [], 1, "token"),
        "member": lambda: groups.set_member(root, "class", "member", ORGANISER),
    }
    for name, change in changes.items():
        assert isinstance(delete_during(database, person(name), change), UnknownAccount), name
    assert not list_rows(database, Login)
    assert not list_rows(database, Membership)
    valid = {one.account_id for one in list_rows(database, Token) if one.revoked_at is None}
    assert valid == {root.account_id}


def test_a_token_makes_no_other_during_the_deletion_of_its_account(database, accounts, person):
    for name, change in {
        "maker": lambda who: accounts.create_token(who, [], 1, ""),
        "rotating": Tokens(database, clock.now).rotate_token,
        "coding": PageCodes(database, clock.now).create_code,
    }.items():
        who = person(name)
        outcome = delete_during(database, who, lambda change=change, who=who: change(who))
        assert isinstance(outcome, RevokedToken), name
    assert not [one for one in list_rows(database, Token) if one.revoked_at is None]


def test_no_session_is_opened_during_the_deletion_of_its_account(database, accounts, person):
    codes, ada = PageCodes(database, clock.now), person("ada")
    code = codes.create_code(ada).text
    assert isinstance(delete_during(database, ada, lambda: codes.redeem_code(code)), UnknownPageCode)
    logins = Logins(database, clock.now, accounts)
    bob = accounts.identify_caller(logins.create(ISSUER, "bob", "bob", "").grant.token)
    assert delete_during(database, bob, lambda: logins.open(ISSUER, "bob")) is not None
    assert not [one for one in list_rows(database, Token) if one.revoked_at is None]


def test_a_deletion_waits_for_a_token_that_is_being_made(database, accounts, person, monkeypatch):
    """The account is locked first by both, so that neither has what the other waits for."""
    ada, has_locked, may_go = person("ada"), Event(), Event()
    grant = accounts._grant_token

    def grant_slowly(*asked):
        has_locked.set()
        assert may_go.wait(patient(30))
        return grant(*asked)

    monkeypatch.setattr(accounts, "_grant_token", grant_slowly)
    with ThreadPoolExecutor(2) as pool:
        made = pool.submit(accounts.create_token, ada, [], 1, "")
        assert has_locked.wait(patient(30))
        deleted = pool.submit(Deletions(database, clock.now).delete_account, ada, "ada")
        try:
            if not database.sqlite:
                until("the deletion waits", lambda: deleted.done() or has_waiting(database))
        finally:
            may_go.set()
        token = made.result(patient(30)).token
        assert deleted.result(patient(30)).pseudonym
    with pytest.raises(RevokedToken):
        accounts.identify_caller(token)


def retire_once_found(database, monkeypatch, name, retire):
    """Retire a bot once the function of this name has found it; on SQLite, where writers wait, before."""
    find = getattr(bot, name)

    def find_and_retire(*args):
        found = find(*args)
        monkeypatch.undo()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(retire).result(patient(30))
        return found

    if database.sqlite:
        retire()
    else:
        monkeypatch.setattr(bot, name, find_and_retire)


def test_a_bot_that_is_retired_meanwhile_gets_no_version_and_none_becomes_active(
    database, person, monkeypatch
):
    quotas = Quotas(Quota(10, 10, 10, 10, 10), clock.now)
    bots, ada, bob = Bots(database, clock.now, quotas), person("ada"), person("bob")
    program, _ = bots.add_version("hers", ada, Upload("a" * 64, 1, [], [], activates=False))
    with database.write() as session:
        session.get_one(Version, program.version.id).state = State.VALID
    deletions = Deletions(database, clock.now)
    retire_once_found(database, monkeypatch, "_find_known", lambda: deletions.delete_account(ada, "ada"))
    with pytest.raises(WrongState, match="hers is retired"):
        bots.activate_version(program.version.id, ada)
    bots.create_bot("his", bob)
    retire_once_found(database, monkeypatch, "_find_bot", lambda: bots.retire_bot("his", bob))
    with pytest.raises(WrongState, match="his is retired"):
        bots.add_version("his", bob, Upload("b" * 64, 1, [], []))
    assert [one.state for one in list_rows(database, Version)] == [State.VALID]


def test_a_member_who_has_just_become_the_only_owner_is_refused(database, person, monkeypatch):
    """Until the deletion has the team's lock, the member is promoted and the other owner leaves.

    On SQLite, where a writer excludes all others, they do so before.
    """
    teams, olga, adam = Teams(database, clock.now, 10), person("olga"), person("adam")
    teams.create(olga, "crew")
    with database.write() as session:
        teams.add(session, session.exec(select(Team)).one(), adam, MEMBER)

    def hand_over():
        teams.set_role(olga, "crew", "adam", OWNER)
        teams.leave(olga, "", "")

    def lock_later(session, team):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(hand_over).result(patient(30))
        return lock_team(session, team)

    if database.sqlite:
        hand_over()
    else:
        monkeypatch.setattr("services.registry.store.people.deletion.lock_team", lock_later)
    with pytest.raises(WrongState, match="adam is the only owner of crew"):
        Deletions(database, clock.now).delete_account(adam, "adam")
    stays = [(one.account_id, one.role) for one in list_rows(database, TeamMember) if one.left_at is None]
    assert stays == [(adam.account_id, OWNER)]


def run_at_once(database, monkeypatch, where, name, first, second):
    """Call `first`, and `second` once that has called the function of this name; return both errors."""
    call, begun, other = getattr(where, name), [], []

    def call_meanwhile(*args, **fields):
        answer = call(*args, **fields)
        if not begun:
            begun.append(True)
            other.append(pool.submit(second))
            if not database.sqlite:  # there all writers wait for each other before they begin
                until("the other waits", lambda: other[0].done() or has_waiting(database))
        return answer

    with ThreadPoolExecutor(2) as pool, monkeypatch.context() as patch:
        patch.setattr(where, name, call_meanwhile)
        return pool.submit(first).exception(patient(30)), other[0].exception(patient(30))


def make_bots(database):
    return Bots(database, clock.now, Quotas(Quota(1, 10, 10, 10, 10), clock.now))


def add_valid(database, bots, who, name, letter):
    """Submit a version that has passed; return its id."""
    program, _ = bots.add_version(name, who, Upload(letter * 64, 1, [], [], activates=False))
    with database.write() as session:
        session.get_one(Version, program.version.id).state = State.VALID
    return program.version.id


def test_of_two_versions_that_are_suspended_and_activated_at_once_none_is_lost(database, person, monkeypatch):
    bots, ada = make_bots(database), person("ada")
    old, new = (add_valid(database, bots, ada, "bot", letter) for letter in "ab")
    bots.activate_version(old, ada)
    validations = Validations(database, clock.now, ValidationLimits(1, 1, 1, 1))
    errors = run_at_once(
        database, monkeypatch, activation, "change_state",
        lambda: bots.activate_version(new, ada), lambda: validations.suspend_version(old, "it crashes"),
    )  # fmt: skip
    assert errors == (None, None)
    found = {one.id: (one.state, one.suspended) for one in list_rows(database, Version)}
    assert found == {old: (State.RETIRED, ""), new: (State.ACTIVE, "")}


def test_notices_that_two_calls_bring_at_once_are_stored_once(database, monkeypatch):
    notices = Notices(database, clock.now)
    heard = [
        Heard("msg_1", "bot.active", 1, ("ada",), "", "{}"),
        Heard("msg_2", "bot.active", 1, (), "", "{}"),
    ]
    store = partial(notices.store_notices, heard)
    assert run_at_once(database, monkeypatch, Heard, "_asdict", store, store) == (None, None)
    assert [one.id for one in list_rows(database, Notice)] == ["msg_1", "msg_2"]


def test_two_calls_at_once_make_one_group(database, person, monkeypatch):
    groups, root = Groups(database, clock.now), person("root", "admin")
    person("ada"), person("bob")
    errors = run_at_once(
        database, monkeypatch, group, "check_group",
        lambda: groups.set_member(root, "class", "ada", MEMBER),
        lambda: groups.set_member(root, "class", "bob", MEMBER),
    )  # fmt: skip
    assert errors == (None, None)
    assert len(groups.list_members(root, "class", "", 9)) == 2


def test_an_organiser_who_is_removed_meanwhile_keeps_no_codes(database, person, monkeypatch):
    groups, root, ada = Groups(database, clock.now), person("root", "admin"), person("ada")
    groups.set_member(root, "class", "ada", ORGANISER)
    errors = run_at_once(
        database, monkeypatch, invitation, "_check_open",
        lambda: Invitations(database, clock.now, "open").create_invitations(ada, "class", 2, 1, MEMBER),
        lambda: groups.remove_member(root, "class", "ada"),
    )  # fmt: skip
    assert errors == (None, None)
    assert [one.revoked_at is None for one in list_rows(database, GroupInvitation)] == [False, False]


def test_two_calls_at_once_do_not_both_make_the_last_code(database, person, monkeypatch):
    monkeypatch.setattr(invitation, "MOST_CODES", 2)
    invitations, root = Invitations(database, clock.now, "open"), person("root", "admin")
    invitations.create_invitations(root, "class", 1, 1, MEMBER)
    create = partial(invitations.create_invitations, root, "class", 1, 1, MEMBER)
    one, other = run_at_once(database, monkeypatch, invitation, "_check_open", create, create)
    assert (one, type(other)) == (None, QuotaReached)


def test_two_calls_at_once_do_not_both_give_the_last_place_in_a_group(database, person, monkeypatch):
    monkeypatch.setattr(group, "MOST_MEMBERS", 2)
    groups, root = Groups(database, clock.now), person("root", "admin")
    for name in ("ada", "bob", "eve"):
        person(name)
    groups.set_member(root, "class", "eve", MEMBER)
    one, other = run_at_once(
        database, monkeypatch, group, "_check_room",
        lambda: groups.set_member(root, "class", "ada", MEMBER),
        lambda: groups.set_member(root, "class", "bob", MEMBER),
    )  # fmt: skip
    assert (one, type(other)) == (None, QuotaReached)


def test_two_calls_at_once_do_not_both_begin_the_last_trial(database, person, monkeypatch):
    monkeypatch.setattr(trial, "MOST_WAITING", 1)
    bots, ada = make_bots(database), person("ada")
    old, new = (add_valid(database, bots, ada, "bot", letter) for letter in "ab")
    trials = Trials(database, clock.now, ValidationLimits(1, 1, 1, 1))
    terms = TrialTerms([], [], 1, 1)
    one, other = run_at_once(
        database, monkeypatch, trial, "_check_waiting",
        lambda: trials.request_trial(old, "key", terms, begin=True),
        lambda: trials.request_trial(new, "key", terms, begin=True),
    )  # fmt: skip
    assert (one, type(other)) == (None, QuotaReached)


def test_two_calls_at_once_do_not_both_ask_for_the_last_confirmation(database, person, monkeypatch):
    monkeypatch.setattr(webhook, "MOST_CONFIRMATIONS", 3)
    hooks, ada = webhook.Webhooks(database, clock.now, 2), person("ada")
    ids = [
        hooks.create_webhook(ada, webhook.Asked(f"mailto:{name}@example.org", [], [])).webhook.id
        for name in ("one", "two")
    ]
    one, other = run_at_once(
        database, monkeypatch, webhook.Webhooks, "_queue",
        lambda: hooks.queue_test(ada, ids[0]), lambda: hooks.queue_test(ada, ids[1]),
    )  # fmt: skip
    assert (one, type(other)) == (None, QuotaReached)


def test_a_submission_and_the_deletion_of_its_author_wait_for_each_other_in_one_order(
    database, person, monkeypatch
):
    bots, ada = make_bots(database), person("ada")
    bots.create_bot("bot", ada)
    errors = run_at_once(
        database, monkeypatch, quota, "_is_limited",
        lambda: bots.add_version("bot", ada, Upload("a" * 64, 1, [], [])),
        lambda: Deletions(database, clock.now).delete_account(ada, "ada"),
    )  # fmt: skip
    assert errors == (None, None)
    assert [one.state for one in list_rows(database, Version)] == [State.REFUSED]


def test_two_threads_write_the_uses_of_tokens(accounts):
    """The other one takes what this one has just seen."""

    class Shared(dict):
        def __len__(self):
            count = super().__len__()
            self.clear()
            return count

    accounts.uses._noted = Shared(token_1=1)
    accounts.uses.write()
    assert not dict.keys(accounts.uses._noted)
