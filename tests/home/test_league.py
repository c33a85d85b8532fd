"""A league at home: balanced, resumable, undisturbed by a broken bot or by its own end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau.errors import BadFile
from maumau.home.league import League
from maumau.home.ledger import FORMAT, LeagueHead, LedgerBlock, open_ledger
from maumau.referee.place import Program
from maumau.referee.share import BankShare, BankTally
from tests.home.conftest import at_work
from tests.support.terminal import Terminal

PLAIN = ["--rules", "prsi", "--sandbox", "process", "-j", "1"]  # starts sooner; what is interrupted is not
HEAD = LeagueHead(FORMAT, "prsi", {}, "hash", "seed")


@pytest.fixture
def bots(home: Terminal, write) -> Path:
    """Return a folder of bots, one of them broken, one twice; they draw too often, but deals end soon."""
    folder = home.home / "bots"
    folder.mkdir()
    write("last", "return view.legal[-1 if self.rng.random() < 0.3 else 0]").rename(folder / "last")
    write("chance", "return self.rng.choice((view.legal[0], view.legal[-1]))").rename(folder / "chance")
    (folder / "again.py").write_text((folder / "last" / "bot.py").read_text())
    (folder / "broken").mkdir()
    (folder / "broken" / "bot.toml").write_text("name = 5")
    (folder / "notes.txt").write_text("not a bot")
    return folder


@pytest.mark.long
def test_everybody_meets_everybody_and_a_second_start_goes_on(home: Terminal, bots: Path) -> None:
    words = ["league", "bots", "greedy", *PLAIN, "--seed", "s"]
    said = home.run(*words, "-n", "10").out
    assert "left out: bots/broken: bot.toml" in said
    assert "60 mirrored sets of 6 pairs" in said
    rows = home.run(*words, "-n", "10", "--json").out.splitlines()[-1]
    table = json.loads(rows)["table"]
    assert [row["place"] for row in table] == [1, 2, 3, 4]
    assert table[0]["name"] == "greedy"
    assert {row["sets"] for row in table} == {30}
    assert all(row["rating"]["low"] < row["rating"]["elo"] < row["rating"]["high"] for row in table)
    results = bots / "league.jsonl"
    before = results.read_text()
    more = home.run(*words, "-n", "20", "--json").out.splitlines()[-1]
    assert {row["sets"] for row in json.loads(more)["table"]} == {60}
    banks = [row["bank"] for row in json.loads(more)["table"]]
    assert all(0 < each["mean_ms"] <= each["p99_ms"] <= each["largest_ms"] for each in banks)
    told = [line for line in said.splitlines() if line.startswith("bank: ")]
    assert len(told) == 4
    assert re.match(r"bank: greedy used \d+% on average, .* \(prsi, 2 seats; host pace \d\.\d\d\)$", told[0])
    assert results.read_text().startswith(before)


@pytest.mark.long
def test_a_changed_bot_begins_anew(home: Terminal, bots: Path) -> None:
    words = ["league", "bots", *PLAIN, "-n", "10", "--json"]
    home.run(*words)
    (bots / "chance" / "bot.py").write_text((bots / "chance" / "bot.py").read_text() + "# better\n")
    lines = (bots / "league.jsonl").read_text().count("\n")
    home.run(*words)
    assert (bots / "league.jsonl").read_text().count("\n") == lines + 2


@pytest.mark.long
def test_other_rules_another_seed_or_too_few_bots_are_refused(home: Terminal, bots: Path) -> None:
    home.run("league", "bots", "-n", "10", *PLAIN, "--seed", "s")
    assert "is a league of prsi" in home.run("league", "bots", "--rules", "app", code=1).err
    assert "has the seed s" in home.run("league", "bots", "--rules", "prsi", "--seed", "t", code=1).err
    assert "needs at least two bots" in home.run("league", "greedy", "--results", "x", code=1).err


@pytest.mark.long
def test_ctrl_c_ends_it_with_the_table_and_it_goes_on_from_there(home: Terminal, bots: Path) -> None:
    words = [sys.executable, "-m", "maumau.cli", "league", "bots", "--rules", "prsi", "--json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home.home)}
    with at_work(words, env=env, cwd=home.home, stdout=subprocess.PIPE) as running:
        last = Deadline(60)
        while (bots / "league.jsonl").stat().st_size < 600 if (bots / "league.jsonl").exists() else True:
            assert not last.has_passed()
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        out = running.communicate(timeout=patient(60))[0].splitlines()[-1]
    played = sum(row["sets"] for row in json.loads(out)["table"]) // 2
    assert running.returncode == 0
    again = home.run("league", "bots", "--rules", "prsi", "--hours", "0", "--json").out.splitlines()[-1]
    assert sum(row["sets"] for row in json.loads(again)["table"]) // 2 == played > 0


def test_the_pair_with_the_fewest_sets_is_next_and_no_block_is_played_twice(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l", HEAD) as book:
        league = League(book, _programs(tmp_path, 4), "abcd", 20)
        jobs = [league.next_job() for _ in range(13)]
        pairs = [tuple(each.sha256 for each in job.entrants) for job in jobs[:12] if job]
        assert len(set(pairs[:6])) == 6
        assert pairs[:6] == pairs[6:]
        assert [job.order.first_set for job in jobs[:12] if job] == [0] * 6 + [10] * 6
        assert jobs[12] is None


def test_results_survive_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path, block = tmp_path / "l", LedgerBlock("a", "b", 0, 10, 25, 75, (1, 0))
    with open_ledger(path, HEAD) as book:
        book.add(block)
    with path.open("ab") as file:
        file.write(b'{"first":"a","sec')
    with open_ledger(path, HEAD) as book:
        assert book.blocks == {("a", "b"): {0: block}}
        assert (book.sums(("a", "b")).total, book.faults("a"), book.faults("b")) == (25, 1, 0)
        book.add(LedgerBlock("a", "b", 1, 10, 20, 60))
    with open_ledger(path, HEAD) as book:
        assert book.sums(("a", "b"))[1:] == (20, 45, 135)


def test_what_was_used_of_the_bank_is_kept_and_older_lines_tell_nothing_of_it(tmp_path: Path) -> None:
    """Used by `b` are 20 and 40 ms against `a`, and 90 against `c`: 50 on average. `a` used 60 once."""
    path = tmp_path / "l"
    old = b'{"first":"a","second":"b","block":0,"sets":10,"total":25,"squares":75,"faults":[1,0]}\n'
    path.write_bytes(msgspec.json.encode(HEAD) + b"\n" + old)
    with open_ledger(path, HEAD) as book:
        assert book.sums(("a", "b")).sets == 10
        assert book.bank_tallies["b"].share("prsi", 2) is None
        book.add(LedgerBlock("a", "b", 1, 10, 20, 60, banks=[bank(60.0), bank(20.0, 40.0)]))
        book.add(LedgerBlock("b", "c", 0, 10, 20, 60, banks=[bank(90.0), bank(1.0)]))
    with open_ledger(path, HEAD) as book:
        assert book.bank_tallies["a"].share("prsi", 2) == BankShare("prsi", 2, 100, 60.0, 60.0, 60.0, 1.25)
        assert book.bank_tallies["b"].share("prsi", 2) == BankShare("prsi", 2, 100, 50.0, 90.0, 90.0, 1.25)


def bank(*deals_ms: float) -> BankTally:
    tally = BankTally()
    tally.add_deals(deals_ms, 100, 1.25)
    return tally


def test_two_ladders_do_not_write_one_file_and_another_file_is_none(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "l", HEAD), pytest.raises(BadFile, match="written by another league"):
        open_ledger(tmp_path / "l", HEAD).__enter__()
    (tmp_path / "essay").write_text("Once\nupon a time")
    words = "is not a file of a league's results"
    with pytest.raises(BadFile, match=words), open_ledger(tmp_path / "essay", HEAD):
        pass
    assert (tmp_path / "essay").read_text() == "Once\nupon a time"


@pytest.mark.long
def test_who_faults_is_at_the_bottom_whichever_hash_comes_first(home: Terminal, write) -> None:
    for number in range(3):
        write(f"wrong{number}", f"return 'XX'  # {number}")
    words = ["league", "wrong0", "wrong1", "wrong2", "first", *PLAIN, "-n", "10", "--json"]
    best, *others = home.run(*words).json()["table"]
    assert (best["name"], best["faults"]) == ("first", 0)
    assert best["score"] == 1.0
    assert all(row["faults"] > 0 and row["score"] < 0.5 for row in others)


def _programs(folder: Path, number: int) -> list[Program]:
    return [Program(folder, None, f"{k}" * 64, f"bot{k}") for k in range(number)]  # type: ignore[arg-type]
