"""A ladder's table of a thousand rows as the matchmaking service serves it, on a database that has played."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from prometheus_client import CollectorRegistry

from services.matchmaking.app import MIGRATIONS
from services.matchmaking.metrics import Metrics
from services.matchmaking.models import Epoch, Ladder, Member, Pairing, Player, Result, Table
from services.matchmaking.servicer import Servicer
from services.matchmaking.store import Ladders
from services.shared import migrate
from services.shared.connect import Database

NAME, SETS = "bench", 20
REQUEST = SimpleNamespace(ladder=NAME)

METHODS = (
    "GetLeaderboard", "_leaderboard", "_refit", "_refit_if_changed", "_find_leaderboard", "_make_leaderboard",
    "_ladder",
)  # fmt: skip
"""Of the servicer, that an answer takes."""


def open_ladder(folder: str, size: int, pairs: int) -> Any:
    """A servicer whose ladder has this many players and results of this many pairs, on SQLite."""
    database = Database(f"sqlite:///{Path(folder) / 'matchmaking.db'}", "matchmaking")
    migrate.upgrade(database, MIGRATIONS, Table.metadata)
    ladders = Ladders(database, {"win": 4})
    ladders.create(
        Ladder(name=NAME, rules="mau_mau", options="{}", rules_hash="h", score="win", deal_ms=100, memory=512)
    )
    rng = np.random.default_rng(1)
    with database.write() as session:
        for number in range(size):
            who = {"ladder": NAME, "number": number, "bot_name": f"bot-{number}", "account_name": "ada"}
            session.add(Player(**who, version_id=f"version_{number:026d}", parent=-1, joined_at=1))
            session.add(Member(**who, joined_at=1, paired_at=1))
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
    parts = SimpleNamespace(ladders=ladders, metrics=Metrics(CollectorRegistry()), **kept)
    for name in METHODS:
        setattr(parts, name, getattr(Servicer, name).__get__(parts))
    return parts


def serve(servicer: Any) -> bytes:
    """What a caller of GetLeaderboard is sent."""
    answer: bytes = asyncio.run(servicer.GetLeaderboard(REQUEST, None)).SerializeToString()
    return answer
