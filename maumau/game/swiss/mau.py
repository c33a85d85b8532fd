"""Mau and Mau-Mau under the law: who must call, until when, and which calls are wrong.

"Der Spieler muss unmittelbar dann Mau sagen, sobald er lediglich eine gültige Karte auf der Hand oder vor
sich liegen hat." Valid are the cards in hand, and penalty cards that have ripened.
"""

from __future__ import annotations

from typing import Final

from maumau.game.model.state import NOBODY, State, edit_calls
from maumau.game.notation.action import Action
from maumau.game.table import side
from maumau.game.table.side import commit_violation

FALSE: Final = ("", "false_mau", "false_mau_mau")


def count_final_cards(d: State, seat: int, *, mine: bool, less: int = 0) -> int:
    """Return the seat's valid cards after this Zug: its own (`mine`) ripens penalty cards of earlier Züge.

    "Falls noch eine Strafkarte vor sich liegt, muss nach dem regulären Zug Mau gesagt werden" (mau_always).
    """
    law, court = d.compiled.law, d.court
    count = side.count_valid_cards(d, seat) - less
    if law.always:
        return count + len(court.side[seat])
    return count + side.count_ripening_cards(court, seat) if mine else count


def is_own_turn(d: State, seat: int) -> bool:
    """Return True if the current Zug is the seat's own; a window may have interrupted it."""
    if d.court.owner != NOBODY:
        return d.court.owner == seat
    turn = d.features.interrupted if d.window is None else d.window.turn
    return d.seat == seat or (d.seat == NOBODY and turn.seat == seat)


def judge_call(d: State, seat: int, action: Action) -> None:
    """Judge the call of an action just carried out, and note whether the seat must say Mau now.

    "Mau-Mau ... am Spielende ..., ansonsten ist dieser Ausruf zu unterlassen."
    """
    court = d.court
    mine = is_own_turn(d, seat)
    if not action.word:
        forget_call(d, seat)
    one = 1 in (side.count_valid_cards(d, seat), count_final_cards(d, seat, mine=mine))
    if action.call == 1 and one:
        court.settled |= 1 << seat
        court.silent.pop(seat, None)
    elif action.call:
        commit_violation(d, seat, FALSE[action.call])
    if not one:
        forget_call(d, seat)
    elif not court.settled >> seat & 1:
        court.silent.setdefault(seat, court.zug)
    mark_suspect(d, seat)


def forget_call(d: State, seat: int) -> None:
    """Forget the seat's call, or its silence: its cards have changed."""
    d.court.settled &= ~(1 << seat)
    d.court.silent.pop(seat, None)


def mark_suspect(d: State, seat: int) -> None:
    """Mark a seat left with one valid card or none in a Zug: the others will be asked."""
    if side.count_valid_cards(d, seat) < 2:
        d.court.marked |= 1 << seat


def get_due_call(d: State, seat: int, action: Action) -> str:
    """Return the call that a listed action owes."""
    court, law = d.court, d.compiled.law
    if "mau" not in law.kinds:
        return ""
    mine = is_own_turn(d, seat)
    if action.word:
        last = action.word == "pass" and count_final_cards(d, seat, mine=mine) == 1
        return "!" if last and not court.settled >> seat & 1 else ""
    less = len(action.cards)
    if goes_out(d, seat, action):
        if _needs_special_call(d, action.cards[-1]):
            return "!!"
        return "!" if law.always and not _has_said(d, seat, less) else ""
    return "!" if count_final_cards(d, seat, mine=mine, less=less) == 1 else ""


def goes_out(d: State, seat: int, action: Action) -> bool:
    """Return True if these cards are the last ones and may be the last."""
    stays = d.compiled.powers[action.cards[-1]].stays
    return (
        len(action.cards) == d.hands[seat].bit_count() and not side.has_penalty_cards(d, seat) and not stays
    )


def _needs_special_call(d: State, code: int) -> bool:
    """Return True if going out with this card needs the special word, as with a jack."""
    rule = d.compiled.out
    return bool(rule.double >> code & 1)


def _has_said(d: State, seat: int, laid: int) -> bool:
    """Return True if Mau has been said for the one card that is laid now."""
    return laid == 1 and bool(d.court.settled >> seat & 1)


def judge_last_call(d: State, seat: int, code: int, action: Action) -> None:
    """Judge a last card's call: "der Ausruf Mau-Mau muss mit dem Ablegen eines Buben ausgestoßen werden".

    "Der Spieler darf das Ablegen nicht mit einem Ausruf beenden."
    """
    law = d.compiled.law
    always = law.always
    doubled = seat if action.call == 2 and _needs_special_call(d, code) else NOBODY
    if d.calls.doubled_winner != doubled:
        edit_calls(d).doubled_winner = doubled
    if _needs_special_call(d, code):
        if action.call != 2:
            commit_violation(d, seat, "mau_mau")
    elif action.call == 2 or (action.call and not always):
        commit_violation(d, seat, FALSE[action.call])
    elif always and not action.call and not _has_said(d, seat, len(action.cards)):
        commit_violation(d, seat, "mau")


def make_late_call(d: State, seat: int, action: Action) -> bool:
    """Mau said alone, while its time is not over."""
    court = d.court
    if seat not in court.silent:
        return False
    court.note_closed_windows(len(d.log))
    d.log.append(action.events()[seat])
    if action.call == 1:
        court.settled |= 1 << seat
        del court.silent[seat]
    else:
        commit_violation(d, seat, FALSE[action.call])
    return True
