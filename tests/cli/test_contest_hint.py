"""The hint at a contest whose name was given for a variant's or a bot's."""

import socket
import time

import msgspec
import pytest

from maumau.cli.command import _say_way_out
from maumau.cli.shared import contest_hint
from maumau.cli.shared.contest_hint import find_contests, hint_at_contest
from maumau.client.answer import RuleSet
from maumau.errors import NoSubmission, UnknownBot, UnknownTournament, UnknownVariant, UnknownVersion
from maumau.screen.next_steps import after_refusal
from tests.support.fake import a_tournament

OWN = RuleSet("klasse7", "{}", "ab" * 32, 'title = "Klasse 7"\n')
PRSI = RuleSet("prsi", "{}", "cd" * 32, "")
SHOW = "`maumau rules show --contest klasse-7` shows its rules"
WRITE = "`maumau rules show --contest klasse-7 --file > klasse7.toml`"
PRACTISE = "`maumau practice ... --contest cup` plays by its rules"


def contest(name, rules):
    return msgspec.structs.replace(a_tournament(name, "created"), rules=rules)


KNOWN = [contest("klasse-7", OWN), contest("klasse8", PRSI), contest("cup", PRSI)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("klasse8", ["klasse8"]),
        ("klasse7", ["klasse-7"]),  # but for the dash; what is only like it is not named beside it
        ("Klasse_7", ["klasse-7"]),
        ("klase8", ["klasse8"]),
        ("klasse9", ["klasse-7", "klasse8"]),
        ("whist", []),
    ],
)
def test_a_contest_is_found_by_its_name_or_one_like_it(name, found):
    assert [one.name for one in find_contests(name, KNOWN)] == found


def test_a_contest_is_found_by_the_name_of_its_own_variant():
    (found,) = find_contests("klasse7", [contest("autumn cup", OWN), contest("klasse6", PRSI)])
    assert found.name == "autumn cup"


@pytest.mark.parametrize(
    ("words", "name", "said"),
    [
        ("rules show", "cup", "cup is a contest: `maumau rules show --contest cup` shows its rules."),
        ("practice a b --rules", "cup", f"cup is a contest: {PRACTISE}."),
        ("seat", "klasse7", f"There is a contest klasse-7: {SHOW}, and {WRITE} writes the file to play by."),
        (
            "play a b --rules",
            "cup",
            "cup is a contest: `maumau rules show --contest cup` shows its rules, and it is played by prsi.",
        ),
        ("rules show", "whist", ""),
        ("tournament create --rules", "cup", ""),  # whose own name it may be
    ],
)  # fmt: skip
def test_a_refused_variant_names_the_command_for_the_contest(words, name, said, monkeypatch):
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: KNOWN)
    assert hint_at_contest(UnknownVariant("there is none", thing=name), [*words.split(), name]) == said


@pytest.mark.parametrize(
    ("kind", "words", "name", "said"),
    [
        (
            NoSubmission,
            "duel cup greedy",
            "cup",
            "cup is a contest: `maumau rules show --contest cup` shows its rules, and it is played by prsi.",
        ),
        (UnknownVersion, "practice cup greedy", "cup", f"cup is a contest: {PRACTISE}."),
        (NoSubmission, "duel cups greedy", "cups", ""),  # which may be a bot's name misspelt
        (UnknownBot, "activate cup", "cup", ""),
        (UnknownBot, "practice x greedy", "", ""),
    ],
)  # fmt: skip
def test_a_refused_bot_that_is_a_contest_names_the_command_for_it(kind, words, name, said, monkeypatch):
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: KNOWN)
    assert hint_at_contest(kind("there is none", thing=name), words.split()) == said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("klasse-8", "Did you mean klasse8 or klasse-7? "),  # the nearest one first
        ("Cup", "Did you mean cup? "),
        ("prsi", ""),  # by whose rules a contest is played
        ("whist", ""),
        ("", ""),
    ],
)
def test_a_misspelt_contest_is_answered_with_those_near_it(name, said, monkeypatch):
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: KNOWN)
    error = UnknownTournament("There is none.", thing=name)
    told = f"{said}`maumau tournament list` lists the tournaments."
    assert (_say_way_out(error, ["tournament", "show", name]) or after_refusal(error)) == told


def test_without_an_answer_of_the_arena_no_contest_is_near(monkeypatch):
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: None)
    assert _say_way_out(UnknownTournament("There is none.", thing="cup"), ["tournament", "show", "cup"]) == ""


def test_for_a_path_no_arena_is_asked(monkeypatch):
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: pytest.fail("it was asked"))
    for name in ("bots/cup", "cup.py", "..", "C:\\cup"):
        assert hint_at_contest(NoSubmission("there is none", thing=name), ["duel", name, "greedy"]) == ""


def test_a_folder_in_place_of_an_arena_s_bot_leads_to_its_submission(tmp_path):
    folder = tmp_path / "my bots"
    folder.mkdir()
    error = UnknownVersion("there is none", thing=str(folder))
    assert _say_way_out(error, ["practice", str(folder), "greedy"]) == ""
    (folder / "bot.toml").touch()
    assert _say_way_out(error, ["practice", str(folder), "greedy"]) == (
        f"Name a bot as the arena does; `maumau submit '{folder}'` submits the one in '{folder}'."
    )


@pytest.mark.parametrize(
    "named", [["--arena", "http://arena.example:7100"], ["--arena=http://arena.example:7100"]]
)
def test_the_commands_ask_the_arena_that_was_named(named, monkeypatch):
    """Any other arena has no such contest, or another one of its name."""
    monkeypatch.setattr(contest_hint, "_ask_contests", lambda _: KNOWN)
    show = "maumau rules show --contest klasse-7"
    at = "--arena http://arena.example:7100"
    assert hint_at_contest(
        UnknownVariant("there is none", thing="klasse-7"), ["seat", "klasse-7", *named]
    ) == (
        f"klasse-7 is a contest: `{show} {at}` shows its rules,"
        f" and `{show} --file {at} > klasse7.toml` writes the file to play by."
    )


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "there is none",
            "If it is a contest of an arena, `maumau rules show --contest kk` shows its rules.",
        ),
        ("there is none; near it: prsi", ""),
    ],
)
def test_an_arena_that_does_not_answer_is_not_waited_for(message, said, monkeypatch):
    monkeypatch.setattr(contest_hint, "HINT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("MAUMAU_ARENA", f"http://127.0.0.1:{port},{port},{port},{port}")
        begun = time.monotonic()
        told = hint_at_contest(UnknownVariant(message, thing="kk"), ["rules", "show", "kk"])
        assert (told, time.monotonic() - begun < 2.5) == (said, True)  # by itself a call waits for 3 s
