"""Failed runs of blocks, and withdrawal of an entrant that makes them fail."""

from sqlalchemy import func, or_, select
from sqlmodel import Session, col

from services.shared.store.connect import Database
from services.tournament.domain.attribution import FailedRun, Pair, attribute_failures
from services.tournament.domain.event import BotWithdrawn, Event
from services.tournament.domain.match_row import list_players
from services.tournament.models import Block, BlockResult, Entry, Failure, Match, Tournament
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.contests.tournament import ACTIVE, contest_of, find_tournament
from services.tournament.store.outcomes.form import lock_form
from services.tournament.store.outcomes.link import link_departures


class Troubles:
    """Entrants to which failures are attributed, and their withdrawal."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_failed(self, tournament_id: str) -> tuple[list[FailedRun], int]:
        """Return the failed runs of a tournament, and the time of the first one."""
        with self.database.read() as session:
            return _list_failed(session, tournament_id)

    def take_out(self, tournament_id: str, at: int) -> str:
        """Withdraw the entrant that all failures are attributed to, suspend its version, return why.

        Return "" if there is none. Its remaining matches are walkovers.
        """
        with self.database.read() as session:
            if _find_faulty_entrant(session, tournament_id)[1] is None:
                return ""
        with self.database.write() as session:
            tournament = find_tournament(session, tournament_id, lock=True)
            failed, number = _find_faulty_entrant(
                session, tournament_id
            )  # a worker may have proved unfit meanwhile
            if number is None:
                return ""
            mine = (col(Entry.tournament_id) == tournament_id, col(Entry.number) == number)
            entry = session.scalars(select(Entry).where(*mine)).one()
            if entry.withdrawn or tournament.state not in ACTIVE:
                return ""
            words = _describe_failures(failed, tournament, entry)
            tournament.version += 1
            entry.withdrawn = True
            link = link_departures(session, contest_of(session, tournament.id), [entry])
            lock_form(session, entry.version_id).words = words
            part = BotWithdrawn(number, entry.bot_name, words)
            event = Event(at, "alert", words, chain=link, part=part)
            session.add_all(outbox(tournament.id, [event], at))
            return words


def _find_faulty_entrant(session: Session, tournament_id: str) -> tuple[list[FailedRun], int | None]:
    """Return the failed runs of a tournament, and the entrant that they are attributed to, if any."""
    failed, since = _list_failed(session, tournament_id)
    if not failed:
        return failed, None
    return failed, attribute_failures(failed, *_count_done(session, tournament_id, since))


def _list_failed(session: Session, tournament_id: str) -> tuple[list[FailedRun], int]:
    """Return the failed runs of a tournament, and the time of the first one.

    Runs that failed in a row on a worker that proved unfit count only once: they are its own failure.
    """
    columns = (col(Failure.stored_at), col(Failure.block_id), col(Failure.worker))
    query = select(*columns, col(Match.first), col(Match.second), col(Match.others))
    query = query.join(Block, col(Block.id) == col(Failure.block_id))
    query = query.join(Match, col(Match.id) == col(Block.job_id))
    query = query.where(or_(col(Failure.unfit).is_(False), col(Failure.in_row) == 1))
    mine = col(Failure.contest_id).in_((tournament_id, "")), col(Match.tournament_id) == tournament_id
    rows = session.execute(query.where(*mine)).all()
    runs = [FailedRun(block_id, list_players(*pair), worker) for _, block_id, worker, *pair in rows]
    return runs, min((row[0] for row in rows), default=0)


def _count_done(session: Session, tournament_id: str, since: int) -> tuple[dict[Pair, int], set[str]]:
    """Return the number of each pair's blocks booked since, and the workers that have claimed one."""
    mine = col(Match.tournament_id) == tournament_id
    pair = (col(Match.first), col(Match.second), col(Match.others))
    blocks = select(*pair, func.count()).join(Block, col(Block.job_id) == col(Match.id))
    blocks = blocks.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
    blocks = blocks.where(mine, col(BlockResult.stored_at) >= since).group_by(*pair)
    workers = select(col(Block.worker)).join(Match, col(Match.id) == col(Block.job_id)).distinct()
    counts = {list_players(*players): count for *players, count in session.execute(blocks)}
    return counts, set(session.scalars(workers.where(mine, col(Block.worker) != "")))


def _describe_failures(failed: list[FailedRun], tournament: Tournament, entry: Entry) -> str:
    blocks = len({run.block_id for run in failed})
    workers = len({run.worker for run in failed})
    others = len({number for run in failed for number in run.pair}) - 1
    on = "1 worker" if workers == 1 else f"{workers} workers"
    return (
        f"{entry.bot_name} is out of {tournament.name}: all {blocks} blocks that could not be played were its"
        f" own, against {others} opponents and on {on}"
    )
