"""`maumau token` against a real registry."""

import re

import msgspec
import pytest

from tests.support.terminal import Terminal


@pytest.fixture
def maumau(registry, tmp_path):
    """Runs a command as an author with a home of its own; what it printed, as JSON."""
    author = registry.author()
    arena = f"{registry.address},{registry.address.rpartition(':')[2]}"

    def run(*words, token="", fails=False, as_text=False):
        given = {"MAUMAU_TOKEN": token} if token else {}
        terminal = Terminal(tmp_path, MAUMAU_ARENA=arena, **given)
        if as_text:
            return terminal.run(*words).out
        answer = terminal.run(*words, "--json", code=1 if fails else 0)
        return msgspec.json.decode(answer.err if fails else answer.out)

    run("login", "--token", author.token)
    return run


def test_an_author_makes_a_token_for_a_host_and_ends_it(maumau):
    made = maumau("token", "create", "--label", "host-1", "--days", "30")
    assert made["token"].startswith("mm_")
    listed = maumau("token", "list")["tokens"]
    assert [(one["label"], one["current"]) for one in listed] == [("", True), ("host-1", False)]
    assert listed[1]["used_at"] is None
    assert maumau("whoami", token=made["token"])["scopes"] == ["author"]
    assert maumau("token", "revoke", listed[1]["id"]) == {"revoked": 1}
    refused = maumau("whoami", token=made["token"], fails=True)
    assert refused["error"]["reason"] == "REVOKED_TOKEN"


def test_the_table_of_tokens_says_which_was_never_used(maumau):
    maumau("token", "create", "--label", "host-1")
    heads, *_, row = maumau("token", "list", as_text=True).splitlines()
    assert re.split("  +", heads.strip()) == ["id", "label", "scopes", "made", "last used", "ends", "made by"]
    assert re.fullmatch(r"token_\S+ +host-1 +author +\S+ +never +\S+ +token_\S+", row.strip())


def test_who_rotates_a_token_goes_on_with_the_new_one(maumau):
    before = maumau("token", "list")["tokens"][0]["id"]
    maumau("token", "rotate")
    (after,) = maumau("token", "list")["tokens"]
    assert after["current"]
    assert after["id"] != before


def test_a_rotated_token_of_the_environment_is_shown_and_the_login_stays(maumau):
    made = maumau("token", "create", "--label", "host-1")
    fresh = maumau("token", "rotate", token=made["token"])
    assert maumau("token", "list", token=fresh["token"])["tokens"][-1]["current"]
    assert maumau("token", "list")["tokens"][0]["current"]
    assert maumau("whoami", token=made["token"], fails=True)["error"]["reason"] == "REVOKED_TOKEN"


def test_who_cannot_keep_the_rotated_token_goes_on_with_the_old_one(maumau, tmp_path):
    (login,) = tmp_path.rglob("tokens.json")
    login.with_suffix(".new").mkdir()
    assert "cannot be written" in maumau("token", "rotate", fails=True)["error"]["message"]
    login.with_suffix(".new").rmdir()
    assert maumau("whoami")
    maumau("token", "rotate")
    assert len(maumau("token", "list")["tokens"]) == 1


def test_an_unknown_token_is_refused_with_where_to_look(maumau):
    refused = maumau("token", "revoke", "token_nowhere", fails=True)
    assert refused["error"]["reason"] == "UNKNOWN_TOKEN_ID"


def test_a_code_for_the_page_is_printed_with_its_end(maumau):
    made = maumau("page")
    assert re.fullmatch(r"[2-9A-Z]{4}-[2-9A-Z]{4}", made["code"])
    assert made["code"] != maumau("page")["code"]
    assert maumau("page", token="mm_" + "x" * 43, fails=True)["error"]["reason"] == "UNKNOWN_TOKEN"
