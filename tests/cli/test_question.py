"""Commands that cannot be undone ask first, if a person is at a terminal."""

import io
import sys
from types import SimpleNamespace

import pytest

from maumau.cli.__main__ import main
from maumau.cli.shared import place
from maumau.client.answer import Preview, WorkLeft

NOTHING = WorkLeft(0, 0, 0, 0)
PREVIEW = Preview(
    "cancelled", None, (), (), (), (), (), ("2.1.1",), (), (), (), 40, NOTHING, NOTHING, ()
)  # fmt: skip
FINAL = {
    "Cancel": ["tournament", "cancel", "cup"],
    "Confirm": ["tournament", "confirm", "cup"],
    "Withdraw": ["tournament", "withdraw", "cup", "fox"],
    "Disqualify": ["tournament", "disqualify", "cup", "fox", "--reason", "a copy"],
    "RetakeMatch": ["match", "retake", "cup", "1.1.1", "--reason", "a slow host"],
    "retire": ["retire", "fox"],
    "dissolve": ["team", "dissolve"],
    "token": ["token", "revoke", "token_1"],
    "codes": ["group", "revoke", "class-9b"],
    "leave": ["group", "leave", "class-9b"],
    "webhook": ["webhook", "remove", "hook_1"],
    "block": ["admin", "block", "ada"],
}


class Typed(io.StringIO):
    """A terminal at which this has been typed."""

    def isatty(self):
        return True


class Link:
    """An arena that notes which changes it is asked for."""

    def __init__(self):
        self.previewed, self.changed = [], []
        self.members = {"root": "organiser", "eve": "member"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def preview(self, change, **asked):
        self.previewed.append(change)
        return PREVIEW

    def tournament(self, name):
        return SimpleNamespace(name=name, state="running", chain="c0")

    def team(self):
        return SimpleNamespace(team=SimpleNamespace(name="badgers"))

    def who(self):
        return SimpleNamespace(account_name="root", scopes=("admin",))

    def list_members(self, _group):
        return [SimpleNamespace(account_name=name, role=role) for name, role in self.members.items()]

    def tokens(self, _account):
        return ()

    def __getattr__(self, name):
        return lambda *_, **__: self.changed.append(name)


@pytest.fixture
def link(monkeypatch):
    found = Link()
    monkeypatch.setattr(place, "connect_arena", lambda _: found)
    return found


def run(words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code


@pytest.mark.parametrize("change", FINAL)
def test_a_no_changes_nothing(change, link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    assert run(FINAL[change]) == 1
    assert link.changed == []
    assert "Nothing was changed" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["Cancel", "Withdraw", "Disqualify", "RetakeMatch"])
def test_whoever_is_asked_sees_what_would_change(change, link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    run(FINAL[change])
    assert link.previewed == [change]
    said = capsys.readouterr()
    assert not said.out.strip()
    assert "1 match would be removed: 2.1.1" in said.err
    assert "40 deal sets already played would no longer count" in said.err


def test_a_yes_makes_the_change(link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    assert run(["retire", "fox"]) == 0
    assert link.changed == ["delete_bot"]
    assert "Retire fox for good?" in capsys.readouterr().err


def test_neither_a_script_nor_yes_is_asked(link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Typed(""))
    assert run(["retire", "fox", "--yes"]) == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert run(["webhook", "remove", "hook_1"]) == 0
    assert link.changed == ["delete_bot", "delete_webhook"]
    assert "?" not in capsys.readouterr().err


def test_the_only_organiser_of_a_group_is_told_how_another_one_is_added_before_leaving(
    link, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "stdin", Typed("n\n"))
    assert run(["group", "leave", "class-9b"]) == 1
    said = capsys.readouterr().err
    assert (
        "You are the only organiser of class-9b: without you it has none."
        " `maumau group add class-9b ACCOUNT --role organiser` adds another one first."
        " Leave class-9b all the same?" in said
    )


@pytest.mark.parametrize(
    "members",
    [
        {"root": "organiser", "eve": "organiser"},
        {"root": "member", "eve": "organiser"},
        {"root": "member", "eve": "member"},
    ],
)
def test_a_group_that_loses_no_last_organiser_is_left_without_a_question(members, link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", Typed(""))
    link.members = members
    assert run(["group", "leave", "class-9b"]) == 0
    assert link.changed == ["remove_member"]
    assert "?" not in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "more"), [(Typed(""), ["--yes"]), (io.StringIO(""), [])])
def test_the_only_organiser_leaves_a_group_with_yes_or_in_a_script(typed, more, link, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", typed)
    assert run(["group", "leave", "class-9b", *more]) == 0
    assert link.changed == ["remove_member"]
    assert "?" not in capsys.readouterr().err
