"""Deletions of accounts at the same time as other changes of them: none gets around a deletion."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text
from sqlmodel import select

from bench.support.patience import patient
from maumau.errors import NameTaken, RevokedToken, UnknownAccount, UnknownPageCode, WrongState
from services import registry
from services.registry.domain.role import MEMBER, ORGANISER, OWNER
from services.registry.domain.state import State
from services.registry.models import Account, Login, Membership, Table, Team, TeamMember, Token, Version
from services.registry.store import bot
from services.registry.store.account import Accounts
from services.registry.store.bot import Bots, Upload
from services.registry.store.deletion import Deletions
from services.registry.store.group import Groups
from services.registry.store.login import Logins
from services.registry.store.page import PageCodes
from services.registry.store.quota import Quota, Quotas
from services.registry.store.registration import RegistrationBounds
from services.registry.store.team import Teams, lock_team
from services.registry.store.token import Tokens
from services.shared.base import clock
from services.shared.base.auth import Identity
from services.shared.store import migrate
from services.shared.store.connect import Database
from tests.support.polling import until

pytestmark = pytest.mark.stores
ISSUER = "https://id.example"


@pytest.fixture
def database(database_url):
    database = Database(database_url, "registry")
    migrate.upgrade(database, Path(registry.__file__).parent / "migrations", Table.metadata)
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
        monkeypatch.setattr("services.registry.store.deletion.lock_team", lock_later)
    with pytest.raises(WrongState, match="adam is the only owner of crew"):
        Deletions(database, clock.now).delete_account(adam, "adam")
    stays = [(one.account_id, one.role) for one in list_rows(database, TeamMember) if one.left_at is None]
    assert stays == [(adam.account_id, OWNER)]
