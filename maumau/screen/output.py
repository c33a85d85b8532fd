"""Output of commands: for people with rich, for programs as one JSON document or as JSON lines."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from textwrap import fill
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from maumau.protocol.words import clean_text

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from maumau.errors import MaumauError

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--arena", metavar="URL", help="The arena: HOST, http://HOST:PORT, https://HOST or its data folder."
    ),
]
Html = Annotated[Path | None, typer.Option(help="Write a self-contained HTML page that shows it.")]

COMMAND = re.compile(r"(\s*)((?:\S*/)?maumau .*?)(?:\s{2,}(\S.*))?")
"""A line that is a command: its indentation, the command and, after two blanks, its purpose."""
BREAKS: Final[dict[str, Any]] = {"break_long_words": False, "break_on_hyphens": False}
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
SILENCE = 3.0
"""Seconds between two progress messages."""
LOG_SECONDS = 10.0
"""Seconds between two lines that replace a bar or a table in a pipe or a log."""


class Style(StrEnum):
    """The suits with which cards are drawn."""

    FRENCH = "french"
    GERMAN = "german"


def json_line(value: Any) -> None:
    """Write one JSON document on one line of stdout; structs are objects."""
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def show(*parts: RenderableType) -> None:
    """Print text and tables on stdout; text without markup, since names and messages are untrusted."""
    out = console()
    for part in parts:
        told = wrap_words(plain(part), sys.stdout) if isinstance(part, str) else part
        out.print(told, markup=False, soft_wrap=True)


def wrap_words(text: str, out: IO[str]) -> str:
    """Return a text with its lines broken between words where a terminal would break them inside of one.

    Commands, JSON and lines of up to three words are left whole, so that they can be copied; the purpose of a
    command goes on the line below it.
    """
    if not out.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_wrap_line(line, width) for line in text.split("\n"))


def _wrap_line(line: str, width: int) -> str:
    if len(line) <= width or line.lstrip().startswith(("{", "grpcurl ")) or line.count(" ") < 3:
        return line
    if not (command := COMMAND.fullmatch(line)):
        return fill(line, width, **BREAKS)
    indent, typed, what = command.groups()
    below = indent + "  "
    return (
        indent
        + typed
        + ("\n" + fill(what, width, initial_indent=below, subsequent_indent=below, **BREAKS) if what else "")
    )


def count_things(number: int, what: str) -> str:
    """1 card, 2 cards."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def bold(text: str) -> RenderableType:
    """Return the main line of an answer, in bold."""
    from rich.text import Text

    return Text(plain(text), style="bold")


def console(*, stderr: bool = False) -> Console:
    """Return a console that colours nothing by itself, and is wide where it does not write to a terminal."""
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not out.is_terminal:
        out.width = 200
    return out


def has_pictures(out: Console) -> bool:
    """Return True if live pictures are possible here: only in a terminal that can move its cursor."""
    return out.is_terminal and not out.is_dumb_terminal


def plain(text: str) -> str:
    """Return untrusted text without characters that would control a terminal."""
    return clean_text(text)


def details(error: MaumauError) -> dict[str, Any]:
    """Return an error's details for programs, besides its reason and sentence: docs/reference/errors.md."""
    told = {
        "request_id": error.request_id,
        "retry_after": error.retry_after,
        "violations": [{"field": one.field, "message": one.sentence} for one in error.violations],
        "quota": error.quota,
        "thing": error.thing,
        "arena": error.arena,
    }
    return {key: value for key, value in told.items() if value}


def fail(reason: str, words: str, code: int, *, as_json: bool, more: Mapping[str, Any] | None = None) -> int:
    """Report an error on stderr; return the exit code."""
    if as_json:
        import msgspec

        told = {"reason": reason, "message": words, **(more or {})}
        text = msgspec.json.encode({"error": told}).decode()
    else:
        line = plain(" ".join(words.split()))
        text = line if code == INTERRUPTED else wrap_words(f"error: {line}", sys.stderr)
    with suppress(OSError):  # nobody has to be there to read it
        if code == INTERRUPTED and sys.stderr.isatty():  # where the terminal has written ^C
            text = "\n" + text
        sys.stderr.write(text + "\n")
    return code


def warn(*sentences: str) -> None:
    """Print warnings to stderr, so that stdout stays readable by programs."""
    for words in sentences:
        tell_aside(f"warning: {words}")


def tell_aside(words: str) -> None:
    """Print a line for people to stderr, so that stdout stays readable by programs."""
    console(stderr=True).print(wrap_words(plain(words), sys.stderr), markup=False, soft_wrap=True)


@contextmanager
def progress(words: str, total: float | None) -> Iterator[tuple[Progress | ProgressText, Any]]:
    """Show a bar on stderr while the block runs, or lines if it is not a terminal; yield it and its task."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield ProgressText(words, total), 0
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        yield bar, bar.add_task(words, total=total)


def minutes(seconds: float) -> str:
    """Return an approximate time in words."""
    return f"{seconds / 60:,.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


class ProgressLines:
    """Reports progress on stderr: at once, and again whenever `every` seconds have passed.

    late: the first line waits as long, so that quick commands print none.
    """

    def __init__(self, words: str, every: float = SILENCE, *, late: bool = False) -> None:
        self._words, self._every = words, every
        self._next = time.monotonic() + every if late else 0.0

    def tell(self, how_far: str) -> None:
        """Print one line, if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every
            line = plain(": ".join(filter(None, (self._words, how_far))))
            console(stderr=True).print(line, markup=False, soft_wrap=True)


class ProgressText:
    """Progress in a line every LOG_SECONDS, for pipes and logs; called like rich's `Progress`."""

    def __init__(self, words: str, total: float | None) -> None:
        self._words, self._total, self._done = words, total, 0.0
        self._lines = ProgressLines("", LOG_SECONDS, late=True)

    def advance(self, _task: Any, steps: float = 1) -> None:
        """Add steps that are done."""
        self.update(_task, completed=self._done + steps)

    def update(self, _task: Any, *, completed: float | None = None, description: str = "") -> None:
        """Set how much is done, or the words."""
        self._done = self._done if completed is None else completed
        self._words = description or self._words
        share = f": {100 * self._done / self._total:.0f} %" if self._total else ""
        self._lines.tell(f"{self._words}{share}")
