"""The tables of the tournament service.

Times are whole milliseconds since 1970, UTC; 0 means not yet. Rows are deleted only if they are sent
events, seatings of blocks that are dropped or played again, or past their retention (actions, changes).
Records of contests that are over may move to files.

A contest owns what is played: its jobs, their blocks, results, faults and events. A tournament has a
contest of its own id, and each of its matches a job of its own id; contest and job know neither.
"""

from services.tournament.models.base import TournamentTable, new_row
from services.tournament.models.block import (
    AUDIT_OUTCOMES,
    BLOCK_STATES,
    ISOLATION_OUTCOMES,
    Audit,
    Block,
    BlockFault,
    BlockResult,
    Failure,
    FirstRun,
    Isolation,
    PlayedSeating,
)
from services.tournament.models.contest import (
    CONTEST_STATES,
    JOB_STATES,
    PURPOSES,
    ChainLink,
    Contest,
    Job,
    JobSeat,
    Outbox,
)
from services.tournament.models.service import (
    Lack,
    TournamentAction,
    TournamentBeat,
    TournamentChange,
    TournamentLeader,
    TournamentNotice,
    Worker,
)
from services.tournament.models.tournament import (
    MATCH_STATES,
    NOT_OVER,
    SEALED,
    TOURNAMENT_STATES,
    Entry,
    Form,
    Match,
    Protest,
    SpecChange,
    Tournament,
)

__all__ = [
    "AUDIT_OUTCOMES",
    "BLOCK_STATES",
    "CONTEST_STATES",
    "ISOLATION_OUTCOMES",
    "JOB_STATES",
    "MATCH_STATES",
    "NOT_OVER",
    "PURPOSES",
    "SEALED",
    "TOURNAMENT_STATES",
    "Audit",
    "Block",
    "BlockFault",
    "BlockResult",
    "ChainLink",
    "Contest",
    "Entry",
    "Failure",
    "FirstRun",
    "Form",
    "Isolation",
    "Job",
    "JobSeat",
    "Lack",
    "Match",
    "Outbox",
    "PlayedSeating",
    "Protest",
    "SpecChange",
    "Tournament",
    "TournamentAction",
    "TournamentBeat",
    "TournamentChange",
    "TournamentLeader",
    "TournamentNotice",
    "TournamentTable",
    "Worker",
    "new_row",
]
