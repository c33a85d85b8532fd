"""The plenum: who is accused may call it, and all players of the deal vote, the parties included.

"Danach wird per Handzeichen eine Entscheidung gefällt." "Bei Gleichstand der Stimmen im Plenum wird nach dem
Grundsatz 'In dubio pro reo' gehandelt und das Verfahren eingestellt." Facts are not voted on.
"""

from __future__ import annotations

from typing import Final

from maumau.game import side
from maumau.game.action import SEATS, parse
from maumau.game.cards import NAMES, STRIDE
from maumau.game.court import Charge, Paused, Violation
from maumau.game.state import NOBODY, State
from maumau.game.window import Window, open_question_window

APPEAL: Final = ("appeal", "hold")
VOTES: Final = ("guilty", "innocent")


def hear_charges_after_window(d: State, window: Window) -> None:
    """All have answered the window in which there were accusations: these are heard before it has effects."""
    court = d.court
    if court is not None:
        court.paused = Paused(d, window, court.resume)
        court.resume = None
        hear_charges(d)


def hear_charges(d: State) -> None:
    """The charges in their order; then the deal goes on."""
    court, law = d.court, d.compiled.law
    if court is None or law is None:
        return
    while court.charges:
        charge = court.charges[0]
        accused = charge.violation.seat
        if law.plenum and charge.violation.kind not in law.facts:
            open_question_window(d, "appeal", [accused], accused, APPEAL, _handle_appeal)
            return
        court.charges = court.charges[1:]
        if convict_accused(d, charge.violation):
            court.paused = Paused(d, None, None)
    _resume_deal(d)


def _resume_deal(d: State) -> None:
    paused = d.court.paused if d.court is not None else None
    if d.court is None or paused is None:
        return
    d.court.paused = None
    if paused.window is not None and paused.resume is not None:
        paused.resume(d, paused.window)
        return
    d.window = None
    d.seat, d.to_act, d.asks, d.menu = paused.seat, paused.to_act, paused.asks, paused.menu
    if d.seat != NOBODY:
        d.compiled.refresh(d, d.seat)


def _handle_appeal(d: State, window: Window) -> None:
    """The accused calls the plenum, or takes his card."""
    court = d.court
    if court is None:
        return
    charge = court.charges[0]
    if window.replies[window.opener].word == "appeal":
        d.log.append(parse("appeal").events()[window.opener])
        seats = [seat for seat in range(d.seats) if d.active >> seat & 1]
        open_question_window(d, "vote", seats, charge.by, VOTES, _count_votes)
        return
    court.charges = court.charges[1:]
    convict_accused(d, charge.violation)
    hear_charges(d)


def _count_votes(d: State, window: Window) -> None:
    """All have voted, each without knowing of the others."""
    court, law = d.court, d.compiled.law
    if court is None or law is None:
        return
    charge = court.charges[0]
    court.charges = court.charges[1:]
    for seat in sorted(window.replies):
        d.log.append(window.replies[seat].events()[seat])
    against = sum(1 if vote.word == "guilty" else -1 for vote in window.replies.values())
    if against > 0:
        convict_accused(d, charge.violation)
    elif against < 0 or law.tie_accuser:
        side.give_penalty_card(d, charge.by)
    hear_charges(d)


def get_current_charge(d: State) -> Charge | None:
    """The charge that is being heard."""
    return d.court.charges[0] if d.court is not None and d.asks in ("appeal", "vote") else None


def convict_accused(d: State, violation: Violation) -> bool:
    """A penalty card; and a card laid against the rules goes back, if nothing lies on it. Whether it did."""
    side.give_penalty_card(d, violation.seat)
    before = violation.before
    if before is None or d.topmost != violation.card or d.epoch is not before.epoch:
        return False
    _take_card_back(d, violation.seat, before)
    return True


def _take_card_back(d: State, seat: int, before: State) -> None:
    """All is as it was before the card was laid, but for what has been drawn and said since."""
    card = d.topmost
    kept = (d.hands, d.stock, d.next_card, d.epoch, d.at, d.left, d.faults, d.log, d.court)
    d.fill(before)
    d.hands, d.stock, d.next_card, d.epoch, d.at, d.left, d.faults, d.log, d.court = kept
    d.hands[seat] |= card
    d.log.append(f"{SEATS[seat]} back {NAMES[(card.bit_length() - 1) % STRIDE]}")
    d.compiled.refresh(d, seat)
