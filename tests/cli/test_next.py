"""Commands about a contest name the next step, and warn of misspelt invitations."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from maumau.cli.author.bot import _find_error, _remark_on_bot, _say_sent
from maumau.cli.command import build_commands
from maumau.cli.contest import trial
from maumau.cli.contest.spec import find_strangers
from maumau.client.answer import Entry, SubmitVersionResponse
from maumau.errors import EntriesClosed, MaumauError, NameTaken, NotAllowed, TrialPending
from maumau.screen.contest.confirmation import say_confirm
from maumau.screen.contest.report import headline, say_next, waiting
from maumau.screen.next_steps import LISTS, after_refusal
from tests.support.fake import a_bot, a_tournament

NOT_AWAITED = (
    "once its entries have closed, any `maumau` command confirms that you are there; the start does not wait"
    " for it"
)
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
    refused = "It takes a token with the scope admin." if kind is NotAllowed else "Refused."
    assert after_refusal(kind(refused)) == words
    assert after_refusal(kind("Refused; `maumau bots` lists them.")) == ""
    (command,) = re.findall(r"`maumau ([a-z ]+?)(?: [A-Z-].*)?`", words)
    found = build_commands()
    for word in command.split():
        found = found.commands[word]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            NameTaken("There is a tournament 'my cup' already."),
            "Choose another name; `maumau tournament show 'my cup'` shows the one that has it.",
        ),
        (NameTaken("There is an account ada already; choose another name."), ""),
        (
            EntriesClosed("my cup takes no entries yet: its organiser has to open it."),
            "`maumau tournament open 'my cup'` does so.",
        ),
        (EntriesClosed("cup takes no entries: it is running."), ""),
    ],
)
def test_a_refusal_about_a_contest_by_name_is_followed_by_the_command_for_it(
    error: MaumauError, said: str
) -> None:
    assert after_refusal(error) == said


@pytest.mark.parametrize(
    "words",
    [
        "Only the organisers of class-9b and admins may do this; you are a member.",
        "Only the owners of wasps may do this; you are a member.",
        "The account house is the arena's own; choose another name.",
    ],
)
def test_no_token_is_advised_where_none_would_help(words: str) -> None:
    assert after_refusal(NotAllowed(words)) == ""


def test_who_waits_for_a_validation_need_not_enter_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [TrialPending("It waits for a worker; enter it again when it has passed."), "entry"]

    class Tournaments:
        def enter(self, *_asked: str) -> Any:
            if isinstance(answer := answers.pop(0), TrialPending):
                raise answer
            return answer

    monkeypatch.setattr(trial, "POLL_SECONDS", 0.0)
    link: Any = Tournaments()
    assert str(trial.enter_when_passed(link, "cup", "my-bot", "", wait=True)) == "entry"
    assert " ".join(capsys.readouterr().err.split()) == (
        "warning: It waits for a worker; enter it again when it has passed."
        " This command does so by itself; Ctrl-C ends only its waiting."
    )


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


@pytest.mark.parametrize(("state", "is_told"), [("refused", True), ("suspended", False)])
def test_a_refused_bot_in_the_list_leads_to_its_log(state: str, is_told: bool) -> None:
    bot = a_bot("one", state=state, reason="in prsi at 2 seats: crash: it ended")
    remark = next(_remark_on_bot(bot))
    assert f"is {state}: in prsi at 2 seats: crash: it ended" in remark
    assert (f"`maumau logs {bot.versions[0].id}` tells its author more" in remark) is is_told


def test_a_refused_bot_that_is_submitted_once_more_leads_to_its_log() -> None:
    (version,) = a_bot("one", state="refused", reason="in prsi at 2 seats: crash: it ended").versions
    (sent,) = _say_sent(SubmitVersionResponse(version=version, known=True))
    assert sent.startswith("known already: ")
    assert sent.endswith("crash: it ended; `maumau logs version_one` tells its author more")


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
    assert list(say_confirm(with_nonce, SPEC)) == [
        "once its entries have closed, any `maumau` command confirms that you are there"
    ]
    assert list(say_confirm(without, SPEC)) == []


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "there is nothing to confirm: the start waits for nobody once its entries have closed"),
        ("closes = 2999-01-01T00:00:00Z", NOT_AWAITED),
        (
            "closes = 2999-01-01T00:00:00Z\n[schedule]\nstarts = 2999-01-01T00:00:00Z",
            "there is nothing to confirm: the start waits for nobody once its entries have closed",
        ),
    ],
)
def test_an_entry_in_a_contest_that_waits_for_nobody_says_so(keys: str, said: str) -> None:
    """Nonces can be opened only while its entries are closed and it has not started."""
    entry = Entry(1, "b", "v", "ab" * 32, False, "ada", "", commitment="c0")
    assert list(say_confirm(entry, f"{SPEC}[entries]\nopening_minutes = 0\n{keys}\n")) == [said]


def test_a_start_that_waits_says_until_when_for_whom_and_how_to_start_without_them() -> None:
    made = a_tournament("cup", "starting", matches_known=0, due_at=datetime(2026, 11, 30, 11, 37, tzinfo=UTC))
    anna, ben = made.entries
    entries = (
        msgspec.structs.replace(anna, account_name="anna", commitment="c0" * 32, confirmed=True),
        msgspec.structs.replace(ben, account_name="ben", commitment="c0" * 32),
    )
    cup = msgspec.structs.replace(made, entries=entries)
    assert re.search(r"starting, 2 entries, starts at [\d-]+ \d\d:37 \S+ at the latest", headline(cup))
    who, how, now = waiting(cup)
    assert who == "1 of 2 authors still has to confirm: rollout of ben"
    assert how == "any `maumau` command of theirs does it, or opening the arena's page while logged in"
    assert now.endswith("tournament start cup --now` starts without them")


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
            ["entries.accounts: no bot here belongs to ana (did you mean anna?), zoe; check the spelling"],
        ),
        ('[entries]\nguests = ["one"]\n', []),
        (
            '[entries]\nguests = ["onne", "two"]\n',
            ["entries.guests: there is no bot onne (did you mean one?); check the spelling"],
        ),
        (
            '[[stage]]\nformat = "swiss"\nseeds = "given"\ngiven = ["two", "three"]\n',
            ["stage 3.given: there is no bot three; check the spelling"],
        ),
    ],
)
def test_a_name_in_a_spec_that_nobody_has_is_warned_of(accounts: str, warnings: list[str]) -> None:
    assert find_strangers(Link(), SPEC + accounts) == warnings  # type: ignore[arg-type]
