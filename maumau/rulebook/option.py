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
        told = listed(
            [f"{count(int(packs), 'pack')} for up to {most} players" for most, packs in variant.packs]
        )
    return f"{told[0].upper()}{told[1:]}; more if fewer than {least} would be left to draw."


def _deal(rules: Rules, variant: Variant, value: Value) -> str:
    if isinstance(value, int):
        return f"Each player is dealt {count(value)}."
    by: dict[int, list[str]] = {}
    for seats, cards in sorted(variant.hands):
        if seats <= rules.seats[1]:
            by.setdefault(cards, []).append(NUMBER[seats])
    told = [f"{count(cards)} with {listed(seats, 'or')} players" for cards, seats in by.items()]
    return f"Each player is dealt {', '.join(told)}, otherwise five."


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
            true="Before the deal the player before the dealer cuts the pack four times and may "
            "keep up to three "
            "of the cards found there that have an effect; if all four have one, the pack is "
            "shuffled and cut again.",
            false="",
        ),
    ),
    "cut_kept_count_in_deal": (
        BEGINNING,
        _if(
            lambda rules, _: rules.flag("cut_on"),
            _one_of(
                true="The cards kept are part of the hand.", false="The cards kept come on top of the hand."
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
            as_dealer="The card turned up counts as laid by the dealer, and its effect applies.",
            as_dealer_next_only="The card turned up counts as laid by the dealer for the next player only.",
            redraw_special="A card is turned up; if it has an effect, another one is turned up.",
        ),
    ),
    "start_wild": (
        BEGINNING,
        _if(
            lambda _, variant: _names(variant),
            _one_of(
                printed_suit="If it is a wild card, its own suit counts.",
                dealer_chooses="If it is a wild card, the dealer names the suit.",
                free="If it is a wild card, any card may follow.",
            ),
        ),
    ),
    "first_player": (
        BEGINNING,
        _one_of(
            left_of_dealer="The player after the dealer leads.",
            winner="The player after the dealer leads; in later deals the winner of the last one does.",
        ),
    ),
    "dealer_rotation": (
        BEGINNING,
        _one_of(clockwise="After each deal the dealer moves on one seat clockwise."),
    ),
    "initial_dir": (TURN, lambda _r, _v, value: f"Play goes {'counter-' if value == -1 else ''}clockwise."),
    "voluntary_draw": (
        TURN,
        _one_of(
            true="A player who can lay a card may draw instead.",
            false="A player who can lay a card must do so.",
        ),
    ),
    "draw_until_playable": (
        TURN,
        _one_of(
            true="A player who lays no card draws until one fits.",
            false="A player who lays no card draws one.",
        ),
    ),
    "may_play_drawn": (
        TURN,
        _if(
            lambda rules, _: "play_after_draw" not in rules.options,
            _one_of(
                none="A player who has drawn may not lay a card in that turn.",
                drawn_only="The card drawn may be laid at once if it fits.",
                any="After drawing, any card that fits may be laid.",
            ),
        ),
    ),
    "play_after_draw": (
        TURN,
        _one_of(
            true="The card drawn may be laid at once if it fits.",
            false="A player who has drawn may not lay a card in that turn.",
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
                again="With two players, whoever reverses the direction plays again.",
                no_effect="With two players, reversing the direction changes nothing.",
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
            original="After the last king the turn continues where it was.",
            from_interjector="After the last king the turn continues from the player who threw it in.",
        ),
    ),
    "king_row_min": (TURN, _number("A row of kings is drunk for from {} on.", "king")),
    "qr_real_queens": (
        TURN,
        _one_of(
            true="A queen round is begun and ended with a real queen.",
            false="A queen round may be begun and ended with a card that counts as a queen.",
        ),
    ),
    "qr_show_two": (
        TURN,
        _one_of(true="Whoever begins a queen round shows two queens.", false=""),
    ),
    "reshuffle_when": (
        TURN,
        _one_of(
            on_demand="When a card must be drawn and there is none, the pile is shuffled to become "
            "the new stock,",
            when_empty="As soon as the stock is empty, the pile is shuffled to become the new stock,",
        ),
    ),
    "reshuffle_keep": (
        TURN,
        _one_of(
            top="except for its top card.",
            top_and_chain="except for its top card and the cards whose penalty is still owed.",
        ),
    ),
    "overdraw": (
        TURN,
        _one_of(partial="A player who must take more cards than there are takes those that are left."),
    ),
    "no_draw": (
        TURN,
        _one_of(
            play_or_pass="If nothing can be drawn, a player who can lay a card must do so; "  # noqa: S106
            "one who cannot passes."
        ),
    ),
    "detection": (
        WORDS,
        _if(
            _calls,
            _one_of(
                auto="",
                accuse="A forgotten word is punished only if somebody accuses the player in time; a "
                "wrong accusation costs one card.",
            ),
        ),
    ),
    "mau_always": (
        WORDS,
        _one_of(
            true="The word must also be said in a turn that ends the deal.",
            false="The word need not be said in a turn that ends the deal.",
        ),
    ),
    "overdraw_to_side": (
        WORDS,
        _one_of(
            true="Cards drawn in excess become penalty cards.",
            false="Cards drawn in excess go into the hand.",
        ),
    ),
    "straf_pickup": (
        WORDS,
        _one_of(
            auto="Penalty cards go into the hand after the player's next turn.",
            player="Penalty cards may be taken into the hand after the player's next turn.",
        ),
    ),
    "plenum": (
        WORDS,
        _one_of(
            appeal="An accused player may appeal to the plenum: all players vote.",
            none="An accusation is judged at once; nobody votes.",
        ),
    ),
    "plenum_tie": (
        WORDS,
        _one_of(
            dismiss="If the votes are equal, nobody is punished.",
            accuser="If the votes are equal, the accuser is punished.",
        ),
    ),
    "mau_until": (
        WORDS,
        _one_of(
            own_zug="The word must be said before the player's own turn is over.",
            next_zug="The word must be said before the next player's turn is over.",
        ),
    ),
    "accuse_until": (
        WORDS,
        _one_of(
            zug_after_next="A violation can be accused until the turn after the next one is over.",
            next_zug="A violation can be accused until the next turn is over.",
        ),
    ),
    "count_out": (
        WORDS,
        _one_of(
            true="When a player does not act, the others count from one to five; whoever is counted "
            "out is punished.",
            false="",
        ),
    ),
    "deal_error_rate": (
        BEGINNING,
        _number(
            "Of a hundred cards dealt, {} are misdealt; the dealer's first error is free, each "
            "further one costs a card."
        ),
    ),
    "places": (
        END,
        _if(
            lambda rules, _: not rules.word("hand_end"),
            _one_of(
                true="Play continues until only one player has cards left; places go by the order "
                "of going out.",
                false="The player who lays their last card wins, and the deal is over.",
            ),
        ),
    ),
    "hand_end": (
        END,
        _one_of(
            last_left="Play continues until only one player has cards left, who has lost the deal.",
            first_out="The player who lays their last card wins, and the deal is over.",
        ),
    ),
    "final_effects": (
        END,
        _one_of(
            true="The effect of the card that ends the deal still applies.",
            false="The card that ends the deal has no effect.",
        ),
    ),
    "blocked_result": (
        END,
        _one_of(no_winner="If all players pass in a row, the deal is over and nobody has won."),
    ),
    "max_decisions": (END, _number("A deal is stopped after {} decisions.")),
    "max_hands": (END, _number("A game is stopped after {} deals.")),
    "rounds": (END, _number("A game has {}.", "deal")),
    "scoring": (POINTS, _silent),  # these three are told with the clauses of scoring
    "score_table": (POINTS, _silent),
    "target": (POINTS, _silent),
}
