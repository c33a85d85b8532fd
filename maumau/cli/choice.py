"""What a line typed by a person at a table means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from maumau.cli.picture import read_drawn
from maumau.cli.question import list_actions

LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Choice(msgspec.Struct, frozen=True):
    """line: what is sent for what was typed. words: why nothing is sent."""

    line: str = ""
    words: str = ""


class Offer(NamedTuple):
    """A question as it was drawn: how many numbers and letters were shown. own_calls: as in `Sitting`."""

    question: dict[str, Any]
    numbers: int
    letters: int
    own_calls: bool

    def read_choice(self, typed: str) -> Choice:
        """Of a number or notation, and letters for what may be said besides: `2`, `7S!`, `1 a`."""
        first, *rest = read_drawn(typed).split() or [""]
        said = [self._saying(word) for word in rest]
        if wrong := next((word for word, found in zip(rest, said, strict=True) if not found), ""):
            return Choice(words=self._word_unsaid(wrong))
        act = self._action(first, list_actions(self.question))
        if not act:
            return Choice(words=self._word_unlisted(first))
        return Choice(msgspec.json.encode({"act": act, "also": said}).decode() if said else act)

    @property
    def _also(self) -> Sequence[str]:
        return self.question.get("also") or []

    def _saying(self, word: str) -> str:
        """What is said besides: by a letter that was shown, or in full; "" if it is neither."""
        if len(word) == 1 and word in LETTERS[: self.letters]:
            return str(self._also[LETTERS.index(word)])
        return word if word in self._also else ""

    def _word_unsaid(self, word: str) -> str:
        if len(word) == 1 and word in LETTERS[: len(self._also)]:
            known = f"type a letter from a to {LETTERS[self.letters - 1]}, or write it in full."
            return f"{word!r} is not shown: {known}"
        return f"{word!r} is not among what you may say besides."

    def _word_unlisted(self, word: str) -> str:
        if len(word) == 1 and word in LETTERS[: self.letters]:
            return f"{word!r} is said with an action: type its number first, such as 1 {word}."
        known = f"type a number from 1 to {self.numbers}, or notation."
        number = int(word) if word.isascii() and word.isdecimal() and len(word) < 9 else 0
        if self.numbers < number <= len(self.question["legal"]):
            return f"{word!r} is not shown: {known}"
        return f"{word[:20]!r} is not on the list: {known}" if word else known.capitalize()

    def _action(self, word: str, legal: Sequence[str]) -> str:
        """The action meant; "" if none is."""
        bare = word.rstrip("!")
        mark = word[len(bare) :]
        if self.question["ask"] == "react":
            bare = f"react:{bare}" if bare.isdecimal() and int(bare) <= 999 else bare
            return bare if bare.startswith("react:") else ""
        if bare.isascii() and bare.isdecimal():
            number = int(bare)
            return self._called(legal[number - 1], mark) if 0 < number <= self.numbers else ""
        named = {action.lower(): action for action in legal}
        if bare.lower() in named:
            return self._called(named[bare.lower()], mark)
        return word if any(sign in bare for sign in "+~/@>") else ""  # several cards in another order, say

    def _called(self, action: str, mark: str) -> str:
        owed = "" if self.own_calls else str(self.question["call"].get(action, ""))
        return action + (mark or owed)
