"""Decisions: which seat is asked next, and for what."""

from __future__ import annotations

from typing import Final

from maumau.game.legal.menu import list_single_cards
from maumau.game.model.compiled import (
    COVER,
    COVER_UNTIL,
    DRAW,
    LAST,
    NOTHING,
    PASS,
    SKIP,
    STUCK,
    TAILS,
    TAKE,
    TURN,
)
from maumau.game.model.move import Move
from maumau.game.model.state import ALONE, State
from maumau.game.notation.action import SEATS, parse
from maumau.game.notation.cards import NAMES, is_single_card, merge_copies
from maumau.game.ruleset.power import Power
from maumau.game.table import stock
from maumau.game.table.end import put_out, would_end_deal

COVER_TAILS: Final = {"draw1_may_play": COVER, "draw1_end": LAST, "draw_until": COVER_UNTIL}


def begin_turn(d: State, seat: int) -> None:
    """Begin a seat's turn: lay a card that fits, or draw."""
    hand = d.hands[seat]
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    may = hand & d.fits
    if may == hand or not d.stock:
        _begin_special_turn(d, seat, hand, may)
    elif not d.compiled.has_unlisted_actions:
        d.menu = d.menus[TURN].get(may) or list_single_cards(d, may, TURN)
    elif d.compiled.lists_independent_of_pile:
        d.menu = d.compiled.hooks.list_actions[0].list_actions(d, hand, may, TURN)
    else:
        _begin_special_turn(d, seat, hand, may)


def _begin_special_turn(d: State, seat: int, hand: int, may: int) -> None:
    """Begin a turn whose last card may be barred, without a stock, or with a menu not yet built."""
    if may != hand and d.stock and d.compiled.lists_by_cards_alone:
        offer_actions(d, hand, may, TURN)
        return
    if not hand and d.compiled.comeback.applies:
        _put_out_and_pass(d, seat)
        return
    for feature in d.compiled.hooks.begin_turn:
        if feature.begin_turn(d, seat, hand):
            return
    may = limit_last_card(d, seat, hand, hand & d.fits)
    tail = TURN
    if not d.stock and (d.compiled.drawing.voluntary or not may) and not stock.get_pile(d):
        tail = NOTHING if may else STUCK
    offer_actions(d, hand, may, tail)
    for feature in d.compiled.hooks.extend_turn:
        feature.extend_turn(d, seat, hand)


def limit_last_card(d: State, seat: int, hand: int, may: int) -> int:
    """Return the fitting cards without one that may not be the last, or may not without its call."""
    compiled = d.compiled
    if compiled.hooks.limit_cards:
        return compiled.hooks.limit_cards[0].limit_cards(d, seat, hand)
    if may != hand or not may or may & may - 1:
        return may
    locked = compiled.left.locks and d.calls.said[seat] != hand
    return 0 if merge_copies(may) & find_barred_cards(d) or locked else may


def find_barred_cards(d: State) -> int:
    """Return the kinds of card that may not be the last one, with those that would count as one here."""
    masks = d.compiled.masks
    return masks.barred | masks.mirrors if masks.barred >> d.top & 1 else masks.barred


def offer_actions(d: State, hand: int, may: int, tail: int) -> None:
    """Set the decision of the seat on turn: one of these cards, or the words of the tail."""
    hooks = d.compiled.hooks
    if hooks.list_actions:
        d.menu = hooks.list_actions[0].list_actions(d, hand, may, tail)
        for feature in hooks.extend_menu:
            feature.extend_menu(d)
        return
    if may == hand:
        tail = find_tail(d, may, tail)
    d.menu = d.menus[tail].get(may) or list_single_cards(d, may, tail)


def find_tail(d: State, may: int, tail: int) -> int:
    """Return the end of the menu of a hand that fits: another one for a card that ends the deal bare."""
    if not may & may - 1 and merge_copies(may) & d.compiled.masks.bare and would_end_deal(d):
        return tail + TAILS
    return tail


def list_other_seats(d: State, seat: int) -> list[int]:
    """Return the other active seats, in order of play from this one."""
    order = [(seat + step * d.direction) % d.seats for step in range(1, d.seats)]
    return [other for other in order if d.active >> other & 1]


def pass_to_next_seat(d: State, seat: int) -> None:
    """Pass the turn to the next seat, which may have to answer first."""
    following = d.after[seat]
    asked = d.compiled.hooks.pass_turn
    if asked:  # a loop over nothing costs more than this question
        for feature in asked:
            if feature.pass_turn(d, following):
                return
    if d.owed:
        ask_for_answer(d, following)
    elif not d.skips:
        begin_turn(d, following)
    elif not d.answers:
        miss_turns(d, following)
    else:
        ask_to_avert_miss(d, following)


def ask_for_cover(d: State, seat: int, move: Move) -> None:
    """Ask for the card that must be played with an ace."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "cover"
    hand = d.hands[seat]
    d.scope = d.fits
    may = limit_last_card(d, seat, hand, hand & d.fits)
    mode = move.power.cover if hand else move.power.last
    tail = NOTHING if may else COVER_TAILS[mode]
    if not may and not stock.can_draw(d):
        tail = PASS
    offer_actions(d, hand, may, tail)


def ask_again(d: State, seat: int, power: Power) -> None:
    """Let the seat lay another card if it can."""
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "again"
    hand = d.hands[seat]
    d.scope = d.fits
    may = limit_last_card(d, seat, hand, hand & d.fits)
    draws = not may and power.again == "draw1" and stock.can_draw(d)
    offer_actions(d, hand, may, COVER if draws else PASS)


def offer_after_draw(d: State, seat: int, bit: int) -> bool:
    """Offer what is allowed after drawing the card `bit` (0: there was none); return False if nothing is."""
    compiled = d.compiled
    fit = bit if compiled.blind.applies else bit & d.fits  # face down any card can be laid
    hand = d.hands[seat]
    if compiled.drawing.until_playable and not fit and stock.can_draw(d):
        offer_actions(d, hand, 0, DRAW)
    elif compiled.drawing.may_play == "none":
        return False
    elif compiled.left.locks and is_single_card(hand ^ bit) and d.calls.said[seat] != hand ^ bit:
        offer_actions(
            d, hand, 0, PASS
        )  # without "Mau" for their last card a player "may only draw/pass" in this turn
    else:
        d.scope = fit if compiled.drawing.may_play == "drawn_only" else d.fits
        may = limit_last_card(d, seat, hand, hand & d.scope)
        offer_actions(d, hand, may, NOTHING if compiled.drawing.must_play and fit & may else PASS)
    return True


def refresh_decision(d: State, seat: int) -> None:
    """Refresh the decision of the seat on turn for its changed hand."""
    hand = d.hands[seat]
    for feature in d.compiled.hooks.refresh:
        if feature.refresh(d, seat):
            return
    if d.asks == "answer":
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE if d.owed else SKIP)
    elif d.menu.moves.get("pass") is d.compiled.cache.tails[PASS].moves["pass"]:
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.scope), PASS)
    elif d.asks == "turn":
        begin_turn(d, seat)
    elif d.asks == "cover":
        ask_for_cover(d, seat, d.compiled.move(parse(NAMES[d.top])))


def ask_for_answer(d: State, seat: int) -> None:
    """Cards are owed: this seat takes them, or answers."""
    hand = d.hands[seat]
    if not hand and d.compiled.comeback.applies and not d.compiled.comeback.cards >> d.top & 1:
        _put_out_and_pass(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), TAKE)


def ask_to_avert_miss(d: State, seat: int) -> None:
    """Ask this seat to answer a missed turn, or to accept it."""
    hand = d.hands[seat]
    if not hand and d.compiled.comeback.applies:
        if d.compiled.comeback.skip_extends:
            miss_turns(d, seat)
        else:
            _put_out_and_pass(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "answer"
    offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.answers), SKIP)


def count_missed_turn(d: State, seat: int) -> None:
    """Count one missed turn of those still due."""
    d.skips -= 1
    if d.skips and d.compiled.order.all_respond:
        ask_to_avert_miss(d, d.after[seat])
    else:
        miss_turns(d, d.after[seat])


def miss_turns(d: State, seat: int) -> None:
    """Let the turns still due be missed, from this seat on; then the next one plays."""
    while d.skips:
        if not d.hands[seat] and d.compiled.comeback.applies and not d.compiled.comeback.skip_extends:
            put_out(d, seat)  # the order of play has come round to a seat without cards
            if d.over:
                return
        else:
            d.skips -= 1
            d.log.append(f"{SEATS[seat]} skipped")
        seat = d.after[seat]
    begin_turn(d, seat)


def _put_out_and_pass(d: State, seat: int) -> None:
    """Put a seat without cards out for good, now that its turn has come again."""
    put_out(d, seat)
    if not d.over:
        pass_to_next_seat(d, seat)
