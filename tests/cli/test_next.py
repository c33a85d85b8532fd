"""What commands about a contest say to do next, and which misspelt invitations they warn of."""

from __future__ import annotations

import re
from typing import Any

import pytest

from maumau.cli.author.bot import _find_error
from maumau.cli.command import build_commands
from maumau.cli.contest.spec import find_strangers
from maumau.client.answer import Entry
from maumau.errors import MaumauError
from maumau.screen.contest.report import say_confirm, say_next
from maumau.screen.next_steps import LISTS, after_refusal
from tests.support.fake import a_bot, a_tournament

SPEC = (
    'name = "cup"\nrules = "mau_mau"\n'
    '[[stage]]\nformat = "round_robin"\n[[stage]]\nformat = "single_elimination"\n'
)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("created", "tournament open cup` opens its entries"),
        ("open", "tournament enter cup BOT` enters a bot"),
        ("open", "tournament start cup` starts it"), ("running", "tournament watch cup` follows it"),
    ],
)  # fmt: skip
def test_every_step_names_the_one_after_it(state: str, words: str) -> None:
    assert words in "\n".join(say_next(a_tournament("cup", state)))


@pytest.mark.parametrize("kind", [*LISTS])
def test_a_refusal_names_a_command_that_there_is(kind: type[MaumauError]) -> None:
    words = LISTS[kind]
    assert after_refusal(kind("Refused.")) == words
    assert after_refusal(kind("Refused; `maumau bots` lists them.")) == ""
    (command,) = re.findall(r"`maumau ([a-z ]+?)(?: [A-Z-].*)?`", words)
    found = build_commands()
    for word in command.split():
        found = found.commands[word]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("reason", "log", "error"),
    [
        (
            "in prsi at 2 seats: crash: it ended",
            "crash: it ended: Error: kein Plan\nended: 1\n",
            ": Error: kein Plan",
        ),
        ("in prsi at 2 seats: crash: it ended", "crash: it ended\nended: 1\n", ""),
        ("the build step failed", "the build step failed: Error: x\n", ""),
    ],
)
def test_a_crash_in_validation_is_told_to_its_author_with_its_error(
    reason: str, log: str, error: str
) -> None:
    class Registry:
        def log(self, _version: str) -> str:
            return log

    (version,) = a_bot("one", reason=reason).versions
    assert _find_error(Registry(), version) == error  # type: ignore[arg-type]


def test_before_it_is_played_its_stages_are_said() -> None:
    stages = "stages: round_robin, then single_elimination"
    assert stages in list(say_next(a_tournament("cup", "created", spec_toml=SPEC)))
    assert list(say_next(a_tournament("cup", "finished", spec_toml=SPEC))) == []
    cut = "stages: round_robin, then single_elimination of the first 4"
    assert cut in list(say_next(a_tournament("cup", "created", spec_toml=f"{SPEC}take = 4\n")))


def test_an_entry_with_something_to_confirm_says_how() -> None:
    with_nonce, without = (
        Entry(1, "b", "v", "ab" * 32, False, "ada", "", commitment=one) for one in ("c0", "")
    )
    assert "any `maumau` command confirms" in "\n".join(say_confirm(with_nonce))
    assert list(say_confirm(without)) == []


class Link:
    """An arena with a bot of anna's and one of ben's."""

    def bots(self) -> tuple[Any, ...]:
        return a_bot("one", "anna"), a_bot("two", "ben")


@pytest.mark.parametrize(
    ("accounts", "warnings"),
    [
        ("", []),
        ('[entries]\naccounts = ["anna", "ben"]\n', []),
        (
            '[entries]\naccounts = ["ana", "ben", "zoe"]\n',
            ["entries.accounts: no bot here belongs to ana (is it anna?), zoe; check the spelling"],
        ),
    ],
)
def test_an_invitation_that_reaches_nobody_is_warned_of(accounts: str, warnings: list[str]) -> None:
    assert find_strangers(Link(), SPEC + accounts) == warnings  # type: ignore[arg-type]
