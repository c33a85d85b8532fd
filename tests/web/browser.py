"""A page in a real browser, and what nobody should have to put up with there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bench.support.patience import patient
from tests.support.waiting import until

AWAY = 503
EXPECTED = re.compile(r"status of (404|503)\b|ERR_NETWORK_CHANGED")
"""Browser log entries of responses that tests request on purpose, that a busy host made late, or that a host
lost whose network changed, as where containers start beside it."""


@contextmanager
def opened(chromium, site, path: str, cookies: dict[str, str] | None = None, **options) -> Iterator:
    """Yield a page in a new browser; check at the end that it logged no error and asked no other server."""
    context = chromium.new_context(
        **{"viewport": {"width": 1440, "height": 900}, "locale": "en-GB", **options}
    )
    context.set_default_timeout(1000 * patient(20))
    context.add_cookies([{"name": k, "value": v, "url": site.url} for k, v in (cookies or {}).items()])
    page, wrong = context.new_page(), []
    page.on("console", lambda said: wrong.append(said.text) if _is_wrong(said) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    page.on("request", lambda asked: None if asked.url.startswith(site.url) else wrong.append(asked.url))
    try:
        until(lambda: page.goto(site.url + path).status != AWAY)
        yield page
        assert not wrong, f"{path}: {wrong}"
    finally:
        context.close()


def _is_wrong(said: Any) -> bool:
    """Return True if a line of a browser's console reports a mistake."""
    return said.type in ("error", "warning") and not EXPECTED.search(said.text)


SQUEEZED = """() => [...document.querySelectorAll("main *")].filter((one) => {
  const { width, height } = one.getBoundingClientRect();
  const texts = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  const words = texts.map((node) => node.data).join("").trim();
  return words.length > 11 && width < 40 && height > 100;
}).map((one) => one.textContent.trim().slice(0, 60))"""


def find_squeezed(page: Any) -> list[str]:
    """Return the beginnings of texts that stand letter by letter in a column."""
    return list(page.evaluate(SQUEEZED))


CUT = """() => [...document.querySelectorAll("main .facts")].filter((one) => {
  const { overflowX, textOverflow } = getComputedStyle(one);
  return overflowX === "hidden" && textOverflow === "ellipsis" && one.scrollWidth > one.clientWidth;
}).map((one) => one.textContent.trim().slice(0, 60))"""


def find_cut(page: Any) -> list[str]:
    """Return the facts of which an ellipsis hides the end."""
    return list(page.evaluate(CUT))


def find_serious(page: Any) -> list[tuple[str, str, str]]:
    """Return axe's serious findings: the rule, an element that breaks it, and how."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        (each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"])
        for each in found if each["impact"] in ("serious", "critical")
    ]  # fmt: skip
