"""Options in a sentence, sources in words, variants by families: nothing is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maumau.game import load, variants
from maumau.game.ruleset.variant import load_variant
from maumau.rulebook import build_page
from maumau.rulebook.family import FAMILIES
from maumau.rulebook.meaning import LANGUAGES, read_meanings, tell_meaning, tell_source
from tests.support.terminal import Terminal

OPTIONS = {name for variant in variants() for name in load_variant(variant).options}


def test_every_option_of_the_known_variants_has_a_sentence_in_both_languages() -> None:
    assert set(read_meanings()) == OPTIONS
    for name, sentences in read_meanings().items():
        assert all(re.fullmatch(r"[A-ZÄÖÜ].*\.", sentence) for sentence in sentences), name
        assert sentences[0] != sentences[1], name


def test_an_option_of_ones_own_says_what_its_file_says() -> None:
    assert tell_meaning("queen_n", "how many") == "How many."
    assert tell_meaning("queen_n") == ""


@pytest.mark.parametrize(
    ("source", "english", "german"),
    [
        ('000 "one card"', "an encyclopedia: “one card”", "eine Enzyklopädie: „one card“"),
        ("(R), ext X7 X11", "our own reading, other texts", "unsere eigene Lesart, andere Texte"),
        ('000 "four" (L1-L3)', "an encyclopedia: “four”", "eine Enzyklopädie: „four“"),
        ('000 "any card", ambiguous (R)', "an encyclopedia: “any card”, ambiguous: our own reading",
         "eine Enzyklopädie: „any card“, ambiguous: unsere eigene Lesart"),
        ("(R) hands are scored", "our own reading: hands are scored",
         "unsere eigene Lesart: hands are scored"),
        ('(R) 002 "x"', "our own reading; an app's help: “x”",
         "unsere eigene Lesart; die Hilfe einer App: „x“"),
        ("(R) G9", "our own reading", "unsere eigene Lesart"),
        ('003 "(R) ext 000"', "a shop's page: “(R) ext 000”", "die Seite eines Händlers: „(R) ext 000“"),
    ],
)  # fmt: skip
def test_a_source_is_named_in_words(source: str, english: str, german: str) -> None:
    assert (tell_source(source), tell_source(source, "de")) == (english, german)


@pytest.mark.parametrize(
    ("variant", "german"),
    [
        (
            "neuner",
            "eine Enzyklopädie, Austria and Bavaria; was aus mau_mau stammt: eine Enzyklopädie, Rules",
        ),
        (
            "one_oh_one",
            (
                "eine Enzyklopädie, Russia; die Zahlen stammen aus anderen Texten;"
                " was aus czech_fool stammt: eine Enzyklopädie, Russia"
            ),
        ),
        ("mau_mau", "eine Enzyklopädie, Rules"),
    ],
)
def test_the_source_of_a_variant_is_told_in_german_but_for_headings(variant: str, german: str) -> None:
    assert tell_source(build_page(load(variant), "de").source, "de") == german


def test_no_remark_of_a_variant_about_its_source_stays_english() -> None:
    for variant in variants():
        told = tell_source(build_page(load(variant), "de").source, "de")
        assert not re.search(r"\b(the|from|it|is|are)\b", told), variant


def test_no_source_is_left_as_a_number() -> None:
    for variant in variants():
        for option in build_page(load(variant)).options:
            for language in LANGUAGES:
                told = re.sub("[“„][^”“]*[”“]", "", tell_source(option.source, language))
                assert not re.search(r"\b00[0-3]|\(R\)|\bext\b|\b[GHLX]\d", told), option
                assert not re.search(r"[a-z] (our own reading|unsere eigene)|(reading|Lesart) \w", told), (
                    option
                )


def test_every_variant_is_in_one_family() -> None:
    assert sorted(name for family in FAMILIES for name in family.members) == variants()


def test_the_list_names_families_and_titles_before_files(tmp_path: Path) -> None:
    told = Terminal(tmp_path).run("rules", "list").out
    assert told.index("Mau-Mau and its relatives") < told.index("Swiss games")
    (line,) = [line for line in told.splitlines() if "blind_" in line or "prsi_blind" in line][:1]
    assert line.index("Prší, blind") < line.index("Czech Republic") < line.index("prsi_blind")
