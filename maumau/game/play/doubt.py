"""A card laid face down: the next player believes the claim, or the card is revealed.

Until then the only change is that the card has left the hand. A believed claim counts, even if it is false,
and can never be doubted again.
"""

from __future__ import annotations

from typing import Final

from maumau.game.features.blind import make_claim
from maumau.game.legal.decision import count_missed_turn, offer_actions, refresh_decision
from maumau.game.model.compiled import PASS
from maumau.game.model.move import Move, make_menu
from maumau.game.model.rule import BlindRule
from maumau.game.model.state import ALONE, NOBODY, Claim, State, edit_features
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES, STRIDE
from maumau.game.notation.event import Covered
from maumau.game.play.act import finish_taking
from maumau.game.play.turn import END_STAGES, go_on_after_card, run_stages, select_stages
from maumau.game.table import stock
from maumau.game.table.lay import lowest_copy, resolve_transparent_card

PASSES: Final = parse("pass")
DOUBTS: Final = make_menu({parse("accept"): Move("accept_claim"), parse("doubt"): Move("doubt_claim")})


def lay_face_down(d: State, seat: int, _move: Move, action: Action) -> None:
    """Players play cards face-down. The card's rank and suit is spoken by the player."""
    d.log.append(Covered(seat, action.text))
    card = lowest_copy(d.hands[seat], action.cards[0])
    d.hands[seat] ^= card
    edit_features(d).claimed = make_claim(d, seat, card, action)
    d.idle = 0
    if d.calls.owing != NOBODY:
        d.compiled.calls.settle_missed_call(d, seat)
    following = d.after[seat]
    d.seat = following
    d.to_act = ALONE[following]
    d.asks = "doubt"
    d.menu = DOUBTS


def accept_claim(d: State, seat: int, _move: Move, action: Action) -> None:
    """If the next player believes the first one, the card is accepted as canon and the game continues."""
    d.log.append(action.events()[seat])
    laid = _end_claim(d)
    go_on_after_card(d, laid.seat, _uphold_claim(d, laid), laid.action)


def doubt_claim(d: State, seat: int, _move: Move, action: Action) -> None:
    """If the next player doesn't believe the card is as specified by the first player, it is revealed."""
    d.log.append(action.events()[seat])
    laid, rule = _end_claim(d), d.compiled.blind
    code = (laid.card.bit_length() - 1) % STRIDE
    d.log.append(f"{SEATS[laid.seat]} shows {NAMES[code]}")
    if code == laid.action.claim:
        _punish_doubter(d, seat, laid, rule)
    else:
        _punish_liar(d, laid, rule)


def _end_claim(d: State) -> Claim:
    laid = d.features.claimed
    if laid is None:
        raise AssertionError("nobody is asked to doubt unless a card was claimed")
    return laid


def _uphold_claim(d: State, laid: Claim) -> Move:
    """Put the claimed card on top, as the card it was claimed to be; return its move."""
    move = laid.move
    if move.power.mirror or move.power.names == "no_change":
        move = resolve_transparent_card(d, move, laid.action.wish)
    edit_features(d).claimed = None
    d.topmost = laid.card
    d.top, d.wish, d.fits = move.code, move.wish, move.fits
    return move


def _punish_doubter(d: State, seat: int, laid: Claim, rule: BlindRule) -> None:
    """If the first player told the truth, the next one must draw one or more cards, miss their turn."""
    move = _uphold_claim(d, laid)
    stock.take_cards(d, seat, rule.wrong_draw)
    if rule.wrong_miss:
        edit_features(d).absent |= 1 << seat
    go_on_after_card(d, laid.seat, move, laid.action)


def _punish_liar(d: State, laid: Claim, rule: BlindRule) -> None:
    """They return the card to their hand and miss their turn, draw additional cards and what they owed."""
    liar = laid.seat
    if rule.caught_return:
        d.hands[liar] |= laid.card
    edit_features(d).claimed = None
    answered = laid.asks == "answer"
    dodged = d.owed if answered else 0
    stock.gather_cards(d, liar, rule.caught_draw + dodged)
    if not rule.caught_over:
        _resume_liars_turn(d, laid, dodged)
        return
    d.owed -= dodged
    d.chain = 0 if dodged else d.chain
    stock.refill_stock(d)
    d.compiled.calls.judge_turn(d, liar, laid.action)
    if answered and not dodged:
        count_missed_turn(d, liar)
    else:
        run_stages(d, liar, laid.move, laid.action, select_stages(d.compiled, laid.move, END_STAGES))


def _resume_liars_turn(d: State, laid: Claim, dodged: int) -> None:
    """Ask the caught player for the same decision again; the owed cards have been taken."""
    d.seat = laid.seat
    d.to_act = ALONE[laid.seat]
    d.asks, d.menu = laid.asks, laid.menu
    if dodged:
        finish_taking(d, laid.seat, laid.move, laid.action)
        return
    stock.refill_stock(d)
    hand = d.hands[laid.seat]
    if PASSES in laid.menu.moves:
        offer_actions(d, hand, hand, PASS)
    else:
        refresh_decision(d, laid.seat)
