"""The moves of ordinary turns: laying, drawing, taking, passing."""

from __future__ import annotations

from maumau.game.features.effect import RESCUED
from maumau.game.legal.decision import (
    begin_turn,
    count_missed_turn,
    limit_last_card,
    offer_actions,
    offer_after_draw,
    pass_to_next_seat,
    refresh_decision,
)
from maumau.game.legal.menu import list_single_cards
from maumau.game.model.compiled import COVER_UNTIL, NOTHING, PASS, TURN
from maumau.game.model.move import Move, make_menu
from maumau.game.model.state import ALONE, NOBODY, State, edit_features
from maumau.game.notation.action import Action, parse
from maumau.game.notation.cards import NAMES, STRIDE, merge_copies
from maumau.game.play.turn import DRAW_STAGES, apply_effects, find_stages, finish_turn, run_stages
from maumau.game.ruleset.power import ENDS, MAY
from maumau.game.table import side, stock
from maumau.game.table.end import finish_deal
from maumau.game.table.lay import lowest_copy, put_lower_cards, resolve_transparent_card


def lay_card(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay one card, which counts from now on, and go on with the turn."""
    d.log.append((action.spoken or action.events())[seat])
    hands = d.hands
    card = move.bits
    hand = hands[seat]
    if not hand & card:
        card = lowest_copy(hand, move.code)
    hands[seat] = hand = hand ^ card
    d.topmost = card
    d.top = move.code
    d.wish = move.wish
    d.fits = fits = move.fits
    d.idle = 0
    if not move.fused or not hand & hand - 1 or d.calls.owing != NOBODY:
        stages = move.stages if hand else move.last_stages
        run_stages(d, seat, move, action, stages or find_stages(d, seat, move))
        return
    if move.passes:
        apply_effects(d, seat, move, action)
        pass_to_next_seat(d, seat)
        return
    seat = d.after[seat]  # the following lines are `begin_turn`, inlined for the most common case
    hand = hands[seat]
    may = hand & fits
    if may == hand or not d.stock or d.compiled.has_unlisted_actions:
        begin_turn(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    d.menu = d.menus[TURN].get(may) or list_single_cards(d, may, TURN)


def lay_cards(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay several cards together: the top one counts."""
    put_lower_cards(d, seat, move.power, action)
    lay_card(d, seat, move, action)


def lay_transparent_card(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay a card that counts as the one below it (a mirror), or that leaves the suit unchanged."""
    if len(action.cards) > 1:
        counts = d.compiled.counts_as(action.cards[:-1], d.top)
        put_lower_cards(d, seat, d.compiled.powers[counts] if move.power.mirror else move.power, action)
        d.top, d.wish = counts, -1
        d.fits = d.compiled.match[d.top]
    through = resolve_transparent_card(d, move, action.wish)
    through.bits = lowest_copy(d.hands[seat], move.code)
    lay_card(d, seat, through, action)


def draw_on_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """They draw one card from the stack; if they can play this card (or cover with it), they may do so."""
    d.scope = may = d.compiled.calls.draw_card(d, seat, action) & d.fits
    hand = d.hands[seat]
    compiled = d.compiled
    if may == hand or compiled.drawing.must_play or compiled.has_unlisted_actions:
        may = limit_last_card(d, seat, hand, may)
        offer_actions(d, hand, may, NOTHING if may and compiled.drawing.must_play else PASS)
        return
    d.menu = d.menus[PASS].get(may) or list_single_cards(d, may, PASS)


def draw_until_covered(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw one card; it must be laid if it covers, and another one is drawn if it does not."""
    d.scope = fits = d.compiled.calls.draw_card(d, seat, action) & d.fits
    hand = d.hands[seat]
    may = limit_last_card(d, seat, hand, fits)
    offer_actions(d, hand, may, NOTHING if may else COVER_UNTIL if stock.can_draw(d) else PASS)


def draw_and_choose(d: State, seat: int, move: Move, action: Action) -> None:
    """Draw one card, and as long as it does not fit another one; or lay any card after it."""
    if not offer_after_draw(d, seat, d.compiled.calls.draw_card(d, seat, action)):
        finish_turn(d, seat, move, action)


def draw_after_kings(d: State, seat: int, move: Move, action: Action) -> None:
    """Draw a card; while a king may still be thrown in, all are asked before it can be laid."""
    d.scope = d.compiled.calls.draw_card(d, seat, action)
    run_stages(d, seat, move, action, DRAW_STAGES)


def draw_and_end_turn(d: State, seat: int, move: Move, action: Action) -> None:
    """Draw one card, and the turn is over."""
    d.compiled.calls.draw_card(d, seat, action)
    finish_turn(d, seat, move, action)


def take_owed_cards(d: State, seat: int, move: Move, action: Action) -> None:
    """Take the owed cards; then end the turn, or continue it as the card says."""
    d.log.append((action.spoken or action.events())[seat])
    if d.compiled.rescue and d.features.rescued < RESCUED:
        _draw_owed_cards(d, seat, move, action)
        return
    d.compiled.calls.take_owed_cards(d, seat, action)
    finish_taking(d, seat, move, action)


def finish_taking(d: State, seat: int, move: Move, action: Action) -> None:
    """Settle what was owed once it has been taken, and go on as the card says."""
    d.owed = d.chain = 0
    if d.features.rescued:
        edit_features(d).rescued = 0
    if d.compiled.drawing.when_empty:
        stock.refill_stock(d)
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    asked = d.compiled.hooks.finish_taking
    if asked:  # a loop over nothing costs more than this question
        for feature in asked:
            if feature.finish_taking(d, seat):
                return
    if d.after_take == ENDS:
        finish_turn(d, seat, move, action)
    elif d.after_take == MAY:
        d.asks = "turn"
        d.scope = d.fits
        hand = d.hands[seat]
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.fits), PASS)
    else:
        begin_turn(d, seat)


def _draw_owed_cards(d: State, seat: int, move: Move, action: Action) -> None:
    """Draw the owed cards, but offer a 7 or an Unter of Leaves that is among the first three."""
    drawn: list[int] = []
    rescued = d.features.rescued
    while d.owed and (bit := stock.draw_card(d, seat)):
        drawn.append(bit)
        d.owed -= 1
        rescued += 1
        if rescued <= RESCUED and merge_copies(bit) & d.compiled.rescue:
            edit_features(d).rescued = rescued
            stock.log_taken_cards(d, seat, drawn)
            stock.refill_stock(d)
            name = NAMES[(bit.bit_length() - 1) % STRIDE]
            d.asks = "rescue"
            d.menu = make_menu(
                {parse(f"rescue:{name}"): Move("lay_rescue_card"), parse("on"): Move("continue_drawing")}
            )
            return
    stock.log_taken_cards(d, seat, drawn)
    finish_taking(d, seat, move, action)


def continue_drawing(d: State, seat: int, move: Move, action: Action) -> None:
    """Continue drawing the owed cards."""
    d.log.append((action.spoken or action.events())[seat])
    _draw_owed_cards(d, seat, move, action)


def lay_rescue_card(d: State, seat: int, _move: Move, action: Action) -> None:
    """Lay the card just drawn: stop drawing, keep the drawn cards, and end the turn."""
    d.owed = d.chain = 0
    if d.features.rescued:
        edit_features(d).rescued = 0
    lay_card(d, seat, d.compiled.move(parse(NAMES[action.cards[0]])), action)


def accept_missed_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """Accept the missed turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    d.compiled.calls.judge_turn(d, seat, action)
    count_missed_turn(d, seat)


def pass_turn(d: State, seat: int, move: Move, action: Action) -> None:
    """Pass: end one's turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    finish_turn(d, seat, move, action)


def pass_with_nothing_to_draw(d: State, seat: int, move: Move, action: Action) -> None:
    """Pass because nothing fits and nothing can be drawn; if all do so in a row the deal is blocked."""
    d.idle += 1
    pass_turn(d, seat, move, action)
    if d.idle >= d.active.bit_count():
        finish_deal(d)


def pick_up_ripe_cards(d: State, seat: int, _move: Move, action: Action) -> None:
    """Pick up the ripened cards, where this is left to the player, who then decides again."""
    d.log.append(action.events()[seat])
    side.gather_ripe_cards(d, seat)
    refresh_decision(d, seat)


def lay_any_card(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay one card of any kind."""
    lay = lay_transparent_card if move.kind == "lay_transparent_card" else lay_card
    lay(d, seat, move, action)
