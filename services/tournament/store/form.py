"""Who makes faults in match after match; a loop of the service (suspension) tells the registry."""

from sqlalchemy import func, select, update
from sqlmodel import Session, col

from maumau.bot.second_run import counts_as_fault, describe_excess
from maumau.contest.match import Verdict
from services.shared.connect import Database
from services.tournament.event import BotSuspended, Event
from services.tournament.level import PUBLIC, release_of
from services.tournament.models import Block, Entry, Fault, FirstRun, Form, Match, Tournament
from services.tournament.store.queue import outbox

MATCHES_IN_A_ROW = 3  # matches with a fault in each of them: the version is suspended


class Forms:
    """Versions that are to be suspended, until the registry knows it."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def due(self) -> list[tuple[str, str]]:
        """Version and why, in words."""
        with self.database.read() as session:
            rows = session.execute(select(col(Form.version_id), col(Form.words)).where(col(Form.words) != ""))
            return [(version_id, words) for version_id, words in rows]

    def told(self, version_id: str, words: str) -> None:
        """The registry knows this; what came since stays."""
        mine = (col(Form.version_id) == version_id, col(Form.words) == words)
        with self.database.write() as session:
            session.execute(update(Form).where(*mine).values(words=""))


def note(session: Session, row: Match, verdict: Verdict, at: int) -> None:
    """A match is decided: counted for both versions, in the transaction that decides it."""
    pair = select(Entry).where(
        col(Entry.tournament_id) == row.tournament_id, col(Entry.number).in_((row.first, row.second))
    )
    for entry in session.scalars(pair.order_by(col(Entry.version_id))):  # locked in one order
        late, blocks = _late_blocks(session, row, entry.number, verdict.counted)
        kinds = _kinds(session, row, entry.number, verdict.counted)
        if not kinds and counts_as_fault(late, blocks):
            kinds = "ran out of time in first runs"
        form = session.get(Form, entry.version_id, with_for_update=True) or Form(version_id=entry.version_id)
        form.faulty = form.faulty + 1 if kinds else 0
        excess = describe_excess(late, blocks)
        if form.faulty == MATCHES_IN_A_ROW or excess:
            tournament = session.get_one(Tournament, row.tournament_id)
            told, hidden = _describe_cause(form.faulty, kinds, excess, f"{row.label} of {tournament.name}")
            form.words = told if release_of(tournament.spec) == PUBLIC else hidden
            form.faulty = 0
            part = BotSuspended(entry.number, entry.bot_name, entry.version_id, told)
            words = f"{entry.bot_name} is suspended: {told}"
            event = Event(at, "fault", words, row.label, part=part)
            session.add_all(outbox(row.tournament_id, [event], at))
        session.add(form)


def _describe_cause(faulty: int, kinds: str, excess: str, match: str) -> tuple[str, str]:
    """Why a bot is suspended; and without the match, which tells who advanced: the registry's reasons are
    public, also where results are not (`release`)."""
    if faulty == MATCHES_IN_A_ROW:
        why = f"faults in {MATCHES_IN_A_ROW} matches in a row"
        return f"{why}, last in {match}: {kinds}", why
    why = "ran out of time in the first runs of"
    return f"{why} {excess}, in match {match}", f"{why} too many blocks of a match"


def _late_blocks(session: Session, row: Match, number: int, counted: int) -> tuple[list[int], int]:
    """The blocks, of those that count, in whose first runs an entrant ran out of time; how many count."""
    mine = select(col(Block.number), col(FirstRun.overran))
    mine = mine.outerjoin(FirstRun, col(Block.id) == col(FirstRun.block_id)).order_by(col(Block.number))
    mine = mine.where(col(Block.job_id) == row.id, col(Block.first_set) < counted)
    blocks = [(block, (overran or "").split(",")) for block, overran in session.execute(mine)]
    return [block for block, overran in blocks if str(number) in overran], len(blocks)


def _kinds(session: Session, row: Match, number: int, counted: int) -> str:
    """The kinds of fault of an entrant in the sets that count, such as `crash, time`; empty: it made none."""
    mine = select(func.distinct(col(Fault.kind))).join(Block, col(Block.id) == col(Fault.block_id))
    where = (col(Block.job_id) == row.id, col(Fault.entrant) == number, col(Fault.set_number) < counted)
    return ", ".join(sorted(session.scalars(mine.where(*where))))
