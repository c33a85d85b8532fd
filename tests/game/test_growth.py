"""Rules that players add: which there are, which contradict others, and how a game grows by them."""

from __future__ import annotations

import random

import pytest

from maumau.errors import BadRule, IllegalAction
from maumau.game import Game, Rules, load, record, record_game, replay, resume
from maumau.game.ruleset.growth import add_rule, list_addable_rules
from maumau.game.ruleset.variant import load_variant
from tests.game.play import step
from tests.support.kinds import one_of

QUICK = {"rule_quota": [1] * 9}  # a rule for every point


def grown(*texts: str, **options: object) -> Rules:
    rules = load("schweizer", **options)
    for text in texts:
        rules = add_rule(rules, text)
    return rules


def test_every_entry_of_the_catalogue_can_be_added() -> None:
    listed = list_addable_rules(load("schweizer"))
    assert {text.partition("(")[0] for text in listed} == {
        entry.name for entry in load_variant("schweizer").rule
    }
    assert len(listed) == len(set(listed)) < 200


@pytest.mark.parametrize(
    ("rules", "text", "words"),
    [
        (grown(), "moo", "there is no rule 'moo' to be added; known: mirror, pimperle"),
        (grown(), "mirror", "mirror takes rank or card, in brackets"),
        (grown(), "willi(T)", "willi takes nothing"),
        (grown(), "skip(TD)", "this game has no rank named TD"),
        (grown(), "pimperle(T)", "this game has no card named T"),
        (grown(), "skip(2)", "this game has no rank named 2"),
        (grown(), "draw_penalty(TD,3)", "this game has no number named 3"),
        (grown("mirror(T)"), "mirror(T)", "it holds already"),
        (grown("mirror(T)"), "mirror(TD)", "TD does that already"),
        (grown(spiegel="T"), "mirror(TD)", "TD does that already"),
        (grown(willi=True), "willi", "it holds already"),
        (grown("mirror(T)"), "skip(T)", "TC is a mirror"),
        (grown("skip(T)"), "mirror(T)", "TC has an effect that a mirror has not"),
        (grown(), "mirror(J)", "JC has an effect that a mirror has not"),
        (grown(), "mirror(7C)", "7C has an effect that a mirror has not"),
        (grown(), "draw_penalty(7C,4)", "7C attacks others already"),
        (grown(), "reverse(8)", "8C changes already whose turn it is"),
        (grown(), "go_again(A)", "AC changes already whose turn it is"),
        (grown(), "skip(7)", "7C would both attack the next player and skip them"),
        (grown(), "target_draw(J,1)", "JC cannot be aimed"),
        (grown(), "target_draw(K,1)", "KC cannot be aimed"),
        (grown("eight_adder"), "eight_adder", "it holds already"),
        (grown(spiegel="8"), "eight_adder", "8C does not do what the rule builds on"),
    ],
)
def test_a_duplicate_or_a_contradiction_is_refused(rules: Rules, text: str, words: str) -> None:
    with pytest.raises(BadRule) as refused:
        add_rule(rules, text)
    assert words in str(refused.value)
    assert text not in list_addable_rules(rules)


def test_one_rank_must_stay_without_effect_on_the_turn() -> None:
    rules = grown("skip(9)", "skip(T)", "skip(J)", "skip(Q)", "reverse(7)")
    with pytest.raises(BadRule, match="no rank would be left"):
        add_rule(rules, "go_again(K)")
    assert "draw_penalty(KH,4)" in list_addable_rules(rules)


def test_added_rules_are_part_of_the_rules() -> None:
    one, two = grown("skip(T)", "willi"), grown("willi", "skip(T)")
    assert len({one.hash, two.hash, grown("skip(T)").hash, grown().hash}) == 4
    assert one.flag("willi")
    assert not one.chosen
    assert one.added == ("skip(T)", "willi")


def play_on(game: Game, rng: random.Random) -> None:
    """Play to the end of the deal, and add a rule of its winner."""
    while not game.deal.over:
        step(game.deal, rng)
    while game.to_act:
        seat = game.to_act[0]
        assert game.view(seat).legal == [str(rule) for rule in game.legal(seat)]
        game.apply(seat, rng.choice(game.legal(seat)))


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("seed", one_of(4, range(8)))
def test_a_game_grows_rules_and_is_resumed_from_its_record(seed: int) -> None:
    rng = random.Random(seed)
    rules = load("schweizer_2016", target=4, max_hands=20, max_decisions=500, violations="none", **QUICK)
    game = Game(rules, rng.randint(2, 5), f"growth {seed}")
    while True:
        play_on(game, rng)
        again = resume(record_game(game))
        assert record_game(again) == record_game(game)
        assert (again.rules.hash, again.total, again.asks) == (game.rules.hash, game.total, game.asks)
        assert record(replay(record(game.deal))) == record(game.deal)
        assert game.deal.view(0).added == list(game.deal.rules.added)
        if game.over:
            break
        game.next()
    assert max(game.total) >= 4 or game.number == 19


def test_a_rule_is_added_before_the_next_deal_and_only_by_the_winner() -> None:
    game = Game(load("schweizer_2016", **QUICK), 3, "due")
    rng = random.Random(3)
    while game.asks != "rule":
        if game.deal.over:
            game.next()
        step(game.deal, rng)
    winner = game.to_act[0]
    assert winner == game.deal.winner
    assert game.view((winner + 1) % 3).legal == []
    for seat, rule in (((winner + 1) % 3, "rule:-"), (winner, "rule:skip(8)"), (winner, "draw")):
        with pytest.raises(IllegalAction):
            game.apply(seat, rule)
    game.apply(winner, "rule:skip(9)")
    assert game.next().rules.added == ("skip(9)",)


def test_who_says_nothing_before_the_next_deal_adds_none() -> None:
    game = Game(load("schweizer_2016", **QUICK), 3, "due")
    rng = random.Random(3)
    while game.asks != "rule":
        if game.deal.over:
            game.next()
        step(game.deal, rng)
    assert game.next().rules.added == ()
    assert f"{'ABC'[game.past[-1].winner or 0]} rule:-" in record_game(game).split("\n")
