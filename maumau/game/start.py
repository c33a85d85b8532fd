"""The beginning of a deal: dealing, the cut, the turned-up card and what it does."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from maumau.errors import BadDeal
from maumau.game import chain, doubt, kings, misdeal, turn, zug
from maumau.game.act import install_basic_moves
from maumau.game.action import SEATS, Action, parse
from maumau.game.cards import JOKER, NAMES, STRIDE, SUITS, list_codes, merge_copies, spread_copies
from maumau.game.chance import Epoch, Seed, Stream
from maumau.game.compiled import CompiledRules
from maumau.game.effect import list_effects
from maumau.game.move import Menu, Move
from maumau.game.rules import Rules
from maumau.game.state import ALONE, State
from maumau.game.window import Window

UP: Final = tuple(f"up {name}" for name in NAMES)
REFUSED: Final = tuple(f"refused {name}" for name in NAMES)


def compile_rules(rules: Rules, seats: int, away: int = 0) -> CompiledRules:
    """The rules compiled once for `seats` seats, of which `away` are not in the deal."""
    key = seats + 16 * away
    compiled = rules.tables.get(key)
    if compiled is None:
        compiled = rules.tables[key] = CompiledRules(rules, seats, away)
        install_basic_moves(compiled)
        doubt.install_claim_moves(compiled)
        chain.install_chain_moves(compiled)
        kings.install_king_windows(compiled)
    return compiled


def deal_from_seed(d: State, seed: Seed) -> None:
    """Hands by seat, the up card and the cards of the cut come off the stream `deal`, in this order."""
    compiled = d.compiled
    d.full = compiled.full
    _take_cards_off(d, compiled, Stream(seed, b"deal\0"))
    if not compiled.cut:
        turn_up_card(d, d.dealt)
        return
    again: Stream | None = None
    tries = 0
    while sum(d.cut) & compiled.significant_cards == sum(d.cut) and tries < compiled.cut_most:
        again = again or Stream(seed, b"cut\0")
        d.log.clear()
        _take_cards_off(d, compiled, again)
        tries += 1
    ask_cut(d)


def _take_cards_off(d: State, compiled: CompiledRules, stream: Stream) -> None:
    pack = compiled.deck.copy()
    if d.sizes:
        at = sum(d.sizes)
        stream.shuffle(pack, 0, at + 1)
        d.dealt = [pack[sum(d.sizes[:seat]) : sum(d.sizes[: seat + 1])] for seat in range(d.seats)]
    else:
        at, size = compiled.dealt, compiled.hand
        stream.shuffle(pack, 0, at + 1)
        d.dealt = [pack[first : first + size] for first in range(0, at, size)]
    if compiled.errors:
        at = misdeal.deal_wrong_cards(d, pack, stream, at)
    while compiled.start == "redraw_special" and pack[at] & compiled.significant_cards and at + 1 < len(pack):
        d.log.append(REFUSED[_get_code(pack[at])])
        at += 1
        stream.shuffle(pack, at, at + 1)
    d.up = pack[at]
    if compiled.cut:
        at += 1
        stop = min(at + 4, len(pack))
        stream.shuffle(pack, at, stop)
        d.cut = pack[at:stop]


def ask_cut(d: State) -> None:
    """Who cut 1-3 significant cards may keep them; a cut of four is not kept."""
    d.stock = d.full
    d.log.append("cut " + " ".join([NAMES[_get_code(card)] for card in d.cut]))
    seat = get_previous_seat(d, get_previous_seat(d, d.first))
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "keep"
    powers = sum(d.cut) & d.compiled.significant_cards
    d.menu = d.compiled.keeps.get(powers) or _list_keepable_cards(d.compiled, powers)


def _list_keepable_cards(compiled: CompiledRules, powers: int) -> Menu:
    moves = {parse("keep:-"): Move(_keep_cut_cards)}
    found = list_codes(powers)
    for count in range(1, len(found) + 1 if len(found) < 4 else 1):
        for kept in combinations(found, count):
            moves[parse("keep:" + "+".join(NAMES[code] for code in kept))] = Move(_keep_cut_cards)
    menu = compiled.keeps[powers] = Menu(moves)
    return menu


def _keep_cut_cards(d: State, seat: int, _move: Move, action: Action) -> None:
    """The kept cards are part of the hand (or come on top of it); then everybody is dealt his cards."""
    d.log.append(action.events()[seat])
    if not action.cards and not d.by_hand:
        turn_up_card(d, d.dealt)
        return
    exposed = list(d.cut)
    kept = []
    for code in action.cards:
        card = next(card for card in exposed if _get_code(card) == code)
        exposed.remove(card)
        kept.append(card)
    hands = list(d.dealt)
    count = max(len(hands[seat]) - len(kept), 0) if d.compiled.cut_counts else len(hands[seat])
    left = hands[seat][count:]
    hands[seat] = hands[seat][:count] + kept
    if d.by_hand:
        d.order = (*d.order, *left, *exposed)
    turn_up_card(d, hands)


def turn_up_card(d: State, hands: list[list[int]]) -> None:
    """Everybody has his cards; the topmost card is revealed and placed face up."""
    compiled = d.compiled
    court = d.court
    held = list(map(sum, hands))
    d.hands = held
    if 0 in held:  # who has no cards is not in this deal
        d.active = sum(1 << seat for seat, hand in enumerate(held) if hand)
        d.after = compiled.ring(d.direction, d.active)
    if compiled.hand == 1 or d.by_hand or d.sizes:  # a hand of one card from the deal owes no call
        d.said = [hand if not hand & hand - 1 else 0 for hand in held]
        if court is not None:
            court.settled = sum(1 << seat for seat, hand in enumerate(held) if not hand & hand - 1)
    d.order += d.rest
    d.topmost = up = (
        _find_first_ordinary_card(d) if d.by_hand and compiled.start == "redraw_special" else d.up
    )
    d.top = top = _get_code(up)
    d.stock = d.full ^ up ^ sum(held)
    d.epoch = Epoch(0, d.stock, d.seats)
    d.log.append(UP[top])
    d.fits = compiled.match[top]
    if not compiled.wish_any:
        d.menus = compiled.menus_by_wish[top % 4 if top != JOKER else 4]
    dealer = get_previous_seat(d, d.first)
    if court is not None:
        misdeal.punish_dealer(d, dealer)
    if compiled.powers[top].wishes or (compiled.powers[top].mirror and top == JOKER):
        if compiled.start_wild == "dealer_chooses":
            ask_wish(d, dealer)
            return
        if compiled.start_wild == "free" or top == JOKER:
            d.fits = spread_copies(merge_copies(d.full), compiled.copies)
    _apply_start_card(d, dealer)


def _find_first_ordinary_card(d: State) -> int:
    """By hand: a significant card is not turned up but goes under the stock, and the next one is."""
    up, order = d.up, list(d.order)
    for _ in d.order:
        if up & d.compiled.significant_cards:
            d.log.append(REFUSED[_get_code(up)])
            order.append(up)
            up = order.pop(0)
    d.order = tuple(order)
    return up


def get_previous_seat(d: State, seat: int) -> int:
    """The seat before this one that is in this deal."""
    return d.compiled.ring(-d.direction, d.active)[seat]


def _apply_start_card(d: State, dealer: int) -> None:
    """The card counts as laid by the dealer, or it has no effect."""
    compiled = d.compiled
    power = compiled.powers[d.top]
    mine = power.cover or power.again or power.turn
    if not compiled.start.startswith("as_dealer") or (mine and compiled.start == "as_dealer_next_only"):
        zug.begin_first_zug(d)
        turn.begin_turn(d, d.first)
        return
    move = compiled.move(parse(NAMES[d.top]))
    for effect in list_effects(power):
        effect(d, dealer, move)
    if d.court is None or mine:
        zug.begin_first_zug(d)
        turn.continue_after_card(d, dealer, move)
    elif move.power.stops:
        d.compiled.pause(d, dealer, move, _begin_undisturbed)
    else:
        turn.begin_first_zug(d, dealer)


def _begin_undisturbed(d: State, window: Window) -> None:
    turn.begin_first_zug(d, window.seat)


def ask_wish(d: State, dealer: int) -> None:
    """A wild card was turned up: the dealer names its suit."""
    d.seat = dealer
    d.to_act = ALONE[dealer]
    d.asks = "wish"
    own = d.top % 4 if not d.compiled.wish_any and d.top != JOKER else -1
    d.menu = Menu(
        {
            parse(f"wish:{letter}"): Move(_accept_dealers_wish)
            for suit, letter in enumerate(SUITS)
            if suit != own
        }
    )


def _accept_dealers_wish(d: State, seat: int, _move: Move, action: Action) -> None:
    """The dealer names the suit for a turned-up wild card."""
    d.log.append(action.events()[seat])
    d.wish = d.compiled.wished(d.top, action.wish)
    d.fits = d.compiled.left_open(d.top, d.wish)
    if not d.compiled.wish_any:
        d.menus = d.compiled.menus_by_wish[d.wish]
    _apply_start_card(d, seat)


def check_cards_in_pack(d: State) -> None:
    """BadDeal if a card of a deal by hand is not in the pack, or too often."""
    pack = sum(d.compiled.deck)
    for card in (d.up, *d.cut, *d.order, *d.rest, *(card for hand in d.dealt for card in hand)):
        if not card & pack:
            raise BadDeal(f"the pack does not contain that many {NAMES[_get_code(card)]}")


def _get_code(card: int) -> int:
    return (card.bit_length() - 1) % STRIDE


__all__ = ["SEATS", "compile_rules", "deal_from_seed", "list_codes"]
