"""The plenum: an accused player may call it, and all players of the deal vote, the parties included.

"Danach wird per Handzeichen eine Entscheidung gefällt." "Bei Gleichstand der Stimmen im Plenum wird nach dem
Grundsatz 'In dubio pro reo' gehandelt und das Verfahren eingestellt." Facts are not voted on.
"""

from __future__ import annotations

from typing import Final

from maumau.game.legal.decision import refresh_decision
from maumau.game.model.court import Charge, Court, Paused, Violation
from maumau.game.model.move import HOLD, Move
from maumau.game.model.state import DONE, NOBODY, PAUSED, State, TurnProgress
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES, STRIDE
from maumau.game.table.window import open_question_window, take_replies

APPEAL: Final = ("appeal", "hold")
VOTES: Final = ("guilty", "innocent")


def hear_charges(d: State, _seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Hear the charges in their order, up to one that may be appealed; then let the deal go on."""
    court, law = d.court, d.compiled.law
    while court.charges:
        charge = court.charges[0]
        accused = charge.violation.seat
        if law.plenum and charge.violation.kind not in law.facts:
            open_question_window(d, "appeal", [accused], accused, APPEAL)
            return PAUSED
        court.charges = court.charges[1:]
        if convict_accused(d, charge.violation):
            court.paused = Paused(d, None)
    return _resume_deal(d, court)


def _resume_deal(d: State, court: Court) -> TurnProgress:
    """Return the turn that the charges have interrupted, or restore the decision that was due."""
    paused, court.paused = court.paused, None
    if paused is None:
        return DONE
    d.window = paused.window
    if d.window is not None:
        return d.window.turn
    d.seat, d.to_act, d.asks, d.menu = paused.seat, paused.to_act, paused.asks, paused.menu
    if d.seat != NOBODY:
        refresh_decision(d, d.seat)
    return DONE


def handle_appeal(d: State, _seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Open the vote if the accused calls the plenum, or punish them."""
    court, window = d.court, take_replies(d)
    if window is None:
        return DONE
    charge = court.charges[0]
    if window.replies[window.opener].word == "appeal":
        d.log.append(parse("appeal").events()[window.opener])
        seats = [seat for seat in range(d.seats) if d.active >> seat & 1]
        open_question_window(d, "vote", seats, charge.by, VOTES)
        return PAUSED
    court.charges = court.charges[1:]
    convict_accused(d, charge.violation)
    return HEARING


def count_votes(d: State, _seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Count the votes, each cast without knowing of the others."""
    court, law, window = d.court, d.compiled.law, take_replies(d)
    if window is None:
        return DONE
    charge = court.charges[0]
    court.charges = court.charges[1:]
    for seat in sorted(window.replies):
        d.log.append(window.replies[seat].events()[seat])
    against = sum(1 if vote.word == "guilty" else -1 for vote in window.replies.values())
    if against > 0:
        convict_accused(d, charge.violation)
    elif against < 0 or law.tie_accuser:
        d.compiled.calls.give_penalty_card(d, charge.by)
    return HEARING


HEARING: Final = TurnProgress(NOBODY, HOLD, parse("hold"), (hear_charges, handle_appeal, count_votes))


def get_current_charge(d: State) -> Charge | None:
    """Return the charge that is being heard."""
    return d.court.charges[0] if d.asks in ("appeal", "vote") else None


def convict_accused(d: State, violation: Violation) -> bool:
    """Give the seat a penalty card, and take back an illegal card if it is uncovered; return True if so."""
    d.compiled.calls.give_penalty_card(d, violation.seat)
    before = violation.before
    if before is None or d.topmost != violation.card or d.epoch is not before.epoch:
        return False
    _take_card_back(d, violation.seat, before)
    return True


def _take_card_back(d: State, seat: int, before: State) -> None:
    """Restore the state before the card was laid, except for later draws and calls."""
    card = d.topmost
    kept = (d.hands, d.stock, d.epoch, d.at, d.left, d.faults, d.log, d.court)
    d.fill(before)
    d.hands, d.stock, d.epoch, d.at, d.left, d.faults, d.log, d.court = kept
    d.hands[seat] |= card
    d.log.append(f"{SEATS[seat]} back {NAMES[(card.bit_length() - 1) % STRIDE]}")
    refresh_decision(d, seat)
