"""Places and points of a deal that is over, and how a game adds them up."""

from __future__ import annotations

from maumau.game.model.state import FORFEITS, State
from maumau.game.notation.cards import list_codes


def count_points(d: State) -> list[int]:
    """Return the points left in each hand by the score table, doubled if the winner's last card doubles.

    Where wins count it is the winner's points instead. A forfeiter has the points of the worst hand.
    """
    count = d.compiled.count
    if count.win:
        won = count.called if d.winner == d.calls.doubled_winner else count.win
        return [won if seat == d.winner else 0 for seat in range(d.seats)]
    if count.place:
        return [_count_place(count.place, place) if d.out else 0 for place in rank_seats(d)]
    counted = [sum(count.values[code] for code in list_codes(hand)) for hand in d.hands]
    winner = d.winner
    if winner is not None or (d.out and d.made.forfeits < FORFEITS):
        last = d.top if winner is None else _get_winning_card(d, winner)
        if count.double >> last & 1:
            counted = [2 * value for value in counted]
        for kinds, value in count.out:
            if winner is not None and kinds >> last & 1:
                counted[winner] = value
    worst = max(counted)
    return [worst if seat in d.faults else value for seat, value in enumerate(counted)]


def _get_winning_card(d: State, winner: int) -> int:
    """Return the code of the card with which the winner went out."""
    last_cards = d.features.last_cards
    return last_cards[d.out.index(winner)] if last_cards else d.top


def _count_place(worth: list[int], place: int) -> int:
    """Return the points of a place; those after the last one named have none."""
    return worth[place - 1] if place <= len(worth) else 0


def rank_seats(d: State) -> list[int]:
    """Return the place of each seat: by the order of going out, or by points where hands are scored.

    Forfeiters share the last place, and only seats that are not in the deal are behind them.
    """
    keys = [_get_rank_key(d, seat) for seat in range(d.seats)]
    return [1 + sum(other < key for other in keys) for key in keys]


def _get_rank_key(d: State, seat: int) -> tuple[int, int]:
    if seat in d.faults:
        return d.seats + (d.seats if d.made.forfeits == FORFEITS else len(d.out)), 0
    if d.made.dealt and not d.made.dealt[seat]:
        return 3 * d.seats, 0
    if seat in d.out:
        return d.out.index(seat), 0
    scored = bool(d.out) and d.compiled.count.scored
    return d.seats, count_points(d)[seat] if scored else 0
