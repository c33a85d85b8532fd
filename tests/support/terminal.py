"""Commands as a user types them, with their own home and no arena but the one that is named."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import msgspec

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau.cli.__main__ import main
from tests.support.variables import without_settings

SILENCE: Final = re.compile(r"the arena at \S+ does not answer yet; Ctrl-C ends the wait for it\n")
"""A notice after 1.5 s without an answer, which any command may print on a loaded host."""


class Answer(msgspec.Struct, frozen=True):
    """The result of a command; err is its stderr without the notice that an arena is slow to answer."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Return the one JSON document on stdout."""
        return msgspec.json.decode(self.out)

    def json_lines(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.out.splitlines()]

    def error(self) -> dict[str, str]:
        """Return the error of a command with --json."""
        assert self.out == ""
        return msgspec.json.decode(self.err)["error"]


class Terminal:
    """A home folder, a current folder, and variables that every command sees."""

    def __init__(self, home: Path, **variables: str) -> None:
        self.home = home
        kept = without_settings("XDG_")
        self.variables = {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), "TERM": "dumb", **variables}

    def run(self, *words: str, code: int | None = 0) -> Answer:
        """Runs `maumau WORDS` in this process; its exit code must be `code` (None: any)."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with (
            patch.dict(os.environ, self.variables, clear=True), chdir(self.home),
            redirect_stdout(out), redirect_stderr(err),
        ):  # fmt: skip
            try:
                main(list(words))
            except SystemExit as end:
                ended = end.code
        return _check_answer(code, int(ended or 0), _read_written(out), _read_written(err))

    def spawn(self, *words: str, code: int | None = 0, seconds: float = 110) -> Answer:
        """Run a command in a separate process."""
        done = subprocess.run(
            [sys.executable, "-m", "maumau.cli", *words],
            env=self.variables, cwd=self.home, timeout=patient(seconds),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return _check_answer(code, done.returncode, done.stdout, done.stderr)


def _read_written(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()


def _check_answer(code: int | None, found: int, out: str, err: str) -> Answer:
    assert code in {None, found}, f"exit {found}\n{out}\n{err}"
    return Answer(found, out, SILENCE.sub("", err))


def home_of(arena: Any, folder: Path, token: str) -> Terminal:
    """Return the terminal of a user with that token at the arena's page."""
    port = arena.address.rpartition(":")[2]
    folder.mkdir(exist_ok=True)
    return Terminal(folder, MAUMAU_TOKEN=token, MAUMAU_ARENA=f"http://127.0.0.1:{port},{port},{port},{port}")
