"""Penalty cards: they lie face down in front of a seat and become cards to play with after its next Zug.

"Strafkarten werden, anders als Spielkarten nicht auf der Hand, sondern verdeckt auf dem Tisch am Platz des
bestraften Spielers gelagert." Nobody sees them before they are picked up, not even who has them.
"""

from __future__ import annotations

from maumau.game.model.court import Court, Violation
from maumau.game.model.state import State
from maumau.game.notation.cards import split_cards
from maumau.game.notation.event import Secret


def has_penalty_cards(d: State, seat: int) -> bool:
    """Return True if penalty cards lie in front of a seat, which then is not out."""
    return bool(d.court.side[seat] or d.court.ripe[seat])


def count_penalty_cards(d: State) -> list[int]:
    """Return the number of cards in front of each seat."""
    court = d.court
    return [len(court.side[seat]) + court.ripe[seat].bit_count() for seat in range(d.seats)]


def count_valid_cards(d: State, seat: int) -> int:
    """Return the number of the seat's valid cards: in its hand, and ripened ones in front of it."""
    return d.hands[seat].bit_count() + d.court.ripe[seat].bit_count()


def count_ripening_cards(court: Court, seat: int) -> int:
    """Return the number of a seat's penalty cards that ripen after its present Zug: those from before it."""
    return sum(received < court.zug for received, _ in court.side[seat])


def ripen_cards(d: State, seat: int) -> bool:
    """Ripen penalty cards at the end of the seat's Zug; return True if any has ripened.

    "Nach dem nächsten ordentlichen Zug des Spielers wandelt sich eine Strafkarte in eine Spielkarte."
    """
    court, law = d.court, d.compiled.law
    if not court.side[seat] or not count_ripening_cards(court, seat):
        return False
    court.ripe[seat] |= sum(bit for received, bit in court.side[seat] if received < court.zug)
    court.side[seat] = tuple(lying for lying in court.side[seat] if lying[0] >= court.zug)
    if not law.by_player:
        gather_ripe_cards(d, seat)
    return True


def gather_ripe_cards(d: State, seat: int) -> None:
    """Move the penalty cards that a seat may take by now into its hand.

    "... und darf somit auf die Hand aufgenommen werden".
    """
    court = d.court
    cards = court.ripe[seat]
    court.ripe[seat] = 0
    court.lying ^= cards
    d.hands[seat] |= cards
    d.log.append(Secret(seat, list(split_cards(cards)), f"side -{cards.bit_count()}"))


def commit_violation(d: State, seat: int, kind: str, before: State | None = None, card: int = 0) -> None:
    """Note a violation by the seat so that it can be accused, or punish it at once."""
    law, court = d.compiled.law, d.court
    if kind not in law.kinds:
        return
    violation = Violation(seat, kind, law.span, court.zug)
    violation.before, violation.card = before, card
    if law.reports:
        court.guilt += (violation,)
    else:
        d.compiled.calls.give_penalty_card(d, seat)
