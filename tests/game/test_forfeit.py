"""A lost deal is lost, and nothing else changes: held against a count by the events alone."""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import Deal, Game, deal_by_hand, first_action, load, parse, record, replay
from maumau.game.notation.cards import JOKER, list_codes
from tests.game.play import dealt, numbered, step


class Story(NamedTuple):
    """The seats that went out, in order, the last card of each, and the seats that forfeited.

    A joker that copies the card below counts as that card.
    """

    out: list[int]
    last: dict[int, int]
    lost: set[int]


def read_story(d: Deal) -> Story:
    """Read the events of a deal."""
    out, laid, lost, up = [], {}, set(), JOKER
    is_copied = d.rules.options.get("joker_effect") == "copy_top"
    for event in d.events:
        who, _, said = event.partition(" ")
        if who == "forfeit":
            lost.add("ABCDEFGHIJ".index(said[0]))
        elif who == "up":
            up = read_cards(said)[0]
        elif len(who) == 1 and who in "ABCDEFGHIJ":
            seat = "ABCDEFGHIJ".index(who)
            if said == "out":
                out.append(seat)
            elif cards := read_cards(said):
                up = laid[seat] = up if is_copied and cards[-1] == JOKER else cards[-1]
    return Story(out, {seat: laid[seat] for seat in out if seat in laid}, lost)


def read_cards(said: str) -> tuple[int, ...]:
    try:
        return parse(said.partition(" ")[0]).cards
    except UnreadableAction:
        return ()


def expect_points(d: Deal, story: Story) -> list[int]:
    """Count the points by docs/reference/rules.md: hands by the table, doubled by the winner's last card."""
    count = d.compiled.count
    hands = [sum(count.values[code] for code in list_codes(hand)) for hand in d.hands]
    winners = [seat for seat in story.out if seat not in story.lost]
    if winners and winners[0] in story.last:
        last = story.last[winners[0]]
        if count.double >> last & 1:
            hands = [2 * value for value in hands]
        for kinds, value in count.out:
            if kinds >> last & 1:
                hands[winners[0]] = value
    return [max(hands) if seat in story.lost else value for seat, value in enumerate(hands)]


def expect_places(d: Deal, story: Story) -> list[int]:
    """Place who went out by the order of that, the others behind them, and who forfeited last."""
    points = expect_points(d, story)
    honest = [seat for seat in story.out if seat not in story.lost]
    others = [seat for seat in range(d.seats) if seat not in story.lost and seat not in honest]
    ahead = {seat: honest[:place] for place, seat in enumerate(honest)}
    for seat in others:
        better = [other for other in others if points[other] < points[seat]]
        is_scored = story.out and d.compiled.count.scored
        ahead[seat] = [*honest, *(better if is_scored else [])]
    for seat in story.lost:
        ahead[seat] = [*honest, *others]
    return [1 + len(ahead[seat]) for seat in range(d.seats)]


def check_counts(d: Deal) -> None:
    """Compare the places, points and winner of a deal that is over with those that its events tell of."""
    story = read_story(d)
    honest = [seat for seat in story.out if seat not in story.lost]
    assert d.winner == (honest[0] if honest else None)
    assert d.places == expect_places(d, story)
    if not (d.compiled.count.win or d.compiled.count.place):
        assert d.points == expect_points(d, story)
    again = replay(record(d), own=d.rules)
    assert (again.places, again.points, again.winner) == (d.places, d.points, d.winner)


@given(numbered, st.integers(1, 3))
def test_places_and_points_are_those_that_the_events_tell_of(number: tuple[str, int], times: int) -> None:
    d, rng = dealt(*number)
    at = {rng.randrange(60) for _ in range(times)}
    while not d.over:
        if len(d.log) in at or rng.random() < 0.01:
            seat = rng.randrange(d.seats)
            if seat not in d.faults:
                d.forfeit(seat, "crash")
        step(d, rng)
    check_counts(d)


@given(numbered)
def test_a_forfeit_changes_no_card_and_no_question(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    for _ in range(rng.randrange(60)):
        if not d.over:
            step(d, rng)
    if d.over:
        return
    twin, at = d.copy(), rng.randrange(d.seats)
    twin.forfeit(at, "time")
    one, other = random.Random(number[1]), random.Random(number[1])
    while not d.over:
        assert d.to_act == twin.to_act
        assert [d.legal(seat) for seat in d.to_act] == [twin.legal(seat) for seat in d.to_act]
        step(d, one)
        step(twin, other)
    assert (d.hands, d.stock, d.out) == (twin.hands, twin.stock, twin.out)


def finish(d: Deal) -> Deal:
    """Play on as stand-ins do."""
    while not d.over:
        seat = d.to_act[0]
        d.apply(seat, first_action(d, seat))
    return d


def lay_out(name: str, hands: dict[int, str], stock: str = "7D 7H", **options: object) -> Deal:
    return deal_by_hand(load(name, cut_on=False, **options), hands, "KC", stock)


def test_who_forfeits_a_blocked_deal_is_behind_the_others() -> None:
    d = deal_by_hand(load("mau_mau", cut_on=False), {0: "7C 8C", 1: "9D TD", 2: "QD"}, "KH", "")
    d.forfeit(0, "illegal")
    assert finish(d).out == []
    assert d.places == [3, 1, 1]


def test_who_forfeits_a_deal_that_reaches_its_bound_is_behind_the_others() -> None:
    d = deal_by_hand(load("prsi", max_decisions=1), {0: "7C 8C", 1: "9D TD"}, "KH", "AS AD")
    d.forfeit(0, "illegal")
    d.apply(0, "draw")
    assert (d.over, d.places) == (True, [2, 1])


def test_all_who_forfeit_share_the_last_place() -> None:
    d = deal_by_hand(load("mau_mau", cut_on=False), {0: "7C 8C", 1: "9D TD", 2: "QD"}, "KH", "")
    d.forfeit(0, "illegal")
    d.forfeit(2, "time")
    assert finish(d).places == [2, 1, 2]


@pytest.mark.parametrize("name", ["mau_mau", "puque", "neuner"])
def test_a_stand_in_that_goes_out_doubles_nothing(name: str) -> None:
    """B holds 8 and 10: 18 points. C holds an ace: 11. A has the points of the worst hand."""
    last = "9C" if name == "neuner" else "JC"
    options = {} if name == "puque" else {"cut_on": False}
    rules = load(name, scoring=True, **options)
    d = deal_by_hand(rules, {0: last, 1: "8D TD", 2: "AD"}, "KC", "7D 7H")
    honest = d.copy()
    d.forfeit(0, "crash")
    action = first_action(d, 0)
    d.apply(0, action)
    honest.apply(0, action)
    assert (d.winner, d.places, d.points) == (None, [3, 2, 1], [18, 18, 11])
    assert honest.points[1:] == [36, 22]


def test_between_two_the_opponent_of_a_stand_in_that_goes_out_is_first() -> None:
    d = lay_out("mau_mau", {0: "9C", 1: "8D"})
    d.forfeit(0, "crash")
    finish(d)
    assert (d.out, d.winner, d.places) == ([0], None, [2, 1])


def test_the_card_of_the_winner_decides_about_doubling_and_not_the_last_one() -> None:
    """A goes out with a 9, B with a jack: C's king (3) and ace (11) count once."""
    d = lay_out("mau_mau", {0: "9C", 1: "JC", 2: "KD AD"}, "8S 8H 8D", places=True)
    d.apply(0, "9C!")
    d.apply(1, "JC!!")
    assert (d.winner, d.places, d.points) == (0, [1, 2, 3], [0, 0, 14])


def test_whoever_went_out_first_and_forfeits_then_has_not_won() -> None:
    """Nor does his jack double: B went out with a ten."""
    d = lay_out("mau_mau", {0: "JC", 1: "TC 9C", 2: "KD AD"}, "8S 8H 8D", places=True)
    d.apply(0, "JC>C!!")
    d.forfeit(0, "left")
    assert (d.out, d.winner) == ([0], None)
    d.apply(1, "TC!")
    d.apply(2, "draw")
    d.apply(2, "pass")
    d.apply(1, "9C!")
    assert (d.out, d.winner, d.places) == ([0, 1], 1, [3, 1, 2])
    assert d.points == [22, 0, 22]  # C: king 3, ace 11, eight 8


def test_a_game_counts_the_win_of_whoever_did_not_forfeit() -> None:
    rules = load("mau_mau", places=True, rounds=2, cut_on=False)
    game = Game(rules, 3, "x", deal_by_hand(rules, {0: "9C", 1: "TC AC", 2: "KD AD"}, "KC", "8S 8H 8D"))
    game.apply(0, "9C!")
    game.deal.forfeit(0, "forfeit")
    finish(game.deal)
    assert game.total[0] == 0
    assert sum(game.total) == 1


def test_a_deal_that_is_over_cannot_be_lost() -> None:
    d = lay_out("mau_mau", {0: "9C", 1: "TC AC"})
    d.apply(0, "9C!")
    with pytest.raises(IllegalAction, match="the deal is over"):
        d.forfeit(0, "forfeit")
    assert (d.places, d.faults, d.events[-1]) == ([1, 2], {}, "A out")


def test_a_seat_that_is_not_in_the_deal_loses_no_life() -> None:
    game = Game(load("faraon"), 3, "seed")
    while all(game.hands()):
        finish(game.deal)
        game.next()
    gone = game.hands().index(0)
    finish(game.deal)
    game.next()
    assert not game.deal.made.dealt[gone]
    with pytest.raises(IllegalAction, match="in this deal"):
        game.deal.forfeit(gone, "time")


@pytest.mark.parametrize(("seat", "can"), [(0, False), (1, True), (2, True)])
def test_a_fault_loses_a_deal_only_for_a_seat_that_has_not_gone_out(seat: int, *, can: bool) -> None:
    d = lay_out("mau_mau", {0: "9C", 1: "TC AC", 2: "KD AD"}, "8S 8H 8D", places=True)
    d.apply(0, "9C!")
    assert d.can_lose(seat) is can


def test_the_earliest_finisher_who_did_not_forfeit_has_won_a_chain() -> None:
    """A and B end with a seven; C has none. A had forfeited."""
    d = deal_by_hand(load("schweizer"), {0: "7C", 1: "7D", 2: "KD AD"}, "KC", "8S 8H 8D 9S 9H 9D TS TH")
    d.forfeit(0, "crash")
    finish(d)
    assert (d.out, d.winner) == ([1], 1), d.events
