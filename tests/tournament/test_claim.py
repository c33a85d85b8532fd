"""The order in which workers' claims are served, and which contests wait."""

import asyncio
import threading

import pytest
from sqlalchemy import event

from bench.support.patience import patient
from services.tournament.domain.turn import Share, Turns
from services.tournament.watching.bell import Bell
from tests.support.arenas.tournament import Worker
from tests.support.stores.tournament import Store
from tests.support.waiting import until


@pytest.fixture
def store(database_url):
    store = Store(database_url)
    for block in ("12", "13", "14", "23", "24", "34"):
        store.end(block)  # of the cup
    yield store
    store.database.close()


def share(name, claimed=0, *, purpose="tournament", author="admin", waits=True):
    return Share(name, purpose, author, claimed, waits)


def test_a_contest_with_fewer_blocks_under_way_comes_first():
    assert Turns().order_claims([share("a", 3), share("b", 1), share("c", 2)]) == ["b", "c", "a"]


def test_one_that_has_nothing_to_play_is_left_out():
    assert Turns().order_claims([share("a", waits=False), share("b", 5)]) == ["b"]


def test_an_author_with_many_contests_gets_no_more_than_one_with_a_single_one():
    many = [share(name, 1, purpose="practice", author="ada") for name in "abc"]
    assert Turns().order_claims([*many, share("d", 2, purpose="practice", author="bob")])[0] == "d"


def list_firsts(*shares):
    """Return the contests that the twenty claims of a round take first."""
    turns = Turns()
    return "".join(turns.order_claims(shares)[0] for _ in range(20))


CUP, PRACTICE, LADDER, AUDIT = (
    share(purpose[0], purpose=purpose) for purpose in ("tournament", "practice", "ladder", "audit")
)


def test_beside_a_tournament_nothing_starves_and_practice_waits_for_at_most_six_claims():
    assert list_firsts(AUDIT, LADDER, PRACTICE, CUP) == "ptlttttpttttltptttta"
    assert list_firsts(AUDIT, LADDER, CUP) == "ttltttttttttltttttta"
    assert list_firsts(PRACTICE, CUP) == "pttttttpttttttpttttt"


def test_what_nobody_wants_leaves_its_claims_to_the_tournament():
    assert list_firsts(CUP, share("p", purpose="practice", waits=False)) == "t" * 20


def test_without_a_tournament_practice_comes_before_ladders_and_audits_but_not_always():
    assert list_firsts(AUDIT, LADDER, PRACTICE) == "pplppppppppplppppppa"


def test_of_equals_the_one_that_was_served_longest_ago_comes_first():
    turns, shares, served = Turns(), [share("a"), share("b"), share("c")], []
    for _ in range(6):
        served.append(turns.order_claims(shares)[0])
        turns.note_service(served[-1], {"a", "b", "c"})
    assert served == ["a", "b", "c", "a", "b", "c"]


def test_nobody_waits_behind_three_thousand_blocks_of_another(store):
    store.add_contest("big", 300)
    store.add_contest("small", 4)
    assert [store.claim_next() for _ in range(4)] == ["big-0", "small-0", "big-1", "small-1"]


@pytest.mark.long
@pytest.mark.stores
def test_with_one_worker_contests_take_turns(store):
    store.add_contest("big", 9)
    store.add_contest("small", 3)
    played = []
    while block := store.claim_next():
        played.append(block)
        store.end(block)
    assert [block.partition("-")[0] for block in played[:6]] == ["big", "small"] * 3
    assert len(played) == 12


@pytest.mark.stores
def test_what_a_worker_lacks_it_is_not_given_and_others_are(store):
    store.add_contest("cup-of-one", 2)
    claim = store.claim("cup-of-one-0", "w")
    store.claim_next("other")
    program = claim.seats[1].sha256
    store.queue.give_back("cup-of-one-0", claim.block.fence, "no node here", store.now, store.now, program)
    assert store.claim_next("w") is None
    assert store.workers.list_lacking(store.now) == {}
    assert store.claim_next("other") == "cup-of-one-0"
    assert store.runs() == []
    late = store.claim("cup-of-one-0", "w")
    assert late is None


@pytest.mark.stores
def test_what_no_worker_has_is_said(store):
    store.add_contest("duel", 2)
    for worker in ("v", "w"):
        claim = store.claim(f"duel-{'vw'.index(worker)}", worker)
        store.queue.give_back(claim.block.id, claim.block.fence, "no node", store.now, store.now, "hash")
    assert store.workers.list_lacking(store.now) == {"hash": "no node"}


@pytest.mark.stores
def test_what_does_not_fit_into_a_workers_memory_is_not_its(store):
    store.add_contest("small", 1)
    store.add_contest("large", 1, memory=4096)
    assert store.claim_next(memory=2048) == "small-0"
    assert store.claim_next(memory=2048) is None
    assert store.claim_next(memory=8192) == "large-0"


@pytest.mark.long
def test_the_cost_of_a_claim_does_not_grow_with_what_waits(store):
    """Counted in statements; no one of them reads more than the contests that run and what is played."""
    store.add_contest("small", 5)
    few = statements(store)
    store.add_contest("big", 2000)
    assert statements(store) <= few + 1


def statements(store):
    told = []
    event.listen(store.database.engine, "before_cursor_execute", lambda *_: told.append(1))
    store.claim_next()
    return len(told)


def test_a_bell_wakes_whoever_waits_longest_and_no_more_than_it_is_told():
    async def scene():
        bell, woken = Bell(), []

        async def wait(name):
            if await bell.wait(patient(30)):
                woken.append(name)

        tasks = [asyncio.create_task(wait(name)) for name in "abc"]
        await asyncio.sleep(0)
        assert len(bell) == 3
        await asyncio.wait_for(bell.wait_for_waiter(), patient(30))
        bell.wake_waiters(2)
        await asyncio.wait(tasks[:2])
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (woken, len(bell)) == (["a", "b"], 0)
        assert not await bell.wait(0)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(bell.wait_for_waiter(), 0)

    asyncio.run(scene())


@pytest.mark.long
def test_a_worker_that_waits_gets_a_block_when_there_is_one(start):
    with start() as arena:
        orders = []
        waiting = threading.Thread(target=lambda: orders.append(Worker(arena.address, "w").claim(wait=15)))
        waiting.start()
        name = arena.begin("first", "random")
        waiting.join()
        assert orders[0].label == "1.1.1"
        assert arena.blocks(name, "claimed")[0].id == orders[0].block_id
        assert arena.worker.claim(wait=0.1).block_id != orders[0].block_id
        arena.admin.cancel(name)


@pytest.mark.long
def test_blocks_are_played_without_ever_being_named(arena):
    name = arena.begin("first", "random", "crash", block=5, cap=10)

    def play():
        if order := arena.worker.claim(wait=0.2):
            arena.worker.report(order)
        return arena.admin.tournament(name).over

    until(play)
