"""Legal actions in groups: the card first, then what is laid with it, claimed, wished, hit or said. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from maumau.errors import UnreadableAction
from maumau.game.notation.action import SEATS, parse
from maumau.game.notation.cards import NAMES, RANKS, SUITS

FIRST, CARDS, CLAIM, WISH, TARGET, SAID = range(6)
"""The levels of a choice, in their order."""


def group_actions(actions: Sequence[str]) -> tuple[int, dict[str, tuple[str, ...]]]:
    """Return the first level at which these actions differ, and those of each value that they have there."""
    paths = {action: _read_path(action) for action in actions}
    last = SAID if len(actions) > 1 else FIRST  # a single action is said as a whole
    level = next((at for at in range(SAID + 1) if len({path[at] for path in paths.values()}) > 1), last)
    groups: dict[str, list[str]] = {}
    for action, path in paths.items():
        groups.setdefault(path[level], []).append(action)
    if level == CLAIM:  # by suit: a list of all cards is read like a hand
        groups = dict(sorted(groups.items(), key=lambda group: _order_claims(group[0])))
    return level, {value: tuple(group) for value, group in groups.items()}


def _read_path(text: str) -> tuple[str, ...]:
    """Return the parts of an action by level, an empty string where it has none."""
    try:
        action = parse(text)
    except UnreadableAction:  # an action of a newer arena
        return (text, "", "", "", "", "")
    if action.word:
        whole = action.word if action.said else text
        return (whole, "", "", "", "", action.said)
    cards = [NAMES[code] for code in action.cards]
    claim = NAMES[action.claim] if action.claim >= 0 else ""
    wish = SUITS[action.wish] if action.wish >= 0 else ""
    target = "" if action.target is None else "-" if action.target < 0 else SEATS[action.target]
    return (cards[0], "+".join(cards), claim, wish, target, action.said)


def _order_claims(card: str) -> tuple[int, int]:
    return (SUITS.find(card[-1:]), RANKS.find(card[:1]))
