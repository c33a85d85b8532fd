"""Why a card may not be laid, in a sentence of the reader's language. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from maumau.errors import UnreadableAction
from maumau.game.model.compiled import CompiledRules
from maumau.game.notation.action import parse
from maumau.game.notation.cards import NAMES, RANKS, list_codes, rank_mask
from maumau.page.barred import Bar, bar_cards, bar_companion
from maumau.page.steps import CARDS, group_actions
from maumau.page.words import show_cards
from services.web.words import WORDS, Tongue

ASKED_BESIDE: Final = ("no_match", "wished", "owed", "miss", "not_on")
"""Reasons of cards that may still go along with another one."""


def tell_bars(compiled: CompiledRules, seen: Mapping[str, Any], t: Tongue) -> dict[str, str]:
    """Return, by card of the hand, why it may not be laid; cards that may be laid are left out."""
    bars = bar_cards(compiled, seen)
    return {card: _add_companion(t, seen, bar, tell_bar(t, bar, compiled)) for card, bar in bars.items()}


def tell_step_bars(
    compiled: CompiledRules, seen: Mapping[str, Any], actions: Sequence[str], t: Tongue
) -> dict[str, str]:
    """Return what is said of the hand's cards in a step: the actions are those that are still open."""
    bottom = NAMES[parse(actions[0]).cards[0]] if actions and actions[0][:2] in NAMES else ""
    if not bottom or group_actions(actions)[0] != CARDS:
        return dict.fromkeys(seen["hand"], t("bar_step"))
    bars = {card: bar_companion(compiled, seen, bottom, card) for card in seen["hand"]}
    return {card: tell_bar(t, bar, compiled) for card, bar in bars.items()}


def tell_bar(t: Tongue, bar: Bar, compiled: CompiledRules) -> str:
    """Return a reason in a sentence."""
    told = t(
        f"bar_{bar.kind}",
        card=show_cards(bar.card),
        cards=_name_kinds(t, bar.cards, sum(1 << code for code in compiled.pack.kinds)),
        top=_name_top(t, bar),
        suit=t(f"suit_{bar.suit}") if bar.suit else "",
        n=bar.n,
    )
    return told[:1].upper() + told[1:]


def _name_top(t: Tongue, bar: Bar) -> str:
    """Return the card on top: by its rank where that is what others must answer."""
    if bar.top and bar.kind.startswith(("owed", "miss")):
        return _name_rank(t, bar.top[0])
    return show_cards(bar.top)


def _name_rank(t: Tongue, rank: str) -> str:
    known = f"rank_{rank}"
    return t(known) if known in WORDS else t("rank_number", n="10" if rank == "T" else rank)


def _name_kinds(t: Tongue, kinds: int, pack: int) -> str:
    """Return a set of cards as a list: whole ranks of the pack by their name, others as signs."""
    named, left = [], kinds
    for place, rank in enumerate(RANKS):
        whole = rank_mask(place) & pack
        if whole and whole & left == whole:
            named.append(_name_rank(t, rank))
            left &= ~whole
    named += [t("rank_X") if NAMES[code] == "XX" else show_cards(NAMES[code]) for code in list_codes(left)]
    return t("bar_or", all=", ".join(named[:-1]), last=named[-1]) if len(named) > 1 else "".join(named)


def _add_companion(t: Tongue, seen: Mapping[str, Any], bar: Bar, told: str) -> str:
    """Add with which card one may go along that does not fit itself, if there is such a card."""
    if bar.kind not in ASKED_BESIDE:
        return told
    under = list_bottoms(seen["legal"], bar.card)
    return f"{told} {t('bar_under', cards=show_cards(under[0]))}" if under else told


def list_bottoms(legal: Sequence[str], card: str) -> list[str]:
    """Return the cards of the hand on which this one may be laid in one action."""
    found = []
    for text in legal:
        try:
            action = parse(text)
        except UnreadableAction:  # of a newer arena
            continue
        if not action.word and card in (NAMES[code] for code in action.cards[1:]):
            found.append(NAMES[action.cards[0]])
    return list(dict.fromkeys(found))
