"""Results of ladders with more than two seats. Times are ms since 1970, as given."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.statistics.pod import Pod, add_up_pod, join_pods
from services.matchmaking.models import RESULT_OF_PAIRING, Meeting, Pairing, Result


class PodSums(msgspec.Struct, array_like=True):
    """Sums of the booked blocks of one table: `Pod`'s, by the numbers of the players; faults by position."""

    totals: tuple[int, ...]
    products: tuple[int, ...]
    faults: tuple[int, ...]


_DECODER = msgspec.json.Decoder(PodSums)


def players_of(pairing: Pairing | Meeting) -> tuple[int, ...]:
    """Return the numbers of all players at the table, by position."""
    return pairing.first, pairing.second, *read_others(pairing.others)


def read_others(text: str) -> tuple[int, ...]:
    """Return the numbers in `,3,5,`."""
    return tuple(int(number) for number in text.split(",") if number)


def write_others(numbers: Sequence[int]) -> str:
    """Return numbers as text with a comma on both sides of each, so that one can be searched for."""
    return f",{','.join(map(str, numbers))}," if numbers else ""


def encode_table(pairing: Pairing, scores: Sequence[Sequence[int]], faults: Sequence[int]) -> str:
    """Return the sums of a block as stored."""
    pod = add_up_pod(players_of(pairing), scores)
    return msgspec.json.encode(PodSums(pod.totals, pod.products, tuple(faults))).decode()


def decode_table(text: str) -> PodSums:
    """Return the sums that `encode_table` or `add_tables` wrote."""
    return _DECODER.decode(text)


def add_tables(one: str, other: str) -> str:
    """Return the sums of both; "" stands for no result."""
    if not (one and other):
        return one or other
    first, second = decode_table(one), decode_table(other)
    added = PodSums(
        _add_vectors(first.totals, second.totals),
        _add_vectors(first.products, second.products),
        _add_vectors(first.faults, second.faults),
    )
    return msgspec.json.encode(added).decode()


def _add_vectors(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def read_pods(session: Session, ladder: str, before: int) -> list[Pod]:
    """Return the results booked before a time, added up by table."""
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
