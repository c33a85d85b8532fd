"""Deals that are played on from a moment of their review, and again from their first card."""

from __future__ import annotations

import html
from datetime import UTC, datetime

import pytest

from maumau.game import replay
from maumau.game.replay import replay_stages
from services.web.call import STUBS
from services.web.client import Arena as Pages
from services.web.public.people import rank_people
from tests.play.conftest import Guest
from tests.web.visitor import READER, Page

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def played(arena, page) -> tuple[str, str, int]:
    """Return the id, the record and the person's seat of a table that is over."""
    guest = Guest(page.port, "first")
    guest.play_to_the_end(guest.deal("prsi"))
    table_id = guest.at.rpartition("/")[2]
    seat = int(guest.cookies["maumau-seat"].split(":")[1])
    return table_id, guest.get(f"/tables/{table_id}/record").text, seat


def sit_down(guest: Guest, address: str, **fields: str) -> Page:
    """Take the seat that a page of this address offers; return the answer."""
    return guest.send(address, "/play/from", {"bot": "greedy", "calls": "bot", **fields})


def link(table_id: str, seat: int, at: int) -> str:
    return f"/play/from?of=/tables/{table_id}/review&deal=0&seat={'AB'[seat]}&at={at}"


def find_stage(record: str, seat: int) -> int:
    """Return the last stage but one third of a deal in which this seat is asked."""
    asked = [stage for stage, (d, _) in enumerate(replay_stages(record)) if seat in d.to_act and not d.over]
    return asked[len(asked) * 2 // 3]


def read_record(guest: Guest) -> str:
    return guest.get(f"/tables/{guest.at.rpartition('/')[2]}/record").text


def list_tables(arena):
    async def ask():
        pages = Pages(dict.fromkeys(STUBS, arena.address), READER)
        try:
            return await pages.list_tables(ended=True)
        finally:
            await pages.close()

    return arena.loop.run(ask())


def test_a_review_leads_to_a_table_that_goes_on_from_there(arena, guest, played) -> None:
    table_id, record, seat = played
    stage = find_stage(record, seat)
    made = sit_down(guest, link(table_id, seat, stage))
    assert made.status == 303, made.words
    guest.at = made.headers["location"]
    table = guest.wait_for_turn()
    assert "Analysis: this deal counts nowhere." in table.words
    over = guest.play_to_the_end(table)
    assert "Once more from the same place" in over.words
    again = read_record(guest)
    lines = next(line for number, (_, line) in enumerate(replay_stages(record)) if number == stage)
    assert again.splitlines()[:lines] == record.splitlines()[:lines]
    assert replay(again).over
    analysed = guest.at.rpartition("/")[2]
    assert analysed not in {one.id for one in list_tables(arena)}
    assert guest.get(f"/tables/{analysed}/review?seat=A").status == 200


def test_the_same_deal_is_played_again_from_its_first_card(guest, played) -> None:
    table_id, record, seat = played
    over = guest.get(f"/tables/{table_id}/review?seat={'AB'[seat]}")
    assert html.escape(link(table_id, seat, 0)) in over.text
    offered = guest.get(link(table_id, seat, 0))
    assert "No bot of the ladders or contests of this game plays people at present" in offered.words
    made = sit_down(guest, link(table_id, seat, 0))
    assert made.status == 303, made.words
    guest.at = made.headers["location"]
    guest.play_to_the_end(guest.wait_for_turn())
    cards = [line for line in record.splitlines() if line.startswith(("deal ", "up ", "[seed"))]
    again = [line for line in read_record(guest).splitlines() if line.startswith(("deal ", "up ", "[seed"))]
    assert again == cards


def test_once_more_begins_at_the_same_place(guest, played) -> None:
    table_id, record, seat = played
    stage = find_stage(record, seat)
    guest.at = sit_down(guest, link(table_id, seat, stage)).headers["location"]
    over = guest.play_to_the_end(guest.wait_for_turn())
    assert "Once more from the same place" in over.words
    answer = guest.send(guest.at, f"{guest.at}/again")
    assert answer.status == 303, answer.words
    guest.at = answer.headers["location"]
    table = guest.wait_for_turn()
    assert "Analysis" in table.words
    guest.play_to_the_end(table)
    lines = next(line for number, (_, line) in enumerate(replay_stages(record)) if number == stage)
    assert read_record(guest).splitlines()[:lines] == record.splitlines()[:lines]


def test_analysis_is_on_no_board_of_people(arena, guest, played) -> None:
    table_id, record, seat = played
    before = rank_people(list_tables(arena), datetime.now(UTC))
    guest.at = sit_down(guest, link(table_id, seat, find_stage(record, seat))).headers["location"]
    guest.play_to_the_end(guest.wait_for_turn())
    assert rank_people(list_tables(arena), datetime.now(UTC)) == before


@pytest.mark.parametrize(
    ("changed", "status", "words"),
    [
        ("of=/tables/table_0/review&deal=0&seat=A&at=0", 404, ""),
        ("of=https://example.org/&deal=0&seat=A&at=0", 400, "names no moment of a deal"),
        ("of=/tables/{}/review&deal=1&seat=A&at=0", 400, "names no moment of a deal"),
        ("of=/tables/{}/review&deal=0&seat=C&at=0", 400, "names no moment of a deal"),
        ("of=/tables/{}/review&deal=0&seat=A&at=-1", 400, "names no moment of a deal"),
        ("of=/tables/{}/review&deal=0&seat=A&at=9999", 400, "Nothing is left to play there"),
        ("", 400, "names no moment of a deal"),
    ],
)
def test_an_address_of_no_moment_is_refused_in_words(guest, played, changed, status, words) -> None:
    answer = guest.get(f"/play/from?{changed.format(played[0])}")
    assert answer.status == status
    assert words in answer.words


def test_a_bot_that_does_not_play_people_is_refused(guest, played) -> None:
    table_id, record, seat = played
    answer = sit_down(guest, link(table_id, seat, find_stage(record, seat)), bot="fox")
    assert answer.status == 400
    assert "There is no such house bot." in answer.words
