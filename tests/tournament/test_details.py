"""The faults and the deal sets of a match, in pages: whole lists, whatever a page holds."""

import pytest

from maumau.contest.seed import deal_seed
from maumau.errors import BadRequest, NotEntered, UnknownMatch
from tests.cli.terminal import Terminal
from tests.tournament.arena import ADMIN, refused
from tests.tournament.test_pages import read


@pytest.fixture(scope="module")
def cup(arena):
    """A match whose bots crash in every deal, and one of them not in the second seating."""
    name = arena.begin("gone", "crash", block=5, cap=10)
    arena.finish(name)
    return name


@pytest.mark.long
def test_faults_have_pages_in_the_order_of_play(arena, cup):
    calls = arena.tournament(ADMIN)
    whole = arena.admin.faults(cup, "1.1.1")
    assert whole == arena.admin.match(cup, "1.1.1").faults
    # a block: ten deals of `crash`, five of `gone` in the first seating, and its forfeits as one
    assert [one.deals for one in whole].count(5) == 2
    assert len(whole) == 2 * (10 + 5 + 1)
    for size in (1, 3):
        pages = list(read(calls.ListFaults, "faults", tournament=cup, label="1.1.1", page_size=size))
        assert [one.id for page in pages for one in page] == [one.id for one in whole]
        assert {len(page) for page in pages[:-1]} == {size}


def test_faults_are_those_of_a_bot_or_of_a_kind(arena, cup):
    gone, crash = (entry.bot_name for entry in arena.admin.tournament(cup).entries)
    assert [one.kind for one in arena.admin.faults(cup, "1.1.1", crash)] == ["crash"] * 20
    calls = arena.tournament(ADMIN)
    forfeits = calls.ListFaults(tournament=cup, label="1.1.1", kind="forfeit").faults
    assert [(one.entrant, one.deals) for one in forfeits] == [(1, 5), (1, 5)]
    none = calls.ListFaults(tournament=cup, label="1.1.1", kind="forfeit", bot_name=crash).faults
    assert not none
    with refused(NotEntered, "stranger"):
        arena.admin.faults(cup, "1.1.1", "stranger")
    with refused(UnknownMatch):
        arena.admin.faults(cup, "9.9.9", gone)
    for token in ("x", "1.2", "1.0.0.0.0.0", "1.-1.0.0.0"):
        with refused(BadRequest, "token of a page"):
            calls.ListFaults(tournament=cup, label="1.1.1", page_token=token)


def test_sets_have_pages_and_after_the_end_their_seeds(arena, cup):
    calls = arena.tournament(ADMIN)
    whole = arena.admin.sets(cup, "1.1.1")
    assert [(one.set, one.block) for one in whole] == [(number, number // 5) for number in range(10)]
    assert {sum(one.scores) for one in whole} == {one.unit for one in whole} == {4}
    pages = list(read(calls.ListSets, "sets", tournament=cup, label="1.1.1", page_size=4))
    assert [one.set for page in pages for one in page] == list(range(10))
    assert [len(page) for page in pages] == [4, 4, 2]
    over = arena.admin.tournament(cup)
    assert whole[7].seed == deal_seed(over.secret, over.entries_root, "1.1.1", 7)


def test_while_it_is_played_sets_have_no_seed(arena):
    name = arena.begin("first", "random", block=5, cap=10)
    arena.worker.play(arena.queued(name)[0].id)
    assert [(one.set, one.seed) for one in arena.admin.sets(name, "1.1.1")] == [(n, "") for n in range(5)]
    arena.admin.cancel(name)


def test_faults_and_sets_are_shown_in_the_terminal(arena, cup, tmp_path, monkeypatch):
    port = arena.address.rpartition(":")[2]
    url = f"http://127.0.0.1:{port},{port}"
    terminal = Terminal(tmp_path, MAUMAU_TOKEN=ADMIN, MAUMAU_ARENA=url)
    lines = terminal.run("match", "sets", cup, "1.1.1").out.splitlines()
    assert len([line for line in lines if line.split() and line.split()[0].isdigit()]) == 10
    assert len(terminal.run("match", "sets", cup, "1.1.1", "--json").json()["sets"]) == 10
    shown = terminal.run("match", "faults", cup, "1.1.1", "--kind", "forfeit").out.splitlines()
    assert len(shown) == 2
    assert all("forfeit" in line for line in shown)
    assert len(terminal.run("match", "faults", cup, "1.1.1", "--json").json()["faults"]) == 32
    assert terminal.run("match", "faults", cup, "1.1.1", "--kind", "clock").out == "no faults\n"
    more = "these are the first ones; `maumau match faults` lists all"
    assert more not in terminal.run("match", "show", cup, "1.1.1").out
    monkeypatch.setattr("services.tournament.servicer.FAULTS", 3)
    assert more in terminal.run("match", "show", cup, "1.1.1").out


def test_of_a_match_the_newest_blocks_can_be_asked_for_alone(arena, cup):
    calls = arena.tournament(ADMIN)
    whole = calls.GetMatch(tournament=cup, label="1.1.1")
    assert [one.number for one in whole.blocks] == [0, 1]
    newest = calls.GetMatch(tournament=cup, label="1.1.1", newest_blocks=1)
    assert list(newest.blocks) == [whole.blocks[1]]
    assert (newest.match, list(newest.faults)) == (whole.match, list(whole.faults))
    for most in (2, 3, 10**9):
        assert calls.GetMatch(tournament=cup, label="1.1.1", newest_blocks=most).blocks == whole.blocks
