"""How commands answer: for people with rich, for programs as one JSON document or as JSON lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.bot.words import clean_text

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

INTERRUPTED = 130
"""The exit code after Ctrl-C."""
SILENCE = 3.0
"""Seconds between two words about how far something is."""


def json_line(value: Any) -> None:
    """One JSON document on one line of stdout; structs are objects."""
    import msgspec

    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


def show(*parts: RenderableType) -> None:
    """Text and tables on stdout; text as it is, since names and words come from strangers."""
    out = console()
    for part in parts:
        out.print(plain(part) if isinstance(part, str) else part, markup=False, soft_wrap=True)


def bold(text: str) -> RenderableType:
    """The one line that is to be read first."""
    from rich.text import Text

    return Text(plain(text), style="bold")


def console(*, stderr: bool = False) -> Console:
    """A console that colours nothing by itself. Where there is no terminal nothing is cut to a width."""
    from rich.console import Console

    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not out.is_terminal:
        out.width = 200
    return out


def has_pictures(out: Console) -> bool:
    """Whether a picture can be kept up to date here: only in a terminal that can move its cursor."""
    return out.is_terminal and not out.is_dumb_terminal


def plain(text: str) -> str:
    """Text of strangers without the characters that would steer a terminal."""
    return clean_text(text)


def details(error: MaumauError) -> dict[str, Any]:
    """What a program may want to know of an error besides its reason and its sentence: docs/errors.md."""
    told = {
        "request_id": error.request_id,
        "retry_after": error.retry_after,
        "violations": [{"field": one.field, "message": one.sentence} for one in error.violations],
        "quota": error.quota,
        "thing": error.thing,
    }
    return {key: value for key, value in told.items() if value}


def fail(reason: str, words: str, code: int, *, as_json: bool, more: Mapping[str, Any] | None = None) -> int:
    """Says what went wrong, on stderr, and gives the exit code."""
    if as_json:
        import msgspec

        told = {"reason": reason, "message": words, **(more or {})}
        text = msgspec.json.encode({"error": told}).decode()
    else:
        text = "error: " + plain(" ".join(words.split()))
    with suppress(OSError):  # nobody has to be there to read it
        if code == INTERRUPTED and sys.stderr.isatty():  # where the terminal has written ^C
            text = "\n" + text
        sys.stderr.write(text + "\n")
    return code


def warn(*sentences: str) -> None:
    """Prints warnings to stderr, so that stdout stays readable by programs."""
    for words in sentences:
        console(stderr=True).print(plain(f"warning: {words}"), markup=False, soft_wrap=True)


@contextmanager
def progress(words: str, total: float | None) -> Iterator[tuple[Progress, Any]]:
    """A bar on stderr while the block runs, only where stderr is a terminal; gives the bar and its task."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    err = console(stderr=True)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        yield bar, bar.add_task(words, total=total)


def minutes(seconds: float) -> str:
    """A time that is only roughly known."""
    return f"{seconds / 60:,.0f} min" if seconds >= 60 else f"{seconds:.0f} s"


class Told:
    """Says on stderr how far something is: at once, and again whenever `SILENCE` seconds have passed."""

    def __init__(self, words: str) -> None:
        self._words, self._next = words, 0.0

    def tell(self, how_far: str) -> None:
        """One line, if it is time for one."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SILENCE
            console(stderr=True).print(plain(f"{self._words}: {how_far}"), markup=False, soft_wrap=True)
