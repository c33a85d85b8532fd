"""Accounts, tokens and scopes."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text
from sqlmodel import col

from bench.support.patience import patient
from maumau import errors
from services.registry.domain.token import token_hash
from services.registry.models import Account, Token
from services.registry.store import Accounts, Tokens
from services.registry.store.near import MOST, say_near
from services.registry.store.people.registration import RegistrationBounds
from services.registry.store.people.token import lock_token
from services.shared.base.address import Address
from services.shared.base.clock import HOUR
from services.shared.base.ident import new_id
from services.shared.store.connect import Database
from tests.registry.conftest import ADMIN

NOON = 1_800_000_000_000
BOUNDS, HERE = RegistrationBounds(1000, 1000), Address("192.0.2.1")


def _database(registry):
    return Database(registry.settings.database("registry"), "registry")


def test_a_new_account_may_do_what_an_author_does(registry):
    author = registry.author()
    who = author.WhoAmI()
    assert (who.account_name, list(who.scopes)) == (author.name, ["author"])
    assert who.expires_at.seconds > 0


def test_a_token_is_kept_as_its_hash_alone(registry):
    author = registry.author()
    database = _database(registry)
    with database.read() as session:
        rows = session.exec(text("SELECT * FROM token")).all()
    database.close()
    assert author.token not in str(rows)
    assert token_hash(author.token) in str(rows)


@pytest.mark.parametrize("name", ["", "ab", "Ada", "a b", "ä" * 5, "a" * 33, "../x", "a\0b", "under_score"])
def test_a_name_that_no_account_may_have_is_refused_in_words(registry, name):
    with pytest.raises(errors.BadName, match="3 to 32 of a-z"):
        registry.stranger.CreateAccount(name=name)


@pytest.mark.stores
def test_an_account_s_name_is_given_once(registry):
    name = registry.author().name
    with pytest.raises(errors.NameTaken, match=name):
        registry.stranger.CreateAccount(name=name)
    with pytest.raises(errors.NameTaken):
        registry.stranger.CreateAccount(name="admin")


def test_a_call_without_a_token_is_refused(registry):
    with pytest.raises(errors.MissingToken, match="maumau login"):
        registry.stranger.ListBots()


def test_a_wrong_token_is_refused_even_where_none_is_needed(registry):
    with pytest.raises(errors.UnknownToken):
        registry.client("mm_guessed").ListBots()
    with pytest.raises(errors.UnknownToken):
        registry.client("mm_guessed").CreateAccount(name=f"a{uuid.uuid4().hex[:8]}")


def test_an_expired_token_is_refused(registry):
    author = registry.author()
    database = _database(registry)
    with database.write() as session:
        query = text("UPDATE token SET expires_at = 1 WHERE hash = :hash")
        session.exec(query.bindparams(hash=token_hash(author.token)))
    database.close()
    with pytest.raises(errors.ExpiredToken, match="expired"):
        author.WhoAmI()


def test_a_token_lasts_as_many_days_as_asked(registry):
    author = registry.author()
    day = 86_400
    ninety, one = (author.CreateToken(days=days).expires_at.seconds for days in (0, 1))
    assert 88 * day < ninety - one <= 89 * day + 60
    with pytest.raises(errors.BadRequest, match="365"):
        author.CreateToken(days=366)


def test_nobody_gives_a_scope_that_he_does_not_have(registry):
    author = registry.author()
    for scope in ("admin", "worker"):
        with pytest.raises(errors.NotAllowed, match=scope):
            author.CreateToken(scopes=[scope])
    with pytest.raises(errors.BadRequest, match="author, organiser, admin, worker"):
        author.CreateToken(scopes=["root"])


def test_only_an_admin_makes_tokens_for_workers_since_they_name_a_host(registry):
    both = registry.client(registry.admin.CreateToken(scopes=["author", "worker"], label="host-1").token)
    assert both.WhoAmI().host == "host-1"
    for scopes in (["worker"], []):
        with pytest.raises(errors.NotAllowed, match="Only an admin makes tokens for workers"):
            both.CreateToken(scopes=scopes, label="host-2")


def test_a_label_that_is_too_long_is_refused_and_never_cut_to_that_of_another_host(registry):
    longest = "h" * 60
    token = registry.admin.CreateToken(scopes=["worker"], label=longest).token
    assert registry.client(token).WhoAmI().host == longest
    with pytest.raises(errors.BadRequest, match="at most 60 characters; this one has 61"):
        registry.admin.CreateToken(scopes=["worker"], label=longest + "2")


def test_no_label_is_the_id_of_another_host_s_token(registry):
    host = registry.client(registry.admin.CreateToken(scopes=["worker"], label="two words").token)
    with pytest.raises(errors.BadRequest, match="must not begin with token_"):
        registry.admin.CreateToken(scopes=["worker"], label=host.WhoAmI().host)


@pytest.mark.parametrize("label", ["host-1", "two words", ""])
def test_a_host_that_rotates_its_token_is_the_same_host(registry, label):
    before = registry.client(registry.admin.CreateToken(scopes=["worker"], label=label).token)
    once = registry.client(before.RotateToken().token)
    host = before.WhoAmI().host
    assert once.WhoAmI().host == host
    assert registry.client(once.RotateToken().token).WhoAmI().host == host


def test_an_admin_gives_tokens_to_others_with_their_own_scopes(registry):
    author = registry.author()
    token = registry.admin.CreateToken(account_name=author.name).token
    who = registry.client(token).WhoAmI()
    assert (who.account_name, list(who.scopes)) == (author.name, ["author"])
    with pytest.raises(errors.NotAllowed, match="admin"):
        author.CreateToken(account_name="admin")


def test_an_unknown_account_is_named_with_those_near_it(registry):
    author = registry.author()
    with pytest.raises(errors.UnknownAccount, match=author.name):
        registry.admin.CreateToken(account_name=author.name + "x")


def test_among_more_names_than_are_read_the_nearest_is_still_found(accounts):
    mine = uuid.uuid4().hex[:8]
    with accounts.database.write() as session:
        for number in range(3 * MOST):
            name = f"{mine}-{number:04}"
            session.add(Account(id=f"account_{name}", name=name, scopes="author", created_at=1))
    with accounts.database.read() as session:
        said = say_near(session, col(Account.name), f"{mine}-0150x")
    assert f"{mine}-0150" in said


@pytest.mark.parametrize("method", ["ClaimValidation", "RenewValidation", "SubmitValidation"])
def test_an_author_may_not_do_a_worker_s_work(registry, method):
    with pytest.raises(errors.NotAllowed, match="Only workers may do this"):
        getattr(registry.author(), method)(version_id="version_x")


@pytest.mark.parametrize("method", ["CreateBot", "DeleteBot"])
def test_a_worker_may_not_do_an_author_s_work(registry, method):
    with pytest.raises(errors.NotAllowed, match="Only authors may do this"):
        getattr(registry.worker, method)(name="anything")


def test_the_arena_s_own_tokens_do_not_end(registry):
    for client, name in ((registry.admin, "admin"), (registry.worker, "worker")):
        who = client.WhoAmI()
        assert (who.account_name, list(who.scopes), who.HasField("expires_at")) == (name, [name], False)


def test_a_token_ends_at_the_latest_with_the_one_that_made_it(registry):
    author = registry.author()
    one_day = author.CreateToken(days=1)
    child = registry.client(one_day.token).CreateToken(days=365)
    assert child.expires_at.ToMilliseconds() == one_day.expires_at.ToMilliseconds()


def test_a_worker_s_token_makes_no_tokens(registry):
    with pytest.raises(errors.NotAllowed, match="worker's token makes no"):
        registry.worker.CreateToken()


def test_tokens_are_listed_with_what_they_are_for(registry):
    author = registry.author()
    laptop = registry.client(author.CreateToken(label="laptop").token)
    first, second = laptop.ListTokens().tokens
    assert (first.label, first.parent_id, first.current) == ("", "", False)
    assert (second.label, second.parent_id, second.current) == ("laptop", first.id, True)
    assert list(second.scopes) == ["author"]
    assert author.token not in str(first)


def test_a_list_of_tokens_says_when_each_was_last_used(registry, until):
    author = registry.author()
    laptop = registry.client(author.CreateToken(label="laptop").token)
    until(lambda: author.ListTokens().tokens[0].HasField("used_at"))
    first, second = author.ListTokens().tokens
    assert first.used_at.ToMilliseconds() >= first.created_at.ToMilliseconds()
    assert not second.HasField("used_at")
    laptop.WhoAmI()
    until(lambda: author.ListTokens().tokens[1].HasField("used_at"))


@pytest.mark.stores
def test_the_last_use_of_a_token_is_written_once_an_hour_whatever_the_replica(registry):
    now = [NOON]
    one, other = (Accounts(_database(registry), lambda: now[0], 90, BOUNDS, "open") for _ in range(2))
    token = one.create_account(f"a{uuid.uuid4().hex[:8]}", None, HERE).token
    who = one.identify_caller(token)
    tokens = Tokens(one.database, lambda: now[0])

    def use(accounts, milliseconds):
        now[0] = NOON + milliseconds
        accounts.identify_caller(token)

    def last_use():
        (owned,) = tokens.list_tokens(who, "")
        return owned.token.used_at

    assert last_use() is None
    one.uses.write()
    assert last_use() == NOON
    use(one, HOUR - 1)
    one.uses.write()
    assert last_use() == NOON
    use(one, HOUR)
    use(other, HOUR + 5)
    one.uses.write()
    other.uses.write()
    assert last_use() == NOON + HOUR
    for accounts in (one, other):
        accounts.database.close()


def test_a_registry_that_stops_writes_which_tokens_were_used(start, settings, valkey, tmp_path):
    url = f"sqlite:///{tmp_path / 'registry.db'}"
    with start(settings(tmp_path, url, f"{valkey}/6", sweep=600)) as registry:
        author = registry.author()
        author.WhoAmI()
    with start(settings(tmp_path, url, f"{valkey}/6", sweep=600)) as registry:
        (token,) = registry.client(author.token).ListTokens().tokens
        assert token.HasField("used_at")


def test_only_an_admin_lists_the_tokens_of_another_account(registry):
    author, other = registry.author(), registry.author()
    assert [one.account_name for one in registry.admin.ListTokens(account_name=author.name).tokens] == [
        author.name
    ]
    with pytest.raises(errors.NotAllowed, match="Only an admin"):
        other.ListTokens(account_name=author.name)


def test_a_revoked_token_ends_with_all_that_it_made(registry):
    author = registry.author()
    parent = registry.client(author.CreateToken(label="leaked").token)
    child = registry.client(parent.CreateToken().token)
    grandchild = registry.client(child.CreateToken().token)
    leaked = next(one for one in author.ListTokens().tokens if one.label == "leaked")
    assert author.RevokeToken(id=leaked.id).revoked == 3
    for client in (parent, child, grandchild):
        with pytest.raises(errors.RevokedToken, match="revoked"):
            client.WhoAmI()
    assert len(author.ListTokens().tokens) == 1
    assert author.RevokeToken(id=leaked.id).revoked == 0


@pytest.fixture
def accounts(registry):
    accounts = Accounts(_database(registry), lambda: 1_000, 90, BOUNDS, "open")
    yield accounts
    accounts.database.close()


@pytest.mark.stores
def test_a_call_let_in_before_its_token_was_revoked_makes_no_other_token(accounts):
    tokens = Tokens(accounts.database, lambda: 1_000)
    who = accounts.identify_caller(accounts.create_account(f"a{uuid.uuid4().hex[:8]}", None, HERE).token)
    assert tokens.revoke_token(who, who.token_id) == 1
    with pytest.raises(errors.RevokedToken):
        tokens.rotate_token(who)
    with pytest.raises(errors.RevokedToken):
        accounts.create_token(who, [], 1, "")
    assert tokens.list_tokens(who, "") == []


@pytest.mark.stores
def test_a_token_that_is_being_made_ends_with_its_parent_that_is_being_revoked(accounts):
    tokens = Tokens(accounts.database, lambda: 1_000)
    who = accounts.identify_caller(accounts.create_account(f"a{uuid.uuid4().hex[:8]}", None, HERE).token)
    child = Token(
        hash=token_hash(uuid.uuid4().hex), id=new_id("token"), parent=who.token_id, account_id=who.account_id,
        scopes="author", created_at=1, expires_at=9_000,
    )  # fmt: skip
    with ThreadPoolExecutor(1) as pool:
        with accounts.database.write() as session:
            lock_token(session, who)
            revoked = pool.submit(tokens.revoke_token, who, who.token_id)
            with pytest.raises(TimeoutError):
                revoked.result(0.5)
            session.add(child)
        assert revoked.result(patient(20)) == 2


def test_nobody_revokes_a_stranger_s_token(registry):
    author, other = registry.author(), registry.author()
    (token,) = author.ListTokens().tokens
    with pytest.raises(errors.UnknownTokenId):
        other.RevokeToken(id=token.id)
    assert registry.admin.RevokeToken(id=token.id).revoked == 1


def test_a_rotated_token_is_replaced_and_what_it_made_still_holds(registry):
    author = registry.author()
    child = registry.client(author.CreateToken().token)
    end = author.WhoAmI().expires_at
    fresh = author.RotateToken()
    assert fresh.expires_at == end
    after = registry.client(fresh.token)
    assert after.WhoAmI().account_name == author.name
    with pytest.raises(errors.RevokedToken):
        author.WhoAmI()
    assert child.WhoAmI().account_name == author.name
    assert after.RevokeToken(id=after.ListTokens().tokens[-1].id).revoked == 2


def test_a_token_whose_successor_never_arrived_can_be_rotated_again(registry):
    author = registry.author()
    lost = registry.client(author.RotateToken().token)
    assert author.WhoAmI().account_name == author.name
    fresh = registry.client(author.RotateToken().token)
    with pytest.raises(errors.RevokedToken):
        lost.WhoAmI()
    assert author.WhoAmI().account_name == author.name
    assert [one.current for one in fresh.ListTokens().tokens] == [True]
    with pytest.raises(errors.RevokedToken):
        author.WhoAmI()


def test_a_token_that_is_revoked_takes_its_unused_successor_with_it(registry):
    author = registry.author()
    leaked = registry.client(author.CreateToken(label="leaked").token)
    stolen = registry.client(leaked.RotateToken().token)
    old = next(one for one in author.ListTokens().tokens if one.label == "leaked")
    assert author.RevokeToken(id=old.id).revoked == 2
    for client in (leaked, stolen):
        with pytest.raises(errors.RevokedToken):
            client.WhoAmI()


@pytest.mark.stores
def test_a_successor_used_twice_at_once_takes_over_once(accounts):
    tokens = Tokens(accounts.database, lambda: 1_000)
    old = accounts.identify_caller(accounts.create_account(f"a{uuid.uuid4().hex[:8]}", None, HERE).token)
    child = accounts.identify_caller(accounts.create_token(old, [], 1, "").token)
    text, _ = tokens.rotate_token(old)
    with ThreadPoolExecutor(4) as pool:
        (fresh,) = {who.token_id for who in pool.map(accounts.identify_caller, [text] * 4)}
    listed = {one.token.id: one.token.parent for one in tokens.list_tokens(old, "")}
    assert listed == {fresh: "", child.token_id: fresh}


def test_the_arena_s_own_tokens_are_neither_revoked_nor_rotated(registry):
    (token,) = (one for one in registry.admin.ListTokens().tokens if one.current)
    with pytest.raises(errors.NotAllowed, match="settings"):
        registry.admin.RevokeToken(id=token.id)
    with pytest.raises(errors.NotAllowed, match="settings"):
        registry.admin.RotateToken()


def test_tokens_made_by_the_arena_s_own_end_when_that_is_changed(registry):
    accounts = Accounts(_database(registry), lambda: 1_000, 90, BOUNDS, "open")
    minted = accounts.create_token(registry_admin(accounts), ["worker"], 1, "", "host-1")
    assert accounts.identify_caller(minted.token).scopes == {"worker"}
    accounts.ensure_account("admin", "admin", ADMIN)
    assert accounts.identify_caller(minted.token).scopes == {"worker"}
    try:
        accounts.ensure_account("admin", "admin", "mm_another-admin-token")
        with pytest.raises(errors.RevokedToken):
            accounts.identify_caller(minted.token)
        with pytest.raises(errors.RevokedToken):
            accounts.identify_caller(ADMIN)
    finally:
        accounts.ensure_account("admin", "admin", ADMIN)
    accounts.database.close()


def test_the_workers_of_the_host_in_the_settings_are_let_in_and_may_do_no_more(registry):
    accounts = Accounts(_database(registry), lambda: 1_000, 90, BOUNDS, "open")
    token, other = "mm_the-host-of-the-settings", "mm_another-one-of-that-host"
    try:
        accounts.ensure_host("host-1", token)
        who = accounts.identify_caller(token)
        assert (who.host, who.scopes, who.is_service) == ("host-1", {"worker"}, False)
        with pytest.raises(errors.NotAllowed, match="settings"):
            Tokens(accounts.database, accounts.clock).rotate_token(who)
        accounts.ensure_host("host-2", token)  # the next start, under another name
        assert accounts.identify_caller(token).host == "host-2"
        accounts.ensure_host("host-2", other)
        assert accounts.identify_caller(other).host == "host-2"
        with pytest.raises(errors.RevokedToken):
            accounts.identify_caller(token)
    finally:
        accounts.ensure_host("", "")
    with pytest.raises(errors.RevokedToken):
        accounts.identify_caller(other)
    accounts.database.close()


def test_a_host_s_token_neither_lists_nor_revokes_those_of_the_admin_that_made_it(registry):
    accounts = Accounts(_database(registry), lambda: 1_000, 90, BOUNDS, "open")
    tokens = Tokens(accounts.database, accounts.clock)
    admin = registry_admin(accounts)
    one, other = (accounts.create_token(admin, ["worker"], 1, "", name) for name in ("host-5", "host-6"))
    host, victim = (accounts.identify_caller(each.token) for each in (one, other))
    assert [each.token.id for each in tokens.list_tokens(host, "")] == [host.token_id]
    with pytest.raises(errors.UnknownTokenId, match="yours to revoke"):
        tokens.revoke_token(host, victim.token_id)
    assert accounts.identify_caller(other.token).host == "host-6"
    assert tokens.revoke_token(host, host.token_id) == 1  # its own it may end
    assert tokens.revoke_token(admin, victim.token_id) == 1
    accounts.database.close()


def test_a_host_that_an_admin_has_shut_out_stays_out_whatever_the_settings_say(registry):
    accounts = Accounts(_database(registry), lambda: 1_000, 90, BOUNDS, "open")
    tokens, text = Tokens(accounts.database, accounts.clock), "mm_the-host-that-is-shut-out"
    minted = accounts.create_token(registry_admin(accounts), ["worker"], 1, "", "host-3")
    try:
        accounts.ensure_host("host-1", text)
        assert tokens.revoke_token(registry_admin(accounts), accounts.identify_caller(text).token_id) == 1
        accounts.ensure_host("host-1", text)
        with pytest.raises(errors.RevokedToken):
            accounts.identify_caller(text)
        accounts.ensure_host("host-9", minted.token)  # one that an admin made keeps its label and its end
        assert accounts.identify_caller(minted.token).host == "host-3"
        assert accounts.identify_caller(minted.token).expires_at == minted.expires_at
    finally:
        accounts.ensure_host("", "")
    assert accounts.identify_caller(minted.token).host == "host-3"
    accounts.database.close()


def registry_admin(accounts):
    return accounts.identify_caller(ADMIN)
