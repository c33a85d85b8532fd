"""A card laid face down: the next player believes the claim, or the card is revealed.

Until then nothing has changed but that the card has left the hand. A believed claim counts, whatever the card
is, and can never be doubted again.
"""

from __future__ import annotations

from typing import Final

from maumau.game import call, stock
from maumau.game.act import apply_laid_card, finish_taking, lowest_copy, resolve_transparent_card
from maumau.game.action import SEATS, Action, parse
from maumau.game.blind import Claim
from maumau.game.cards import NAMES, STRIDE
from maumau.game.compiled import PASS, BlindRule, CompiledRules
from maumau.game.event import Covered
from maumau.game.move import Menu, Move
from maumau.game.state import ALONE, NOBODY, State
from maumau.game.turn import count_missed_turn, end_turn, offer_actions, refresh_decision

PASSES: Final = parse("pass")


def lay_face_down(d: State, seat: int, _move: Move, action: Action) -> None:
    """Players play cards face-down. The card's rank and suit is spoken by the player."""
    d.log.append(Covered(seat, action.text))
    card = lowest_copy(d.hands[seat], action.cards[0])
    d.hands[seat] ^= card
    d.claimed = Claim(d, seat, card, action)
    d.idle = 0
    if d.owing != NOBODY:
        call.settle_missed_call(d, seat)
    following = d.after[seat]
    d.seat = following
    d.to_act = ALONE[following]
    d.asks = "doubt"
    d.menu = d.compiled.doubts


def accept_claim(d: State, seat: int, _move: Move, action: Action) -> None:
    """If the next player believes the first one, the card is accepted as canon and the game continues."""
    d.log.append(action.events()[seat])
    laid = _end_claim(d)
    apply_laid_card(d, laid.seat, _uphold_claim(d, laid), laid.action)


def doubt_claim(d: State, seat: int, _move: Move, action: Action) -> None:
    """If the next player doesn't believe the card is as specified by the first player, it is revealed."""
    d.log.append(action.events()[seat])
    laid, rule = _end_claim(d), d.compiled.blind
    code = (laid.card.bit_length() - 1) % STRIDE
    d.log.append(f"{SEATS[laid.seat]} shows {NAMES[code]}")
    if rule is None:
        return
    if code == laid.action.claim:
        _punish_doubter(d, seat, laid, rule)
    else:
        _punish_liar(d, laid, rule)


def _end_claim(d: State) -> Claim:
    laid = d.claimed
    if laid is None:
        raise AssertionError("nobody is asked to doubt unless a card was claimed")
    return laid


def _uphold_claim(d: State, laid: Claim) -> Move:
    """The card lies on top and is the one claimed from now on; what it does."""
    move = laid.move
    if move.power.mirror or move.power.names == "no_change":
        move = resolve_transparent_card(d, move, laid.action.wish)
    d.claimed = None
    d.topmost = laid.card
    d.top, d.wish, d.fits = move.code, move.wish, move.fits
    return move


def _punish_doubter(d: State, seat: int, laid: Claim, rule: BlindRule) -> None:
    """If the first player told the truth, the next one must draw one or more cards, miss their turn."""
    move = _uphold_claim(d, laid)
    stock.take_cards(d, seat, rule.wrong_draw)
    if rule.wrong_miss:
        d.absent |= 1 << seat
    apply_laid_card(d, laid.seat, move, laid.action)


def _punish_liar(d: State, laid: Claim, rule: BlindRule) -> None:
    """They return the card to their hand and miss their turn, draw additional cards and what they owed."""
    liar = laid.seat
    if rule.caught_return:
        d.hands[liar] |= laid.card
    d.claimed = None
    answered = laid.asks == "answer"
    dodged = d.owed if answered else 0
    stock.gather_cards(d, liar, rule.caught_draw + dodged)
    if not rule.caught_over:
        _resume_liars_turn(d, laid, dodged)
        return
    d.owed -= dodged
    d.chain = 0 if dodged else d.chain
    stock.refill_stock(d)
    call.check_call(d, liar, laid.action, laid=False)
    if answered and not dodged:
        count_missed_turn(d, liar)
    else:
        end_turn(d, liar)


def _resume_liars_turn(d: State, laid: Claim, dodged: int) -> None:
    """The turn of who was caught is not over: the same decision again; what was owed has been taken."""
    d.seat = laid.seat
    d.to_act = ALONE[laid.seat]
    d.asks, d.menu = laid.asks, laid.menu
    if dodged:
        finish_taking(d, laid.seat, laid.action)
        return
    stock.refill_stock(d)
    hand = d.hands[laid.seat]
    if PASSES in laid.menu.moves:
        offer_actions(d, hand, hand, PASS)
    else:
        refresh_decision(d, laid.seat)


def install_claim_moves(compiled: CompiledRules) -> None:
    """Give a table the moves of face-down play."""
    compiled.veil = Move(lay_face_down)
    compiled.doubts = Menu({parse("accept"): Move(accept_claim), parse("doubt"): Move(doubt_claim)})
