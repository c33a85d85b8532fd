"""The schedule: matches and blocks follow from results. A board is read, then its steps are carried out."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, bindparam, exists, func, or_, select, update
from sqlmodel import Session, col

from maumau.contest.score import UNITS
from maumau.errors import UnknownMatch, UnknownTournament, WrongState
from services.shared.base.ident import new_id
from services.shared.store.bulk import insert_rows
from services.shared.store.connect import Database
from services.tournament.domain.board import ContestBoard, Notes
from services.tournament.domain.match_row import MatchRow, match_plan, read_verdict
from services.tournament.domain.steps import Steps
from services.tournament.models import (
    Block,
    Contest,
    FirstRun,
    Job,
    Match,
    PlayedSeating,
    Tournament,
    Worker,
    new_row,
)
from services.tournament.store.blocks.drop import end_jobs
from services.tournament.store.blocks.queue import note_change
from services.tournament.store.blocks.reaper import go_on
from services.tournament.store.contests.protest import list_protests
from services.tournament.store.contests.spec_change import list_changes
from services.tournament.store.contests.tournament import (
    ACTIVE,
    contest_of,
    decide_tournament,
    entries_of,
    find_tournament,
    finish_tournament,
    reopen_tournament,
    touch_schedule,
)
from services.tournament.store.outcomes.link import chain_of, link_departures
from services.tournament.store.outcomes.result import live_matches, read_played, take_rows
from services.tournament.store.outcomes.take import WALKOVERS, begin_takes, decide_take, take_back

SLICE = 50  # matches that one transaction is about
HUNG = "a match before it was played again"
HUNG_ON_GONE = "a match before it was played again, or lost by an entrant who was disqualified"
TALLIED = '"first_to"'
"""In a spec whose matches are judged set by set; anywhere else in it, it costs a read and changes nothing."""
LIED = "a worker reported deals that were not played"


VERSION = (
    select(col(Tournament.version), col(Contest.changes))
    .join(Contest, col(Contest.id) == col(Tournament.id))
    .where(col(Tournament.id) == bindparam("tournament"))
)


class SeenMatch(NamedTuple):
    """A match as its organiser has seen it. take: 0 for any. state: "" for any."""

    take: int
    state: str


ANY_MATCH = SeenMatch(0, "")


class Schedule:
    """Matches, their takes and their blocks."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def read_version(self, tournament_id: str) -> tuple[int, int]:
        """Return the board's version: the schedule's version and the contest's count of changes."""
        with self.database.read() as session:
            row = session.execute(VERSION, {"tournament": tournament_id}).one_or_none()
            if row is None:
                raise UnknownTournament(f"There is no tournament {tournament_id!r}.", thing=tournament_id)
            return row[0], row[1]

    def read_board(self, tournament_id: str, before: ContestBoard | None = None) -> ContestBoard:
        """Return the current board; `before` saves reading and judging unchanged matches again."""
        with self.database.read() as session:
            tournament = find_tournament(session, tournament_id)
            contest = session.get_one(Contest, tournament.id)
            if before and contest.changes < before.changes:  # the database was restored to an earlier state
                before = None
            same = before and _count_edits(before.tournament) == _count_edits(tournament)
            entries = before.entries if before and same else entries_of(session, tournament_id)
            notes = before.notes if before and same else read_notes(session, tournament_id)
            is_tallied = TALLIED in tournament.spec
            found = read_played(session, contest, before, UNITS[contest.score] if is_tallied else 0)
            known = before.keep_known(found.changed) if before else None
            told = contest.changes, chain_of(contest), contest.version
            return ContestBoard(tournament, entries, found.matches, known, *told, notes)

    def carry_out(self, board: ContestBoard, steps: Steps, at: int, compared: str = "") -> int:
        """Carry out the board's steps, in bounded transactions; return the number of blocks queued.

        Return -1 if the schedule changed before or between them: the rest must follow from a new board.
        compared: the hash of the compared data, if this ends the tournament.
        """
        version, queued = board.tournament.version, 0
        for part in steps.split_steps(SLICE):
            count = self._carry_out(board, part, version, at, compared)
            if count < 0:
                return -1
            version, queued = version + 1, queued + count
        return queued

    def _carry_out(self, board: ContestBoard, steps: Steps, version: int, at: int, compared: str) -> int:
        tournament = board.tournament
        current = (col(Tournament.version) == version, col(Tournament.state).in_(ACTIVE))
        with self.database.write() as session:
            held = session.execute(
                touch_schedule(tournament.id).where(*current).returning(col(Tournament.id))
            )
            if held.scalar_one_or_none() is None:
                return -1
            contest = contest_of(session, tournament.id)
            out = {entry.number for entry in board.entries if entry.disqualified}
            hung = HUNG_ON_GONE if out else HUNG
            link_departures(session, contest, board.entries)
            for match_id in steps.taken_back:
                take_back(session, contest, match_id, hung, at, out)
            for match_id, verdict in steps.decided:
                decide_take(session, contest, match_id, verdict, at)
            ended = [*steps.taken_back, *(job_id for job_id, _ in steps.decided)]
            end_jobs(session, ended)
            change = note_change(contest)
            session.flush()  # a match taken back makes room for its next take
            begun = begin_takes(session, contest, board.entries, steps.begun, at, hung, change)
            queued = {
                begun.get(label) or board.matches[label].row.id: (board.size_block(label), blocks)
                for label, blocks in steps.blocks.items()
            }
            count = _queue_blocks(session, queued, board, at)
            _mark_changed(session, change, {*ended, *queued} - set(begun.values()))
            protest = 60_000 * board.spec.schedule.protest_minutes
            if steps.finished and protest:
                decide_tournament(session, tournament.id, at, at + protest)
            elif steps.finished:
                finish_tournament(session, session.get_one(Tournament, tournament.id), at, compared)
            return count

    def retake_match(
        self,
        tournament_id: str,
        label: str,
        at: int,
        reason: str,
        *,
        fresh_seeds: bool = False,
        seen: SeenMatch = ANY_MATCH,
    ) -> None:
        """Begin a decided match's next take, or resume a paused one from its void blocks.

        With fresh seeds, a paused match is also taken back and begun anew. Raise WrongState if the match is
        not as it was seen.
        """
        with self.database.write() as session:
            tournament = find_tournament(session, tournament_id, lock=True)
            if tournament.state not in {*ACTIVE, "decided"}:
                raise WrongState(f"{tournament.name} is {tournament.state}: no match of it can be retaken.")
            contest = contest_of(session, tournament.id)
            row, job = _find_retakeable(session, tournament, label, seen)
            if tournament.state == "decided":
                reopen_tournament(session, tournament, at)
            session.execute(touch_schedule(tournament.id))
            if job.state == "paused" and not fresh_seeds:
                go_on(session, contest, job, at, reason)
                return
            entries = entries_of(session, tournament.id)
            take_back(session, contest, row.id, reason, at)
            end_jobs(session, [row.id])
            change = note_change(contest)
            session.flush()
            plans = [(match_plan(row), None)]
            begin_takes(session, contest, entries, plans, at, reason, change, fresh_seeds=fresh_seeds)
            _mark_changed(session, change, {row.id})

    def begin_again(self, at: int) -> list[tuple[str, list[str]]]:
        """Begin next takes, with unchanged seeds, of undecided matches with a distrusted worker's block.

        Return the names of the tournaments, each with the labels of its matches.
        """
        liars = select(col(Worker.name)).where(col(Worker.distrusted_at) > 0)
        seatings = select(col(PlayedSeating.block_id)).where(col(PlayedSeating.worker).in_(liars))
        lied = or_(col(Block.worker).in_(liars), col(Block.id).in_(seatings), _has_lying_first_run())
        theirs = select(col(Match.tournament_id)).join(Block, col(Block.job_id) == col(Match.id))
        theirs = theirs.join(Tournament, col(Tournament.id) == col(Match.tournament_id)).distinct()
        lost = lied, col(Block.state) == "done", col(Match.state) == "playing"
        with self.database.read() as session:
            if session.scalar(select(col(Worker.name)).where(col(Worker.distrusted_at) > 0).limit(1)) is None:
                return []
            ids = session.scalars(theirs.where(*lost, col(Tournament.state).in_(ACTIVE))).all()
        return [self._begin_again(one, lost, at) for one in ids]

    def _begin_again(self, tournament_id: str, lost: Sequence[Any], at: int) -> tuple[str, list[str]]:
        with self.database.write() as session:
            tournament = find_tournament(session, tournament_id, lock=True)
            session.execute(touch_schedule(tournament.id))
            contest = contest_of(session, tournament.id)
            mine = select(col(Match.id)).join(Block, col(Block.job_id) == col(Match.id))
            ids = session.scalars(mine.where(*lost, col(Match.tournament_id) == tournament.id)).all()
            rows = live_matches(session, col(Match.id).in_(ids)) if tournament.state in ACTIVE else []
            for row in rows:
                take_back(session, contest, row.id, LIED, at)
            end_jobs(session, [row.id for row in rows])
            change = note_change(contest)
            session.flush()
            plans = [(match_plan(row), None) for row in rows]
            begin_takes(session, contest, entries_of(session, tournament.id), plans, at, LIED, change)
            _mark_changed(session, change, {row.id for row in rows})
            return tournament.name, [row.label for row in rows]

    def read_standing(self, match_id: str) -> tuple[str, str]:
        """Return the state of a match and that of its tournament."""
        both = select(col(Match.state), col(Tournament.state)).join(
            Tournament, col(Tournament.id) == col(Match.tournament_id)
        )
        with self.database.read() as session:
            row = session.execute(both.where(col(Match.id) == match_id)).one()
            return row[0], row[1]

    def list_takes(self, tournament_id: str, label: str) -> list[MatchRow]:
        """Return the takes of a match in order, including those taken back."""
        with self.database.read() as session:
            rows = take_rows(session, col(Match.tournament_id) == tournament_id, col(Match.label) == label)
        if not rows:
            raise UnknownMatch(f"The tournament has no match {label!r}.", thing=label)
        return rows

    def list_retaken(self, tournament_id: str) -> dict[str, list[MatchRow]]:
        """Return all takes of the matches that were begun more than once, by label."""
        mine = col(Match.tournament_id) == tournament_id
        again = select(col(Match.label)).where(mine, col(Match.take) > 1)
        found: dict[str, list[MatchRow]] = {}
        with self.database.read() as session:
            for row in take_rows(session, mine, col(Match.label).in_(again)):
                found.setdefault(row.label, []).append(row)
        return found


def read_notes(session: Session, tournament_id: str) -> Notes:
    """Return the changes of a tournament's spec and the protests against its result."""
    return Notes(list_changes(session, tournament_id), list_protests(session, tournament_id))


def _find_retakeable(
    session: Session, tournament: Tournament, label: str, seen: SeenMatch
) -> tuple[MatchRow, Job]:
    """Return a match and its job, which is locked; raise UnknownMatch, or WrongState if it stays as it is."""
    rows = live_matches(session, col(Match.tournament_id) == tournament.id, col(Match.label) == label)
    row = next(iter(rows), None)
    if row is None:
        raise UnknownMatch(f"{tournament.name} has no match {label!r} now.", thing=label)
    job = session.get_one(Job, row.id, with_for_update=True)
    now = SeenMatch(row.take, "paused" if job.state == "paused" else row.state)
    if seen.take not in (0, now.take) or seen.state not in ("", now.state):
        raise WrongState(
            f"Match {label} has changed since you looked at it: look at it again before it is retaken."
        )
    if (job.state != "paused" and row.state != "decided") or _is_walkover(row):
        raise WrongState(f"Match {label} cannot be retaken: {_read_reason(row)}.")
    return row, job


def _count_edits(tournament: Tournament) -> int:
    """Return the number of changes other than the schedule's, such as those of entries."""
    return tournament.version - tournament.advances


def _is_walkover(row: MatchRow) -> bool:
    return bool(row.verdict) and read_verdict(row.verdict).rule in WALKOVERS


def _read_reason(row: MatchRow) -> str:
    return WALKOVERS[read_verdict(row.verdict).rule] if row.verdict else "it is being played"


def _has_lying_first_run() -> ColumnElement[bool]:
    """Return the condition that a distrusted worker played deals of a first run that count."""
    name, players = col(Worker.name), col(FirstRun.players)
    played = func.replace(players, "\n" + name + "\n", "") != players
    counts = col(FirstRun.block_id) == col(Block.id), col(FirstRun.sets).is_(None)
    return exists().where(*counts, col(Worker.distrusted_at) > 0, played)


def _queue_blocks(
    session: Session, queued: Mapping[str, tuple[int, range]], board: ContestBoard, at: int
) -> int:
    """Queue these blocks, by match: the sets of each, and their numbers. Return how many they are."""
    cup = board.tournament.id
    rows = [
        new_row(
            Block,
            id=new_id("block"),
            job_id=match_id,
            contest_id=cup,
            number=number,
            first_set=number * size,
            sets=size,
            queued_at=at,
        )
        for match_id, (size, mine) in queued.items()
        for number in mine
    ]
    insert_rows(session, Block, rows)
    return len(rows)


def _mark_changed(session: Session, change: int, job_ids: Collection[str]) -> None:
    """Mark these jobs as concerned by this change of their contest."""
    if job_ids:
        mine = update(Job).where(col(Job.id).in_(job_ids)).values(changed=change)
        session.execute(mine.execution_options(synchronize_session=False))
