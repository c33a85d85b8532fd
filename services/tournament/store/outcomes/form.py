"""Versions with faults in consecutive matches; a loop of the service (suspension) tells the registry."""

import msgspec
from sqlalchemy import func, select, text, update
from sqlmodel import Session, col

from maumau.contest.format.match import Verdict
from maumau.referee.second_run import counts_as_fault, describe_excess, describe_provisional
from services.shared.store.connect import Database
from services.shared.store.notice_table import new_notice
from services.tournament.domain.event import BotSuspended, Event
from services.tournament.domain.level import END, PUBLIC, release_of
from services.tournament.domain.match_row import list_players
from services.tournament.domain.measured import FirstFaults
from services.tournament.domain.notice import FAULT, name_entrant
from services.tournament.models import (
    Block,
    BlockFault,
    Entry,
    FirstRun,
    Form,
    Match,
    Tournament,
    TournamentNotice,
)
from services.tournament.store.blocks.queue import outbox

ADDED = text("INSERT INTO form (version_id, faulty, words) VALUES (:version, 0, '') ON CONFLICT DO NOTHING")
MATCHES_IN_A_ROW = 3  # consecutive matches with a fault after which a version is suspended


class Forms:
    """Versions to be suspended, until the registry has been told."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_due(self) -> list[tuple[str, str]]:
        """Return the versions to be suspended, each with the reason."""
        with self.database.read() as session:
            rows = session.execute(select(col(Form.version_id), col(Form.words)).where(col(Form.words) != ""))
            return [(version_id, words) for version_id, words in rows]

    def mark_told(self, version_id: str, words: str) -> None:
        """Mark this reason as told; one that was noted since stays."""
        mine = (col(Form.version_id) == version_id, col(Form.words) == words)
        with self.database.write() as session:
            session.execute(update(Form).where(*mine).values(words=""))


def note_form(session: Session, row: Match, verdict: Verdict, at: int) -> None:
    """Count a decided match for its versions, in the transaction that decides it."""
    players = list_players(row.first, row.second, row.others)
    mine = select(Entry).where(col(Entry.tournament_id) == row.tournament_id, col(Entry.number).in_(players))
    for entry in session.scalars(mine.order_by(col(Entry.version_id))):  # locked in one order
        late, blocks, happened = _late_blocks(session, row, entry.number, verdict.counted)
        kinds = _list_kinds(session, row, entry.number, verdict.counted)
        if not kinds and counts_as_fault(late, blocks):
            kinds = f"{happened} in first runs"
        if kinds:
            _tell_of_fault(session, row, entry, kinds, at)
        form = lock_form(session, entry.version_id)
        form.faulty = form.faulty + 1 if kinds else 0
        excess = describe_excess(late, blocks)
        if form.faulty == MATCHES_IN_A_ROW or excess:
            tournament = session.get_one(Tournament, row.tournament_id)
            match = f"{row.label} of {tournament.name}"
            if form.faulty == MATCHES_IN_A_ROW:
                told, hidden = _describe_row(kinds, match)
            else:
                told, hidden = _describe_late(happened, excess, match)
            form.words = told if _is_public(tournament) else hidden
            form.faulty = 0
            part = BotSuspended(entry.number, entry.bot_name, entry.version_id, told)
            words = f"{entry.bot_name} is suspended: {told}"
            event = Event(at, "fault", words, row.label, part=part)
            session.add_all(outbox(row.tournament_id, [event], at))


def lock_form(session: Session, version_id: str) -> Form:
    """Return a version's form, locked; add it if there is none, also where another tournament adds it too."""
    if form := session.get(Form, version_id, with_for_update=True):
        return form
    session.execute(ADDED, {"version": version_id})
    return session.get_one(Form, version_id, with_for_update=True)


def _tell_of_fault(session: Session, match: Match, entry: Entry, kinds: str, at: int) -> None:
    """Store a notice for the author of a bot that made faults in a match, in the transaction that decides it.

    Where results wait for the end, the match is not named: that would tell who advanced.
    """
    tournament = session.get_one(Tournament, match.tournament_id)
    named = {"bot": entry.bot_name, "version_id": entry.version_id, "contest": tournament.name}
    data = named | {"contest_id": tournament.id, "faults": kinds}
    if release_of(tournament.spec) != END:
        data["match"] = match.label
    told = name_entrant(entry.account_name, tournament.group_name)
    session.add(new_notice(TournamentNotice, FAULT, at, data, (told,)))


def _is_public(tournament: Tournament) -> bool:
    """Return True if everybody may know of the tournament and of its results."""
    return tournament.visibility == PUBLIC and release_of(tournament.spec) == PUBLIC


def _describe_row(kinds: str, match: str) -> tuple[str, str]:
    """Return the reason of a suspension for faults in matches in a row, with the last match and without.

    The registry's reasons are public even if results (`release`) or the tournament (`visibility`) are not:
    the match would tell who advanced, and the name that there is such a tournament.
    """
    why = f"faults in {MATCHES_IN_A_ROW} matches in a row"
    return f"{why}, last in {match}: {kinds}", why


def _describe_late(happened: str, excess: str, match: str) -> tuple[str, str]:
    """Return the reason of a suspension for too many second runs, with the match and without."""
    why = f"{happened} in the first runs of"
    return f"{why} {excess}, in match {match}", f"{why} too many blocks of a match"


def _late_blocks(session: Session, row: Match, number: int, counted: int) -> tuple[list[int], int, str]:
    """Return the counted blocks in whose first runs an entrant had provisional faults.

    With them go the number of blocks that count, and what happened to the entrant in those.
    """
    mine = select(col(Block.number), col(FirstRun.overran), col(FirstRun.measured))
    mine = mine.outerjoin(FirstRun, col(Block.id) == col(FirstRun.block_id)).order_by(col(Block.number))
    mine = mine.where(col(Block.job_id) == row.id, col(Block.first_set) < counted)
    blocks = session.execute(mine).all()
    late = [(block, run) for block, overran, run in blocks if str(number) in (overran or "").split(",")]
    faults = [fault for _, run in late for fault in msgspec.msgpack.decode(run, type=FirstFaults).overran]
    happened = describe_provisional(fault for fault in faults if fault.entrant == number)
    return [block for block, _ in late], len(blocks), happened


def _list_kinds(session: Session, row: Match, number: int, counted: int) -> str:
    """Return an entrant's kinds of fault in the sets that count, such as `crash, time`; "" if none."""
    mine = select(func.distinct(col(BlockFault.kind))).join(Block, col(Block.id) == col(BlockFault.block_id))
    where = (
        col(Block.job_id) == row.id,
        col(BlockFault.entrant) == number,
        col(BlockFault.set_number) < counted,
    )
    return ", ".join(sorted(session.scalars(mine.where(*where))))
