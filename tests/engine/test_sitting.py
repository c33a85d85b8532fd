"""A person at a table: what is drawn in 80 by 24 characters, and what is typed means."""

import json

import pytest

from maumau import game
from maumau.cli.picture import LETTERS, STYLES
from maumau.cli.seat import edit
from maumau.cli.sitting import ASKED, HEIGHT, WIDTH, Sitting
from maumau.live import Table, Told

KINDS = set(ASKED)


def table(name, seats):
    empty = dict.fromkeys(("commitment", "secret", "record", "words", "account_name"), "")
    names = ("", *["a bot with a long name"] * (seats - 1))
    return Table(
        id="table_x", rules=name, options_json="{}", seats=seats, names=names, state="playing",
        clocks_ms=(300_000,) * seats, turn=0, cursor=1, places=(), points=(), joined=(), **empty,
    )  # fmt: skip


def seated(d, seat, *, own_calls=False, start=0, suits=LETTERS):
    """A sitting at this moment of a deal."""
    sitting = Sitting(suits, own_calls=own_calls, clock=lambda: 0.0)
    sitting.hear(Told("seated", seat=seat, table=table(d.rules.name, d.seats)))
    view = json.loads(json.dumps(game_view(d, seat, start)))
    sitting.hear(Told("line", cursor=7, view=view, clocks_ms=(60_000,) * d.seats))
    return sitting


def game_view(d, seat, start=0):
    import msgspec

    return msgspec.to_builtins(d.view(seat, start))


def moments(name, seats, most=400, seeds=3):
    """Every decision of some deals: the deal and the seat that is asked."""
    for number in range(seeds):
        d, count = game.deal(game.load(name), seats, f"sit-{number}"), 0
        chance = game.stream(f"sit-{number}", "bot:0")
        while not d.over and count < most:
            for seat in d.to_act:
                yield d, seat
                legal = d.legal(seat)
                action = legal[chance.below(len(legal))] if len(legal) < 250 else legal[0]
                d.apply(seat, action + d.due(seat, action))
                count += 1


@pytest.mark.parametrize("name", game.variants())
def test_every_question_of_every_variant_fits_on_a_screen_and_each_number_is_allowed(name):
    seats = min(game.load(name).seats[1], 4)
    for d, seat in moments(name, seats, most=80, seeds=1):
        sitting = seated(d, seat)
        lines = sitting.lines("typed")
        assert len(lines) <= HEIGHT
        assert all(line.cell_len <= WIDTH for line in lines), [line.plain for line in lines]
        assert ASKED[d.asks][:20] in "\n".join(line.plain for line in lines)
        numbers = range(1, len(d.legal(seat)) + 1) if d.asks != "react" else (0, 417, 999)
        for number in numbers:
            chosen = sitting.choose(str(number))
            assert chosen.line, chosen.words
            assert d.allows(seat, chosen.line), chosen.line


def test_suits_in_colour_fit_too():
    for suits in STYLES.values():
        for d, seat in moments("schweizer", 5, most=60, seeds=1):
            lines = seated(d, seat, suits=suits).lines()
            assert len(lines) <= HEIGHT
            assert all(line.cell_len <= WIDTH for line in lines)


@pytest.fixture
def asked():
    """A deal at a turn in which something may be laid."""
    d = game.deal_by_hand(game.load("prsi"), {0: "7S KD 9H", 1: "8C 8D QC"}, "9D", "TC TD TH AS AC")
    return d, seated(d, d.to_act[0])


def test_the_hand_is_sorted_by_suit_and_rank(asked):
    _, sitting = asked
    (line,) = [line.plain for line in sitting.lines() if line.plain.startswith("your hand")]
    assert line == "your hand  KD  7S  9H"


def test_a_number_notation_or_small_letters_mean_the_same(asked):
    d, sitting = asked
    legal = [str(action) for action in d.legal(0)]
    for number, action in enumerate(legal, 1):
        assert sitting.choose(str(number)).line == action
        assert sitting.choose(action.lower()).line == action


@pytest.mark.parametrize("typed", ["", "0", "99", "hm", "-1", "7Q", "1 z", "²", "9h 9h", "x" * 500])
def test_a_wrong_key_sends_nothing_and_says_what_may_be_typed(asked, typed):
    _, sitting = asked
    chosen = sitting.choose(typed)
    assert chosen.line == ""
    assert chosen.words
    sitting.words = chosen.words
    assert all(line.cell_len <= WIDTH for line in sitting.lines())


def test_a_reply_that_is_refused_leaves_the_question_as_it_was(asked):
    _, sitting = asked
    sitting.answer()
    assert sitting.question is None
    assert sitting.choose("1").line == ""
    sitting.hear(Told("refused", words="the wish is hearts"))
    assert sitting.choose("1").line
    assert any("the wish is hearts" in line.plain for line in sitting.lines())


def test_a_call_that_is_due_is_made_unless_one_makes_his_own():
    d = game.deal_by_hand(game.load("prsi"), {0: "9H 9S", 1: "8C 8D QC"}, "9D", "TC TD TH AS AC")
    due = d.due(0, d.legal(0)[0])
    mine = seated(d, 0, own_calls=True)
    assert seated(d, 0).choose("1").line == str(d.legal(0)[0]) + due
    assert mine.choose("1").line == str(d.legal(0)[0])
    assert mine.choose("1!").line == str(d.legal(0)[0]) + "!"


def test_accusations_are_said_besides_by_their_letter():
    for d, seat in moments("schweizer", 3, most=300, seeds=4):
        also = d.also(seat)
        if d.asks == "window" and also:
            chosen = json.loads(seated(d, seat).choose("1 a").line)
            assert chosen == {"act": str(d.legal(seat)[0]), "also": [also[0]]}
            return
    raise AssertionError("nobody could be accused")


def test_whose_clock_runs_is_seen_to_run(asked):
    _, sitting = asked
    sitting.clock = lambda: 12.0
    lines = [line.plain for line in sitting.lines()]
    assert any(line.startswith("▶ A") and "0:48" in line for line in lines)
    assert any(line.startswith("  B") and "1:00" in line for line in lines)


def test_the_end_says_who_won_and_asks_nothing(asked):
    _, sitting = asked
    end = {"places": [2, 1], "points": [0, 3], "events": ["B out"], "fault": "time"}
    sitting.hear(Told("line", cursor=9, view={"deal": 0, "end": end}))
    text = "\n".join(line.plain for line in sitting.lines())
    assert "The deal is over: 1. a bot with a long na" in text
    assert "2. you" in text
    assert "fault: time" in text
    assert "your hand" not in text
    assert sitting.choose("1").line == ""


def test_keys_are_edited_before_anything_is_sent():
    typed = ""
    for key in ("1", "2", "\x7f", "\x1b[A", "é", "\t"):
        typed = edit(typed, key)
    assert typed == "1é"
    assert edit(typed, "\x15") == ""
    assert len(edit("x" * 60, "y")) == 60
