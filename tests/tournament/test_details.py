"""The faults and the deal sets of a match, in pages: whole lists, whatever a page holds."""

import pytest
from sqlalchemy import update
from sqlmodel import col

from maumau.contest.seed import deal_seed
from maumau.errors import BadRequest, NotEntered, UnknownMatch
from services.shared.store.connect import Database
from services.tournament.models import Block
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal
from tests.support.waiting import until
from tests.tournament.test_pages import read


@pytest.fixture
def database(arena):
    database = Database(arena.settings.database("tournament"), "tournament")
    yield database
    database.close()


@pytest.fixture(scope="module")
def cup(arena):
    """Return a match whose bots crash in every deal, except one of them in the second seating."""
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


@pytest.mark.long
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
    monkeypatch.setattr("services.tournament.rpc.servicer.FAULTS", 3)
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


@pytest.mark.long
def test_a_match_tells_its_test_after_each_block_also_to_strangers(arena):
    """Whoever wins all n sets has 2δ·(n/2) / (¼/(n + 1)) = n(n + 1)/10 at δ = 0.025; ln 19 = 2.94 decides."""
    name = arena.begin("first", "crash", block=2, cap=20, delta=0.025)
    stranger = arena.tournament(arena.author()[0].token)

    def read_walk():
        found = stranger.GetMatch(tournament=name, label="1.1.1")
        return [(point.sets, point.llr) for point in found.walk], found.match

    order = until(lambda: arena.worker.claim(arena.blocks(name, "queued")[0].id))
    arena.worker.report(order)
    walk, match = until(lambda: (found := read_walk())[0] and found)
    assert (walk, match.sets, match.llr) == ([(2, 0.6)], 2, 0.6)
    arena.finish(name)
    walk, match = read_walk()
    assert walk == [(2, 0.6), (4, 2.0), (6, 4.2)]
    assert (match.sets, match.llr) == walk[-1]


@pytest.mark.long
def test_a_walk_is_told_whole_or_not_at_all(arena, database):
    """A release without the sums of blocks has booked the last one: the walk would end before the verdict."""
    name = arena.begin("first", "crash", block=2, cap=20, delta=0.025)
    arena.finish(name)
    calls, tournament_id = arena.tournament(ADMIN), arena.admin.tournament(name).id
    assert [one.sets for one in calls.GetMatch(tournament=name, label="1.1.1").walk] == [2, 4, 6]
    with database.write() as session:
        last = col(Block.contest_id) == tournament_id, col(Block.number) == 2
        session.execute(update(Block).where(*last).values(sums=""))
    assert not calls.GetMatch(tournament=name, label="1.1.1").walk


@pytest.mark.long
def test_a_match_that_nobody_played_has_no_walk(arena):
    name = arena.begin("first", "crash", block=2, cap=20)
    gone = arena.admin.tournament(name).entries[1].bot_name
    arena.admin.withdraw(name, gone)
    until(lambda: arena.admin.match(name, "1.1.1").match.rule == "withdrawn")
    assert arena.admin.match(name, "1.1.1").walk == ()
