"""A test that hangs in its browser, and one behind it: `test_watched_browser` runs them in a process."""

import pytest


@pytest.fixture
def browser_deadline(request):
    return 1.0 if request.node.name == "test_hung" else 300.0


def test_hung(chromium):
    page = chromium.new_page()
    page.evaluate("while (true);")
    pytest.fail("the call has come back")


def test_next(chromium):
    page = chromium.new_page()
    assert page.evaluate("6 * 7") == 42
