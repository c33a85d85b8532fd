"""The clock that leases are counted by."""

from services.shared.base.clock import SteadyClock

HOUR = 3_600_000


class Counter:
    """Counts milliseconds when it is told to."""

    def __init__(self):
        self.count = 7

    def __call__(self):
        return self.count


def started():
    counter = Counter()
    return counter, SteadyClock(1_000_000_000, counter)


def test_it_counts_from_where_it_began():
    counter, clock = started()
    counter.count += 1500
    assert clock() == 1_000_001_500


def test_a_step_of_the_databases_clock_moves_it_by_a_hundredth_of_the_time():
    for step in (HOUR, -HOUR):
        counter, clock = started()
        for _ in range(12):
            counter.count += 5000
            clock.follow(1_000_000_000 + counter.count - 7 + step)
        assert clock() - 1_000_060_000 == (600 if step > 0 else -600)


def test_what_it_is_off_by_little_it_makes_up_for():
    counter, clock = started()
    counter.count += 5000
    clock.follow(1_000_005_020)
    assert clock() == 1_000_005_020
