"""Mau and Mau-Mau under the law: who must say it, until when, and what is wrongly said.

"Der Spieler muss unmittelbar dann Mau sagen, sobald er lediglich eine gültige Karte auf der Hand oder vor
sich liegen hat." Valid are the cards in hand, and penalty cards that have ripened.
"""

from __future__ import annotations

from typing import Final

from maumau.game import side
from maumau.game.action import Action
from maumau.game.law import commit_violation
from maumau.game.state import NOBODY, State

FALSE: Final = ("", "false_mau", "false_mau_mau")


def count_final_cards(d: State, seat: int, *, mine: bool, less: int = 0) -> int:
    """The valid cards of a seat when this Zug is over: penalty cards of earlier Züge have ripened in its own.

    "Falls noch eine Strafkarte vor sich liegt, muss nach dem regulären Zug Mau gesagt werden" (mau_always).
    """
    law, court = d.compiled.law, d.court
    count = side.count_valid_cards(d, seat) - less
    if law is None or court is None:
        return count
    if law.always:
        return count + len(court.side[seat])
    return count + side.count_ripening_cards(court, seat) if mine else count


def is_own_turn(d: State, seat: int) -> bool:
    """Whether the Zug that is going on is the seat's own; a window may have interrupted it."""
    if d.court is not None and d.court.owner != NOBODY:
        return d.court.owner == seat
    interrupted = d.row if d.window is None else d.window
    return d.seat == seat or (d.seat == NOBODY and interrupted is not None and interrupted.seat == seat)


def judge_call(d: State, seat: int, action: Action) -> None:
    """An action has been carried out: was its call right, and must the seat say Mau now?

    "Mau-Mau ... am Spielende ..., ansonsten ist dieser Ausruf zu unterlassen."
    """
    court = d.court
    if court is None:
        return
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
    """What the seat has said, or not said, was for cards it has no more."""
    if d.court is not None:
        d.court.settled &= ~(1 << seat)
        d.court.silent.pop(seat, None)


def mark_suspect(d: State, seat: int) -> None:
    """A Zug leaves its player with one valid card or none: the others will be asked."""
    if d.court is not None and side.count_valid_cards(d, seat) < 2:
        d.court.marked |= 1 << seat


def get_due_call(d: State, seat: int, action: Action) -> str:
    """The call that a listed action owes."""
    court, law = d.court, d.compiled.law
    if court is None or law is None or "mau" not in law.kinds:
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
    """Whether these cards are the last ones, and may be."""
    stays = d.compiled.powers[action.cards[-1]].stays
    return (
        len(action.cards) == d.hands[seat].bit_count() and not side.has_penalty_cards(d, seat) and not stays
    )


def _needs_special_call(d: State, code: int) -> bool:
    """The word for going out with a jack."""
    rule = d.compiled.out
    return rule is not None and bool(rule.double >> code & 1)


def _has_said(d: State, seat: int, laid: int) -> bool:
    """Whether Mau has been said for the one card that is laid now."""
    return laid == 1 and d.court is not None and bool(d.court.settled >> seat & 1)


def judge_last_call(d: State, seat: int, code: int, action: Action) -> None:
    """The last card has been laid: "der Ausruf Mau-Mau muss mit dem Ablegen eines Buben ausgestoßen werden".

    "Der Spieler darf das Ablegen nicht mit einem Ausruf beenden."
    """
    law = d.compiled.law
    always = law is not None and law.always
    d.doubled_winner = seat if action.call == 2 and _needs_special_call(d, code) else NOBODY
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
    if court is None or seat not in court.silent:
        return False
    court.tell(d.log)
    d.log.append(action.events()[seat])
    if action.call == 1:
        court.settled |= 1 << seat
        del court.silent[seat]
    else:
        commit_violation(d, seat, FALSE[action.call])
    return True
