"""What admins did is kept by the service that they asked, and shown to admins alone."""

import pytest

from maumau import action
from maumau.errors import NotAllowed, NotYours, UnknownTournament
from tests.cli.terminal import Terminal
from tests.tournament.arena import ADMIN, refused

DATABASES = ["sqlite"]  # nothing here depends on the kind
SECRET = "a-secret-for-nobody-to-read"


@pytest.fixture
def actions(arena):
    """The newest ones, oldest first, without those of other tests."""
    before = len(action.newest([arena.address], ADMIN, 10_000))

    def read():
        found = action.newest([arena.address], ADMIN, 10_000)
        return found[: len(found) - before][::-1]

    return read


def test_what_an_admin_changes_is_kept_with_what_was_asked(arena, actions):
    name = arena.create(top=f'secret = "{SECRET}"')
    arena.admin.open(name)
    arena.admin.tournament(name)
    with refused(UnknownTournament):
        arena.admin.cancel("no-such-cup")
    kept = actions()
    assert [(one.service, one.method, one.outcome) for one in kept] == [
        ("TournamentService", "CreateTournament", "OK"),
        ("TournamentService", "OpenEntries", "OK"),
        ("TournamentService", "Cancel", "NOT_FOUND"),
    ]
    assert [one.asked for one in kept] == ["spec_toml=…", f"tournament={name}", "tournament=no-such-cup"]
    assert {one.account_name for one in kept} == {"admin"}
    assert all(one.request_id and one.at for one in kept)
    assert SECRET not in str(kept)


def test_what_would_steer_a_terminal_or_cannot_be_stored_is_kept_without_that(arena, actions):
    arena.admin.create_token(label="one\0\x1b[31m\ntwo")
    assert [one.asked for one in actions()] == [
        "label=one\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31m two"
    ]


def test_an_author_is_no_admin(arena, actions):
    author, name = arena.author()
    bot = arena.bot("first", author, name=f"{name}-bot")
    with refused(NotAllowed, "is for organisers"):
        author.open("cup")
    with refused(NotYours):
        author.enter(arena.begin("first", "random"), arena.field("first")[0])
    assert not [one for one in actions() if one.account_name == name]
    with refused(NotAllowed):
        action.newest([arena.address], author.token, 10)
    assert author.delete_bot(bot) is None


def test_the_registry_keeps_its_own_in_pages(arena, actions, tmp_path, monkeypatch):
    for label in ("one", "two", "three"):
        arena.admin.create_token(label=label)
    asked = ["label=one", "label=two", "label=three"]
    assert [(one.service, one.asked) for one in actions()] == [("RegistryService", each) for each in asked]
    monkeypatch.setattr(action, "PAGE", 2)
    assert [one.asked for one in actions()] == asked
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(
        tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port},{port},{port}"
    )
    lines = terminal.run("actions", "-n", "2").out.splitlines()
    assert [line.split()[-2:] for line in lines[1:]] == [["label=three", "OK"], ["label=two", "OK"]]
    assert terminal.run("actions", "-n", "1", "--json").json()["actions"][0]["method"] == "CreateToken"
