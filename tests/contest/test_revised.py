"""A revised mapping is the one that a copy with the new values would be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.contest.schedule.revised import MOST, Revised, revise_mapping

KEYS = st.integers(0, 9)


@pytest.mark.long
@given(st.lists(st.dictionaries(KEYS, st.integers()), max_size=6))
def test_it_is_what_a_copy_with_the_new_values_would_be(revisions):
    found = copy = dict.fromkeys((3, 1, 4, 0, 5, 9, 2, 6, 8, 7), -1)
    for news in revisions:
        found, copy = revise_mapping(found, news), {**copy, **news}
        assert list(found.items()) == list(copy.items())
        assert list(found.values()) == list(copy.values())
        assert (len(found), 9 in found, 10 in found) == (10, True, False)
        assert found.get(10) is None


def test_an_earlier_revision_stays_as_it_was():
    first = revise_mapping({"a": 1, "b": 2}, {"a": 3})
    second = revise_mapping(first, {"b": 4})
    assert (dict(first), dict(second)) == ({"a": 3, "b": 2}, {"a": 3, "b": 4})


def test_many_revised_values_are_copied_once():
    whole = dict.fromkeys(range(MOST + 1), 0)
    some = revise_mapping(whole, dict.fromkeys(range(MOST), 1))
    assert isinstance(some, Revised)
    assert some.base is whole
    all_of_them = revise_mapping(some, {MOST: 1})
    assert type(all_of_them) is dict
    assert set(all_of_them.values()) == {1}
