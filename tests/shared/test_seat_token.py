"""Seat tokens."""

import pytest

from maumau.errors import BadSeatToken
from services.shared.base.seat_token import split_token


def test_a_token_names_its_table_and_its_seat():
    assert split_token("table_7f3k/2/c2VjcmV0") == ("table_7f3k", 2)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "match_7f3k/2/c2VjcmV0",
        "table_7f3k",
        "table_7f3k/x/c2VjcmV0",
        "table_7f3k/-1/c2VjcmV0",
        "table_7f3k/²/c2VjcmV0",
        "table_7f3k/2/" + "s" * 188,
    ],
)
def test_another_text_is_not_a_seat_token(token):
    with pytest.raises(BadSeatToken):
        split_token(token)


def test_a_token_of_200_characters_is_read():
    assert split_token("table_7f3k/2/" + "s" * 187) == ("table_7f3k", 2)
