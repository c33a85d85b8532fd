"""What each action does."""

from __future__ import annotations

from maumau.game import call, chain, gesture, law, mau, side, stock, turn
from maumau.game.action import Action, parse
from maumau.game.cards import JOKER, NAMES, STRIDE, merge_copies
from maumau.game.compiled import COVER, DRAW, LAST, NOTHING, PASS, SKIP, STUCK, TAKE, TURN, CompiledRules
from maumau.game.effect import RESCUED, list_effects
from maumau.game.end import finish_deal
from maumau.game.event import DREW, make_draw_event
from maumau.game.menu import list_single_cards
from maumau.game.move import Menu, Move, Run
from maumau.game.out import handle_last_card
from maumau.game.power import ENDS, MAY, Power
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.turn import (
    begin_turn,
    continue_after_card,
    count_missed_turn,
    end_turn,
    limit_last_card,
    offer_actions,
    pass_to_next_seat,
)


def lay_card(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay one card: it counts from now on, has its effects, and the turn goes on."""
    d.log.append((action.spoken or action.events())[seat])
    hands = d.hands
    card = move.bits
    hand = hands[seat]
    if not hand & card:
        card = lowest_copy(hand, move.code)
    hands[seat] = hand = hand ^ card
    d.topmost = card
    d.top = move.code
    d.wish = move.wish
    d.fits = fits = move.fits
    d.idle = 0
    if not move.plain or not hand & hand - 1 or d.owing != NOBODY:
        apply_laid_card(d, seat, move, action)
        return
    seat = d.after[seat]  # what follows is `begin`, written out for the most common case
    hand = hands[seat]
    may = hand & fits
    if may == hand or not d.stock or d.has_unlisted_actions:
        begin_turn(d, seat)
        return
    d.seat = seat
    d.to_act = ALONE[seat]
    d.asks = "turn"
    d.menu = d.menus[TURN].get(may) or list_single_cards(d, may, TURN)


def apply_laid_card(d: State, seat: int, move: Move, action: Action) -> None:
    """What a card brings with it: its effects, the calls, and who goes on."""
    hand = d.hands[seat]
    if not hand:
        handle_last_card(d, seat, move, action)
        return
    for effect in move.effects:
        effect(d, seat, move)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    if d.court is not None:
        gesture.check_apology(d, seat, move, action)
        mau.judge_call(d, seat, action)
    elif not hand & hand - 1:
        call.check_call(d, seat, action, laid=True)
    if move.plain:
        begin_turn(d, d.after[seat])
    elif move.passes:
        pass_to_next_seat(d, seat)
    else:
        continue_after_card(d, seat, move)


def lay_cards(d: State, seat: int, move: Move, action: Action) -> None:
    """Lay several cards together: the top one counts."""
    _lay_lower_cards(d, seat, move.power, action)
    lay_card(d, seat, move, action)


def _lay_lower_cards(d: State, seat: int, power: Power, action: Action) -> None:
    """Lay the cards under the top one, which has this power; what they count as may lengthen a chain."""
    compiled, below = d.compiled, d.top
    chained = compiled.keeps_chain and power.owe
    for code in action.cards[:-1]:
        card = lowest_copy(d.hands[seat], code)
        d.hands[seat] ^= card
        below = compiled.counts_as((code,), below)
        if chained and compiled.powers[below].owe:
            d.chain |= card


def lay_transparent_card(d: State, seat: int, move: Move, action: Action) -> None:
    """A card that counts as what lies below (a mirror), or that leaves the suit as it was."""
    if len(action.cards) > 1:
        counts = d.compiled.counts_as(action.cards[:-1], d.top)
        _lay_lower_cards(d, seat, d.compiled.powers[counts] if move.power.mirror else move.power, action)
        d.top, d.wish = counts, -1
        d.fits = d.compiled.match[d.top]
    through = resolve_transparent_card(d, move, action.wish)
    through.bits = lowest_copy(d.hands[seat], move.code)
    lay_card(d, seat, through, action)


def resolve_transparent_card(d: State, move: Move, wish: int) -> Move:
    """What such a card does here."""
    compiled = d.compiled
    through = Move(lay_card)
    through.plain = False
    through.target = move.target
    through.fits, through.wish = d.fits, d.wish
    if move.power.mirror:
        through.code, through.power = d.top, compiled.powers[d.top]
        through.effects = compiled.effects(through.power)
        through.said, through.touch = move.said, through.power.touch
        if through.power.wishes:
            through.fits, through.wish = compiled.left_open(d.top, wish), wish
        return through
    through.code, through.power, through.effects = move.code, move.power, list_effects(move.power)
    if d.top != JOKER:  # on a joker the suit that it has left as it was
        through.fits = compiled.serving(d.wish if d.wish >= 0 else d.top % 4)
    return through


def lowest_copy(hand: int, code: int) -> int:
    """The lowest copy of a card in a hand."""
    card = 1 << code
    while not hand & card:
        card <<= STRIDE
    return card


def draw_on_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """They draw one card from the stack; if they can play this card (or cover with it), they may do so."""
    d.scope = may = perform_draw(d, seat, action) & d.fits
    hand = d.hands[seat]
    compiled = d.compiled
    if may == hand or compiled.must_play or d.has_unlisted_actions:
        may = limit_last_card(d, seat, hand, may)
        offer_actions(d, hand, may, NOTHING if may and compiled.must_play else PASS)
        return
    d.menu = d.menus[PASS].get(may) or list_single_cards(d, may, PASS)


def draw_and_choose(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw one card, and as long as it does not fit another one; or lay any card after it."""
    offer_after_draw(d, seat, perform_draw(d, seat, action), action)


def offer_after_draw(d: State, seat: int, bit: int, action: Action) -> None:
    """What may be done with the card drawn."""
    fit = bit if d.compiled.blind else bit & d.fits  # face down any card can be laid
    compiled = d.compiled
    hand = d.hands[seat]
    if compiled.until_playable and not fit and stock.can_draw(d):
        offer_actions(d, hand, 0, DRAW)
    elif compiled.may_play == "none":
        _end_turn(d, seat, action)
    elif compiled.locks and call.is_single_card(hand ^ bit) and d.said[seat] != hand ^ bit:
        offer_actions(
            d, hand, 0, PASS
        )  # who has not said Mau for his last card "may only draw/pass" in this turn
    else:
        d.scope = fit if compiled.may_play == "drawn_only" else d.fits
        may = limit_last_card(d, seat, hand, hand & d.scope)
        offer_actions(d, hand, may, NOTHING if compiled.must_play and fit & may else PASS)


def draw_and_end_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """Draw one card, and the turn is over."""
    perform_draw(d, seat, action)
    _end_turn(d, seat, action)


def perform_draw(d: State, seat: int, action: Action) -> int:
    """Draw a card; it."""
    if d.court is not None:
        return _perform_watched_draw(d, seat, action)
    bit = stock.draw_card(d, seat)
    said = action.text
    d.log.append((said == "draw" and DREW[seat].get(bit)) or make_draw_event(seat, bit, said))
    d.idle = 0
    if d.compiled.when_empty:
        stock.refill_stock(d)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    return bit


def _perform_watched_draw(d: State, seat: int, action: Action) -> int:
    unmoved = gesture.forgot_astonished_face(d, action)
    bit = stock.draw_card(d, seat)
    d.log.append(make_draw_event(seat, bit, action.text))
    d.idle = 0
    stock.refill_stock(d)
    _report_draw(d, seat, action, unmoved=unmoved)
    return bit


def _report_draw(d: State, seat: int, action: Action, *, unmoved: bool) -> None:
    """What the others have seen and heard of who drew."""
    mau.judge_call(d, seat, action)
    if unmoved:
        law.commit_violation(d, seat, "willi")


def take_owed_cards(d: State, seat: int, _move: Move, action: Action) -> None:
    """Take the cards that are owed; then the turn ends, or goes on as the card says."""
    d.log.append((action.spoken or action.events())[seat])
    if d.compiled.rescue and d.rescued < RESCUED:
        _draw_owed_cards(d, seat, action)
        return
    unmoved = d.court is not None and gesture.forgot_astonished_face(d, action)
    stock.gather_cards(d, seat, d.owed)
    if d.court is not None:
        d.chain = 0  # the sevens are a pile like any other before his call is judged
        _report_draw(d, seat, action, unmoved=unmoved)
    finish_taking(d, seat, action)


def finish_taking(d: State, seat: int, action: Action) -> None:
    d.owed = d.rescued = d.chain = 0
    stock.refill_stock(d)
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    if d.finishers and chain.resume_chain(d, seat):
        return
    if d.after_take == ENDS:
        _end_turn(d, seat, action)
    elif d.after_take == MAY:
        d.asks = "turn"
        d.scope = d.fits
        hand = d.hands[seat]
        offer_actions(d, hand, limit_last_card(d, seat, hand, hand & d.fits), PASS)
    else:
        begin_turn(d, seat)


def _draw_owed_cards(d: State, seat: int, action: Action) -> None:
    """If they draw a 7 or an Unter of Leaves in the first 3 cards they may play it."""
    drawn: list[int] = []
    while d.owed and (bit := stock.draw_card(d, seat)):
        drawn.append(bit)
        d.owed -= 1
        d.rescued += 1
        if d.rescued <= RESCUED and merge_copies(bit) & d.compiled.rescue:
            stock.log_taken_cards(d, seat, drawn)
            stock.refill_stock(d)
            name = NAMES[(bit.bit_length() - 1) % STRIDE]
            d.asks = "rescue"
            d.menu = Menu(
                {parse(f"rescue:{name}"): Move(lay_rescue_card), parse("on"): Move(continue_drawing)}
            )
            return
    stock.log_taken_cards(d, seat, drawn)
    finish_taking(d, seat, action)


def continue_drawing(d: State, seat: int, _move: Move, action: Action) -> None:
    """Go on drawing what is owed."""
    d.log.append((action.spoken or action.events())[seat])
    _draw_owed_cards(d, seat, action)


def lay_rescue_card(d: State, seat: int, _move: Move, action: Action) -> None:
    """The card just drawn is laid: drawing stops, the drawn cards are kept, and the turn is over."""
    d.owed = d.rescued = d.chain = 0
    lay_card(d, seat, d.compiled.move(parse(NAMES[action.cards[0]])), action)


def accept_missed_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """Accept the missed turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    call.check_call(d, seat, action, laid=False)
    count_missed_turn(d, seat)


def pass_turn(d: State, seat: int, _move: Move, action: Action) -> None:
    """Pass: end one's turn."""
    d.log.append((action.spoken or action.events())[seat])
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    _end_turn(d, seat, action)


def pass_with_nothing_to_draw(d: State, seat: int, move: Move, action: Action) -> None:
    """Pass because nothing fits and nothing can be drawn; if all do so in a row the deal is blocked."""
    d.idle += 1
    pass_turn(d, seat, move, action)
    if d.idle >= d.active.bit_count():
        finish_deal(d)


def _end_turn(d: State, seat: int, action: Action) -> None:
    hand = d.hands[seat]
    if not d.compiled.has_turn_end_checks and hand & hand - 1:
        begin_turn(d, d.after[seat])
        return
    if d.court is not None or not hand & hand - 1:
        call.check_call(d, seat, action, laid=False)
    if d.compiled.has_turn_end_checks:
        end_turn(d, seat)
    else:
        begin_turn(d, d.after[seat])


def install_basic_moves(compiled: CompiledRules) -> None:
    """Give a table the moves of its words, by the way an action list ends."""
    words: dict[int, tuple[str, Run]] = {
        DRAW: ("draw", choose_draw_move(compiled)),
        TAKE: ("take", take_owed_cards),
        SKIP: ("skip", accept_missed_turn),
        PASS: ("pass", pass_turn),
        STUCK: ("pass", pass_with_nothing_to_draw),
        COVER: ("draw", draw_on_turn),
        LAST: ("draw", draw_and_end_turn),
    }
    compiled.run = lay_card
    compiled.through = lay_transparent_card
    compiled.many = lay_cards
    compiled.hold = Move(pass_turn)
    compiled.pick = Move(side.pick_up_ripe_cards)
    compiled.refresh = turn.refresh_decision
    for tail, (word, run) in words.items():
        compiled.tails[tail] = Menu({parse(word): Move(run)})


def choose_draw_move(compiled: CompiledRules) -> Run:
    """What `draw` does in a normal turn."""
    if compiled.until_playable or compiled.locks or compiled.may_play == "any":
        return draw_and_choose
    return draw_and_end_turn if compiled.may_play == "none" else draw_on_turn
