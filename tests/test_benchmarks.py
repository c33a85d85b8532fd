"""The page of benchmarks keeps what was measured by itself."""

from importlib import import_module

import pytest

from bench.__main__ import SUITES
from bench.results.report import format_page, format_part, parts_of, put_part, read_values
from bench.results.row import ResultRow
from bench.services import core
from bench.support.lab import Lab


def part(value):
    return format_part("The core", "Words.", [ResultRow("booked", value, 100)])


def test_a_part_is_put_at_the_end_and_replaced_there():
    page = format_page([ResultRow("decisions", 2.0, 1)], {})
    once = put_part(page, part(120))
    twice = put_part(once, part(90))
    assert once.startswith(page.rstrip())
    assert read_values(twice) == {"decisions": 2.0, "booked": 90.0}
    assert "| booked | 90 | **≥ 100** |  |" in parts_of(twice)
    assert "| booked | 120 | ≥ 100 |  |" in parts_of(once)


def test_what_both_databases_were_measured_for_shares_a_line():
    rows = [
        ResultRow("booked, sqlite", 150, 120, how="2 s"), ResultRow("told, fast", 2, 1),
        ResultRow("booked, postgresql", 90, 120, how="3 s"), ResultRow("read, sqlite", 1, 1),
    ]  # fmt: skip
    assert format_part("The core", "Words.", rows).splitlines()[-3:] == [
        "| booked | 150 / 90 | **≥ 120** | 2 s / 3 s |",
        "| told, fast | 2 | ≥ 1 |  |",
        "| read, sqlite | 1 | ≥ 1 |  |",
    ]


def test_the_page_made_anew_keeps_its_parts():
    page = put_part(format_page([ResultRow("decisions", 2.0, 1)], {}), part(120))
    fresh = format_page([ResultRow("decisions", 3.0, 1)], read_values(page)) + parts_of(page)
    assert read_values(fresh) == {"decisions": 3.0, "booked": 120.0}
    assert parts_of(format_page([ResultRow("decisions", 3.0, 1)], {})) == ""


def test_another_part_stays_where_it_is():
    other = format_part("Pages", "Words.", [ResultRow("shown", 1.0, 1)])
    page = put_part(put_part("# Benchmarks\n", part(120)), other)
    assert read_values(put_part(page, part(90))) == {"booked": 90.0, "shown": 1.0}


@pytest.mark.parametrize("suite", sorted(SUITES))
def test_every_suite_is_found(suite):
    assert callable(import_module(SUITES[suite]).measure_rows)


@pytest.mark.long
def test_whatever_the_service_orders_is_reported_where_its_bookings_are_counted(tmp_path, monkeypatch):
    """Copies of first blocks are ordered seating by seating."""
    monkeypatch.setattr(core, "SECONDS", 5.0)
    with Lab("sqlite", tmp_path) as lab:
        booked, each = core.measure_booking(lab)
    assert booked.value > 0
    assert each.value > 0
