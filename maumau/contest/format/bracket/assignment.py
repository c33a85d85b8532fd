"""Distinct choices for places, the first places served best."""

from __future__ import annotations

from collections.abc import Sequence


def assign(choices: Sequence[Sequence[int]]) -> list[int] | None:
    """Return a choice for each place, all different, the first places served best; None if there is none."""
    holders: dict[int, int] = {}
    if not all(_seat(place, choices, holders, 0, set()) for place in range(len(choices))):
        return None
    for place in range(len(choices)):
        for choice in choices[place]:
            holder = holders[choice]
            if holder == place or (holder > place and _exchange(place, choice, choices, holders)):
                break
    return [choice for choice, _ in sorted(holders.items(), key=lambda pair: pair[1])]


def _seat(
    place: int, choices: Sequence[Sequence[int]], holders: dict[int, int], first: int, tried: set[int]
) -> bool:
    """Give a place one of its choices, if those of places from `first` on can move for it."""
    for choice in choices[place]:
        if choice in tried:
            continue
        tried.add(choice)
        holder = holders.get(choice)
        if holder is None or (holder >= first and _seat(holder, choices, holders, first, tried)):
            holders[choice] = place
            return True
    return False


def _exchange(place: int, choice: int, choices: Sequence[Sequence[int]], holders: dict[int, int]) -> bool:
    """Give a place this choice of a later one, if all later ones can still be served."""
    before, mine = dict(holders), next(one for one, holder in holders.items() if holder == place)
    loser = holders[choice]
    del holders[mine]
    holders[choice] = place
    if _seat(loser, choices, holders, place + 1, {choice}):
        return True
    holders.clear()
    holders.update(before)
    return False
