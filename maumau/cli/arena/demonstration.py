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

from maumau.cli.shared import export, place
from maumau.client.arena import Arena
from maumau.demo import name_demo
from maumau.errors import ArenaUnreachable, NotDecided, NotFound, StartFailed
from maumau.process.scratch import scratch
from maumau.screen import next_steps as following
from maumau.screen.contest import report
from maumau.screen.output import bold, json_line, show

RULES = "mau_mau"
PROGRAMME = "quick"
POLL, STOP = 0.2, 15.0


def play_demonstration(
    data: Path | None, workers: int, patience: float, shown: str, *, as_json: bool
) -> None:
    """Play the demonstration, however long that takes here. shown: its format, "" for the usual two.

    Raises NotDecided if nothing happens for `patience` seconds: the arena hangs, or no host can play.
    """
    with nullcontext(data) if data else scratch("demo") as folder:
        found, path = _play_tournament(folder, workers, patience, shown, quiet=as_json)
    if as_json:
        json_line({"report": found, "export": str(path)})
    else:
        show("", *report.parts(found), "", bold(report.winner(found)), "", *following.after_demo(path))


def _play_tournament(
    folder: Path, workers: int, patience: float, shown: str, *, quiet: bool
) -> tuple[report.TournamentReport, Path]:
    with (
        _run_supervisor(folder, workers, shown, quiet=quiet) as process,
        Watchdog(patience, process.terminate) as watchdog,
    ):
        try:
            return _await_end(folder, name_demo(RULES, shown), process, watchdog)
        except (ArenaUnreachable, StartFailed):
            if not watchdog.has_fired:
                raise
            words = f"the demonstration is not decided, and nothing has happened for {patience:g} s"
            raise NotDecided(words) from None


def _await_end(
    folder: Path, name: str, process: subprocess.Popen[str], watchdog: Watchdog
) -> tuple[report.TournamentReport, Path]:
    """Return the tournament once it is over, and its export."""
    with _connect_when_ready(folder, process, patience=0.0) as link:
        _wait_for(link, name, process)
    with _connect_when_ready(folder, process, patience=30.0) as link:
        for _ in link.watch(name):
            watchdog.reset()  # the supervisor reports its events itself
        found = report.collect(link, name)
        if found.tournament.state != "finished":
            raise NotDecided(f"{name} is {found.tournament.state}: {found.tournament.words}")
        path = folder.resolve() / "exports" / f"{name}.export.jsonl"
        export.to_file(link.export(name), path)
    return found, path


class Watchdog:
    """Calls `stop` once `patience` seconds have passed since it began or was last reset."""

    def __init__(self, patience: float, stop: Callable[[], None]) -> None:
        self._patience, self._stop = patience, stop
        self._began, self._closed, self.has_fired = time.monotonic(), threading.Event(), False
        self._thread = threading.Thread(target=self._await_timeout, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()

    def reset(self) -> None:
        """Restart the time, after an event."""
        self._began = time.monotonic()

    def _await_timeout(self) -> None:
        while (left := self._began + self._patience - time.monotonic()) > 0:
            if self._closed.wait(left):
                return
        self.has_fired = True
        self._stop()


@contextmanager
def _run_supervisor(
    folder: Path, workers: int, shown: str, *, quiet: bool
) -> Iterator[subprocess.Popen[str]]:
    """Yield the supervisor as a process, stopped at the end."""
    from maumau.cli.arena.run import supervisor_command

    flags = ["--plain", "--with-parent", "--strict", "--programme", PROGRAMME]
    words = supervisor_command(folder, workers, [*flags, *(["--format", shown] if shown else [])])
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


def _connect_when_ready(folder: Path, process: subprocess.Popen[str], patience: float) -> Arena:
    """Return a client of the arena, once it has reported that it runs."""
    path = folder / "arena.json"
    while process.poll() is None:
        if path.exists() and msgspec.json.decode(path.read_bytes())["pid"] == process.pid:
            found = place.find_arena(str(folder))
            return Arena(found.registry, found.tournament, found.token, patience=patience)
        time.sleep(POLL)
    raise StartFailed(_last_words(process))


def _wait_for(link: Arena, name: str, process: subprocess.Popen[str]) -> None:
    """Wait until the supervisor has made the tournament; without all house bots it makes none and ends."""
    while process.poll() is None:
        try:
            link.tournament(name)
        except (NotFound, ArenaUnreachable):
            time.sleep(POLL)
        else:
            return
    raise StartFailed(_last_words(process))


def _last_words(process: subprocess.Popen[str]) -> str:
    """Return the reason why the arena ended, its last line; earlier lines are passed on."""
    *before, last = process.communicate()[1].splitlines() or [""]
    sys.stderr.writelines(f"{line}\n" for line in before)
    return last.removeprefix("error: ") or f"the arena ended (exit code {process.returncode})"
