"""Automatic steps: a start, the end of the time for protests. Changes allowed before and after."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from maumau.contest.seed import compute_commitment
from maumau.errors import AlreadyEntered, BadSpec, NameTaken, WrongState
from services.shared.store.connect import Database
from services.tournament.organising.late import find_pause
from services.tournament.organising.organiser import Organiser
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import CUP, DEFAULTS, FINAL, SECRET, SPEC, WORKER, play_all
from tests.support.waiting import until
from tests.tournament.test_export import compared
from tests.tournament.test_watch import Watch

DATABASES = ["sqlite"]  # nothing here depends on the kind
PROTEST = {**CUP, "top": f"{SECRET}\n[schedule]\nprotest_minutes = 60"}


def let_it_be_due(arena, name):
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        told = {"name": name}
        session.execute(text("UPDATE tournament SET due_at = 1 WHERE name = :name AND due_at > 0"), told)
    database.close()
    arena.tournament(WORKER).Sweep()


@pytest.mark.long
def test_a_final_is_protested_and_taken_back_before_the_result_is_final(arena):
    """Its export is that of the same cup that nobody could protest."""
    name = arena.begin("first", "random", "crash", "first", **PROTEST)
    play_all(arena, name)
    decided = arena.admin.tournament(name)
    assert (decided.secret, decided.compared, decided.over) == ("", "", False)
    assert 59 * 60 < (decided.due_at - decided.created_at).total_seconds() < 2 * 60 * 60
    with refused(WrongState, "is decided"):
        arena.admin.withdraw(name, arena.field("first")[0])
    arena.admin.retake(name, FINAL, "a test")
    again = arena.admin.tournament(name)
    assert (again.state, again.due_at) == ("running", None)
    with refused(WrongState, "is running"):
        arena.admin.confirm(name)
    play_all(arena, name)
    over = arena.admin.confirm(name)
    assert (over.state, over.secret, over.due_at) == ("finished", SECRET.split('"')[1], None)
    undisturbed = arena.begin("first", "random", "crash", "first", **CUP)
    arena.finish(undisturbed)
    assert compared(arena.export(name)) == compared(arena.export(undisturbed))
    assert over.compared


@pytest.mark.long
def test_a_result_that_nobody_protests_is_final_by_itself(arena):
    name = arena.begin("first", "random", top="[schedule]\nprotest_minutes = 1")
    watch = Watch(arena, name)
    play_all(arena, name)
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).state == "finished")
    assert watch.saw_the_end()
    assert any("unless it is protested" in event.words for event in watch.events)


@pytest.mark.long
def test_a_cup_starts_by_itself_when_two_have_entered(arena):
    name = arena.create(top="[schedule]\nstarts = 2999-01-01T00:00:00Z", block=5, cap=5)
    arena.admin.open(name)
    one, other = arena.field("first", "random")
    arena.enter(name, one)
    watch = Watch(arena, name)
    let_it_be_due(arena, name)
    until(lambda: "alert" in watch.kinds())
    alone = arena.admin.tournament(name)
    assert (alone.state, alone.due_at.year < 2999) == ("open", True)  # it is tried again
    arena.enter(name, other)
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).state == "running")
    arena.finish(name)


def set_start(arena, name, late):
    """As if its start had been due so many ms ago."""
    starts = datetime.now(UTC) - timedelta(milliseconds=late)
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        found = session.execute(text("SELECT spec FROM tournament WHERE name = :name"), {"name": name})
        spec = re.sub(r"starts = .*", f"starts = {starts:%Y-%m-%dT%H:%M:%SZ}", found.scalar_one())
        change = text("UPDATE tournament SET spec = :spec WHERE name = :name")
        session.execute(change, {"name": name, "spec": spec})
    database.close()


def test_pauses_of_a_late_start_double_up_to_an_hour_and_end_after_a_week():
    """By hand: seven tries in 64 minutes, and one an hour in the 10,016 minutes that are left of the week."""
    tries, late = [], 0
    while pause := find_pause(late):
        late += pause
        tries.append(late // 60_000)
    assert tries[:9] == [1, 2, 4, 8, 16, 32, 64, 124, 184]
    assert len(tries) == 7 + 167
    assert tries[-1] >= 7 * 24 * 60 > tries[-2]


@pytest.mark.long
def test_a_start_that_one_bot_waits_for_is_told_once_and_is_given_up_after_a_week(arena):
    name = arena.create(top="[schedule]\nstarts = 2999-01-01T00:00:00Z", block=5, cap=5)
    arena.admin.open(name)
    one, other = arena.field("first", "random")
    arena.enter(name, one)
    watch = Watch(arena, name)
    pauses = []
    for late in (0, 60_000, 600_000, 86_400_000):
        set_start(arena, name, late)
        let_it_be_due(arena, name)
        until(lambda: arena.admin.tournament(name).due_at.year > 1970)
        pauses.append(round((arena.admin.tournament(name).due_at - datetime.now(UTC)).total_seconds() / 60))
    assert pauses == [1, 1, 10, 60]
    set_start(arena, name, 8 * 86_400_000)
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).due_at is None)
    until(lambda: watch.kinds().count("alert") == 2)
    told = [event.words for event in watch.events if event.kind == "alert"]
    assert "tries again by itself: A tournament needs two entrants or more, it has 1." in told[0]
    assert "does not try again: an organiser can start it" in told[1]
    arena.enter(name, other)
    arena.admin.start(name)
    arena.finish(name)


@pytest.mark.long
def test_a_late_start_is_made_when_the_second_bot_enters(arena):
    name = arena.create(top="[schedule]\nstarts = 2999-01-01T00:00:00Z", block=5, cap=5)
    arena.admin.open(name)
    one, other = arena.field("first", "random")
    arena.enter(name, one)
    set_start(arena, name, 3_600_000)
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).due_at.year > 1970)
    arena.enter(name, other)  # an hour would pass until the next try
    until(lambda: arena.admin.tournament(name).state == "running")
    arena.finish(name)


@pytest.mark.long
def test_one_that_cannot_be_kept_to_its_schedule_keeps_no_other_from_it(arena, monkeypatch):
    broken, well = (arena.create(top="[schedule]\nstarts = 2999-01-01T00:00:00Z") for _ in range(2))
    for name in (broken, well):
        arena.admin.open(name)
        for bot in arena.field("first", "random"):
            arena.enter(name, bot)
    ident, start = arena.admin.tournament(broken).id, Organiser.start_tournament

    def fail(organiser, key, **fields):
        if key == ident:
            raise ValueError("a mistake")
        return start(organiser, key, **fields)

    monkeypatch.setattr(Organiser, "start_tournament", fail)
    let_it_be_due(arena, broken)
    let_it_be_due(arena, well)
    until(lambda: arena.admin.tournament(well).state == "running")
    assert arena.admin.tournament(broken).state == "open"
    for name in (broken, well):
        arena.admin.cancel(name)


def test_what_starts_by_hand_is_due_at_no_time(arena):
    name = arena.create()
    assert arena.admin.tournament(name).due_at is None
    arena.admin.open(name)
    assert arena.admin.tournament(name).due_at is None


def test_a_start_in_the_past_is_refused(arena):
    with refused(BadSpec, "schedule.starts"):
        arena.create(top="[schedule]\nstarts = 2001-01-01T00:00:00Z")


def test_a_start_that_no_message_can_tell_is_refused_and_hides_no_other_tournament(arena):
    with refused(BadSpec, "schedule.starts"):
        arena.create(top="[schedule]\nstarts = 9999-12-31T23:59:59-12:00")
    assert arena.admin.tournament(arena.create(top="[schedule]\nstarts = 9999-12-31T23:59:59Z")).due_at


def test_a_start_before_entries_close_is_refused(arena):
    closes = "[entries]\ncloses = 2999-01-02T00:00:00Z"
    with refused(BadSpec, "is before entries close"):
        arena.create(top=f"{closes}\n[schedule]\nstarts = 2999-01-01T00:00:00Z")


def test_entries_that_close_at_a_moment_that_no_message_can_tell_are_refused_and_hide_no_tournament(arena):
    with refused(BadSpec, "entries.closes"):
        arena.create(top="[entries]\ncloses = 9999-12-31T23:59:59-12:00")
    name = arena.create(top="[entries]\ncloses = 9999-12-31T23:59:59Z")
    assert arena.admin.tournament(name).closes_at
    assert name in {one.name for one in arena.admin.tournaments()}


@pytest.mark.long
def test_a_spec_is_changed_before_the_start_and_not_after(arena):
    name, other = arena.create(), arena.create()
    before = arena.admin.tournament(name)
    spec = SPEC.format(**DEFAULTS | {"name": f"{name}-b", "cap": 40})
    with refused(NameTaken, other):
        arena.admin.edit(name, spec.replace(f"{name}-b", other))
    with refused(BadSpec, "rulez"):
        arena.admin.edit(name, spec.replace("rules", "rulez"))
    after = arena.admin.edit(name, spec)
    assert (after.id, after.name, after.commitment) == (before.id, f"{name}-b", before.commitment)
    assert "cap = 40" in after.spec_toml
    given = arena.admin.edit(after.id, f"{SECRET}\n{spec}")
    assert (given.secret_given, given.commitment) == (True, compute_commitment(SECRET.split('"')[1]))
    arena.admin.open(after.id)
    for bot in arena.field("first", "random"):
        arena.enter(after.id, bot)
    arena.admin.start(after.id)
    with refused(WrongState, "is running"):
        arena.admin.edit(after.id, spec)
    arena.finish(after.id)
    assert arena.admin.tournament(after.id).secret == SECRET.split('"')[1]


@pytest.mark.long
def test_a_bot_enters_with_a_newer_version_in_place_of_its_older_one(arena):
    name = arena.create()
    arena.admin.open(name)
    first, second = arena.bot("first"), arena.bot("random")
    for bot in (first, second):
        arena.admin.enter(name, bot)
    newer = arena.admin.submit(first, arena.program(f"newer-{first}")).version
    arena.pass_validation(newer.id, ["mau_mau"])
    arena.admin.activate(newer.id)
    entry = arena.admin.enter(name, first)
    assert (entry.number, entry.version_id, entry.sha256) == (1, newer.id, newer.sha256)
    assert len(arena.admin.tournament(name).entries) == 2
    with refused(AlreadyEntered, first):
        arena.admin.enter(name, first)
