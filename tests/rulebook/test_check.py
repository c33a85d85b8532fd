"""An author's own variant: what is wrong in it is said with its place, and what is known there."""

from __future__ import annotations

from pathlib import Path

import pytest

from maumau.errors import BadVariant
from maumau.game import load, load_file, variants
from maumau.game.ruleset.own import load_text
from maumau.game.ruleset.sense import list_contradictions
from maumau.rulebook.check import check_ends, check_file, check_own_variant, compile_all
from tests.support.kinds import one_of
from tests.support.terminal import Terminal

OWN = """\
title = "Hedgehog: sevens sting, eights wait"
source = "at home"
seats = [2, 4]
packs = [[4, 1]]

[[card]]
on = ["7"]
owe = 2
answer = ["7"]
after = "after_penalty"

[[card]]
on = ["8"]
if = { wait = true }
skip = "pass_on"
answer = ["8"]

[[call.left]]
until = "next_action"
penalty = 1

[options]
wait = { values = [true, false], default = true }
deal = { values = [5, 6], default = 5 }
"""
CLAUSE = '[[card]]\non = ["9"]\n'
OPTION = "o{} = {{ values = [1], default = 1 }}\n"
BASED = """\
title = "Short"
source = "at home"
extends = "prsi"

[options]
deal = { values = [3], default = 3 }
"""


def written(tmp_path: Path, text: str, name: str = "hedgehog") -> Path:
    file = tmp_path / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_what_only_the_rules_page_or_other_seats_would_trip_over_is_refused_before_a_contest(
    tmp_path: Path,
) -> None:
    """With five seats `packs` reads an option that there is not; at two, nothing would tell."""
    text = OWN.replace("packs = [[4, 1]]", 'packs = [[2, 1], [4, "more_packs"]]')
    rules = load_file(written(tmp_path, text))
    with pytest.raises(BadVariant, match="packs = 'more_packs' is neither a number nor an option"):
        check_ends(rules, 2)


@pytest.mark.parametrize("step", ["compile_rules", "deal", "build_page"])
def test_an_error_of_the_engine_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr(f"maumau.rulebook.check.{step}", fail)
    said = Terminal(tmp_path).run("rules", "check", str(written(tmp_path, OWN)), code=1).err
    told = " ".join(said.split())
    assert "error: variant hedgehog: the engine cannot combine these rules (IndexError: list" in told
    assert "Traceback" not in said
    with pytest.raises(BadVariant, match="the engine cannot combine these rules"):
        check_ends(load_file(tmp_path / "hedgehog.toml"), 2)


def test_a_variant_of_ones_own_is_checked_and_played(tmp_path: Path) -> None:
    found = check_file(written(tmp_path, OWN), 200)
    assert found.deals == 200
    assert found.stopped == 0
    assert 10 < found.decisions < 500


def test_a_variant_may_extend_a_known_one(tmp_path: Path) -> None:
    rules = load_file(written(tmp_path, BASED, "short"))
    assert rules.number("deal") == 3
    assert rules.hash != load("prsi", deal=3).hash
    assert check_file(written(tmp_path, BASED, "short"), 50).stopped == 0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("owe = 2", "owee = 2", "line 8, column 1: there is no 'owee' here (did you mean owe?); known: if, "),
        ("owe = 2", "owe = true", "line 8, column 1: owe: expected a whole number or text, not true"),
        (
            '[[card]]\non = ["8"]', '[[crad]]\non = ["8"]',
            "line 12, column 3: there is no 'crad' here (did you mean card?)",
        ),
        ("[[call.left]]", "[[call.letf]]", "line 18, column 3: there is no 'letf' here (did you mean left?)"),
        ('until = "next_action"', 'untill = "next_action"', "line 19, column 1: there is no 'untill' here"),
        (
            "default = 5 }", "defualt = 5 }",
            "line 24, column 27: there is no 'defualt' here (did you mean default?)",
        ),
        (
            'skip = "pass_on"', 'skip = "pas_on"',
            "line 15, column 9: skip = 'pas_on' is not known; known: none",
        ),
        (
            'after = "after_penalty"', 'after = "penalty"',
            "line 10, column 10: after = 'penalty' is not known",
        ),
        ('on = ["8"]', 'on = ["8X"]', "line 13, column 8: '8X' is not a card"),
        ("wait = true }", "wiat = true }", "line 14, column 8: a clause asks for the option 'wiat'"),
        ("penalty = 1", 'penalty = "much"', "line 20, column 12: penalty = 'much' is not known"),
        ("seats = [2, 4]\n", "", "`seats` is missing"),
        ("title =", "title", "line 1, column 7"),
        ("default = 5 }", "default = 4 }", "variant hedgehog: option deal cannot be 4: it is 5 or 6"),
        (
            'title = "Hed', 'extends = "nosuch"\ntitle = "Hed',
            "line 1, column 12: there is no variant 'nosuch' to extend",
        ),
        (
            'title = "Hed', 'extends = "neuner"\ntitle = "Hed',
            "line 1, column 12: 'neuner' itself extends mau_mau",
        ),
        (
            "deal = { values = [5, 6], default = 5 }", "deal = 5",
            "line 24, column 1: an option is written with all it may be: deal = { values = [5], default = 5",
        ),
        ("seats = [2, 4]", "seats = [4, 2]", "line 3, column 1: variant hedgehog: 'seats' are the fewest"),
        ("seats = [2, 4]", "seats = [2, 11]", "from 2 to 10, not 2 and 11"),
        ("seats = [2, 4]", "seats = [2, 5]", "hedgehog: 'packs' gives the number of packs"),
        ("packs = [[4, 1]]", "packs = [[4, 0]]", "line 4, column 1: variant hedgehog: 'packs' are"),
        ("packs = [[4, 1]]", "packs = [[4, 1]]\nhands = [[4, 0]]", "'hands' have 1 to 20 cards"),
        ('on = ["8"]', "on = []", "'on' names no card"),
        ("owe = 2", "owe = -2", "line 8, column 1: variant hedgehog: 'owe' cannot be -2"),
        ("default = 5 }", 'default = "five" }', "option 'deal' cannot be five: it is a number from 1 to 20"),
        ("seats = [2, 4]", "seats = 2", "line 3, column 1: seats: expected a list"),
        ("packs = [[4, 1]]", "packs = [[4, 1]]\nscore = 3", "line 5, column 1: score: expected a list"),
    ],
)  # fmt: skip
def test_a_misspelt_word_is_named_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in OWN
    with pytest.raises(BadVariant) as error:
        check_file(written(tmp_path, OWN.replace(old, new, 1)), 5)
    assert words in str(error.value)
    assert str(error.value).count("column") <= 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file or directory"),
        (b"\xff\xfe", "it is not a text file in UTF-8"),
        (b"", "`title` is missing"),
    ],
)
def test_a_file_that_is_none_is_said_in_words(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "none.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadVariant, match=words) as error:
        load_file(file)
    assert "Errno" not in str(error.value)


def test_a_clause_is_checked_also_where_its_option_is_off(tmp_path: Path) -> None:
    text = OWN.replace("default = true", "default = false").replace('"pass_on"', '"pas_on"')
    load_file(written(tmp_path, text))
    with pytest.raises(BadVariant, match="line 15, column 9: skip = 'pas_on' is not known"):
        check_file(written(tmp_path, text), 5)


@pytest.mark.parametrize("name", variants())
def test_the_known_variants_say_nothing_that_cannot_be(name: str) -> None:
    assert list(list_contradictions(load(name).variant)) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("prsi", "there is already a variant prsi; give yours another name"),
        ("My Own", "small letters, digits and _"),
        ("9lives", "the first a letter"),
        ("x" * 41, "up to 40 small letters"),
    ],
)
def test_a_file_needs_a_name_of_its_own(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(BadVariant, match=words):
        load_file(written(tmp_path, OWN, name))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#" * (10 << 20), "variant hedgehog has more than 32 KiB"),
        (OWN + "x = " + "[" * 20_000, "nested too deeply"),
        (OWN.replace("owe = 2", f"owe = {'9' * 5000}"), "Exceeds the limit"),
        (OWN.replace("owe = 2", "owe = 101"), "'owe' cannot be 101: it is a number from 0 to 100"),
        (OWN.replace("[[4, 1]]", "[[4, 1000000]]"), "'packs' are 1 to 3"),
        (OWN.replace("[[4, 1]]", '[[4, "many"]]') + "many = { values = [1, 9], default = 1 }", "'packs' are"),
        (OWN.replace("penalty = 1", "penalty = 1000001"), "'call' has a number beyond 1,000,000"),
        (OWN.replace("[options]", CLAUSE * 300 + "[options]"), "'card' stands there 302 times"),
        (OWN + "".join(map(OPTION.format, range(65))), "66 'options' of its own"),
        (OWN + f"o = {{ values = {[*range(33)]}, default = 1 }}\n", "option 'o' has more than 32 values"),
        (OWN + "max_decisions = { values = [999999], default = 999999 }\n", "10,000 are the most"),
    ],
)  # fmt: skip
def test_a_file_that_would_cost_too_much_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadVariant) as refused:
        load_file(written(tmp_path, text))
    assert words in str(refused.value)


@pytest.mark.sample
@pytest.mark.parametrize("name", one_of(4, variants()))
def test_every_clause_of_every_known_variant_can_be_compiled(name: str) -> None:
    compile_all(load(name))


def test_a_variant_whose_deals_do_not_end_is_refused(tmp_path: Path) -> None:
    text = OWN + "max_decisions = { values = [30], default = 30 }\n"
    terminal = Terminal(tmp_path)
    written(tmp_path, text)
    answer = terminal.run("rules", "check", "hedgehog.toml", "--deals", "40", code=1)
    assert "do not end and are stopped" in answer.out


def test_a_contest_is_refused_an_own_variant_with_a_known_name_or_without_an_end() -> None:
    endless = OWN + "max_decisions = { values = [30], default = 30 }\n"
    with pytest.raises(BadVariant, match="there is already a variant prsi; give yours another name"):
        check_own_variant(load_text("prsi", OWN), 2)
    with pytest.raises(BadVariant, match="do not end"):
        check_own_variant(load_text("hedgehog", endless), 2)
    check_own_variant(load_text("hedgehog", OWN), 2)


def test_a_known_variant_is_not_checked_before_a_contest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maumau.rulebook.check.check_ends", lambda *_: pytest.fail("it played deals"))
    check_own_variant(load("prsi"), 2)


def test_the_command_says_what_it_found(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    written(tmp_path, OWN)
    assert "all 300 random deals end; a deal has " in terminal.run("rules", "check", "hedgehog.toml").out
    found = terminal.run("rules", "check", "hedgehog.toml", "--deals", "20", "--json").json()
    assert (found["ok"], found["deals"], found["stopped"]) == (True, 20, 0)
    written(tmp_path, OWN.replace("owe", "ove"))
    assert "line 8, column 1" in terminal.run("rules", "check", "hedgehog.toml", code=1).err
    assert "cannot be read" in terminal.run("rules", "check", "nosuch.toml", code=1).err


def test_the_command_tells_variants_and_files_in_words(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    written(tmp_path, OWN)
    told = terminal.run("rules", "show", "hedgehog.toml", "-o", "wait=false").out
    assert "Sevens: the next player takes two cards, or answers with a seven" in told
    assert "Eights" not in told
    told = terminal.run("rules", "show", "prsi", "--option", "king_leaves=true").out
    assert "The king of spades: the next player takes four cards, or answers with the seven of spades" in told
    assert "“forces the next player to draw 4 cards" in told
    page = terminal.run("rules", "show", "prsi", "-o", "deal=6", "--json").json()
    assert page["options"]["deal"] == 6
    assert page["page"]["sections"][0][0] == "The beginning"
    names = [each["name"] for each in terminal.run("rules", "list", "--json").json()]
    assert {"mau_mau", "prsi_blind"} <= set(names)
    assert "prsi_blind" in terminal.run("rules", "list").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "nosuch"], "there is no variant 'nosuch'; known: app"),
        (["show", "prsi", "-o", "deal"], "'deal' is not KEY=VALUE"),
        (["show", "prsi", "-o", "dael=3"], "there is no option dael; known:"),
        (
            ["show", "prsi", "-o", "ace_stack=maybe"],
            "option ace_stack cannot be maybe: it is pass_on or none",
        ),
    ],
)
def test_what_is_not_known_is_said(tmp_path: Path, words: list[str], said: str) -> None:
    assert said in Terminal(tmp_path).run("rules", *words, code=2 if words[-1] == "deal" else 1).err
