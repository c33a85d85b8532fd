"""A program that makes the platform fail is taken out of the tournament, and nobody else ever is."""

import pytest

from services.tournament.domain.attribution import FailedRun, attribute_failures
from services.tournament.play import lease
from tests.support.arenas.tournament import Worker
from tests.support.waiting import until

WORKERS = ("w1", "w2", "w3")
OTHERS = {(2, 3): 10, (2, 4): 10, (3, 4): 10}  # blocks with a result, of four entrants


def failures(*pairs, workers=WORKERS):
    """Return a failed run of a separate block for each pair, on one worker after the other."""
    return [FailedRun(f"b{n}", pair, workers[n % len(workers)]) for n, pair in enumerate(pairs)]


def test_who_is_always_there_when_blocks_fail_is_the_cause():
    # six blocks, all of 1: by chance 4 · (6/36)⁶ = 0.00009
    failed = failures((1, 2), (1, 3), (4, 1), (1, 2), (1, 3), (4, 1))
    assert attribute_failures(failed, OTHERS, WORKERS) == 1


@pytest.mark.parametrize(
    ("failed", "done", "workers"),
    [
        ([], OTHERS, WORKERS),
        (failures((1, 2), (1, 3)), OTHERS, WORKERS[:2]),  # 4 · (2/32)² = 0.016: may be chance
        (failures(*[(1, 2)] * 12), OTHERS, WORKERS),  # always both: which of them?
        (failures(*[(1, 2), (1, 3)] * 6, workers=WORKERS[:2]), OTHERS, WORKERS),  # the third plays them
        (failures(*[(1, 2), (1, 3)] * 6, (2, 3)), OTHERS, WORKERS),  # others' blocks fail, too
        (failures(*[(1, 2), (1, 3)] * 6), {}, WORKERS),  # nothing is played at all
        ([FailedRun("b", (1, 2), name) for name in WORKERS * 9], OTHERS, WORKERS),  # a single block
    ],
)
def test_what_may_be_the_platforms_fault_is_nobodys(failed, done, workers):
    assert attribute_failures(failed, done, workers) is None


def test_on_a_single_worker_that_plays_everybody_else_it_is_enough():
    failed = failures(*[(1, 2), (1, 3)] * 4, workers=("w1",))
    assert attribute_failures(failed, OTHERS, WORKERS[:1]) == 1
    assert attribute_failures(failed, OTHERS, WORKERS[:2]) is None


@pytest.mark.long
def test_its_matches_are_walkovers_and_its_version_is_suspended(start, monkeypatch):
    monkeypatch.setattr(lease, "PAUSE", 0.0)
    with start(sweep=0.1, attempts=3) as arena:
        author, _ = arena.author()
        bots = [arena.bot("first", client=author), *(arena.bot("first") for _ in range(3))]
        name = arena.create(block=5, cap=60)
        arena.admin.open(name)
        for bot in bots:
            arena.enter(name, bot)
        arena.admin.start(name)
        workers = [Worker(arena.address, one) for one in WORKERS]

        def play_on():
            """Play all claimable blocks, by one worker after the other; those of the first bot fail."""
            for number, block in enumerate(arena.blocks(name, "queued", "claimed")):
                worker = workers[number % len(workers)]
                order = worker.claim(block.id)
                if order and bots[0] in [entrant.name for entrant in order.entrants]:
                    given = {"block_id": block.id, "fence": order.fence, "deals_done": 0}
                    worker.RenewLease(**given, give_back=True, words="it was lost")
                elif order:
                    worker.report(order)
            return arena.admin.tournament(name).state == "finished"

        until(play_on, 20)
        assert arena.version(bots[0]).reason.startswith(f"{bots[0]} is out of {name}: all ")
        entries = {entry.bot_name: entry.withdrawn for entry in arena.admin.tournament(name).entries}
        assert entries == {bot: bot == bots[0] for bot in bots}
        rules = {
            match.rule
            for match in arena.admin.matches(name)
            if bots[0] in (match.first_name, match.second_name)
        }
        assert rules == {"withdrawn"}
