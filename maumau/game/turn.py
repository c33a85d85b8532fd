"""The turn: who decides what next."""

from __future__ import annotations

from maumau.game import call, queens, stock, zug
from maumau.game.action import SEATS, parse
from maumau.game.blind import claims, face_down
from maumau.game.cards import NAMES, fold
from maumau.game.court import Court
from maumau.game.effect import turn_round
from maumau.game.end import ends, gone
from maumau.game.gesture import widen
from maumau.game.menu import compose
from maumau.game.move import Move
from maumau.game.power import Power
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.table import COVER, LAST, NOTHING, PASS, SKIP, STUCK, TAILS, TAKE, TURN
from maumau.game.together import choose
from maumau.game.window import Window, hold


def begin(d: State, seat: int) -> None:
    """A seat's turn: a card that fits, or draw."""
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    may = hand & d.fits
    if may == hand or not d.stock:
        _begin(d, seat, hand, may)
    elif not d.wide:
        d.menu = d.menus[TURN].get(may) or compose(d, may, TURN)
    else:
        cards = hand & d.table.reach.get(may, hand)
        menu = d.table.bundles[TURN].get((may, cards))
        if menu is None or cards == hand:
            _begin(d, seat, hand, may)
        else:
            d.menu = menu


def _begin(d: State, seat: int, hand: int, may: int) -> None:
    """The same where a last card may be barred, or nothing can be drawn, or the list is not yet made."""
    if may != hand and d.stock and d.table.calm:
        offer(d, hand, may, TURN)
        return
    if not hand and d.table.comeback:
        _passed(d, seat)
        return
    if d.queens != NOBODY:
        queens.opened(d, seat, hand)
        may = hand & d.fits
    if d.absent >> seat & 1:
        _stay_away(d, seat)
        return
    may = bound(d, seat, hand, may)
    tail = TURN
    if not d.stock and (d.table.willing or not may) and not stock.pile(d):
        tail = NOTHING if may else STUCK
    offer(d, hand, may, tail)
    if d.table.queens:
        queens.widen(d, seat, hand)


def bound(d: State, seat: int, hand: int, may: int) -> int:
    """What may be laid of what fits: not every card may be the last one, nor without the word for it."""
    table = d.table
    if table.blind:
        return hand if claims(d, seat, hand) else 0
    if may != hand or not may or may & may - 1:
        return may
    locked = table.locks and d.said[seat] != hand
    return 0 if fold(may) & barred(d) or locked else may


def barred(d: State) -> int:
    """The kinds of card that may not be the last one, and what would count as one of them here."""
    table = d.table
    return table.barred | table.mirrors if table.barred >> d.top & 1 else table.barred


def offer(d: State, hand: int, may: int, tail: int) -> None:
    """The decision of the seat on turn: one of these cards, or the words of the tail."""
    if d.table.blind:
        d.menu = face_down(d, hand, tail if hand & hand - 1 or not ends(d) else tail + TAILS)
        return
    if may == hand and not may & may - 1 and fold(may) & d.table.bare and ends(d):
        tail += TAILS
    if d.table.wide:
        d.menu = choose(d, hand, may, tail)
        if d.court is not None:
            widen(d)
        return
    d.menu = d.menus[tail].get(may) or compose(d, may, tail)


def proceed(d: State, seat: int, move: Move) -> None:
    """After a card with an effect: whoever may react to it, then its player again or the next one."""
    if move.power.stops:
        d.table.pause(d, seat, move, _undisturbed)
    else:
        _go_on(d, seat, move)


def _undisturbed(d: State, window: Window) -> None:
    if window.move is not None:
        _go_on(d, window.seat, window.move)


def _go_on(d: State, seat: int, move: Move) -> None:
    """Its player again, or the next one, who may have to answer."""
    power = move.power
    if d.active >> seat & 1:
        if power.cover:
            _cover(d, seat, move)
            return
        if power.again and d.hands[seat]:
            _again(d, seat, power)
            return
        twice = power.reverse and not d.owed and d.table.reverse_again and d.active.bit_count() == 2
        if (power.turn or twice) and d.hands[seat]:
            begin(d, seat)
            return
    over(d, seat)


def over(d: State, seat: int) -> None:
    """The seat's turn is over; where players watch over the calls they may speak now."""
    d.feast -= d.feast > 0
    if d.turning:
        d.turning = False
        turn_round(d)
    if d.court is not None:
        _judged(d, seat, d.court)
        return
    if d.table.accuse:
        d.missed.pop(d.stale, None)
        suspect = d.stale = d.suspect
        d.suspect = seat if call.single(d.hands[seat]) else NOBODY
        if suspect != NOBODY:
            hold(d, others(d, suspect), suspect, _spoken).seat = seat
            return
    onward(d, seat)


def _judged(d: State, seat: int, court: Court) -> None:
    """A Zug is over, and the others may speak first; the card turned up was no Zug of its dealer."""
    if not court.zug:
        first(d, seat)
        return
    zug.closes(d, zug.owner(d, seat))
    suspects = zug.suspects(d)
    if suspects:
        opener = (suspects & -suspects).bit_length() - 1
        asked = others(d, opener) + ([opener] if suspects & suspects - 1 else [])
        hold(d, asked, opener, _over).seat = seat
    else:
        zug.ends(d, zug.owner(d, seat))
        onward(d, seat)


def first(d: State, seat: int) -> None:
    """The card turned up, and what was thrown in on it, is done: the first Zug begins after this seat."""
    zug.first(d)
    onward(d, seat)


def _over(d: State, window: Window) -> None:
    """All have had the chance to accuse: now the turn is over."""
    zug.ends(d, zug.owner(d, window.seat))
    onward(d, window.seat)


def _spoken(d: State, window: Window) -> None:
    """All have had the chance to accuse; until the next turn is over they still may."""
    onward(d, window.seat)


def others(d: State, seat: int) -> list[int]:
    """The seats that are still in, but this one, in order of play from it."""
    order = [(seat + step * d.direction) % d.seats for step in range(1, d.seats)]
    return [other for other in order if d.active >> other & 1]


def onward(d: State, seat: int) -> None:
    """It is the next seat's turn, or it must answer first."""
    following = d.after[seat]
    if d.absent >> following & 1 and d.hands[following]:
        _stay_away(d, following)
    elif d.owed:
        answer(d, following)
    elif not d.skips:
        begin(d, following)
    elif not d.answers:
        miss(d, following)
    else:
        dodge(d, following)


def _cover(d: State, seat: int, move: Move) -> None:
    """If an Ace is played, one other card must be played with it."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "cover"
    hand = d.hands[seat]
    d.scope = d.fits
    may = bound(d, seat, hand, hand & d.fits)
    mode = move.power.cover if hand else move.power.last
    tail = NOTHING if may else COVER if mode == "draw1_may_play" else LAST
    if not may and not stock.can_draw(d):
        tail = PASS
    offer(d, hand, may, tail)


def _again(d: State, seat: int, power: Power) -> None:
    """It allows the player to play another legal card if able."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "again"
    hand = d.hands[seat]
    d.scope = d.fits
    may = bound(d, seat, hand, hand & d.fits)
    draws = not may and power.again == "draw1" and stock.can_draw(d)
    offer(d, hand, may, COVER if draws else PASS)


def refresh(d: State, seat: int) -> None:
    """The hand of the seat on turn has changed: the same decision with the cards it holds now."""
    hand = d.hands[seat]
    if d.finishers:
        d.table.chain(d, seat)
    elif d.asks == "answer":
        offer(d, hand, bound(d, seat, hand, hand & d.answers), TAKE if d.owed else SKIP)
    elif d.menu.moves.get("pass") is d.table.tails[PASS].moves["pass"]:
        offer(d, hand, bound(d, seat, hand, hand & d.scope), PASS)
    elif d.asks == "turn":
        begin(d, seat)
    elif d.asks == "cover":
        _cover(d, seat, d.table.move(parse(NAMES[d.top])))


def answer(d: State, seat: int) -> None:
    """Cards are owed: this seat takes them, or answers."""
    if d.finishers:
        d.table.chain(d, seat)
        return
    hand = d.hands[seat]
    if not hand and d.table.comeback and not d.table.back >> d.top & 1:
        _passed(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer(d, hand, bound(d, seat, hand, hand & d.answers), TAKE)


def dodge(d: State, seat: int) -> None:
    """A turn must be missed: this seat may answer, or accepts it."""
    hand = d.hands[seat]
    if not hand and d.table.comeback:
        if d.table.skip_extends:
            miss(d, seat)
        else:
            _passed(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer(d, hand, bound(d, seat, hand, hand & d.answers), SKIP)


def missed(d: State, seat: int) -> None:
    """A seat has missed one of the turns that must be missed."""
    d.skips -= 1
    if d.skips and d.table.all_respond:
        dodge(d, d.after[seat])
    else:
        miss(d, d.after[seat])


def _stay_away(d: State, seat: int) -> None:
    """Who doubted the truth misses this turn, and takes at once what is aimed at him."""
    d.absent ^= 1 << seat
    if d.owed:
        stock.gather(d, seat, d.owed)
        d.owed = d.chain = 0
        stock.refill(d)
    d.log.append(f"{SEATS[seat]} skipped")
    if d.skips:
        missed(d, seat)
    else:
        begin(d, d.after[seat])


def miss(d: State, seat: int) -> None:
    """The turns still to be missed are missed, from this seat on; then the next one plays."""
    while d.skips:
        if not d.hands[seat] and d.table.comeback and not d.table.skip_extends:
            gone(d, seat)  # the order of play has come round to a seat without cards
            if d.over:
                return
        else:
            d.skips -= 1
            d.log.append(f"{SEATS[seat]} skipped")
        seat = d.after[seat]
    begin(d, seat)


def _passed(d: State, seat: int) -> None:
    """The order of play has come round to a seat without cards: it is out for good."""
    gone(d, seat)
    if not d.over:
        onward(d, seat)
