"""Totals of a ladder's results by who played them: whole numbers, the first player's score."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, TextClause, func, select, text
from sqlmodel import Session, col

from maumau.contest.played import Played
from maumau.contest.pod import Pod, join_pods
from maumau.contest.rating import Duel
from maumau.contest.score import SEATINGS
from maumau.contest.sequential import Sums
from services.matchmaking.models import RESULT_OF_PAIRING, Epoch, Ladder, Meeting, Pairing, Result
from services.matchmaking.store.pod import add_tables, decode_table, players_of

UNCOUNTED, UNFINISHED = text("NOT result.counted"), text("pairing.state <> 'over'")  # as indexes have it

RESULTS_AT_ONCE = 500  # that are counted in one transaction


class Outlook(NamedTuple):
    """Numbers that decide whether a ladder needs new pairings.

    ready: members that may be paired. open: pairings that are not over. sets: played so far.
    """

    ready: int
    open: int
    sets: int


def count_results(session: Session, ladder: str) -> None:
    """Adds up to 500 uncounted results to their meetings. The caller holds the ladder's lock."""
    rows = select(Pairing, Result).join(Result, RESULT_OF_PAIRING).where(*_uncounted(ladder))
    for pairing, result in session.execute(rows.limit(RESULTS_AT_ONCE)).all():
        meeting = _find_or_add_meeting(session, pairing)
        for name in ("sets", "total", "squares", "first_faults", "second_faults"):
            setattr(meeting, name, getattr(meeting, name) + getattr(result, name))
        meeting.sums = add_tables(meeting.sums, result.sums)
        result.counted = True


def has_uncounted(session: Session, ladder: str) -> bool:
    return session.scalar(select(col(Result.booking)).where(*_uncounted(ladder)).limit(1)) is not None


def _uncounted(ladder: str) -> tuple[ColumnElement[bool], TextClause]:
    """Of results, those of a ladder that no meeting has."""
    epochs = select(col(Epoch.id)).where(col(Epoch.ladder) == ladder)
    return col(Result.epoch_id).in_(epochs), UNCOUNTED


def _find_or_add_meeting(session: Session, pairing: Pairing) -> Meeting:
    """The meeting of a pairing's players, added if there is none."""
    key = pairing.ladder, pairing.first, pairing.second, pairing.others
    if (known := session.get(Meeting, key)) is not None:
        return known
    ladder, first, second, others = key
    meeting = Meeting(ladder=ladder, first=first, second=second, others=others)
    session.add(meeting)
    return meeting


def list_meetings(session: Session, ladder: str) -> list[Meeting]:
    """In the order of the players' numbers."""
    mine = select(Meeting).where(col(Meeting.ladder) == ladder)
    order = col(Meeting.first), col(Meeting.second), col(Meeting.others)
    return list(session.scalars(mine.order_by(*order)))


def add_up_meetings(ladder: Ladder, meetings: Sequence[Meeting], unit: int) -> Played:
    """As rating needs them. unit: of a set's score at two seats; unused at more."""
    if ladder.seats == SEATINGS:
        return Played([
            Duel(one.first, one.second, Sums(unit, one.sets, one.total, one.squares)) for one in meetings
        ])  # fmt: skip
    tables = ((one, decode_table(one.sums)) for one in meetings)
    return Played(pods=join_pods(
        Pod(tuple(sorted(players_of(one))), one.sets, table.totals, table.products) for one, table in tables
    ))  # fmt: skip


def count_faults(ladder: Ladder, meetings: Sequence[Meeting]) -> dict[int, int]:
    """Deals lost by each player's own doing."""
    found: dict[int, int] = {}
    for one in meetings:
        two = one.first_faults, one.second_faults
        faults = two if ladder.seats == SEATINGS else decode_table(one.sums).faults
        for player, count in zip(players_of(one), faults, strict=True):
            found[player] = found.get(player, 0) + count
    return found


def count_played_sets(session: Session, ladder: str) -> int:
    """Deal sets played on a ladder."""
    return int(session.scalar(select(func.sum(col(Meeting.sets))).where(col(Meeting.ladder) == ladder)) or 0)


def count_unfinished(session: Session, ladder: str) -> int:
    """Pairings that are not over."""
    mine = col(Pairing.ladder) == ladder, UNFINISHED
    return session.scalar(select(func.count()).select_from(Pairing).where(*mine)) or 0


def count_under_way(session: Session, ladder: str) -> dict[tuple[int, ...], int]:
    """Sets that are asked for and not booked, by the players of the table."""
    booked = select(func.coalesce(func.sum(col(Result.sets)), 0)).where(RESULT_OF_PAIRING)
    lines = select(Pairing, booked.scalar_subquery()).where(col(Pairing.ladder) == ladder, UNFINISHED)
    found: dict[tuple[int, ...], int] = {}
    for pairing, sets in session.execute(lines):
        players = tuple(sorted(players_of(pairing)))
        found[players] = found.get(players, 0) + max(pairing.sets - int(sets), 0)
    return found
