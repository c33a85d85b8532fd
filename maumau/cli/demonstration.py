"""`maumau demo`: an arena of its own, one tournament to its end, bracket, table and export."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Self

import msgspec

from maumau.cli import export, following, place, report
from maumau.cli.output import bold, json_line, show
from maumau.cli.scratch import scratch
from maumau.client import Arena
from maumau.errors import ArenaUnreachable, NotDecided, NotFound, StartFailed

NAME = "demo-mau_mau"
PROGRAMME = "quick"
POLL, STOP = 0.2, 15.0


def play(data: Path | None, workers: int, patience: float, *, as_json: bool) -> None:
    """Plays the demonstration, however long that takes here.

    Raises NotDecided if nothing happens for `patience` seconds: the arena hangs, or no host can play.
    """
    with nullcontext(data) if data else scratch("demo") as folder:
        found, path = _played(folder, workers, patience, quiet=as_json)
    if as_json:
        json_line({"report": found, "export": str(path)})
    else:
        show("", *report.parts(found), "", bold(report.winner(found)), "", *following.after_demo(path))


def _played(folder: Path, workers: int, patience: float, *, quiet: bool) -> tuple[report.Report, Path]:
    with _arena(folder, workers, quiet=quiet) as process, Watchdog(patience, process.terminate) as watchdog:
        try:
            return _decided(folder, process, watchdog)
        except (ArenaUnreachable, StartFailed):
            if not watchdog.has_fired:
                raise
            words = f"the demonstration is not decided, and nothing has happened for {patience:g} s"
            raise NotDecided(words) from None


def _decided(folder: Path, process: subprocess.Popen[str], watchdog: Watchdog) -> tuple[report.Report, Path]:
    """The tournament once it is over, and its export."""
    with _connected(folder, process, patience=0.0) as link:
        _wait_for(link, process)
    with _connected(folder, process, patience=30.0) as link:
        for _ in link.watch(NAME):
            watchdog.reset()  # the supervisor says what happens
        found = report.collect(link, NAME)
        if found.tournament.state != "finished":
            raise NotDecided(f"{NAME} is {found.tournament.state}: {found.tournament.words}")
        path = folder.resolve() / "exports" / f"{NAME}.export.jsonl"
        export.to_file(link.export(NAME), path)
    return found, path


class Watchdog:
    """Calls `stop` once `patience` seconds have passed since it began or was last reset."""

    def __init__(self, patience: float, stop: Callable[[], None]) -> None:
        self._patience, self._stop = patience, stop
        self._began, self._closed, self.has_fired = time.monotonic(), threading.Event(), False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def reset(self) -> None:
        """Something has happened."""
        self._began = time.monotonic()

    def _watch(self) -> None:
        while (left := self._began + self._patience - time.monotonic()) > 0:
            if self._closed.wait(left):
                return
        self.has_fired = True
        self._stop()


@contextmanager
def _arena(folder: Path, workers: int, *, quiet: bool) -> Iterator[subprocess.Popen[str]]:
    """The supervisor as a process, stopped at the end."""
    from maumau.cli.run import command

    words = command(folder, workers, ["--plain", "--with-parent", "--strict", "--programme", PROGRAMME])
    sys.stdout.flush()
    process = subprocess.Popen(
        words, stdout=sys.stderr if quiet else None, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    try:
        yield process
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends already; nothing is to be left behind
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _connected(folder: Path, process: subprocess.Popen[str], patience: float) -> Arena:
    """A client of the arena, once it has said that it runs."""
    path = folder / "arena.json"
    while process.poll() is None:
        if path.exists() and msgspec.json.decode(path.read_bytes())["pid"] == process.pid:
            found = place.find(str(folder))
            return Arena(found.registry, found.tournament, found.token, patience=patience)
        time.sleep(POLL)
    raise StartFailed(_last_words(process))


def _wait_for(link: Arena, process: subprocess.Popen[str]) -> None:
    """Until the supervisor has made the tournament; without all house bots it makes none and ends."""
    while process.poll() is None:
        try:
            link.tournament(NAME)
        except (NotFound, ArenaUnreachable):
            time.sleep(POLL)
        else:
            return
    raise StartFailed(_last_words(process))


def _last_words(process: subprocess.Popen[str]) -> str:
    """Why the arena ended: what it said last; whatever it said before that is passed on."""
    *before, last = process.communicate()[1].splitlines() or [""]
    sys.stderr.writelines(f"{line}\n" for line in before)
    return last.removeprefix("error: ") or f"the arena ended (exit code {process.returncode})"
