"""What options say that no clause reads: for each its place on the page, and a sentence for each value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maumau.game import Rules
from maumau.game.option import Value
from maumau.game.variant import Variant
from maumau.rulebook.name import NUMBER, RANK, count, listed

Sentence = Callable[[Rules, Variant, Value], str]

BEGINNING, TURN, WORDS, END, POINTS = "The beginning", "A turn", "Words and faults", "The end", "Points"
SECTIONS: Final = (BEGINNING, TURN, WORDS, END, POINTS)


def _one_of(**sentences: str) -> Sentence:
    """A sentence for each word, `true` and `false` for those values."""
    return lambda _rules, _variant, value: sentences[
        str(value).lower() if isinstance(value, bool) else str(value)
    ]


def _number(sentence: str, thing: str = "", *, none: str = "") -> Sentence:
    """A sentence with the number in it, or counting a thing; another one for 0."""

    def told(_rules: Rules, _variant: Variant, value: Value) -> str:
        number = int(value) if isinstance(value, int) else 0
        return sentence.format(count(number, thing) if thing else number) if number else none

    return told


def _ranks(rules: Rules, _variant: Variant, _value: Value) -> str:
    jokers = rules.number("jokers")
    more = f" and {count(jokers, 'joker')}" if jokers else ""
    lowest = RANK[str(rules.cards[0])[0]]
    plain = sum(name != "XX" for name in rules.cards)
    return f"A pack has {plain} cards, from {lowest} to ace{more}."


def _packs(rules: Rules, variant: Variant, value: Value) -> str:
    least = count(rules.number("min_stock"), "card")
    if isinstance(value, int):
        return f"{count(value, 'pack').capitalize()}."
    if len(variant.packs) == 1 and variant.packs[0][1] == 1:
        told = "One pack"
    else:
        told = listed([f"{count(int(packs), 'pack')} up to {most} players" for most, packs in variant.packs])
    return f"{told[0].upper()}{told[1:]}; more where fewer than {least} would be left to draw."


def _deal(rules: Rules, variant: Variant, value: Value) -> str:
    if isinstance(value, int):
        return f"Everybody is dealt {count(value)}."
    by: dict[int, list[str]] = {}
    for seats, cards in sorted(variant.hands):
        if seats <= rules.seats[1]:
            by.setdefault(cards, []).append(NUMBER[seats])
    told = [f"{count(cards)} with {listed(seats, 'or')} players" for cards, seats in by.items()]
    return f"Everybody is dealt {', '.join(told)}, else five."


def _names(variant: Variant) -> bool:
    return any(card.wild or card.names in ("suit", "player_chooses") for card in variant.card)


def _if(holds: Callable[[Rules, Variant], object], sentence: Sentence) -> Sentence:
    """A sentence where there is something that it speaks of."""
    return lambda rules, variant, value: sentence(rules, variant, value) if holds(rules, variant) else ""


def _calls(_rules: Rules, variant: Variant) -> object:
    return variant.call.left or variant.call.out


def _silent(_rules: Rules, _variant: Variant, _value: Value) -> str:
    """It is told elsewhere."""
    return ""


# by option: where its sentence stands, and the sentence; in the order in which they are told
SENTENCES: Final[dict[str, tuple[str, Sentence]]] = {
    "ranks": (BEGINNING, _ranks),
    "jokers": (BEGINNING, _silent),  # told with the ranks
    "packs": (BEGINNING, _packs),
    "min_stock": (BEGINNING, _silent),  # told with the packs
    "deal": (BEGINNING, _deal),
    "cut_on": (
        BEGINNING,
        _one_of(
            true="Before the deal the player before the dealer cuts four times, and may keep up to three "
            "cards with an effect that he finds; if all four have one, the pack is shuffled and cut again.",
            false="",
        ),
    ),
    "cut_kept_count_in_deal": (
        BEGINNING,
        _if(
            lambda rules, _: rules.flag("cut_on"),
            _one_of(
                true="What he keeps is part of his hand.", false="What he keeps comes on top of his hand."
            ),
        ),
    ),
    "cut_max_repeat": (
        BEGINNING,
        _if(lambda rules, _: rules.flag("cut_on"), _number("The cut is repeated at most {}.", "time")),
    ),
    "start_card": (
        BEGINNING,
        _one_of(
            none="A card is turned up; it has no effect.",
            as_dealer="The card turned up counts as laid by the dealer and has its effect.",
            as_dealer_next_only="The card turned up counts as laid by the dealer for the next player only.",
            redraw_special="A card is turned up; while it is one with an effect, another one is.",
        ),
    ),
    "start_wild": (
        BEGINNING,
        _if(
            lambda _, variant: _names(variant),
            _one_of(
                printed_suit="If it is a wild card its own suit counts.",
                dealer_chooses="If it is a wild card the dealer names the suit.",
                free="If it is a wild card anything may follow.",
            ),
        ),
    ),
    "first_player": (
        BEGINNING,
        _one_of(
            left_of_dealer="The player after the dealer leads.",
            winner="The player after the dealer leads, in later deals the winner of the last one.",
        ),
    ),
    "dealer_rotation": (
        BEGINNING,
        _one_of(clockwise="After each deal the dealer moves on one seat clockwise."),
    ),
    "initial_dir": (TURN, lambda _r, _v, value: f"Play goes {'counter-' if value == -1 else ''}clockwise."),
    "voluntary_draw": (
        TURN,
        _one_of(true="Who can lay a card may draw instead.", false="Who can lay a card must."),
    ),
    "draw_until_playable": (
        TURN,
        _one_of(
            true="Who lays none draws until a card fits.",
            false="Who lays none draws one card.",
        ),
    ),
    "may_play_drawn": (
        TURN,
        _if(
            lambda rules, _: "play_after_draw" not in rules.options,
            _one_of(
                none="Who has drawn lays nothing in that turn.",
                drawn_only="The card drawn may be laid at once if it fits.",
                any="After it any card that fits may be laid.",
            ),
        ),
    ),
    "play_after_draw": (
        TURN,
        _one_of(
            true="The card drawn may be laid at once if it fits.",
            false="Who has drawn lays nothing in that turn.",
        ),
    ),
    "must_play_drawn": (TURN, _one_of(true="A drawn card that fits must be laid.", false="")),
    "wild_on_wild": (
        TURN,
        _if(
            lambda _, variant: _names(variant),
            _one_of(
                true="A wild card may be laid on a wild card.",
                false="A wild card may not be laid on a wild card.",
            ),
        ),
    ),
    "wish_any": (
        TURN,
        _if(
            lambda _, variant: _names(variant),
            _one_of(
                true="Any of the four suits may be named.",
                false="Neither the wild card's own suit nor the one in force may be named.",
            ),
        ),
    ),
    "reverse_two": (
        TURN,
        _if(
            lambda _, variant: any(card.reverse for card in variant.card),
            _one_of(
                again="Of two players who turns the direction round plays again.",
                no_effect="Between two players turning the direction round changes nothing.",
            ),
        ),
    ),
    "skip_responder": (
        TURN,
        _if(
            lambda rules, _: rules.word("skip_stack") == "accumulate",
            _one_of(
                first="Of several missed turns only the first player is asked for an answer.",
                all="Of several missed turns each player is asked for an answer.",
            ),
        ),
    ),
    "king_window": (
        TURN,
        _one_of(
            immediate="A king is thrown in before the next player begins.",
            next_zug="A king may be thrown in until the next player's turn is over.",
        ),
    ),
    "king_turn": (
        TURN,
        _one_of(
            original="After the last king the turn goes on where it was.",
            from_interjector="After the last king the turn goes on from who threw it in.",
        ),
    ),
    "king_row_min": (TURN, _number("A row of kings counts its sips from {} on.", "king")),
    "qr_real_queens": (
        TURN,
        _one_of(
            true="A queen round is begun and ended with a real queen.",
            false="A queen round may be begun and ended with a card that counts as a queen.",
        ),
    ),
    "qr_show_two": (
        TURN,
        _one_of(true="Who begins a queen round shows two queens.", false=""),
    ),
    "reshuffle_when": (
        TURN,
        _one_of(
            on_demand="When a card must be drawn and there is none, the pile is shuffled as the new stock,",
            when_empty="As soon as the stock is empty the pile is shuffled as the new stock,",
        ),
    ),
    "reshuffle_keep": (
        TURN,
        _one_of(
            top="but for its top card.",
            top_and_chain="but for its top card and the cards that are still owed for.",
        ),
    ),
    "overdraw": (TURN, _one_of(partial="Who must take more cards than there are takes what is there.")),
    "no_draw": (
        TURN,
        _one_of(play_or_pass="Where nothing can be drawn who can lay a card must, who cannot passes."),  # noqa: S106
    ),
    "detection": (
        WORDS,
        _if(
            _calls,
            _one_of(
                auto="",
                accuse="A word forgotten costs who is accused of it in time, a wrong accusation one card.",
            ),
        ),
    ),
    "mau_always": (
        WORDS,
        _one_of(
            true="The word is said also in a turn that ends the deal.",
            false="The word is not said in a turn that ends the deal.",
        ),
    ),
    "overdraw_to_side": (
        WORDS,
        _one_of(
            true="Cards drawn too many become penalty cards.",
            false="Cards drawn too many come into the hand.",
        ),
    ),
    "straf_pickup": (
        WORDS,
        _one_of(
            auto="Penalty cards come into the hand after one's next turn.",
            player="Penalty cards may be taken into the hand after one's next turn.",
        ),
    ),
    "plenum": (
        WORDS,
        _one_of(
            appeal="Who is accused may call the others together: they vote.",
            none="An accusation is judged at once, nobody votes.",
        ),
    ),
    "plenum_tie": (
        WORDS,
        _one_of(
            dismiss="If the votes are equal nobody is punished.",
            accuser="If the votes are equal the accuser is punished.",
        ),
    ),
    "mau_until": (
        WORDS,
        _one_of(
            own_zug="The word must come before one's own turn is over.",
            next_zug="The word must come before the next player's turn is over.",
        ),
    ),
    "accuse_until": (
        WORDS,
        _one_of(
            zug_after_next="A fault can be accused until the turn after the next one is over.",
            next_zug="A fault can be accused until the next turn is over.",
        ),
    ),
    "count_out": (
        WORDS,
        _one_of(
            true="When nobody acts the others count from one to five: who is counted out is punished.",
            false="",
        ),
    ),
    "deal_error_rate": (
        BEGINNING,
        _number(
            "Of a hundred cards dealt {} go wrong; the dealer's first error is free, each more costs a card."
        ),
    ),
    "places": (
        END,
        _if(
            lambda rules, _: not rules.word("hand_end"),
            _one_of(
                true="Play goes on until one player has cards left: places by the order of going out.",
                false="Who has laid his last card has won, and the deal is over.",
            ),
        ),
    ),
    "hand_end": (
        END,
        _one_of(
            last_left="Play goes on until one player has cards left: he has lost the deal.",
            first_out="Who has laid his last card has won, and the deal is over.",
        ),
    ),
    "final_effects": (
        END,
        _one_of(
            true="The card that ends the deal has its effect.",
            false="The card that ends the deal has no effect.",
        ),
    ),
    "blocked_result": (END, _one_of(no_winner="If all pass in a row the deal is over, and nobody has won.")),
    "max_decisions": (END, _number("A deal is stopped after {} decisions.")),
    "max_hands": (END, _number("A game is stopped after {} deals.")),
    "rounds": (END, _number("A game is {}.", "deal")),
    "scoring": (POINTS, _silent),  # these three are told with the clauses of scoring
    "score_table": (POINTS, _silent),
    "target": (POINTS, _silent),
}
