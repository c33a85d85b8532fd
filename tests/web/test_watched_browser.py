"""A test in a browser has a deadline, whatever it waits for."""

import re
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from bench.support.patience import patient

BUSY = "setTimeout(() => { while (true); })"
SHORT = 1.0


def stop_browser() -> None:
    """Stop all processes of the browser: none of them answers any more."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "chrom" in process.name():
                process.send_signal(signal.SIGSTOP)


def move_in_a_busy_page(page) -> None:
    page.evaluate(BUSY)
    page.mouse.move(10, 10)


def close_a_stopped_browser(page) -> None:
    stop_browser()
    page.context.close()


def wait_for_a_promise(page) -> None:
    page.evaluate("new Promise(() => {})")


@pytest.mark.sample(1)
@pytest.mark.parametrize("hang", [move_in_a_busy_page, close_a_stopped_browser, wait_for_a_promise])
def test_a_call_that_the_browser_never_answers_fails_at_the_deadline(chromium, hang):
    from playwright.sync_api import Error

    page = chromium.new_page()
    with pytest.raises(Error, match="closed"), chromium.watch(SHORT):
        hang(page)
    with chromium.watch(patient(60)):
        assert chromium.new_page().evaluate("6 * 7") == 42


@pytest.mark.long
def test_a_test_that_hangs_is_red_where_it_stands_and_the_next_one_is_not():
    command = [sys.executable, "-m", "pytest", "tests/support/hung.py", "-n", "0"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patient(60))
    assert re.search(r"1 failed, 1 passed, 1 error in", run.stdout), run.stdout
    assert '>       page.evaluate("while (true);")' in run.stdout.splitlines()
    assert "TimeoutError: the test took longer than 1 s: its browser was killed" in run.stdout
