"""Workers that are named for their reports, and workers that are not."""

from itertools import combinations, product

from services.tournament.domain.outlier import OddOne, find_outlier

WORKERS = ("a", "b", "c")
PAIRS = list(combinations("1234", 2))


def odd(worker, *programs):
    return OddOne(worker, WORKERS, programs)


def test_who_is_always_the_odd_one_in_all_matches_is_named():
    assert find_outlier([odd("b", *pair) for pair, _ in product(PAIRS, range(2))]) == "b"


def test_a_few_differences_name_nobody():
    assert find_outlier([odd("b", *pair) for pair in PAIRS]) is None
    assert find_outlier([]) is None


def test_differences_that_are_anybodys_name_nobody():
    audits = [odd(worker, *pair) for worker, pair, _ in product(WORKERS, PAIRS, range(20))]
    assert find_outlier(audits) is None


def test_a_program_that_plays_otherwise_on_one_host_names_nobody():
    assert find_outlier([odd("b", "1", other) for other, _ in product("234", range(50))]) is None
    once = [odd("b", "3", "4")]  # and by chance another one, too
    assert find_outlier([odd("b", "1", other) for other, _ in product("234", range(50))] + once) is None


def test_a_liar_is_named_though_a_program_differs_everywhere():
    chance = [odd(worker, "1", other) for worker, other, _ in product(WORKERS, "234", range(5))]
    assert find_outlier(chance + [odd("b", *pair) for pair, _ in product(PAIRS, range(8))]) == "b"
