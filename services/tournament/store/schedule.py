"""The schedule: matches and blocks follow from results. A board is read, its steps are carried out."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import bindparam, or_, select, update
from sqlmodel import Session, col

from maumau.contest.match import MatchPlan, Verdict
from maumau.errors import UnknownMatch, UnknownTournament, WrongState
from services.shared.bulk import insert_rows
from services.shared.connect import Database
from services.shared.ident import new_id
from services.tournament.board import Board
from services.tournament.event import Event, MatchBegun, MatchResult, MatchTakenBack, Part, encode
from services.tournament.match_row import MatchRow, match_plan, read_verdict
from services.tournament.models import (
    Block,
    Contest,
    Entry,
    Job,
    JobSeat,
    Match,
    Outbox,
    PlayedSeating,
    Tournament,
    Worker,
    new_row,
)
from services.tournament.steps import Steps
from services.tournament.store import form
from services.tournament.store.drop import end_jobs
from services.tournament.store.queue import note_change, outbox
from services.tournament.store.reaper import go_on
from services.tournament.store.result import live_matches, read_played, take_rows
from services.tournament.store.tournament import (
    ACTIVE,
    chain_of,
    contest_of,
    decide,
    entries_of,
    find,
    finish,
    reopen,
    touch,
)

SLICE = 50  # matches that one transaction is about
WALKOVERS = {"withdrawn": "an entrant was withdrawn", "disqualified": "an entrant was disqualified"}
"""Rules that decide a match which was not played to its end, and why."""
HUNG = "a match before it was played again"
HUNG_ON_GONE = "a match before it was played again, or lost by an entrant who was disqualified"
LIED = "a worker reported deals that were not played"


VERSION = (
    select(col(Tournament.version), col(Contest.changes))
    .join(Contest, col(Contest.id) == col(Tournament.id))
    .where(col(Tournament.id) == bindparam("tournament"))
)


class Schedule:
    """Matches, their takes and their blocks."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def version(self, tournament_id: str) -> tuple[int, int]:
        """Changes whenever the board of a tournament does: its schedule's version, its contest's changes."""
        with self.database.read() as session:
            row = session.execute(VERSION, {"tournament": tournament_id}).one_or_none()
            if row is None:
                raise UnknownTournament(f"There is no tournament {tournament_id!r}.", thing=tournament_id)
            return row[0], row[1]

    def board(self, tournament_id: str, before: Board | None = None) -> Board:
        """As it stands now; `before` saves reading and judging again what it knows."""
        with self.database.read() as session:
            tournament = find(session, tournament_id)
            contest = session.get_one(Contest, tournament.id)
            if before and contest.changes < before.changes:  # the database has gone back to an earlier state
                before = None
            same = before and _count_edits(before.tournament) == _count_edits(tournament)
            entries = before.entries if before and same else entries_of(session, tournament_id)
            found = read_played(session, contest, before)
            known = before.know(found.changed) if before else None
            return Board(tournament, entries, found.matches, known, contest.changes, chain_of(contest))

    def carry_out(self, board: Board, steps: Steps, at: int, compared: str = "") -> int:
        """Does what the board's steps say, in bounded transactions; the number of blocks queued.

        -1 if the schedule changed since, before or between them: what is left follows from what stands then.
        compared: the hash of what is compared, if this ends the tournament.
        """
        version, queued = board.tournament.version, 0
        for part in steps.slices(SLICE):
            count = self._carry_out(board, part, version, at, compared)
            if count < 0:
                return -1
            version, queued = version + 1, queued + count
        return queued

    def _carry_out(self, board: Board, steps: Steps, version: int, at: int, compared: str) -> int:
        tournament = board.tournament
        current = (col(Tournament.version) == version, col(Tournament.state).in_(ACTIVE))
        with self.database.write() as session:
            held = session.execute(touch(tournament.id).where(*current).returning(col(Tournament.id)))
            if held.scalar_one_or_none() is None:
                return -1
            contest = contest_of(session, tournament.id)
            out = {entry.number for entry in board.entries if entry.disqualified}
            hung = HUNG_ON_GONE if out else HUNG
            for match_id in steps.taken_back:
                _take_back(session, match_id, hung, at, out)
            for match_id, verdict in steps.decided:
                _decide(session, match_id, verdict, at)
            ended = [*steps.taken_back, *(job_id for job_id, _ in steps.decided)]
            end_jobs(session, ended)
            change = note_change(contest)
            session.flush()  # a match taken back makes room for its next take
            begun = _begin(session, contest.id, board.entries, steps.begun, at, hung, change)
            queued = {
                begun.get(label) or board.matches[label].row.id: blocks
                for label, blocks in steps.blocks.items()
            }
            count = _queue(session, queued, board, at)
            _mark_changed(session, change, {*ended, *queued} - set(begun.values()))
            protest = 60_000 * board.spec.schedule.protest_minutes
            if steps.finished and protest:
                decide(session, tournament.id, at, at + protest)
            elif steps.finished:
                finish(session, session.get_one(Tournament, tournament.id), at, compared)
            return count

    def retake(
        self, tournament_id: str, label: str, at: int, reason: str, *, fresh_seeds: bool = False
    ) -> None:
        """Begins a decided match's next take, or lets a paused one go on from its void blocks.

        With fresh seeds a paused one too is taken back and begun anew.
        """
        with self.database.write() as session:
            tournament = find(session, tournament_id, lock=True)
            if tournament.state not in {*ACTIVE, "decided"}:
                raise WrongState(f"{tournament.name} is {tournament.state}: no match of it can be retaken.")
            rows = live_matches(session, col(Match.tournament_id) == tournament.id, col(Match.label) == label)
            row = next(iter(rows), None)
            if row is None:
                raise UnknownMatch(f"{tournament.name} has no match {label!r} now.", thing=label)
            contest = contest_of(session, tournament.id)
            job = session.get_one(Job, row.id, with_for_update=True)
            if (job.state != "paused" and row.state != "decided") or _is_walkover(row):
                raise WrongState(f"Match {label} cannot be retaken: {_why(row)}.")
            if tournament.state == "decided":
                reopen(session, tournament, at)
            session.execute(touch(tournament.id))
            if job.state == "paused" and not fresh_seeds:
                go_on(session, contest, job, at, reason)
                return
            entries = entries_of(session, tournament.id)
            _take_back(session, row.id, reason, at)
            end_jobs(session, [row.id])
            change = note_change(contest)
            session.flush()
            plans = [(match_plan(row), None)]
            _begin(session, contest.id, entries, plans, at, reason, change, fresh_seeds=fresh_seeds)
            _mark_changed(session, change, {row.id})

    def begin_again(self, at: int) -> list[tuple[str, list[str]]]:
        """Begins the next takes, from the same seeds, of undecided matches with a distrusted worker's block.

        The names of the tournaments, each with the labels of its matches.
        """
        liars = select(col(Worker.name)).where(col(Worker.distrusted_at) > 0)
        seatings = select(col(PlayedSeating.block_id)).where(col(PlayedSeating.worker).in_(liars))
        lied = or_(col(Block.worker).in_(liars), col(Block.id).in_(seatings))
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
            tournament = find(session, tournament_id, lock=True)
            session.execute(touch(tournament.id))
            contest = contest_of(session, tournament.id)
            mine = select(col(Match.id)).join(Block, col(Block.job_id) == col(Match.id))
            ids = session.scalars(mine.where(*lost, col(Match.tournament_id) == tournament.id)).all()
            rows = live_matches(session, col(Match.id).in_(ids)) if tournament.state in ACTIVE else []
            for row in rows:
                _take_back(session, row.id, LIED, at)
            end_jobs(session, [row.id for row in rows])
            change = note_change(contest)
            session.flush()
            plans = [(match_plan(row), None) for row in rows]
            _begin(session, contest.id, entries_of(session, tournament.id), plans, at, LIED, change)
            _mark_changed(session, change, {row.id for row in rows})
            return tournament.name, [row.label for row in rows]

    def standing(self, match_id: str) -> tuple[str, str]:
        """The state of a match and that of its tournament."""
        both = select(col(Match.state), col(Tournament.state)).join(
            Tournament, col(Tournament.id) == col(Match.tournament_id)
        )
        with self.database.read() as session:
            row = session.execute(both.where(col(Match.id) == match_id)).one()
            return row[0], row[1]

    def takes(self, tournament_id: str, label: str) -> list[MatchRow]:
        """The takes of a match, the first one first, also those that were taken back."""
        with self.database.read() as session:
            rows = take_rows(session, col(Match.tournament_id) == tournament_id, col(Match.label) == label)
        if not rows:
            raise UnknownMatch(f"The tournament has no match {label!r}.", thing=label)
        return rows

    def retaken(self, tournament_id: str) -> dict[str, list[MatchRow]]:
        """All takes of the matches that were begun more than once, by label."""
        mine = col(Match.tournament_id) == tournament_id
        again = select(col(Match.label)).where(mine, col(Match.take) > 1)
        found: dict[str, list[MatchRow]] = {}
        with self.database.read() as session:
            for row in take_rows(session, mine, col(Match.label).in_(again)):
                found.setdefault(row.label, []).append(row)
        return found


def _count_edits(tournament: Tournament) -> int:
    """How often anything but the schedule has changed, such as its entries."""
    return tournament.version - tournament.advances


def _is_walkover(row: MatchRow) -> bool:
    return bool(row.verdict) and read_verdict(row.verdict).rule in WALKOVERS


def _why(row: MatchRow) -> str:
    return WALKOVERS[read_verdict(row.verdict).rule] if row.verdict else "it is being played"


def _take_back(
    session: Session, match_id: str, reason: str, at: int, disqualified: Collection[int] = ()
) -> None:
    """disqualified: numbers of entrants, whose matches are taken back for that."""
    row = session.get_one(Match, match_id)
    if {row.first, row.second} & set(disqualified):
        reason = WALKOVERS["disqualified"]
    row.state, row.withdrawn_at = "withdrawn", at
    words, part = f"match {row.label} is taken back: {reason}", MatchTakenBack(row.take, reason)
    _tell(session, row, "alert", words, part, at)


def _decide(session: Session, match_id: str, verdict: Verdict, at: int) -> None:
    row = session.get_one(Match, match_id)
    row.state, row.verdict, row.decided_at = "decided", _json(verdict), at
    if verdict.rule not in WALKOVERS:
        form.note(session, row, verdict, at)
    _tell(session, row, "match_decided", verdict_words(verdict), _result(row.take, verdict), at)


def _begin(
    session: Session, tournament_id: str, entries: Sequence[Entry],
    begun: Sequence[tuple[MatchPlan, Verdict | None]], at: int, reason: str, change: int, *,
    fresh_seeds: bool = False,
) -> dict[str, str]:  # fmt: skip
    """New takes of matches, with the seeds of those before or fresh ones; their ids by label.

    They are decided at once if they are walkovers. reason: why a match is begun that was begun before.
    change: the number of the contest's change that begins them.
    """
    takes = _last_takes(session, tournament_id, [plan.label for plan, _ in begun])
    rows, seats, events = list[dict[str, Any]](), list[dict[str, Any]](), list[Event]()
    for plan, verdict in begun:
        last, seed_take = takes.get(plan.label, (0, 0))
        take = last + 1
        why = "" if take == 1 else WALKOVERS[verdict.rule] if verdict else reason
        drawn = take if fresh_seeds else seed_take
        rows.append(
            _match(tournament_id, plan, verdict, take=take, seed_take=drawn, reason=why, queued_at=at)
        )
        pair = [entries[number - 1] for number in (plan.first, plan.second)]
        seats += [_seat(rows[-1]["id"], position, entry) for position, entry in enumerate(pair)]
        again = _again(take, why, fresh_seeds=fresh_seeds)
        words = f"match {plan.label}: {pair[0].bot_name} - {pair[1].bot_name}{again}"
        events.append(Event(at, "match_started", words, plan.label, part=MatchBegun(take, drawn, why)))
        if verdict:
            told = verdict_words(verdict)
            events.append(Event(at, "match_decided", told, plan.label, part=_result(take, verdict)))
    insert_rows(session, Match, rows)
    insert_rows(session, Job, [_job(row, change) for row in rows])
    insert_rows(session, JobSeat, seats)
    kept = [{"contest_id": tournament_id, "event": encode(one), "created_at": at} for one in events]
    insert_rows(session, Outbox, kept)
    return {row["label"]: row["id"] for row in rows}


def _again(take: int, reason: str, *, fresh_seeds: bool) -> str:
    """What is said of a take that is not the first one."""
    if take == 1:
        return ""
    seeds = " with fresh seeds" if fresh_seeds else ""
    return f", take {take}{seeds} ({reason})"


def _last_takes(session: Session, tournament_id: str, labels: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The last take of each of these matches, and the take of its seeds."""
    takes = select(col(Match.label), col(Match.take), col(Match.seed_take)).order_by(col(Match.take))
    mine = takes.where(col(Match.tournament_id) == tournament_id, col(Match.label).in_(labels))
    return {label: (take, seed_take) for label, take, seed_take in session.execute(mine)}


def _match(
    tournament_id: str, plan: MatchPlan, verdict: Verdict | None, *, queued_at: int, **take: Any
) -> dict[str, Any]:
    """take: its number, the take of its seeds, and why it was begun."""
    decided = {"state": "decided", "verdict": _json(verdict), "decided_at": queued_at} if verdict else {}
    plans = {name: getattr(plan, name) for name in plan.__struct_fields__}
    terms = take | plans | decided
    return new_row(Match, id=new_id("match"), tournament_id=tournament_id, queued_at=queued_at, **terms)


def _job(row: dict[str, Any], changed: int) -> dict[str, Any]:
    same = {name: row[name] for name in ("id", "label", "take", "seed_take")}
    state = "over" if row["verdict"] else "open"
    replayed = 1.0 if row["bracket"] else 0.0  # who loses there is out
    terms = {"state": state, "replayed": replayed, "changed": changed}
    return new_row(Job, contest_id=row["tournament_id"], **same, **terms)


def _queue(session: Session, numbers: Mapping[str, range], board: Board, at: int) -> int:
    """Queues these blocks, by match; how many."""
    size, cup = board.spec.match.block, board.tournament.id
    rows = [
        new_row(
            Block, id=new_id("block"), job_id=match_id, contest_id=cup, number=number,
            first_set=number * size, sets=size, queued_at=at,
        )
        for match_id, mine in numbers.items() for number in mine
    ]  # fmt: skip
    insert_rows(session, Block, rows)
    return len(rows)


def _seat(job_id: str, position: int, entry: Entry) -> dict[str, Any]:
    return new_row(
        JobSeat, job_id=job_id, position=position, number=entry.number, version_id=entry.version_id,
        sha256=entry.sha256, bot_name=entry.bot_name, account_name=entry.account_name,
        built_sha256=entry.built_sha256, built_platform=entry.built_platform,
    )  # fmt: skip


def _mark_changed(session: Session, change: int, job_ids: Collection[str]) -> None:
    """This change of their contest is about these jobs too."""
    if job_ids:
        mine = update(Job).where(col(Job.id).in_(job_ids)).values(changed=change)
        session.execute(mine.execution_options(synchronize_session=False))


def _tell(session: Session, row: Match, kind: Any, words: str, part: Part, at: int) -> None:
    session.add_all(outbox(row.tournament_id, [Event(at, kind, words, row.label, part=part)], at))


def _result(take: int, verdict: Verdict) -> MatchResult:
    return MatchResult(take, verdict.winner or 0, verdict.rule, verdict.counted, verdict.estimate)


def _json(verdict: Verdict) -> str:
    return msgspec.json.encode(verdict).decode()


def verdict_words(verdict: Verdict) -> str:
    """Example: match 1.2.3 is decided: sequential, 300 sets."""
    return f"match {verdict.label} is decided: {verdict.rule}, {verdict.counted} sets"
