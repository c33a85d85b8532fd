"""A person at a table: what is drawn in 80 by 24 characters and in fewer, and what is typed means."""

import json

import pytest
from msgspec.structs import replace

from maumau import game
from maumau.cli.picture import LETTERS, STYLES, coloured, read_drawn
from maumau.cli.question import ASKED, list_actions, word_question
from maumau.cli.seat import edit
from maumau.cli.sitting import CHOICES, HEIGHT, WIDTH, Sitting
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


def numbers_shown(sitting, lines):
    """The numbers that stand before actions."""
    text = " ".join(line.plain for line in lines)
    listed = enumerate(list_actions(sitting.question), 1)
    return [number for number, action in listed if f"{number} {action}" in text]


@pytest.mark.parametrize("name", game.variants())
def test_every_question_of_every_variant_fits_on_a_screen_and_each_number_is_allowed(name):
    seats = min(game.load(name).seats[1], 4)
    for d, seat in moments(name, seats, most=80, seeds=1):
        sitting = seated(d, seat)
        lines = sitting.lines("typed")
        assert len(lines) <= HEIGHT
        assert all(line.cell_len <= WIDTH for line in lines), [line.plain for line in lines]
        sentence = ASKED[d.asks][:9]
        assert sentence in "\n".join(line.plain for line in lines)
        sitting.fit(60, 20)
        small = sitting.lines("typed")
        assert len(small) <= 20
        assert all(line.cell_len <= 60 for line in small), [line.plain for line in small]
        assert any(line.plain.startswith(sentence) for line in small)
        assert small[-1].plain == "> typed"
        numbers = numbers_shown(sitting, small) if d.asks != "react" else (0, 417, 999)
        assert len(numbers)
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


def shown(sitting):
    return "\n".join(line.plain for line in sitting.lines())


def test_a_sitting_waits_until_the_deal_begins(asked):
    from msgspec.structs import replace

    d, _ = asked
    sitting = Sitting(LETTERS)
    sitting.hear(Told("seated", seat=1, table=replace(table("prsi", 2), state="waiting")))
    assert not sitting.has_begun
    assert sitting.words == "The deal begins when somebody has come to every seat."
    sitting.hear(Told("news", view={**game_view(d, 1), "ask": ""}, turn=0))
    assert sitting.has_begun
    assert sitting.words == ""


def test_nothing_is_said_of_seat_or_hand_before_it_is_known():
    sitting = Sitting(LETTERS)
    assert "".join(line.plain for line in sitting.lines()) == ""
    sitting.hear(Told("seated", seat=1, table=table("prsi", 2)))
    text = "\n".join(line.plain for line in sitting.lines())
    assert "prsi · you are B" in text
    assert "no cards" not in text


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


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("name", "seats"), [("prsi", 2), ("prsi_blind", 3), ("schweizer", 3), ("mau_mau", 2), ("pesten", 4)]
)
def test_what_the_list_shows_is_taken_when_it_is_typed(name, seats, style):
    for d, seat in moments(name, seats, most=60, seeds=1):
        sitting = seated(d, seat, suits=STYLES[style])
        for action in map(str, d.legal(seat)):
            shown = coloured(action, STYLES[style]).plain
            assert sitting.choose(shown).line == sitting.choose(action).line
            assert d.allows(seat, sitting.choose(shown).line), shown


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("A♦", "AD"), ("a♦", "AD"), ("10♥", "TH"), ("10h", "TH"), ("q♦>S", "QD>S"), ("Q♦>♠", "QD>S"),
        ("qd>s", "QD>S"), ("O🔔>🍃", "QD>S"), ("u🌰", "JC"), ("♥️", "H"), ("A♥️!", "AH!"), ("9♦+7♦", "9D+7D"),
        ("★", "XX"), ("10♣~U♣", "TC~JC"), ("keep:A♣+A♥", "keep:AC+AH"), ("wish:♠", "wish:S"),
        ("1 d", "1 d"), ("1 c s", "1 c s"), ("draw", "draw"), ("accuse@C:mau", "accuse@C:mau"),
    ],
)  # fmt: skip
def test_cards_may_be_typed_as_they_are_drawn(typed, meant):
    assert read_drawn(typed) == meant


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


def test_that_the_arena_is_away_is_said_until_it_speaks_again(asked):
    _, sitting = asked
    for told in (Told("seated", seat=0, table=table("prsi", 2)), Told("news"), Told("taken")):
        sitting.hear(Told("away"))
        sitting.hear(Told("away"))
        assert shown(sitting).count("The arena does not answer; coming back …") == 1
        sitting.hear(told)
        assert "coming back" not in shown(sitting)


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


@pytest.fixture
def crowded(asked):
    """A turn with more actions and accusations than fit on a screen."""
    d, _ = asked
    pairs = [f"{first}C+{second}D" for first in "23456789TJQKA" for second in "23456"]
    kinds = ("mau", "mau_mau", "false_mau", "false_mau_mau", "queen_end")
    also = [f"accuse@{seat}:{kind}" for seat in "BCDEF" for kind in kinds]
    sitting = Sitting(LETTERS)
    sitting.hear(Told("seated", seat=0, table=table("prsi", 2)))
    view = {**json.loads(json.dumps(game_view(d, 0))), "legal": [*pairs, "9H", "draw"], "also": also}
    sitting.hear(Told("line", cursor=7, view=view))
    return sitting


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
def test_what_the_screen_does_not_show_is_not_chosen_by_its_number_or_letter(crowded, size):
    crowded.fit(*size)
    text = " ".join(line.plain for line in crowded.lines())
    (last,) = [number for number in range(1, 67) if f" {number} " in text and f" {number + 1} " not in text]
    assert crowded.choose(str(last)).line
    assert crowded.choose(str(last + 1)).line == ""
    known = f"type a number from 1 to {last}, or notation."
    assert crowded.choose(str(last + 1)).words == f"'{last + 1}' is not shown: {known}"
    assert crowded.choose("68").words == f"'68' is not on the list: {known}"
    assert crowded.choose("AC+6D").line == "AC+6D"
    (end,) = [
        one
        for one in "abcdefghijklmnopqrstuvwx"
        if f" {one} " in text and f" {chr(ord(one) + 1)} " not in text
    ]
    assert json.loads(crowded.choose(f"1 {end}").line)["also"]
    assert crowded.choose("1 y").line == ""
    assert crowded.choose("1 y").words == (
        f"'y' is not shown: type a letter from a to {end}, or write it in full."
    )
    assert json.loads(crowded.choose("1 accuse@F:queen_end").line)["also"] == ["accuse@F:queen_end"]


def test_a_letter_alone_is_answered_with_how_to_say_it(crowded):
    assert crowded.choose("a").words == "'a' is said with an action: type its number first, such as 1 a."


def test_single_cards_come_before_combinations(crowded):
    assert [crowded.choose(number).line for number in "123"] == ["9H", "draw", "2C+2D"]


def test_choices_take_the_lines_that_nothing_else_needs(crowded):
    lines = [line.plain for line in crowded.lines()]
    start, said = lines.index("Your turn."), [line.startswith("say besides:") for line in lines].index(True)
    assert said - start - 1 > CHOICES
    assert "+" in lines[said - 1]
    assert len(lines) <= HEIGHT


def test_whose_clock_runs_is_seen_to_run(asked):
    _, sitting = asked
    sitting.clock = lambda: 12.0
    lines = [line.plain for line in sitting.lines()]
    assert any(line.startswith("▶ A") and "0:48" in line for line in lines)
    assert any(line.startswith("  B") and "1:00" in line for line in lines)


def test_a_reaction_window_shows_its_seconds_running_down(asked):
    d, sitting = asked
    view = {**game_view(d, 0), "ask": "window", "legal": ["hold"], "after": "QD", "bank_ms": 15_000}
    sitting.hear(Told("line", cursor=9, view=view))
    for now, left in ((0.0, 15), (0.9, 15), (12.5, 3), (99.0, 0)):
        sitting.clock = lambda now=now: now
        lines = [line.plain for line in sitting.lines()]
        assert f"You may react out of turn. (after QD) {left} s left." in lines


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


@pytest.mark.parametrize(
    ("owed", "skips", "legal", "words"),
    [
        (4, 0, ["take"], "You must take 4 cards."),
        (1, 0, ["7S", "take"], "You must take 1 card, unless you answer."),
        (0, 1, ["skip"], "You must miss 1 turn."),
        (2, 2, ["AS", "skip"], "You must take 2 cards and miss 2 turns, unless you answer."),
    ],
)
def test_what_one_owes_is_said_with_its_number(owed, skips, legal, words):
    question = {"ask": "answer", "owed": owed, "skips": skips, "legal": legal}
    assert word_question(question, str) == words


def test_a_long_sentence_takes_two_lines_on_a_small_screen(asked):
    _, sitting = asked
    sitting.fit(40, 20)
    sitting.words = "'hm' is not on the list: type a number from 1 to 2, or notation."
    assert [line.plain for line in sitting.lines()][-3:-1] == [
        "'hm' is not on the list: type a number", "from 1 to 2, or notation.",
    ]  # fmt: skip


def test_the_end_shows_no_card_that_was_on_top_before_it(asked):
    _, sitting = asked
    end = {"places": [1, 2], "points": [3, 0], "events": ["A 9H", "A out"], "fault": None}
    sitting.hear(Told("line", cursor=9, view={"deal": 0, "end": end}))
    text = [line.plain for line in sitting.lines()]
    assert "you: 9H" in text
    assert any(line.startswith("  A you") and line.endswith("place 1, 3 points") for line in text)
    assert not any(line.startswith(("on top", "stock")) for line in text)


def test_of_two_with_one_name_it_is_said_which_one_played():
    d = game.deal_by_hand(game.load("prsi"), {0: "7S KD", 1: "8D QC", 2: "8C QD"}, "9D", "TC TD TH AS AC")
    sitting = seated(d, 0)
    sitting.events = ["B 8D", "A KD"]
    text = [line.plain for line in sitting.lines()]
    assert "B a bot with a long na: 8D" in text
    assert "you: KD" in text


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (2, ["B: KD", "you: out of time and lost; a stand-in plays on", "a stand-in for you: draw KH",
             "a stand-in for B: QC", "shuffle 5"]),
        (3, ["B: KD", "you: out of time and lost; a stand-in plays on", "a stand-in for you: draw KH",
             "B: QC", "shuffle 5"]),
    ],
)  # fmt: skip
def test_after_a_loss_on_time_it_is_said_that_a_stand_in_plays(seats, told):
    """Where one seat is left that plays for itself, stand-ins play for all."""
    sitting = Sitting(LETTERS, clock=lambda: 0.0)
    sitting.hear(Told("seated", seat=0, table=replace(table("prsi", seats), names=("",) * seats)))
    sitting.events = ["B KD", "forfeit A time", "A draw KH", "B QC", "shuffle 5"]
    text = shown(sitting).splitlines()
    assert text[text.index("B: KD") :][: len(told)] == told


def test_keys_are_edited_before_anything_is_sent():
    typed = ""
    for key in ("1", "2", "\x7f", "\x1b[A", "é", "\t"):
        typed = edit(typed, key)
    assert typed == "1é"
    assert edit(typed, "\x15") == ""
    assert len(edit("x" * 60, "y")) == 60
