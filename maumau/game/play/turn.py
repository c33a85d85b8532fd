"""Turns: what happens in which order when a card is laid, when a turn ends, and after a question.

A turn is a list of stages. A stage does its part and returns None; the next one follows. One that asks
somebody opens a window and returns PAUSED: when all have replied, `resume_turn` goes on with the next stage,
which takes the replies. A stage may also return another turn to go on with: the same seat's with other
stages, or that of somebody who has thrown in a card; DONE has no stages.
"""

from __future__ import annotations

from typing import Final

from maumau.game.features import kings, queens
from maumau.game.features.effect import EFFECTS
from maumau.game.features.race import ask_reaction_times, punish_slowest
from maumau.game.features.registry import OWN_STAGES
from maumau.game.features.swap import swap_hands
from maumau.game.legal.decision import (
    ask_again,
    ask_for_cover,
    begin_turn,
    limit_last_card,
    list_other_seats,
    offer_actions,
    offer_after_draw,
    pass_to_next_seat,
)
from maumau.game.model.compiled import NOTHING, PASS, CompiledRules
from maumau.game.model.move import Move, Need, Stage
from maumau.game.model.state import (
    ALONE,
    DONE,
    NOBODY,
    PAUSED,
    State,
    TurnProgress,
    edit_calls,
    edit_features,
)
from maumau.game.notation.action import Action
from maumau.game.play.turn_end import (
    ask_for_accusations,
    begin_first_zug,
    check_call_without_card,
    end_turn,
    end_zug,
)
from maumau.game.ruleset.power import COVERS
from maumau.game.swiss.plenum import HEARING
from maumau.game.table import side, stock
from maumau.game.table.end import put_out, would_end_deal
from maumau.game.table.lay import throw_card
from maumau.game.table.window import first_reply, open_hold_window, take_replies

# --- a card is laid --------------------------------------------------------------------------------------


def apply_effects(d: State, seat: int, move: Move, _action: Action) -> TurnProgress | None:
    """Apply the effects of the card, in the order of `power.ORDER`."""
    for name in move.effects:
        EFFECTS[name](d, seat, move)
    return None


def settle_missed_call(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Charge another seat whose call is still missing now that this one has acted."""
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    return None


def judge_own_call(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Judge what its player said with the card, or swap hands, after which no call is owed."""
    if move.power.swap and move.target >= 0:
        swap_hands(d, seat, move.target)
    else:
        d.compiled.calls.judge_card(d, seat, move, action)
    return None


def ask_for_kings(d: State, seat: int, move: Move, _action: Action) -> TurnProgress | None:
    """Ask who can throw in a card on this one. After a card thrown in, the interrupted turn goes on."""
    asked = kings.ask_who_can_throw(d, seat, move)
    turn = d.features.interrupted
    if not turn.stages:
        return PAUSED if asked else None
    edit_features(d).interrupted = DONE
    if asked and d.window is not None:
        d.window.turn = turn
        return DONE
    d.asks = turn.asked
    return turn


def throw_king(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Put the first card thrown in on the pile; return its turn, after which this one may go on."""
    window = take_replies(d)
    reply = None if window is None else first_reply(d, window)
    if window is None or reply is None:
        return None
    thrower, king = reply
    if d.compiled.kings.turn == "original":
        edit_features(d).interrupted = window.turn
    else:
        d.compiled.calls.keep_turn_owner(d, seat)
    move = throw_card(d, thrower, window.menus[thrower].moves[king.bare], king)
    return TurnProgress(thrower, move, king, find_stages(d, thrower, move))


def play_again(d: State, seat: int, move: Move, _action: Action) -> TurnProgress | None:
    """Let the same seat play on, if the card says so."""
    if not d.active >> seat & 1:
        return None
    power = move.power
    if power.cover and (d.hands[seat] or power.last in COVERS):
        ask_for_cover(d, seat, move)
        return DONE
    if not d.hands[seat]:
        return None  # nothing need cover a last card of which `last` does not say so
    twice = power.reverse and not d.owed and d.compiled.order.reverse_again and d.active.bit_count() == 2
    if power.again:
        ask_again(d, seat, power)
    elif power.turn or twice:
        begin_turn(d, seat)
    else:
        return None
    return DONE


# --- the last card is laid -------------------------------------------------------------------------------


def lead_queen_round(d: State, seat: int, move: Move, _action: Action) -> TurnProgress | None:
    """End the queen round of a seat without cards: one that forgets to say so has a penalty card."""
    if d.features.queens == seat:
        queens.lead_queen_round(d, seat, move)
    return None


def judge_last_call(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Keep a seat in play whose last card or missing call does not let it out."""
    stays = bool(move.power.stays or d.compiled.comeback.applies or side.has_penalty_cards(d, seat))
    if d.compiled.calls.judge_last_card(d, seat, move, action, stays=stays):
        return None
    return _stay(d, seat, move, action)


def ask_about_last_card(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Let the others accuse the seat of a missing last call."""
    open_hold_window(d, list_other_seats(d, seat), seat)
    return PAUSED


def keep_accused_in_play(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Keep a seat in play that was accused of a missing last call and has cards again."""
    take_replies(d)
    if seat in d.calls.missed:
        del edit_calls(d).missed[seat]
    if d.hands[seat] or side.has_penalty_cards(d, seat):
        return _stay(d, seat, move, action)
    return None


def _stay(d: State, seat: int, move: Move, action: Action) -> TurnProgress:
    return TurnProgress(seat, move, action, select_stages(d.compiled, move, STAY_STAGES))


def pay_to_stay(d: State, seat: int, move: Move, _action: Action) -> TurnProgress | None:
    """Charge a seat that stays in play for its last card, or for a call that nobody has to accuse it of."""
    power = move.power
    price = power.fine
    if not (power.stays or d.compiled.comeback.applies or d.compiled.accuse):
        price = d.compiled.calls.get_last_call_penalty(d)
    if price:
        stock.take_cards(d, seat, price)
    d.compiled.calls.expect_call_again(d, seat)
    return None


def start_chain(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Start a chain after a seven as last card: its player is out unless an answer comes back."""
    edit_features(d).finishers += (seat,)
    d.answers, d.after_take = move.power.answer, move.power.after
    return TurnProgress(seat, move, action, select_stages(d.compiled, move, CHAIN_STAGES))


def apply_last_effects(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Apply the effects of a last card, unless it ends the deal and the option `final_effects` is off."""
    if would_end_deal(d) and not d.compiled.final:
        return None
    return apply_effects(d, seat, move, action)


def leave_deal(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Put the seat out. Cards that its last one made the next player owe are drawn before the deal ends."""
    if d.owed and d.compiled.final and would_end_deal(d):
        stock.take_cards(d, d.after[seat], d.owed)
        d.owed = 0
    put_out(d, seat)
    return DONE if d.over else None


# --- a card is drawn while kings may be thrown in --------------------------------------------------------


def ask_for_kings_after_draw(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Ask who can throw in a king, while one may still be, before the card drawn can be laid."""
    return PAUSED if d.features.king_turns_left and kings.ask_king_holders(d, seat) else None


def offer_drawn_card(d: State, seat: int, move: Move, action: Action) -> TurnProgress | None:
    """Offer the card drawn (`scope`) to the seat, or end its turn."""
    d.seat = seat
    d.to_act = ALONE[seat]
    if d.asks == "cover":
        hand = d.hands[seat]
        may = d.scope = limit_last_card(d, seat, hand, d.scope & d.fits)
        offer_actions(d, hand, may, NOTHING if may and d.compiled.drawing.must_play else PASS)
    elif not offer_after_draw(d, seat, d.scope):
        return TurnProgress(seat, move, action, _get_final_stages(d.compiled))
    return DONE


# --- the turn passes -------------------------------------------------------------------------------------


def pass_turn(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Pass the turn to the next seat, which may have to answer first."""
    pass_to_next_seat(d, seat)
    return None


def begin_next_turn(d: State, seat: int, _move: Move, _action: Action) -> TurnProgress | None:
    """Begin the next seat's turn: nothing is owed."""
    begin_turn(d, d.after[seat])
    return None


# --- the order of the stages -----------------------------------------------------------------------------

END_STAGES: Final = (  # the turn is over
    end_turn,
    ask_for_accusations,
    end_zug,
    pass_turn,
)
AFTER_STAGES: Final = (  # others may react to the card
    ask_for_kings,
    throw_king,
    play_again,
    *END_STAGES,
)
STAGES: Final = (  # a card was laid, and its player has cards left
    apply_effects,
    settle_missed_call,
    judge_own_call,
    ask_reaction_times,
    punish_slowest,
    *AFTER_STAGES,
)
LAST_CARD_STAGES: Final = (  # a player's last card was laid
    ask_reaction_times,
    punish_slowest,
    lead_queen_round,
    judge_last_call,
    ask_about_last_card,
    keep_accused_in_play,
    start_chain,
    apply_last_effects,
    settle_missed_call,
    leave_deal,
    *AFTER_STAGES,
)
STAY_STAGES: Final = (  # its player is not out
    apply_effects,
    settle_missed_call,
    pay_to_stay,
    *AFTER_STAGES,
)
CHAIN_STAGES: Final = (apply_effects, settle_missed_call, *END_STAGES)  # it may be answered
PLAIN_STAGES: Final = (settle_missed_call, judge_own_call, begin_next_turn)  # a card without an effect
PASSING_STAGES: Final = (apply_effects, settle_missed_call, judge_own_call, pass_turn)  # nobody reacts to it
UP_CARD_STAGES: Final = (  # the up card counts as laid by the dealer
    apply_effects,
    begin_first_zug,
    ask_reaction_times,
    punish_slowest,
    *AFTER_STAGES,
)
LAW_UP_CARD_STAGES: Final = (  # ditto under the law, unless the dealer plays on
    apply_effects,
    ask_reaction_times,
    punish_slowest,
    ask_for_kings,
    throw_king,
    begin_first_zug,
    pass_turn,
)
NO_CARD_STAGES: Final = (check_call_without_card, begin_next_turn)  # a turn ends without a card laid
CHECKED_STAGES: Final = (check_call_without_card, *END_STAGES)  # ditto where more happens between two turns
DRAW_STAGES: Final = (ask_for_kings_after_draw, throw_king, offer_drawn_card)

NEEDS: Final[dict[Stage, Need]] = {
    apply_effects: lambda _, move: bool(move.effects),
    apply_last_effects: lambda _, move: bool(move.effects),
    play_again: lambda _, move: move.power.goes_on,
}
"""Conditions under which stages have an effect; one that is neither here nor a feature's own always may."""


def select_stages(compiled: CompiledRules, move: Move, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Return the stages that can do something for this card under these rules, selected once."""
    key = (stages, move.power, move.touch, move.effects)
    found = compiled.cache.stages.get(key)
    if found is None:
        found = tuple(stage for stage in stages if _can_act(compiled, move, stage))
        compiled.cache.stages[key] = found
    return found


def _can_act(compiled: CompiledRules, move: Move, stage: Stage) -> bool:
    name = stage.__name__
    if name not in OWN_STAGES:
        return stage not in NEEDS or NEEDS[stage](compiled, move)
    owners = [feature for feature in compiled.features if name in feature.stages]
    return any(feature.stages[name](compiled, move) for feature in owners)


def find_stages(d: State, seat: int, move: Move) -> tuple[Stage, ...]:
    """Return the stages after the card that this seat has just laid, selected once for each move."""
    is_last = not d.hands[seat]
    found = move.last_stages if is_last else move.stages
    if found:
        return found
    if is_last:
        found = move.last_stages = select_stages(d.compiled, move, LAST_CARD_STAGES)
    else:
        usual = PLAIN_STAGES if move.plain else PASSING_STAGES if move.passes else STAGES
        found = move.stages = select_stages(d.compiled, move, usual)
    return found


def run_stages(d: State, seat: int, move: Move, action: Action, stages: tuple[Stage, ...]) -> None:
    """Carry on with a turn until somebody is asked or it has no more stages."""
    for stage in stages:
        turn = stage(d, seat, move, action)
        if turn is None:
            continue
        if turn.stages:
            run_stages(d, turn.seat, turn.move, turn.action, turn.stages)
        elif turn is PAUSED and d.window is not None:
            rest = stages[stages.index(stage) + 1 :]
            d.window.turn = TurnProgress(seat, move, action, rest, d.window.asked)
        return


def go_on_after_card(d: State, seat: int, move: Move, action: Action) -> None:
    """Carry on with the turn in which this card has just been laid."""
    run_stages(d, seat, move, action, find_stages(d, seat, move))


def finish_turn(d: State, seat: int, move: Move, action: Action) -> None:
    """End a turn without a card laid, or after the last one."""
    hand = d.hands[seat]
    if hand & hand - 1 and not d.compiled.has_turn_end_checks:  # NO_CARD_STAGES, where no call can be due
        begin_turn(d, d.after[seat])
    else:
        run_stages(d, seat, move, action, _get_final_stages(d.compiled))


def _get_final_stages(compiled: CompiledRules) -> tuple[Stage, ...]:
    return CHECKED_STAGES if compiled.has_turn_end_checks else NO_CARD_STAGES


def resume_turn(d: State) -> None:
    """Carry on with the turn now that all have replied, but first hear charges brought meanwhile."""
    window = d.window
    if window is None:
        return
    if d.compiled.calls.adjourn(d, window):
        hold_hearing(d)
        return
    turn = window.turn
    d.asks = turn.asked
    run_stages(d, turn.seat, turn.move, turn.action, turn.stages)


def hold_hearing(d: State) -> None:
    """Hear the charges that wait, unless a window is open: then they are heard when it closes."""
    if d.window is None and d.compiled.calls.has_charges(d):
        run_stages(d, HEARING.seat, HEARING.move, HEARING.action, HEARING.stages)
