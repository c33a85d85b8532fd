"""A cache of boards, which are read again only after something changed."""

import threading
from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from maumau.contest.spec.spec import Spec
from maumau.errors import BadRequest, MaumauError
from services.shared.base.auth import OWN, Identity
from services.shared.base.clock import Clock
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import PlayedMatch
from services.tournament.models import Tournament
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.contests.nonce import waiting_words
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.contests.sight import find_for, list_unlisted
from services.tournament.store.contests.summary import list_summaries
from services.tournament.store.contests.tournament import ACTIVE, Tournaments
from services.tournament.store.outcomes.result import Results

BOARDS_KEPT = 64
LACKING_KEPT = 2000  # ms


class ContestView:
    """A board with the other data shown with it. house_only: strangers' programs are not played here now.

    lacking: why no worker can play, by hash of rules and programs. counts: matches decided, and known.
    """

    def __init__(
        self,
        board: ContestBoard,
        results: Results,
        lacking: Callable[[], Mapping[str, str]],
        counts: tuple[int, int],
        clock: Clock,
        *,
        house_only: bool,
    ) -> None:
        self.board, self.results, self.lacking, self.clock = board, results, lacking, clock
        self.counts, self.house_only = counts, house_only

    @cached_property
    def unreadable(self) -> str:
        """The reason why today's checks refuse the stored spec, "" if they do not."""
        try:
            self.board.spec  # noqa: B018 - reading it is the check
        except MaumauError as error:
            return f"this version of the arena cannot read its spec: {error}"
        return ""

    @property
    def variant_toml(self) -> str:
        """The text of its variant, "" unless the spec brings its own and can be read."""
        return "" if self.unreadable else self.board.spec.variant_toml or ""

    @property
    def closes_at(self) -> int:
        """The time at which its entries close by themselves; 0: never, or its spec cannot be read."""
        return 0 if self.unreadable else closing_time(self.board.spec)

    @property
    def is_starting(self) -> bool:
        """Return True if nobody can enter any more and it is not played yet."""
        row = self.board.tournament
        return row.state == "open" and bool(row.closed_at or 0 < self.closes_at <= self.clock())

    @property
    def warnings(self) -> list[str]:
        """Warnings about the spec that its author may have missed, before the start only."""
        early = self.board.tournament.state in {"created", "open"}
        return self.board.spec.warnings if early and not self.unreadable else []

    @property
    def words(self) -> str:
        """The reason why it cannot be read, or why it waits."""
        if self.unreadable:
            return self.unreadable
        if self.is_starting:
            return waiting_words(self.board.entries)
        return "; ".join(filter(None, (self.board.words, self.general_words)))

    @property
    def general_words(self) -> str:
        """The words without the reasons of single matches, which would reveal what is played."""
        if self.unreadable or self.is_starting:
            return self.words
        if self.board.tournament.state != "running":
            return ""
        return "; ".join(filter(None, (self._strangers, *self._lacks)))

    @property
    def _strangers(self) -> str:
        names = [entry.bot_name for entry in self.board.entries if entry.account_name not in OWN]
        if not self.house_only or not names:
            return ""
        return f"{', '.join(names)} may not play without a sandbox unless the arena is started with --trust"

    @property
    def _lacks(self) -> list[str]:
        """The reasons why no worker can play its rules or programs."""
        lacking = self.lacking()
        hashes = [self.board.tournament.rules_hash, *(entry.sha256 for entry in self.board.entries)]
        return sorted({f"no worker can play it: {lacking[key]}" for key in hashes if key in lacking})

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of the entrants' bots by number."""
        return {entry.number: entry.bot_name for entry in self.board.entries}

    @cached_property
    def ordered(self) -> Sequence[PlayedMatch]:
        """The matches in order of their labels."""
        return list(self.board.matches.values())

    def matches_after(self, label: str) -> Iterator[PlayedMatch]:
        """Yield the matches after this label; "" for all."""
        start = bisect_right(self.ordered, _read_label(label), key=lambda one: one.row.place) if label else 0
        return islice(self.ordered, start, None)

    @cached_property
    def faults(self) -> dict[str, tuple[int, ...]]:
        """Deals lost by faults in sets that count, by label, for each player; none if there are none."""
        counts: dict[str, Counter[int]] = defaultdict(Counter)
        for label, entrant, number in self.results.list_faulty(self.board.tournament.id):
            if label in self.board.matches and number < self.board.verdicts[label].counted:
                counts[label][entrant] += 1
        players = {label: self.board.matches[label].row.players for label in counts}
        return {label: tuple(counts[label][one] for one in players[label]) for label in counts}

    @cached_property
    def faults_of(self) -> Mapping[int, int]:
        """Deals that each entrant lost by faults in sets that count."""
        counts: Counter[int] = Counter()
        for label, faults in self.faults.items():
            counts.update(dict(zip(self.board.matches[label].row.players, faults, strict=True)))
        return counts


def _read_label(label: str) -> tuple[int, ...]:
    numbers = label.split(".")
    if len(numbers) != 3 or not all(one.isascii() and one.isdigit() and len(one) < 10 for one in numbers):
        raise BadRequest(f"{label[:80]!r} is not the token of a page.", field="page_token")
    return tuple(map(int, numbers))


def closing_time(spec: Spec) -> int:
    """Return the time at which entries close by themselves; 0: never."""
    return int(1000 * spec.entries.closes.timestamp()) if spec.entries.closes else 0


class _Kept(NamedTuple):
    version: tuple[int, int]
    view: ContestView


class Boards:
    """A cache of boards, safe for threads; a board is never changed."""

    def __init__(
        self,
        tournaments: Tournaments,
        schedule: Schedule,
        results: Results,
        workers: Workers,
        clock: Clock,
        *,
        house_only: bool = False,
    ) -> None:
        self.tournaments, self.schedule, self.results = tournaments, schedule, results
        self.workers, self.clock, self.house_only = workers, clock, house_only
        self._lacking: tuple[int, Mapping[str, str]] = (0, {})
        self.kept: OrderedDict[str, _Kept] = OrderedDict()
        self.lock = threading.Lock()

    def find_view(self, who: Identity, key: str) -> ContestView:
        """Return the view of a tournament by its id or name, if the caller may see it."""
        return self.get_view(self.find_row(who, key).id)

    def find_row(self, who: Identity, key: str) -> Tournament:
        """Return a tournament that the caller may see; raise UnknownTournament for others."""
        return find_for(self.tournaments.database, who, key)

    def list_unlisted(self, who: Identity, ids: Collection[str]) -> set[str]:
        """Return those of the tournaments that lists do not name to the caller."""
        return list_unlisted(self.tournaments.database, who, ids)

    def list_views(
        self, who: Identity, before: str, most: int, *, active: bool = False, part: str = ""
    ) -> Iterator[ContestView]:
        """Yield the views that are listed for the caller, newest first, before the one of that id.

        part: of their names, "" for all. Only active ones have their matches.
        """
        for found in list_summaries(self.tournaments.database, who, before, most, active=active, part=part):
            if found.tournament.state in ACTIVE:
                yield self.get_view(found.tournament.id)
            else:
                board = ContestBoard(found.tournament, found.entries, {}, chain=found.chain)
                yield self._build_view(board, (found.decided, found.known))

    def list_lacking(self) -> Mapping[str, str]:
        """Return `Workers.list_lacking`, at most `LACKING_KEPT` ms old."""
        now, (read_at, lacking) = self.clock(), self._lacking
        if abs(now - read_at) > LACKING_KEPT:
            lacking = self.workers.list_lacking(now)
            self._lacking = now, lacking
        return lacking

    def get_view(self, tournament_id: str, version: tuple[int, int] | None = None) -> ContestView:
        """Return the current view. version: the schedule's, if it was read just now.

        The version is read first: a board may be newer than its version, never older.
        """
        version = version or self.schedule.read_version(tournament_id)
        with self.lock:
            found = self.kept.get(tournament_id)
        if found and found.version == version:
            return found.view
        board = self.schedule.read_board(tournament_id, found and found.view.board)
        view = self._build_view(board, (board.decided, len(board.matches)))
        with self.lock:
            self.kept[tournament_id] = _Kept(version, view)
            self.kept.move_to_end(tournament_id)
            if len(self.kept) > BOARDS_KEPT:
                self.kept.popitem(last=False)
        return view

    def _build_view(self, board: ContestBoard, counts: tuple[int, int]) -> ContestView:
        return ContestView(
            board, self.results, self.list_lacking, counts, self.clock, house_only=self.house_only
        )
