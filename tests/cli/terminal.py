"""Commands as a user types them, with their own home and no arena but the one that is named."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from bench.patience import patient
from maumau.cli.__main__ import main

ROOT = Path(__file__).parents[2]


class Answer(msgspec.Struct, frozen=True):
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON document on stdout."""
        return msgspec.json.decode(self.out)

    def json_lines(self) -> list[Any]:
        return [msgspec.json.decode(line) for line in self.out.splitlines()]

    def error(self) -> dict[str, str]:
        """The error of a command with --json."""
        assert self.out == ""
        return msgspec.json.decode(self.err)["error"]


class Terminal:
    """A home folder, a current folder, and variables that every command sees."""

    def __init__(self, home: Path, **variables: str) -> None:
        self.home = home
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAUMAU_", "XDG_"))}
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
        return _checked(code, Answer(int(ended or 0), *(_written(each) for each in (out, err))))

    def spawn(self, *words: str, code: int | None = 0, seconds: float = 110) -> Answer:
        """The same as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "maumau.cli", *words],
            env=self.variables, cwd=self.home, timeout=patient(seconds),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return _checked(code, Answer(done.returncode, done.stdout, done.stderr))


def _written(stream: io.TextIOWrapper) -> str:
    return stream.buffer.getvalue().decode()


def _checked(code: int | None, answer: Answer) -> Answer:
    assert code in {None, answer.code}, f"exit {answer.code}\n{answer.out}\n{answer.err}"
    return answer
