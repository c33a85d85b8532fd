"""Hints at contests: at those near an unknown name, and at those named in place of a variant or a bot."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Final

from maumau.cli.shared import place
from maumau.errors import MaumauError, NoSubmission, UnknownBot, UnknownVariant, UnknownVersion

if TYPE_CHECKING:
    from maumau.client.answer import Tournament

COMMANDS: Final = ("play", "practice", "rules", "seat", "duel", "league", "seek", "validate")
"""Commands whose variant or bot may have been meant as a contest's name."""
HINT_SECONDS: Final = 1.0  # seconds that the hint may take; the refusal is shown without it, too
MOST: Final = 3  # contests that are named
NEAR: Final = 0.8  # the least similarity of two names, from 0 to 1, of which one may be meant by the other


def hint_at_contest(error: MaumauError, words: Sequence[str]) -> str:
    """Return how to use the rules of the contest that an unknown variant's name is of, or resembles.

    Of an unknown bot the contest has exactly the name. Without an arena, say of a variant that contests are
    named otherwise, unless the error names variants that are near.

    words: of the command that was refused.
    """
    if not error.thing or not {*words[:1]} & {*COMMANDS}:
        return ""
    if isinstance(error, (NoSubmission, UnknownBot, UnknownVersion)):
        return _hint_at_bot(error.thing, words)
    if not isinstance(error, UnknownVariant):
        return ""
    known = _ask_contests(words)
    if known is None:
        command, does = _write_command(error.thing, words)
        return "" if "near it" in str(error) else f"If it is a contest of an arena, {command} {does}."
    found = find_contests(error.thing, known)
    return " ".join(_say_contest(one, words, is_named=one.name == error.thing) for one in found[:MOST])


def _hint_at_bot(name: str, words: Sequence[str]) -> str:
    """Return the hint at the contest that has a bot's name; empty for a path, whose arena nobody meant."""
    known = [] if re.search(r"[/\\.]", name) else _ask_contests(words) or []
    return " ".join(_say_contest(one, words, is_named=True) for one in known if one.name == name)


def hint_at_near(error: MaumauError, words: Sequence[str]) -> str:
    """Return the question whether a contest near an unknown name was meant; an empty string if none is."""
    from difflib import get_close_matches

    known = _ask_contests(words) if error.thing else None
    names = {_squash(one.name): one.name for one in known or ()}
    near = [names[one] for one in get_close_matches(_squash(error.thing), names, MOST, NEAR)]
    return f"Did you mean {' or '.join(near)}?" if near else ""


def find_contests(name: str, known: Sequence[Tournament]) -> list[Tournament]:
    """Return the contest of this name, else those whose name is like it or whose own variant has it."""
    tests: tuple[Callable[[Tournament], bool], ...] = (
        lambda one: one.name == name,
        lambda one: _squash(one.name) == _squash(name),
        lambda one: one.rules is not None and one.rules.name == name,
        lambda one: _resembles(one.name, name),
    )
    for test in tests:
        if found := [one for one in known if test(one)]:
            return found
    return []


def _squash(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _resembles(one: str, other: str) -> bool:
    from difflib import get_close_matches

    return bool(get_close_matches(_squash(other), [_squash(one)], 1, NEAR))


def _say_contest(contest: Tournament, words: Sequence[str], *, is_named: bool) -> str:
    """Return the sentence that names a contest and the command by its rules."""
    kind = f"{contest.name} is a contest" if is_named else f"There is a contest {contest.name}"
    command, does = _write_command(contest.name, words)
    return f"{kind}: {command} {does}{_say_variant(contest, words)}."


def _write_command(contest: str, words: Sequence[str]) -> tuple[str, str]:
    """Return the command for a contest, and what it does."""
    if words[0] == "practice":
        return f"`maumau practice ... --contest {shlex.quote(contest)}`", "plays by its rules"
    return f"`{_write_show(contest, words)}`", "shows its rules"


def _write_show(contest: str, words: Sequence[str], *more: str) -> str:
    """Return the command that shows a contest's rules, at the arena that was named, if one was."""
    named = place.read_arena_option(words)
    arena = ("--arena", named) if named else ()
    return shlex.join(["maumau", "rules", "show", "--contest", contest, *more, *arena])


def _say_variant(contest: Tournament, words: Sequence[str]) -> str:
    """Return how a command that takes no contest plays by these rules."""
    if words[0] in ("rules", "practice") or contest.rules is None:
        return ""
    if not contest.rules.variant_toml:
        return f", and it is played by {contest.rules.name}"
    command = _write_show(contest.name, words, "--file")
    return f", and `{command} > {contest.rules.name}.toml` writes the file to play by"


def _ask_contests(words: Sequence[str]) -> list[Tournament] | None:
    """Return the contests of the arena that the command is for; None if it does not answer at once."""
    found: list[list[Tournament]] = []

    def ask_arena() -> None:
        with suppress(MaumauError):
            where = place.find_of_command(words)
            with place.open_at(where, place.choose_token(where), patience=0) as link:
                found.append([*link.tournaments()])

    asking = Thread(target=ask_arena, daemon=True)
    asking.start()
    asking.join(HINT_SECONDS)
    return found[0] if found else None
