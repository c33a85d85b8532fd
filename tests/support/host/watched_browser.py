"""Chromium for tests, each of which has a deadline.

Many calls of playwright have none: those of `mouse`, `keyboard` and `clock`, `evaluate`, `count`, `content`,
`new_page`, `close`. If the browser never answers one of them, the test that made it would never end.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest import mock

import psutil

from bench.support import chromium

DEADLINE = 600.0  # seconds of one test; the longest takes some 30 on a quiet host


class WatchedBrowser:
    """A browser and playwright's driver, which are killed while a test exceeds its deadline.

    The call that waits for them raises an error then. The next test has new ones.
    """

    def __init__(self) -> None:
        self._playwright: Any = None
        self._browser: Any = None
        self._is_killed = False
        self._start()

    def new_context(self, **options: Any) -> Any:
        return self._browser.new_context(**options)

    def new_page(self, **options: Any) -> Any:
        return self._browser.new_page(**options)

    @contextmanager
    def watch(self, seconds: float) -> Iterator[None]:
        """Kill the browser if this takes longer, and raise `TimeoutError` at the end."""
        if self._is_killed:
            self.stop()
            self._start()
        with self._kill_after(seconds) as late:
            yield
        if late.is_set():
            raise TimeoutError(f"the test took longer than {seconds:g} s: its browser was killed")

    def stop(self) -> None:
        with self._folder, self._kill_after(DEADLINE):
            if not self._is_killed:
                self._browser.close()
            self._playwright.stop()

    def _start(self) -> None:
        from playwright.sync_api import sync_playwright

        self._folder = tempfile.TemporaryDirectory(prefix="browser", ignore_cleanup_errors=True)
        with mock.patch.dict(os.environ, TMPDIR=self._folder.name):  # a killed driver leaves files there
            self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=chromium.PATH, args=chromium.FLAGS)
        self._is_killed = False

    @contextmanager
    def _kill_after(self, seconds: float) -> Iterator[threading.Event]:
        late = threading.Event()
        timer = threading.Timer(seconds, self._kill, [late])
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()

    def _kill(self, late: threading.Event) -> None:
        late.set()
        self._is_killed = True
        for driver in filter(_is_driver, psutil.Process().children()):
            for process in [*driver.children(recursive=True), driver]:
                with suppress(psutil.NoSuchProcess):
                    process.kill()


def _is_driver(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return "run-driver" in process.cmdline()
    return False
