"""What was played in a contest of jobs, as a file that anybody can check."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from maumau.contest import export
from maumau.contest.export import JobPlayed
from maumau.contest.score import SetScore
from maumau.contest.terms import Terms, build_terms
from maumau.errors import NotOver
from services.tournament.archive import built_line, records_of
from services.tournament.models import Contest
from services.tournament.record_file import RecordFiles
from services.tournament.store.job import Jobs
from services.tournament.store.result import Results


class JobRecords:
    """Reads only."""

    def __init__(self, jobs: Jobs, results: Results, files: RecordFiles) -> None:
        self.jobs, self.results, self.files = jobs, results, files

    def export(self, contest: Contest, path: Path) -> None:
        """Writes the export (docs/verify.md)."""
        if contest.state != "over":
            raise NotOver(f"{contest.id} is not over; its export is made when nothing of it is being played.")
        terms, entrants = terms_of(contest), self.jobs.entrants(contest.id)
        bookings = self.results.bookings(contest.id)
        built = (built_line(*each) for each in self.jobs.builds(contest.id))
        export.write_jobs(path, terms, contest.secret, entrants, self._played(contest.id), bookings, built)

    def _played(self, contest_id: str) -> Iterator[JobPlayed]:
        for job_id, label, numbers, sets in self.jobs.asked(contest_id):
            yield JobPlayed(label, numbers, sets, self._blocks(job_id))

    def _blocks(self, job_id: str) -> Iterator[tuple[int, Sequence[tuple[SetScore, str]]]]:
        """One is in memory at a time."""
        for block, result in self.results.of_match(job_id):
            yield block.number, list(records_of(result, self.files.read_sets(result)))


def terms_of(contest: Contest) -> Terms:
    """As they were when it was opened."""
    return build_terms(
        {
            "purpose": contest.purpose, "author": contest.author, "rules": contest.rules,
            "options": json.loads(contest.options), "variant_toml": contest.variant_toml,
            "seats": contest.seats, "score": contest.score,
            "bot": {"deal_ms": contest.deal_ms, "memory": contest.memory},
        }
    )  # fmt: skip
