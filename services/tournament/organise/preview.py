"""What a change would come to: it is made in a transaction that is undone, and two boards are compared."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from maumau.contest.foresight import foresee_matches
from maumau.contest.spec import Spec
from services.tournament.board import Board
from services.tournament.boards import Boards
from services.tournament.match_row import Played, match_plan
from services.tournament.models import Entry
from services.tournament.steps import NOTHING
from services.tournament.store.result import Results
from services.tournament.store.schedule import WALKOVERS
from services.tournament.store.tournament import ACTIVE, OVER

T = TypeVar("T")
HOUR = 3_600_000  # ms
MATCHES = ("begun", "again", "resumed", "withdrawn", "walkovers", "stopped", "results_lost")
"""Fields of a preview that name matches."""


class WorkLeft(NamedTuple):
    """What is to be played until it is decided, at most; core_hours: 0 if nothing alike was measured."""

    matches: int
    blocks: int
    sets: int
    core_hours: float = 0.0


class SpecKeyChange(NamedTuple):
    """A key of a spec with its values as JSON, "" where it has none."""

    key: str
    before: str
    after: str


class Preview(NamedTuple):
    """Matches are named by their labels, in the order of these. See the contract (proto/) for each field."""

    state: str
    due_at: int
    entries: Sequence[Entry]
    entries_gone: Sequence[Entry]
    begun: Sequence[str]
    again: Sequence[str]
    resumed: Sequence[str]
    withdrawn: Sequence[str]
    walkovers: Sequence[str]
    stopped: Sequence[str]
    results_lost: Sequence[str]
    sets_lost: int
    left: WorkLeft
    left_now: WorkLeft
    spec: Sequence[SpecKeyChange]

    def without_results(self) -> "Preview":
        """For whom results are not released: what is left to play tells how far it is."""
        nothing: dict[str, Any] = dict.fromkeys(MATCHES, ())
        return self._replace(**nothing, sets_lost=0, left=WorkLeft(0, 0, 0), left_now=WorkLeft(0, 0, 0))


class Previewer:
    """Tries changes of a tournament out; what refuses the change refuses its preview."""

    def __init__(self, boards: Boards, results: Results) -> None:
        self.boards, self.results = boards, results

    def preview(self, tournament_id: str, change: Callable[[], T]) -> tuple[Preview, T]:
        """What the change would come to, and what it answered. It must not let the schedule advance."""
        schedule = self.boards.schedule
        before = self.boards.get(tournament_id).board
        with schedule.database.rehearse():
            answer = change()
            after = schedule.board(tournament_id, before)
        found = compare_boards(before, after)
        hours = self.results.milliseconds_a_set(after.tournament.rules_hash) / HOUR
        left, now = (
            one._replace(core_hours=round(hours * one.sets, 3)) for one in (found.left, found.left_now)
        )
        return found._replace(left=left, left_now=now), answer


def compare_boards(before: Board, after: Board) -> Preview:
    """What is different once the schedule has caught up with the change."""
    steps = after.steps(1) if after.tournament.state in ACTIVE else NOTHING
    stays = {played.row.id for played in after.matches.values()} - set(steps.taken_back)
    gone = [one for one in before.matches.values() if one.row.id not in stays]
    kept = [one for one in before.matches.values() if one.row.id in stays]
    known = {one.row.id for one in kept}
    walkovers = {verdict.label for _, verdict in steps.decided if verdict.rule in WALKOVERS}
    walkovers |= {plan.label for plan, verdict in steps.begun if verdict}
    new = {one.row.label for one in after.matches.values() if one.row.id in stays - known}
    new |= {plan.label for plan, verdict in steps.begun if not verdict}
    lost = [*gone, *(one for one in kept if one.row.label in walkovers)]
    over = after.tournament.state in OVER
    return Preview(
        state=_end_state(after) if steps.finished else after.tournament.state,
        due_at=after.tournament.due_at,
        entries=_list_entries(after.entries, before.entries),
        entries_gone=[one for one in before.entries if one.bot_name not in _names(after.entries)],
        begun=_ordered(new - _labels(gone)),
        again=_ordered(new & _labels(gone)),
        resumed=[one.row.label for one in kept if one.paused and not after.matches[one.row.label].paused],
        withdrawn=_ordered(_labels(gone) - new - walkovers),
        walkovers=_ordered(walkovers),
        stopped=[one.row.label for one in kept if over and one.row.state == "playing"],
        results_lost=[one.row.label for one in gone if one.row.state == "decided"],
        sets_lost=sum(before.verdicts[one.row.label].counted for one in lost),
        left=count_work(after, stays),
        left_now=count_work(before, {one.row.id for one in before.matches.values()}),
        spec=_list_keys(before.spec, after.spec),
    )


def _end_state(board: Board) -> str:
    return "decided" if board.spec.schedule.protest_minutes else "finished"


def count_work(board: Board, stays: Collection[str]) -> WorkLeft:
    """What is to be played of it, each match to its cap; of one not yet started, as if it started now.

    stays: ids of the matches that count.
    """
    if board.tournament.state in OVER or len(board.entries) < 2:
        return WorkLeft(0, 0, 0)
    standing = {label: one for label, one in board.matches.items() if one.row.id in stays}
    plans = foresee_matches(board.spec, board.entrants, [board.verdicts[label] for label in standing])
    most, blocks = board.spec.match.cap // board.spec.match.block, 0
    for plan in plans:
        played = standing.get(plan.label)
        if played and match_plan(played.row) == plan:
            blocks += board.verdicts[plan.label].wanted - len(played.prefix)
        else:
            blocks += most
    return WorkLeft(len(plans), blocks, blocks * board.spec.match.block)


def _list_entries(now: Iterable[Entry], before: Iterable[Entry]) -> list[Entry]:
    """Those that are new or different."""
    known = {entry.bot_name: entry.model_dump() for entry in before}
    return [entry for entry in now if entry.model_dump() != known.get(entry.bot_name)]


def _names(entries: Iterable[Entry]) -> set[str]:
    return {entry.bot_name for entry in entries}


def _labels(matches: Iterable[Played]) -> set[str]:
    return {one.row.label for one in matches}


def _ordered(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=lambda label: tuple(map(int, label.split("."))))


def _list_keys(before: Spec, after: Spec) -> list[SpecKeyChange]:
    if before == after:
        return []
    old, new = (_flatten("", msgspec.to_builtins(spec)) for spec in (before, after))
    return [
        SpecKeyChange(key, old.get(key, ""), new.get(key, ""))
        for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)
    ]  # fmt: skip


def _flatten(path: str, value: Any) -> dict[str, str]:
    """The keys with those of the tables that they are in before them, their values as JSON."""
    if isinstance(value, dict):
        flat = [_flatten(f"{path}.{key}" if path else key, one) for key, one in value.items()]
        return {key: text for one in flat for key, text in one.items()}
    return {} if value is None else {path: msgspec.json.encode(value).decode()}
