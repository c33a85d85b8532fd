"""The kings' feast: on a king anybody may throw in another one, and who ends the row drinks.

"Auf das Spielen eines Königs kann sofort ein weiterer König von einem beliebigen Spieler eingeworfen werden."
A king thrown in is no turn of its player: the turn goes on from the seat whose turn it interrupted, unless
the option `king_turn` says otherwise.
"""

from __future__ import annotations

from maumau.game import race, turn, zug
from maumau.game.act import drawn, with_drawn
from maumau.game.action import SEATS, Action, parse
from maumau.game.cards import codes, fold
from maumau.game.event import IN
from maumau.game.menu import forms
from maumau.game.move import Menu, Move
from maumau.game.state import ALONE, State
from maumau.game.table import COVER, DRAW, NOTHING, PASS, Table
from maumau.game.window import Resume, Window, first_reply, show

FEAST = 2  # turns in which a king may be thrown in: the one that it was laid in, and the next


def pause(d: State, seat: int, move: Move, rest: Resume) -> None:
    """A card has been laid: all touch the table's edge for it, and who can throw in a king may do so."""
    window = Window(seat, {}, _answered)
    window.move, window.rest = move, rest
    if move.touch:
        window.rest, window.after = _raced, rest
        race.start(d, window)
    else:
        _thrown(d, window)


def _raced(d: State, window: Window) -> None:
    again = Window(window.opener, {}, _answered)
    again.move, again.rest = window.move, window.after
    _thrown(d, again)


def _thrown(d: State, window: Window) -> None:
    """A card has been laid: who can throw in a king may do so before the deal goes on."""
    joined = window.move is not None and window.move.power.joined
    if d.table.king_next and joined:
        d.feast = FEAST
    if d.row is not None:
        window.interrupts(d.row)
        d.row = None
    if not (joined or d.feast) or not call(d, window):
        window.rest(d, window)


def call(d: State, window: Window) -> bool:
    """Ask all who hold a king that fits, the one who laid the last card too; False if there is none."""
    table = d.table
    kings = table.kings | table.mirrored if table.powers[d.top].joined else table.kings
    fit = kings & (d.answers if d.owed else d.fits)
    order = [(window.opener + step) % d.seats for step in range(1, d.seats + 1)]
    for seat in order:
        hand = d.hands[seat] if d.active >> seat & 1 else 0
        may = turn.bound(d, seat, hand, hand & fit)
        if may:
            window.menus[seat] = _listed(d, fold(may))
    if window.menus:
        show(d, window)
    return bool(window.menus)


def _listed(d: State, kinds: int) -> Menu:
    texts = [text for code in codes(kinds) for text in forms(d, code)]
    kings = {king: d.table.move(king) for king in map(parse, texts)}
    return Menu(kings | {parse("hold"): d.table.hold})


def _answered(d: State, window: Window) -> None:
    """The first king in seat order after the opener is laid, and all are asked again."""
    reply = first_reply(d, window)
    if reply is None:
        window.rest(d, window)
        return
    seat, king = reply
    move = window.menus[seat].moves[king.bare]
    if d.table.king_turn == "original":
        d.row = Window(seat, {}, _answered)
        d.row.interrupts(window)
    elif d.court is not None and d.court.zug:
        d.court.owner = zug.owner(d, window.seat)
    at = len(d.log)
    move.run(d, seat, move, king)
    d.log[at] = f"{SEATS[seat]} {king} {IN}"


# --- the option `king_window: next_zug` --------------------------------------------------------------------


def draw(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw a card; while a king may still be thrown in, all are asked before it can be laid."""
    window = Window(seat, {}, _answered)
    window.asked, window.action, window.rest = d.asks, action, _drawn
    window.drawn = drawn(d, seat, action)
    if not d.feast or not call(d, window):
        _drawn(d, window)


def _drawn(d: State, window: Window) -> None:
    seat = d.seat = window.seat
    d.to_act = ALONE[seat]
    d.asks = window.asked
    if d.asks == "cover":
        hand = d.hands[seat]
        may = d.scope = turn.bound(d, seat, hand, window.drawn & d.fits)
        turn.offer(d, hand, may, NOTHING if may and d.table.must_play else PASS)
    elif window.action is not None:
        with_drawn(d, seat, window.drawn, window.action)


def equip(table: Table) -> None:
    """Give a table the windows of the kings."""
    table.pause = pause
    table.race = race.start
    if table.king_next:
        for tail in (DRAW, COVER):
            table.tails[tail] = Menu({parse("draw"): Move(draw)})
