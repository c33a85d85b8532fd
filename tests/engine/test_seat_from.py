"""`maumau seat --from`: a recorded deal is played on at a table of one's own."""

from __future__ import annotations

import io
import json
import sys

import pytest

from maumau import game
from maumau.bots import folder
from maumau.game.prefix import cut_before_event
from tests.engine.test_commands import terminal  # noqa: F401 - a fixture
from tests.engine.test_goes_on import OWN, play_record

FIRST = ("--bot", str(folder("first")), "--sandbox", "process", "--json")


@pytest.fixture
def lost(tmp_path):
    """Return the file of a recorded deal."""
    file = tmp_path / "lost.record"
    file.write_text(play_record(game.load("prsi"), 2))
    return file


def ask(terminal, monkeypatch, *words: str) -> dict:  # noqa: F811
    """Return the first question of a seat, after which the input ends."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    told = [json.loads(line) for line in terminal.run("seat", *words, *FIRST).out.splitlines()]
    return next(one["view"] for one in told if one["kind"] == "line" and "ask" in one["view"])


def test_one_sits_down_before_an_event(terminal, monkeypatch, lost) -> None:  # noqa: F811
    _, d = cut_before_event(lost.read_text(), 6)
    view = ask(terminal, monkeypatch, "--from", f"{lost}@6")
    assert view["seat"] == d.to_act[0]
    assert view["events"] == d.seen(d.to_act[0])


def test_a_seat_is_chosen_and_the_whole_deal_is_played_without_an_event(
    terminal,  # noqa: F811
    monkeypatch,
    lost,
) -> None:
    view = ask(terminal, monkeypatch, "--from", str(lost), "--as", "b")
    assert view["seat"] == 1
    dealt = next(line for line in lost.read_text().splitlines() if line.startswith("deal B "))
    assert set(dealt.split()[2:]) <= {*view["hand"]}


def test_a_variant_of_ones_own_is_named_by_its_file(terminal, monkeypatch, tmp_path) -> None:  # noqa: F811
    file, record = tmp_path / "wasp.toml", tmp_path / "wasp.record"
    file.write_text(OWN)
    record.write_text(play_record(game.load_file(file), 2))
    assert ask(terminal, monkeypatch, str(file), "--from", f"{record}@4")["legal"]
    assert "a custom variant needs its file" in terminal.run("seat", "--from", f"{record}@4", code=1).err


def test_what_cannot_be_gone_on_from_is_said(terminal, lost) -> None:  # noqa: F811
    for words, code, said in (
        (["--from", f"{lost}@999"], 1, "the record has no event 999"),
        (["--from", "nosuch.record@3"], 1, "cannot be read"),
        (["--from", f"{lost}@last"], 1, "lost.record: `maumau review` shows their numbers, from 1"),
        (["--from", f"{lost}@-1"], 1, "'-1' is not an event of"),
        (["--from", f"{lost}@3", "--as", "C"], 1, "the seats are A B"),
        (["prsi", "--from", f"{lost}@3"], 2, "a record has its rules"),
        (["prsi", "--as", "B"], 2, "--from names"),
    ):
        assert said in " ".join(terminal.run("seat", *words, code=code).err.split())
