"""Properties of every deal of every variant, with any options."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.errors import BadRecord, IllegalAction, UnreadableAction
from maumau.game import Game, deal, load, parse, record, replay, variants
from maumau.game.held import counts_after
from maumau.game.notation.cards import NAMES
from tests.game.check import conserved, hides, replays, scored
from tests.game.play import dealt, numbered, rules_with, step
from tests.support.kinds import one_of


@given(numbered)
def test_no_card_is_lost_or_doubled(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    while not d.over:
        step(d, rng, owed=False)
        conserved(d)


@given(numbered)
def test_cards_are_listed_before_words(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    while not d.over:
        for seat in d.to_act:
            is_word = [bool(action.word) for action in d.legal(seat)]
            assert is_word == sorted(is_word)
        step(d, rng, owed=False)


@given(numbered)
def test_the_cards_in_each_hand_after_each_event_are_those_that_were_in_it(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    known = {}
    while not d.over and len(known) < 400:
        known[len(d.log)] = [hand.bit_count() for hand in d.hands]
        if rng.random() < 0.02:
            d.forfeit(rng.randrange(d.seats), "crash")
        step(d, rng, owed=False)
    known[len(d.log)] = [hand.bit_count() for hand in d.hands]
    told = counts_after(d)
    assert {events: told[events - 1] for events in known} == known
    assert counts_after(d, len(d.log) // 2) == told[len(d.log) // 2 :]


@given(numbered)
def test_apply_accepts_exactly_what_is_allowed(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    tried = [*NAMES[::3], "draw", "take", "skip", "pass", "hold", "!", "!!", "JH>C", "QS>H", "keep:-", "9S!"]
    for _ in range(rng.randrange(40)):
        if not d.over:
            step(d, rng, owed=False)
    for seat in range(d.seats):
        listed = [str(action) for action in d.legal(seat)]
        covered = [f"{card}~{claim}" for card in NAMES[:52:7] for claim in ("9S", "7H", "QD", "QD>S", "AC")]
        for text in [*listed, *d.also(seat), *tried, *covered, "accuse@A:mau", "accuse@B:mau_mau"]:
            twin = d.copy()
            if d.allows(seat, text):
                twin.apply(seat, text)
                continue
            assert text not in listed
            with pytest.raises(IllegalAction, match=r"\w"):
                twin.apply(seat, text)
            assert twin.events == d.events


@given(numbered)
def test_with_owed_calls_every_deal_ends_before_the_cap(number: tuple[str, int]) -> None:
    name, at = number
    rng = random.Random(at)
    if at % 2:
        d, least = deal(load(name), rng.randint(*load(name).seats), str(at)), 500
    else:  # with options ten may play to the last by chance: that ends too, whatever the cap
        d, least = dealt(name, at)[0], 10_000
        d.left = 20_000
    while not d.over:
        seat = rng.choice(d.to_act)
        listed = d.legal(seat)
        plays = [action for action in listed if not action.word]
        honest = [action for action in plays if action.claim in (-1, action.cards[-1])]
        plays = honest or plays  # random lies, or drawing for ever, never end
        action = rng.choice(plays if plays and rng.random() < 0.8 else listed)
        d.apply(seat, action + d.due(seat, action))
    assert d.left > least
    assert min(d.places) == 1


@given(numbered)
def test_a_record_replays_to_the_same_state(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    for _ in range(rng.randrange(120)):
        if rng.random() < 0.02 and not d.over:
            d.forfeit(rng.randrange(d.seats), "crash")
        if not d.over:
            step(d, rng, owed=False)
    replays(d, rng)


@given(numbered)
def test_a_copy_and_its_original_do_not_hear_of_each_other(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    for _ in range(rng.randrange(30)):
        if not d.over:
            step(d, rng)
    twin, before = d.copy(), record(d)
    ahead = random.Random(number[1])
    while not twin.over:
        step(twin, ahead)
    assert record(d) == before
    ahead = random.Random(number[1])
    while not d.over:
        step(d, ahead)
    assert record(d) == record(twin)


@given(numbered)
def test_a_view_tells_nothing_of_what_is_hidden(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    for _ in range(rng.randrange(40)):
        if not d.over:
            step(d, rng)
    hides(d, rng)


@given(numbered)
def test_scores_stay_in_their_bounds(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    while not d.over:
        step(d, rng)
    scored(d)


@given(
    st.text(alphabet="0123456789TJQKACSHDX+~>@/!:-abcdefgiklmnoprstuwy()", max_size=14) | st.text(max_size=20)
)
def test_any_text_is_an_action_or_unreadable(text: str) -> None:
    with suppress(UnreadableAction):
        action = parse(text)
        assert str(action) == text
        assert parse(str(action)) == action


@given(st.text(max_size=60), st.integers(0, 40), st.integers(0, 2000))
def test_a_damaged_record_is_refused_in_words_or_means_the_same(text: str, at: int, number: int) -> None:
    d, rng = dealt("mau_mau", number % 50)
    for _ in range(20):
        if not d.over:
            step(d, rng)
    lines = record(d).split("\n")
    lines[at % len(lines)] = text
    with suppress(BadRecord):
        replay("\n".join(lines))


@pytest.mark.parametrize("name", one_of(2, variants()))
def test_a_game_with_owed_calls_ends(name: str) -> None:
    rng = random.Random(name)
    for at in range(3):
        rules = rules_with(name, rng)
        game = Game(rules, max(2, rules.seats[0]), f"game {at}")
        while True:
            while not game.deal.over:
                step(game.deal, rng)
            if game.over:
                break
            game.next()
        assert min(game.places) == 1


@pytest.mark.parametrize("variant", ["schweizer", "schweizer_2016"])
def test_nobody_is_told_that_somebody_could_have_reacted(variant: str) -> None:
    """Only the record says that a window closed with all holding, where what follows needs it."""
    rules, told = load(variant, violations="full"), 0
    for number in range(30):
        rng = random.Random(number)
        d = deal(rules, 3, f"held {number}")
        for _ in range(150):
            if d.over:
                break
            if rng.random() < 0.02:
                d.forfeit(rng.randrange(3), "crash")
            step(d, rng, owed=False)
        for seat in range(-1, 3):
            assert "held" not in d.seen(seat)
        told += record(d).count("\nheld\n")
        assert record(replay(record(d))) == record(d)
    assert told > 10
