"""The dealer's errors (`deal_error_rate`, per cent of the cards dealt) and their penalty.

"Beim anspielen der Karten darf der Geber lediglich einen Angabefehler machen, darauf folgende Fehler werden
mit einer Strafkarte bestraft." A card exposed or given to the wrong seat goes back, and another is dealt.
"""

from __future__ import annotations

from typing import Final

from maumau.game.model.chance import Stream
from maumau.game.model.state import State
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, STRIDE

ERROR: Final = "error "


def deal_wrong_cards(d: State, pack: list[int], stream: Stream, at: int) -> int:
    """Deal the wrongly dealt cards anew from the stream `error`; return the place of the card to turn up.

    For each card of each hand, in the order dealt, a number below 100; below the rate it is an error, and a
    number below 2 says which: 0 the card was exposed, 1 it went to the wrong seat. The next card of the pack
    takes its place.
    """
    chance = Stream(d.seed, b"error\0")
    for seat, hand in enumerate(d.made.dealt):
        for place, card in enumerate(hand):
            if chance.below(100) >= d.compiled.dealing.errors or at + 1 >= len(pack):
                continue
            shown = f" {NAMES[(card.bit_length() - 1) % STRIDE]}" if chance.below(2) == 0 else ""
            d.log.append(f"{ERROR}{SEATS[seat]}{shown}")
            hand[place] = pack[at]
            at += 1
            stream.shuffle(pack, at, at + 1)
    return at


def punish_dealer(d: State, dealer: int) -> None:
    """Give the dealer a penalty card for each error but the first."""
    made = sum(isinstance(event, str) and event.startswith(ERROR) for event in d.log)
    for _ in range(1, made):
        d.compiled.calls.give_penalty_card(d, dealer)
