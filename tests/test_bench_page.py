"""Results that the benchmark of the page reads from its streams."""

import pytest

from bench.web.browser import latest_delays
from bench.web.streams import count_sets
from maumau.client.answer import Ladder
from services.web.delivery.render import ladder_facts
from services.web.words import TONGUES


@pytest.mark.parametrize("count", [1, 7, 300, 1250, 123_456])
def test_numbers_of_sets_are_read_as_the_page_writes_them(count):
    written = TONGUES["en"].number(count)
    assert count_sets(f'{{"result": "95 % interval 49.8 to 54.9 %, {written} sets."}}'.encode()) == count
    ladder = Ladder("prsi", None, "win", None, members=4, sets=count, epoch=3, seats=2, words="")
    assert count_sets(ladder_facts(TONGUES["en"], ladder).encode()) == count
    assert count_sets(b"no set") is None


def test_who_is_told_of_something_later_is_told_of_what_was_before_it():
    """Of 50 one hears 0.5 s later; of 100 not at all, but of 150 after 3 - 2 = 1 s; of 200 never."""
    heard = iter([(1.5, 50), (3.0, 150)])
    assert latest_delays(heard, [(1.0, 50), (2.0, 100), (4.0, 200)]) == [0.5, 1.0]
