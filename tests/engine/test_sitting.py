"""A person at a table: what is drawn in 80 by 24 characters and in fewer, and what is typed means."""

import json
import re
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from maumau import game
from maumau.bots import HOUSE, HOUSE_ACCOUNT, USUAL_OPPONENTS
from maumau.cli.player.hosting import choose_house, make_plan
from maumau.cli.player.phrase import YOU, tell_player
from maumau.cli.player.question import ASKED, word_question
from maumau.cli.player.sitting import CHOICES, HEIGHT, WIDTH, Sitting
from maumau.cli.player.tally import DealTally
from maumau.cli.player.terminal import edit_line
from maumau.cli.player.why import explain_card, explain_hand
from maumau.cli.shared import place
from maumau.client.live import Table, Told
from maumau.errors import ArenaUnreachable
from maumau.game.notation.action import VIOLATIONS
from maumau.page import labels
from maumau.page.catalogue import translate_texts
from maumau.page.words import KINDS, WORDS, tell_event
from maumau.rulebook.german import RANKS
from maumau.screen.picture import LETTERS, STYLES, coloured, read_drawn
from services.shared.base import auth


def table(name, seats):
    empty = dict.fromkeys(("commitment", "secret", "record", "words", "account_name"), "")
    names = ("", *["a bot with a long name"] * (seats - 1))
    return Table(
        id="table_x", rules=name, options_json="{}", seats=seats, names=names, state="playing",
        clocks_ms=(300_000,) * seats, turn=0, cursor=1, places=(), points=(), joined=(), **empty,
    )  # fmt: skip


def seated(d, seat, *, own_calls=False, raw=False, start=0, suits=LETTERS):
    """A sitting at this moment of a deal."""
    sitting = Sitting(suits, own_calls=own_calls, raw=raw, clock=lambda: 0.0)
    sitting.hear(Told("seated", seat=seat, table=table(d.rules.name, d.seats)))
    view = json.loads(json.dumps(game_view(d, seat, start)))
    sitting.hear(Told("line", cursor=7, view=view, clocks_ms=(60_000,) * d.seats))
    return sitting


def game_view(d, seat, start=0):
    import msgspec

    return msgspec.to_builtins(d.view(seat, start))


def moments(name, seats, most=400, seeds=3):
    """Yield every decision of some deals: the deal and the seat that is asked."""
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


def reach(sitting, width, height):
    """Every line that numbers alone come to, step by step; each screen on the way fits."""
    sitting.fit(width, height)
    lines = sitting.lines("typed")
    assert len(lines) <= height
    assert all(line.cell_len <= width for line in lines), [line.plain for line in lines]
    assert lines[-1].plain == "> typed"
    sent = []
    for number in range(1, 200):
        chosen = sitting.choose(str(number))
        if chosen.line:
            sent.append(chosen.line)
        elif chosen.actions:
            sent += reach(sitting, width, height)
            assert sitting.choose("0").is_back
            sitting.lines()
        else:
            return sent
    raise AssertionError("there is no end of numbers")


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", game.variants())
def test_every_question_of_every_variant_fits_on_a_screen_and_all_actions_are_reached_by_numbers(name):
    seats = min(game.load(name).seats[1], 4)
    for d, seat in moments(name, seats, most=30, seeds=1):
        sitting = seated(d, seat)
        sentence = ASKED[d.asks][:9]
        assert sentence in "\n".join(line.plain for line in sitting.lines())
        if d.asks == "react":
            sent = [sitting.choose(number).line for number in ("0", "417", "999")]
        else:
            sent = reach(sitting, WIDTH, HEIGHT)
            legal = [str(action) for action in d.legal(seat)]
            assert len(sent) == len(legal), (len(legal), len(sent))
            assert {line.rstrip("!") for line in sent} <= set(legal)
            assert reach(sitting, 60, 20)
            assert any(line.plain.startswith(sentence) for line in sitting.lines())
        for line in sent[:20]:
            assert d.allows(seat, line), line


def test_suits_in_colour_fit_too():
    for suits in STYLES.values():
        for d, seat in moments("schweizer", 5, most=60, seeds=1):
            lines = seated(d, seat, suits=suits).lines()
            assert len(lines) <= HEIGHT
            assert all(line.cell_len <= WIDTH for line in lines)


@pytest.fixture
def asked():
    """Return a deal at a turn in which something may be laid."""
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


def test_the_card_is_chosen_before_the_suit_that_is_wished_for():
    d = game.deal_by_hand(game.load("prsi"), {0: "QS KD", 1: "8C 8D QC"}, "9D", "TC TD TH AS AC")
    sitting = seated(d, 0, suits=STYLES["french"])
    assert "1 Q♠ …  2 K♦  3 draw a card" in shown(sitting).splitlines()
    assert sitting.choose("1").line == ""
    assert "Q♠: which suit do you wish for? 0 goes back." in shown(sitting).splitlines()
    assert "1 ♣  2 ♠  3 ♥  4 ♦" in shown(sitting).splitlines()
    assert sitting.choose("3").line == "QS>H"
    assert sitting.choose("h").line == "QS>H"
    assert sitting.choose("0").is_back
    assert "1 Q♠ …  2 K♦  3 draw a card" in shown(sitting).splitlines()
    assert sitting.choose("q♠>♦").line == "QS>D"


def test_a_card_laid_face_down_is_chosen_before_its_claim():
    d = game.deal_by_hand(game.load("prsi_blind"), {0: "7S KD 9H", 1: "8C 8D QC"}, "9D", "TC TD TH AS AC")
    sitting = seated(d, 0, suits=STYLES["french"])
    assert "1 7♠ …  2 9♥ …  3 K♦ …  4 draw a card" in shown(sitting).splitlines()
    sitting.choose("9h")
    text = shown(sitting).splitlines()
    assert "9♥ goes face down. As which card do you announce it? 0 goes back." in text
    line = next(line for line in text if line.startswith("1 "))
    assert line.startswith("1 9♣  2 Q♣ …  3 9♠")
    assert "9♥ (the truth)" in "\n".join(text)
    assert sitting.choose("9♣").line == "9H~9C"
    sitting.choose("qc")
    assert "Q♣: which suit do you wish for? 0 goes back." in shown(sitting).splitlines()
    assert sitting.choose("4").line == "9H~QC>D"


def test_with_raw_every_action_has_its_number_and_events_are_the_record():
    d = game.deal_by_hand(game.load("prsi"), {0: "QS KD", 1: "8C 8D QC"}, "9D", "TC TD TH AS AC")
    sitting = seated(d, 0, raw=True)
    text = shown(sitting).splitlines()
    assert "1 QS>C  2 QS>S  3 QS>H  4 QS>D  5 KD  6 draw" in text
    assert "up 9D" in text
    assert sitting.choose("2").line == "QS>S"


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("7s", "7♠: it has neither the suit nor the rank of 9♦."),
        ("7♠", "7♠: it has neither the suit nor the rank of 9♦."),
        ("QS", "You do not hold Q♠."), ("why", "7♠: it has neither the suit nor the rank of 9♦."),
        ("w", "7♠: it has neither the suit nor the rank of 9♦."),
    ],
)  # fmt: skip
def test_it_is_said_why_a_card_does_not_fit(asked, typed, words):
    assert asked[1].choose(typed).words == words


@pytest.mark.parametrize(
    ("changed", "card", "words"),
    [
        ({"wish": "H", "legal": ["draw"]}, "KD", "K♦: ♥ is wished for."),
        ({"owed": 2, "legal": ["take"]}, "KD", "K♦: you must take 2 cards, and it does not answer that."),
        ({"skips": 1, "legal": ["skip"]}, "KD", "K♦: you must miss 1 turn, and it does not answer that."),
        ({"ask": "doubt", "legal": ["accept"]}, "KD", "K♦: no card is laid now; another question is open."),
        ({"legal": ["draw"]}, "KD", "K♦: the rules do not allow it on 9♦ now (? shows them)."),
    ],
)  # fmt: skip
def test_the_reason_is_that_of_the_question(asked, changed, card, words):
    question = {**game_view(asked[0], 0), **changed}
    assert explain_card(question, card) == words


def test_cards_with_one_reason_are_named_together_and_fitting_ones_not_at_all(asked):
    question = {**game_view(asked[0], 0), "hand": ["7S", "8S", "KD"], "legal": ["KD", "draw"]}
    assert explain_hand(question) == "7♠ 8♠: they have neither the suit nor the rank of 9♦."
    owed = {**question, "owed": 2, "legal": ["take"]}
    assert explain_hand(owed) == "7♠ 8♠ K♦: you must take 2 cards, and they do not answer that."
    mixed = {**question, "hand": ["7S", "JD", "QD"], "legal": ["draw"]}
    assert explain_hand(mixed) == (
        "7♠: it has neither the suit nor the rank of 9♦. "
        "J♦ Q♦: the rules do not allow them on 9♦ now (? shows them)."
    )
    assert explain_hand({**question, "hand": ["KD"]}) == "Every card of your hand may be laid."


def test_the_rules_are_read_page_by_page_and_the_table_comes_back(asked):
    _, sitting = asked
    assert sitting.choose("?").wants_rules
    sitting.open_rules()
    pages = 0
    text = []
    while sitting.is_reading:
        lines = [line.plain for line in sitting.lines()]
        assert len(lines) <= HEIGHT
        assert all(len(line) <= WIDTH for line in lines)
        assert lines[-1] == "Enter: next page · q: back to the table · Your turn."
        text += lines
        sitting.turn_page()
        pages += 1
    assert pages > 1
    assert "- Aces: the next player misses a turn, or answers with an ace, which passes the" in text
    assert "Your turn." in shown(sitting)


def test_the_keys_below_the_rules_are_seen_beside_a_long_question(asked):
    _, sitting = asked
    sitting.question = {**sitting.question, "ask": "answer", "owed": 0, "skips": 1}
    sitting.open_rules()
    foot = sitting.lines()[-1].plain
    assert foot == "Enter: next page · q: back to the table · You must miss 1 turn, unless you answ…"


@pytest.mark.sample(4)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("name", "seats"), [("prsi", 2), ("prsi_blind", 3), ("schweizer", 3), ("mau_mau", 2), ("pesten", 4)]
)
def test_what_the_list_shows_is_taken_when_it_is_typed(name, seats, style):
    for d, seat in moments(name, seats, most=60, seeds=1):
        sitting = seated(d, seat, suits=STYLES[style])
        for action in map(str, d.legal(seat)):  # any of them, whatever the step
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
    for told in (
        Told("seated", seat=0, table=table("prsi", 2)),
        Told("news"),
        Told("taken"),
    ):
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
    """A turn with more actions and accusations than fit on a screen in notation."""
    d, _ = asked
    pairs = [f"{first}C+{second}D" for first in "23456789TJQKA" for second in "23456"]
    kinds = ("mau", "mau_mau", "false_mau", "false_mau_mau", "queen_end")
    also = [f"accuse@{seat}:{kind}" for seat in "BCDEF" for kind in kinds]
    sitting = Sitting(LETTERS, raw=True)
    sitting.hear(Told("seated", seat=0, table=table("prsi", 6)))
    view = {**json.loads(json.dumps(game_view(d, 0))), "legal": [*pairs, "9H", "draw"], "also": also}
    view["counts"] = [3] * 6
    sitting.hear(Told("line", cursor=7, view=view))
    return sitting


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
def test_what_the_screen_does_not_show_is_not_chosen_by_its_number_or_letter(crowded, size):
    crowded.fit(*size)
    text = " ".join(line.plain for line in crowded.lines()[:-1])
    (last,) = [number for number in range(1, 67) if f" {number} " in text and f" {number + 1} " not in text]
    assert crowded.choose(str(last)).line
    assert crowded.choose(str(last + 1)).line == ""
    known = f"type a number from 1 to {last}, or the card."
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


def test_a_second_word_is_refused_where_nothing_may_be_said_besides(crowded):
    crowded.question["also"] = []
    assert crowded.choose("w AS").words == "'AS' is one word too many: type one number, or one card."


def test_accusations_are_in_words_with_the_accused_once(crowded):
    crowded.raw = False
    text = " ".join(shown(crowded).split())
    assert (
        "accuse a bot with a long na (B): a no “Mau!” b no “Mau-Mau!” c false “Mau!” d false “Mau-Mau!”"
        " e queen round not ended accuse a bot with a long na (C): f no “Mau!”"
    ) in text
    assert json.loads(crowded.choose("1 f").line)["also"] == ["accuse@C:mau"]


def test_where_one_action_is_left_a_letter_alone_is_enough(crowded):
    crowded.question["legal"] = ["hold"]
    assert json.loads(crowded.choose("a").line) == {"act": "hold", "also": ["accuse@B:mau"]}


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
    assert "You lay 9H" in text
    assert any(line.startswith("  A you") and line.endswith("place 1, 3 points") for line in text)
    assert not any(line.startswith(("on top", "stock")) for line in text)


def test_of_two_with_one_name_it_is_said_which_one_played():
    d = game.deal_by_hand(game.load("prsi"), {0: "7S KD", 1: "8D QC", 2: "8C QD"}, "9D", "TC TD TH AS AC")
    sitting = seated(d, 0)
    sitting.events = ["B 8D", "A KD"]
    text = [line.plain for line in sitting.lines()]
    assert "a bot with a long na (B) lays 8D" in text
    assert "You lay KD" in text


@pytest.mark.parametrize(
    ("seats", "told"),
    [
        (2, ["seat B lays KD", "You are out of time and have lost; a stand-in plays on",
             "a stand-in for you draws KH", "a stand-in for seat B lays QC",
             "the pile becomes the stock: 5 cards"]),
        (3, ["seat B lays KD", "You are out of time and have lost; a stand-in plays on",
             "a stand-in for you draws KH", "seat B lays QC", "the pile becomes the stock: 5 cards"]),
    ],
)  # fmt: skip
def test_after_a_loss_on_time_it_is_said_that_a_stand_in_plays(seats, told):
    """With one seat left that plays for itself, stand-ins play for all."""
    sitting = Sitting(LETTERS, clock=lambda: 0.0)
    sitting.hear(Told("seated", seat=0, table=replace(table("prsi", seats), names=("",) * seats)))
    sitting.events = ["B KD", "forfeit A time", "A draw KH", "B QC", "shuffle 5"]
    text = shown(sitting).splitlines()
    assert text[text.index("seat B lays KD") :][: len(told)] == told


def test_keys_are_edited_before_anything_is_sent():
    typed = ""
    for key in ("1", "2", "\x7f", "\x1b[A", "é", "\t"):
        typed = edit_line(typed, key)
    assert typed == "1é"
    assert edit_line(typed, "\x15") == ""
    assert len(edit_line("x" * 60, "y")) == 60


def test_the_score_counts_deals_won_and_points_by_player():
    tally = DealTally()
    tally.add(["you", "greedy"], {"places": [1, 2], "points": [0, 14]})
    tally.add(["greedy", "you"], {"places": [1, 2], "points": [3, 5]})
    tally.add(["you", "greedy"], {"places": [1, 1], "points": [0, 0]})  # a draw is won by nobody
    assert str(tally) == "After 3 deals: won you 1, greedy 1; points you 5, greedy 17"


def test_of_two_bots_with_one_name_the_second_has_a_number():
    plan = make_plan(game.load("prsi"), 4, ["greedy"], ["greedy", "first"], (1, 1, 1), "auto")
    assert plan.list_players() == ["you", "greedy", "greedy 2", "first"]
    assert not plan.has_friends


class House:
    """An arena with some house bots, of which hoarder is not active, and a rollout of somebody else's."""

    def __init__(self, *names):
        self.names = names

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def bots(self):
        states = {"hoarder": "refused"}
        own = [a_bot(name, HOUSE_ACCOUNT, states.get(name, "active")) for name in self.names]
        return [*own, a_bot("rollout", "ada", "active")]


def a_bot(name, account, state):
    return SimpleNamespace(name=name, account_name=account, versions=[SimpleNamespace(state=state)])


@pytest.mark.parametrize(
    ("there", "seats", "bots", "seated"),
    [
        (["counter", "first", "greedy", "hoarder"], 4, [], ("greedy", "counter", "first")),
        (["counter", "greedy"], 4, [], ("greedy", "counter", "greedy")),
        (["counter", "greedy"], 4, ["mine"], ("greedy", "counter")),
        (["counter", "greedy"], 2, [], ("greedy",)),
        (["counter", "greedy"], None, [], ("greedy",)),
        (["counter", "greedy"], 3, ["mine"], ("greedy",)),
        ([], 3, [], ("greedy", "greedy")),
        (None, 3, [], ("greedy", "greedy")),  # it does not tell
    ],
)
def test_at_a_larger_table_different_house_bots_sit_that_the_arena_has(
    monkeypatch, there, seats, bots, seated
):
    def connect(_):
        if there is None:
            raise ArenaUnreachable
        return House(*there)

    monkeypatch.setattr(place, "connect_arena", connect)
    rules = game.load("prsi")
    house = choose_house(rules, seats, bots, None)
    assert make_plan(rules, seats, bots, house, (1, 1, 1), "auto").house == seated


def test_house_bots_and_their_account_are_called_as_the_services_call_them():
    assert sorted(USUAL_OPPONENTS) == sorted(HOUSE)
    assert auth.HOUSE == HOUSE_ACCOUNT


def test_house_bots_are_seated_in_turn_and_without_any_the_seats_are_for_friends():
    rules = game.load("prsi")
    assert make_plan(rules, 4, [], ["greedy", "first"], (1, 1, 1), "auto").house == (
        "greedy",
        "first",
        "greedy",
    )
    assert make_plan(rules, 4, ["greedy"], [], (1, 1, 1), "auto").has_friends


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ("A accuse@B:mau", "You accuse bob: no “Mau!”"), ("B accuse@A:mau", "bob accuses you: no “Mau!”"),
        ("A QS>H", "You lay Q♠ and wish for ♥"), ("A 2S@B", "You lay 2♠ and hit bob"),
        ("B 2S@A", "bob lays 2♠ and hits you"), ("A +2 7S 8D", "You take 2: 7♠ 8♦"),
        ("A take", "You have no answer"), ("A skipped", "You miss a turn"), ("A out", "You are out"),
        ("A pass", "You pass"), ("A 9S~7H", "You lay 9♠ face down and claim 7♥"),
        ("A ~QH>D", "You lay a card face down and claim Q♥ and wish for ♦"),
        ("A QS/start!", "You lay Q♠ and begin a queen round, “Mau!”"),
        ("B keep:-", "bob keeps none of the cut"),
        ("A side -1", "You pick up a penalty card"), ("A react:417", "You react in 417 (0 to 999)"),
        ("A !", "You make a late call, “Mau!”"), ("error A 7S", "the dealer misdeals 7♠ to you"),
    ],
)  # fmt: skip
def test_whoever_reads_an_event_is_addressed_as_you(event, words):
    assert tell_player(event, [YOU, "bob"]) == words


def test_every_violation_has_its_words():
    assert set(KINDS) == set(VIOLATIONS)


@pytest.mark.parametrize(
    ("event", "english", "german"),
    [
        ("A wish:S", "ada wishes for ♠", "ada wünscht sich ♠"),
        ("A QH>C", "ada lays Q♥ and wishes for ♣", "ada legt Q♥ und wünscht sich ♣"),
        ("A decline", "ada lays no further card", "ada legt keine weitere Karte"),
        ("A accuse@B:mau", "ada accuses bob: no “Mau!”", "ada beschuldigt bob: kein „Mau!“"),
        ("A guilty", "ada votes guilty", "ada stimmt für „schuldig“"),
        ("A innocent", "ada votes innocent", "ada stimmt für „unschuldig“"),
        ("A react:417", "ada reacts in 417 (0 to 999)", "ada reagiert mit 417 (0 bis 999)"),
        ("A !", "ada makes a late call, “Mau!”", "ada sagt nachträglich an, „Mau!“"),
        ("error B 7S", "the dealer misdeals 7♠ to bob", "der Geber teilt 7♠ für bob falsch aus"),
        ("error B", "the dealer misdeals a card to bob", "der Geber teilt eine Karte für bob falsch aus"),
    ],
)
def test_an_event_is_told_in_both_languages(event, english, german):
    names = ["ada", "bob"]
    assert (tell_event(event, names), tell_event(event, names, "de")) == (english, german)


def test_no_event_or_question_names_a_rank_that_a_variant_may_give_to_another_card():
    german = translate_texts(WORDS, "de", "deal."), translate_texts(labels.WORDS, "de")
    asked = {key: text for key, text in german[1].items() if key.startswith("asked_")}
    said = (WORDS, labels.ASKED, german[0], asked)
    words = " ".join(text for texts in said for text in texts.values()).lower()
    ranks = {word.lower() for pair in RANKS.items() for word in pair}
    named = ranks & set(re.findall(r"\w+", words))
    assert named == {"queen", "five", "fünf"}  # a queen round, and counting to five
