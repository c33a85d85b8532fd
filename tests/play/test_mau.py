"""“Mau!” as a button that one must think of oneself, and the setting for beginners."""

from __future__ import annotations

import re

import pytest

from tests.play.conftest import Guest, list_choices
from tests.web.visitor import Page

BUTTON = 'name="call" value="!"'


def count_hand(page: Page) -> int:
    return len(
        re.findall(r'class="card [A-Z]', page.text.partition('class="my-cards')[2].partition("</div>")[0])
    )


def play_until_two_cards(guest: Guest, page: Page) -> Page | None:
    """Play until the guest has two cards and may lay one; None if the deal ends before."""
    while "again-button" not in page.text:
        if count_hand(page) == 2 and any(re.match(r"[2-9TQKA][CSHD]!?$", one) for one in list_choices(page)):
            return page
        assert guest.choose(page).status == 303
        page = guest.wait_for_turn()
    return None


def find_last_but_one(guest: Guest, calls: str) -> tuple[Page, str]:
    """Return a question with two cards in hand, and a card to lay."""
    for _ in range(30):
        page = play_until_two_cards(guest, guest.deal("mau_mau", calls=calls))
        if page:
            return page, next(one for one in list_choices(page) if re.match(r"[2-9TQKA][CSHD]", one))
        guest.leave()
    raise AssertionError("no deal came to two cards")


def read_actions(guest: Guest) -> str:
    """Return the record of the deal, once the guest has left the table."""
    table = guest.at.rpartition("/")[2]
    guest.leave()
    return guest.get(f"/tables/{table}/record").text


@pytest.mark.long
def test_the_button_is_there_at_every_question_and_says_nothing_of_when_it_is_due(guest) -> None:
    page, act = find_last_but_one(guest, "own")
    assert BUTTON in page.text
    assert act[-1] != "!"
    assert guest.act(page, act, call="!").status == 303
    seat = "AB"[int(guest.cookies["maumau-seat"].split(":")[1])]
    assert f"\n{seat} {act}!" in read_actions(guest)


@pytest.mark.long
def test_for_beginners_it_is_said_and_there_is_no_button(guest) -> None:
    page, act = find_last_but_one(guest, "bot")
    assert BUTTON not in page.text
    assert act[-1] == "!"
    assert "For beginners: say “Mau!” for me" in guest.get("/play").words
    assert "Für Anfänger" in guest.get("/play", accept_language="de").words
