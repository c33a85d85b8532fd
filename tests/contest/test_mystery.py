"""Sealed rules: the commitment by hand, what a spec shows when, and what is refused."""

import hashlib
import json
from datetime import UTC, datetime

import msgspec
import pytest

from maumau.contest.export.verify import verify
from maumau.contest.mystery import commit_rules, open_spec, seal_spec, write_sealed
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import build_spec, check_order, parse_spec, read_table
from maumau.errors import BadSpec, RulesSealed
from tests.contest.conftest import SECRET, SMALL, Arena, entrants

SALT = "5a17" * 16
MYSTERY = """
name = "cup"
rules = "prsi"
[options]
king_leaves = true
max_decisions = 350
[mystery]
[[stage]]
format = "round_robin"
"""
SEALED = """\
rules = "prsi"

[options]
king_leaves = true
max_decisions = 350
"""


def test_the_commitment_is_that_of_a_hand():
    """It was computed with `printf '%s\\n%s' SALT TEXT | sha256sum`."""
    by_hand = "113a3a45c70132c0be1c401a8b932520d91ee89c9dd08a1386909f79b807b216"
    assert hashlib.sha256(f"{SALT}\n{SEALED}".encode()).hexdigest() == by_hand
    assert write_sealed(parse_spec(MYSTERY)) == SEALED
    assert commit_rules(SALT, SEALED) == by_hand
    assert seal_spec(parse_spec(MYSTERY), SALT).mystery.commitment == by_hand


def test_a_sealed_spec_has_nothing_of_the_rules_and_reads_as_it_is_written():
    sealed = seal_spec(parse_spec(MYSTERY), SALT)
    text = sealed.to_toml()
    assert read_table(text)["rules"] == "mystery"
    assert not {"prsi", "king", "350", SALT} & set(text.replace('"', " ").split())
    assert "prsi" not in text
    assert "max_decisions" not in text
    assert parse_spec(text) == sealed
    assert sealed.rules_hash == ""
    with pytest.raises(RulesSealed, match="The rules of cup are sealed"):
        sealed.load_rules()
    with pytest.raises(RulesSealed):
        sealed.copy_as("other", datetime.now(UTC))


def test_a_revealed_spec_says_everything_and_checks_itself():
    spec = open_spec(parse_spec(MYSTERY), SALT)
    assert parse_spec(spec.to_toml()) == spec
    assert spec.shown["mystery"] == {"commitment": spec.mystery.commitment, "salt": SALT}
    assert build_spec(spec.shown, is_export=True).options == {"king_leaves": True, "max_decisions": 350}
    forged = spec.to_toml().replace("king_leaves = true", "king_leaves = false")
    with pytest.raises(BadSpec, match="salt and rules give the commitment"):
        parse_spec(forged)
    with pytest.raises(BadSpec, match="salt and rules give the commitment"):
        parse_spec(spec.to_toml().replace(SALT, "00" * 32))


def test_a_copy_of_revealed_rules_is_a_mystery_without_salt():
    copied = open_spec(parse_spec(MYSTERY), SALT).copy_as("next", datetime.now(UTC))
    assert copied.rules == "prsi"
    assert msgspec.to_builtins(copied.mystery) == {"reveal": None, "commitment": None, "salt": None}


def test_the_root_of_a_contest_without_a_mystery_is_as_before():
    assert "mystery" not in parse_spec(MYSTERY.replace("[mystery]\n", "")).shown


TIMES = """
[entries]
closes = 2030-01-01T18:00:00+00:00
[schedule]
starts = 2030-01-01T19:00:00+00:00
"""


@pytest.mark.parametrize(
    ("more", "without", "words"),
    [
        ("reveal = 2030-01-01T19:00:01+00:00", "", "is after the start .*revealed at the start"),
        ("reveal = 2030-01-01T17:59:59+00:00", "", "entries close before it or then; they close at 2030"),
        (
            "reveal = 2030-01-01T18:30:00+00:00",
            "closes = 2030-01-01T18:00:00+00:00",
            "entries.closes is not given",
        ),
        (
            "reveal = 2030-01-01T18:30:00+00:00",
            "starts = 2030-01-01T19:00:00+00:00",
            "a moment needs schedule.starts",
        ),
        ('reveal = "start"', "", "mystery.reveal: must be a date"),
        ("hidden = true", "", r"\[mystery\] has no key 'hidden'; known: commitment, reveal, salt"),
        ('salt = "5a17"', "", "is not one; it has 64 hex digits"),
        (f'salt = "{SALT}"', "", "the arena draws it"),
        (f'commitment = "{SALT}"', "", "the arena computes it"),
        ("[game]\ntarget = 100", "", "they are for single deals"),
    ],
)
def test_what_cannot_be_is_refused_in_words_that_say_what_can(more, without, words):
    text = MYSTERY.replace("[mystery]\n", f"[mystery]\n{more}\n") + TIMES.replace(without, "")
    with pytest.raises(BadSpec, match=words):
        check_order(parse_spec(text))


def test_games_of_a_stage_and_points_would_tell_something():
    with pytest.raises(BadSpec, match=r"stage 1\.game: its end"):
        parse_spec(f"{MYSTERY}game = {{ rounds = 3 }}\n")
    with pytest.raises(BadSpec, match="score: points would tell"):
        parse_spec(MYSTERY.replace('rules = "prsi"', 'rules = "prsi"\nscore = "points"'))


@pytest.mark.parametrize("at", ["2030-01-01T18:00:00+00:00", "2030-01-01T19:00:00+00:00"])
def test_rules_may_be_revealed_from_the_close_of_the_entries_to_the_start(at):
    check_order(parse_spec(MYSTERY.replace("[mystery]\n", f"[mystery]\nreveal = {at}\n") + TIMES))


def test_the_bound_of_a_deal_is_sealed_too():
    spec = parse_spec(MYSTERY.replace("max_decisions = 350\n", ""))
    assert "max_decisions" in write_sealed(bound_spec(spec))


def write(path, spec):
    """Write a whole export of this spec, with every sum, hash, score, verdict, table and link computed."""
    arena = Arena(spec, SECRET, entrants(3))
    arena.write(path, arena.run())
    return path


def test_an_export_shows_the_rules_to_which_the_commitment_was_published(tmp_path):
    spec = open_spec(parse_spec(f"{SMALL}[mystery]\n"), SALT)
    path, seen = tmp_path / "cup.jsonl", spec.mystery.commitment
    report = verify(write(path, spec), seen=[seen, SALT])
    assert (report.differences, report.sealed, report.missed) == ((), seen, (SALT,))
    other = msgspec.structs.replace(spec, options={"ace_last": "allowed"})
    [difference] = verify(write(path, other)).differences
    assert "salt and rules give the commitment" in difference.found
    salted = msgspec.structs.replace(spec, mystery=msgspec.structs.replace(spec.mystery, salt="0" * 64))
    assert not verify(write(path, salted)).ok
    anew = open_spec(msgspec.structs.replace(other, mystery=None), SALT)
    report = verify(write(path, msgspec.structs.replace(anew, mystery=anew.mystery)), seen=[seen])
    assert (report.differences, report.missed) == ((), (seen,))


def test_an_export_whose_rules_are_still_sealed_is_none(tmp_path):
    spec = parse_spec(f"{SMALL}[mystery]\n")
    lines = write(tmp_path / "cup.jsonl", open_spec(spec, SALT)).read_text()
    (tmp_path / "cut.jsonl").write_text(lines.replace(f',"salt":"{SALT}"', ""))
    assert not verify(tmp_path / "cut.jsonl").ok
    first, rest = lines.split("\n", 1)
    told = json.loads(first)
    del told["spec"]["mystery"]["salt"]
    told["spec"] |= {"rules": "mystery", "options": {}}
    (tmp_path / "sealed.jsonl").write_text(f"{json.dumps(told, separators=(',', ':'))}\n{rest}")
    found = [one.found for one in verify(tmp_path / "sealed.jsonl").differences]
    assert any("are sealed until they are revealed" in words for words in found)
