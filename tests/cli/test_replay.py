"""Stepping through records: in a terminal with keys, without one in lines, and what is wrong with them."""

from __future__ import annotations

import gzip
import io
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path

import pytest

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau.contest.entrant import Entrant
from maumau.contest.export.line import EntryLine, RecordLine, encode_line, spec_line
from maumau.contest.spec.spec import parse_spec
from maumau.game import deal, first_action, load, record
from maumau.screen.picture import FRENCH, GERMAN, coloured
from tests.support.terminal import Terminal

GOLDEN = ROOT / "tests" / "game" / "golden"
BLIND = (GOLDEN / "prsi_blind-out.record").read_text(encoding="utf-8")


def played(name: str, seed: str, seats: int = 2) -> str:
    d = deal(load(name), seats, seed)
    while not d.over:
        d.apply(d.to_act[0], first_action(d, d.to_act[0]))
    return record(d)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    (tmp_path / "one.record").write_text(BLIND, encoding="utf-8")
    (tmp_path / "set.record").write_text(played("prsi", "a") + played("prsi", "b"), encoding="utf-8")
    return Terminal(tmp_path)


def test_without_a_terminal_every_action_is_a_line_with_what_follows(terminal: Terminal) -> None:
    lines = terminal.run("replay", "one.record").out.splitlines()
    events = [line for line in BLIND.splitlines() if line[1:2] == " "]
    for event in events:
        assert sum(event in line for line in lines) >= 1
    assert lines[0].split()[0] == "0"
    assert "in hand 4 4 4" in lines[0]


def test_in_json_every_stage_is_an_object(terminal: Terminal) -> None:
    stages = terminal.run("replay", "one.record", "--json").json_lines()
    assert stages[0]["events"][0].startswith("up ")
    assert stages[-1]["over"]
    assert [stage["event"] for stage in stages] == sorted(stage["event"] for stage in stages)
    assert sum(len(stage["events"]) for stage in stages[1:]) == stages[-1]["event"]
    assert len(stages[0]["hands"]) == 3


def test_at_prints_the_table_after_so_many_events(terminal: Terminal) -> None:
    out = terminal.run("replay", "set.record", "--at", "3").out
    assert "deal 0, prsi, event 3 of" in out
    assert "A is asked: " in out or "B is asked: " in out
    assert "1♠" not in out
    found = terminal.run("replay", "set.record", "--deal", "1", "--at", "0", "--json").json()
    assert found["event"] == 0
    assert [len(hand) for hand in found["hands"]] == [4, 4]


def test_a_seat_sees_its_own_cards_alone(terminal: Terminal) -> None:
    stages = terminal.run("replay", "one.record", "--seat", "B", "--json").json_lines()
    assert all("hands" not in stage for stage in stages)
    others = [event for stage in stages for event in stage["events"] if event[0] in "AC" and "~" in event]
    assert others
    assert all(event[2] == "~" for event in others)
    hidden = terminal.run("replay", "one.record", "--seat", "b", "--at", "5").out.splitlines()
    rows = [line for line in hidden if line.endswith("in hand")]
    assert ["░░" in line for line in rows] == [True, False, True]


def test_cards_are_drawn_with_french_or_german_suits(terminal: Terminal) -> None:
    assert coloured("A QS~TH>D", FRENCH).plain == "A Q♠~10♥>♦"
    assert coloured("A JS~QH>D", GERMAN).plain == "A U🍃~O♥>🔔"
    assert coloured("XX A draw AS wish:C", FRENCH).plain == "★ A draw A♠ wish:♣"
    assert coloured("KH", FRENCH).spans[0].style == "bold red"
    assert "🔔" in terminal.run("replay", "one.record", "--suits", "german", "--at", "20").out
    assert "no such suits" not in terminal.run("replay", "one.record", "--suits", "swiss", code=2).out


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[seats 3]", "[seats 9]", "line "),
        ("B doubt", "B fly", "'fly' is not an action"),
        ("A shows", "B shows", "by the rules 'A shows"),
        ("result", "nothing", "line "),
        ("[maumau 1]", "[maumau 2]", "line 1: this is not version 1"),
    ],
)
def test_an_illegal_record_says_at_which_line_and_why(
    terminal: Terminal, old: str, new: str, words: str
) -> None:
    assert old in BLIND
    (terminal.home / "bad.record").write_text(BLIND.replace(old, new, 1), encoding="utf-8")
    answer = terminal.run("replay", "bad.record", code=1)
    assert words in answer.err
    assert "line " in answer.err
    assert terminal.run("replay", "bad.record", "--json", code=1).err.startswith('{"error":')


def test_a_truncated_record_is_told_until_it_ends(terminal: Terminal) -> None:
    lines = BLIND.splitlines(keepends=True)
    (terminal.home / "cut.record").write_text("".join(lines[:15]), encoding="utf-8")
    answer = terminal.run("replay", "cut.record", code=1)
    assert lines[10].strip() in answer.out
    assert "the record ends" in answer.err
    (terminal.home / "torn.record").write_text("".join(lines)[:-5], encoding="utf-8")
    assert "breaks off" in terminal.run("replay", "torn.record", code=1).err
    (terminal.home / "two.record").write_text(played("prsi", "a") + "".join(lines[:15]), encoding="utf-8")
    assert "deal 1: line" in terminal.run("replay", "two.record", code=1).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch.record"], "nosuch.record cannot be read: No such file"),
        (["one.record", "--at", "100000"], "the record has "),
        (["one.record", "--seat", "E"], "nobody sits at 'E': the seats are A B C"),
        (["set.record", "--deal", "2"], "has deals 0 to 1; there is no deal 2"),
        (["one.record", "--deal", "1"], "has one deal, number 0; there is no deal 1"),
        (["set.record", "--match", "1.1.1"], "is not an export"),
    ],
)
def test_what_is_not_there_is_said(terminal: Terminal, words: list[str], said: str) -> None:
    assert said in terminal.run("replay", *words, code=1).err


@pytest.mark.parametrize(
    ("name", "command"),
    [("one.record.gz", "gunzip one.record.gz"), ("one.bin", "gunzip < one.bin > NAME")],
)
def test_a_compressed_file_is_refused_with_the_command_that_unpacks_it(
    terminal: Terminal, name: str, command: str
) -> None:
    (terminal.home / name).write_bytes(gzip.compress(BLIND.encode()))
    said = f"error: {name} is compressed with gzip; `{command}` unpacks it\n"
    assert terminal.run("replay", name, code=1).err == said


def test_a_compressed_stream_is_refused_with_the_command_that_unpacks_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed = io.TextIOWrapper(io.BytesIO(gzip.compress(BLIND.encode())))
    monkeypatch.setattr(sys, "stdin", compressed)
    said = "error: - is compressed with gzip; `gunzip` in the pipe before this command unpacks it\n"
    assert terminal.run("replay", "-", code=1).err == said


def test_a_deal_set_is_picked_out_of_an_export(terminal: Terminal) -> None:
    lines = [
        RecordLine(
            label,
            number,
            "0" * 64,
            2,
            (0, 0),
            ((1, 2), (2, 1)),
            played("prsi", f"{label} {number}") + played("prsi", "x"),
        )
        for label in ("1.1.1", "1.2.1")
        for number in range(3)
    ]
    spec = parse_spec('name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "round_robin"')
    entrants = [Entrant(number, name, f"{number:064x}") for number, name in ((1, "ada"), (2, "bob"))]
    head = [spec_line(spec, "0123456789abcdef", entrants)]
    head += [EntryLine(each.number, each.name, each.sha256, False) for each in entrants]
    encoded = b"".join(map(encode_line, [*head, *lines]))
    (terminal.home / "cup.export.jsonl").write_bytes(encoded)
    command = ["replay", "cup.export.jsonl"]
    assert (
        "with --match and its deal set with --deal: it has 1.1.1, 1.2.1" in terminal.run(*command, code=1).err
    )
    command += ["--match", "1.2.1"]
    assert "with --deal, a number from 0 to 2" in terminal.run(*command, code=1).err
    out = terminal.run(*command, "--deal", "1").out
    assert out.startswith("match 1.2.1, set 1, seating 0")
    assert "match 1.2.1, set 1, seating 1" in out
    at_once = [*command, "--deal", "1", "--html", "page.html"]
    terminal.run(*at_once)
    page = (terminal.home / "page.html").read_text(encoding="utf-8")
    assert page.index('"names":["ada","bob"]') < page.index('"names":["bob","ada"]')
    assert "a number from 0 to 2" in terminal.run(*command, "--deal", "3", code=1).err


def test_an_export_of_an_earlier_arena_is_refused_with_its_version(terminal: Terminal) -> None:
    (terminal.home / "old.export.jsonl").write_text('{"kind":"spec","version":1}\n{"kind":"entry"}\n')
    command = ["replay", "old.export.jsonl", "--match", "1.1.1", "--deal", "0"]
    assert "is an export of version 1" in terminal.run(*command, code=1).err


@contextmanager
def at_a_terminal(*words: str, home: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Yield the command at a real pseudo-terminal; the process, and the terminal's other end."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    command = [sys.executable, "-m", "maumau.cli", "replay", *words]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=home, env=env, start_new_session=True
    ) as process:
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
            os.close(ours)


def until(ours: int, wanted: str, within: float = 60) -> str:
    """Return the terminal's output, read until a text appears."""
    text, end = "", time.monotonic() + patient(within)
    while wanted not in text:
        ready = connection.wait([ours], max(0.0, end - time.monotonic()))
        assert ready, f"no {wanted!r} in {text[-2000:]!r}"
        text += os.read(ours, 65536).decode(errors="replace")
    return text


@pytest.mark.long
def test_in_a_terminal_keys_step_through_the_deals(terminal: Terminal) -> None:
    with at_a_terminal("set.record", home=terminal.home) as (process, ours):
        assert "\x1b[1;31m" in until(ours, "event 0 of")  # hearts are red
        for keys, shown in [
            (b"\x1b[C", "event 1 of"), (b" ", "event 2 of"), (b"\x1b[D", "event 1 of"), (b"g", "event 0 of"),
            (b"n", "deal 1, prsi, event 0"), (b"G", "the deal is over: "), (b"p", "deal 0, prsi, event 0"),
        ]:  # fmt: skip
            os.write(ours, keys)
            until(ours, shown)
        os.write(ours, b"q")
        assert process.wait(patient(60)) == 0


@pytest.mark.long
def test_in_a_terminal_a_bad_record_is_stepped_to_its_fault(terminal: Terminal) -> None:
    (terminal.home / "bad.record").write_text(BLIND.replace("B doubt", "B fly", 1), encoding="utf-8")
    with at_a_terminal("bad.record", "--seat", "A", home=terminal.home) as (process, ours):
        until(ours, "event 0 of")
        os.write(ours, b"G")
        until(ours, "'fly' is not an action")
        os.write(ours, b"q")
        assert process.wait(patient(60)) == 1
