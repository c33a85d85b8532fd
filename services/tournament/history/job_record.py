"""Deal sets of jobs, one by one, and the export of a contest of jobs, for anybody to check."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from maumau.contest.export import write as export
from maumau.contest.export.write import JobPlayed
from maumau.contest.score import SetScore
from maumau.contest.seed import BOOKINGS_ALONE, deal_seed
from maumau.errors import NotOver, UnknownSet
from maumau.referee.block import SetOutcome
from services.tournament.history.archive import SetLine, built_line, records_of
from services.tournament.history.record_file import RecordFiles
from services.tournament.models import Contest
from services.tournament.store.contests.job import Jobs
from services.tournament.store.outcomes.job_link import terms_of
from services.tournament.store.outcomes.result import Results


class JobRecords:
    """Reader of the results of jobs; it changes nothing."""

    def __init__(self, jobs: Jobs, results: Results, files: RecordFiles) -> None:
        self.jobs, self.results, self.files = jobs, results, files

    def list_sets(self, contest: Contest, job_id: str, label: str, first: int) -> Iterator[SetLine]:
        """Yield the booked sets of a job from number `first` on; seeds: once the contest is over."""
        is_over = contest.state == "over" and bool(contest.root)
        for block, scores in self.results.set_scores(job_id, first):
            for score in scores:
                if score.number >= first:
                    seed = deal_seed(contest.secret, contest.root, label, score.number) if is_over else ""
                    yield SetLine(block, score, seed)

    def find_set(self, job_id: str, label: str, number: int) -> SetOutcome:
        """Return a deal set of a job as it was played, with the notes of all programs."""
        result = self.results.of_set(job_id, number)
        if result is None:
            raise UnknownSet(f"Job {label} has no deal set {number} now.", thing=str(number))
        return next(one for one in self.files.read_sets(result) if one.number == number)

    def write_export(self, contest: Contest, path: Path) -> None:
        """Write the export (docs/reference/verify.md)."""
        if contest.state != "over":
            raise NotOver(f"{contest.id} is not over; its export is made when nothing of it is being played.")
        if contest.version > BOOKINGS_ALONE and not contest.compared:
            self.jobs.seal_contest(contest.id)
        terms, entrants = terms_of(contest), self.jobs.list_entrants(contest.id)
        chain = self.results.read_chain(contest.id)
        built = (built_line(*each) for each in self.jobs.list_builds(contest.id))
        export.write_jobs(path, terms, contest.secret, entrants, self._list_played(contest.id), chain, built)

    def _list_played(self, contest_id: str) -> Iterator[JobPlayed]:
        for job_id, job in self.jobs.list_asked(contest_id):
            yield JobPlayed(*job, self._list_blocks(job_id))

    def _list_blocks(self, job_id: str) -> Iterator[tuple[int, Sequence[tuple[SetScore, str]]]]:
        """Yield the blocks of a job with their sets, one block in memory at a time."""
        for block, result in self.results.of_match(job_id):
            yield block.number, list(records_of(result, self.files.read_sets(result)))
