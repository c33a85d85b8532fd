"""The last card: whether its player is out, has to pay for a word not said, or must go on."""

from __future__ import annotations

from maumau.game import call, chain, mau, queens, side, stock
from maumau.game.action import Action
from maumau.game.end import put_out, would_end_deal
from maumau.game.move import Move
from maumau.game.state import NOBODY, State
from maumau.game.turn import continue_after_card, list_other_seats
from maumau.game.window import Window, open_hold_window


def handle_last_card(d: State, seat: int, move: Move, action: Action) -> None:
    """The last card has been laid: is its player out?"""
    if move.touch:
        window = Window(seat, {}, _continue_after_race)
        window.move, window.action = move.touched(), action
        d.compiled.race(d, window)
        return
    if d.queens == seat:
        queens.lead_queen_round(
            d, seat, move
        )  # who forgets to end his round with it has a penalty card, and is not out
    stays = move.power.stays or d.compiled.comeback or side.has_penalty_cards(d, seat)
    if stays and d.court is not None:
        mau.judge_call(d, seat, action)
    if stays:
        _keep_in_play(d, seat, move, move.power.fine)
    elif not call.has_settled_last_call(d, seat, move, action):
        _keep_in_play(d, seat, move, call.get_last_call_penalty(d))
    elif d.compiled.asks_accusers_at_end:
        open_hold_window(d, list_other_seats(d, seat), seat, _continue_after_accusations).move = move
    else:
        _go_out(d, seat, move)


def _continue_after_race(d: State, window: Window) -> None:
    """The race to the table's edge for the last card is over; who has lost it is not out."""
    if window.move is not None and window.action is not None:
        handle_last_card(d, window.seat, window.move, window.action)


def _continue_after_accusations(d: State, window: Window) -> None:
    """Who laid his last card without the word and was accused of it has cards again."""
    d.missed.pop(window.seat, None)
    if window.move is not None:
        if d.hands[window.seat] or side.has_penalty_cards(d, window.seat):
            _keep_in_play(d, window.seat, window.move, 0)
        else:
            _go_out(d, window.seat, window.move)


def _keep_in_play(d: State, seat: int, move: Move, price: int) -> None:
    """The effects, what another has to pay for his word, and what this one has for his last card."""
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    if price:
        stock.take_cards(d, seat, price)
    d.said[seat] = 0
    if d.hands[seat]:
        call.expect_call_again(d, seat)
    continue_after_card(d, seat, move)


def _go_out(d: State, seat: int, move: Move) -> None:
    """The effects of the card that ends the deal are not carried out, unless an option says so."""
    if move.power.last == "chain":
        chain.start_chain(d, seat, move)
        return
    last = would_end_deal(d)
    if not last or d.compiled.final:
        for effect in move.effects:
            effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    if last and d.compiled.final and d.owed:
        stock.take_cards(d, d.after[seat], d.owed)
        d.owed = 0
    put_out(d, seat)
    if not d.over:
        continue_after_card(d, seat, move)
