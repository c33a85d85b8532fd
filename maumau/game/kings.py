"""The kings' feast: on a king anybody may throw in another one, and who ends the row drinks.

"Auf das Spielen eines Königs kann sofort ein weiterer König von einem beliebigen Spieler eingeworfen werden."
A king thrown in is no turn of its player: the turn goes on from the seat whose turn it interrupted, unless
the option `king_turn` says otherwise.
"""

from __future__ import annotations

from maumau.game import race, turn, zug
from maumau.game.act import offer_after_draw, perform_draw
from maumau.game.action import SEATS, Action, parse
from maumau.game.cards import list_codes, merge_copies
from maumau.game.compiled import COVER, DRAW, NOTHING, PASS, CompiledRules
from maumau.game.event import IN
from maumau.game.menu import list_forms
from maumau.game.move import Menu, Move
from maumau.game.state import ALONE, State
from maumau.game.window import Resume, Window, first_reply, open_window

FEAST = 2  # turns in which a king may be thrown in: the one that it was laid in, and the next


def open_card_windows(d: State, seat: int, move: Move, rest: Resume) -> None:
    """A card has been laid: all touch the table's edge for it, and who can throw in a king may do so."""
    window = Window(seat, {}, _lay_first_king)
    window.move, window.rest = move, rest
    if move.touch:
        window.rest, window.after = _continue_after_race, rest
        race.start_race(d, window)
    else:
        _open_king_window(d, window)


def _continue_after_race(d: State, window: Window) -> None:
    again = Window(window.opener, {}, _lay_first_king)
    again.move, again.rest = window.move, window.after
    _open_king_window(d, again)


def _open_king_window(d: State, window: Window) -> None:
    """A card has been laid: who can throw in a king may do so before the deal goes on."""
    joined = window.move is not None and window.move.power.joined
    if d.compiled.king_next and joined:
        d.king_turns_left = FEAST
    if d.row is not None:
        window.interrupts(d.row)
        d.row = None
    if not (joined or d.king_turns_left) or not ask_king_holders(d, window):
        window.rest(d, window)


def ask_king_holders(d: State, window: Window) -> bool:
    """Ask all who hold a king that fits, the one who laid the last card too; False if there is none."""
    compiled = d.compiled
    kings = compiled.kings | compiled.mirrored if compiled.powers[d.top].joined else compiled.kings
    fit = kings & (d.answers if d.owed else d.fits)
    order = [(window.opener + step) % d.seats for step in range(1, d.seats + 1)]
    for seat in order:
        hand = d.hands[seat] if d.active >> seat & 1 else 0
        may = turn.limit_last_card(d, seat, hand, hand & fit)
        if may:
            window.menus[seat] = _list_kings(d, merge_copies(may))
    if window.menus:
        open_window(d, window)
    return bool(window.menus)


def _list_kings(d: State, kinds: int) -> Menu:
    texts = [text for code in list_codes(kinds) for text in list_forms(d, code)]
    kings = {king: d.compiled.move(king) for king in map(parse, texts)}
    return Menu(kings | {parse("hold"): d.compiled.hold})


def _lay_first_king(d: State, window: Window) -> None:
    """The first king in seat order after the opener is laid, and all are asked again."""
    reply = first_reply(d, window)
    if reply is None:
        window.rest(d, window)
        return
    seat, king = reply
    move = window.menus[seat].moves[king.bare]
    if d.compiled.king_turn == "original":
        d.row = Window(seat, {}, _lay_first_king)
        d.row.interrupts(window)
    elif d.court is not None and d.court.zug:
        d.court.owner = zug.get_zug_owner(d, window.seat)
    at = len(d.log)
    move.run(d, seat, move, king)
    d.log[at] = f"{SEATS[seat]} {king} {IN}"


# --- the option `king_window: next_zug` --------------------------------------------------------------------


def draw_after_kings(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw a card; while a king may still be thrown in, all are asked before it can be laid."""
    window = Window(seat, {}, _lay_first_king)
    window.asked, window.action, window.rest = d.asks, action, _draw_undisturbed
    window.drawn = perform_draw(d, seat, action)
    if not d.king_turns_left or not ask_king_holders(d, window):
        _draw_undisturbed(d, window)


def _draw_undisturbed(d: State, window: Window) -> None:
    seat = d.seat = window.seat
    d.to_act = ALONE[seat]
    d.asks = window.asked
    if d.asks == "cover":
        hand = d.hands[seat]
        may = d.scope = turn.limit_last_card(d, seat, hand, window.drawn & d.fits)
        turn.offer_actions(d, hand, may, NOTHING if may and d.compiled.must_play else PASS)
    elif window.action is not None:
        offer_after_draw(d, seat, window.drawn, window.action)


def install_king_windows(compiled: CompiledRules) -> None:
    """Give a table the windows of the kings."""
    compiled.pause = open_card_windows
    compiled.race = race.start_race
    if compiled.king_next:
        for tail in (DRAW, COVER):
            compiled.tails[tail] = Menu({parse("draw"): Move(draw_after_kings)})
