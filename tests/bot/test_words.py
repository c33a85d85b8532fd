"""The one door for words of strangers."""

import pytest

from maumau.protocol.fault import Misplay, decode_text
from maumau.protocol.words import clean_line, clean_text

STEERING = ["\0", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2066", "\u200b", "\ud800", "\r", "\x7f", "\u2028"]


@pytest.mark.parametrize("what", STEERING)
def test_nothing_that_steers_a_terminal_or_cannot_be_stored_passes(what):
    assert clean_text(f"a{what}b")[1] == "\ufffd"
    assert clean_line(f"a{what}b").isprintable()
    clean_text(f"a{what}b").encode()


def test_lines_stay_in_a_text_and_become_one_in_a_sentence():
    assert clean_text("Krüger ♠\n\tend\n") == "Krüger ♠\n\tend\n"
    assert clean_line("fault of B: x\nfault of A:\ty") == "fault of B: x fault of A: y"


def test_what_is_too_long_says_so():
    assert clean_line("x" * 2001) == "x" * 2000 + "… (2,001 characters)"


def test_the_words_of_a_fault_and_a_program_have_passed_the_door():
    assert Misplay("unreadable", "unknown field `\0\n`").words == "unknown field `\ufffd `"
    assert decode_text(b"log\x1b[0m\n\xff") == "log\ufffd[0m\n\ufffd"
