"""A deal by keyboard alone, by announcements alone, in two tabs, and by a friend with a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Error

from bench.support.patience import patient
from tests.play.dealing import deal
from tests.play.test_browser import FITS, has_turn
from tests.support.polling import until
from tests.web.browser import find_serious, opened

pytestmark = pytest.mark.long
MOST = 200  # keys
TOLD = "document.getElementById('play_told').textContent"

LOST = """() => {
  const words = document.getElementById("play-words");
  const isLost = !window.hasPressed || words.textContent !== "";
  window.hasPressed = true;
  words.textContent = "";
  return isLost;
}"""
"""True if nothing was pressed on this page yet, or it says that what was pressed was lost."""
CURSOR = "document.querySelector('#play_hand input[name=cursor]')?.value ?? ''"


def is_over(page) -> bool:
    return page.locator("#play_state table.result").count() > 0


def find_cursor(page) -> str:
    return page.evaluate(CURSOR)


def wait_for_answer(page, cursor: str) -> None:
    until("an answer", lambda: find_cursor(page) != cursor)


def answer(page, cursor: str, press: Callable[[], None]) -> None:
    """Press until the answer is taken: again only where the page was loaded anew or says that it was lost."""

    def is_taken() -> bool:
        try:
            if find_cursor(page) != cursor:
                return True
            if page.evaluate(LOST):
                press()
        except Error as error:
            if "context was destroyed" not in str(error):  # the page is being loaded anew
                raise
        return False

    page.evaluate("delete window.hasPressed")
    until("an answer", is_taken)


def tab_to(page, selector: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
    raise AssertionError(f"Tab never reaches {selector}")


def press_deal(page) -> None:
    tab_to(page, ".deal-button")
    page.keyboard.press("Enter")


def choose_with_arrows(page, cursor: str) -> None:
    """Move to a choice and press Enter, for each of its steps, unless the question has gone meanwhile."""
    for key in ("ArrowRight", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    if page.evaluate("document.activeElement.hasAttribute('data-step')"):
        page.keyboard.press("Enter")
        until("a step", lambda: _is_step(page) or find_cursor(page) != cursor)
        if find_cursor(page) != cursor:
            return  # a window has closed
        assert page.evaluate("document.activeElement.hasAttribute('data-choice')")
    page.keyboard.press("Enter")


def test_a_deal_is_played_by_the_keyboard_alone(chromium, page) -> None:
    with opened(chromium, page, "/play?rules=prsi_quick") as browser:
        deal(browser, press_deal)
        for _ in range(MOST):
            until("a turn", lambda: has_turn(browser))
            if is_over(browser):
                break
            cursor = find_cursor(browser)
            answer(browser, cursor, lambda was=cursor: choose_with_arrows(browser, was))
        assert is_over(browser)
        tab_to(browser, "[data-again-button]")


def choose_by_ear(told: str) -> str:
    """Return the key of a choice that an announcement names: a card if there is one."""
    _, _, choices = told.partition("Choices:")
    named = re.findall(r"(\d): ([^;]+)", choices or told)
    assert named, told
    laid = [key for key, words in named if words.startswith(("lay", "♣", "♠", "♥", "♦"))]
    return (laid or [named[0][0]])[0]


def test_a_deal_is_played_by_announcements_alone(chromium, page) -> None:
    with opened(chromium, page, "/play?rules=prsi_quick") as browser:
        deal(browser)
        assert browser.locator("#play_told").get_attribute("aria-live") == "polite"
        heard = ""
        for _ in range(MOST):
            until("an announcement", lambda: "Choices:" in browser.evaluate(TOLD) or is_over(browser))
            heard, cursor = browser.evaluate(f"[{TOLD}, {CURSOR}]")
            if "Choices:" not in heard:
                break
            assert "Your turn" not in heard or "Your cards:" in heard
            browser.keyboard.press(choose_by_ear(heard))
            until("an answer, or a step", lambda was=cursor: find_cursor(browser) != was or _is_step(browser))
            if _is_step(browser):
                until("its announcement", lambda was=heard: browser.evaluate(TOLD) not in {was, ""})
                browser.keyboard.press(choose_by_ear(browser.evaluate(TOLD)))
            wait_for_answer(browser, cursor)
        assert re.search(r"(You have won!|has won\.)", browser.evaluate(TOLD))


def test_a_key_counts_while_the_reply_to_the_last_one_is_still_on_its_way(chromium, page) -> None:
    with opened(chromium, page, "/play?rules=mau_mau") as browser:
        deal(browser)
        sent = []

        def hold_the_first_reply(route) -> None:
            sent.append((route, route.fetch()))
            if len(sent) > 1:
                route.fulfill(response=sent[-1][1])

        browser.route("**/act", hold_the_first_reply)
        while len(sent) < 2:
            until("a turn", lambda: has_choice(browser))
            cursor = find_cursor(browser)
            browser.keyboard.press("1")
            until("an answer, or a step", lambda was=cursor: find_cursor(browser) != was or _is_step(browser))
            if _is_step(browser):
                browser.keyboard.press("1")
            wait_for_answer(browser, cursor)
        route, reply = sent[0]
        route.fulfill(response=reply)
        until("both replies are here", lambda: browser.locator("#play_hand[aria-busy]").count() == 0)
        assert browser.locator("#play-words").inner_text() == ""


def has_choice(page) -> bool:
    return page.locator("#play_hand [data-choice]").count() > 0


def _is_step(page) -> bool:
    return page.locator("#step-title").count() > 0


def test_a_friend_with_a_phone_sleeps_and_the_host_takes_a_second_tab(chromium, page, tmp_path: Path) -> None:
    with opened(chromium, page, "/play") as host:
        host.locator("input[name=friends][value='1']").check()
        deal(host)
        link = host.locator(".invite input").input_value()
        assert host.locator(".invite svg").bounding_box()["width"] >= 100
        assert find_serious(host) == []
        host.screenshot(path=tmp_path / "invite.png", full_page=True)
        phone = chromium.new_context(viewport={"width": 360, "height": 740}, locale="de-DE", has_touch=True)
        phone.set_default_timeout(1000 * patient(20))
        try:
            friend = phone.new_page()
            friend.goto(link)
            assert not friend.locator("#join-link").is_visible()
            assert (friend.evaluate(FITS), find_serious(friend)) == (True, [])
            friend.screenshot(path=tmp_path / "join.png", full_page=True)
            friend.locator(".deal-button").tap()
            friend.wait_for_url("**/play/table_*")
            until("the deal begins", lambda: has_turn(host) or has_turn(friend))
            until("the invitation goes", lambda: not host.locator(".invite").count())
            _sleep_while_others_play(phone, host, friend)
        finally:
            phone.close()
        second = host.context.new_page()
        second.goto(host.url)
        until("the older tab says so", lambda: "newer tab" in host.locator("#play-words").inner_text())
        assert host.evaluate("document.getElementById('play_hand').inert")
        assert second.locator("#play-words").inner_text() == ""
        host.locator("#play-words button").click()
        until(
            "the first tab is the newer one",
            lambda: "newer tab" in second.locator("#play-words").inner_text(),
        )


def _sleep_while_others_play(phone, host, friend) -> None:
    """Play until it is the host's turn; the phone sleeps while the host answers, and then has the answer."""
    for _ in range(MOST):
        until("somebody's turn", lambda: has_turn(host) or has_turn(friend))
        if has_turn(host):
            break
        cursor = find_cursor(friend)
        friend.locator("#play_hand [data-choice]:not([data-step])").first.click()
        wait_for_answer(friend, cursor)
    seen = find_cursor(friend)
    friend.evaluate("dispatchEvent(new Event('pagehide'))")  # a browser says so before it freezes a page
    phone.set_offline(True)
    cursor = find_cursor(host)
    host.locator("#play_hand [data-choice]:not([data-step])").first.click()
    wait_for_answer(host, cursor)
    assert find_cursor(friend) == seen
    phone.set_offline(False)
    friend.evaluate("dispatchEvent(new Event('focus'))")
    until("the phone catches up", lambda: find_cursor(friend) != seen)
