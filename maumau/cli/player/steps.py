"""Legal actions in steps: the card first, then what is laid with it, claimed, wished or hit. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from maumau.cli.player.phrase import DECLARED, Names, phrase_action, phrase_target, phrase_wish
from maumau.game.notation.action import Action, parse
from maumau.game.notation.cards import NAMES
from maumau.page.steps import CARDS, CLAIM, FIRST, SAID, TARGET, WISH, group_actions
from maumau.page.words import show_cards

ASKED: Final = {
    CARDS: "{cards}: alone, or with which cards?",
    CLAIM: "{cards} goes face down. As which card do you announce it?",
    WISH: "{cards}: which suit do you wish for?",
    TARGET: "{cards}: whom does it hit?",
    SAID: "{cards}: what do you say with it?",
}
"""Questions after the choice of a card, by the level of the step."""


class ActionStep(NamedTuple):
    """One choice of a list: its words, what may be typed for it, and the actions that remain with it."""

    label: str
    keys: tuple[str, ...]
    actions: tuple[str, ...]


def list_steps(actions: Sequence[str], name: Names) -> tuple[int, list[ActionStep]]:
    """Return the first level at which these actions differ, and a step for each value that they have there.

    name: of a seat. A step with one action says all of it that was not chosen before.
    """
    level, groups = group_actions(actions)
    return level, [_make_step(level, value, group, name) for value, group in groups.items()]


def list_actions_apart(actions: Sequence[str]) -> list[ActionStep]:
    """Return a step for each action, in its notation."""
    return [ActionStep(action, (action,), (action,)) for action in actions]


def ask_step(level: int, actions: Sequence[str]) -> str:
    """Return the question of a level, for actions that agree on everything before it."""
    first = parse(actions[0])
    cards = first.cards[:1] if level == CARDS else first.cards
    cards = (first.claim,) if level > CLAIM and first.claim >= 0 else cards
    told = show_cards(" ".join(NAMES[code] for code in cards)) or str(first.word)
    return ASKED.get(level, "{cards}: which?").format(cards=told)


def _make_step(level: int, value: str, actions: tuple[str, ...], name: Names) -> ActionStep:
    keys = (value, *actions) if len(actions) == 1 else (value,)
    label = _label_action(level, actions[0], name)
    if len(actions) > 1:
        return ActionStep(f"{_label_group(level, value, actions[0], name)} …", keys, actions)
    return ActionStep(label, keys, actions)


def _label_action(level: int, text: str, name: Names) -> str:
    """Return what is left to say of an action at a level."""
    if level == FIRST:
        return phrase_action(text, name)
    action = parse(text)
    rest = [
        _label_claim(action) if level <= CLAIM else "",
        phrase_wish(action).removeprefix("wish for " if level == WISH else "-"),
        phrase_target(action, name).removeprefix("hit " if level == TARGET else "-"),
        DECLARED.get(action.said, "say nothing" if level == SAID else ""),
    ]
    if level == CARDS:
        together = " ".join(NAMES[code] for code in action.cards)
        rest.insert(0, show_cards(together) if len(action.cards) > 1 else f"{show_cards(together)} alone")
    return ", ".join(one for one in rest if one)


def _label_claim(action: Action) -> str:
    if action.claim < 0:
        return ""
    truth = " (the truth)" if action.cards == (action.claim,) else ""
    return show_cards(NAMES[action.claim]) + truth


def _label_group(level: int, value: str, text: str, name: Names) -> str:
    """Return the words of a value that several actions share."""
    if level == TARGET:
        return phrase_target(parse(text), name)
    if parse(text).word:
        return phrase_action(value, name)
    return show_cards(value.replace("+", " "))
