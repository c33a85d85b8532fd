"""Accounts, tokens and scopes."""

import uuid

import pytest
from sqlalchemy import text

from maumau import errors
from services.registry.token import token_hash
from services.shared.connect import Database


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
    with pytest.raises(errors.BadRequest, match="author, admin, worker"):
        author.CreateToken(scopes=["root"])


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


@pytest.mark.parametrize("method", ["ClaimValidation", "RenewValidation", "SubmitValidation"])
def test_an_author_may_not_do_a_worker_s_work(registry, method):
    with pytest.raises(errors.NotAllowed, match=f"{method} needs scope worker"):
        getattr(registry.author(), method)(version_id="version_x")


@pytest.mark.parametrize("method", ["CreateBot", "DeleteBot"])
def test_a_worker_may_not_do_an_author_s_work(registry, method):
    with pytest.raises(errors.NotAllowed, match="needs scope author"):
        getattr(registry.worker, method)(name="anything")


def test_the_arena_s_own_tokens_do_not_end(registry):
    for client, name in ((registry.admin, "admin"), (registry.worker, "worker")):
        who = client.WhoAmI()
        assert (who.account_name, list(who.scopes), who.HasField("expires_at")) == (name, [name], False)
