"""Notes of bots are kept beside the record; only their authors see them until the tournament is over."""

import json

import pytest

from maumau.errors import BadReport, NotYours, UnknownSet
from tests.support.arenas.calls import refused
from tests.support.arenas.play import WORDS, play_order, play_with_notes
from tests.support.waiting import until

DATABASES = ["sqlite"]  # nothing here depends on the kind


def said(found):
    return [note.text for deal in found.set.deals for note in deal.notes]


@pytest.fixture(scope="module")
def match(arena):
    """Return a match of two authors' bots with one block booked, another claimed: (name, clients, order)."""
    authors = [arena.author()[0] for _ in range(2)]
    name = arena.create(block=5, cap=10)
    arena.admin.open(name)
    for client in authors:
        client.enter(name, arena.bot("first", client))
    arena.admin.start(name)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 2 and found)
    order = arena.worker.claim(blocks[0].id)
    arena.worker.report(order, play_with_notes(order))
    return name, authors, arena.worker.claim(blocks[1].id)


def test_an_author_sees_the_notes_of_his_own_bot(match):
    name, authors, _ = match
    for entrant, client in enumerate(authors):
        found = client.deal_set(name, "1.1.1", 4)
        assert said(found) == [WORDS[entrant]] * 2
        assert [deal.entrants[deal.notes[0].seat] for deal in found.set.deals] == [entrant] * 2
        assert found.set.deals[0].record.startswith("[maumau 1]")


def test_while_it_goes_on_a_stranger_sees_no_deal_and_an_admin_all(arena, match):
    name, authors, _ = match
    stranger, _ = arena.author()
    with refused(NotYours, "not over"):
        stranger.deal_set(name, "1.1.1", 0)
    with refused(NotYours, "not over"):
        stranger.sets(name, "1.1.1")
    assert authors[0].sets(name, "1.1.1") == arena.admin.sets(name, "1.1.1") != ()
    assert sorted(set(said(arena.admin.deal_set(name, "1.1.1", 0)))) == [*WORDS.values()]


def test_a_set_that_is_not_played_is_unknown(arena, match):
    name, _, _ = match
    for number in (5, 99):
        with refused(UnknownSet, str(number)):
            arena.admin.deal_set(name, "1.1.1", number)


@pytest.mark.parametrize(
    "wrong",
    [
        {"event": 3, "seat": 2, "text": "of nobody"},
        {"event": 100_000, "seat": 0, "text": "after the end"},
        {"event": 3, "seat": 0, "text": "x" * 501},
        {"event": 3, "seat": 0, "text": ""},
    ],
    ids=["of nobody", "after the end", "too long", "empty"],
)
def test_a_note_that_no_table_keeps_is_refused(arena, match, wrong):
    _, _, order = match
    sets = play_order(order)
    sets[0].deals[1].notes.add(**wrong)
    with refused(BadReport, "note"):
        arena.worker.report(order, sets)


def test_more_notes_than_there_is_room_for_are_refused(arena, match):
    _, _, order = match
    sets = play_order(order)
    for _ in range(9):
        sets[0].deals[0].notes.add(event=1, seat=1, text="x" * 500)
    with refused(BadReport, "4,500"):
        arena.worker.report(order, sets)


def test_at_the_end_everybody_sees_all_of_them_and_the_export_has_them(arena, match):
    """Only in what is measured: with notes or without, the compared lines are the same."""
    name, _, order = match
    arena.worker.report(order, play_with_notes(order))
    until(lambda: arena.admin.tournament(name).over)
    stranger, _ = arena.author()
    assert set(said(stranger.deal_set(name, "1.1.1", 0))) == {*WORDS.values()}
    assert len(stranger.sets(name, "1.1.1")) == 10
    lines = arena.export(name).splitlines()
    notes = [json.loads(line) for line in lines if b'"notes"' in line]
    assert [line["kind"] for line in notes] == ["measured"] * 10
    assert [line["of"] for line in notes] == [f"set 1.1.1 {number}" for number in range(10)]
    assert notes[0]["values"]["notes"][0] == {"deal": 0, "event": 3, "seat": 0, "text": "of the first"}
    assert not any(b"of the first" in line for line in lines if b'"kind":"measured"' not in line)
