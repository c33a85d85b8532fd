"""The chain of a contest of jobs: who entered, what was asked for, and the end."""

import json
from collections.abc import Iterable

from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.contest.entrant import Entrant
from maumau.contest.export.chain import ChainJob as AskedJob
from maumau.contest.export.chain import End, list_askings
from maumau.contest.export.line import PartLine
from maumau.contest.export.write import compare_jobs
from maumau.contest.seed import BOOKINGS_ALONE
from maumau.contest.terms import Terms, build_terms
from services.tournament.models import Block, BlockResult, Contest, Job, JobSeat
from services.tournament.store.outcomes.link import add_link, add_links, read_keys


def terms_of(contest: Contest) -> Terms:
    """As they were when it was opened."""
    return build_terms(
        {
            "purpose": contest.purpose,
            "author": contest.author,
            "rules": contest.rules,
            "options": json.loads(contest.options),
            "variant_toml": contest.variant_toml,
            "seats": contest.seats,
            "score": contest.score,
            "bot": {"deal_ms": contest.deal_ms, "memory": contest.memory},
        }
    )


def link_jobs(
    session: Session, contest: Contest, entrants: Iterable[Entrant], jobs: Iterable[AskedJob]
) -> None:
    """Make the links of new entrants and of new jobs."""
    add_links(session, contest, list(list_askings(entrants, jobs)))


def link_end(session: Session, contest: Contest) -> None:
    """Make the last link, and before it those that an earlier release left out."""
    if contest.version == BOOKINGS_ALONE or contest.compared:
        return
    entrants, asked = list_entrants(session, contest.id), list_asked(session, contest.id)
    known = read_keys(session, contest.id, "entrant") | read_keys(session, contest.id, "job")
    late = [one for one in list_askings(entrants, (job for _, job in asked)) if one.key not in known]
    add_links(session, contest, late)
    parts = _list_parts(session, contest.id)
    framed = ((job, parts.get(job_id, ())) for job_id, job in asked)
    terms = terms_of(contest), contest.secret, entrants
    contest.compared = compare_jobs(*terms, framed, contest.version)
    add_link(session, contest, End(contest.compared))


def list_entrants(session: Session, contest_id: str) -> list[Entrant]:
    """All that were asked for in the contest, by their numbers."""
    seats = select(col(JobSeat.number), col(JobSeat.bot_name), col(JobSeat.sha256)).distinct()
    mine = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
    return [Entrant(*row) for row in session.execute(mine.order_by(col(JobSeat.number)))]


def list_asked(session: Session, contest_id: str) -> list[tuple[str, AskedJob]]:
    """Each job with its id; by label, shorter ones first."""
    sums = select(col(Job.id), col(Job.label), func.sum(col(Block.sets)))
    sums = sums.join(Block, col(Block.job_id) == col(Job.id)).where(col(Job.contest_id) == contest_id)
    seats = select(col(JobSeat.job_id), col(JobSeat.number)).join(Job, col(Job.id) == col(JobSeat.job_id))
    seats = seats.where(col(Job.contest_id) == contest_id).order_by(col(JobSeat.position))
    numbers: dict[str, tuple[int, ...]] = {}
    for job_id, number in session.execute(seats):
        numbers[job_id] = (*numbers.get(job_id, ()), number)
    found = session.execute(sums.group_by(col(Job.id), col(Job.label))).all()
    found = sorted(found, key=lambda row: (len(row[1]), row[1]))  # ids of a millisecond have no order
    return [(job_id, AskedJob(label, numbers[job_id], int(sets))) for job_id, label, sets in found]


def _list_parts(session: Session, contest_id: str) -> dict[str, list[PartLine]]:
    """Return the booked blocks as an export has them, by job."""
    columns = col(Block.job_id), col(Job.label), col(Block.number), col(Block.first_set), col(Block.sets)
    lines = select(*columns, col(BlockResult.digest)).join(Job, col(Job.id) == col(Block.job_id))
    lines = lines.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
    mine = lines.where(col(Block.contest_id) == contest_id).order_by(col(Block.number))
    parts: dict[str, list[PartLine]] = {}
    for job_id, *line in session.execute(mine):
        parts.setdefault(job_id, []).append(PartLine(*line))
    return parts
