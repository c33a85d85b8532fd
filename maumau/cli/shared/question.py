"""A question before a change that cannot be undone, where a person is at the terminal to answer it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from maumau.errors import BadRequest

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation in a terminal.")]


def is_asked(*, yes: bool) -> bool:
    """Return True if somebody can answer a question and has not done so by --yes; scripts are not asked."""
    return not yes and sys.stdin.isatty()


def ask_first(question: str, *, yes: bool) -> None:
    """Ask on stderr. Raises BadRequest unless the answer is yes; do nothing where nobody is asked."""
    if is_asked(yes=yes) and not typer.confirm(question, err=True):
        raise BadRequest("Nothing was changed: you did not answer yes.", field="yes")
