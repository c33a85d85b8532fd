"""The beginning of a deal: dealing, the cut, the turned-up card and what it does."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from maumau.errors import BadDeal
from maumau.game import chain, doubt, kings, misdeal, turn, zug
from maumau.game.act import equip
from maumau.game.action import SEATS, Action, parse
from maumau.game.cards import JOKER, NAMES, STRIDE, SUITS, codes, fold, spread
from maumau.game.chance import Epoch, Seed, Stream
from maumau.game.effect import effects
from maumau.game.move import Menu, Move
from maumau.game.rules import Rules
from maumau.game.state import ALONE, State
from maumau.game.table import Table
from maumau.game.window import Window

UP: Final = tuple(f"up {name}" for name in NAMES)
REFUSED: Final = tuple(f"refused {name}" for name in NAMES)


def compiled(rules: Rules, seats: int, away: int = 0) -> Table:
    """The rules compiled once for `seats` seats, of which `away` are not in the deal."""
    key = seats + 16 * away
    table = rules.tables.get(key)
    if table is None:
        table = rules.tables[key] = Table(rules, seats, away)
        equip(table)
        doubt.equip(table)
        chain.equip(table)
        kings.equip(table)
    return table


def from_seed(d: State, seed: Seed) -> None:
    """Hands by seat, the up card and the cards of the cut come off the stream `deal`, in this order."""
    table = d.table
    d.full = table.full
    _off(d, table, Stream(seed, b"deal\0"))
    if not table.cut:
        turn_up(d, d.dealt)
        return
    again: Stream | None = None
    tries = 0
    while sum(d.cut) & table.strong == sum(d.cut) and tries < table.cut_most:
        again = again or Stream(seed, b"cut\0")
        d.log.clear()
        _off(d, table, again)
        tries += 1
    ask_cut(d)


def _off(d: State, table: Table, stream: Stream) -> None:
    pack = table.deck.copy()
    if d.sizes:
        at = sum(d.sizes)
        stream.shuffle(pack, 0, at + 1)
        d.dealt = [pack[sum(d.sizes[:seat]) : sum(d.sizes[: seat + 1])] for seat in range(d.seats)]
    else:
        at, size = table.dealt, table.hand
        stream.shuffle(pack, 0, at + 1)
        d.dealt = [pack[first : first + size] for first in range(0, at, size)]
    if table.errors:
        at = misdeal.errors(d, pack, stream, at)
    while table.start == "redraw_special" and pack[at] & table.strong and at + 1 < len(pack):
        d.log.append(REFUSED[_code(pack[at])])
        at += 1
        stream.shuffle(pack, at, at + 1)
    d.up = pack[at]
    if table.cut:
        at += 1
        stop = min(at + 4, len(pack))
        stream.shuffle(pack, at, stop)
        d.cut = pack[at:stop]


def ask_cut(d: State) -> None:
    """Who cut 1-3 significant cards may keep them; a cut of four is not kept."""
    d.stock = d.full
    d.log.append("cut " + " ".join([NAMES[_code(card)] for card in d.cut]))
    seat = before(d, before(d, d.first))
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "keep"
    powers = sum(d.cut) & d.table.strong
    d.menu = d.table.keeps.get(powers) or _keeps(d.table, powers)


def _keeps(table: Table, powers: int) -> Menu:
    moves = {parse("keep:-"): Move(_keep)}
    found = codes(powers)
    for count in range(1, len(found) + 1 if len(found) < 4 else 1):
        for kept in combinations(found, count):
            moves[parse("keep:" + "+".join(NAMES[code] for code in kept))] = Move(_keep)
    menu = table.keeps[powers] = Menu(moves)
    return menu


def _keep(d: State, seat: int, _move: Move, action: Action) -> None:
    """The kept cards are part of the hand (or come on top of it); then everybody is dealt his cards."""
    d.log.append(action.events()[seat])
    if not action.cards and not d.by_hand:
        turn_up(d, d.dealt)
        return
    exposed = list(d.cut)
    kept = []
    for code in action.cards:
        card = next(card for card in exposed if _code(card) == code)
        exposed.remove(card)
        kept.append(card)
    hands = list(d.dealt)
    count = max(len(hands[seat]) - len(kept), 0) if d.table.cut_counts else len(hands[seat])
    left = hands[seat][count:]
    hands[seat] = hands[seat][:count] + kept
    if d.by_hand:
        d.order = (*d.order, *left, *exposed)
    turn_up(d, hands)


def turn_up(d: State, hands: list[list[int]]) -> None:
    """Everybody has his cards; the topmost card is revealed and placed face up."""
    table = d.table
    court = d.court
    held = list(map(sum, hands))
    d.hands = held
    if 0 in held:  # who has no cards is not in this deal
        d.active = sum(1 << seat for seat, hand in enumerate(held) if hand)
        d.after = table.ring(d.direction, d.active)
    if table.hand == 1 or d.by_hand or d.sizes:  # a hand of one card from the deal owes no call
        d.said = [hand if not hand & hand - 1 else 0 for hand in held]
        if court is not None:
            court.settled = sum(1 << seat for seat, hand in enumerate(held) if not hand & hand - 1)
    d.order += d.rest
    d.topmost = up = _first_fair(d) if d.by_hand and table.start == "redraw_special" else d.up
    d.top = top = _code(up)
    d.stock = d.full ^ up ^ sum(held)
    d.epoch = Epoch(0, d.stock, d.seats)
    d.log.append(UP[top])
    d.fits = table.match[top]
    if not table.wish_any:
        d.menus = table.strict[top % 4 if top != JOKER else 4]
    dealer = before(d, d.first)
    if court is not None:
        misdeal.punish(d, dealer)
    if table.powers[top].wishes or (table.powers[top].mirror and top == JOKER):
        if table.start_wild == "dealer_chooses":
            ask_wish(d, dealer)
            return
        if table.start_wild == "free" or top == JOKER:
            d.fits = spread(fold(d.full), table.copies)
    _act(d, dealer)


def _first_fair(d: State) -> int:
    """By hand: a significant card is not turned up but goes under the stock, and the next one is."""
    up, order = d.up, list(d.order)
    for _ in d.order:
        if up & d.table.strong:
            d.log.append(REFUSED[_code(up)])
            order.append(up)
            up = order.pop(0)
    d.order = tuple(order)
    return up


def before(d: State, seat: int) -> int:
    """The seat before this one that is in this deal."""
    return d.table.ring(-d.direction, d.active)[seat]


def _act(d: State, dealer: int) -> None:
    """The card counts as laid by the dealer, or it has no effect."""
    table = d.table
    power = table.powers[d.top]
    mine = power.cover or power.again or power.turn
    if not table.start.startswith("as_dealer") or (mine and table.start == "as_dealer_next_only"):
        zug.first(d)
        turn.begin(d, d.first)
        return
    move = table.move(parse(NAMES[d.top]))
    for effect in effects(power):
        effect(d, dealer, move)
    if d.court is None or mine:
        zug.first(d)
        turn.proceed(d, dealer, move)
    elif move.power.stops:
        d.table.pause(d, dealer, move, _undisturbed)
    else:
        turn.first(d, dealer)


def _undisturbed(d: State, window: Window) -> None:
    turn.first(d, window.seat)


def ask_wish(d: State, dealer: int) -> None:
    """A wild card was turned up: the dealer names its suit."""
    d.seat = dealer
    d.to_act = ALONE[dealer]
    d.asks = "wish"
    own = d.top % 4 if not d.table.wish_any and d.top != JOKER else -1
    d.menu = Menu({parse(f"wish:{letter}"): Move(_wish) for suit, letter in enumerate(SUITS) if suit != own})


def _wish(d: State, seat: int, _move: Move, action: Action) -> None:
    """The dealer names the suit for a turned-up wild card."""
    d.log.append(action.events()[seat])
    d.wish = d.table.wished(d.top, action.wish)
    d.fits = d.table.left_open(d.top, d.wish)
    if not d.table.wish_any:
        d.menus = d.table.strict[d.wish]
    _act(d, seat)


def check(d: State) -> None:
    """BadDeal if a card of a deal by hand is not in the pack, or too often."""
    pack = sum(d.table.deck)
    for card in (d.up, *d.cut, *d.order, *d.rest, *(card for hand in d.dealt for card in hand)):
        if not card & pack:
            raise BadDeal(f"the pack does not contain that many {NAMES[_code(card)]}")


def _code(card: int) -> int:
    return (card.bit_length() - 1) % STRIDE


__all__ = ["SEATS", "codes", "compiled", "from_seed"]
