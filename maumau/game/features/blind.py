"""Face-down play: what may be claimed, and the action list of it.

Every card in hand can be laid; the rules restrict the claim. A menu combines every card with every claim.
A menu of more than 1,000 has each claim with the lowest card, and each other card with its true claim or else
with the first one; any other combination may still be sent.
"""

from __future__ import annotations

from typing import Any, Final

from maumau.game.legal.decision import begin_turn, count_missed_turn
from maumau.game.legal.menu import KEPT, list_forms
from maumau.game.model.compiled import TAILS
from maumau.game.model.feature import Feature
from maumau.game.model.move import Menu, Move, join_menus, make_menu
from maumau.game.model.state import Claim, State, edit_features
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES, list_codes, merge_copies
from maumau.game.table import stock
from maumau.game.table.end import would_end_deal

MAX_ACTIONS: Final = 1000
FACE_DOWN: Final = Move("lay_face_down")


class Claims(Feature):
    """Cards laid face down, each with a claim."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "claims",
            lambda compiled: compiled.blind.applies,
            hooks=(
                "begin_turn", "describe", "end_deal", "find_unlisted", "hold_cards", "limit_cards",
                "list_actions", "pass_turn",
            ),
        )  # fmt: skip

    def begin_turn(self, d: State, seat: int, hand: int) -> bool:  # noqa: ARG002
        """Let a seat that doubted a true claim miss this turn."""
        if not d.features.absent >> seat & 1:
            return False
        _sit_turn_out(d, seat)
        return True

    def describe(self, d: State) -> dict[str, Any]:
        """Return the claim that waits for an answer, and whose it is."""
        claimed = d.features.claimed
        return {"claim": NAMES[claimed.action.claim], "by": claimed.seat} if claimed else {}

    def end_deal(self, d: State) -> None:
        """Return a claimed card that was neither believed nor doubted to its player's hand."""
        claimed = d.features.claimed
        if claimed:
            d.hands[claimed.seat] |= claimed.card
            edit_features(d).claimed = None

    def find_unlisted(self, d: State, action: Action) -> Move | None:
        """Return the move of a claim that a shortened menu leaves out."""
        action = action.plain
        return find_unlisted_claim(d, action) if action.claim >= 0 else None

    def hold_cards(self, d: State) -> int:
        """Return the claimed card."""
        claimed = d.features.claimed
        return claimed.card if claimed else 0

    def limit_cards(self, d: State, seat: int, hand: int) -> int:
        """Return all cards: any may be laid where one may be claimed."""
        return hand if find_claimable_cards(d, seat, hand) else 0

    def list_actions(self, d: State, hand: int, may: int, tail: int) -> Menu:  # noqa: ARG002
        """Return the menu with every card and every claim."""
        bare = not hand & hand - 1 and would_end_deal(d)
        return list_face_down_actions(d, hand, tail + TAILS if bare else tail)

    def pass_turn(self, d: State, seat: int) -> bool:
        """Let a seat that doubted a true claim miss this turn, whatever it owes."""
        if not d.features.absent >> seat & 1 or not d.hands[seat]:
            return False
        _sit_turn_out(d, seat)
        return True


def _sit_turn_out(d: State, seat: int) -> None:
    """Let a seat that doubted a true claim miss this turn, and take at once any cards it owes."""
    edit_features(d).absent ^= 1 << seat
    if d.owed:
        stock.gather_cards(d, seat, d.owed)
        d.owed = d.chain = 0
        stock.refill_stock(d)
    d.log.append(f"{SEATS[seat]} skipped")
    if d.skips:
        count_missed_turn(d, seat)
    else:
        begin_turn(d, d.after[seat])


def make_claim(d: State, seat: int, card: int, action: Action) -> Claim:
    """Return the claim of a seat that lays this card face down in the decision that is due."""
    return Claim(seat, card, action, d.compiled.move(parse(get_claim_text(action))), d.asks, d.menu)


def get_claim_text(action: Action) -> str:
    """Return the claim spoken with a card laid face down: a card, with its wish."""
    return action.plain.text[3:]


def find_claimable_cards(d: State, seat: int, hand: int) -> int:
    """Return the kinds of card that a seat with this hand may claim now."""
    compiled = d.compiled
    if not hand:
        return 0
    kinds = (
        compiled.masks.anything
        if not compiled.blind.legal
        else merge_copies(d.answers if d.asks == "answer" else d.fits)
    )
    if hand & hand - 1:
        return kinds
    return 0 if compiled.left.locks and d.calls.said[seat] != hand else kinds & ~compiled.masks.barred


def list_face_down_actions(d: State, hand: int, tail: int) -> Menu:
    """Return the menu of a decision in which cards are laid face down: every card with every claim."""
    kinds = find_claimable_cards(d, d.seat, hand)
    held = list_codes(merge_copies(hand))
    spoken = _list_claim_texts(d, kinds, bare=tail >= TAILS)
    short = len(held) * len(spoken) > MAX_ACTIONS
    parts = []
    for code in held:
        if short and code != held[0]:
            true = [text for text in spoken if text.startswith(NAMES[code])]
            parts.append(_make_claim_menu(code, true or spoken[:1]))
        else:
            parts.append(_list_claims_for_card(d, code, kinds, spoken, bare=tail >= TAILS))
    return join_menus([*parts, d.compiled.words(tail, kinds)], short=short)


def _list_claim_texts(d: State, kinds: int, *, bare: bool) -> list[str]:
    """Return the claims as notation, each with every wish or target it may have (`bare`: with none)."""
    return [text for code in list_codes(kinds) for text in ([NAMES[code]] if bare else list_forms(d, code))]


def _list_claims_for_card(d: State, code: int, kinds: int, spoken: list[str], *, bare: bool) -> Menu:
    """Return the menu of one card with every claim, cached where the claims depend on `kinds` alone."""
    compiled = d.compiled
    key = kinds << 7 | code << 1 | bare
    found = compiled.cache.covered.get(key)
    if found is None:
        found = _make_claim_menu(code, spoken)
        if compiled.wish_any and not kinds & (compiled.masks.targets | compiled.masks.mirrors):
            if len(compiled.cache.covered) >= KEPT:
                compiled.cache.covered.clear()
            compiled.cache.covered[key] = found
    return found


def _make_claim_menu(code: int, spoken: list[str]) -> Menu:
    return make_menu({parse(f"{NAMES[code]}~{text}"): FACE_DOWN for text in spoken})


def find_unlisted_claim(d: State, action: Action) -> Move | None:
    """Return the move of a claim that a shortened menu leaves out; None if it is not allowed."""
    hand = d.hands[d.seat]
    if not d.menu.short or len(action.cards) != 1 or not merge_copies(hand) >> action.cards[0] & 1:
        return None
    spoken = _list_claim_texts(
        d, find_claimable_cards(d, d.seat, hand), bare=False
    )  # with one card left no list is that long
    return FACE_DOWN if get_claim_text(action) in spoken else None
