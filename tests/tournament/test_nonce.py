"""Nonces of entrants: committed to at entry, opened once entries have closed, in the root from the start."""

import hashlib
import json

import pytest

from maumau.client import action
from maumau.contest.export.verify import verify
from maumau.contest.spec.spec import parse_spec
from maumau.errors import (
    BadNonce,
    EntriesClosed,
    EntriesStillOpen,
    NotYours,
    TooFewEntrants,
    WrongState,
)
from tests.support.arenas.calls import refused
from tests.support.arenas.nonce import NONCE, OTHER, commit_nonce
from tests.support.arenas.tournament import ADMIN, DEFAULTS, SECRET, SPEC
from tests.support.terminal import Terminal
from tests.support.waiting import until
from tests.tournament.test_export import compared
from tests.tournament.test_protest import let_it_be_due
from tests.tournament.test_watch import Watch

SHORT = {"block": 2, "cap": 2, "top": SECRET}


def opened(arena, *commitments, **spec):
    """Return a tournament of house bots with open entries and these commitments."""
    name = arena.create(**SHORT | spec)
    arena.admin.open(name)
    for bot, commitment in zip(arena.field("first", "random", "first"), commitments, strict=False):
        arena.admin.enter(name, bot, commitment)
    return name


@pytest.mark.long
def test_the_start_waits_for_the_nonces_and_the_last_one_starts_it(arena, tmp_path):
    name = opened(arena, commit_nonce(NONCE), "", commit_nonce(OTHER))
    first, random, third = arena.field("first", "random", "first")
    watch = Watch(arena, name)
    with refused(EntriesStillOpen, "nobody enters who knows one"):
        arena.admin.open_nonce(name, first, NONCE)
    now = arena.admin.start(name)
    assert (now.state, now.entries_root) == ("starting", "")
    assert now.words.startswith(
        f"its entries are closed, and 1 of 1 authors still has to confirm (for {first}, {third}); any maumau"
    )
    assert (now.due_at - now.closes_at).total_seconds() == 600
    assert arena.admin.start(name).due_at == now.due_at  # to ask again moves nothing
    with refused(EntriesClosed, "its entries are closed"):
        arena.admin.enter(name, arena.field("second")[0])
    for nonce in (OTHER, "no hex", NONCE.upper() + "A"):
        with refused(BadNonce):
            arena.admin.open_nonce(name, first, nonce)
    with refused(BadNonce, "was entered with"):
        arena.admin.open_nonce(name, random, NONCE)
    for _ in range(2):  # an answer that got lost is asked for again
        assert arena.admin.open_nonce(name, first, NONCE).nonce_opened
    entries = arena.admin.tournament(name).entries
    assert [(one.nonce_opened, one.nonce) for one in entries] == [(True, ""), (False, ""), (False, "")]
    arena.admin.open_nonce(name, third, OTHER)
    now = arena.admin.tournament(name)
    assert now.state == "running"
    assert [one.nonce for one in now.entries] == [NONCE, "", OTHER]
    with refused(WrongState, "is running"):
        arena.admin.open_nonce(name, third, OTHER)
    arena.finish(name)
    assert watch.saw_the_end()
    [closed] = [one.entries_closed for one in watch.events if one.entries_closed]
    assert closed.entrants == (1, 3)
    assert not any(NONCE in one.words for one in watch.events)
    kept = action.read_newest_actions({"tournament": arena.address}, ADMIN, 1000, tls=False)
    assert [one.asked for one in kept if one.method == "OpenNonce" and "nonce=…" not in one.asked] == []
    assert any(one.method == "OpenNonce" for one in kept)
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    report = verify(tmp_path / "cup.jsonl")
    assert (report.ok, report.opened, report.unopened) == (True, (first, third), ())


def test_a_nonce_that_is_not_opened_in_time_is_left_out_and_named(arena, tmp_path):
    """The root, by hand: who drew one, who opened it; the tournament is played all the same."""
    name = opened(arena, commit_nonce(NONCE), commit_nonce(OTHER))
    first, random = arena.field("first", "random")
    arena.admin.start(name)
    arena.admin.open_nonce(name, first, NONCE)
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).state == "running")
    arena.finish(name)
    export = arena.export(name)
    spec, *entries = map(json.loads, export.splitlines()[:3])
    assert [entry.get("nonce") for entry in entries] == [NONCE, None]
    bound = {
        "entries": [[one["number"], one["sha256"], one["name"]] for one in entries],
        "nonces": [[1, commit_nonce(NONCE), NONCE], [2, commit_nonce(OTHER), ""]],
        "rules_hash": spec["rules_hash"],
        "spec": {key: value for key, value in spec["spec"].items() if key != "name"},
        "version": 4,
    }
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert spec["root"] == hashlib.sha256(text.encode()).hexdigest()
    (tmp_path / "cup.jsonl").write_bytes(export)
    report = verify(tmp_path / "cup.jsonl")
    assert (report.ok, report.opened, report.unopened) == (True, (first,), (random,))
    out = Terminal(tmp_path).run("verify", str(tmp_path / "cup.jsonl")).out
    assert f"never opened: the nonces of {random}; " in out
    assert "between 2 sets of deals" in out
    forged = export.replace(NONCE.encode(), b"33" * 32)
    (tmp_path / "forged.jsonl").write_bytes(forged)
    assert not verify(tmp_path / "forged.jsonl").ok


@pytest.mark.long
def test_a_given_secret_and_given_nonces_give_the_same_export_and_others_do_not(arena):
    exports = []
    for nonce in (NONCE, NONCE, OTHER):
        name = opened(arena, commit_nonce(nonce), "")
        arena.admin.start(name)
        arena.admin.open_nonce(name, arena.field("first")[0], nonce)
        arena.finish(name)
        exports.append(compared(arena.export(name)))
    assert exports[0] == exports[1]
    assert exports[0] != exports[2]
    plain = opened(arena, "", "")
    assert arena.admin.start(plain).state == "running"  # there is no waiting without nonces
    arena.finish(plain)
    assert b"nonce" not in arena.export(plain)


@pytest.mark.long
def test_who_withdraws_once_entries_have_closed_changes_no_number_and_is_not_waited_for(arena):
    name = opened(arena, commit_nonce(NONCE), "", commit_nonce(OTHER))
    first, random, third = arena.field("first", "random", "first")
    arena.admin.start(name)
    arena.admin.open_nonce(name, third, OTHER)
    arena.admin.withdraw(name, first)
    now = arena.admin.tournament(name)
    assert [(one.number, one.withdrawn) for one in now.entries] == [(1, True), (2, False), (3, False)]
    assert arena.admin.tournament(name).state == "running"  # nobody is left to wait for
    arena.finish(name)
    assert {one.rule for one in arena.admin.matches(name) if first in (one.first_name, one.second_name)} == {
        "withdrawn"
    }
    assert random in {one.bot_name for one in arena.admin.standings(name).standings}


def test_a_spec_may_leave_no_time_for_nonces_and_one_entrant_closes_nothing(arena):
    hasty = opened(arena, commit_nonce(NONCE), "", top=f"{SECRET}\n[entries]\nopening_minutes = 0")
    assert arena.admin.start(hasty).state == "running"
    alone = opened(arena, commit_nonce(NONCE))
    with refused(TooFewEntrants):
        arena.admin.start(alone)
    assert arena.admin.tournament(alone).closes_at is None
    with refused(BadNonce):
        arena.admin.enter(alone, arena.field("random")[0], "no hash")


@pytest.mark.long
def test_a_nonce_is_its_authors_and_a_newer_version_keeps_it(arena):
    (author, account), (stranger, _) = arena.author(), arena.author()
    bot, name = arena.bot("first", author), opened(arena, "", top="")
    author.enter(name, bot, commit_nonce(NONCE))
    newer = author.submit(bot, arena.program(f"newer-{bot}")).version
    arena.pass_validation(newer.id, ["mau_mau"])
    author.activate(newer.id)
    assert arena.admin.enter(name, bot, commit_nonce(OTHER)).commitment == commit_nonce(NONCE)
    arena.admin.start(name)
    with refused(NotYours, account):
        stranger.open_nonce(name, bot, NONCE)
    author.open_nonce(name, bot, NONCE)
    assert arena.admin.tournament(name).state == "running"


def terminal(arena, home, token):
    home.mkdir()
    port = arena.address.rpartition(":")[2]
    place = f"http://127.0.0.1:{port},{port},{port},{port}"
    return Terminal(home, MAUMAU_TOKEN=token, MAUMAU_ARENA=place)


@pytest.mark.long
def test_commands_draw_keep_and_open_by_themselves(arena, tmp_path):
    """The author's next command, whatever it is; whoever starts the cup opens their own at once."""
    (author, _), name = arena.author(), opened(arena, "", top="")
    bot, house = arena.bot("random", author), arena.field("first", "random")[1]
    ada, admin = terminal(arena, tmp_path / "ada", author.token), terminal(arena, tmp_path / "admin", ADMIN)
    entry = ada.run("tournament", "enter", name, bot, "--json").json()
    assert len(entry["commitment"]) == 64
    admin.run("tournament", "enter", name, house)
    (kept,) = ada.home.rglob("nonces.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    started = admin.run("tournament", "start", name).out
    assert f"1 of 2 authors still has to confirm: {bot} of " in started  # and not the house
    assert f"tournament start {name} --now` starts without them" in started
    assert "nonce" not in started
    assert ", starting, 3 entries, starts at " in started
    assert " at the latest" in started
    ada.run("bots", "--mine")
    now = arena.admin.tournament(name)
    assert now.state == "running"
    assert [bool(one.nonce) for one in now.entries] == [False, True, True]
    ada.run("bots", "--mine")
    assert list(json.loads(kept.read_text())["arenas"].values()) == [{}]


@pytest.mark.long
def test_a_spec_that_lets_no_nonce_be_opened_is_said_to_whom_it_concerns(arena, tmp_path):
    admin, words = terminal(arena, tmp_path / "admin", ADMIN), "the deals come from the arena's secret alone"
    spec = SPEC.format(**DEFAULTS | {"name": arena.create() + "-b", "top": "[entries]\nopening_minutes = 0"})
    (admin.home / "cup.toml").write_text(spec)
    made = admin.run("tournament", "create", "cup.toml", "--open", "--json")
    name = made.json()["name"]
    assert made.err.startswith(f"warning: {words}")
    first, random = arena.field("first", "random")
    assert admin.run("tournament", "enter", name, first).err == ""  # it is the organiser's choice
    assert admin.run("tournament", "enter", name, random, "--no-nonce").err == ""
    told = arena.tournament(ADMIN).Enter
    assert list(told(tournament=opened(arena, commit_nonce(NONCE)), bot_name=random).warnings) == []
    shown = admin.run("tournament", "show", name).out
    assert f"warning: {words}" in shown
    assert "nonces" not in shown
    started = admin.run("tournament", "start", name)
    assert (started.err, "running" in started.out) == ("", True)
    assert "nonces" not in admin.run("tournament", "show", name).out  # nobody has failed to open one
    arena.admin.cancel(name)


def test_nonces_can_be_opened_where_entries_close_before_the_start():
    at = "[entries]\nopening_minutes = 0\ncloses = 2999-01-01T00:00:00Z\n[schedule]\nstarts = {}"
    for starts, warned in (("2999-01-01T00:00:00Z", True), ("2999-01-01T01:00:00+00:00", False)):
        spec = SPEC.format(**DEFAULTS | {"name": "cup", "top": at.format(starts)})
        assert bool(parse_spec(spec).warnings) == warned
    assert parse_spec(SPEC.format(**DEFAULTS | {"name": "cup"})).warnings == []
