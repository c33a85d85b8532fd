"""Previews of changes: a change is made in a transaction that is rolled back, and two boards are compared."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.spec.change import SpecKeyChange, compare_specs
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import PlayedMatch, match_plan
from services.tournament.domain.steps import NOTHING
from services.tournament.models import Entry
from services.tournament.organising.boards import Boards
from services.tournament.store.contests.nonce import say_state
from services.tournament.store.contests.tournament import ACTIVE, OVER
from services.tournament.store.outcomes.result import Results
from services.tournament.store.outcomes.take import WALKOVERS

T = TypeVar("T")
HOUR = 3_600_000  # ms
MATCHES = ("begun", "again", "resumed", "withdrawn", "walkovers", "stopped", "results_lost")
"""Fields of a preview that name matches."""


class WorkLeft(NamedTuple):
    """An upper bound of the work left; core_hours: 0 if no comparable work was measured."""

    matches: int
    blocks: int
    sets: int
    core_hours: float = 0.0


class Preview(NamedTuple):
    """The effects of a change; matches are sorted labels. The contract (proto/) explains each field."""

    state: str
    starting: bool
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
        """Return it without results, for callers who may not see them: work left would reveal progress."""
        nothing: dict[str, Any] = dict.fromkeys(MATCHES, ())
        return self._replace(**nothing, sets_lost=0, left=WorkLeft(0, 0, 0), left_now=WorkLeft(0, 0, 0))


class Previewer:
    """Dry runs of changes; an error of the change is raised by its preview, too."""

    def __init__(self, boards: Boards, results: Results) -> None:
        self.boards, self.results = boards, results

    def preview_change(self, tournament_id: str, change: Callable[[], T]) -> tuple[Preview, T]:
        """Return the effects of a change, and its answer. The change must not advance the schedule."""
        schedule = self.boards.schedule
        before = self.boards.get_view(tournament_id).board
        with schedule.database.rehearse():
            answer = change()
            after = schedule.read_board(tournament_id, before)
        found = compare_boards(before, after)
        hours = self.results.milliseconds_a_set(after.tournament.rules_hash) / HOUR
        left, now = (
            one._replace(core_hours=round(hours * one.sets, 3)) for one in (found.left, found.left_now)
        )
        return found._replace(left=left, left_now=now), answer


def compare_boards(before: ContestBoard, after: ContestBoard) -> Preview:
    """Return the differences once the schedule has caught up with the change."""
    steps = after.plan_steps(1) if after.tournament.state in ACTIVE else NOTHING
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
        starting=say_state(after.tournament) == "starting",
        due_at=after.tournament.due_at,
        entries=_list_entries(after.entries, before.entries),
        entries_gone=[one for one in before.entries if one.bot_name not in _list_names(after.entries)],
        begun=_sort_labels(new - _list_labels(gone)),
        again=_sort_labels(new & _list_labels(gone)),
        resumed=[one.row.label for one in kept if one.paused and not after.matches[one.row.label].paused],
        withdrawn=_sort_labels(_list_labels(gone) - new - walkovers),
        walkovers=_sort_labels(walkovers),
        stopped=[one.row.label for one in kept if over and one.row.state == "playing"],
        results_lost=[one.row.label for one in gone if one.row.state == "decided"],
        sets_lost=sum(before.verdicts[one.row.label].counted for one in lost),
        left=count_work(after, stays),
        left_now=count_work(before, {one.row.id for one in before.matches.values()}),
        spec=compare_specs(before.spec, after.spec),
    )


def _end_state(board: ContestBoard) -> str:
    return "decided" if board.spec.schedule.protest_minutes else "finished"


def count_work(board: ContestBoard, stays: Collection[str]) -> WorkLeft:
    """Return the work left, each match to its cap; of one not yet started, as if it started now.

    stays: ids of the takes that still count.
    """
    if board.tournament.state in OVER or len(board.entries) < 2:
        return WorkLeft(0, 0, 0)
    standing = {label: one for label, one in board.matches.items() if one.row.id in stays}
    plans = foresee_matches(board.spec, board.entrants, [board.verdicts[label] for label in standing])
    blocks = sets = 0
    for plan in plans:
        played, match = standing.get(plan.label), board.spec.choose_match(plan.stage)
        left = match.cap // match.block
        if played and match_plan(played.row) == plan:
            left = board.verdicts[plan.label].wanted - len(played.prefix)
        blocks, sets = blocks + left, sets + left * match.block
    return WorkLeft(len(plans), blocks, sets)


def _list_entries(now: Iterable[Entry], before: Iterable[Entry]) -> list[Entry]:
    """Return the entries that are new or different."""
    known = {entry.bot_name: entry.model_dump() for entry in before}
    return [entry for entry in now if entry.model_dump() != known.get(entry.bot_name)]


def _list_names(entries: Iterable[Entry]) -> set[str]:
    return {entry.bot_name for entry in entries}


def _list_labels(matches: Iterable[PlayedMatch]) -> set[str]:
    return {one.row.label for one in matches}


def _sort_labels(labels: Iterable[str]) -> list[str]:
    return sorted(labels, key=lambda label: tuple(map(int, label.split("."))))
