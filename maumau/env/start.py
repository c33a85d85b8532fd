"""The start of an environment's deals: from a seed, or from a record."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from maumau.errors import BadOption, BadOrder, BadRecord, IllegalAction
from maumau.game import Deal, Rules, deal, load
from maumau.game.replay import replay_stages

RECORD, AFTER = "record", "after"  # keys of a reset's options


def read_rules(rules: Rules | str) -> Rules:
    """Return the rules, or those of the variant of this name; raise BadOption for anything else."""
    if isinstance(rules, str):
        return load(rules)
    if not isinstance(rules, Rules):
        raise BadOption(f"rules = {rules!r} are neither a variant's name nor rules that `load` returns")
    return rules


def read_count(name: str, value: Any) -> int:
    """Return an argument that is a whole number; raise BadOption for anything else."""
    try:
        return operator.index(value)
    except TypeError:
        raise BadOption(f"{name} = {value!r} is not a whole number") from None


def read_number(action: Any) -> int:
    """Return a choice as a number; raise IllegalAction if it is not one."""
    try:
        return operator.index(action)
    except TypeError:
        raise IllegalAction(f"an action is a whole number, not {action!r}") from None


def begin_deal(rules: Rules, seats: int, seed: str, options: dict[str, Any] | None) -> Deal:
    """Return the deal of this seed, or the one that the options of a reset ask for.

    `record` is a record's text; play goes on from its beginning, or from the position after `after` actions.
    Other options are for wrappers, as PettingZoo and Gymnasium have it.
    """
    if options is not None and not isinstance(options, Mapping):
        raise BadOption(f"options = {options!r} is not a dictionary, such as {{'{RECORD}': text}}")
    text = (options or {}).get(RECORD)
    if text is None:
        return deal(rules, seats, seed)
    return _read_record(rules, seats, text, (options or {}).get(AFTER, 0))


def _read_record(rules: Rules, seats: int, text: str, after: int) -> Deal:
    if not isinstance(text, str) or not isinstance(after, int) or after < 0:
        raise BadOrder(f"{RECORD} is a record's text, and {AFTER} a number of its actions from 0 on")
    for number, (found, _) in enumerate(replay_stages(text, own=rules if rules.text else None)):
        if found.rules.hash != rules.hash or found.seats != seats:
            raise BadRecord(
                f"this is a deal of {found.rules!r} at {found.seats} seats, not of {rules!r} at {seats}"
            )
        if number == after:
            if found.over:
                break
            return found.copy()
    raise BadOrder(f"the record has no decision {AFTER} {after} actions")
