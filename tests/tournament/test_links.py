"""The chain of a tournament has a link for every decision and every departure, whoever made it."""

import pytest

from maumau.contest.export.line import root_of
from maumau.contest.export.verify import verify
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BlockDropped
from services.tournament.domain.board import entrant_of
from services.tournament.models import Contest, Tournament
from services.tournament.store.contests import schedule, tournament
from services.tournament.store.contests.tournament import entries_of
from services.tournament.store.outcomes import take
from tests.support.arenas.calls import refused
from tests.support.waiting import until
from tests.tournament.test_watch import Watch

DATABASES = ["sqlite"]  # nothing here depends on the kind


def export(arena, name, folder, seen=()):
    path = folder / "cup.export.jsonl"
    path.write_bytes(whole := arena.export(name))
    return whole, verify(path, seen=seen)


def play_a_block_of(arena, name, bot):
    """Plays the first block of a match of this bot, and withdraws the bot."""
    match = next(one for one in arena.admin.matches(name) if bot in {one.first_name, one.second_name})
    block = next(one for one in arena.admin.match(name, match.label).blocks if one.state == "queued")
    arena.worker.play(block.id)
    arena.admin.withdraw(name, bot)
    until(lambda: sum(one.rule == "withdrawn" for one in arena.admin.matches(name)) == 2)


def play_one_match(arena, name):
    """Plays the blocks of the first match until it is decided: its label."""
    label = arena.admin.matches(name)[0].label

    def is_decided():
        found = arena.admin.match(name, label)
        for block in found.blocks:
            if block.state == "queued":
                arena.worker.play(block.id)
        return found.match.state == "decided"

    until(is_decided)
    return label


@pytest.mark.long
def test_watchers_are_told_a_link_of_each_departure_decision_and_of_the_end(arena, tmp_path):
    name = arena.begin("first", "random", "crash")
    watch = Watch(arena, name)
    play_a_block_of(arena, name, gone := arena.field("random")[0])
    arena.finish(name)
    assert watch.saw_the_end()
    told = {event.chain: event for event in watch.events if event.chain}
    [departure] = [one for one in told.values() if one.bot_withdrawn]
    decided = [one for one in told.values() if one.kind == "match_decided"]
    assert len(decided) == 3
    whole, report = export(arena, name, tmp_path, [each.split(" ")[1] for each in told])
    assert report.ok
    assert report.links == report.vouched == len(told)
    [found] = report.departed
    assert (found.name, f"{found.link}") == (gone, departure.chain.split(" ")[0])
    assert [(one.rule, one.blocks) for one in report.walkovers.values()] == [
        ("withdrawn", 1),
        ("withdrawn", 0),
    ]
    assert b'"claim":"walkover"' in whole


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("protest", [0, 60])
def test_nothing_is_booked_after_the_end(arena, tmp_path, protest):
    """A block still being played when the last match is decided is dropped; the end is the last link."""
    top = f"[schedule]\nprotest_minutes = {protest}"
    name = arena.begin("first", "crash", delta=0.1, block=5, cap=400, top=top)
    held = arena.worker.claim(arena.queued(name)[-1].id)
    while arena.admin.tournament(name).state == "running":
        for block in arena.blocks(name, "queued"):
            arena.worker.play(block.id)
    if protest:
        arena.admin.confirm(name)
    with refused(BlockDropped):
        arena.worker.report(held)
    whole, report = export(arena, name, tmp_path)
    assert report.differences == ()
    assert b'"event":"end ' in whole.splitlines()[-2]


def make_it_of_version_3(arena, name):
    """As an earlier release would have begun it."""
    with arena.database.write() as session:
        row = session.get_one(Tournament, arena.admin.tournament(name).id)
        entrants = [entrant_of(entry) for entry in entries_of(session, row.id)]
        row.root = root_of(parse_spec(row.spec), entrants, 3)
        contest = session.get_one(Contest, row.id)
        contest.root, contest.version, contest.chain, contest.booked = row.root, 3, "", 0
        row.version += 1


@pytest.mark.long
def test_a_tournament_that_began_with_version_3_ends_with_it(arena, tmp_path):
    name = arena.begin("first", "random", "crash")
    make_it_of_version_3(arena, name)
    play_a_block_of(arena, name, arena.field("random")[0])
    arena.finish(name)
    over = arena.admin.tournament(name)
    whole, report = export(arena, name, tmp_path, [over.compared, over.chain.split(" ")[1]])
    assert report.ok
    assert whole.startswith(b'{"kind":"spec","version":3,')
    assert b'"of":"booking 1"' in whole
    assert b'"of":"link 1"' not in whole
    assert b'"claim":"leads"' in whole


@pytest.fixture
def earlier_release(monkeypatch):
    """A replica that makes no links but those of blocks, and knows nothing of version 4."""

    def switch(*, on):
        monkeypatch.undo()
        if on:
            for module, name in ((take, "add_links"), (take, "add_link"), (tournament, "link_end")):
                monkeypatch.setattr(module, name, MAKE_NONE[name])
            for module in (schedule, tournament):
                monkeypatch.setattr(module, "link_departures", MAKE_NONE["link_departures"])

    return switch


MAKE_NONE = {
    "add_links": lambda _session, _contest, events: [""] * len(events),
    "add_link": lambda *_: "",
    "link_end": lambda *_: "",
    "link_departures": lambda *_: "",
}


@pytest.mark.long
@pytest.mark.parametrize("finishes", [True, False])
def test_what_an_earlier_release_left_out_is_linked_before_the_end(
    arena, tmp_path, earlier_release, finishes
):
    name = arena.begin("first", "random", "crash")
    earlier_release(on=True)
    label = play_one_match(arena, name)
    arena.admin.retake(name, label, "a test")
    arena.admin.withdraw(name, arena.field("random")[0])
    until(lambda: any(one.rule == "withdrawn" for one in arena.admin.matches(name)))
    if finishes:
        arena.finish(name)
        with arena.database.write() as session:
            row = session.get_one(Tournament, arena.admin.tournament(name).id)
            row.compared, row.version = "", row.version + 1  # which it could not tell
    earlier_release(on=False)
    arena.finish(name)
    whole, report = export(arena, name, tmp_path)
    assert report.differences == ()
    over = arena.admin.tournament(name)
    assert over.compared == report.compared
    assert verify(tmp_path / "cup.export.jsonl", seen=[over.chain.split(" ")[1]]).ok
    assert whole.count(b" retaken") == 1
