"""The rules in German: no sentence of any variant is left in English, and cards stand in the right case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest

from maumau.errors import MaumauError
from maumau.game import Rules, load, load_text, variants
from maumau.game.ruleset.option import Option
from maumau.game.ruleset.variant import load_variant
from maumau.rulebook import build_page
from maumau.rulebook.german import NUMBERS, PLURALS, RANKS, SUITS, translate_line, translate_subject
from maumau.rulebook.meaning import tell_known
from maumau.rulebook.name import ORDINAL
from tests.support.house_rules import HOUSES, load_house_rules

ENGLISH: Final = {
    *RANKS, *PLURALS, *SUITS, *NUMBERS, *ORDINAL,
    "a", "all", "and", "any", "but", "card", "cards", "counts", "for", "has", "is", "life", "lives",
    "may", "must", "no", "of", "on", "or", "pack", "packs", "player", "players", "point", "points",
    "suit", "that", "the", "their", "they", "time", "times", "to", "total", "turn", "with",
}  # fmt: skip
NOTATION: Final = re.compile(r"`[^`]*`")
"""An action or rule as it is typed, which is the same in every language."""


def find_english(text: str) -> set[str]:
    """Return the English words that are left in a German line; a joker has one name in both."""
    return {word for word in re.findall(r"[^\W\d_]+", NOTATION.sub("", text)) if word.lower() in ENGLISH}


def values(option: Option) -> list[Any]:
    numbers = [] if option.least is None else [option.least, option.least + 1]
    return [*option.values, *numbers, *option.selectors()[:40:13]]


def settings(name: str) -> Iterator[Rules]:
    """The variant as it is, and with each other value of each option."""
    yield load(name)
    for key, option in load_variant(name).options.items():
        for value in values(option):
            try:
                yield load(name, **{key: value})
            except MaumauError:  # some go with others only
                continue


def list_untold(rules: Rules) -> list[str]:
    """The lines that are the same in both languages, and those with an English word in the German one."""
    english, german = build_page(rules), build_page(rules, "de")
    return [
        line.text
        for (_, ours), (_, theirs) in zip(english.sections, german.sections, strict=True)
        for line, told in zip(ours, theirs, strict=True)
        if line.text == told.text or find_english(told.text)
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Im Kartenspiel fehlen: eights, nines und kein tens.", {"eights", "nines", "tens"}),
        ("Sevens: der Nächste nimmt two Karten.", {"Sevens", "two"}),
        ("Karten auf der Hand zählen: Ass 11 und Joker 20.", set()),
        ("Eine Regel, die ergänzt werden darf: `mirror(rank or card)`.", set()),
    ],
)
def test_english_in_a_german_line_is_found(text: str, words: set[str]) -> None:
    assert find_english(text) == words


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", variants())
def test_every_sentence_of_a_variant_has_its_german(name: str) -> None:
    told: set[str] = set()
    for rules in settings(name):
        try:
            told |= set(list_untold(rules))
        except MaumauError:  # too few packs
            continue
    assert not told


@pytest.mark.parametrize("name", HOUSES)
def test_every_sentence_of_a_house_rule_has_its_german(name: str) -> None:
    assert not list_untold(load_house_rules(name))


@pytest.mark.parametrize("name", variants())
def test_a_title_is_german_and_headings_are(name: str) -> None:
    told = build_page(load(name), "de")
    assert told.title != build_page(load(name)).title
    assert {heading for heading, _ in told.sections} <= {
        "Der Anfang", "Ein Zug", "Die Karten", "Ansagen und Verstöße", "Das Ende", "Punkte",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("If the last card is a jack, the points of all others count double.",
         "Ist die letzte Karte ein Bube, zählen die Punkte aller anderen doppelt."),
        ("Each player is dealt six cards.", "Jeder bekommt sechs Karten."),
        ("Players drink for a row of at least one king.",
         "Für eine Königsreihe wird ab einem König getrunken."),
        ("Exceptions: a nine counts 20 and a jack counts 10.",
         "Ausnahmen: eine Neun zählt 20 und ein Bube zählt 10."),
        ("Cards left in hand count: seven 7, jack 20, queen 3, king 4 and joker 20.",
         "Karten auf der Hand zählen: Sieben 7, Bube 20, Dame 3, König 4 und Joker 20."),
        ("Going out with a queen counts -20 and with the queen of spades counts -40.",
         "Schluss machen mit einer Dame zählt -20 und mit der Pikdame zählt -40."),
        ("Each player is dealt six cards with two, three or 11 players, otherwise five.",
         "Jeder bekommt sechs Karten bei zwei, drei oder 11 Spielern, sonst fünf."),
        ("Each player is dealt one card with ten players, seven cards with two players, otherwise five.",
         "Jeder bekommt eine Karte bei zehn Spielern, sieben Karten bei zwei Spielern, sonst fünf."),
        ("Points by place: 12 for the first and one for the second; the most points win.",
         "Punkte nach Plätzen: 12 für den Ersten und einer für den Zweiten; die meisten Punkte gewinnen."),
        ("The pack has no eights, nines or tens.", "Im Kartenspiel fehlen die Achten, Neunen und Zehnen."),
        ("The pack has no jokers.", "Im Kartenspiel fehlen die Joker."),
        ("The pack has no king of hearts.", "Im Kartenspiel fehlt der Herzkönig."),
        ("The pack has no twos, queen of spades or kings.",
         "Im Kartenspiel fehlen die Zweien, die Pikdame und die Könige."),
        ("Several sevens may be laid together: the bottom one must fit, and the top one counts.",
         "Mehrere dürfen zusammen gelegt werden (Siebenen): die unterste muss passen, die oberste zählt."),
        ("The cut is repeated at most no times.", "Das Abheben wird nicht wiederholt."),
        ("The cut is repeated at most one time.", "Das Abheben wird höchstens ein Mal wiederholt."),
        ("The cut is repeated at most 100 times.", "Das Abheben wird höchstens 100 Mal wiederholt."),
        ("A game ends when a player has 1 points.", "Die Partie endet, wenn jemand einen Punkt hat."),
        ("A game ends when a player has 100 points.", "Die Partie endet, wenn jemand 100 Punkte hat."),
        ("Play goes clockwise.", "Gespielt wird im Uhrzeigersinn."),
        ("A sentence of somebody else.", "A sentence of somebody else."),
    ],
)  # fmt: skip
def test_a_sentence_is_german(english: str, german: str) -> None:
    assert translate_line(english) == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Sixes: the next player takes one card, or answers with a jack, and the cards owed add up.",
         "Sechsen: der Nächste nimmt eine Karte oder kontert mit einem Buben, und die Strafe summiert sich."),
        ("Sevens: the next player takes one card; taking them ends the turn.",
         "Siebenen: der Nächste nimmt eine Karte; danach ist der Zug vorbei."),
        ("The king of spades: all other players take a card.",
         "The king of spades: all other players take a card."),
        ("The king of spades: all other players take one card.",
         "Der Pikkönig: alle anderen nehmen eine Karte."),
        ("Tens: may be laid on any card except a jack, where it must fit, and counts as the card below it.",
         ("Zehnen: auf jede Karte spielbar, nur auf einen Buben muss sie passen; "
          "zählt als Dublette der Karte darunter.")),
        ("Twos: the suit named changes to the other one of its colour.",
         "Zweien: aus der gewünschten Farbe wird die andere schwarze oder rote."),
        ("With 4 or more players: nines: the direction of play is reversed.",
         "Ab 4 Spielern: Neunen: die Spielrichtung wechselt."),
    ],
)  # fmt: skip
def test_what_a_card_does_is_german(english: str, german: str) -> None:
    assert translate_line(english, about_cards=True) == german


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Twos, jokers and the king of hearts", "Zweien, Joker und der Herzkönig"),
        ("The jacks of clubs, spades and hearts", "Die Buben in Kreuz, Pik und Herz"),
    ],
)
def test_cards_are_named_in_german(english: str, german: str) -> None:
    assert translate_subject(english) == german


def test_a_variant_of_ones_own_keeps_its_title() -> None:
    text = 'title = "Class: our rules"\nsource = "us"\nextends = "mau_mau"\n'
    assert build_page(load_text("klasse", text), "de").title == "Class: our rules"


def test_what_an_option_may_be_is_german() -> None:
    assert tell_known("deal_add or a number from 0 to 20", "de") == "deal_add oder eine Zahl von 0 bis 20"
    assert tell_known("none or a rank or card", "de") == "none oder ein Wert oder eine Karte"


def test_a_game_of_rounds_names_no_target() -> None:
    sections = dict(build_page(load("shop_extended")).sections)
    assert "None" not in " ".join(line.text for line in sections["Points"])
