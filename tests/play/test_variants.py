"""Every variant is played at the page to the end, by forms alone; with scripts see test_browser_deals."""

from __future__ import annotations

import pytest

from maumau.game import replay, variants
from tests.play.conftest import Guest


@pytest.mark.long
@pytest.mark.parametrize("rules", variants())
def test_a_deal_of_a_variant_is_played_to_the_end(arena, page, rules) -> None:
    guest = Guest(page.port, rules)
    over = guest.play_to_the_end(guest.deal(rules, seats="3", calls="own"))
    table_id = guest.at.rpartition("/")[2]
    record = guest.get(f"/tables/{table_id}/record").text
    d = replay(record)
    assert d.over
    assert ("You have won!" in over.words) == (d.places[_own_seat(guest)] == 1)


def _own_seat(guest: Guest) -> int:
    return int(guest.cookies["maumau-seat"].split(":")[1])
