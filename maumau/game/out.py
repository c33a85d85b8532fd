"""The last card: whether its player is out, has to pay for a word not said, or must go on."""

from __future__ import annotations

from maumau.game import call, chain, mau, queens, side, stock
from maumau.game.action import Action
from maumau.game.end import ends, gone
from maumau.game.move import Move
from maumau.game.state import NOBODY, State
from maumau.game.turn import others, proceed
from maumau.game.window import Window, hold


def emptied(d: State, seat: int, move: Move, action: Action) -> None:
    """The last card has been laid: is its player out?"""
    if move.touch:
        window = Window(seat, {}, _touched)
        window.move, window.action = move.touched(), action
        d.table.race(d, window)
        return
    if d.queens == seat:
        queens.lead(d, seat, move)  # who forgets to end his round with it has a penalty card, and is not out
    stays = move.power.stays or d.table.comeback or side.holds(d, seat)
    if stays and d.court is not None:
        mau.heard(d, seat, action)
    if stays:
        _stays(d, seat, move, move.power.fine)
    elif not call.finished(d, seat, move, action):
        _stays(d, seat, move, call.price(d))
    elif d.table.speaks:
        hold(d, others(d, seat), seat, _accused).move = move
    else:
        _out(d, seat, move)


def _touched(d: State, window: Window) -> None:
    """The race to the table's edge for the last card is over; who has lost it is not out."""
    if window.move is not None and window.action is not None:
        emptied(d, window.seat, window.move, window.action)


def _accused(d: State, window: Window) -> None:
    """Who laid his last card without the word and was accused of it has cards again."""
    d.missed.pop(window.seat, None)
    if window.move is not None:
        if d.hands[window.seat] or side.holds(d, window.seat):
            _stays(d, window.seat, window.move, 0)
        else:
            _out(d, window.seat, window.move)


def _stays(d: State, seat: int, move: Move, price: int) -> None:
    """The effects, what another has to pay for his word, and what this one has for his last card."""
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle(d, seat)
    if price:
        stock.take(d, seat, price)
    d.said[seat] = 0
    if d.hands[seat]:
        call.again(d, seat)
    proceed(d, seat, move)


def _out(d: State, seat: int, move: Move) -> None:
    """The effects of the card that ends the deal are not carried out, unless an option says so."""
    if move.power.last == "chain":
        chain.finished(d, seat, move)
        return
    last = ends(d)
    if not last or d.table.final:
        for effect in move.effects:
            effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle(d, seat)
    if last and d.table.final and d.owed:
        stock.take(d, d.after[seat], d.owed)
        d.owed = 0
    gone(d, seat)
    if not d.over:
        proceed(d, seat, move)
