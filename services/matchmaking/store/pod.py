"""Results of ladders with more than two seats. Times are ms since 1970, as given."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.pod import Pod, add_up_pod, join_pods
from services.matchmaking.models import RESULT_OF_PAIRING, Meeting, Pairing, Result


class Table(msgspec.Struct, array_like=True):
    """Booked blocks of the same table: `Pod`'s sums, by the numbers of the players; faults by position."""

    totals: tuple[int, ...]
    products: tuple[int, ...]
    faults: tuple[int, ...]


_DECODER = msgspec.json.Decoder(Table)


def players_of(pairing: Pairing | Meeting) -> tuple[int, ...]:
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


def decode_table(text: str) -> Table:
    """What `encode_table` or `add_tables` wrote."""
    return _DECODER.decode(text)


def add_tables(one: str, other: str) -> str:
    """The sums of both; "" counts as no result."""
    if not (one and other):
        return one or other
    first, second = decode_table(one), decode_table(other)
    added = Table(
        _add(first.totals, second.totals), _add(first.products, second.products),
        _add(first.faults, second.faults),
    )  # fmt: skip
    return msgspec.json.encode(added).decode()


def _add(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def read_pods(session: Session, ladder: str, before: int) -> list[Pod]:
    """The results booked before a time, added up by table."""
    columns = col(Pairing.first), col(Pairing.second), col(Pairing.others), col(Result.sets), col(Result.sums)
    rows = (
        select(*columns)
        .join(Result, RESULT_OF_PAIRING)
        .where(col(Pairing.ladder) == ladder, col(Result.at) < before)
    )
    found = (
        ((first, second, *read_others(others)), sets, decode_table(sums))
        for first, second, others, sets, sums in session.execute(rows)
    )
    return join_pods(
        Pod(tuple(sorted(players)), sets, table.totals, table.products) for players, sets, table in found
    )
