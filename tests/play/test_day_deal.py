"""The deal of the day: one draw for everybody, one attempt each, midnight, and how it is compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
from msgspec.structs import replace

from maumau.client.live import Table
from maumau.errors import BadRequest, NotAllowed, QuotaReached
from maumau.game import deal, load, variants
from maumau.game import record as write_record
from maumau.v1 import engine_pb2, engine_pb2_grpc
from services.shared.base import clock
from services.web.play import daily
from services.web.play.day_deal import (
    Attempt,
    DayDeal,
    draw_day_deal,
    find_champion,
    list_attempts,
    read_attempts,
)
from services.web.play.moment import Start
from services.web.seat import USUAL_CLOCK
from tests.play.conftest import Guest, open_page
from tests.support.arenas.engine import Calls
from tests.web.visitor import READER

DAY = date(2026, 11, 27)


def seal(word: str, text: str) -> str:
    return hashlib.sha256(f"a secret {word} {text}".encode()).hexdigest()


def test_a_day_has_one_deal_and_another_secret_another() -> None:
    one = draw_day_deal(DAY, seal)
    assert one == draw_day_deal(DAY, seal)
    assert one.rules in variants()
    assert 0 <= one.seat < one.seats <= 4
    other = draw_day_deal(DAY, lambda word, text: seal("other" + word, text))
    assert one.start.record != other.start.record
    later = {draw_day_deal(DAY + timedelta(days=days), seal).rules for days in range(12)}
    assert len(later) > 3


D = deal(load("prsi"), 2, "day")
ONE = DayDeal(DAY, "prsi", 2, Start(write_record(D), 1))


def tried(number: int, who: str, places: tuple[int, ...], more: str = "", **fields) -> Table:
    """Return a table of an attempt that has ended; `more` are the lines played."""
    table = Table(
        f"table_{number}", "prsi", "", 2, ("fox", who), "over", (), None, 9, "", places, (30, 0), who, "",
        "", ONE.start.record + more, (0, 1), datetime(2026, 11, 27, tzinfo=UTC), ("fox", ""), USUAL_CLOCK,
        begun_lines=ONE.start.record.count("\n"), named=True, day="2026-11-27",
    )  # fmt: skip
    return replace(table, **fields)


def test_attempts_are_compared_the_best_first_and_named_by_choice() -> None:
    tables = [
        tried(4, "ada", (1, 2), "A 9C\nB draw TC\nB +2 7C 8C\nB pass\n"),
        tried(3, "guest", (2, 1), "A 9C\nB KC\nB skipped\n"),
        tried(5, "bob", (2, 1), "B KC\nB take\n", named=False),
        tried(6, "eve", (), "B KC\n", state="void"),
        tried(7, "joe", (2, 1), faults=("", "time")),
        tried(8, "kim", (), state="playing"),
        tried(9, "max", (2, 1), bot_names=("owl", "")),  # against another bot
    ]
    found = list_attempts(ONE, tables)
    assert find_champion(found) == "fox"
    assert read_attempts(found, "fox") == (
        Attempt("", True, "over", 1, 0, 1, "table_3"),
        Attempt("", False, "over", 1, 0, 2, "table_5"),
        Attempt("ada", False, "over", 2, 0, 2, "table_4"),
        Attempt("joe", False, "left", 0, 0, 0, "table_7"),
        Attempt("eve", False, "left", 0, 0, 1, "table_6"),
        Attempt("kim", False, "playing", 0, 0, 0, "table_8"),
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"record": "[maumau 1]\n"}, {"begun_lines": 0}, {"bot_names": ("", "fox")}, {"bot_names": ("", "")},
        {"bot_names": ()}, {"time": None}, {"time": replace(USUAL_CLOCK, bank_ms=299_999)},
    ],
)  # fmt: skip
def test_a_table_made_by_hand_is_no_attempt(changed) -> None:
    assert list_attempts(ONE, [tried(1, "ada", (2, 1), **changed)]) == []


# --- the engine ---


def call_engine(arena, token: str) -> Calls:
    return Calls(arena.address, token, engine_pb2, engine_pb2_grpc.EngineServiceStub)


def find_today() -> str:
    return datetime.fromtimestamp(clock.now() / 1000, UTC).date().isoformat()


@pytest.mark.long
def test_an_account_and_a_guest_have_one_attempt_a_day(arena) -> None:
    client, _ = arena.author()
    author, page = call_engine(arena, client.token), call_engine(arena, READER)
    asked = {"record": ONE.start.record, "seats": 2, "day": find_today()}
    first = author.CreateTable(**asked).table
    assert first.day == find_today()
    with pytest.raises(QuotaReached, match="one attempt"):
        author.CreateTable(**asked)
    author.CloseTable(table_id=first.id, words="no house bot came")  # its deal never began
    second = author.CreateTable(**asked).table
    guest = page.CreateTable(**asked, guest="ad" * 16).table
    with pytest.raises(QuotaReached):
        page.CreateTable(**asked, guest="ad" * 16)
    listed = {one.id: one.record for one in page.ListTables(day=find_today()).tables}
    assert {first.id, second.id, guest.id} <= listed.keys()
    assert listed[guest.id] == ONE.start.record
    assert not page.GetTable(table_id=guest.id).table.record  # it is still being played
    with pytest.raises(NotAllowed):
        author.ListTables(day=find_today())


@pytest.mark.parametrize("day", ["2026-11-26", "today", "2999-01-01"])
def test_only_today_s_deal_is_begun(arena, day) -> None:
    client, _ = arena.author()
    with pytest.raises(BadRequest):
        call_engine(arena, client.token).CreateTable(record=ONE.start.record, seats=2, day=day)


# --- the page ---


@pytest.fixture
def guest(arena, monkeypatch) -> Iterator[Guest]:
    """Yield a guest of a page whose deal of the day is one of `prsi`."""
    monkeypatch.setattr(daily, "draw_day_deal", lambda day, _: replace(ONE, day=day))
    monkeypatch.setattr(daily, "CHAMPIONS", ("greedy",))
    monkeypatch.setattr(daily, "SECONDS", 0)
    with open_page(arena, guests=True) as page:
        guest = Guest(page.port)
        yield guest
        guest.leave()


def begin(guest: Guest, day: str):
    return guest.send("/play/today", "/play/today", {"day": day, "calls": "bot"})


@pytest.mark.long
def test_a_guest_plays_the_deal_of_the_day_once_and_sees_it_compared(guest, monkeypatch) -> None:
    today = find_today()
    assert "past midnight" in begin(guest, "2020-01-01").words
    made = begin(guest, today)
    assert made.status == 303, made.words
    guest.at = made.headers["location"]
    assert "To your table" in guest.get("/play/today").words
    del guest.cookies["maumau-day"]  # the same guest's other tab, opened before
    again = begin(guest, today)
    assert "You have had your attempt today" in again.words
    guest.play_to_the_end(guest.wait_for_turn())
    now = clock.now
    monkeypatch.setattr(clock, "now", lambda: now() + clock.DAY)  # midnight passes
    words = Guest(guest.port).get("/play/today").words
    assert "against greedy" in words
    assert "A guest" in words
    assert "Accounts Attempts: 0." in words
    assert "Guests Attempts: 1. Guests are listed separately" in words


def test_a_guest_with_other_cookies_plays_again_and_stands_apart_from_accounts(guest, monkeypatch) -> None:
    today, tables = find_today(), []
    for number in range(2):  # the same network, two identities
        monkeypatch.setattr(daily.SeatPasses, "name_guest", lambda *_, one=number: f"{one:032x}")
        other = Guest(guest.port)
        made = begin(other, today)
        assert made.status == 303, made.words
        other.at = made.headers["location"]
        other.wait_for_turn()  # an attempt counts once it has begun
        tables.append(other.at)
    assert len(set(tables)) == 2
    now = clock.now
    monkeypatch.setattr(clock, "now", lambda: now() + clock.DAY)
    page = Guest(guest.port).get("/play/today?lang=de")
    accounts, guests = page.words.split("Gäste Versuche: ")
    assert "Ein Gast" not in accounts
    assert guests.count("Ein Gast") >= 2
    assert "kennt dann die Karten" in guests
