"""The turn: who decides what next."""

from __future__ import annotations

from maumau.game import call, queens, stock, zug
from maumau.game.action import SEATS, parse
from maumau.game.blind import find_claimable_cards, list_face_down_actions
from maumau.game.cards import NAMES, merge_copies
from maumau.game.compiled import COVER, LAST, NOTHING, PASS, SKIP, STUCK, TAILS, TAKE, TURN
from maumau.game.court import Court
from maumau.game.effect import flip_direction
from maumau.game.end import put_out, would_end_deal
from maumau.game.gesture import add_gestures
from maumau.game.menu import list_single_cards
from maumau.game.move import Move
from maumau.game.power import Power
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.together import list_card_sets
from maumau.game.window import Window, open_hold_window


def begin_turn(d: State, seat: int) -> None:
    """A seat's turn: a card that fits, or draw."""
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    may = hand & d.fits
    if may == hand or not d.stock:
        _begin_special_turn(d, seat, hand, may)
    elif not d.has_unlisted_actions:
        d.menu = d.menus[TURN].get(may) or list_single_cards(d, may, TURN)
    else:
        cards = hand & d.compiled.reach.get(may, hand)
        menu = d.compiled.bundles[TURN].get((may, cards))
        if menu is None or cards == hand:
            _begin_special_turn(d, seat, hand, may)
        else:
            d.menu = menu


def _begin_special_turn(d: State, seat: int, hand: int, may: int) -> None:
    """The same where a last card may be barred, or nothing can be drawn, or the list is not yet made."""
    if may != hand and d.stock and d.compiled.lists_by_cards_alone:
        offer_actions(d, hand, may, TURN)
        return
    if not hand and d.compiled.comeback:
        _put_out_and_pass(d, seat)
        return
    if d.queens != NOBODY:
        queens.begin_turn_in_round(d, seat, hand)
        may = hand & d.fits
    if d.absent >> seat & 1:
        _sit_turn_out(d, seat)
        return
    may = limit_last_card(d, seat, hand, may)
    tail = TURN
    if not d.stock and (d.compiled.draw_tail or not may) and not stock.get_pile(d):
        tail = NOTHING if may else STUCK
    offer_actions(d, hand, may, tail)
    if d.compiled.queens:
        queens.add_queen_actions(d, seat, hand)


def limit_last_card(d: State, seat: int, hand: int, may: int) -> int:
    """What may be laid of what fits: not every card may be the last one, nor without the word for it."""
    compiled = d.compiled
    if compiled.blind:
        return hand if find_claimable_cards(d, seat, hand) else 0
    if may != hand or not may or may & may - 1:
        return may
    locked = compiled.locks and d.said[seat] != hand
    return 0 if merge_copies(may) & find_barred_cards(d) or locked else may


def find_barred_cards(d: State) -> int:
    """The kinds of card that may not be the last one, and what would count as one of them here."""
    compiled = d.compiled
    return compiled.barred | compiled.mirrors if compiled.barred >> d.top & 1 else compiled.barred


def offer_actions(d: State, hand: int, may: int, tail: int) -> None:
    """The decision of the seat on turn: one of these cards, or the words of the tail."""
    if d.compiled.blind:
        d.menu = list_face_down_actions(
            d, hand, tail if hand & hand - 1 or not would_end_deal(d) else tail + TAILS
        )
        return
    if may == hand and not may & may - 1 and merge_copies(may) & d.compiled.bare and would_end_deal(d):
        tail += TAILS
    if d.compiled.has_card_sets:
        d.menu = list_card_sets(d, hand, may, tail)
        if d.court is not None:
            add_gestures(d)
        return
    d.menu = d.menus[tail].get(may) or list_single_cards(d, may, tail)


def continue_after_card(d: State, seat: int, move: Move) -> None:
    """After a card with an effect: whoever may react to it, then its player again or the next one."""
    if move.power.stops:
        d.compiled.pause(d, seat, move, _continue_undisturbed)
    else:
        _continue_turn(d, seat, move)


def _continue_undisturbed(d: State, window: Window) -> None:
    if window.move is not None:
        _continue_turn(d, window.seat, window.move)


def _continue_turn(d: State, seat: int, move: Move) -> None:
    """Its player again, or the next one, who may have to answer."""
    power = move.power
    if d.active >> seat & 1:
        if power.cover:
            _ask_for_cover(d, seat, move)
            return
        if power.again and d.hands[seat]:
            _ask_again(d, seat, power)
            return
        twice = power.reverse and not d.owed and d.compiled.reverse_again and d.active.bit_count() == 2
        if (power.turn or twice) and d.hands[seat]:
            begin_turn(d, seat)
            return
    end_turn(d, seat)


def end_turn(d: State, seat: int) -> None:
    """The seat's turn is over; where players watch over the calls they may speak now."""
    d.king_turns_left -= d.king_turns_left > 0
    if d.turning:
        d.turning = False
        flip_direction(d)
    if d.court is not None:
        _end_zug(d, seat, d.court)
        return
    if d.compiled.accuse:
        d.missed.pop(d.stale, None)
        suspect = d.stale = d.suspect
        d.suspect = seat if call.is_single_card(d.hands[seat]) else NOBODY
        if suspect != NOBODY:
            open_hold_window(d, list_other_seats(d, suspect), suspect, _continue_after_calls).seat = seat
            return
    pass_to_next_seat(d, seat)


def _end_zug(d: State, seat: int, court: Court) -> None:
    """A Zug is over, and the others may speak first; the card turned up was no Zug of its dealer."""
    if not court.zug:
        begin_first_zug(d, seat)
        return
    zug.close_calls(d, zug.get_zug_owner(d, seat))
    suspects = zug.find_suspects(d)
    if suspects:
        opener = (suspects & -suspects).bit_length() - 1
        asked = list_other_seats(d, opener) + ([opener] if suspects & suspects - 1 else [])
        open_hold_window(d, asked, opener, _end_zug_after_accusations).seat = seat
    else:
        zug.end_zug(d, zug.get_zug_owner(d, seat))
        pass_to_next_seat(d, seat)


def begin_first_zug(d: State, seat: int) -> None:
    """The card turned up, and what was thrown in on it, is done: the first Zug begins after this seat."""
    zug.begin_first_zug(d)
    pass_to_next_seat(d, seat)


def _end_zug_after_accusations(d: State, window: Window) -> None:
    """All have had the chance to accuse: now the turn is over."""
    zug.end_zug(d, zug.get_zug_owner(d, window.seat))
    pass_to_next_seat(d, window.seat)


def _continue_after_calls(d: State, window: Window) -> None:
    """All have had the chance to accuse; until the next turn is over they still may."""
    pass_to_next_seat(d, window.seat)


def list_other_seats(d: State, seat: int) -> list[int]:
    """The seats that are still in, but this one, in order of play from it."""
    order = [(seat + step * d.direction) % d.seats for step in range(1, d.seats)]
    return [other for other in order if d.active >> other & 1]


def pass_to_next_seat(d: State, seat: int) -> None:
    """It is the next seat's turn, or it must answer first."""
    following = d.after[seat]
    if d.absent >> following & 1 and d.hands[following]:
        _sit_turn_out(d, following)
    elif d.owed:
        ask_for_answer(d, following)
    elif not d.skips:
        begin_turn(d, following)
    elif not d.answers:
        miss_turns(d, following)
    else:
        ask_to_avert_miss(d, following)


def _ask_for_cover(d: State, seat: int, move: Move) -> None:
    """If an Ace is played, one other card must be played with it."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "cover"
    hand = d.hands[seat]
    d.scope = d.fits
    may = limit_last_card(d, seat, hand, hand & d.fits)
    mode = move.power.cover if hand else move.power.last
    tail = NOTHING if may else COVER if mode == "draw1_may_play" else LAST
    if not may and not stock.can_draw(d):
        tail = PASS
    offer_actions(d, hand, may, tail)


def _ask_again(d: State, seat: int, power: Power) -> None:
    """It allows the player to play another legal card if able."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "again"
    hand = d.hands[seat]
    d.scope = d.fits
    may = limit_last_card(d, seat, hand, hand & d.fits)
    draws = not may and power.again == "draw1" and stock.can_draw(d)
    offer_actions(d, hand, may, COVER if draws else PASS)


def refresh_decision(d: State, seat: int) -> None:
    """The hand of the seat on turn has changed: the same decision with the cards it holds now."""
    hand = d.hands[seat]
    if d.finishers:
        d.compiled.chain(d, seat)
    elif d.asks == "answer":
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE if d.owed else SKIP)
    elif d.menu.moves.get("pass") is d.compiled.tails[PASS].moves["pass"]:
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.scope), PASS)
    elif d.asks == "turn":
        begin_turn(d, seat)
    elif d.asks == "cover":
        _ask_for_cover(d, seat, d.compiled.move(parse(NAMES[d.top])))


def ask_for_answer(d: State, seat: int) -> None:
    """Cards are owed: this seat takes them, or answers."""
    if d.finishers:
        d.compiled.chain(d, seat)
        return
    hand = d.hands[seat]
    if not hand and d.compiled.comeback and not d.compiled.back >> d.top & 1:
        _put_out_and_pass(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE)


def ask_to_avert_miss(d: State, seat: int) -> None:
    """A turn must be missed: this seat may answer, or accepts it."""
    hand = d.hands[seat]
    if not hand and d.compiled.comeback:
        if d.compiled.skip_extends:
            miss_turns(d, seat)
        else:
            _put_out_and_pass(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), SKIP)


def count_missed_turn(d: State, seat: int) -> None:
    """A seat has missed one of the turns that must be missed."""
    d.skips -= 1
    if d.skips and d.compiled.all_respond:
        ask_to_avert_miss(d, d.after[seat])
    else:
        miss_turns(d, d.after[seat])


def _sit_turn_out(d: State, seat: int) -> None:
    """Who doubted the truth misses this turn, and takes at once what is aimed at him."""
    d.absent ^= 1 << seat
    if d.owed:
        stock.gather_cards(d, seat, d.owed)
        d.owed = d.chain = 0
        stock.refill_stock(d)
    d.log.append(f"{SEATS[seat]} skipped")
    if d.skips:
        count_missed_turn(d, seat)
    else:
        begin_turn(d, d.after[seat])


def miss_turns(d: State, seat: int) -> None:
    """The turns still to be missed are missed, from this seat on; then the next one plays."""
    while d.skips:
        if not d.hands[seat] and d.compiled.comeback and not d.compiled.skip_extends:
            put_out(d, seat)  # the order of play has come round to a seat without cards
            if d.over:
                return
        else:
            d.skips -= 1
            d.log.append(f"{SEATS[seat]} skipped")
        seat = d.after[seat]
    begin_turn(d, seat)


def _put_out_and_pass(d: State, seat: int) -> None:
    """The order of play has come round to a seat without cards: it is out for good."""
    put_out(d, seat)
    if not d.over:
        pass_to_next_seat(d, seat)
