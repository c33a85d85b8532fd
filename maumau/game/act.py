"""What each action does."""

from __future__ import annotations

from maumau.game import call, chain, gesture, law, mau, side, stock, turn
from maumau.game.action import Action, parse
from maumau.game.cards import JOKER, NAMES, STRIDE, fold
from maumau.game.effect import RESCUED, effects
from maumau.game.end import finish
from maumau.game.event import DREW, drew
from maumau.game.menu import compose
from maumau.game.move import Menu, Move, Run
from maumau.game.out import emptied
from maumau.game.power import ENDS, MAY, Power
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.table import COVER, DRAW, LAST, NOTHING, PASS, SKIP, STUCK, TAKE, TURN, Table
from maumau.game.turn import begin, bound, missed, offer, onward, over, proceed


def lay(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay one card: it counts from now on, has its effects, and the turn goes on."""
    d.log.append((action.spoken or action.events())[seat])
    hands = d.hands
    card = move.bits
    hand = hands[seat]
    if not hand & card:
        card = copy_of(hand, move.code)
    hands[seat] = hand = hand ^ card
    d.topmost = card
    d.top = move.code
    d.wish = move.wish
    d.fits = fits = move.fits
    d.idle = 0
    if not move.plain or not hand & hand - 1 or d.owing != NOBODY:
        follow(d, seat, move, action)
        return
    seat = d.after[seat]  # what follows is `begin`, written out for the most common case
    hand = hands[seat]
    may = hand & fits
    if may == hand or not d.stock or d.wide:
        begin(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    d.menu = d.menus[TURN].get(may) or compose(d, may, TURN)


def follow(d: State, seat: int, move: Move, action: Action) -> None:
    """What a card brings with it: its effects, the calls, and who goes on."""
    hand = d.hands[seat]
    if not hand:
        emptied(d, seat, move, action)
        return
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle(d, seat)
    if d.court is not None:
        gesture.apologise(d, seat, move, action)
        mau.heard(d, seat, action)
    elif not hand & hand - 1:
        call.made(d, seat, action, laid=True)
    if move.plain:
        begin(d, d.after[seat])
    elif move.passes:
        onward(d, seat)
    else:
        proceed(d, seat, move)


def lay_many(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay several cards together: the top one counts."""
    _lay_under(d, seat, move.power, action)
    lay(d, seat, move, action)


def _lay_under(d: State, seat: int, power: Power, action: Action) -> None:
    """Lay the cards under the top one, which has this power; what they count as may lengthen a chain."""
    table, below = d.table, d.top
    chained = table.keeps_chain and power.owe
    for code in action.cards[:-1]:
        card = copy_of(d.hands[seat], code)
        d.hands[seat] ^= card
        below = table.counts_as((code,), below)
        if chained and table.powers[below].owe:
            d.chain |= card


def lay_through(d: State, seat: int, move: Move, action: Action) -> None:
    """A card that counts as what lies below (a mirror), or that leaves the suit as it was."""
    if len(action.cards) > 1:
        counts = d.table.counts_as(action.cards[:-1], d.top)
        _lay_under(d, seat, d.table.powers[counts] if move.power.mirror else move.power, action)
        d.top, d.wish = counts, -1
        d.fits = d.table.match[d.top]
    through = seen_through(d, move, action.wish)
    through.bits = copy_of(d.hands[seat], move.code)
    lay(d, seat, through, action)


def seen_through(d: State, move: Move, wish: int) -> Move:
    """What such a card does here."""
    table = d.table
    through = Move(lay)
    through.plain = False
    through.target = move.target
    through.fits, through.wish = d.fits, d.wish
    if move.power.mirror:
        through.code, through.power = d.top, table.powers[d.top]
        through.effects = table.effects(through.power)
        through.said, through.touch = move.said, through.power.touch
        if through.power.wishes:
            through.fits, through.wish = table.left_open(d.top, wish), wish
        return through
    through.code, through.power, through.effects = move.code, move.power, effects(move.power)
    if d.top != JOKER:  # on a joker the suit that it has left as it was
        through.fits = table.serving(d.wish if d.wish >= 0 else d.top % 4)
    return through


def copy_of(hand: int, code: int) -> int:
    """The lowest copy of a card in a hand."""
    card = 1 << code
    while not hand & card:
        card <<= STRIDE
    return card


def draw(d: State, seat: int, _move: Move, action: Action) -> None:
    """They draw one card from the stack; if they can play this card (or cover with it), they may do so."""
    d.scope = may = drawn(d, seat, action) & d.fits
    hand = d.hands[seat]
    table = d.table
    if may == hand or table.must_play or d.wide:
        may = bound(d, seat, hand, may)
        offer(d, hand, may, NOTHING if may and table.must_play else PASS)
        return
    d.menu = d.menus[PASS].get(may) or compose(d, may, PASS)


def draw_on_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw one card, and as long as it does not fit another one; or lay any card after it."""
    with_drawn(d, seat, drawn(d, seat, action), action)


def with_drawn(d: State, seat: int, bit: int, action: Action) -> None:
    """What may be done with the card drawn."""
    fit = bit if d.table.blind else bit & d.fits  # face down any card can be laid
    table = d.table
    hand = d.hands[seat]
    if table.until_playable and not fit and stock.can_draw(d):
        offer(d, hand, 0, DRAW)
    elif table.may_play == "none":
        _leave(d, seat, action)
    elif table.locks and call.single(hand ^ bit) and d.said[seat] != hand ^ bit:
        offer(d, hand, 0, PASS)  # who has not said Mau for his last card "may only draw/pass" in this turn
    else:
        d.scope = fit if table.may_play == "drawn_only" else d.fits
        may = bound(d, seat, hand, hand & d.scope)
        offer(d, hand, may, NOTHING if table.must_play and fit & may else PASS)


def draw_last(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw one card, and the turn is over."""
    drawn(d, seat, action)
    _leave(d, seat, action)


def drawn(d: State, seat: int, action: Action) -> int:
    """Draw a card; it."""
    if d.court is not None:
        return _drawn_in_court(d, seat, action)
    bit = stock.draw(d, seat)
    said = action.text
    d.log.append((said == "draw" and DREW[seat].get(bit)) or drew(seat, bit, said))
    d.idle = 0
    if d.table.when_empty:
        stock.refill(d)
    if d.owing != NOBODY:
        call.settle(d, seat)
    return bit


def _drawn_in_court(d: State, seat: int, action: Action) -> int:
    unmoved = gesture.unmoved(d, action)
    bit = stock.draw(d, seat)
    d.log.append(drew(seat, bit, action.text))
    d.idle = 0
    stock.refill(d)
    _watched(d, seat, action, unmoved=unmoved)
    return bit


def _watched(d: State, seat: int, action: Action, *, unmoved: bool) -> None:
    """What the others have seen and heard of who drew."""
    mau.heard(d, seat, action)
    if unmoved:
        law.commit(d, seat, "willi")


def take(d: State, seat: int, _move: Move, action: Action) -> None:
    """Take the cards that are owed; then the turn ends, or goes on as the card says."""
    d.log.append((action.spoken or action.events())[seat])
    if d.table.rescue and d.rescued < RESCUED:
        _take_on(d, seat, action)
        return
    unmoved = d.court is not None and gesture.unmoved(d, action)
    stock.gather(d, seat, d.owed)
    if d.court is not None:
        d.chain = 0  # the sevens are a pile like any other before his call is judged
        _watched(d, seat, action, unmoved=unmoved)
    taken(d, seat, action)


def taken(d: State, seat: int, action: Action) -> None:
    d.owed = d.rescued = d.chain = 0
    stock.refill(d)
    if d.owing != NOBODY:
        call.settle(d, seat)
    if d.finishers and chain.back(d, seat):
        return
    if d.after_take == ENDS:
        _leave(d, seat, action)
    elif d.after_take == MAY:
        d.asks = "turn"
        d.scope = d.fits
        hand = d.hands[seat]
        offer(d, hand, bound(d, seat, hand, hand & d.fits), PASS)
    else:
        begin(d, seat)


def _take_on(d: State, seat: int, action: Action) -> None:
    """If they draw a 7 or an Unter of Leaves in the first 3 cards they may play it."""
    drawn: list[int] = []
    while d.owed and (bit := stock.draw(d, seat)):
        drawn.append(bit)
        d.owed -= 1
        d.rescued += 1
        if d.rescued <= RESCUED and fold(bit) & d.table.rescue:
            stock.tell(d, seat, drawn)
            stock.refill(d)
            name = NAMES[(bit.bit_length() - 1) % STRIDE]
            d.asks = "rescue"
            d.menu = Menu({parse(f"rescue:{name}"): Move(rescue), parse("on"): Move(draw_on)})
            return
    stock.tell(d, seat, drawn)
    taken(d, seat, action)


def draw_on(d: State, seat: int, _move: Move, action: Action) -> None:
    """Go on drawing what is owed."""
    d.log.append((action.spoken or action.events())[seat])
    _take_on(d, seat, action)


def rescue(d: State, seat: int, _move: Move, action: Action) -> None:
    """The card just drawn is laid: drawing stops, the drawn cards are kept, and the turn is over."""
    d.owed = d.rescued = d.chain = 0
    lay(d, seat, d.table.move(parse(NAMES[action.cards[0]])), action)


def skip(d: State, seat: int, _move: Move, action: Action) -> None:
    """Accept the missed turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.owing != NOBODY:
        call.settle(d, seat)
    call.made(d, seat, action, laid=False)
    missed(d, seat)


def leave(d: State, seat: int, _move: Move, action: Action) -> None:
    """Pass: end one's turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.owing != NOBODY:
        call.settle(d, seat)
    _leave(d, seat, action)


def stuck(d: State, seat: int, move: Move, action: Action) -> None:
    """Pass because nothing fits and nothing can be drawn; if all do so in a row the deal is blocked."""
    d.idle += 1
    leave(d, seat, move, action)
    if d.idle >= d.active.bit_count():
        finish(d)


def _leave(d: State, seat: int, action: Action) -> None:
    hand = d.hands[seat]
    if not d.table.formal and hand & hand - 1:
        begin(d, d.after[seat])
        return
    if d.court is not None or not hand & hand - 1:
        call.made(d, seat, action, laid=False)
    if d.table.formal:
        over(d, seat)
    else:
        begin(d, d.after[seat])


def equip(table: Table) -> None:
    """Give a table the moves of its words, by the way an action list ends."""
    words = {DRAW: ("draw", turned(table)), TAKE: ("take", take), SKIP: ("skip", skip), PASS: ("pass", leave),
             STUCK: ("pass", stuck), COVER: ("draw", draw), LAST: ("draw", draw_last)}  # fmt: skip
    table.run = lay
    table.through = lay_through
    table.many = lay_many
    table.hold = Move(leave)
    table.pick = Move(side.pick_up)
    table.refresh = turn.refresh
    for tail, (word, run) in words.items():
        table.tails[tail] = Menu({parse(word): Move(run)})


def turned(table: Table) -> Run:
    """What `draw` does in a normal turn."""
    if table.until_playable or table.locks or table.may_play == "any":
        return draw_on_turn
    return draw_last if table.may_play == "none" else draw
