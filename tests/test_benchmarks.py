"""The page of benchmarks keeps what was measured by itself."""

from bench.report import format_page, format_part, parts_of, put_part, read_values
from bench.row import Row


def part(value):
    return format_part("The core", "Words.", [Row("booked", value, 100)], {})


def test_a_part_is_put_at_the_end_and_replaced_there():
    page = format_page([Row("decisions", 2.0, 1)], {})
    once = put_part(page, part(120))
    twice = put_part(once, part(90))
    assert once.startswith(page.rstrip())
    assert read_values(twice) == {"decisions": 2.0, "booked": 90.0}
    assert "**not reached**" in parts_of(twice)


def test_the_page_made_anew_keeps_its_parts():
    page = put_part(format_page([Row("decisions", 2.0, 1)], {}), part(120))
    fresh = format_page([Row("decisions", 3.0, 1)], read_values(page)) + parts_of(page)
    assert read_values(fresh) == {"decisions": 3.0, "booked": 120.0}
    assert parts_of(format_page([Row("decisions", 3.0, 1)], {})) == ""


def test_another_part_stays_where_it_is():
    other = format_part("Pages", "Words.", [Row("shown", 1.0, 1)], {})
    page = put_part(put_part("# Benchmarks\n", part(120)), other)
    assert read_values(put_part(page, part(90))) == {"booked": 90.0, "shown": 1.0}
