"""Boards that were read lately, and read again only after something changed."""

import threading
from collections import OrderedDict
from functools import cached_property
from typing import NamedTuple

from maumau.errors import MaumauError
from services.shared.auth import OWN
from services.tournament.board import Board
from services.tournament.store.result import Results
from services.tournament.store.schedule import Schedule
from services.tournament.store.tournament import Tournaments

BOARDS_KEPT = 64


class View:
    """A board with what else is shown of it. house_only: strangers' programs are not played here now."""

    def __init__(self, board: Board, results: Results, *, house_only: bool) -> None:
        self.board, self.results, self.house_only = board, results, house_only

    @cached_property
    def unreadable(self) -> str:
        """Why today's checks refuse the spec that is stored, in words; empty if they do not."""
        try:
            self.board.spec  # noqa: B018 - reading it is the check
        except MaumauError as error:
            return f"this version of the arena cannot read its spec: {error}"
        return ""

    @property
    def variant_toml(self) -> str:
        """The text of its variant, if that is somebody's own and can be read."""
        return "" if self.unreadable else self.board.spec.variant_toml or ""

    @property
    def words(self) -> str:
        """Why it cannot be read, or why it waits."""
        if self.unreadable:
            return self.unreadable
        strangers = [entry.bot_name for entry in self.board.entries if entry.account_name not in OWN]
        if not self.house_only or not strangers or self.board.tournament.state != "running":
            return self.board.words
        waits = (
            f"{', '.join(strangers)} may not play without a sandbox unless the arena is started with --trust"
        )
        return "; ".join(filter(None, (self.board.words, waits)))

    @cached_property
    def faults(self) -> dict[str, tuple[int, int]]:
        """For each match the deals lost by faults in sets that count, by its first and by its second."""
        counts = {label: [0, 0] for label in self.board.matches}
        labels = {played.row.id: label for label, played in self.board.matches.items()}
        for match_id, entrant, number in self.results.faulty(self.board.tournament.id):
            label = labels.get(match_id, "")
            if label and number < self.board.verdicts[label].counted:
                counts[label][entrant != self.board.matches[label].row.first] += 1
        return {label: (first, second) for label, (first, second) in counts.items()}

    def faults_of(self, entrant: int) -> int:
        """Deals that an entrant lost by faults in sets that count."""
        rows = [(self.board.matches[label].row, pair) for label, pair in self.faults.items()]
        return sum(a * (row.first == entrant) + b * (row.second == entrant) for row, (a, b) in rows)


class _Kept(NamedTuple):
    version: tuple[int, int]
    view: View


class Boards:
    """Threads may share it; a board is never changed."""

    def __init__(
        self, tournaments: Tournaments, schedule: Schedule, results: Results, *, house_only: bool = False
    ) -> None:
        self.tournaments, self.schedule, self.results = tournaments, schedule, results
        self.house_only = house_only
        self.kept: OrderedDict[str, _Kept] = OrderedDict()
        self.lock = threading.Lock()

    def find(self, key: str) -> View:
        """By the tournament's id or name."""
        return self.get(self.tournaments.find(key).id)

    def all(self) -> list[View]:
        """Newest first."""
        return [self.get(tournament.id) for tournament in self.tournaments.all()]

    def get(self, tournament_id: str) -> View:
        """As it stands now. The version is read first: a board may be newer than it says, never older."""
        version = self.schedule.version(tournament_id)
        with self.lock:
            found = self.kept.get(tournament_id)
        if found and found.version == version:
            return found.view
        board = self.schedule.board(tournament_id, found and found.view.board)
        view = View(board, self.results, house_only=self.house_only)
        with self.lock:
            self.kept[tournament_id] = _Kept(version, view)
            self.kept.move_to_end(tournament_id)
            if len(self.kept) > BOARDS_KEPT:
                self.kept.popitem(last=False)
        return view
