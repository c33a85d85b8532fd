"""Results of ladders with more than two seats. Times are ms since 1970, as given."""

from collections.abc import Iterator, Sequence

import msgspec
from sqlalchemy import func, select
from sqlmodel import Session, col

from maumau.contest.pod import Pod, add_up_pod, join_pods
from services.matchmaking.models import Pairing, Result


class Table(msgspec.Struct, array_like=True):
    """A booked block: `Pod`'s sums, by the numbers of the players; faults by position in the pairing."""

    totals: tuple[int, ...]
    products: tuple[int, ...]
    faults: tuple[int, ...]


def players_of(pairing: Pairing) -> tuple[int, ...]:
    """The numbers of all at the table, by position."""
    return pairing.first, pairing.second, *read_others(pairing.others)


def read_others(text: str) -> tuple[int, ...]:
    """The numbers of `,3,5,`."""
    return tuple(int(number) for number in text.split(",") if number)


def write_others(numbers: Sequence[int]) -> str:
    """With a comma on both sides of each, so that one can be searched for."""
    return f",{','.join(map(str, numbers))}," if numbers else ""


def encode_table(pairing: Pairing, scores: Sequence[Sequence[int]], faults: Sequence[int]) -> str:
    """As it is kept."""
    pod = add_up_pod(players_of(pairing), scores)
    return msgspec.json.encode(Table(pod.totals, pod.products, tuple(faults))).decode()


def read_pods(session: Session, ladder: str, before: int = 0) -> list[Pod]:
    """All results, or those booked before a time, added up by table."""
    found = _rows(session, ladder, before)
    return join_pods(
        Pod(tuple(sorted(players)), sets, table.totals, table.products) for players, sets, table in found
    )


def count_faults(session: Session, ladder: str) -> dict[int, int]:
    """Deals lost by each player's own doing."""
    found: dict[int, int] = {}
    for players, _, table in _rows(session, ladder, 0):
        for player, faults in zip(players, table.faults, strict=True):
            found[player] = found.get(player, 0) + faults
    return found


def _rows(session: Session, ladder: str, before: int) -> Iterator[tuple[tuple[int, ...], int, Table]]:
    """Players by position, sets and sums of each result."""
    columns = col(Pairing.first), col(Pairing.second), col(Pairing.others), col(Result.sets), col(Result.sums)
    same = (col(Result.epoch_id) == col(Pairing.epoch_id)) & (col(Result.label) == col(Pairing.label))
    rows = select(*columns).join(Result, same).where(col(Pairing.ladder) == ladder)
    if before:
        rows = rows.where(col(Result.at) < before)
    decoder = msgspec.json.Decoder(Table)
    for first, second, others, sets, sums in session.execute(rows):
        yield (first, second, *read_others(others)), sets, decoder.decode(sums)


def tables_under_way(session: Session, ladder: str, states: Sequence[str]) -> dict[tuple[int, ...], int]:
    """Sets that are asked for and not booked, by the players of the table."""
    booked = select(func.coalesce(func.sum(col(Result.sets)), 0)).where(
        col(Result.epoch_id) == col(Pairing.epoch_id), col(Result.label) == col(Pairing.label)
    )
    lines = select(Pairing, booked.scalar_subquery()).where(
        col(Pairing.ladder) == ladder, col(Pairing.state).in_(states)
    )
    found: dict[tuple[int, ...], int] = {}
    for pairing, sets in session.execute(lines):
        players = tuple(sorted(players_of(pairing)))
        found[players] = found.get(players, 0) + max(pairing.sets - int(sets), 0)
    return found
