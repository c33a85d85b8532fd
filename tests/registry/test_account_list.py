"""Accounts as admins list them: by RPC in pages, by the client, and by `maumau admin list`."""

import uuid

import msgspec
import pytest
from sqlalchemy import text

from maumau import errors
from maumau.client import arena as author_client
from maumau.client import link
from services.registry.domain.token import token_hash
from services.shared.store.connect import Database
from tests.support.terminal import Terminal


def one_of(registry, name):
    """Return an account of `open_three` as it is listed."""
    found = registry.admin.ListAccounts(after=name[:-1], page_size=3).accounts
    return next(one for one in found if one.name == name)


def open_three(registry):
    """Open accounts whose names follow each other; return their names and clients."""
    start = f"a{uuid.uuid4().hex[:12]}"
    names = [f"{start}{letter}" for letter in "xyz"]
    return names, [registry.client(registry.admin.CreateAccount(name=name).token) for name in names]


@pytest.mark.sample
@pytest.mark.stores
def test_an_admin_lists_accounts_with_their_tokens_bots_and_last_use(registry, until):
    (name, idle, ended), (author, _, leaked) = open_three(registry)
    author.CreateToken(label="laptop")
    registry.admin.CreateToken(account_name=name, scopes=["organiser"])
    for bot in (f"{name}-1", f"{name}-2", f"{name}-3"):
        author.CreateBot(name=bot)
    author.DeleteBot(name=f"{name}-2")
    until(lambda: one_of(registry, name).HasField("used_at"))
    found = one_of(registry, name)
    assert (list(found.scopes), found.tokens, found.bots) == (["author", "organiser"], 3, 2)
    assert found.used_at.ToMilliseconds() >= found.created_at.ToMilliseconds() > 0
    assert author.token not in str(found)
    leaked.RevokeToken(id=leaked.ListTokens().tokens[0].id)
    until(lambda: one_of(registry, ended).HasField("used_at"))  # by a token that has ended since
    revoked = one_of(registry, ended)
    assert (list(revoked.scopes), revoked.tokens) == ([], 0)
    unused = one_of(registry, idle)
    assert (list(unused.scopes), unused.tokens, unused.bots) == (["author"], 1, 0)
    assert not unused.HasField("used_at")


@pytest.mark.stores
def test_accounts_are_listed_by_name_in_pages(registry, monkeypatch):
    names, _ = open_three(registry)
    start = names[0][:-1]
    first = registry.admin.ListAccounts(after=start, page_size=2)
    assert [one.name for one in first.accounts] == names[:2]
    assert first.next_page_token == names[1]
    second = registry.admin.ListAccounts(after=names[2], page_token=names[1], page_size=1)
    assert [one.name for one in second.accounts] == names[2:]
    monkeypatch.setattr(link, "PAGE", 2)
    monkeypatch.setattr("maumau.client.registry.PAGE", 2)
    with author_client.Arena(registry.address, registry.address, registry.admin.token) as arena:
        everyone = [one.name for one in arena.accounts()]
        assert [one.name for one in arena.accounts(start, 3)] == names
    assert len(everyone) == len(set(everyone))
    assert {"admin", "worker", *names} <= set(everyone)


def test_a_token_that_has_expired_does_not_count_and_its_use_does(registry, until):
    (name, *_), (author, *_) = open_three(registry)
    author.WhoAmI()
    until(lambda: one_of(registry, name).HasField("used_at"))
    database = Database(registry.settings.database("registry"), "registry")
    with database.write() as session:
        query = text("UPDATE token SET expires_at = 1 WHERE hash = :hash")
        session.exec(query.bindparams(hash=token_hash(author.token)))
    database.close()
    found = one_of(registry, name)
    assert (list(found.scopes), found.tokens, found.HasField("used_at")) == ([], 0, True)


def test_what_is_no_place_in_the_list_is_refused_in_words(registry):
    for token in ("A", "x" * 33, "a b", "ada\n", "ü", "x\x00y"):
        with pytest.raises(errors.BadRequest, match="is not the token of a page"):
            registry.admin.ListAccounts(page_token=token)
        with pytest.raises(errors.BadRequest, match="is neither a name nor the beginning of one"):
            registry.admin.ListAccounts(after=token)


def test_only_admins_list_accounts(registry):
    author = registry.author()
    organiser = registry.client(
        registry.admin.CreateToken(account_name=author.name, scopes=["organiser"]).token
    )
    for client in (author, organiser, registry.worker):
        with pytest.raises(errors.NotAllowed, match="Only admins may do this"):
            client.ListAccounts()
    with pytest.raises(errors.MissingToken):
        registry.client("").ListAccounts()


# --- the command ---


@pytest.fixture
def maumau(registry, tmp_path):
    """Runs a command with a token."""
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"

    def run(*words, token=registry.admin.token, code=0):
        return Terminal(tmp_path, MAUMAU_ARENA=arena, MAUMAU_TOKEN=token).run(*words, code=code)

    return run


def test_the_command_lists_accounts_and_says_how_to_go_on(registry, maumau):
    names, _ = open_three(registry)
    start = names[0][:-1]
    out = maumau("admin", "list", "--after", start, "-n", "2").out
    heads, *_ = out.splitlines()
    assert heads.split() == ["account", "scopes", "tokens", "bots", "opened", "last", "used"]
    assert [name in out.rpartition("\nthere are more")[0] for name in names] == [True, True, False]
    assert f"there are more; `maumau admin list --after {names[1]}` goes on" in out
    rest = maumau("admin", "list", "--after", names[1], "-n", "1").out
    (row,) = (line.split() for line in rest.splitlines() if line.startswith(names[2]))
    opened = one_of(registry, names[2]).created_at.ToDatetime()
    assert row == [names[2], "author", "1", "0", f"{opened:%Y-%m-%d}", "never"]
    assert "there is no account after zzzzzz" in maumau("admin", "list", "--after", "z" * 32).out


def test_every_account_is_a_line_of_json(registry, maumau):
    names, clients = open_three(registry)
    clients[0].CreateBot(name=f"{names[0]}-1")
    lines = maumau("admin", "list", "--json").json_lines()
    assert {"admin", "worker", *names} <= {one["name"] for one in lines}
    (found,) = maumau("admin", "list", "--after", names[0][:-1], "-n", "1", "--json").json_lines()
    assert found.pop("created_at")
    found.pop("used_at")  # its token was used just now, which may not be written yet
    assert found == {"name": names[0], "scopes": ["author"], "tokens": 1, "bots": 1}
    refused = maumau("admin", "list", "--after", "Ada", "--json", code=1)
    assert msgspec.json.decode(refused.err)["error"]["reason"] == "BAD_REQUEST"


def test_an_account_is_shut_out_by_its_name(registry, maumau):
    (name, other, _), (author, *_) = open_three(registry)
    author.CreateToken(label="laptop")
    registry.admin.CreateToken(account_name=name, scopes=["organiser"])
    author.CreateBot(name=f"{name}-1")
    said = maumau("admin", "block", name).out
    assert said.startswith(f"{name} is shut out, 3 tokens ended;")
    with pytest.raises(errors.RevokedToken):
        author.CreateToken(label="another")
    assert (one_of(registry, name).tokens, one_of(registry, name).bots) == (0, 1)
    assert one_of(registry, other).tokens == 1
    again = maumau("admin", "block", name, code=1)
    assert f"No account '{name}' has a token that is still valid. `maumau admin list`" in again.err
    assert "This is your own account" in maumau("admin", "block", "admin", code=1).err
    refused = maumau("admin", "block", other, token=registry.author().token, code=1)
    assert "Only an admin blocks accounts; your token lacks the scope admin." in refused.err
    assert one_of(registry, other).tokens == 1
    maumau("token", "create", "--account", name)
    assert one_of(registry, name).tokens == 1


def test_the_command_is_refused_to_others_in_words(registry, maumau):
    answer = maumau("admin", "list", token=registry.author().token, code=1)
    assert answer.err.startswith("error: Only admins may do this. It takes a token with the scope admin; ")
    assert answer.err.count("\n") == 1
    assert answer.out == ""
