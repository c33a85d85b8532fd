"""Rate limits."""

from services.shared.base import rate
from services.shared.base.rate import Rates


def rates():
    now = [100.0]
    return now, Rates(8, 3, lambda: now[0])


def test_after_a_burst_it_may_happen_so_many_times_a_second():
    now, found = rates()
    assert [found.take("ada") for _ in range(4)] == [True, True, True, False]
    now[0] += 0.125
    assert [found.take("ada") for _ in range(2)] == [True, False]


def test_a_rest_gives_no_more_than_a_burst():
    now, found = rates()
    found.take("ada")
    now[0] += 3600
    assert [found.take("ada") for _ in range(4)] == [True, True, True, False]


def test_owners_do_not_hinder_each_other_and_not_all_are_remembered(monkeypatch):
    monkeypatch.setattr(rate, "OWNERS", 2)
    _, found = rates()
    for _ in range(3):
        found.take("ada")
    assert found.take("eve")
    assert not found.take("ada")
    found.take("eve")
    found.take("zoe")
    assert found.take("ada")
