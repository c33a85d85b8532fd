"""Ids: a word for the kind, then time, then chance."""

import re
import time

from services.shared.base.ident import new_id


def test_an_id_names_its_kind():
    assert re.fullmatch(r"match_[0-9a-hjkmnp-tv-z]{26}", new_id("match"))


def test_ids_sort_by_the_time_they_were_made():
    earlier = new_id("bot")
    made = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == made:
        pass
    assert earlier < new_id("bot")


def test_no_two_ids_are_alike():
    assert len({new_id("bot") for _ in range(10_000)}) == 10_000


def test_ids_of_one_process_sort_as_they_were_made():
    found = [new_id("block") for _ in range(20_000)]  # many of them within one millisecond
    assert found == sorted(set(found))


def test_a_clock_that_is_set_back_keeps_the_order(monkeypatch):
    first = new_id("block")
    monkeypatch.setattr("time.time_ns", lambda: 1)
    assert first < new_id("block")
