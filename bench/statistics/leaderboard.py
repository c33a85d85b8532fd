"""The leaderboard of a thousand rows from the matchmaking service, on a database with results."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from prometheus_client import CollectorRegistry

from services.matchmaking.app import MIGRATIONS
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.models import Epoch, Ladder, MatchmakingTable, Member, Pairing, Player, Result
from services.matchmaking.servicer import MatchmakingServicer
from services.matchmaking.store import Ladders
from services.shared.store import migrate
from services.shared.store.connect import Database

NAME, SETS = "bench", 20
REQUEST = SimpleNamespace(ladder=NAME)

METHODS = (
    "GetLeaderboard", "_leaderboard", "_refit", "_refit_if_changed", "_find_leaderboard", "_make_leaderboard",
    "_ladder",
)  # fmt: skip
"""The duration of an answer in the servicer."""


def open_ladder(folder: str, size: int, pairs: int) -> Any:
    """Return a servicer whose ladder has this many players and results of this many pairs, on SQLite."""
    database = Database(f"sqlite:///{Path(folder) / 'matchmaking.db'}", "matchmaking")
    migrate.upgrade(database, MIGRATIONS, MatchmakingTable.metadata)
    ladders = Ladders(database, {"win": 4})
    ladders.create_ladder(
        Ladder(name=NAME, rules="mau_mau", options="{}", rules_hash="h", score="win", deal_ms=100, memory=512)
    )
    rng = np.random.default_rng(1)
    with database.write() as session:
        for number in range(size):
            who = {"ladder": NAME, "number": number, "bot_name": f"bot-{number}", "account_name": "ada"}
            session.add(Player(**who, version_id=f"version_{number:026d}", parent=-1, joined_at=1))
            session.add(Member(**who, paired_at=1))
        session.add(Epoch(id="epoch", ladder=NAME, number=1, rules_hash="h", state="running", cursor=pairs))
        session.flush()
        for label in range(1, pairs + 1):
            first, second = map(int, rng.choice(size, 2, replace=False))
            pair = {"first": first, "second": second, "kind": "new", "numbers": "{}"}
            session.add(Pairing(epoch_id="epoch", label=label, ladder=NAME, sets=SETS, state="over", **pair))
        session.flush()
        for label, total in enumerate(rng.integers(30, 50, pairs), start=1):
            session.add(
                Result(
                    epoch_id="epoch", booking=label, label=label, sets=SETS, total=int(total),
                    squares=int(total) ** 2 // SETS + SETS, first_faults=0, second_faults=0, at=1,
                )
            )  # fmt: skip
    kept: Any = {"leaderboards": {}, "queued_refits": {}, "refit_locks": defaultdict(asyncio.Lock)}
    parts = SimpleNamespace(ladders=ladders, metrics=MatchmakingMetrics(CollectorRegistry()), **kept)
    for name in METHODS:
        setattr(parts, name, getattr(MatchmakingServicer, name).__get__(parts))
    return parts


def serve_leaderboard(servicer: Any) -> bytes:
    """Return the response to GetLeaderboard."""
    answer: bytes = asyncio.run(servicer.GetLeaderboard(REQUEST, None)).SerializeToString()
    return answer
