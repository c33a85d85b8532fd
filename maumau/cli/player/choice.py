"""The meaning of a line typed by a person at a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from maumau.cli.player.steps import ActionStep
from maumau.cli.player.why import explain_card, explain_hand
from maumau.game.notation.cards import NAMES
from maumau.page.words import show_cards
from maumau.screen.picture import read_drawn

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
RULES: Final = "?"
WHY: Final = ("why", "w")
BACK: Final = "0"


class TypedChoice(msgspec.Struct, frozen=True):
    """The outcome of a typed line.

    line: what is sent. words: why nothing is sent. actions: those that remain, where more is to be chosen.
    is_back: the last choice is taken back. wants_rules: the rules are asked for.
    """

    line: str = ""
    words: str = ""
    actions: tuple[str, ...] = ()
    is_back: bool = False
    wants_rules: bool = False


class DrawnQuestion(NamedTuple):
    """A question as it was drawn.

    steps: the choices that were shown, then those for which there was no room; numbers and letters: how many
    were shown; is_first: nothing has been chosen yet; own_calls: as in `Sitting`.
    """

    question: dict[str, Any]
    steps: Sequence[ActionStep]
    numbers: int
    letters: int
    own_calls: bool
    is_first: bool = True

    def read_choice(self, typed: str) -> TypedChoice:
        """Of a number, a card or notation, and letters for what may be said besides: `2`, `7S!`, `1 a`."""
        first, *rest = read_drawn(typed).split() or [""]
        if first == RULES:
            return TypedChoice(wants_rules=True)
        if first == BACK and not self.is_first:
            return TypedChoice(is_back=True)
        if first.lower() in WHY and not (rest or first in LETTERS[: self.letters]):
            return TypedChoice(words=explain_hand(self.question))
        if self._is_saying_alone(first):
            first, rest = self.question["legal"][0], [first, *rest]
        return self._read_act(first, rest)

    def _read_act(self, first: str, rest: Sequence[str]) -> TypedChoice:
        said = [self._read_saying(word) for word in rest]
        if wrong := next((word for word, found in zip(rest, said, strict=True) if not found), ""):
            return TypedChoice(words=self._word_unsaid(wrong))
        found = self._read_action(first)
        if isinstance(found, tuple):
            words = "say that with your last choice" if said else ""
            return TypedChoice(words=words, actions=found)
        if not found:
            return TypedChoice(words=self._word_unlisted(first))
        return TypedChoice(msgspec.json.encode({"act": found, "also": said}).decode() if said else found)

    @property
    def _also(self) -> Sequence[str]:
        return self.question.get("also") or []

    def _is_saying_alone(self, word: str) -> bool:
        """Return True for a letter where one action is left, which then goes without saying."""
        return len(self.question["legal"]) == 1 and bool(word) and bool(self._read_saying(word))

    def _read_saying(self, word: str) -> str:
        """Return the late call or accusation of a shown letter or full text; "" if it is neither."""
        if len(word) == 1 and word in LETTERS[: self.letters]:
            return str(self._also[LETTERS.index(word)])
        return word if word in self._also else ""

    def _word_unsaid(self, word: str) -> str:
        if len(word) == 1 and word in LETTERS[: len(self._also)]:
            known = f"type a letter from a to {LETTERS[self.letters - 1]}, or write it in full."
            return f"{word!r} is not shown: {known}"
        if not self._also:
            return f"{word!r} is one word too many: type one number, or one card."
        return f"{word!r} is not among what you may say besides."

    def _word_unlisted(self, word: str) -> str:
        if len(word) == 1 and word in LETTERS[: self.letters]:
            return f"{word!r} is said with an action: type its number first, such as 1 {word}."
        known = f"type a number from 1 to {self.numbers}, or the card."
        number = int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else 0
        if self.numbers < number <= len(self.steps):
            return f"{word!r} is not shown: {known}"
        if (card := word.upper().rstrip("!")) in NAMES:
            return explain_card(self.question, card)
        return f"{show_cards(word[:20])!r} is not on the list: {known}" if word else known.capitalize()

    def _read_action(self, word: str) -> str | tuple[str, ...]:
        """Return the action meant, or those among which more is to be chosen; "" if there is none."""
        bare = word.rstrip("!")
        mark = word[len(bare) :]
        if self.question["ask"] == "react":
            bare = f"react:{bare}" if bare.isdecimal() and int(bare) <= 999 else bare
            return bare if bare.startswith("react:") else ""
        if bare.isascii() and bare.isdecimal():
            number = int(bare)
            return self._take_step(self.steps[number - 1], mark) if 0 < number <= self.numbers else ""
        named = {action.lower(): action for action in self.question["legal"]}
        if bare.lower() in named:
            return self._add_call(named[bare.lower()], mark)
        for step in self.steps:
            if bare.upper() in step.keys:
                return self._take_step(step, mark)
        return word if re.search(r"[+~/@>]", bare) else ""  # several cards in another order, say

    def _take_step(self, step: ActionStep, mark: str) -> str | tuple[str, ...]:
        return step.actions if len(step.actions) > 1 else self._add_call(step.actions[0], mark)

    def _add_call(self, action: str, mark: str) -> str:
        owed = "" if self.own_calls else str(self.question["call"].get(action, ""))
        return action + (mark or owed)
