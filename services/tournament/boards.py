"""Boards that were read lately, and read again only after something changed."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import NamedTuple

from maumau.errors import MaumauError
from services.shared.auth import OWN
from services.shared.clock import Clock
from services.tournament.board import Board
from services.tournament.store.result import Results
from services.tournament.store.schedule import Schedule
from services.tournament.store.tournament import Tournaments
from services.tournament.store.worker import Workers

BOARDS_KEPT = 64
LACKING_KEPT = 2000  # ms


class View:
    """A board with what else is shown of it. house_only: strangers' programs are not played here now.

    lacking: why no worker can play, by the hash of rules and programs.
    """

    def __init__(
        self, board: Board, results: Results, lacking: Callable[[], Mapping[str, str]], *, house_only: bool
    ) -> None:
        self.board, self.results, self.lacking = board, results, lacking
        self.house_only = house_only

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
        if self.board.tournament.state != "running":
            return self.board.words
        return "; ".join(filter(None, (self.board.words, self._strangers, *self._lacks)))

    @property
    def _strangers(self) -> str:
        names = [entry.bot_name for entry in self.board.entries if entry.account_name not in OWN]
        if not self.house_only or not names:
            return ""
        return f"{', '.join(names)} may not play without a sandbox unless the arena is started with --trust"

    @property
    def _lacks(self) -> list[str]:
        """What no worker can play."""
        lacking = self.lacking()
        hashes = [self.board.tournament.rules_hash, *(entry.sha256 for entry in self.board.entries)]
        return sorted({f"no worker can play it: {lacking[key]}" for key in hashes if key in lacking})

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
        self, tournaments: Tournaments, schedule: Schedule, results: Results, workers: Workers, clock: Clock,
        *, house_only: bool = False,
    ) -> None:  # fmt: skip
        self.tournaments, self.schedule, self.results = tournaments, schedule, results
        self.workers, self.clock, self.house_only = workers, clock, house_only
        self._lacking: tuple[int, Mapping[str, str]] = (0, {})
        self.kept: OrderedDict[str, _Kept] = OrderedDict()
        self.lock = threading.Lock()

    def find(self, key: str) -> View:
        """By the tournament's id or name."""
        return self.get(self.tournaments.find(key).id)

    def all(self) -> list[View]:
        """Newest first."""
        return [self.get(tournament.id) for tournament in self.tournaments.all()]

    def lacking(self) -> Mapping[str, str]:
        """See Workers.lacking; as it was at most some seconds ago."""
        now, (read_at, lacking) = self.clock(), self._lacking
        if abs(now - read_at) > LACKING_KEPT:
            lacking = self.workers.lacking(now)
            self._lacking = now, lacking
        return lacking

    def get(self, tournament_id: str) -> View:
        """As it stands now. The version is read first: a board may be newer than it says, never older."""
        version = self.schedule.version(tournament_id)
        with self.lock:
            found = self.kept.get(tournament_id)
        if found and found.version == version:
            return found.view
        board = self.schedule.board(tournament_id, found and found.view.board)
        view = View(board, self.results, self.lacking, house_only=self.house_only)
        with self.lock:
            self.kept[tournament_id] = _Kept(version, view)
            self.kept.move_to_end(tournament_id)
            if len(self.kept) > BOARDS_KEPT:
                self.kept.popitem(last=False)
        return view
