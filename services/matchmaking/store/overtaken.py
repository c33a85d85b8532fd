"""Bots that others have passed between two points of a ladder's history, for webhooks."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import func, select
from sqlmodel import Session, col

from services.matchmaking.models import MatchmakingNotice, Member, PointRating
from services.shared.store.connect import Database
from services.shared.store.notice_table import Heard, NoticeTable, new_notice

KIND = "ladder.overtaken"
LEAST_SETS = 100
"""Deal sets that both must have played: the first ratings of a bot pass many by chance."""
LETTERS = 26  # of an id


class LadderNotices(NoticeTable):
    """The notices of ladders."""

    def __init__(self, database: Database) -> None:
        super().__init__(database, MatchmakingNotice)

    def complete(self, rows: Sequence[MatchmakingNotice]) -> list[Heard]:
        """Return them for the registry."""
        return [Heard(row.id, row.kind, row.at, tuple(row.accounts.split()), "", row.data) for row in rows]


def tell_of_overtaking(session: Session, ladder: str, point: int, at: int, lines: list[PointRating]) -> None:
    """Store a notice for each bot that another one has passed since the point before.

    A pair of versions has one id for each direction, so it is told once in a month, however often near equals
    change places, and also if the point is made again.
    """
    before = _read_before(session, ladder, point)
    now = {one.player: one.elo for one in lines if one.sets >= LEAST_SETS}
    rated = now.keys() & before.keys()
    members = {one.number: one for one in _list_members(session, ladder) if one.number in rated}
    numbers = sorted(members)
    places, former = (_rank_players(elos, numbers) for elos in (now, before))
    for passed, passing in _find_passed(numbers, before, now):
        loser, winner = members[passed], members[passing]
        if loser.account_name != winner.account_name:
            told: dict[str, Any] = {"bot": loser.bot_name, "ladder": ladder, "by": winner.bot_name}
            told |= {"place": places[passed], "before": former[passed]}
            notice = new_notice(MatchmakingNotice, KIND, at, told, (loser.account_name,))
            notice.id = _make_id(ladder, passed, passing)
            _add_once(session, notice)


def _add_once(session: Session, notice: MatchmakingNotice) -> None:
    known = select(col(MatchmakingNotice.number)).where(col(MatchmakingNotice.id) == notice.id)
    if session.scalar(known) is None:
        session.add(notice)


def _find_passed(
    numbers: list[int], before: Mapping[int, int], now: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return the pairs of which the first was above the second, and is below it now."""
    old, new = (np.array([elos[number] for number in numbers]) for elos in (before, now))
    turned = (old[:, None] > old[None, :]) & (new[:, None] < new[None, :])
    return [(numbers[passed], numbers[passing]) for passed, passing in np.argwhere(turned)]


def _rank_players(elos: Mapping[int, int], numbers: list[int]) -> dict[int, int]:
    ranked = sorted(numbers, key=lambda number: -elos[number])
    return {number: place for place, number in enumerate(ranked, 1)}


def _list_members(session: Session, ladder: str) -> list[Member]:
    mine = select(Member).where(col(Member.ladder) == ladder, col(Member.here), col(Member.number) >= 0)
    return list(session.scalars(mine))


def _read_before(session: Session, ladder: str, point: int) -> dict[int, int]:
    """Return the ratings at the last point before this one, by player."""
    earlier = col(PointRating.ladder) == ladder, col(PointRating.point) < point
    last = session.scalar(select(func.max(col(PointRating.point))).where(*earlier))
    mine = select(col(PointRating.player), col(PointRating.elo))
    mine = mine.where(col(PointRating.ladder) == ladder, col(PointRating.point) == last)
    enough = mine.where(col(PointRating.sets) >= LEAST_SETS)
    return {} if last is None else {row.player: row.elo for row in session.execute(enough)}


def _make_id(ladder: str, passed: int, passing: int) -> str:
    text = f"{ladder} {passed} {passing}"
    return "msg_" + hashlib.sha256(text.encode()).hexdigest()[:LETTERS]
