"""Wording for options that no clause covers: the place on the page, and a sentence for each value."""

from __future__ import annotations

from typing import Final

from maumau.rulebook.sentence import (
    Sentence,
    has_calls,
    names_suit,
    number_of,
    one_of,
    only_if,
    say_nothing,
    tell_deal,
    tell_king_turn,
    tell_packs,
    tell_ranks,
    tell_start_card,
    tell_wild_on_wild,
)

BEGINNING, TURN, WORDS, END, POINTS = "The beginning", "A turn", "Words and faults", "The end", "Points"
SECTIONS: Final = (BEGINNING, TURN, WORDS, END, POINTS)

# by option: the section of its sentence, and the sentence; in the order of the page
SENTENCES: Final[dict[str, tuple[str, Sentence]]] = {
    "ranks": (BEGINNING, tell_ranks),
    "jokers": (BEGINNING, say_nothing),  # in the sentence on the ranks
    "packs": (BEGINNING, tell_packs),
    "min_stock": (BEGINNING, say_nothing),  # in the sentence on the packs
    "deal": (BEGINNING, tell_deal),
    "cut_on": (
        BEGINNING,
        one_of(
            true="Before the deal the player before the dealer cuts the pack four times and may "
            "keep up to three "
            "of the cards found there that have an effect; if all four have one, the pack is "
            "shuffled and cut again.",
            false="",
        ),
    ),
    "cut_kept_count_in_deal": (
        BEGINNING,
        only_if(
            lambda rules, _: rules.flag("cut_on"),
            one_of(
                true="The cards kept are part of the hand.",
                false="The cards kept are in addition to the hand.",
            ),
        ),
    ),
    "cut_max_repeat": (
        BEGINNING,
        only_if(lambda rules, _: rules.flag("cut_on"), number_of("The cut is repeated at most {}.", "time")),
    ),
    "start_card": (
        BEGINNING,
        tell_start_card,
    ),
    "start_wild": (
        BEGINNING,
        only_if(
            lambda _, variant: names_suit(variant),
            one_of(
                printed_suit="If it is a wild card, its own suit counts.",
                dealer_chooses="If it is a wild card, the dealer names the suit.",
                free="If it is a wild card, any card may follow.",
            ),
        ),
    ),
    "first_player": (
        BEGINNING,
        one_of(
            left_of_dealer="The player after the dealer leads.",
            winner="The player after the dealer leads; in later deals the winner of the last one does.",
        ),
    ),
    "dealer_rotation": (
        BEGINNING,
        one_of(clockwise="After each deal the dealer moves on one seat clockwise."),
    ),
    "initial_dir": (TURN, lambda _r, _v, value: f"Play goes {'counter-' if value == -1 else ''}clockwise."),
    "voluntary_draw": (
        TURN,
        one_of(
            true="A player who can lay a card may draw instead.",
            false="A player who can lay a card must do so.",
        ),
    ),
    "draw_until_playable": (
        TURN,
        one_of(
            true="A player who lays no card draws until one fits.",
            false="A player who lays no card draws one.",
        ),
    ),
    "may_play_drawn": (
        TURN,
        only_if(
            lambda rules, _: "play_after_draw" not in rules.options,
            one_of(
                none="A player who has drawn may not lay a card in that turn.",
                drawn_only="The card drawn may be laid at once if it fits.",
                any="After drawing, any card that fits may be laid.",
            ),
        ),
    ),
    "play_after_draw": (
        TURN,
        one_of(
            true="The card drawn may be laid at once if it fits.",
            false="A player who has drawn may not lay a card in that turn.",
        ),
    ),
    "must_play_drawn": (TURN, one_of(true="A drawn card that fits must be laid.", false="")),
    "wild_on_wild": (
        TURN,
        tell_wild_on_wild,
    ),
    "wish_any": (
        TURN,
        only_if(
            lambda _, variant: names_suit(variant),
            one_of(
                true="Any of the four suits may be named.",
                false="Neither the wild card's own suit nor the one in force may be named.",
            ),
        ),
    ),
    "reverse_two": (
        TURN,
        only_if(
            lambda _, variant: any(card.reverse for card in variant.card),
            one_of(
                again="With two players, whoever reverses the direction plays again.",
                no_effect="With two players, reversing the direction changes nothing.",
            ),
        ),
    ),
    "skip_responder": (
        TURN,
        only_if(
            lambda rules, _: rules.word("skip_stack") == "accumulate",
            one_of(
                first="When several turns are to be missed, only the first player may answer.",
                all="When several turns are to be missed, each of the players may answer.",
            ),
        ),
    ),
    "king_window": (
        TURN,
        one_of(
            immediate="A king is thrown in before the next player begins.",
            next_zug="A king may be thrown in until the next player's turn is over.",
        ),
    ),
    "king_turn": (
        TURN,
        tell_king_turn,
    ),
    "king_row_min": (TURN, number_of("Players drink for a row of at least {}.", "king")),
    "qr_real_queens": (
        TURN,
        one_of(
            true="A queen round must begin and end with a real queen.",
            false="A queen round may begin and end with a card that counts as a queen.",
        ),
    ),
    "qr_show_two": (
        TURN,
        one_of(true="Whoever begins a queen round shows two queens.", false=""),
    ),
    "reshuffle_when": (
        TURN,
        one_of(
            on_demand="When a card must be drawn and there is none, the pile is shuffled to become "
            "the new stock,",
            when_empty="As soon as the stock is empty (or at the next draw, if only the top card lies in the "
            "pile then), the pile is shuffled to become the new stock,",
        ),
    ),
    "reshuffle_keep": (
        TURN,
        one_of(
            top="except for its top card.",
            top_and_chain="except for its top card and the cards whose penalty is still owed.",
        ),
    ),
    "overdraw": (
        TURN,
        one_of(partial="A player who must take more cards than there are takes those that are left."),
    ),
    "no_draw": (
        TURN,
        one_of(
            play_or_pass="If nothing can be drawn, a player who can lay a card must do so; "  # noqa: S106
            "one who cannot passes."
        ),
    ),
    "detection": (
        WORDS,
        only_if(
            has_calls,
            one_of(
                auto="",
                accuse="A forgotten word is punished only if somebody accuses the player in time; a "
                "wrong accusation costs one card.",
            ),
        ),
    ),
    "mau_always": (
        WORDS,
        one_of(
            true="The word must also be said in a turn that ends the deal.",
            false="The word need not be said in a turn that ends the deal.",
        ),
    ),
    "overdraw_to_side": (
        WORDS,
        one_of(
            true="Cards drawn in excess become penalty cards.",
            false="Cards drawn in excess go into the hand.",
        ),
    ),
    "straf_pickup": (
        WORDS,
        one_of(
            auto="Penalty cards go into the hand after the player's next turn.",
            player="Penalty cards may be taken into the hand after the player's next turn.",
        ),
    ),
    "plenum": (
        WORDS,
        one_of(
            appeal="An accused player may appeal to the plenum: all players vote.",
            none="An accusation is judged at once; nobody votes.",
        ),
    ),
    "plenum_tie": (
        WORDS,
        one_of(
            dismiss="If the votes are equal, nobody is punished.",
            accuser="If the votes are equal, the accuser is punished.",
        ),
    ),
    "mau_until": (
        WORDS,
        one_of(
            own_zug="The word must be said before the player's own turn is over.",
            next_zug="The word must be said before the next player's turn is over.",
        ),
    ),
    "accuse_until": (
        WORDS,
        one_of(
            zug_after_next="A violation can be accused until the turn after the next one is over.",
            next_zug="A violation can be accused until the next turn is over.",
        ),
    ),
    "count_out": (
        WORDS,
        one_of(
            true="When a player does not act, the others count from one to five; whoever is counted "
            "out is punished.",
            false="",
        ),
    ),
    "deal_error_rate": (
        BEGINNING,
        number_of(
            "Of a hundred cards dealt, {} are misdealt; the dealer's first error is free, each "
            "further one costs a card."
        ),
    ),
    "places": (
        END,
        only_if(
            lambda rules, _: not rules.word("hand_end"),
            one_of(
                true="Play continues until only one player has cards left; places go by the order "
                "of going out.",
                false="The player who lays their last card wins, and the deal is over.",
            ),
        ),
    ),
    "hand_end": (
        END,
        one_of(
            last_left="Play continues until only one player has cards left, who has lost the deal.",
            first_out="The player who lays their last card wins, and the deal is over.",
        ),
    ),
    "final_effects": (
        END,
        one_of(
            true="The effect of the card that ends the deal still applies.",
            false="The card that ends the deal has no effect.",
        ),
    ),
    "blocked_result": (
        END,
        one_of(no_winner="If all players pass in a row, the deal is over and nobody has won."),
    ),
    "max_decisions": (END, number_of("A deal is stopped after {} decisions.")),
    "max_hands": (END, number_of("A game is stopped after {} deals.")),
    "rounds": (END, number_of("A game has {}.", "deal")),
    "scoring": (POINTS, say_nothing),  # these three are in the sentences on scoring clauses
    "score_table": (POINTS, say_nothing),
    "target": (POINTS, say_nothing),
}
