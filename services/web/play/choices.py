"""The choices of a player: the legal actions of a question in groups, in words. Pure.

A question lists its legal actions; nothing here knows a variant. What is left to choose after a card, such
as the wish, is a step of its own, and `picks` (the numbers of the groups chosen so far) lead to it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from maumau.errors import UnreadableAction
from maumau.game.notation.action import Action, parse
from maumau.game.notation.cards import NAMES
from maumau.game.notation.cards import SUITS as SUIT_LETTERS
from maumau.page.steps import CARDS, CLAIM, FIRST, SAID, TARGET, WISH, group_actions
from maumau.page.words import SUITS, name_violation, show_cards
from services.web.words import Tongue

MOST_PICKS: Final = 6
TITLES: Final = {
    CARDS: "ask_cards_alone",
    CLAIM: "ask_claim",
    WISH: "ask_wish_with",
    TARGET: "ask_target",
    SAID: "ask_said",
}
CALLS: Final = {"!": "act_mau", "!!": "act_mau_mau"}

Names = Callable[[int], str]


class Choice(Struct, frozen=True):
    """One choice: the action that it plays, or the numbers of the groups to go on with (`step`).

    card: the card of the hand to which it belongs, or "". suit: the suit that it names, or "".
    """

    words: str
    act: str = ""
    step: str = ""
    card: str = ""
    suit: str = ""


class Menu(Struct, frozen=True):
    """The choices of a question after some picks. title: what is still to be chosen, "" at first.

    actions: those to which the choices lead.
    """

    choices: tuple[Choice, ...]
    title: str = ""
    actions: tuple[str, ...] = ()

    def of_card(self, card: str) -> Choice | None:
        """Return the choice of a card in the hand."""
        return next((one for one in self.choices if one.card == card), None)

    def list_shown(self, hand: Sequence[str]) -> list[Choice]:
        """Return the choices in the order of the page, in which keys number them: the hand's cards first."""
        if self.title:
            return list(self.choices)
        cards = [one for card in hand if (one := self.of_card(card))]
        return [*cards, *self.others]

    @property
    def is_wish(self) -> bool:
        """True if only a suit is to be chosen."""
        return bool(self.choices) and all(one.suit for one in self.choices)

    @property
    def others(self) -> tuple[Choice, ...]:
        """The choices that are not cards of the hand."""
        return tuple(one for one in self.choices if not one.card)


def make_menu(question: Mapping[str, Any], picks: Sequence[int], t: Tongue, name: Names) -> Menu:
    """Return the choices of a question; picks that lead nowhere are left out from there on."""
    actions: Sequence[str] = [] if question["ask"] == "react" else question["legal"]
    level, groups = group_actions(actions) if actions else (FIRST, {})
    if level != FIRST:  # all begin with one card: it is tapped first, as any other
        level, groups = FIRST, {actions[0]: tuple(actions)}
    taken: list[int] = []
    for pick in picks[:MOST_PICKS]:
        listed = list(groups.values())
        if pick >= len(listed) or len(listed[pick]) < 2:
            break
        taken.append(pick)
        actions = listed[pick]
        level, groups = group_actions(actions)
    hand = () if taken else tuple(question["hand"])
    choices = [
        _make_choice(t, level, group, [*taken, number], hand, name)
        for number, group in enumerate(groups.values())
    ]
    return Menu(tuple(choices), _write_title(t, level, actions) if taken else "", tuple(actions))


def _make_choice(
    t: Tongue, level: int, group: Sequence[str], path: Sequence[int], hand: Sequence[str], name: Names
) -> Choice:
    action = _read_action(group[0])
    card = NAMES[action.cards[0]] if action and action.word in ("", "rescue") and hand else ""
    if action and level == CARDS and len(action.cards) < 3:  # the card chosen first, or one more
        card, hand = NAMES[action.cards[-1]], (NAMES[action.cards[-1]],)
    suit = SUIT_LETTERS[action.wish] if action and action.wish >= 0 and level in (FIRST, WISH) else ""
    if len(group) > 1:
        words = _tell_group(t, level, group[0], name)
        named = suit if level == WISH else ""
        return Choice(words, step=".".join(map(str, path)), card=card if card in hand else "", suit=named)
    words = tell_action(t, group[0], name) if level == FIRST else _tell_rest(t, level, group[0], name)
    is_wish = level == WISH or bool(action and action.word == "wish")
    return Choice(words, group[0], card=card if card in hand else "", suit=suit if is_wish else "")


def _read_action(text: str) -> Action | None:
    try:
        return parse(text)
    except UnreadableAction:  # an action of a newer arena
        return None


def _write_title(t: Tongue, level: int, actions: Sequence[str]) -> str:
    """Return what is still to be chosen, for actions that agree on everything before this level."""
    action = _read_action(actions[0])
    cards = action.cards[:1] if action and level == CARDS else action.cards if action else ()
    shown = show_cards(" ".join(NAMES[code] for code in cards)) or show_cards(actions[0])
    return t(TITLES.get(level, "ask_said"), cards=shown)


def tell_action(t: Tongue, text: str, name: Names) -> str:
    """Return a whole action in words."""
    if text in CALLS:
        return t(CALLS[text])
    action = _read_action(text)
    if action is None:
        return show_cards(text)
    if action.word:
        return _tell_word(t, action, name)
    cards = show_cards(" ".join(NAMES[code] for code in action.cards))
    more = _list_more(t, action, name, FIRST)
    return ", ".join([t("act_lay", cards=cards), *more])


def _tell_word(t: Tongue, action: Action, name: Names) -> str:
    cards = show_cards(" ".join(NAMES[code] for code in action.cards))
    word, detail = action.word, action.detail
    if word == "keep":
        return t("act_keep", cards=cards) if cards else t("act_keep_none")
    if word == "wish":
        return t(f"suit_{SUIT_LETTERS[action.wish]}")
    if word == "accuse":
        return t("act_accuse", who=name(action.target or 0), kind=name_violation(detail, t.language))
    if word == "rule":
        return t("act_rule_none") if detail == "-" else t("act_rule", rule=show_cards(detail))
    told = t(f"act_{word}", cards=cards, n=detail)
    return f"{told}, {t('act_willi')}" if action.said == "willi" else told


def _list_more(t: Tongue, action: Action, name: Names, level: int) -> list[str]:
    """Return what is said of an action from this level on, besides its cards."""
    told = []
    if action.claim >= 0 and level <= CLAIM:
        is_true = action.cards == (action.claim,)
        told.append(t("act_claim_true" if is_true else "act_claim", card=show_cards(NAMES[action.claim])))
    if action.wish >= 0 and level <= WISH:
        told.append(t("act_wish", suit=SUITS[SUIT_LETTERS[action.wish]]))
    if action.target is not None and level <= TARGET:
        told.append(t("act_hit_none") if action.target < 0 else t("act_hit", who=name(action.target)))
    if action.said or level == SAID:
        told.append(t(f"act_{action.said}" if action.said else "act_said_none"))
    return told


def _tell_rest(t: Tongue, level: int, text: str, name: Names) -> str:
    """Return what is left to say of an action after the levels before this one."""
    action = _read_action(text)
    if action is None or (action.word and not action.said):
        return tell_action(t, text, name)
    if level == WISH and action.wish >= 0:
        more = _list_more(t, action, name, TARGET)
        return ", ".join([t(f"suit_{SUIT_LETTERS[action.wish]}"), *more])
    told = _list_more(t, action, name, level)
    if level == CARDS:
        cards = show_cards(" ".join(NAMES[code] for code in action.cards))
        told.insert(0, cards if len(action.cards) > 1 else t("act_alone", cards=cards))
    return ", ".join(told)


def _tell_group(t: Tongue, level: int, text: str, name: Names) -> str:
    """Return the words of a value that several actions share."""
    action = _read_action(text)
    return t("play_choose", cards=_tell_shared(t, level, action, name) if action else show_cards(text))


def _tell_shared(t: Tongue, level: int, action: Action, name: Names) -> str:
    cards = show_cards(" ".join(NAMES[code] for code in action.cards))
    if level == FIRST and action.word:
        return _tell_word(t, action, name)
    if level == FIRST:
        return t("act_lay", cards=show_cards(NAMES[action.cards[0]]))
    if level == CLAIM and action.claim >= 0:
        return t("act_claim", card=show_cards(NAMES[action.claim]))
    if level == WISH and action.wish >= 0:
        return t(f"suit_{SUIT_LETTERS[action.wish]}")
    if level == TARGET and action.target is not None and action.target >= 0:
        return t("act_hit", who=name(action.target))
    return cards


def list_sayings(question: Mapping[str, Any], t: Tongue, name: Names) -> list[tuple[str, str]]:
    """Return what may be said besides an action (late calls, accusations): notation and words."""
    return [(text, tell_action(t, text, name)) for text in question.get("also") or []]


def word_question(question: Mapping[str, Any], t: Tongue, name: Names) -> str:
    """Return what is asked, in a sentence or two."""
    ask = question["ask"]
    claim = show_cards(question.get("claim") or "")
    told = t(f"ask_{ask}", who=name(question.get("by") or 0), claim=claim)
    if shown := question.get("shown"):
        told += f" {show_cards(' '.join(shown))}"
    if drawn := question.get("drawn"):
        told += f" {show_cards(drawn)}"
    if accused := question.get("accused"):
        kind = name_violation(accused["kind"], t.language)
        told += " " + t("ask_accused", by=name(accused["by"]), who=name(accused["seat"]), kind=kind)
    return told
