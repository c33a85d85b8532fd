"""Totals of a ladder's results by players: integers, from the first player's scores."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, TextClause, and_, func, select, text
from sqlmodel import Session, col

from maumau.contest.ladder.played import Played
from maumau.contest.score import SEATINGS
from maumau.contest.statistics.pod import Pod, join_pods
from maumau.contest.statistics.rating import Duel
from maumau.contest.statistics.sequential import Sums
from services.matchmaking.models import (
    RESULT_OF_PAIRING,
    Epoch,
    Ladder,
    Meeting,
    Member,
    Pairing,
    Player,
    Result,
)
from services.matchmaking.store.live_tables.pod import add_tables, decode_table, players_of

UNCOUNTED, UNFINISHED = text("NOT result.counted"), text("pairing.state <> 'over'")  # literals as in indexes

RESULTS_AT_ONCE = 500  # results counted in one transaction


class Outlook(NamedTuple):
    """The numbers that decide whether a ladder needs new pairings.

    ready: members that may be paired. open: pairings that are not over. sets: played so far. newcomers: the
    players that have not been paired since they came, rising.
    """

    ready: int
    open: int
    sets: int
    newcomers: tuple[int, ...]


def count_results(session: Session, ladder: str) -> None:
    """Add up to 500 uncounted results to their meetings. The caller holds the ladder's lock."""
    rows = select(Pairing, Result).join(Result, RESULT_OF_PAIRING).where(*_select_uncounted(ladder))
    for pairing, result in session.execute(rows.limit(RESULTS_AT_ONCE)).all():
        meeting = _find_or_add_meeting(session, pairing)
        for name in ("sets", "total", "squares", "first_faults", "second_faults"):
            setattr(meeting, name, getattr(meeting, name) + getattr(result, name))
        meeting.decisions += result.decisions
        meeting.measured_sets += result.sets if result.decisions else 0
        meeting.sums = add_tables(meeting.sums, result.sums)
        result.counted = True


def has_uncounted(session: Session, ladder: str) -> bool:
    return session.scalar(select(col(Result.booking)).where(*_select_uncounted(ladder)).limit(1)) is not None


def _select_uncounted(ladder: str) -> tuple[ColumnElement[bool], TextClause]:
    """Return the conditions on results of a ladder that are in no meeting."""
    epochs = select(col(Epoch.id)).where(col(Epoch.ladder) == ladder)
    return col(Result.epoch_id).in_(epochs), UNCOUNTED


def _find_or_add_meeting(session: Session, pairing: Pairing) -> Meeting:
    """Return the meeting of a pairing's players, added if there is none."""
    key = pairing.ladder, pairing.first, pairing.second, pairing.others
    if (known := session.get(Meeting, key)) is not None:
        return known
    ladder, first, second, others = key
    meeting = Meeting(ladder=ladder, first=first, second=second, others=others)
    session.add(meeting)
    return meeting


def list_meetings(session: Session, ladder: str) -> list[Meeting]:
    """Return the meetings of a ladder, in the order of the players' numbers."""
    mine = select(Meeting).where(col(Meeting.ladder) == ladder)
    order = col(Meeting.first), col(Meeting.second), col(Meeting.others)
    return list(session.scalars(mine.order_by(*order)))


def add_up_meetings(ladder: Ladder, meetings: Sequence[Meeting], unit: int) -> Played:
    """Return the results in the form for rating. unit: of a set's score at two seats; unused at more."""
    if ladder.seats == SEATINGS:
        return Played(
            [Duel(one.first, one.second, Sums(unit, one.sets, one.total, one.squares)) for one in meetings]
        )
    tables = ((one, decode_table(one.sums)) for one in meetings)
    return Played(
        pods=join_pods(
            Pod(tuple(sorted(players_of(one))), one.sets, table.totals, table.products)
            for one, table in tables
        )
    )


def measure_lengths(meetings: Sequence[Meeting]) -> dict[tuple[int, ...], float]:
    """Return the mean number of decisions of a set, by the players of the table, where it is known."""
    decisions, sets = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for one in meetings:
        players = tuple(sorted(players_of(one)))
        decisions[players] += one.decisions
        sets[players] += one.measured_sets
    return {players: decisions[players] / count for players, count in sets.items() if count}


def count_faults(ladder: Ladder, meetings: Sequence[Meeting]) -> dict[int, int]:
    """Return the number of deals that each player lost through its own fault."""
    found: dict[int, int] = {}
    for one in meetings:
        two = one.first_faults, one.second_faults
        faults = two if ladder.seats == SEATINGS else decode_table(one.sums).faults
        for player, count in zip(players_of(one), faults, strict=True):
            found[player] = found.get(player, 0) + count
    return found


def count_played_sets(session: Session, ladder: str) -> int:
    """Return the number of deal sets played on a ladder."""
    return int(session.scalar(select(func.sum(col(Meeting.sets))).where(col(Meeting.ladder) == ladder)) or 0)


def list_newcomers(session: Session, ladder: str) -> tuple[int, ...]:
    """Return the players that may be paired and have never been; one that has returned does not count."""
    mine = select(col(Player.number)).join(
        Member, and_(col(Member.ladder) == col(Player.ladder), col(Member.number) == col(Player.number))
    )
    mine = mine.where(col(Member.ladder) == ladder, col(Member.here), col(Member.words) == "")
    mine = mine.where(col(Player.joined_at) >= col(Member.paired_at))
    return tuple(session.scalars(mine.order_by(col(Player.number))))


def count_unfinished(session: Session, ladder: str) -> int:
    """Return the number of pairings that are not over."""
    mine = col(Pairing.ladder) == ladder, UNFINISHED
    return session.scalar(select(func.count()).select_from(Pairing).where(*mine)) or 0


def count_under_way(session: Session, ladder: str) -> dict[tuple[int, ...], int]:
    """Return the sets requested and not yet booked, by the players of the table."""
    booked = select(func.coalesce(func.sum(col(Result.sets)), 0)).where(RESULT_OF_PAIRING)
    lines = select(Pairing, booked.scalar_subquery()).where(col(Pairing.ladder) == ladder, UNFINISHED)
    found: dict[tuple[int, ...], int] = {}
    for pairing, sets in session.execute(lines):
        players = tuple(sorted(players_of(pairing)))
        found[players] = found.get(players, 0) + max(pairing.sets - int(sets), 0)
    return found
