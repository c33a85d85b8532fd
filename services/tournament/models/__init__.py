"""The tables of the tournament service.

Times are whole milliseconds since 1970, UTC; 0 means not yet. Only sent events are
deleted, and seatings of blocks that are dropped or played again. Records of contests that are over may move
to files.

What is played hangs on a contest: its jobs, their blocks, results, faults and events. A tournament has a
contest of its own id, and each of its matches a job of its own id; what is played knows neither.
"""

from services.tournament.models.base import Table, new_row
from services.tournament.models.block import (
    AUDIT_OUTCOMES,
    BLOCK_STATES,
    Audit,
    Block,
    BlockResult,
    Failure,
    Fault,
    FirstRun,
    PlayedSeating,
)
from services.tournament.models.contest import (
    CONTEST_STATES,
    JOB_STATES,
    PURPOSES,
    Contest,
    Job,
    JobSeat,
    Outbox,
)
from services.tournament.models.service import Action, Beat, Change, Lack, Leader, Worker
from services.tournament.models.tournament import (
    MATCH_STATES,
    NOT_OVER,
    TOURNAMENT_STATES,
    Entry,
    Form,
    Match,
    Tournament,
)

__all__ = [
    "AUDIT_OUTCOMES", "BLOCK_STATES", "CONTEST_STATES", "JOB_STATES", "MATCH_STATES", "NOT_OVER", "PURPOSES",
    "TOURNAMENT_STATES", "Action", "Audit", "Beat", "Block", "BlockResult", "Change", "Contest", "Entry",
    "Failure", "Fault", "FirstRun", "Form", "Job", "JobSeat", "Lack", "Leader", "Match", "Outbox",
    "PlayedSeating", "Table", "Tournament", "Worker", "new_row",
]  # fmt: skip
