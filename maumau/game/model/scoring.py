"""Scoring: what cards left in hand, places and deals won are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from maumau.game.notation.cards import JOKER, list_codes
from maumau.game.ruleset.clause import Score
from maumau.game.ruleset.power import require_known_word, require_number, select_cards

if TYPE_CHECKING:
    from maumau.game.ruleset.rules import Rules

# [003] Bube = 20, Ass = 11, Zehn = 10, Neun = 9, Acht = 8. Sieben = 7, König = 3, Dame = 3; 2 to 6 face value
TABLES: Final[dict[str, tuple[int, ...]]] = {
    "T3": (2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 3, 3, 11, 20),
    "ru101": (2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 11, 20),
}


class Count:
    """Scoring: the values of cards left in hand, and whether a game adds up points or wins."""

    def __init__(self, rules: Rules, clauses: list[Score]) -> None:
        self.scored = rules.flag("scoring")
        self.wins = False
        self.target = rules.number("target")
        self.above = 0
        self.win = 0
        self.called = 0
        self.place: list[int] = []
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
        self.place = self.place if clause.place is None else clause.place
        self.double = self.double if clause.double is None else select_cards(clause.double)
        for selector, value in (clause.out or {}).items():
            self.out.append((select_cards([selector]), require_number("out", value)))
        for total, value in (clause.reset or {}).items():
            self.reset[int(total)] = require_number("reset", value)

    def adds(self) -> bool:
        """Return True if a game adds up points, False if it counts deals won."""
        return bool(self.scored or self.win or self.place) and not self.wins

    @property
    def most_wins(self) -> bool:
        """True if the most points win, False if the fewest do."""
        return bool(self.win or self.place)
