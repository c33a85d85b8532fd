"""Places and points of a deal that is over, and how a game adds them up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maumau.game.cards import JOKER, list_codes
from maumau.game.clause import Score
from maumau.game.power import require_known_word, require_number, select_cards
from maumau.game.state import State

if TYPE_CHECKING:
    from maumau.game.rules import Rules

# [003] Bube = 20, Ass = 11, Zehn = 10, Neun = 9, Acht = 8. Sieben = 7, König = 3, Dame = 3; 2 to 6 face value
TABLES: Final[dict[str, tuple[int, ...]]] = {
    "T3": (2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 3, 3, 11, 20),
    "ru101": (2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 11, 20),
}


class Count:
    """What counts: the cards left in hand by a table, and whether a game adds up points or wins."""

    def __init__(self, rules: Rules, clauses: list[Score]) -> None:
        self.scored = rules.flag("scoring")
        self.wins = False
        self.target = rules.number("target")
        self.above = 0
        self.win = 0
        self.called = 0
        self.double = 0
        self.out: list[tuple[int, int]] = []
        self.reset: dict[int, int] = {}
        table = rules.word("score_table")
        values: dict[str, int | str] = {}
        for clause in clauses:
            self._read(clause)
            table = clause.table or table
            values |= clause.values or {}
        ranks = TABLES[require_known_word("table", table, tuple(TABLES))]
        self.values = [ranks[min(code, JOKER) // 4] for code in range(JOKER + 1)]
        for selector, value in values.items():
            for code in list_codes(select_cards([selector])):
                self.values[code] = require_number("values", value)

    def _read(self, clause: Score) -> None:
        self.scored = self.scored if clause.scored is None else clause.scored
        self.wins = self.wins if clause.wins is None else clause.wins is True
        self.target = self.target if clause.target is None else require_number("target", clause.target)
        self.above = self.above if clause.above is None else clause.above
        self.win = self.win if clause.win is None else clause.win
        self.called = self.called if clause.called is None else clause.called
        self.double = self.double if clause.double is None else select_cards(clause.double)
        for selector, value in (clause.out or {}).items():
            self.out.append((select_cards([selector]), require_number("out", value)))
        for total, value in (clause.reset or {}).items():
            self.reset[int(total)] = require_number("reset", value)

    def adds(self) -> bool:
        """Whether a game adds up points; else deals won."""
        return bool(self.scored or self.win) and not self.wins


def count_points(d: State) -> list[int]:
    """What is left in each hand by the score table; doubled if the deal was won with a card that doubles.

    Where wins count it is the winner's points instead.
    """
    count = d.compiled.count
    if count.win:
        won = count.called if d.winner == d.doubled_winner else count.win
        return [won if seat == d.winner else 0 for seat in range(d.seats)]
    factor = 2 if d.out and count.double >> d.top & 1 else 1
    counted = [factor * sum(count.values[code] for code in list_codes(hand)) for hand in d.hands]
    if d.winner is not None:
        for kinds, value in count.out:
            if kinds >> d.top & 1:
                counted[d.winner] = value
    worst = max(counted)
    return [worst if seat in d.faults else value for seat, value in enumerate(counted)]


def rank_seats(d: State) -> list[int]:
    """The place of each seat: by the order of going out, or by points where hands are scored."""
    keys = [_get_rank_key(d, seat) for seat in range(d.seats)]
    return [1 + sum(other < key for other in keys) for key in keys]


def _get_rank_key(d: State, seat: int) -> tuple[int, int]:
    if seat in d.faults:
        return len(d.out) + d.seats, 0
    if d.dealt and not d.dealt[seat]:
        return 3 * d.seats, 0
    if seat in d.out:
        return d.out.index(seat), 0
    scored = bool(d.out) and d.compiled.count.scored
    return d.seats, count_points(d)[seat] if scored else 0
