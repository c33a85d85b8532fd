"""Changes of a spec before play: what may change when, who sees it, and what the export says in the end."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from maumau.contest.export.line import check_sum
from maumau.contest.export.verify import verify
from maumau.contest.seed import compute_commitment
from maumau.errors import BadSpec, QuotaReached, WrongState
from services.tournament.organising import organiser
from services.tournament.store.contests import spec_change
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, DEFAULTS, SECRET, SPEC
from tests.support.meanwhile import do_before
from tests.support.terminal import Terminal

MOMENTS = "[schedule]\nstarts = 2999-01-01T00:00:00Z"
NONCE = "ab" * 32


def a_spec(name: str, **changes: object) -> str:
    return SPEC.format(**{**DEFAULTS, "name": name, **changes})


@pytest.fixture
def opened(arena) -> Iterator[str]:
    name = arena.create()
    arena.admin.open(name)
    return name


def list_keys(tournament) -> list[list[tuple[str, str, str]]]:
    return [[(one.key, one.before, one.after) for one in change.keys] for change in tournament.spec_changes]


def test_while_nobody_has_entered_all_but_the_secret_can_change(arena, opened):
    before = arena.admin.tournament(opened)
    after = arena.admin.edit(opened, a_spec(opened, cap=40))
    assert (after.id, after.state, after.commitment) == (before.id, "open", before.commitment)
    assert list_keys(after) == [[("match.cap", "20", "40")]]
    again = arena.admin.edit(opened, a_spec(opened, cap=40))  # nothing is different
    assert list_keys(again) == list_keys(after)
    with refused(WrongState, "its commitment"):
        arena.admin.edit(opened, f"{SECRET}\n{a_spec(opened, cap=40)}")
    found = arena.admin.tournament(opened)
    assert found.spec_changes[0].account_name == "admin"
    assert abs(datetime.now(UTC) - found.spec_changes[0].at) < timedelta(minutes=10)


def test_another_secret_before_the_opening_is_recorded_by_its_commitment(arena):
    name = arena.create()
    before = arena.admin.tournament(name).commitment
    after = arena.admin.edit(name, f"{SECRET}\n{a_spec(name)}")
    told = compute_commitment(SECRET.split('"')[1])
    assert list_keys(after) == [[("commitment", before, told)]]
    assert SECRET.split('"')[1] not in str(after)


def test_once_a_bot_has_entered_what_is_played_stays(arena, opened):
    arena.enter(opened, arena.field("first")[0])
    for change in ({"cap": 40}, {"format": "single_elimination"}, {"top": "score = 'points'"}):
        with refused(WrongState, f"`maumau tournament copy {opened} NEW-NAME`"):
            arena.admin.edit(opened, a_spec(opened, **change))
    with refused(WrongState, "match.cap cannot be changed any more"):
        arena.admin.edit(opened, a_spec(opened, cap=40))
    assert not arena.admin.tournament(opened).spec_changes
    renamed = f"cup-{uuid.uuid4().hex[:8]}"
    free = f"release = 'end'\n[entries]\nmost = 8\n{MOMENTS}\nprotest_minutes = 5"
    after = arena.admin.edit(opened, a_spec(renamed, top=free))
    assert (after.name, after.release, after.due_at.year) == (renamed, "end", 2999)
    assert [key for key, _, _ in list_keys(after)[0]] == [
        "entries.most", "name", "release", "schedule.protest_minutes", "schedule.starts",
    ]  # fmt: skip
    assert "starts by itself" not in arena.admin.edit(renamed, a_spec(renamed)).words
    assert arena.admin.tournament(renamed).due_at is None
    arena.admin.cancel(renamed)


@pytest.mark.sample
@pytest.mark.parametrize(
    ("top", "words"),
    [
        ("[entries]\nmost = 2", "entries.most: 2 is less than the 3 bots"),
        ("[entries]\naccounts = ['nobody']", "entries.accounts: admin is not listed, but has a bot"),
        (
            "[entries]\ncloses = 2001-01-01T00:00:00Z",
            "closes: 2001-01-01T00:00:00+00:00 is in the past",
        ),
        ("[schedule]\nstarts = 2001-01-01T00:00:00Z", "starts: 2001-01-01T00:00:00+00:00 is in the past"),
    ],
)
def test_conditions_that_the_entrants_do_not_meet_are_refused(arena, opened, top, words):
    for bot in arena.field("first", "random", "crash"):
        arena.enter(opened, bot)
    with refused(BadSpec, words):
        arena.admin.edit(opened, a_spec(opened, top=top))
    assert not arena.admin.tournament(opened).spec_changes
    arena.admin.cancel(opened)


def test_an_account_with_two_bots_is_not_limited_to_one(arena, opened):
    author, account = arena.author()
    for policy in ("first", "random"):
        author.enter(opened, arena.bot(policy, author))
    with refused(BadSpec, f"entries.per_account: {account} has 2 bots in it, more than 1"):
        arena.admin.edit(opened, a_spec(opened, top="[entries]\nper_account = 1"))
    arena.admin.cancel(opened)


def test_after_the_close_of_entries_nothing_changes(arena, opened):
    author, _ = arena.author()
    author.enter(opened, arena.bot("first", author), compute_commitment(NONCE))
    arena.enter(opened, arena.field("random")[0])
    assert arena.admin.start(opened).state == "starting"
    for spec in (a_spec(opened, top="release = 'end'"), a_spec(f"{opened}-b")):
        with refused(WrongState, "its entries have closed"):
            arena.admin.edit(opened, spec)
    arena.admin.start(opened, now=True)
    with refused(WrongState, f"`maumau tournament copy {opened} NEW-NAME`"):
        arena.admin.edit(opened, a_spec(opened, top="release = 'end'"))
    arena.admin.cancel(opened)


def test_a_bot_enters_for_the_spec_that_it_was_checked_for(arena, opened, monkeypatch):
    def change_meanwhile(version, spec):
        monkeypatch.undo()
        arena.admin.edit(opened, a_spec(opened, cap=40))

    bot = arena.bot("first")
    monkeypatch.setattr(organiser, "check_invited", change_meanwhile)
    with refused(WrongState, "has just changed"):
        arena.admin.enter(opened, bot)
    assert arena.admin.enter(opened, bot).number == 1
    arena.admin.cancel(opened)


def test_two_organisers_do_not_undo_each_others_change(arena, opened, monkeypatch):
    changing = organiser.rebuild_tournament

    def change_meanwhile(spec, now, at):
        monkeypatch.undo()
        arena.admin.edit(opened, a_spec(opened, cap=40))
        return changing(spec, now, at)

    monkeypatch.setattr(organiser, "rebuild_tournament", change_meanwhile)
    with refused(WrongState, "changed meanwhile"):
        arena.admin.edit(opened, a_spec(opened, cap=60))
    assert "cap = 40" in arena.admin.tournament(opened).spec_toml


def test_a_secret_that_another_organiser_gives_just_then_stays(arena, monkeypatch):
    name = arena.create()
    given = f"{SECRET}\n{a_spec(name)}"
    do_before(monkeypatch, organiser, "rebuild_tournament", lambda: arena.admin.edit(name, given))
    with refused(WrongState, "changed meanwhile"):
        arena.admin.edit(name, a_spec(name, cap=60))
    found = arena.admin.tournament(name)
    assert found.commitment == compute_commitment(SECRET.split('"')[1])
    assert "cap = 20" in found.spec_toml


def test_a_stranger_changes_no_spec_and_changes_have_an_end(arena, opened, monkeypatch):
    author, _ = arena.author()
    with pytest.raises(Exception, match="organisers"):
        author.edit(opened, a_spec(opened, cap=40))
    monkeypatch.setattr(spec_change, "MOST_CHANGES", 2)
    for cap in (40, 60):
        arena.admin.edit(opened, a_spec(opened, cap=cap))
    with refused(QuotaReached, "changed 2 times"):
        arena.admin.edit(opened, a_spec(opened, cap=80))
    assert "cap = 60" in arena.admin.tournament(opened).spec_toml


def test_a_long_value_is_cut_in_the_record(arena, opened):
    """A difference after the cut changes the digest."""
    invited = "[entries]\naccounts = [" + ", ".join(f"'account-{n:03}'" for n in range(100)) + "]"
    arena.admin.edit(opened, a_spec(opened, top=invited))
    late = invited.replace("'account-099'", "'account-100'")
    first, second = arena.admin.edit(opened, a_spec(opened, top=late)).spec_changes
    kept, _, end = first.keys[0].after.partition("…")
    assert len(kept) == 200
    assert re.fullmatch(r" \[[0-9]{4}, sha256 [0-9a-f]{16}\]", end)
    assert second.keys[0].before == first.keys[0].after
    assert second.keys[0].after.startswith(f"{kept}…")
    assert second.keys[0].after != second.keys[0].before


def test_a_copy_has_the_spec_without_secret_and_moments_that_have_passed(arena, tmp_path):
    late = "2999-01-01T00:00:00Z"
    top = f"{SECRET}\nscore = 'points'\n[entries]\ncloses = 2001-01-01T00:00:00Z\n[schedule]\nstarts = {late}"
    earlier = arena.admin.tournament(arena.create(top=top, cap=40))
    arena.admin.cancel(earlier.id)
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port}")
    name = f"cup-{uuid.uuid4().hex[:8]}"
    said = terminal.run("tournament", "copy", earlier.name, name).out
    assert f"tournament open {name}` opens its entries" in said.replace("\n", " ")
    made = arena.admin.tournament(name)
    assert (made.secret_given, made.commitment == earlier.commitment) == (False, False)
    assert (made.closes_at, made.due_at.year) == (None, 2999)
    assert 'score = "points"' in made.spec_toml
    assert "cap = 40" in made.spec_toml
    refused = terminal.run("tournament", "copy", earlier.name, "next cup", code=1).err
    assert refused.startswith("error: name: must be 1 to 64 of a-z")  # no line: the file is not the user's
    terminal.run("tournament", "copy", earlier.name, earlier.name)  # cancelled before it began
    assert arena.admin.tournament(earlier.name).state == "created"
    (tmp_path / "cup.toml").write_text(a_spec(name, cap=60))
    terminal.run("tournament", "edit", name, "cup.toml")
    shown = terminal.run("tournament", "show", name).out
    assert "by admin:\n" in shown
    assert "  match.cap: 40 became 60\n" in shown


@pytest.mark.sample
@pytest.mark.parametrize(
    ("of_old", "field"), [(b'"cap":20', "root"), (b'"name":"OLD"', "sections[0].sha256")]
)
def test_the_export_has_the_last_spec_and_no_other_passes(arena, tmp_path, of_old, field):
    """The terms of play are in the root, and so in all deals; the name is in the announcement of the end."""
    old = arena.create()
    arena.admin.open(old)
    arena.admin.edit(old, a_spec(old, cap=10))
    for bot in arena.field("first", "random"):
        arena.enter(old, bot)
    name = arena.admin.edit(old, a_spec(f"{old}-b", cap=10)).name
    arena.admin.start(name)
    arena.finish(name)
    (path := tmp_path / "cup.export.jsonl").write_bytes(arena.export(name))
    compared = arena.admin.tournament(name).compared
    assert verify(path, seen=(compared,)).ok
    first, rest = path.read_bytes().split(b"\n", 1)
    present = b'"cap":10' if b"cap" in of_old else f'"name":"{name}"'.encode()
    assert first.count(present) == 1
    body = first[: first.rindex(b',"sum"')].replace(present, of_old.replace(b"OLD", old.encode()))
    forged = body + b',"sum":"' + check_sum(body) + b'"}\n' + rest
    path.write_bytes(forged)
    report = verify(path)
    assert not report.ok
    assert field in [one.field for one in report.differences]
