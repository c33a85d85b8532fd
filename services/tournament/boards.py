"""Boards that were read lately, and read again only after something changed."""

import threading
from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from maumau.contest.spec import Spec
from maumau.errors import BadRequest, MaumauError
from services.shared.auth import OWN
from services.shared.clock import Clock
from services.tournament.board import Board
from services.tournament.match_row import Played
from services.tournament.store.nonce import waiting_words
from services.tournament.store.result import Results
from services.tournament.store.schedule import Schedule
from services.tournament.store.summary import list_summaries
from services.tournament.store.tournament import ACTIVE, Tournaments
from services.tournament.store.worker import Workers

BOARDS_KEPT = 64
LACKING_KEPT = 2000  # ms


class View:
    """A board with what else is shown of it. house_only: strangers' programs are not played here now.

    lacking: why no worker can play, by the hash of rules and programs. counts: matches decided, and known.
    """

    def __init__(
        self, board: Board, results: Results, lacking: Callable[[], Mapping[str, str]],
        counts: tuple[int, int], *, house_only: bool,
    ) -> None:  # fmt: skip
        self.board, self.results, self.lacking = board, results, lacking
        self.counts, self.house_only = counts, house_only

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
    def closes_at(self) -> int:
        """When its entries close by themselves; 0: they do not, or its spec cannot be read."""
        return 0 if self.unreadable else closing_time(self.board.spec)

    @property
    def warnings(self) -> list[str]:
        """What whoever wrote its spec may not have meant, as long as that matters."""
        early = self.board.tournament.state in {"created", "open"}
        return self.board.spec.warnings if early and not self.unreadable else []

    @property
    def words(self) -> str:
        """Why it cannot be read, or why it waits."""
        if self.unreadable:
            return self.unreadable
        if self.board.tournament.state == "open" and self.board.tournament.closed_at:
            return waiting_words(self.board.entries)
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
    def names(self) -> Mapping[int, str]:
        """Of the entrants' bots."""
        return {entry.number: entry.bot_name for entry in self.board.entries}

    @cached_property
    def ordered(self) -> Sequence[Played]:
        """The matches in the order of their labels."""
        return list(self.board.matches.values())

    def matches_after(self, label: str) -> Iterator[Played]:
        """Those that come after this label; "" for all."""
        start = bisect_right(self.ordered, _read_label(label), key=lambda one: one.row.place) if label else 0
        return islice(self.ordered, start, None)

    @cached_property
    def faults(self) -> dict[str, tuple[int, int]]:
        """The deals lost by faults in sets that count, by a match's first and second, where there are any."""
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for label, entrant, number in self.results.faulty(self.board.tournament.id):
            if label in self.board.matches and number < self.board.verdicts[label].counted:
                counts[label][entrant != self.board.matches[label].row.first] += 1
        return {label: (first, second) for label, (first, second) in counts.items()}

    @cached_property
    def faults_of(self) -> Mapping[int, int]:
        """Deals that each entrant lost by faults in sets that count."""
        counts: Counter[int] = Counter()
        for label, (first, second) in self.faults.items():
            row = self.board.matches[label].row
            counts[row.first] += first
            counts[row.second] += second
        return counts


def _read_label(label: str) -> tuple[int, ...]:
    numbers = label.split(".")
    if len(numbers) != 3 or not all(one.isascii() and one.isdigit() and len(one) < 10 for one in numbers):
        raise BadRequest(f"{label[:80]!r} is not the token of a page.", field="page_token")
    return tuple(map(int, numbers))


def closing_time(spec: Spec) -> int:
    """When entries close by themselves; 0: they do not."""
    return int(1000 * spec.entries.closes.timestamp()) if spec.entries.closes else 0


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

    def page(self, before: str, most: int, *, active: bool = False) -> Iterator[View]:
        """Newest first, those before the one of that id; the matches only of those that are played."""
        for found in list_summaries(self.tournaments.database, before, most, active=active):
            if found.tournament.state in ACTIVE:
                yield self.get(found.tournament.id)
            else:
                board = Board(found.tournament, found.entries, {}, chain=found.chain)
                yield self._view(board, (found.decided, found.known))

    def lacking(self) -> Mapping[str, str]:
        """See Workers.lacking; as it was at most some seconds ago."""
        now, (read_at, lacking) = self.clock(), self._lacking
        if abs(now - read_at) > LACKING_KEPT:
            lacking = self.workers.lacking(now)
            self._lacking = now, lacking
        return lacking

    def get(self, tournament_id: str, version: tuple[int, int] | None = None) -> View:
        """As it stands now. version: the schedule's, if it was read just now.

        It is read first: a board may be newer than it says, never older.
        """
        version = version or self.schedule.version(tournament_id)
        with self.lock:
            found = self.kept.get(tournament_id)
        if found and found.version == version:
            return found.view
        board = self.schedule.board(tournament_id, found and found.view.board)
        view = self._view(board, (board.decided, len(board.matches)))
        with self.lock:
            self.kept[tournament_id] = _Kept(version, view)
            self.kept.move_to_end(tournament_id)
            if len(self.kept) > BOARDS_KEPT:
                self.kept.popitem(last=False)
        return view

    def _view(self, board: Board, counts: tuple[int, int]) -> View:
        return View(board, self.results, self.lacking, counts, house_only=self.house_only)
