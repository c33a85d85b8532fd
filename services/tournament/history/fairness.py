"""Reports for organisers: who seems to help whom, and who decides like whom. Never a verdict."""

import math
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from maumau.contest.format.match import Verdict
from maumau.contest.schedule.ranking import list_tables
from maumau.contest.statistics.helping import Help, find_help
from maumau.contest.statistics.likeness import Alike, Likeness, compare_seatings, find_likeness
from maumau.game.resume import GAME, split_deals
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import MatchRow
from services.tournament.history.record_file import RecordFiles
from services.tournament.store.outcomes.result import Results

MOST_MATCHES: Final = 400
"""Matches whose first blocks are read, evenly spread; a block has up to a thousand deal sets."""

MOST_SETS: Final = 100
"""Deal sets that are compared of a block."""

FEWEST_SETS: Final = 4
MOST_PAIRS: Final = 40_000
"""Pairs of seatings that are compared; a set of ten seats has 45."""


class HelpFound(NamedTuple):
    """A test of help, and the labels of the matches that it is about."""

    help: Help
    matches: list[str]


class AlikeFound(NamedTuple):
    """A comparison of two bots' decisions, and the first match in which it was made."""

    likeness: Likeness
    label: str


class Fairness:
    """Reader of results and records for the two reports; it changes nothing."""

    def __init__(self, results: Results, files: RecordFiles) -> None:
        self.results, self.files = results, files

    def find_help(self, board: ContestBoard) -> list[HelpFound]:
        """Return the tests of help by all sets that count so far; players by their entry numbers."""
        played = [one for one in board.verdicts.values() if one.counted]
        tables = list_tables(played)
        return [
            HelpFound(
                line._replace(helper=line.helper + 1, helped=line.helped + 1),
                [played[place].label for place in line.tables],
            )
            for line in find_help(len(board.entrants), tables)
        ]

    def find_alike(self, board: ContestBoard) -> list[AlikeFound]:
        """Return the comparisons of decisions in the first blocks of the matches played so far."""
        found: dict[tuple[int, int], Alike] = {}
        labels: dict[tuple[int, int], str] = {}
        rows = _choose_matches(board)
        pairs = sum(math.comb(len(row.players), 2) for row in rows)
        most = min(MOST_SETS, max(FEWEST_SETS, MOST_PAIRS // max(1, pairs)))
        for row in rows:
            for records in self._read_records(row, most):
                compare_seatings(records, row.players, found)
            labels = dict.fromkeys(found, row.label) | labels
        return [AlikeFound(one, labels[one.first, one.second]) for one in find_likeness(found)]

    def _read_records(self, row: MatchRow, most: int) -> Iterator[list[str]]:
        """Yield the records of the deals of a match's first sets in its first block, by seating."""
        for _, result in islice(self.results.of_match(row.id), 1):
            for one in self.files.read_sets(result)[:most]:
                records = [deal.record for deal in one.deals]
                if records[0].startswith(GAME):  # deals of the same number have the same seed
                    yield from map(list, zip(*map(split_deals, records), strict=False))
                else:
                    yield records


def _choose_matches(board: ContestBoard) -> list[MatchRow]:
    """Return the matches to compare, as many as may be, evenly spread over the contest."""
    verdicts = board.verdicts
    rows = [one.row for label, one in board.matches.items() if _is_played(verdicts.get(label))]
    return rows[:: -(-len(rows) // MOST_MATCHES) or 1]


def _is_played(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.counted > 0
