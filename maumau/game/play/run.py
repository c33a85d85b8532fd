"""Functions that carry out the kinds of move, and the replies to a window."""

from __future__ import annotations

from typing import Final

from maumau.game.features import chain
from maumau.game.model.move import Kind, Run
from maumau.game.model.state import State
from maumau.game.notation.action import Action
from maumau.game.play import act, doubt, foul, start
from maumau.game.play.turn import resume_turn
from maumau.game.table.end import finish_deal
from maumau.game.table.window import keep_reply

RUNS: Final[dict[Kind, Run]] = {
    "accept_claim": doubt.accept_claim,
    "accept_dealers_wish": start.accept_dealers_wish,
    "accept_missed_turn": act.accept_missed_turn,
    "continue_drawing": act.continue_drawing,
    "doubt_claim": doubt.doubt_claim,
    "draw_after_kings": act.draw_after_kings,
    "draw_and_choose": act.draw_and_choose,
    "draw_and_end_turn": act.draw_and_end_turn,
    "draw_on_turn": act.draw_on_turn,
    "draw_too_many": foul.draw_too_many,
    "draw_until_covered": act.draw_until_covered,
    "end_chain": chain.end_chain,
    "keep_cut_cards": start.keep_cut_cards,
    "lay_card": act.lay_card,
    "lay_cards": act.lay_cards,
    "lay_face_down": doubt.lay_face_down,
    "lay_illegal_card": foul.lay_illegal_card,
    "lay_rescue_card": act.lay_rescue_card,
    "lay_transparent_card": act.lay_transparent_card,
    "pass_turn": act.pass_turn,
    "pass_with_nothing_to_draw": act.pass_with_nothing_to_draw,
    "pick_up_ripe_cards": act.pick_up_ripe_cards,
    "take_owed_cards": act.take_owed_cards,
}


def carry_out_reply(d: State, seat: int, action: Action) -> bool:
    """Carry out a reply to the open window; return False, and change nothing, if it is not allowed."""
    last = d.to_act == (seat,)  # asked together, all may reply, though it is one decision too many
    if not keep_reply(d, seat, action):
        return False
    if not d.to_act:
        resume_turn(d)
    if last and d.left <= 0 and not d.over:
        finish_deal(d)
    return True
