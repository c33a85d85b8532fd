"""The start of a deal: dealing, the cut, the up card and its effect."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from maumau.errors import BadDeal
from maumau.game.features.registry import FEATURES
from maumau.game.legal.decision import begin_turn
from maumau.game.model.chance import Seed, ShuffleEpoch, Stream
from maumau.game.model.clash import refuse_clashes
from maumau.game.model.compiled import CompiledRules
from maumau.game.model.move import Menu, Move, make_menu
from maumau.game.model.state import ALONE, State
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import JOKER, NAMES, STRIDE, SUITS, list_codes, merge_copies, spread_copies
from maumau.game.play.turn import LAW_UP_CARD_STAGES, UP_CARD_STAGES, run_stages, select_stages
from maumau.game.ruleset.power import list_effects
from maumau.game.ruleset.rules import Rules
from maumau.game.swiss import misdeal

UP: Final = tuple(f"up {name}" for name in NAMES)
REFUSED: Final = tuple(f"refused {name}" for name in NAMES)


def compile_rules(rules: Rules, seats: int, away: int = 0, *, fuses: bool = True) -> CompiledRules:
    """Return the rules compiled once for `seats` seats, of which `away` are not in the deal.

    Without `fuses` every card of these rules takes its turn stage by stage from now on: the same deals,
    slower.
    """
    key = ("compiled", seats, away)
    compiled = rules.kept.get(key)
    if not isinstance(compiled, CompiledRules) or compiled.fuses > fuses:
        compiled = CompiledRules(rules, seats, away, FEATURES, fuses=fuses)
        refuse_clashes(compiled)
        rules.kept[key] = compiled
    return compiled


def deal_from_seed(d: State, seed: Seed) -> None:
    """Deal hands by seat, the up card and the cards of the cut from the stream `deal`, in this order."""
    compiled = d.compiled
    d.made.full = compiled.pack.full
    _take_cards_off(d, compiled, Stream(seed, b"deal\0"))
    if not compiled.dealing.cut:
        turn_up_card(d, d.made.dealt)
        return
    again: Stream | None = None
    significant = compiled.masks.significant_cards
    tries = 0
    while not sum(d.made.cut) & ~significant and tries < compiled.dealing.cut_most:
        again = again or Stream(seed, b"cut\0")
        d.log.clear()
        _take_cards_off(d, compiled, again)
        tries += 1
    ask_cut(d)


def _take_cards_off(d: State, compiled: CompiledRules, stream: Stream) -> None:
    pack = compiled.pack.deck.copy()
    if d.made.sizes:
        at = sum(d.made.sizes)
        stream.shuffle(pack, 0, at + 1)
        d.made.dealt = [
            pack[sum(d.made.sizes[:seat]) : sum(d.made.sizes[: seat + 1])] for seat in range(d.seats)
        ]
    else:
        at, size = compiled.pack.dealt, compiled.pack.hand
        stream.shuffle(pack, 0, at + 1)
        d.made.dealt = [pack[first : first + size] for first in range(0, at, size)]
    if compiled.dealing.errors:
        at = misdeal.deal_wrong_cards(d, pack, stream, at)
    while (
        compiled.dealing.start == "redraw_special"
        and pack[at] & compiled.masks.significant_cards
        and at + 1 < len(pack)
    ):
        d.log.append(REFUSED[_get_code(pack[at])])
        at += 1
        stream.shuffle(pack, at, at + 1)
    d.made.up = pack[at]
    if compiled.dealing.cut:
        at += 1
        stop = min(at + 4, len(pack))
        stream.shuffle(pack, at, stop)
        d.made.cut = pack[at:stop]


def ask_cut(d: State) -> None:
    """Ask the seat that cut 1-3 significant cards which it keeps; a cut of four is not kept."""
    d.stock = d.made.full
    d.log.append("cut " + " ".join([NAMES[_get_code(card)] for card in d.made.cut]))
    seat = get_previous_seat(d, get_previous_seat(d, d.made.first))
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "keep"
    powers = sum(d.made.cut) & d.compiled.masks.significant_cards
    d.menu = d.compiled.cache.keeps.get(powers) or _list_keepable_cards(d.compiled, powers)


def _list_keepable_cards(compiled: CompiledRules, powers: int) -> Menu:
    moves = {parse("keep:-"): Move("keep_cut_cards")}
    found = list_codes(powers)
    for count in range(1, len(found) + 1 if len(found) < 4 else 1):
        for kept in combinations(found, count):
            moves[parse("keep:" + "+".join(NAMES[code] for code in kept))] = Move("keep_cut_cards")
    menu = compiled.cache.keeps[powers] = make_menu(moves)
    return menu


def keep_cut_cards(d: State, seat: int, _move: Move, action: Action) -> None:
    """Add the kept cards to the hand (or on top of it), and deal."""
    d.log.append(action.events()[seat])
    if not action.cards and not d.made.by_hand:
        turn_up_card(d, d.made.dealt)
        return
    exposed = list(d.made.cut)
    kept = []
    for code in action.cards:
        card = next(card for card in exposed if _get_code(card) == code)
        exposed.remove(card)
        kept.append(card)
    hands = list(d.made.dealt)
    count = max(len(hands[seat]) - len(kept), 0) if d.compiled.dealing.cut_counts else len(hands[seat])
    left = hands[seat][count:]
    hands[seat] = hands[seat][:count] + kept
    if d.made.by_hand:
        _set_order(d, (*d.epoch.order, *left, *exposed))
    turn_up_card(d, hands)


def turn_up_card(d: State, hands: list[list[int]]) -> None:
    """Turn up the top card of the stock after all hands are dealt."""
    compiled = d.compiled
    held = list(map(sum, hands))
    d.hands = held
    if 0 in held:  # a seat without cards is not in this deal
        d.active = sum(1 << seat for seat, hand in enumerate(held) if hand)
        d.after = compiled.ring(d.direction, d.active)
    # a hand of one card from the deal owes no call
    compiled.calls.start(d, held, settles=compiled.pack.hand == 1 or d.made.by_hand or bool(d.made.sizes))
    if d.made.rest:
        _set_order(d, d.epoch.order + d.made.rest)
    d.topmost = up = (
        _find_first_ordinary_card(d)
        if d.made.by_hand and compiled.dealing.start == "redraw_special"
        else d.made.up
    )
    d.top = top = _get_code(up)
    d.stock = d.made.full ^ up ^ sum(held)
    _set_order(d, d.epoch.order)
    d.log.append(UP[top])
    d.fits = compiled.match[top]
    if not compiled.wish_any:
        d.menus = compiled.cache.menus_by_wish[top % 4 if top != JOKER else 4]
    dealer = get_previous_seat(d, d.made.first)
    compiled.calls.punish_dealer(d, dealer)
    if compiled.powers[top].wishes or (compiled.powers[top].mirror and top == JOKER):
        if compiled.dealing.start_wild == "dealer_chooses":
            ask_wish(d, dealer)
            return
        if compiled.dealing.start_wild == "free" or top == JOKER:
            d.fits = spread_copies(merge_copies(d.made.full), compiled.pack.copies)
    _apply_start_card(d, dealer)


def _find_first_ordinary_card(d: State) -> int:
    """Return the first ordinary card, for deals by hand: significant ones go under the stock."""
    up, order = d.made.up, list(d.epoch.order)
    for _ in d.epoch.order:
        if up & d.compiled.masks.significant_cards:
            d.log.append(REFUSED[_get_code(up)])
            order.append(up)
            up = order.pop(0)
    _set_order(d, tuple(order))
    return up


def _set_order(d: State, order: tuple[int, ...]) -> None:
    """Begin the first epoch, with the stock in this order if it is a deal by hand."""
    d.epoch = ShuffleEpoch(0, d.stock, d.seats, d.epoch.seed, order)


def get_previous_seat(d: State, seat: int) -> int:
    """Return the seat before this one that is in this deal."""
    return d.compiled.ring(-d.direction, d.active)[seat]


def _apply_start_card(d: State, dealer: int) -> None:
    """Apply the up card as if laid by the dealer, or without an effect."""
    compiled = d.compiled
    power = compiled.powers[d.top]
    mine = power.cover or power.again or power.turn
    if not compiled.dealing.start.startswith("as_dealer") or (
        mine and compiled.dealing.start == "as_dealer_next_only"
    ):
        compiled.calls.begin_first_zug(d)
        begin_turn(d, d.made.first)
        return
    move = Move("lay_card")
    move.code, move.bits, move.fits = d.top, d.topmost, d.fits
    move.power, move.touch, move.effects = power, power.touch, list_effects(power)
    stages = UP_CARD_STAGES if mine or not compiled.law.applies else LAW_UP_CARD_STAGES
    run_stages(d, dealer, move, parse(NAMES[d.top]), select_stages(compiled, move, stages))


def ask_wish(d: State, dealer: int) -> None:
    """Ask the dealer for the suit of a wild up card."""
    d.seat = dealer
    d.to_act = ALONE[dealer]
    d.asks = "wish"
    own = d.top % 4 if not d.compiled.wish_any and d.top != JOKER else -1
    d.menu = make_menu(
        {
            parse(f"wish:{letter}"): Move("accept_dealers_wish")
            for suit, letter in enumerate(SUITS)
            if suit != own
        }
    )


def accept_dealers_wish(d: State, seat: int, _move: Move, action: Action) -> None:
    """Accept the dealer's suit for a wild up card."""
    d.log.append(action.events()[seat])
    d.wish = d.compiled.wished(d.top, action.wish)
    d.fits = d.compiled.left_open(d.top, d.wish)
    if not d.compiled.wish_any:
        d.menus = d.compiled.cache.menus_by_wish[d.wish]
    _apply_start_card(d, seat)


def check_cards_in_pack(d: State) -> None:
    """Raise BadDeal if a card of a deal by hand is not in the pack, or too often."""
    pack = sum(d.compiled.pack.deck)
    for card in (
        d.made.up,
        *d.made.cut,
        *d.epoch.order,
        *d.made.rest,
        *(card for hand in d.made.dealt for card in hand),
    ):
        if not card & pack:
            raise BadDeal(f"the pack does not contain that many {NAMES[_get_code(card)]}")


def _get_code(card: int) -> int:
    return (card.bit_length() - 1) % STRIDE


__all__ = ["SEATS", "compile_rules", "deal_from_seed", "list_codes"]
