"""What a person at a table is asked, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

ASKED: Final = {
    "turn": "Your turn.",
    "answer": "You must take cards or miss a turn",
    "cover": "The card must be covered.",
    "again": "You may lay another card.",
    "keep": "You cut these cards: which do you keep?",
    "wish": "Which suit do you name?",
    "doubt": "Do you believe the card that was laid face down?",
    "rescue": "You drew a card that you may lay now.",
    "window": "You may react out of turn.",
    "chain": "You may lay another seven after the last one.",
    "appeal": "You are accused: accept the penalty, or call the plenum?",
    "vote": "The plenum votes: guilty or innocent?",
    "react": "Touch the table! A number from 0 (at once) to 999; the slowest pays.",
    "rule": "You may add a rule.",
}
TOGETHER: Final = ("window", "appeal", "vote", "react")  # asked without a clock of one's own


def word_question(question: Mapping[str, Any], name: Callable[[int], str]) -> str:
    """A question of docs/protocol.md in words; name: of a seat."""
    ask = question["ask"]
    sentence = _word_debt(question) if ask == "answer" else ASKED.get(ask, str(ask))
    if question.get("shown"):
        sentence += f" {' '.join(question['shown'])}"
    if question.get("drawn"):
        sentence += f" {question['drawn']}"
    if question.get("after"):
        sentence += f" (after {question['after']})"
    if accused := question.get("accused"):
        by, seat = name(accused["by"]), name(accused["seat"])
        sentence += f" {by} accuses {seat}: {accused['kind']}."
    return sentence


def list_actions(question: Mapping[str, Any]) -> list[str]:
    """The actions in the order of their numbers: single cards before combinations of two, then of three."""
    return sorted(question["legal"], key=lambda action: action.count("+"))


def _word_debt(question: Mapping[str, Any]) -> str:
    """What one must do, unless one answers the card on top."""
    take, miss = question["owed"], question["skips"]
    words = [f"take {count_things(take, 'card')}"] if take else []
    words += [f"miss {count_things(miss, 'turn')}"] if miss else []
    must = f"You must {' and '.join(words)}" if words else ASKED["answer"]
    return must + ("." if len(question["legal"]) == 1 else ", unless you answer.")


def count_things(number: int, what: str) -> str:
    """1 card, 2 cards."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
