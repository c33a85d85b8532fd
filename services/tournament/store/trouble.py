"""Runs of blocks that failed, and what becomes of an entrant who makes them fail."""

from sqlalchemy import func, or_, select
from sqlmodel import col

from services.shared.connect import Database
from services.tournament.culprit import FailedRun, Pair, find_culprit
from services.tournament.event import BotWithdrawn, Event
from services.tournament.models import Block, BlockResult, Entry, Failure, Form, Match, Tournament
from services.tournament.store.queue import outbox
from services.tournament.store.tournament import ACTIVE, find


class Troubles:
    """Finds the entrants whom failures follow, and takes them out of play."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def failed(self, tournament_id: str) -> tuple[list[FailedRun], int]:
        """The failed runs of a tournament, and when the first of them was noted.

        Without those that followed another one on a worker that proved unfit: they are its own.
        """
        columns = (col(Failure.stored_at), col(Failure.block_id), col(Failure.worker))
        query = select(*columns, col(Match.first), col(Match.second))
        query = query.join(Block, col(Block.id) == col(Failure.block_id))
        query = query.join(Match, col(Match.id) == col(Block.job_id))
        query = query.where(or_(col(Failure.unfit).is_(False), col(Failure.in_row) == 1))
        mine = col(Failure.contest_id).in_((tournament_id, "")), col(Match.tournament_id) == tournament_id
        with self.database.read() as session:
            rows = session.execute(query.where(*mine)).all()
        runs = [FailedRun(block_id, (first, second), worker) for _, block_id, worker, first, second in rows]
        return runs, min((row[0] for row in rows), default=0)

    def done(self, tournament_id: str, since: int) -> tuple[dict[Pair, int], set[str]]:
        """How many blocks of each pair have got a result since, and which workers have claimed one."""
        mine = col(Match.tournament_id) == tournament_id
        pair = (col(Match.first), col(Match.second))
        blocks = select(*pair, func.count()).join(Block, col(Block.job_id) == col(Match.id))
        blocks = blocks.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
        blocks = blocks.where(mine, col(BlockResult.stored_at) >= since).group_by(*pair)
        workers = select(col(Block.worker)).join(Match, col(Match.id) == col(Block.job_id)).distinct()
        with self.database.read() as session:
            counts = {(first, second): count for first, second, count in session.execute(blocks)}
            return counts, set(session.scalars(workers.where(mine, col(Block.worker) != "")))

    def take_out(self, tournament_id: str, at: int) -> str:
        """Withdraws the entrant whom all failures follow, and suspends its version; says so in words.

        Empty if there is none. The matches that are left are walkovers.
        """
        failed, since = self.failed(tournament_id)
        number = find_culprit(failed, *self.done(tournament_id, since)) if failed else None
        if number is None:
            return ""
        with self.database.write() as session:
            tournament = find(session, tournament_id, lock=True)
            mine = (col(Entry.tournament_id) == tournament_id, col(Entry.number) == number)
            entry = session.scalars(select(Entry).where(*mine)).one()
            if entry.withdrawn or tournament.state not in ACTIVE:
                return ""
            words = _say(failed, tournament, entry)
            tournament.version += 1
            entry.withdrawn = True
            key = entry.version_id
            form = session.get(Form, key, with_for_update=True) or Form(version_id=key)
            form.words = words
            session.add(form)
            event = Event(at, "alert", words, part=BotWithdrawn(number, entry.bot_name, words))
            session.add_all(outbox(tournament.id, [event], at))
            return words


def _say(failed: list[FailedRun], tournament: Tournament, entry: Entry) -> str:
    blocks = len({run.block_id for run in failed})
    workers = len({run.worker for run in failed})
    others = len({number for run in failed for number in run.pair}) - 1
    on = "1 worker" if workers == 1 else f"{workers} workers"
    return (
        f"{entry.bot_name} is out of {tournament.name}: all {blocks} blocks that could not be played were its"
        f" own, against {others} opponents and on {on}"
    )
