"""Several deals at once between the same processes: the same deals, and the same faults in the same place."""

from __future__ import annotations

from functools import partial

import pytest

from maumau.game import order_deals, replay
from tests.bot.conftest import SEEDS
from tests.support.kinds import one_of


@pytest.fixture
def wide(submit, mark):
    """Return a program that takes this many deals at once."""

    def submitted(name: str, concurrent: int):
        toml = f'run = ["python3", "bot.py", "{mark}"]\nconcurrent = {concurrent}\n'
        return submit(name, toml=toml)

    return submitted


def kinds_as_played(booked):
    """Return the kinds of faults in a block of eight sets, in the order in which its deals are played."""
    order = [order_deals(SEEDS[:8], seating) for seating in (0, 1)]
    played = sorted(booked, key=lambda fault: (fault.seating, order[fault.seating].index(fault.deal)))
    return [fault.kind for fault in played]


def records(outcome):
    return [deal.record for each in outcome.sets for deal in each.deals]


@pytest.mark.long
@pytest.mark.parametrize("seats", one_of(2, [2, 3]))
def test_deals_side_by_side_are_the_deals_one_after_the_other(play, wide, seats):
    one, many = (play(*(wide("good", most) for _ in range(seats)), sets=7) for most in (1, 5))
    assert records(one) == records(many)
    assert [use.replies for use in one.measured.uses] == [use.replies for use in many.measured.uses]


def test_nobody_is_sent_more_at_once_than_everybody_takes(play, wide):
    outcome = play(wide("batch", 50), wide("batch", 3), sets=6)
    for use in outcome.measured.uses:
        told, most = use.log.splitlines()
        assert (told, most) == ("told 3", "most 3")


def test_a_short_block_has_no_more_deals_than_it_has(play, wide):
    outcome = play(wide("batch", 50), wide("batch", 60), sets=2)
    assert [use.log.splitlines()[0] for use in outcome.measured.uses] == ["told 2"] * 2


def test_a_death_loses_one_deal_and_the_rest_goes_on(play, faults, wide):
    outcome = play(wide("recalls", 4), wide("good", 4), sets=8)
    booked = faults(outcome)
    assert {fault.kind for fault in booked} == {"crash"}
    assert len(booked) == outcome.measured.uses[0].starts - 2  # a new process after each but the last
    lost = [record for record in records(outcome) if " crash\n" in record]
    assert len(lost) == len(booked) < len(records(outcome))
    for each in outcome.sets:
        for deal in each.deals:
            again = replay(deal.record)
            assert (again.places, again.points) == (deal.places, deal.points)
            if " crash\n" in deal.record:
                assert deal.places[deal.seats.index(0)] == 2


def test_a_fault_shows_the_question_it_was_made_at(play, faults, wide):
    (fault, *_) = faults(play(wide("recalls", 4), wide("good", 4), sets=8))
    told = order_deals(SEEDS[:8], fault.seating).index(fault.deal)
    assert f'"deal":{told},' in fault.ask
    assert fault.exit == "exit code 7"


def test_an_unreadable_reply_loses_its_deal_alone(play, faults, wide):
    outcome = play(wide("illegal", 3), wide("good", 3), sets=3)
    assert [fault.kind for fault in faults(outcome)] == ["illegal"] * 2  # its third question, in each seating
    assert outcome.measured.uses[0].starts == 2


def test_the_fifth_fault_loses_every_later_deal(play, faults, wide):
    outcome = play(wide("garbage", 4), wide("good", 4), sets=8)
    assert kinds_as_played(faults(outcome)) == (["unreadable"] * 5 + ["forfeit"] * 3) * 2


@pytest.mark.long
def test_who_never_starts_loses_deal_by_deal(play, faults, wide):
    outcome = play(wide("early", 4), wide("good", 4), sets=8)
    assert kinds_as_played(faults(outcome)) == (["start"] * 5 + ["forfeit"] * 3) * 2


@pytest.mark.sample
@pytest.mark.parametrize("name", one_of(2, ["recalls", "illegal", "garbage", "early"]))
def test_the_same_block_played_again_has_the_same_faults_in_the_same_places(play, wide, name):
    again = partial(play, wide(name, 4), wide("good", 4), sets=6)
    assert records(again()) == records(again())


def compared(outcome):
    """Return what is compared of a block: records, places, points and faults."""
    return [
        (one.record, one.places, one.points, [(each.entrant, each.deal, each.kind) for each in one.faults])
        for played in outcome.sets for one in played.deals
    ]  # fmt: skip


@pytest.fixture
def stumble(submit, mark):
    """Return a program that takes `concurrent` deals at once and commits a fault every `share` decisions."""

    def submitted(concurrent: int, share: int):
        run = f'["python3", "bot.py", "{mark}", "{share}"]'
        return submit("stumbles", toml=f"run = {run}\nconcurrent = {concurrent}\n")

    return submitted


@pytest.mark.sample
@pytest.mark.parametrize(
    ("shares", "more"),
    [
        ((100, 300), {}),  # some faults each; the fifth in the middle
        ((10, 10_000), {}),
        ((1, 1), {}),
        ((150, 150, 150), {"options": {"places": True}}),
        ((80, 200, 200), {"rules": "schweizer"}),  # whose windows ask several seats
        ((60, 300), {"game": True, "options": {"rounds": 2, "max_hands": 2}}),
        ((15, 15), {"rules": "schweizer"}),  # crashes in deals behind the fifth fault
        ((60, 15), {"game": True, "options": {"rounds": 4, "max_hands": 4}}),  # the fifth within a game
    ],
)
def test_a_block_s_outcome_is_that_of_one_deal_after_the_other(play, stumble, faults, shares, more):
    def play_at_once(concurrent):
        programs = [stumble(concurrent, share) for share in shares]
        return play(*programs, sets=24, deal_ms=20_000, **more)

    alone = play_at_once(1)
    assert "forfeit" in {fault.kind for fault in faults(alone)}
    for concurrent in (4, 64):
        assert compared(play_at_once(concurrent)) == compared(alone)


@pytest.mark.parametrize("game", [False, True])
@pytest.mark.parametrize("concurrent", [1, 4, 64])
def test_five_faults_stay_five_whatever_comes_after_them(play, submit, mark, wide, faults, concurrent, game):
    """The program would commit none if the deals with its faults were played anew."""
    toml = f'run = ["python3", "bot.py", "{mark}", "5"]\nconcurrent = {concurrent}\n'
    feigns, more = submit("feigns", toml=toml), {"options": {"rounds": 2, "max_hands": 2}} if game else {}
    outcome = play(feigns, wide("good", concurrent), sets=12, game=game, deal_ms=20_000, **more)
    for seating in (0, 1):
        kinds = [fault.kind for fault in faults(outcome) if fault.seating == seating]
        assert kinds.count("unreadable") == 5
        assert set(kinds) == {"unreadable", "forfeit"}


def test_a_program_commits_few_more_faults_than_five(play, faults, wide):
    """Each of its faults is in the last deal that it is asked in, and is withdrawn if five are before it."""
    outcome = play(wide("leaves_last", 24), wide("good", 24), sets=24)
    assert sorted(fault.kind for fault in faults(outcome)) == ["crash"] * 10 + ["forfeit"] * 38
    assert outcome.measured.uses[0].starts <= 2 * 11  # in two seatings: five that count, five more, and once


@pytest.mark.parametrize("most", [1, 16])
def test_nobody_meets_the_cards_of_a_deal_twice_or_more_deals_than_told(play, faults, wide, most):
    """The fifth fault of another program has deals played anew; some programs are asked in no others."""
    outcome = play(wide("watchful", most), wide("garbage", most), sets=20)
    assert {fault.entrant for fault in faults(outcome)} == {1}


def count_asked(deal):
    """Return the decisions of a deal that ended at its bound of 60; 0 if it was forfeited."""
    return 0 if "\nforfeit " in deal.record else 60


@pytest.mark.parametrize("at_once", [1, 3])
def test_programs_that_only_draw_are_asked_no_more_after_so_many_stalled_deals(play, faults, wide, at_once):
    bound = {"options": {"max_decisions": 60}, "most_stalled": 2}
    outcome = play(*[wide("draws", at_once)] * 2, rules="prsi", sets=6, **bound)
    assert faults(outcome) == []
    for seating in (0, 1):
        deals = [outcome.sets[place].deals[seating] for place in order_deals(SEEDS[:6], seating)]
        assert [count_asked(deal) for deal in deals] == [60] * 2 + [0] * 4
        assert {tuple(deal.places) for deal in deals} == {(1, 1)}
        assert all("forfeit A stall\nforfeit B stall" in deal.record for deal in deals[2:])
        assert all(replay(deal.record).places == [1, 1] for deal in deals)


def test_one_program_that_only_draws_ends_no_seating(play, wide):
    """Its opponent lays its cards, so each deal has a winner."""
    bound = {"options": {"max_decisions": 350}, "most_stalled": 1}
    outcome = play(wide("draws", 1), wide("good", 1), rules="prsi", sets=8, **bound)
    assert all("forfeit" not in record for record in records(outcome))


def test_programs_that_are_out_are_not_saved_by_stalled_deals(play, wide):
    programs = (wide("garbage", 1), wide("good", 1))
    assert records(play(*programs, sets=8, most_stalled=1)) == records(play(*programs, sets=8))


def test_without_a_bound_programs_may_draw_in_every_deal(play, wide):
    outcome = play(*[wide("draws", 1)] * 2, rules="prsi", sets=3, options={"max_decisions": 60})
    assert [use.replies for use in outcome.measured.uses] == [
        180,
        180,
    ]  # half of 60 for each of three deals in two seatings
