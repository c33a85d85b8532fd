"""Penalty cards: they lie face down in front of a seat and become cards to play with after its next Zug.

"Strafkarten werden, anders als Spielkarten nicht auf der Hand, sondern verdeckt auf dem Tisch am Platz des
bestraften Spielers gelagert." Nobody sees them before they are picked up, not even who has them.
"""

from __future__ import annotations

from maumau.game import stock
from maumau.game.action import Action
from maumau.game.cards import split_cards
from maumau.game.court import Court
from maumau.game.event import NOONE, Secret
from maumau.game.move import Move
from maumau.game.state import State


def give_penalty_card(d: State, seat: int) -> None:
    """The seat gets a penalty card, if there is one."""
    court = d.court
    bit = stock.draw_card(d, seat)
    if court is None or not bit:
        return
    d.hands[seat] ^= bit
    court.side[seat] += ((court.zug, bit),)
    court.lying |= bit
    d.log.append(Secret(seat, [bit], "side +1", NOONE))
    stock.refill_stock(d)


def has_penalty_cards(d: State, seat: int) -> bool:
    """Whether penalty cards lie in front of a seat: then it is not out."""
    return d.court is not None and bool(d.court.side[seat] or d.court.ripe[seat])


def count_penalty_cards(d: State) -> list[int] | None:
    """How many lie in front of each seat; None where there are none."""
    court = d.court
    if court is None:
        return None
    return [len(lying) + ripe.bit_count() for lying, ripe in zip(court.side, court.ripe, strict=True)]


def count_valid_cards(d: State, seat: int) -> int:
    """The cards a seat can play with: those in its hand and those in front of it that have ripened."""
    count = d.hands[seat].bit_count()
    return count if d.court is None else count + d.court.ripe[seat].bit_count()


def count_ripening_cards(court: Court, seat: int) -> int:
    """How many of a seat's penalty cards ripen when its present Zug is over: those it had before it began."""
    return sum(received < court.zug for received, _ in court.side[seat])


def ripen_cards(d: State, seat: int) -> bool:
    """Whether one has ripened now that the seat's Zug is over.

    "Nach dem nächsten ordentlichen Zug des Spielers wandelt sich eine Strafkarte in eine Spielkarte."
    """
    court, law = d.court, d.compiled.law
    if court is None or law is None or not court.side[seat] or not count_ripening_cards(court, seat):
        return False
    court.ripe[seat] |= sum(bit for received, bit in court.side[seat] if received < court.zug)
    court.side[seat] = tuple(lying for lying in court.side[seat] if lying[0] >= court.zug)
    if not law.by_player:
        gather_ripe_cards(d, seat)
    return True


def gather_ripe_cards(d: State, seat: int) -> None:
    """ "... und darf somit auf die Hand aufgenommen werden"."""
    court = d.court
    if court is None:
        return
    cards = court.ripe[seat]
    court.ripe[seat] = 0
    court.lying ^= cards
    d.hands[seat] |= cards
    d.log.append(Secret(seat, list(split_cards(cards)), f"side -{cards.bit_count()}"))


def pick_up_ripe_cards(d: State, seat: int, _move: Move, action: Action) -> None:
    """Where it is left to the player: he takes what has ripened, and decides again."""
    d.log.append(action.events()[seat])
    gather_ripe_cards(d, seat)
    d.compiled.refresh(d, seat)
