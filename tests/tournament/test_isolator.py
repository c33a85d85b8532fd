"""Seatings are played again alone: a bot that knows deals is named, others are not, and no result changes."""

from types import SimpleNamespace

import pytest
from sqlalchemy import select, update

from maumau import wire
from maumau.game import order_seatings
from maumau.referee.block import SetOutcome
from services.tournament.models import Audit, Block, BlockResult, Contest, Isolation
from services.tournament.play import isolator as module
from services.tournament.store.blocks.isolation import IsolationState
from tests.support.arenas import play
from tests.support.arenas.tournament import SeatingWorker
from tests.support.meanwhile import do_after
from tests.support.waiting import until
from tests.tournament.test_audit import played_deals

FIELD = ("first", "oracle", "second", "third", "fourth", "fifth", "sixth", "seventh")
CUP = {"block": 30, "cap": 30, "top": 'secret = "one-secret-for-both-runs"'}


class Informed(SeatingWorker):
    """A worker whose oracle decides otherwise in the seating of a block that is played second."""

    def report(self, order, given=None, **header):
        return super().report(order, played(order) if given is None else given, **header)


def played(order):
    """Return the sets of an order; all except oracles lay the first card that fits."""
    names = [entrant.name.partition("-")[0] for entrant in order.entrants]
    told = None if order.seatings else order_seatings(list(order.seeds), range(2))[1]
    found = []
    for number, seed in enumerate(order.seeds, start=order.first_set):
        deals = [
            play._play_deal(
                play.load_variant(order.rules.name),
                _policies(names, knows=seating == told),
                number,
                seating,
                seed,
            )
            for seating in range(2)
        ]
        found.append(wire.set_message(SetOutcome(number, deals)))
    return found


def _policies(names, *, knows):
    return tuple("random" if knows and name == "oracle" else "first" for name in names)


def test_the_oldest_candidates_may_be_forgotten_while_one_of_them_is_chosen(monkeypatch):
    ordered, measured = [], SimpleNamespace(wall_ms=1.0, start_ms=0.0)
    state = IsolationState({}, 2, 0, set())
    isolations = SimpleNamespace(
        read_state=lambda *_: state, order_isolation=lambda plan, _: ordered.append(plan)
    )
    isolator = module.Isolator(isolations, lambda: 0, None, 1.0)
    plan = SimpleNamespace(told=SimpleNamespace(block_id="old-0"), price=0.0)
    monkeypatch.setattr(module, "choose_plan", lambda *_: plan)
    monkeypatch.setattr(module, "MOST_CANDIDATES", 1)
    isolator.note_candidate(candidate_of("old"), measured)
    do_after(
        monkeypatch, module, "choose_plan", lambda: isolator.note_candidate(candidate_of("new"), measured)
    )
    isolator._order_one("old")
    assert ordered == [plan]


def candidate_of(name):
    """Return the claim of a block of this contest."""
    contest = SimpleNamespace(id=name, purpose="tournament", deal_ms=100)
    block, seats = SimpleNamespace(id=f"{name}-0", sets=1), [SimpleNamespace(number=n) for n in (1, 2)]
    return SimpleNamespace(contest=contest, block=block, seats=seats, size=2)


@pytest.fixture(scope="module")
def isolating(start):
    with start(isolation=0.5) as arena:
        arena.worker = Informed(arena.address, "host-1")
        yield arena


def isolations(arena, name):
    with arena.database.read() as session:
        mine = select(Isolation).where(Isolation.contest_id == arena.admin.tournament(name).id)
        return session.scalars(mine.order_by(Isolation.closed_at)).all()


def play_again(arena, name, enough):
    """Let the worker play the queue until `enough` is true."""

    def done():
        while order := arena.worker.claim():
            arena.worker.report(order)
        return enough(isolations(arena, name))

    until(done, 120)


def claim_copy(arena, name):
    """Return the order to replay deals of this contest, after playing copies of other contests."""
    contest_id = arena.admin.tournament(name).id

    def claimed():
        while order := arena.worker.claim():
            if order.contest_id.partition("_")[2] == contest_id.partition("_")[2]:
                return order
            arena.worker.report(order)
        return None

    return until(claimed, 60)


def foreknowledge(arena, name):
    return {one.bot_name.partition("-")[0]: one for one in arena.admin.standings(name).foreknowledge}


@pytest.fixture(scope="module")
def cup(isolating):
    """Return a cup of eight with all worthwhile replays done."""
    name = isolating.begin(*FIELD, **CUP)
    isolating.finish(name)

    def enough(found):
        return foreknowledge(isolating, name)["oracle"].suspicious and all(one.screened for one in bots(name))

    def bots(name):
        return foreknowledge(isolating, name).values()

    play_again(isolating, name, enough)
    return name


@pytest.mark.long
def test_within_one_cup_of_eight_the_bot_that_knows_deals_is_named_and_nobody_else(isolating, cup):
    found = foreknowledge(isolating, cup)
    assert [name for name, one in found.items() if one.suspicious] == ["oracle"]
    oracle = found.pop("oracle")
    assert oracle.p <= 0.05 / 8
    assert (oracle.told_changed >= 17, oracle.fresh_changed) == (True, 0)
    assert {(one.told_changed, one.fresh_changed, one.screened_changed) for one in found.values()} == {
        (0, 0, 0)
    }
    until(lambda: isolating.metric("isolations_total", outcome="compared") == count_compared(isolating, cup))


def count_compared(arena, name):
    return len([one for one in isolations(arena, name) if one.outcome == "compared"])


@pytest.mark.long
def test_what_is_played_again_changes_no_result_and_no_export(isolating, cup, start):
    with start() as plain:
        plain.worker = Informed(plain.address, "host-1")
        name = plain.begin(*FIELD, **CUP)
        plain.finish(name)
        assert isolations(plain, name) == []
        assert played_deals(plain, name) == played_deals(isolating, cup) != []
        assert plain.metric("isolations_total", outcome="compared") == 0


def test_only_the_organiser_is_told(isolating):
    name = isolating.begin("first", "second", **CUP | {"block": 8, "cap": 8})
    isolating.finish(name)
    play_again(isolating, name, lambda found: [one.outcome for one in found] == ["compared"])
    author, _ = isolating.author()
    assert author.standings(name).foreknowledge == ()
    assert isolating.admin.standings(name).foreknowledge


@pytest.mark.long
def test_a_copy_is_played_with_the_bank_and_the_first_deals_of_the_whole_seating(isolating):
    name = isolating.begin("first", "second", **CUP | {"block": 8, "cap": 8})
    (block,) = isolating.queued(name)
    order = isolating.worker.claim(block.id)
    isolating.worker.report(order)
    again = claim_copy(isolating, name)
    (seating,) = again.seatings
    assert seating == order_seatings(list(order.seeds), range(2))[1]
    assert set(again.seeds) <= set(order.seeds)
    assert again.limits.deal_ms * len(again.seeds) == order.limits.deal_ms * len(order.seeds)
    assert isolating.worker.report(again).stored
    assert not isolating.worker.report(again).stored  # the answer was lost
    until(lambda: [one.outcome for one in isolations(isolating, name)] == ["compared"])
    with isolating.database.read() as session:
        state = session.scalars(select(Contest.state).where(Contest.id == again.contest_id)).one()
        assert (state, session.scalars(select(Audit.block_id)).all()) == ("over", [])


@pytest.mark.long
def test_a_copy_that_was_handed_out_by_an_earlier_release_is_dropped(isolating):
    """It knows no copies: the worker plays the block's first sets in both seatings."""
    name = isolating.begin("first", "second", **CUP | {"block": 40, "cap": 40})
    isolating.worker.report(isolating.worker.claim(isolating.queued(name)[0].id))
    again = claim_copy(isolating, name)
    with isolating.database.write() as session:
        packed = session.get_one(BlockResult, isolations(isolating, name)[0].block_id).records
        session.execute(update(Block).where(Block.id == again.block_id).values(state="done"))
        session.add(BlockResult(block_id=again.block_id, scores=b"", records=packed, measured=b""))
    until(lambda: [one.outcome for one in isolations(isolating, name)] == ["dropped"])
    assert all(one.told == one.screened == 0 for one in foreknowledge(isolating, name).values())
