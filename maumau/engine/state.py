"""The engine's state in words, for `maumau doctor` and `maumau --version`."""

from __future__ import annotations

import os
from typing import NamedTuple

from maumau.engine import background, build, toolchain
from maumau.engine.choice import CHOICE, MODES, VARIABLE, is_installed_compiled, read_mode
from maumau.engine.modules import compute_key


class EngineState(NamedTuple):
    """The engine of this process: compiled or not, in words, with advice where something can be done."""

    is_compiled: bool
    words: str
    advice: str = ""


def describe() -> EngineState:
    """Return the state of this process's engine."""
    CHOICE.make()
    if CHOICE.build or is_installed_compiled():
        return EngineState(is_compiled=True, words="compiled")
    given = os.environ.get(VARIABLE, "")
    if given and given not in MODES:
        words = f"not compiled: {VARIABLE}={given!r} is not one of {', '.join(MODES)}"
        return EngineState(is_compiled=False, words=words)
    if read_mode() == "source":
        return EngineState(is_compiled=False, words=f"not compiled, as {VARIABLE}=source asks")
    if CHOICE.reason:
        return EngineState(is_compiled=False, words=f"not compiled: {CHOICE.reason}")
    return _describe_future()


def _describe_future() -> EngineState:
    """Return the state of an engine that is not compiled yet: when it will be, or why not."""
    obstacle = background.find_obstacle()
    if obstacle:
        advice = ADVICE if obstacle == toolchain.explain_missing() else ""
        return EngineState(is_compiled=False, words=f"not compiled: {obstacle}", advice=advice)
    if _is_kept():
        return EngineState(
            is_compiled=False, words="not compiled in this process, but from the next start on"
        )
    if build.is_building():
        return EngineState(
            is_compiled=False, words="not compiled yet: it is being compiled in the background"
        )
    if read_mode() == "kept":
        return EngineState(
            is_compiled=False,
            words=f"not compiled, and {VARIABLE}=kept starts no build; `make compiled` in a checkout does",
        )
    words = "not compiled yet: it will be, in the background, after the next demonstration, duel or league"
    return EngineState(is_compiled=False, words=words)


def _is_kept() -> bool:
    try:
        return bool(build.find_current(compute_key(), toolchain.compute_tools()))
    except background.UNFIT:
        return False


ADVICE = "everything works without it; install it, and play is about twice as fast"
