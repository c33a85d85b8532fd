"""Requests of admins are kept by the service that received them, and shown to admins alone."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from maumau.client import action
from maumau.errors import NotAllowed, NotYours, UnknownBlock, UnknownTournament, UnknownVersion
from services.shared.base.auth import Identity
from services.shared.store.action import note
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal

DATABASES = ["sqlite"]  # nothing here depends on the kind
SECRET = "a-secret-for-nobody-to-read"


@pytest.fixture
def actions(arena):
    """Return a function: the newest actions, oldest first, without those of other tests."""
    before = len(action.read_newest_actions({"tournament": arena.address}, ADMIN, 10_000))

    def read():
        found = action.read_newest_actions({"tournament": arena.address}, ADMIN, 10_000)
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


def test_a_refusal_is_kept_before_the_caller_hears_of_it(arena, actions, monkeypatch):
    async def late(*told):
        await asyncio.sleep(0.3)
        await note(*told)

    monkeypatch.setattr("services.shared.store.action.note", late)
    with refused(UnknownTournament):
        arena.admin.cancel("no-such-cup")
    monkeypatch.undo()
    assert [one.outcome for one in actions()] == ["NOT_FOUND"]


def test_what_would_steer_a_terminal_or_cannot_be_stored_is_kept_without_that(arena, actions):
    arena.admin.create_token(label="one\0\x1b[31m\ntwo")
    assert [one.asked for one in actions()] == [
        "label=one\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}[31m two"
    ]


def test_who_gives_a_call_up_while_it_is_being_kept_has_made_it_all_the_same():
    kept, free = [], threading.Event()

    class Kept:
        def add(self, action):
            kept.append(action.method)

    async def give_up():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        held = loop.run_in_executor(None, free.wait)
        who = Identity("account_1", "admin", frozenset({"admin"}))
        told = "/maumau.v1.TournamentService/Cancel", who, None, "OK", "request_1"
        call = asyncio.create_task(note(Kept(), *told))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call
        free.set()
        await held
        await loop.run_in_executor(None, lambda: None)  # after other work for the one thread

    asyncio.run(give_up())
    assert kept == ["Cancel"]


@pytest.mark.long
def test_an_author_is_no_admin(arena, actions):
    author, name = arena.author()
    bot = arena.bot("first", author, name=f"{name}-bot")
    with refused(NotAllowed, "Only organisers of the arena or of a group may do this"):
        author.open("cup")
    with refused(NotYours):
        author.enter(arena.begin("first", "random"), arena.field("first")[0])
    assert not [one for one in actions() if one.account_name == name]
    with refused(NotAllowed):
        action.read_newest_actions({"tournament": arena.address}, author.token, 10)
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
    assert [line.split()[-2:] for line in lines[1:3]] == [["label=three", "OK"], ["label=two", "OK"]]
    assert terminal.run("actions", "-n", "1", "--json").json()["actions"][0]["method"] == "CreateToken"


def test_older_ones_are_listed_page_by_page(arena, actions, tmp_path):
    for label in ("one", "two", "three"):
        arena.admin.create_token(label=label)
    port = arena.address.rpartition(":")[2]
    where = f"http://127.0.0.1:{port},{port},{port},{port}"
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=where)
    first = terminal.run("actions", "-n", "2", "--json").json()
    assert [one["asked"] for one in first["actions"]] == ["label=three", "label=two"]
    second = terminal.run("actions", "-n", "1", "--before", first["older"], "--json").json()
    assert [one["asked"] for one in second["actions"]] == ["label=one"]
    assert f"--before {first['older']}" in terminal.run("actions", "-n", "2").out


def test_what_an_admin_does_with_calls_of_workers_and_services_is_kept(arena, actions):
    calls = arena.tournament(ADMIN)
    calls.Sweep()
    with refused(UnknownTournament):
        calls.Advance(tournament_id="no-such-cup")
    with refused(UnknownBlock):
        calls.ClaimNext(worker="by-hand", block_id="block_none")
    with refused(UnknownVersion):
        arena.registry(ADMIN).SuspendVersion(version_id="version_none", words="for a reason")
    kept = [(one.method, one.asked, one.outcome) for one in actions()]
    assert kept == [
        ("Sweep", "", "OK"),
        ("Advance", "tournament_id=no-such-cup", "NOT_FOUND"),
        ("ClaimNext", "worker=by-hand block_id=block_none", "NOT_FOUND"),
        ("SuspendVersion", "version_id=version_none words=for a reason", "NOT_FOUND"),
    ]
    arena.worker.Sweep()
    assert len(actions()) == len(kept)  # a worker's own calls are its work
