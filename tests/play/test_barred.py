"""Why a card may not be laid: true for every card of every variant, and in words written by hand."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from maumau.game import Deal, deal, load, variants
from maumau.game.notation.cards import SUITS, code_of, merge_copies
from maumau.page.barred import Bar, bar_cards, bar_companion
from services.web.play.choices import make_menu
from services.web.play.reasons import tell_bars, tell_step_bars
from services.web.play.seat_view import compile_table
from services.web.words import TONGUES, WORDS

LAYS = 0.85  # the share of turns in which a card is laid if one can be
DECISIONS = 150


def see(d: Deal, seat: int) -> dict[str, Any]:
    """Return a view as the engine sends it."""
    return dict(msgspec.json.decode(msgspec.json.encode(d.view(seat))))


def is_true(d: Deal, seen: dict[str, Any], bar: Bar) -> bool:
    """Return True if a reason is so, by the deal itself."""
    code = code_of(bar.card)
    fits, answers = (bool(merge_copies(cards) >> code & 1) for cards in (d.fits, d.answers))
    unfit = {
        "wished": d.wish >= 0 and SUITS[d.wish] == bar.suit != bar.card[1],
        "no_match": d.wish < 0 and not set(bar.card) & set(seen["top"] or ""),
        "not_on": True,
        "queens": True,
    }
    if bar.kind in unfit:
        return not fits and unfit[bar.kind]
    if bar.kind.removesuffix("_none") in ("owed", "miss", "chain"):
        known = merge_copies(d.answers) & merge_copies(d.compiled.pack.full)
        return not answers and bar.cards == known and bar.n == d.owed
    if bar.kind == "last":
        return (fits or answers) and len(seen["hand"]) == 1
    if bar.kind in ("drawn", "until", "unsaid"):
        return fits
    return bar.kind == f"first_{seen['ask']}" or bar.kind.removesuffix("_none") == seen["ask"]


@pytest.mark.parametrize("rules", variants())
def test_every_card_that_may_not_be_laid_has_a_reason_and_it_is_true(rules) -> None:
    chance = random.Random(rules)
    d = deal(load(rules), min(load(rules).seats[1], 3), rules)
    reasons = 0
    for _ in range(DECISIONS):
        if d.over:
            break
        for seat in d.to_act:
            seen, bars = see(d, seat), bar_cards(d.compiled, see(d, seat))
            playable = {text[:2] for text in seen["legal"] if text[:2] in seen["hand"]}
            playable |= {text[-2:] for text in seen["legal"] if text.startswith("rescue:")}
            assert bars.keys() == {*seen["hand"]} - playable
            wrong = [bar for bar in bars.values() if not is_true(d, seen, bar)]
            assert not wrong, (wrong, seen)
            reasons += len(bars)
        legal = d.legal(d.to_act[0])
        cards = [one for one in legal if one.cards and not one.word]
        d.apply(d.to_act[0], chance.choice(cards if cards and chance.random() < LAYS else legal))
    assert reasons


@pytest.mark.parametrize("rules", variants())
def test_out_of_turn_every_card_says_whose_turn_it_is_not(rules) -> None:
    d = deal(load(rules), load(rules).seats[0], "1")
    other = next(seat for seat in range(d.seats) if seat not in d.to_act)
    bars = bar_cards(d.compiled, see(d, other))
    assert [bar.kind for bar in bars.values()] == ["not_asked"] * len({*see(d, other)["hand"]})


QUESTION = {
    "ask": "turn", "seat": 0, "top": "9D", "wish": None, "owed": 0, "skips": 0, "legal": ["draw"],
    "events": ["up 9D"],
}  # fmt: skip
EXPECTED: list[tuple[str, dict[str, Any], str, str]] = [
    ("mau_mau", {"hand": ["KC"]},
     "K♣ fits 9♦ neither in suit nor in rank.", "K♣ passt weder in der Farbe noch im Wert auf 9♦."),
    ("mau_mau", {"hand": ["KH"], "top": "JD", "wish": "C"},
     "The wish is ♣ clubs; K♥ does not fit.", "Gewünscht ist ♣ Kreuz; K♥ passt nicht."),
    ("schweizer", {"hand": ["JC", "8D"], "top": "JD", "wish": "D", "legal": ["8D"]},
     "J♣ may not be laid on J♦.", "Auf J♦ darf man J♣ nicht legen."),
    ("prsi", {"hand": ["KH"], "top": "7D", "ask": "answer", "owed": 4, "legal": ["take"]},
     "A 7 is on top: only a 7, or drawing 4.", "Oben liegt eine 7: nur eine 7, oder 4 ziehen."),
    ("mau_mau", {"hand": ["KH"], "top": "7D", "ask": "answer", "owed": 2, "legal": ["take"]},
     "A 7 is on top: no card answers it, you draw 2.",
     "Oben liegt eine 7: Dagegen hilft keine Karte, du ziehst 2."),
    ("prsi", {"hand": ["KH"], "top": "AD", "ask": "answer", "skips": 1, "legal": ["skip"]},
     "An ace is on top: only an ace, or missing your turn.",
     "Oben liegt ein Ass: nur ein Ass, oder aussetzen."),
    ("prsi", {"hand": ["KH"], "ask": "wish", "top": "QD", "legal": ["wish:C", "wish:S"]},
     "First choose the suit.", "Wähle erst die Farbe."),
    ("prsi_blind", {"hand": ["KH"], "ask": "doubt", "legal": ["accept", "doubt"]},
     "First say whether you believe the card that was announced.",
     "Sag erst, ob du die angesagte Karte glaubst."),
    ("prsi", {"hand": ["8D", "KH"], "ask": "rescue", "legal": ["rescue:8D", "on"]},
     "Only 8♦, which you have just drawn, may be laid now; or draw on.",
     "Jetzt darf nur 8♦ gelegt werden, gerade gezogen; oder du ziehst weiter."),
    ("schweizer", {"hand": ["KC", "9C"], "ask": "window", "top": "KD", "legal": ["KC", "hold"]},
     "It is not your turn: only K♣ may be thrown in now.",
     "Du bist nicht am Zug: Einwerfen darfst du jetzt nur K♣."),
    ("schweizer", {"hand": ["9C"], "ask": "window", "top": "KD", "legal": ["hold"]},
     "It is not your turn: no card is laid now, you may only speak up.",
     "Du bist nicht am Zug: Jetzt wird keine Karte gelegt, du darfst nur etwas sagen."),
    ("schweizer", {"hand": ["9C"], "ask": "chain", "top": "7D", "owed": 2, "legal": ["decline"]},
     "A last card is being answered: only a 7, or none at all.",
     "Hier wird eine letzte Karte gekontert: nur eine 7, oder gar keine."),
    ("schweizer", {"hand": ["9C", "QD"], "top": "QH", "queens": 1, "legal": ["QD"]},
     "In a queen round only a queen may be laid.", "In der Damenrunde darf man nur eine Dame legen."),
    ("tschau_sepp", {"hand": ["9C", "KD"], "legal": ["KD", "pass"], "events": ["up 9D", "A draw KD"]},
     "You have drawn: only the card drawn, K♦, may be laid now, if it fits.",
     "Du hast gezogen: Jetzt darf nur die gezogene Karte gelegt werden, K♦, falls sie passt."),
    ("pesten", {"hand": ["2D"]}, "2♦ may not be your last card.", "2♦ darf nicht deine letzte Karte sein."),
    ("prsi", {"hand": ["KH"], "ask": ""}, "It is not your turn.", "Du bist nicht am Zug."),
    ("prsi_quick", {"hand": ["9C", "KC", "KD"], "legal": ["9C", "KD", "KD+KC", "draw"]},
     "K♣ fits 9♦ neither in suit nor in rank. It may go along with K♦: choose that first.",
     "K♣ passt weder in der Farbe noch im Wert auf 9♦. Sie darf mit K♦ mitgehen: Wähle das zuerst."),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "changed", "english", "german"), EXPECTED)
def test_a_reason_reads_as_written_by_hand(rules, changed, english, german) -> None:
    seen = {**QUESTION, **changed}
    told = [tell_bars(compile_table(2, rules), seen, TONGUES[language]) for language in ("en", "de")]
    card = next(iter(told[0]))
    assert [one[card] for one in told] == [english, german]


COMBINED = [
    ("prsi_quick", "KD", "9C",
     "Only cards of one rank go together: 9♣ does not go with K♦.",
     "Zusammen gehen nur Karten mit gleichem Wert: 9♣ passt nicht zu K♦."),
    ("prsi_quick", "KD", "KC",
     "K♣ goes with K♦, but not in this way: choose one of the combinations shown.",
     "K♣ geht mit K♦ mit, aber so nicht: Wähle eine der gezeigten Verbindungen."),
    ("faraon", "KD", "9C",
     "Only cards of one rank go together: 9♣ does not go with K♦.",
     "Zusammen gehen nur Karten mit gleichem Wert: 9♣ passt nicht zu K♦."),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "bottom", "card", "english", "german"), COMBINED)
def test_cards_chosen_one_by_one_say_what_goes_together(rules, bottom, card, english, german) -> None:
    seen = {**QUESTION, "hand": [bottom, card]}
    actions = [bottom, f"{bottom}+{bottom[0]}S"]
    told = [
        tell_step_bars(compile_table(2, rules), seen, actions, TONGUES[language]) for language in ("en", "de")
    ]
    assert [one[card] for one in told] == [english, german]


def test_in_a_step_for_a_suit_the_hand_says_to_go_on() -> None:
    seen = {**QUESTION, "hand": ["JC", "9C"]}
    told = tell_step_bars(compile_table(2, "mau_mau"), seen, ["JC>C", "JC>S"], TONGUES["en"])
    assert told["9C"].startswith("You have begun with another card")


def test_where_cards_are_laid_alone_it_is_said() -> None:
    bar = bar_companion(compile_table(2, "prsi"), {**QUESTION, "hand": ["KD", "KC"]}, "KD", "KC")
    assert bar == Bar("with_none", "KC", top="KD")


@pytest.mark.parametrize(
    ("legal", "step", "shown"),
    [
        (["9C", "9C+9D"], "0", ["9♣ alone", "9♣ 9♦"]),
        (["JC>C", "JC>S", "JC>H", "JC>D"], "0", ["♣ clubs", "♠ spades", "♥ hearts", "♦ diamonds"]),
        (["9C"], "", ["lay 9♣"]),
    ],
)
def test_a_single_card_that_may_be_laid_is_tapped_before_anything_else(legal, step, shown) -> None:
    question = {**QUESTION, "hand": [legal[0][:2], "9D"], "legal": legal}
    first = make_menu(question, (), TONGUES["en"], str)
    assert [(one.card, one.step) for one in first.choices] == [(legal[0][:2], step)]
    menu = make_menu(question, (0,), TONGUES["en"], str)
    assert [one.words for one in menu.choices] == shown
    assert menu.is_wish == ("clubs" in menu.choices[0].words)


def test_every_reason_has_words() -> None:
    seen = {**QUESTION, "hand": ["KC"]}
    assert bar_cards(compile_table(2, "mau_mau"), seen).keys() == {"KC"}
    kinds = ("until", "unsaid", "chain_none", "miss_none", "other", "with_suit")
    assert [kind for kind in kinds if f"bar_{kind}" not in WORDS] == []
