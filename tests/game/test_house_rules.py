"""House rules of variants of one's own: what must hold of any deal holds, and contradictions are refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import settings

from maumau.errors import BadOption, BadVariant, IllegalAction, MaumauError
from maumau.game import Deal, Game, Rules, deal, load_text, record, replay
from maumau.game.guess import Belief
from maumau.game.held import counts_after
from maumau.game.notation.cards import NAMES
from maumau.game.play.start import compile_rules
from maumau.page.words import tell_event
from maumau.rulebook import build_page, render_markdown
from tests.game.check import conserved, hides, scored
from tests.game.play import step
from tests.support.house_rules import (
    CARD,
    HEAD,
    HOUSES,
    JACKS,
    LADIES,
    OPTIONS,
    PODIUM,
    SETS,
    TWINS,
    load_house_rules,
)


def some_deal(rules: Rules, rng: random.Random) -> Deal:
    seats = rng.randint(rules.seats[0], min(rules.seats[1], 5))
    return deal(rules, seats, f"{rng.random()}", rng.randrange(seats))


@pytest.mark.parametrize("name", HOUSES)
def test_what_always_holds_holds_with_a_house_rule(name: str) -> None:
    rules, rng = load_house_rules(name), random.Random(name)
    for _ in range(max(4, settings.default.max_examples // 10)):
        d = some_deal(rules, rng)
        for _ in range(rng.randrange(400)):
            if d.over:
                scored(d)
                break
            step(d, rng, owed=rng.random() < 0.8)
            conserved(d)
        hides(d, rng)
        replays(d, rules)


def replays(d: Deal, rules: Rules) -> None:
    """The record of a deal by these rules, played again, gives the same state."""
    while d.asks in ("vote", "react") or (d.window is not None and d.window.replies):
        d.apply(d.to_act[0], d.legal(d.to_act[0])[0])
    again = replay(record(d), own=rules)
    assert record(again) == record(d)
    for one in (d, again):
        while one.asks in ("window", "appeal"):
            one.apply(one.to_act[0], "hold")
    assert [again.view(seat) for seat in range(d.seats)] == [d.view(seat) for seat in range(d.seats)]
    assert (again.hands, again.stock, again.top, again.over) == (d.hands, d.stock, d.top, d.over)


@pytest.mark.parametrize("name", HOUSES)
def test_what_is_listed_is_allowed_and_applied_and_nothing_else(name: str) -> None:
    rules, rng = load_house_rules(name), random.Random(f"{name} listed")
    d = some_deal(rules, rng)
    for _ in range(60):
        if d.over:
            break
        for seat in range(d.seats):
            listed = [str(action) for action in d.legal(seat)]
            for text in {
                *listed,
                *d.also(seat),
                *NAMES[::5],
                "QS@A",
                "QS@B",
                "QH>S@C",
                "draw",
                "take",
                "JS>H",
            }:
                twin = d.copy()
                if d.allows(seat, text):
                    twin.apply(seat, text)
                    continue
                assert text not in listed
                with pytest.raises(IllegalAction, match=r"\w"):
                    twin.apply(seat, text)
                assert twin.events == d.events
        step(d, rng)


@pytest.mark.parametrize("name", HOUSES)
def test_the_cards_in_each_hand_are_counted_back(name: str) -> None:
    rules, rng = load_house_rules(name), random.Random(f"{name} counted")
    d, known = some_deal(rules, rng), {}
    while not d.over and len(known) < 200:
        step(d, rng)
        known[len(d.log)] = [hand.bit_count() for hand in d.hands]
    told = counts_after(d)
    assert {events: told[events - 1] for events in known} == known


@pytest.mark.parametrize("name", [name for name in HOUSES if "law" not in name])
def test_a_search_bot_can_guess_the_hidden_cards(name: str) -> None:
    rules, rng = load_house_rules(name), random.Random(f"{name} guessed")
    d = some_deal(rules, rng)
    beliefs = [Belief(rules, d.seats, seat) for seat in range(d.seats)]
    told = [0] * d.seats
    for _ in range(120):
        if d.over:
            break
        for seat in d.to_act:
            beliefs[seat].see(d.seen(seat, told[seat]))
            told[seat] = len(d.log)
            if d.asks in ("turn", "answer", "cover", "again"):
                guess = beliefs[seat].position(d.view(seat)).guess(rng)
                assert guess.legal(seat) == d.legal(seat)
                assert guess.hands[seat] == d.hands[seat] or d.compiled.pack.copies > 1
                assert [hand.bit_count() for hand in guess.hands] == [hand.bit_count() for hand in d.hands]
        step(d, rng)


@pytest.mark.parametrize("name", HOUSES)
def test_a_game_with_house_rules_ends(name: str) -> None:
    rules, rng = load_house_rules(name), random.Random(f"{name} game")
    game = Game(rules, 3, name)
    while True:
        while not game.deal.over:
            step(game.deal, rng)
        if game.over:
            break
        game.next()
    assert min(game.places) == 1


CLASHES = [
    (CARD.format("9", "doubles = true"), {}, BadVariant, "9C: 'doubles' needs 'owe'"),
    (CARD.format("9", "chain = 2"), {}, BadVariant, "9C: 'chain' needs last = \"chain\""),
    (CARD.format("8", 'last = "chain"'), {}, BadVariant, "does not go with 'skip'"),
    (CARD.format("Q", 'swap = ["Q"]\ntarget = 1'), {}, BadVariant, "'swap' and 'target' both choose"),
    (LADIES + SETS, {}, BadVariant, r"'swap' does not go with \[\[together\]\]"),
    (LADIES + CARD.format("9", "mirror = true"), {}, BadVariant, "'swap' does not go with 'mirror'"),
    (LADIES + JACKS, {}, BadVariant, "'swap' does not go with last = \"chain\""),
    (LADIES + "[[blind]]\n", {}, BadVariant, r"'swap' does not go with \[\[blind\]\]"),
    (LADIES + '[[violation]]\nkinds = ["mau"]\n', {}, BadVariant, r"not go with \[\[violation\]\]"),
    (LADIES + '[[comeback]]\ncards = ["7H"]\n', {}, BadVariant, r"'swap' does not go with \[\[comeback\]\]"),
    (TWINS + "[[blind]]\n", {}, BadVariant, r"'twin' does not go with \[\[blind\]\]"),
    (JACKS, {"places": True}, BadOption, "places cannot be played where a last card may be followed"),
    (PODIUM, {}, BadOption, r"'place' of \[\[score\]\] needs places = true"),
    (PODIUM, {"places": True, "scoring": True}, BadOption, "so neither hands .* can count"),
    (PODIUM + "win = 1\n", {"places": True}, BadOption, "so neither hands .* can count"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "error", "words"), CLASHES)
def test_what_does_not_go_together_is_refused_in_words(
    text: str, options: dict[str, Any], error: type[MaumauError], words: str
) -> None:
    rules = load_text("house", HEAD.format("mau_mau") + text + OPTIONS, **options)
    with pytest.raises(error, match=words):
        compile_rules(rules, 2)


def test_kings_of_the_next_zug_and_drawing_until_covered_do_not_go_together() -> None:
    text = HEAD.format("schweizer") + CARD.format("A", 'cover = "draw_until"')
    with pytest.raises(BadVariant, match="'draw_until' does not go with king_window = 'next_zug'"):
        compile_rules(load_text("house", text, king_window="next_zug"), 2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            CARD.format("J", 'last = "chain"\nchain = 101'),
            "'chain' cannot be 101: it is a number from 0 to 100",
        ),
        ("[[score]]\nplace = []\n", "'place' has 1 to 10 numbers from 0 on"),
        ("[[score]]\nplace = [3, -1]\n", "'place' has 1 to 10 numbers from 0 on"),
    ],
)
def test_a_number_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadVariant, match=words):
        load_text("house", HEAD.format("mau_mau") + text)


WORDS = {
    "doubling": "the cards owed double",
    "twins": "any player who holds the identical card may throw it in at once, even out of turn",
    "ladies": "laid on a queen, its player chooses another player and they swap hands",
    "jacks": "each adds two cards for the player whom the chain reaches",
    "aces": "draws until a card covers it",
    "podium": "Points by place: five for the first, three for the second and one for the third; the",
}


def test_a_swap_is_told_in_both_languages() -> None:
    names = ["Ada", "Bob"]
    assert tell_event("A swaps B", names) == "Ada swaps hands with Bob"
    assert tell_event("B swaps A", names, "de") == "Bob tauscht die Hand mit Ada"


@pytest.mark.parametrize(("name", "words"), WORDS.items())
def test_a_house_rule_is_told_in_words(name: str, words: str) -> None:
    assert words in render_markdown(build_page(load_house_rules(name)))
