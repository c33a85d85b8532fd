"""A deal of a new contest is stopped after twice the length of honest play, unless the contest says when."""

import pytest

from maumau.contest.ladder.pairing import Pair, shorten_pairings
from maumau.contest.length import LEAST, bound_length, bound_stalled, choose_bound, measure_bound
from maumau.contest.length_table import MOST_DECISIONS
from maumau.contest.spec.spec import parse_spec
from maumau.game import deal, load, variants
from services.tournament.organising.spec_row import check_spec

OWN = 'title = "T"\nsource = "x"\nextends = "prsi"\n'


def count_drawing(rules, seats, seed):
    """Return how many decisions a deal takes in which everybody draws whenever it is allowed."""
    d, made = deal(rules, seats, seed), 0
    while not d.over:
        seat = d.to_act[0]
        listed = d.legal(seat)
        action = next((one for one in listed if one.word == "draw"), listed[0])
        d.apply(seat, action + d.due(seat, action))
        made += 1
    return made


@pytest.mark.parametrize("name", variants())
def test_the_table_has_each_variant_as_it_is(name):
    """Otherwise `make lengths` was forgotten after a change of its rules."""
    rules = load(name)
    for seats in range(rules.seats[0], min(rules.seats[1], 4) + 1):
        assert LEAST <= MOST_DECISIONS[rules.hash, seats] <= rules.number("max_decisions")


def test_the_table_is_what_is_measured():
    rules = load("prsi")
    assert MOST_DECISIONS[rules.hash, 2] == measure_bound(rules, 2, 200)


def test_a_contest_without_a_bound_gets_that_of_its_rules_and_seats():
    most = choose_bound(load("prsi"), 2)
    assert bound_length("prsi", {}, "", 2) == {"max_decisions": most}
    assert most < 600
    assert load("prsi", max_decisions=most).hash != load("prsi").hash


def test_a_bound_that_was_chosen_stays():
    assert bound_length("prsi", {"max_decisions": 999}, "", 2) == {"max_decisions": 999}


def test_no_bound_is_above_the_variants_own():
    own = OWN + "[options]\nmax_decisions = { values = [50], default = 50 }\n"
    assert bound_length("wasp", {}, own, 2) == {}


def test_deals_of_drawing_alone_end_at_the_bound():
    most = choose_bound(load("prsi"), 2)
    bounded = load("prsi", max_decisions=most)
    stopped = [count_drawing(bounded, 2, f"{seed}") for seed in range(1, 6)]
    unbounded = [count_drawing(load("prsi"), 2, f"{seed}") for seed in range(1, 6)]
    assert stopped == [min(most, length) for length in unbounded]
    assert max(unbounded) == 2000


def test_who_takes_long_for_a_set_has_fewer_of_them():
    """The median table takes 60 decisions a set; at 120 a pairing is whole, at 600 it has a fifth of it."""
    lengths = {(0, 1): 60.0, (0, 2): 50.0, (1, 2): 600.0, (1, 3): 120.0, (2, 3): 55.0}
    pairs = [Pair(*players, "order") for players in ((0, 1), (2, 1), (3, 1), (0, 3))]
    assert shorten_pairings(pairs, 20, lengths) == [20, 4, 20, 20]
    assert shorten_pairings(pairs, 20, {**lengths, (1, 2): 9000.0}) == [20, 1, 20, 20]
    assert shorten_pairings(pairs, 5, {}) == [5, 5, 5, 5]


def test_a_tournament_has_the_bound_unless_its_spec_chooses_one():
    """`max_decisions = 2000`, the variant's own, is a choice as well."""
    text = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"\n'
    most = choose_bound(load("prsi"), 2)
    assert check_spec(text).options == {"max_decisions": most}
    assert check_spec(text + "[options]\nking_leaves = true\n").options.keys() == {
        "king_leaves",
        "max_decisions",
    }
    assert check_spec(text + "[options]\nmax_decisions = 999\n").options == {"max_decisions": 999}
    assert check_spec(text + "[options]\nmax_decisions = 2000\n").options == {"max_decisions": 2000}
    again = check_spec(check_spec(text).to_toml())
    assert again == check_spec(text)


def test_a_spec_without_the_bound_stays_as_it_is():
    """Contests made earlier are read from their specs."""
    text = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"\n'
    assert parse_spec(text).options == {}
    assert parse_spec(text).rules_hash == load("prsi").hash


@pytest.mark.parametrize(("sets", "most"), [(1, 3), (20, 3), (31, 4), (100, 10)])
def test_a_tenth_of_a_seating_may_stall_but_never_less_than_three(sets, most):
    """490 is the usual bound of mau_mau at two seats; a contest may have chosen a higher one."""
    assert choose_bound(load("mau_mau"), 2) == 490
    for bound in (490, 1999):
        assert bound_stalled(load("mau_mau", max_decisions=bound), 2, sets) == most


def test_a_bound_that_honest_play_reaches_ends_no_seating():
    assert bound_stalled(load("mau_mau", max_decisions=60), 2, 100) == 0


def test_a_seating_of_a_contest_without_a_bound_has_no_limit():
    assert bound_stalled(load("mau_mau"), 2, 100) == 0
