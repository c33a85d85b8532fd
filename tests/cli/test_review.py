"""`maumau review`: what the decisions of a deal were worth, for every kind of record, and wrong ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau.contest.entrant import Entrant
from maumau.contest.export.line import EntryLine, RecordLine, encode_line, spec_line
from maumau.contest.spec.spec import parse_spec
from maumau.game import Game, deal_by_hand, load, record, record_game
from maumau.page.words import tell_choice
from tests.support.terminal import Terminal

SECONDS = ("--seconds", "0.1")
BLIND = (ROOT / "tests" / "game" / "golden" / "prsi_blind-out.record").read_text(encoding="utf-8")


def lost() -> str:
    """Return a deal that seat A loses by wishing for the suit of B's only card."""
    d = deal_by_hand(load("mau_mau"), {0: "JC 9S", 1: "KH"}, "TC", "")
    d.apply(0, "JC>H!")
    d.apply(1, "KH!")
    return record(d)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    (tmp_path / "lost.record").write_text(lost(), encoding="utf-8")
    (tmp_path / "two.record").write_text(lost() + lost(), encoding="utf-8")
    (tmp_path / "blind.record").write_text(BLIND, encoding="utf-8")
    return Terminal(tmp_path)


def test_it_names_the_dear_moment_in_words_with_cards_drawn(terminal: Terminal) -> None:
    out = terminal.run("review", "lost.record", *SECONDS).out
    assert "mau_mau: seat A came 2nd of 2" in out
    assert "1. event 1: lays J♣ and wishes for ♥, “Mau!” (0% ± " in out
    assert "better lays J♣ and wishes for ♠, “Mau!” (100% ± " in out
    assert "100% ± 0.0 more" not in out
    assert "in at most 0.1 s of CPU time" in out
    assert "♣" not in terminal.run("review", "lost.record", "--suits", "german", *SECONDS).out
    assert "seat B won" in terminal.run("review", "lost.record", "--seat", "b", *SECONDS).out


def test_a_fault_that_decided_the_deal_is_named_with_its_part(terminal: Terminal, tmp_path: Path) -> None:
    d = deal_by_hand(load("mau_mau"), {0: "JC 9H", 1: "KH 7S"}, "TC", "8S 8H 8D 8C")
    d.apply(0, "JC>H!")
    d.forfeit(1, "time")
    d.apply(1, "KH!")
    d.apply(0, "9H!")
    (tmp_path / "late.record").write_text(record(d), encoding="utf-8")
    out = terminal.run("review", "late.record", *SECONDS).out
    assert "Event 2: seat B has run out of time; from here on the arena plays these cards." in out
    assert "This decided the deal; luck and play end here." in out
    assert "the fault that decided the deal" in out
    found = terminal.run("review", "late.record", "--json", *SECONDS).json()
    assert found["forfeits"] == [{"seat": 1, "kind": "time", "event": 1, "decides": True}]
    assert len(found["decisions"]) == 1
    assert "the fault that" not in terminal.run("review", "lost.record", *SECONDS).out


def test_json_has_every_figure_and_a_seed_repeats_it(terminal: Terminal) -> None:
    found = terminal.run("review", "lost.record", "--json", *SECONDS).json()
    assert found == terminal.run("review", "lost.record", "--json", *SECONDS).json()
    assert found["dearest"] == [1]
    first = found["decisions"][0]
    assert (first["taken"], first["best"], first["dear"]) == ("JC>H!", "JC>S!", True)
    assert {figure["action"] for figure in first["actions"]} == {"JC>C!", "JC>S!", "JC>H!", "JC>D!"}
    other = terminal.run("review", "lost.record", "--json", "--seed", "x", *SECONDS).json()
    assert other["seed"] == "x"


def test_all_that_replay_reads_is_reviewed(terminal: Terminal, tmp_path: Path) -> None:
    deals = terminal.run("review", "two.record", "--json", *SECONDS).json_lines()
    assert [found["deal"] for found in deals] == ["deal 0", "deal 1"]
    assert len(terminal.run("review", "two.record", "--json", "--deal", "1", *SECONDS).json_lines()) == 1
    game = Game(load("prsi"), 2, "seed")
    while not game.deal.over:
        action = game.deal.legal(game.deal.to_act[0])[0]
        game.deal.apply(game.deal.to_act[0], action)
    (tmp_path / "game.record").write_text(record_game(game), encoding="utf-8")
    assert terminal.run("review", "game.record", "--json", *SECONDS).json()["rules"] == "prsi"


def test_a_deal_of_an_export_has_the_names_of_its_bots(terminal: Terminal, tmp_path: Path) -> None:
    spec = parse_spec('name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"')
    bots = [Entrant(number, name, f"{number:064x}") for number, name in ((1, "ada"), (2, "bob"))]
    one = RecordLine("1.1.1", 0, "0" * 64, 2, (0, 0), ((1, 2),), lost())
    head = spec_line(spec, "0123456789abcdef", bots)
    entries = [EntryLine(bot.number, bot.name, bot.sha256, False) for bot in bots]
    (tmp_path / "cup.export.jsonl").write_bytes(b"".join(map(encode_line, [head, *entries, one])))
    out = terminal.run("review", "cup.export.jsonl", "--match", "1.1.1", "--deal", "0", *SECONDS).out
    assert "ada came 2nd of 2" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("none.record",), "none.record cannot be read: No such file or directory"),
        (("lost.record", "--seat", "C"), "nobody sits at 'C': the seats are A B"),
        (("lost.record", "--deal", "3"), "lost.record has one deal, number 0; there is no deal 3"),
        (("cut.record",), "deal 1: the record ends before the deal is over"),
        (("wrong.record",), "line 8"),
    ],
)
def test_what_is_wrong_is_said(
    terminal: Terminal, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    lines = lost().splitlines(keepends=True)
    (tmp_path / "cut.record").write_text(lost() + "".join(lines[:-3]), encoding="utf-8")
    (tmp_path / "wrong.record").write_text(lost().replace("up TC", "up"), encoding="utf-8")
    assert words in terminal.run("review", *arguments, *SECONDS, code=1).err
    assert '{"error":' in terminal.run("review", *arguments, *SECONDS, "--json", code=1).err


def test_a_budget_of_nothing_is_refused(terminal: Terminal) -> None:
    assert "0.1" in terminal.run("review", "lost.record", "--seconds", "0", code=2).err


@pytest.mark.long
def test_ctrl_c_ends_it_cleanly(terminal: Terminal) -> None:
    command = [sys.executable, "-m", "maumau.cli", "review", "blind.record", "--seconds", "600"]
    running = subprocess.Popen(
        command, cwd=terminal.home, stderr=subprocess.PIPE, text=True, env=terminal.variables
    )
    wait_until_busy(running)
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=patient(30))
    assert (running.returncode, told) == (130, "interrupted\n")


def wait_until_busy(running: subprocess.Popen[str]) -> None:
    """Wait until a process has used more CPU time than its start takes."""
    deadline, tick = Deadline(60), os.sysconf("SC_CLK_TCK")
    while not deadline.has_passed():
        assert running.poll() is None
        fields = Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()
        if int(fields[11]) + int(fields[12]) > 2 * tick:
            return
        deadline.pause()
    raise AssertionError("it computes nothing")


@pytest.mark.parametrize(
    ("action", "english", "german"),
    [
        ("7S", "lays 7♠", "legt 7♠"),
        ("draw", "draws a card", "zieht eine Karte"),
        ("!", "makes a late call, “Mau!”", "sagt nachträglich an, „Mau!“"),
        ("accuse@B:mau", "accuses bert: no “Mau!”", "beschuldigt bert: kein „Mau!“"),
    ],
)
def test_choices_have_words_in_both_languages(action: str, english: str, german: str) -> None:
    assert tell_choice(action, ["anna", "bert"]) == english
    assert tell_choice(action, ["anna", "bert"], "de") == german
