"""Copies of programs are found behind new names, other orders and added lines; unlike programs are not."""

import re
from pathlib import Path

import pytest

from maumau.submission import likeness
from maumau.submission.likeness import compare_sources, find_fingerprints, list_tokens, list_unreadable
from maumau.submission.source import Member

PROGRAMS = Path(__file__).parent / "programs"
OWN = """
def choose(view):
    best, worth = None, -1000
    for action in view.legal:
        value = 0
        for card in view.hand:
            if card[0] == action[0] and card != action:
                value += 3
            elif card[1] == action[1]:
                value += 1 - len(view.hand) / 7
        if action.startswith("J") and value < 4:
            value -= sum(card[1] == action[-1] for card in view.hand) * 2
        if value > worth:
            best, worth = action, value
    return best

def weigh(cards, seen):
    left = {rank: 4 - sum(one[0] == rank for one in seen) for rank in "789TJQKA"}
    while cards and left[cards[-1][0]] < 2:
        cards = cards[:-1]
    return [left[card[0]] * (card[1] in "HD") for card in cards if card not in seen]
"""


def read(text, path="bot.py"):
    return find_fingerprints([Member(path, executable=False, content=text.encode())])


def rename(text):
    return re.sub(r"\b(best|worth|action|value|card|cards|left|seen|rank|view)\b", r"my_\1", text)


def test_comments_blanks_names_and_numbers_do_not_count():
    tokens = list_tokens('if  a_card == 7:  # lay it\n    return "seven"', ".py")
    assert tokens == ["if", "v", "=", "=", "0", ":", "return", "s"]
    assert list_tokens("if (karte == 8) /* so */ return `x`; // no", ".js") == [
        "if", "(", "v", "=", "=", "0", ")", "return", "s", ";"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "copied",
    [
        rename(OWN),
        OWN.replace("\n", "  # mine\n"),
        "\n\n".join(reversed(rename(OWN).split("\n\n"))),
        rename(OWN) + (PROGRAMS / "looks.py").read_text(encoding="utf-8"),
    ],
    ids=["renamed", "commented", "reordered", "beside more"],
)
def test_a_copy_is_found(copied):
    (found,) = compare_sources({"a": read(OWN), "b": read(copied)})
    assert found.named
    assert found.share > 0.8


def test_programs_that_were_written_apart_are_not_named():
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(PROGRAMS.glob("*.py"))}
    programs = {"own": read(OWN), **{name: read(text) for name, text in texts.items()}}
    known = [name for name in programs if name not in list_unreadable(programs)]
    assert len(known) > 5
    assert not [one for one in compare_sources(programs) if "own" in one[:2]]


def test_what_everybody_may_take_does_not_count():
    """House bots and templates are public: two that both began with one have nothing of their own."""
    greedy = Path(likeness.__file__).parents[1] / "bots/greedy/bot.py"
    programs = {name: read(greedy.read_text(encoding="utf-8")) for name in "ab"}
    assert compare_sources(programs) == []
    assert list_unreadable(programs) == ["a", "b"]


def test_what_a_third_of_the_field_has_does_not_count():
    programs = {str(number): read(OWN) for number in range(4)}
    assert compare_sources(programs) == []
    del programs["3"]
    assert len(compare_sources(programs)) == 3


def test_compiled_programs_and_endless_ones_are_read_as_far_as_they_can():
    assert (
        find_fingerprints([Member("bot", executable=True, content=b"\x7fELF" + bytes(1000))]) == frozenset()
    )
    assert read("'" * 300_000 + OWN * 1000 + '"""' * 1000) is not None
