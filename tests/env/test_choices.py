"""Actions as numbers: every question of every variant, and the choices that are refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from maumau.env.choices import Choices
from maumau.env.table import EnvTable
from maumau.errors import BadDeal, BadOption, IllegalAction
from maumau.game import Deal, deal_by_hand, load, variants
from maumau.submission.sample import RECIPES, find_sample
from tests.env.play import list_open, plain_table, play_on, table_at
from tests.game.play import numbered
from tests.support.kinds import one_of


def list_ways(table: EnvTable) -> dict[str, list[int]]:
    """Return the actions that choices lead to, each with one way to it; late calls and calls are left out."""
    found: dict[str, list[int]] = {}
    waiting: list[list[int]] = [[]]
    while waiting:
        way = waiting.pop()
        twin = EnvTable(table.choices, table.deal.copy())
        for number in way:
            twin.step(number)
        for number in list_open(twin.row):
            kind = twin.choices.kinds[number]
            if kind == "put":
                waiting.append([*way, number])
            elif kind in ("act", "keep", "rescue"):
                found[tell_action(twin, number)] = [*way, number]
    return found


def tell_action(table: EnvTable, number: int) -> str:
    """Return the action that this choice sends to the deal."""
    sent: list[str] = []

    class RecordingDeal(Deal):
        __slots__ = ()

        def apply(self, _seat: int, action: object) -> None:
            sent.append(str(action).rstrip("!"))

    recording = RecordingDeal()
    recording.fill(table.deal)
    kept, table.deal = table.deal, recording
    try:
        table.step(number)
    finally:
        table.deal = kept
    return sent[0]


def lay(table: EnvTable, *names: str) -> None:
    for name in names:
        table.step(table.choices.number[name])


def laid_out(name: str, hand: str, other: str, up: str, **options: object) -> EnvTable:
    rules = load(name, **options)
    d = deal_by_hand(rules, {0: hand, 1: other}, up, "7D 8D 9D TD", 0)
    return EnvTable(Choices(rules, 2), d)


def offered(table: EnvTable) -> set[str]:
    return {table.choices.names[number] for number in list_open(table.row)}


def test_cards_laid_together_are_put_one_after_the_other():
    table = laid_out("prsi_quick", "9H 9S 9C KC", "8S 8C", "TH")
    assert offered(table) == {"9H", "put 9H", "draw"}
    lay(table, "put 9H")
    assert offered(table) == {"9S", "9C", "put 9S", "put 9C"}
    lay(table, "put 9C")
    assert offered(table) == {"9S"}
    lay(table, "9S")
    assert table.deal.events[-1] == "A 9H+9C+9S"
    assert table.seat == 1


def test_a_card_laid_face_down_is_put_and_then_claimed():
    table = laid_out("prsi_blind", "9H KC", "8S 8C", "TH")
    assert {"put 9H", "put KC", "draw"} == offered(table)
    lay(table, "put KC", "QH>S")
    assert table.deal.log[-1].full == "A KC~QH>S"
    assert offered(table) == {"accept", "doubt"}


def test_cards_of_the_cut_are_kept_one_after_the_other():
    sample = find_sample("keep")
    table = EnvTable(Choices(sample.deal.rules, 2), sample.deal)
    assert [action.text for action in sample.deal.legal(0)] == ["keep:-", "keep:7H", "keep:JD", "keep:7H+JD"]
    assert offered(table) == {"keep", "put 7H", "put JD"}
    lay(table, "put 7H", "put JD", "keep")
    assert table.deal.events[1] == "A keep:7H+JD"


def test_a_wish_is_one_number_and_a_call_that_is_owed_is_added():
    table = laid_out("mau_mau", "JD 9C", "8S 8C", "TH", cut_on=False)
    assert offered(table) == {"JD>C", "JD>S", "JD>H", "JD>D", "draw"} - (
        set() if table.deal.compiled.drawing.voluntary else {"draw"}
    )
    lay(table, "JD>C")
    assert table.deal.events[-1] == "A JD>C!"


def test_with_calls_of_its_own_a_seat_says_them_or_forgets():
    rules = load("mau_mau", cut_on=False)
    d = deal_by_hand(rules, {0: "9H 9C", 1: "8S 8C"}, "TH", "7D 8D 9D TD", 0)
    table = EnvTable(Choices(rules, 2, "own"), d.copy())
    lay(table, "9H")
    assert table.deal.events[-1] == "A 9H"
    table.take_up(d.copy())
    lay(table, "call !")
    assert "call !!" not in offered(table)
    lay(table, "9H")
    assert table.deal.events[-1] == "A 9H!"


def test_other_seats_are_named_by_their_distance():
    choices = Choices(load("mau_mau", detection="accuse"), 3)
    number = choices.number["accuse@+2:mau"]
    assert [choices.texts[seat][number] for seat in range(3)] == [
        "accuse@C:mau", "accuse@A:mau", "accuse@B:mau"
    ]  # fmt: skip


def test_an_accusation_is_made_once_and_an_action_must_follow():
    sample = find_sample("window")
    table = EnvTable(Choices(sample.deal.rules, sample.deal.seats), sample.deal)
    assert table.seat == 1
    accusing = "accuse@+1:mau"
    lay(table, accusing)
    assert table.deal.events[-2:][0].startswith("B accuse@C:mau") or table.deal.events[-1].startswith("B +")
    assert table.seat != 1 or accusing not in offered(table)


@pytest.mark.parametrize("kind", RECIPES)
def test_every_kind_of_question_can_be_answered_in_every_listed_way(kind):
    sample = find_sample(kind)
    table = EnvTable(Choices(sample.deal.rules, sample.deal.seats), sample.deal)
    assert table.deal.asks == kind
    assert {action.text for action in sample.deal.legal(table.seat)} <= set(list_ways(table))


@settings(max_examples=15)
@given(numbered)
def test_choices_lead_to_every_listed_action_and_to_none_that_is_refused(number):
    table, rng = table_at(*number)
    play_on(table, rng, rng.randrange(40))
    if table.seat < 0 or table.parts or len(table.deal.legal(table.seat)) > 60:
        return
    ways = set(list_ways(table))
    assert {action.text for action in table.deal.legal(table.seat)} <= ways
    assert all(table.deal.allows(table.seat, text) for text in ways)


@pytest.mark.long
@settings(max_examples=15)
@given(numbered)
def test_with_any_options_a_deal_ends_by_choices_alone(number):
    table, rng = table_at(*number, calls="own" if number[1] % 2 else "owed")
    play_on(table, rng, 100_000)
    assert table.deal.over


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", one_of(4, variants()))
def test_every_table_of_a_variant_has_its_list(name):
    fewest, most = load(name).seats
    for seats in range(fewest, most + 1):
        table, rng = plain_table(name, seats, "size"), table_at(name, seats)[1]
        assert len(set(table.choices.names)) == len(table.choices) < 200
        play_on(table, rng, 100)


def test_an_action_outside_the_mask_is_refused_in_words_and_changes_nothing():
    table = laid_out("prsi_quick", "9H 9S 9C KC", "8S 8C", "TH")
    number = table.choices.number["KC"]
    for outside in (number, -1, len(table.choices)):
        with pytest.raises(
            IllegalAction, match=rf"action {outside}.* outside the mask of player_0, which has"
        ):
            table.step(outside)
    with pytest.raises(IllegalAction, match=r"\(KC\) is outside .*\(9H\), \d+ \(draw\), \d+ \(put 9H\)"):
        table.step(number)
    assert table.deal.events == ["up TH"]


def test_a_deal_that_is_over_says_so():
    table, rng = table_at("prsi", 3)
    play_on(table, rng, 100_000)
    with pytest.raises(IllegalAction, match="over"):
        table.step(0)


def test_tables_that_cannot_be_are_refused():
    with pytest.raises(BadDeal):
        Choices(load("prsi"), 9)
    with pytest.raises(BadOption, match="owed, own"):
        Choices(load("prsi"), 2, "loud")
