"""Move of old contests' records out of the database, into files: decision 69."""

import time
from collections.abc import Callable, Sequence

from maumau.errors import MaumauError
from services.shared.base import log
from services.shared.base.clock import DAY, Clock
from services.tournament.history.record_file import RecordFiles, build_file
from services.tournament.metrics import TournamentMetrics
from services.tournament.store.upkeep.record import BlockKey, PackedRow, Records

MAX_FILE_BYTES = 8 << 20  # bytes of records in a file, unless a single block has more
MAX_LOOK_SECONDS = 20.0

logger = log.get(__name__)


class Mover:
    """A mover of records to files. days: age after the end at which a contest's records move; 0: never.

    A file is written, read back and compared before anything leaves the database. So a stop in between leaves
    at most an unreferenced file, and two replicas that move the same records lose nothing.
    """

    def __init__(
        self, records: Records, files: RecordFiles, clock: Clock, metrics: TournamentMetrics, days: int
    ) -> None:
        self.records, self.files = records, files
        self.clock, self.metrics, self.days = clock, metrics, days
        self._after = ""  # the contest tried last; "": the next run begins with the first one

    def move_due(self, is_stopping: Callable[[], bool] = lambda: False) -> int:
        """Move due records, for some seconds at most, and return the number of blocks.

        The next call resumes there.
        """
        if not self.days:
            return 0
        until, moved = time.monotonic() + MAX_LOOK_SECONDS, 0

        def is_over() -> bool:
            return is_stopping() or time.monotonic() > until

        before = self.clock() - self.days * DAY
        while contest_ids := self.records.list_due(before, self._after):
            for contest_id in contest_ids:
                if is_over():
                    return moved
                moved += self._move_contest(contest_id, is_over)
                self._after = contest_id
        self._after = ""
        return moved

    def _move_contest(self, contest_id: str, is_over: Callable[[], bool]) -> int:
        """Move a contest's records; return the number of blocks. A failure does not hold up others."""
        moved, after = 0, None
        try:
            while rows := self.records.read_unmoved(contest_id, after, MAX_FILE_BYTES):
                moved += self._move_rows(contest_id, rows)
                after = BlockKey(*rows[-1][:3])
                if is_over():
                    return moved
            if self.records.mark_moved(contest_id, self.clock()):
                logger.info("records moved out of the database", contest=contest_id)
        except MaumauError as err:
            self._say_why_not(contest_id, str(err))
        except Exception as err:  # a bug of ours
            logger.exception("records are not moved", contest=contest_id)
            self._say_why_not(contest_id, type(err).__name__)
        return moved

    def _say_why_not(self, contest_id: str, why: str) -> None:
        self.metrics.record_files.labels("failed").inc()
        words = f"records of {contest_id} stay in the database: {why}"
        logger.error("alert", words=words, place=self.files.storage.url)

    def _move_rows(self, contest_id: str, rows: Sequence[PackedRow]) -> int:
        file = build_file(contest_id, rows)
        self.files.write_file(file)
        self.metrics.record_files.labels("written").inc()
        self.records.move_bundles(file.bundles, file.last_lines)
        self.records.move_records(file.records)
        self.metrics.moved_blocks.inc(len(file.records))
        return len(file.records)
