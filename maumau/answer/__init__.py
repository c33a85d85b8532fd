"""What an arena answers, as plain structs: one for each message of the contract that a client shows.

Each struct has the name and exactly the fields of its message in `proto/maumau/v1`, where they are explained.
Enums are their last words in lower case ("running"), times are aware datetimes, or None where unset.
"""

from __future__ import annotations

from maumau.answer.deal import BotLimits, DealResult, Fault, LiveDeal, Note, RuleSet, SetResult
from maumau.answer.engine import TablePlayer
from maumau.answer.event import (
    BlockDone,
    BlockProgress,
    BlockPutOff,
    BotEntered,
    BotSuspended,
    BotWithdrawn,
    EntriesClosed,
    FaultCount,
    MatchBegun,
    MatchPaused,
    MatchResult,
    MatchResumed,
    MatchTakenBack,
    NonceOpened,
    SpecChanged,
    StartPutOff,
    StateChange,
    TournamentEvent,
)
from maumau.answer.match import (
    BankShare,
    Block,
    FaultSummary,
    GetFaultResponse,
    GetMatchResponse,
    GetSetResponse,
    Match,
    Round,
    SetSummary,
)
from maumau.answer.matchmaking import (
    Epoch,
    ExplainPairingResponse,
    GetLeaderboardResponse,
    GetLiveRatingsResponse,
    HeadToHead,
    Ladder,
    LeaderboardLine,
    LiveRating,
    LiveResult,
    Pairing,
    PracticeMatch,
    RatingPoint,
    VersionHistory,
)
from maumau.answer.registry import (
    Action,
    Bot,
    CreateAccountResponse,
    CreatePageCodeResponse,
    CreateTokenResponse,
    GetServerInfoResponse,
    RedeemPageCodeResponse,
    RotateTokenResponse,
    ServerLimits,
    SubmitVersionResponse,
    Token,
    VariantInfo,
    Version,
    WhoAmIResponse,
)
from maumau.answer.tournament import (
    Carryover,
    Entry,
    GetStandingsResponse,
    Preview,
    RetakeMatchResponse,
    SpecKeyChange,
    Standing,
    Tournament,
    WorkLeft,
)
from maumau.answer.work import GetQueueResponse, QueuedMatch, QueueEntry, Worker

__all__ = [
    "Action", "BankShare", "Block", "BlockDone", "BlockProgress", "BlockPutOff", "Bot", "BotEntered",
    "BotLimits", "BotSuspended", "BotWithdrawn", "Carryover", "CreateAccountResponse",
    "CreatePageCodeResponse", "CreateTokenResponse", "DealResult", "EntriesClosed", "Entry", "Epoch",
    "ExplainPairingResponse", "Fault", "FaultCount", "FaultSummary", "GetFaultResponse",
    "GetLeaderboardResponse", "GetLiveRatingsResponse", "GetMatchResponse", "GetQueueResponse",
    "GetServerInfoResponse", "GetSetResponse", "GetStandingsResponse", "HeadToHead", "Ladder",
    "LeaderboardLine", "LiveDeal", "LiveRating", "LiveResult", "Match", "MatchBegun", "MatchPaused",
    "MatchResult", "MatchResumed", "MatchTakenBack", "NonceOpened", "Note", "Pairing", "PracticeMatch",
    "Preview", "QueueEntry", "QueuedMatch", "RatingPoint", "RedeemPageCodeResponse",
    "RetakeMatchResponse", "RotateTokenResponse", "Round", "RuleSet", "ServerLimits", "SetResult",
    "SetSummary", "SpecChanged", "SpecKeyChange", "Standing", "StartPutOff", "StateChange",
    "SubmitVersionResponse", "TablePlayer", "Token", "Tournament", "TournamentEvent", "VariantInfo",
    "Version", "VersionHistory", "WhoAmIResponse", "WorkLeft", "Worker",
]  # fmt: skip
