"""The pages of reviews: nothing that the replay does not show, never awaited, bounded, in both languages."""

from __future__ import annotations

import asyncio
import re

import msgspec
import pytest

from maumau.game import deal_by_hand, load, record
from maumau.review.__main__ import Answer, ReviewOrder, carry_out
from maumau.review.review import Review
from services.web.delivery import reviewer as reviewing
from services.web.delivery.reviewer import AT_ONCE_OF_ONE, WAITING, Outcome, Reviewer
from services.web.figures.review_curve import draw_review
from tests.support.fake import a_match, a_set, a_table, a_tournament, table_news
from tests.support.polling import until

SET = "/contests/cup/matches/1.1.1/sets/3"
HOSTILE = "<script>alert(1)</script>"


def lost() -> str:
    """Return a deal that seat A loses by wishing for the suit of B's only card."""
    d = deal_by_hand(load("mau_mau"), {0: "JC 9S", 1: "KH"}, "TC", "")
    d.apply(0, "JC>H!")
    d.apply(1, "KH!")
    return record(d)


@pytest.fixture
def finished(site, monkeypatch):
    """Return the pages with a contest that is over, whose set's first deal A lost by its wish."""
    monkeypatch.setattr(reviewing, "SECONDS", 0.1)
    names = ("greedy", HOSTILE)
    site.arena.contests = [a_tournament("cup", "finished", names)]
    site.arena.games = {"cup": [a_match("1.1.1", names=names, state="decided", winner=1)]}
    found = a_set(3, names=names)
    first = msgspec.structs.replace(found.set.deals[0], record=lost())
    played = msgspec.structs.replace(found.set, deals=(first, found.set.deals[1]))
    site.arena.sets[3] = msgspec.structs.replace(found, set=played)
    return site


def ready(site, path: str, **headers: str) -> str:
    """Return the page of a review once it is made."""
    until("it is made", lambda: "<progress" not in site.get(path, **headers).text, 60)
    found = site.get(path, **headers)
    assert found.status == 200, found.text
    return found.text


@pytest.mark.long
def test_a_review_is_begun_waited_for_and_shown(finished) -> None:
    begun = finished.get(f"{SET}/review")
    assert begun.status == 200
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in begun.text
    assert begun.headers["cache-control"] == "no-store"
    page = ready(finished, f"{SET}/review")
    assert "http-equiv" not in page
    assert "greedy: place 2 of 2." in page
    assert "lays J♣ and wishes for ♥, “Mau!”" in page
    assert "better: lays J♣ and wishes for ♠, “Mau!”" in page
    assert f'href="{SET}?at=' in page
    assert page.count("review-curve") == 1
    assert HOSTILE not in page
    german = ready(finished, f"{SET}/review", accept_language="de")
    assert "besser: legt J♣ und wünscht sich ♠, „Mau!“" in german
    assert "Gewinnchancen" in german
    assert f'href="{SET.rpartition("/")[2]}/review"' in finished.get(SET).text


def test_a_fault_that_decided_the_deal_is_named_in_both_languages(finished, monkeypatch) -> None:
    def make(_: Reviewer, order: ReviewOrder, source: str) -> Outcome:
        return Outcome("ready", carry_out(order).review)

    monkeypatch.setattr(Reviewer, "find_review", make)
    d = deal_by_hand(load("mau_mau"), {0: "JC 9H", 1: "KH 7S"}, "TC", "8S 8H 8D 8C")
    d.apply(0, "JC>H!")
    d.forfeit(1, "left")
    d.apply(1, "KH!")
    d.apply(0, "9H!")
    found = finished.arena.sets[3]
    first = msgspec.structs.replace(found.set.deals[0], record=record(d))
    played = msgspec.structs.replace(found.set, deals=(first, found.set.deals[1]))
    finished.arena.sets[3] = msgspec.structs.replace(found, set=played)
    page = finished.get(f"{SET}/review").text
    assert "Event 2: &lt;script&gt;alert(1)&lt;/script&gt; leaves the table" in page
    assert "This decided the deal; luck and play end here." in page
    assert '<th scope="row">the fault that decided the deal</th>' in page
    german = finished.get(f"{SET}/review", accept_language="de").text
    assert "Ereignis 2: &lt;script&gt;alert(1)&lt;/script&gt; " in german
    assert "Damit war das Spiel entschieden" in german
    assert '<th scope="row">der Fehler, der das Spiel entschied</th>' in german
    assert "the fault that" not in finished.get(f"{SET}/review?deal=1").text


@pytest.mark.long
def test_another_seat_and_another_deal_are_chosen_in_the_address(finished) -> None:
    page = ready(finished, f"{SET}/review?seat=B")
    assert "&lt;script&gt;alert(1)&lt;/script&gt; won." in page
    assert "greedy" in ready(finished, f"{SET}/review?deal=1&seat=a")
    for wrong in ("deal=2", "deal=-1", "deal=x", "seat=C", "seat=", "seat=%00"):
        assert finished.get(f"{SET}/review?{wrong}").status == 400


@pytest.mark.long
def test_nothing_is_reviewed_before_the_contest_is_over(finished) -> None:
    ready(finished, f"{SET}/review")
    finished.arena.contests[0] = msgspec.structs.replace(finished.arena.contests[0], state="running")
    finished.arena.sets[5] = finished.arena.sets[3]
    refused = finished.get("/contests/cup/matches/1.1.1/sets/5/review")
    assert refused.status == 403
    assert "J♣" not in refused.text


@pytest.mark.long
def test_a_live_table_is_reviewed_once_its_deal_is_over(finished) -> None:
    told, d = table_news()
    ended = {"record": record(d), "places": tuple(d.places), "points": tuple(d.points), "turn": None}
    finished.arena.live = {
        "table_1": [a_table(), *table_news(9)[0]],
        "table_3": [a_table("table_3", state="over", **ended), *told],
    }
    assert finished.get("/tables/table_1/review").status == 403
    assert "/review" not in finished.get("/tables/table_1").text
    assert 'href="/tables/table_3/review"' in finished.get("/tables/table_3").text
    page = ready(finished, "/tables/table_3/review?seat=B")
    assert "greedy" in page
    assert "?at=" not in page


def test_robots_are_kept_away(site) -> None:
    assert "Disallow: /*/review" in site.get("/robots.txt").text


# --- what makes them ---


def an_order(number: int = 0) -> ReviewOrder:
    return ReviewOrder(lost(), 0, seconds=0.1 + number / 1000)


async def wait_for(maker: Reviewer, order: ReviewOrder, source: str = "::1") -> Outcome:
    while (found := maker.find_review(order, source)).state == "waiting":
        await asyncio.gather(*maker._running.values())
    return found


async def run_all(test) -> None:
    maker = Reviewer()
    try:
        await test(maker)
    finally:
        await maker.close()


def run(test) -> None:
    asyncio.run(run_all(test))


def test_a_process_of_the_lowest_priority_makes_it_and_it_is_kept() -> None:
    async def check(maker: Reviewer) -> None:
        found = await wait_for(maker, an_order())
        assert found.review == carry_out(an_order()).review
        assert maker.find_review(an_order(), "another") is found

    run(check)


def test_what_is_asked_for_at_once_is_bounded(monkeypatch) -> None:
    never = asyncio.Event()

    async def hang(order: ReviewOrder) -> Outcome:
        await never.wait()
        raise AssertionError

    monkeypatch.setattr(reviewing, "_run_order", hang)

    async def check(maker: Reviewer) -> None:
        states = [maker.find_review(an_order(number), "one").state for number in range(AT_ONCE_OF_ONE + 1)]
        assert states == ["waiting"] * AT_ONCE_OF_ONE + ["often"]
        assert maker.find_review(an_order(0), "two").state == "waiting"  # the same one costs nothing
        others = [maker.find_review(an_order(100 + number), f"{number}").state for number in range(WAITING)]
        assert others.count("waiting") == WAITING - AT_ONCE_OF_ONE
        assert others[-1] == "busy"

    run(check)


def test_a_record_that_cannot_be_replayed_fails_for_a_minute() -> None:
    now = [0.0]

    async def check() -> None:
        maker = Reviewer(lambda: now[0])
        broken = ReviewOrder(lost().replace("B KH!", "B KS!"), 0, seconds=0.1)
        assert (await wait_for(maker, broken)).state == "failed"
        now[0] = 61.0
        assert maker.find_review(broken, "::1").state == "waiting"
        await maker.close()

    asyncio.run(check())


def test_an_answer_says_what_is_wrong() -> None:
    found = carry_out(ReviewOrder("nonsense\n", 0, seconds=0.1))
    assert (found.review, found.reason) == (None, "BAD_RECORD")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Answer) == found


def test_the_curve_leads_from_the_first_decision_to_the_result() -> None:
    review = carry_out(an_order()).review
    assert isinstance(review, Review)
    found = draw_review(review)
    assert found is not None
    chance = review.decisions[0].chance
    assert found.line == f"M0.0 {round(200 * (1 - chance), 1)}L1000.0 200.0"
    assert [(dot.number, dot.x) for dot in found.dots] == [(1, 0.0)]
    assert found.even == 100.0
    assert all(0 <= float(value) <= 200 for value in re.findall(r" ([\d.]+)", found.band))
    assert draw_review(msgspec.structs.replace(review, decisions=[])) is None
