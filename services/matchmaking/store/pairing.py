"""Versions and results of pairings."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, func, or_, select, update
from sqlmodel import Session, col

from maumau.contest.ladder.pairing import Pair
from services.matchmaking.models import RESULT_OF_PAIRING, Epoch, Meeting, Member, Pairing, Player, Result
from services.matchmaking.store.live_tables.pod import players_of, write_others
from services.matchmaking.store.meeting import UNFINISHED
from services.matchmaking.store.pool import list_playing


class PairingSeats(NamedTuple):
    """A pairing with its epoch's contest and its players by position. booked, total: sets and sum booked."""

    pairing: Pairing
    contest_id: str
    players: list[Player]
    booked: int
    total: int


class UnbookedPairing(NamedTuple):
    """A pairing without a result. contest_id: its epoch's, "" before that is open.

    gone: one of its bots has left, plays another version, or may not be paired.
    """

    epoch_id: str
    contest_id: str
    label: int
    state: str
    gone: bool


def list_unbooked(session: Session, ladder: str) -> list[UnbookedPairing]:
    """Return the pairings of a ladder without a result that are not over, in their order."""
    members = session.scalars(select(Member).where(col(Member.ladder) == ladder)).all()
    playing = {one.number for one in list_playing(members)}
    booked = select(col(Result.booking)).where(RESULT_OF_PAIRING).exists()
    lines = select(Pairing, col(Epoch.contest_id)).join(Epoch, col(Epoch.id) == col(Pairing.epoch_id))
    lines = lines.where(col(Pairing.ladder) == ladder, UNFINISHED, ~booked)
    return [
        UnbookedPairing(
            one.epoch_id, contest_id, one.label, one.state, not playing.issuperset(players_of(one))
        )
        for one, contest_id in session.execute(lines.order_by(col(Pairing.epoch_id), col(Pairing.label)))
    ]


def end_unplayed(session: Session, epoch_id: str, labels: Sequence[int], words: str) -> None:
    """End pairings that have not begun, with the reason; whoever has no other one is a newcomer again."""
    booked = select(col(Result.booking)).where(RESULT_OF_PAIRING).exists()
    mine = select(Pairing).where(col(Pairing.epoch_id) == epoch_id, col(Pairing.label).in_(labels), ~booked)
    # the core's news of an end may have come first, and has no words
    open_or_unsaid = or_(col(Pairing.state) != "over", col(Pairing.words) == "")
    ended = session.scalars(mine.where(open_or_unsaid)).all()
    for one in ended:
        one.state, one.words = "over", words
    session.flush()
    for ladder, number in sorted({(one.ladder, number) for one in ended for number in players_of(one)}):
        met = select(col(Meeting.ladder)).where(col(Meeting.ladder) == ladder, _seats(Meeting, number))
        waits = select(col(Pairing.label)).where(col(Pairing.ladder) == ladder, UNFINISHED)
        waits = waits.where(_seats(Pairing, number))
        if not any(session.execute(found.limit(1)).first() for found in (met, waits)):
            joined = select(col(Player.joined_at))
            joined = joined.where(col(Player.ladder) == ladder, col(Player.number) == number)
            member = update(Member).where(col(Member.ladder) == ladder, col(Member.number) == number)
            session.execute(member.values(paired_at=joined.scalar_subquery()))


def _seats(table: type[Meeting | Pairing], number: int) -> ColumnElement[bool]:
    """Return True if the player of this number sits at the table."""
    others = col(table.others).contains(write_others([number]))
    return or_(col(table.first) == number, col(table.second) == number, others)


def sum_booked(session: Session, epoch_id: str, labels: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the sets and the sum that were booked, by label."""
    sums = func.sum(col(Result.sets)), func.sum(col(Result.total))
    lines = select(col(Result.label), *sums).where(
        col(Result.epoch_id) == epoch_id, col(Result.label).in_(labels)
    )
    rows = session.execute(lines.group_by(col(Result.label)))
    return {label: (int(sets), int(total)) for label, sets, total in rows}


def find_versions(session: Session, pairings: Sequence[Pairing]) -> dict[int, str]:
    """Return the versions of all who play, by the number of the player."""
    numbers = {number for one in pairings for number in players_of(one)}
    ladders = {one.ladder for one in pairings}
    mine = select(col(Player.number), col(Player.version_id))
    mine = mine.where(col(Player.ladder).in_(ladders), col(Player.number).in_(numbers))
    return {row[0]: row[1] for row in session.execute(mine)}


def read_seats(session: Session, pairing: Pairing, booked: int, total: int) -> PairingSeats:
    """Return a pairing with its contest and its players."""
    seats = players_of(pairing)
    mine = select(Player).where(col(Player.ladder) == pairing.ladder, col(Player.number).in_(seats))
    players = {one.number: one for one in session.scalars(mine)}
    contest_id = session.get_one(Epoch, pairing.epoch_id).contest_id
    return PairingSeats(pairing, contest_id, [players[number] for number in seats], booked, total)


def new_pairing(epoch: Epoch, label: int, pair: Pair, sets: int, at: int) -> Pairing:
    """Return the row of a pairing of `sets` deal sets made at this time."""
    return Pairing(
        epoch_id=epoch.id,
        label=label,
        ladder=epoch.ladder,
        first=pair.first,
        second=pair.second,
        others=write_others(pair.others),
        kind=pair.kind,
        numbers=msgspec.json.encode(pair.numbers).decode(),
        sets=sets,
        made_at=at,
    )


def list_pairings(
    session: Session,
    ladder: str,
    numbers: Sequence[int] | None,
    before: tuple[int, int] | None,
    most: int,
    *,
    over: bool,
) -> list[tuple[Pairing, int, int, int]]:
    """Return pairings as `Ladders.list_pairings` does."""
    wanted = [col(Pairing.state) == "over"] if over else []
    if numbers is not None:
        wanted.append(_has_players(numbers))
    epochs = select(Epoch).where(col(Epoch.ladder) == ladder).order_by(col(Epoch.number).desc())
    if before:
        epochs = epochs.where(col(Epoch.number) <= before[0])
    found: list[tuple[Pairing, int, int, int]] = []
    for epoch in session.scalars(epochs):
        mine = select(Pairing).where(col(Pairing.epoch_id) == epoch.id, *wanted)
        if before and epoch.number == before[0]:
            mine = mine.where(col(Pairing.label) < before[1])
        some = session.scalars(mine.order_by(col(Pairing.label).desc()).limit(most - len(found))).all()
        booked = sum_booked(session, epoch.id, [one.label for one in some])
        found += [(one, epoch.number, *booked.get(one.label, (0, 0))) for one in some]
        if len(found) == most:
            break
    return found


def _has_players(numbers: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition that one of these players is in a pairing."""
    pair = col(Pairing.first).in_(numbers), col(Pairing.second).in_(numbers)
    return or_(*pair, *(col(Pairing.others).contains(write_others([number])) for number in numbers))
