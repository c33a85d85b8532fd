"""Times in messages."""

import pytest

from services.shared.rpc.timestamp import to_past_timestamp, to_timestamp


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (1_764_201_600_250, "2025-11-27T00:00:00.250Z"),
        (0, "1970-01-01T00:00:00Z"),
        (-(10**18), "0001-01-01T00:00:00Z"),
        (10**18, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_beyond_the_years_of_a_message_is_the_nearest_of_them(milliseconds, shown):
    assert to_timestamp(milliseconds).ToJsonString() == shown


def test_a_past_time_of_0_is_left_out():
    assert to_past_timestamp(0) is None
    assert to_past_timestamp(1).ToMilliseconds() == 1
