"""Conversion of blocks, sets, deals and faults to messages and back: shared by both sides of the wire."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from maumau.errors import BadOrder, BadReport
from maumau.game.resume import GAME
from maumau.protocol.fault import Fault
from maumau.protocol.live import LiveDeal
from maumau.protocol.outcome import Note
from maumau.referee.block import BlockOrder, BlockOutcome, DealOutcome, SetOutcome
from maumau.v1 import game_pb2, tournament_pb2

T = TypeVar("T", bound=msgspec.Struct)
MESSAGE = 1 << 20  # bytes of a message of sets, unless one set alone is larger
RECORD = 256 << 10  # characters of a deal's record at most
GAME_RECORD = 1 << 20  # of a game's


def block_order(message: tournament_pb2.BlockOrder) -> BlockOrder:
    """Return the order of a block for a worker; raise BadOrder if it cannot be read."""
    try:
        options = json.loads(message.rules.options_json or "{}")
    except ValueError as error:
        raise BadOrder(f"The order's options are not JSON: {error}.") from None
    return BlockOrder(
        rules=message.rules.name,
        rules_hash=message.rules.hash,
        options=options,
        variant_toml=message.rules.variant_toml,
        seats=message.seats,
        first_set=message.first_set,
        seeds=list(message.seeds),
        deal_ms=message.limits.deal_ms,
        memory_mib=message.limits.memory_mib,
        seatings=list(message.seatings),
        game=message.game,
    )


def submission(
    order: tournament_pb2.BlockOrder, outcome: BlockOutcome, measured: tournament_pb2.Measured
) -> Iterator[tournament_pb2.SubmitBlockRequest]:
    """Yield a finished block as a stream: its header, then the sets in messages of about `MESSAGE` bytes."""
    header = tournament_pb2.SubmitBlockHeader(
        block_id=order.block_id, fence=order.fence, sets=len(outcome.sets), measured=measured
    )
    yield tournament_pb2.SubmitBlockRequest(header=header)
    part = tournament_pb2.SubmitBlockSets()
    size = 0
    for one in outcome.sets:
        message = set_message(one)
        if part.sets and size + message.ByteSize() > MESSAGE:
            yield tournament_pb2.SubmitBlockRequest(sets=part)
            part, size = tournament_pb2.SubmitBlockSets(), 0
        part.sets.append(message)
        size += message.ByteSize()
    yield tournament_pb2.SubmitBlockRequest(sets=part)


def set_message(one: SetOutcome) -> game_pb2.SetResult:
    return game_pb2.SetResult(number=one.number, deals=[_deal_message(deal) for deal in one.deals])


def _deal_message(deal: DealOutcome) -> game_pb2.DealResult:
    return game_pb2.DealResult(
        entrants=deal.seats,
        places=deal.places,
        points=deal.points,
        record=deal.record,
        faults=[fault_message(fault) for fault in deal.faults],
        notes=[game_pb2.Note(**msgspec.structs.asdict(note)) for note in deal.notes],
    )


def live_message(one: LiveDeal) -> game_pb2.LiveDeal:
    return game_pb2.LiveDeal(**msgspec.structs.asdict(one))


def live_deal(message: game_pb2.LiveDeal) -> LiveDeal:
    """Return the deal as reported, unchecked."""
    return _struct(LiveDeal, message)


def fault_message(fault: Fault) -> game_pb2.Fault:
    """Return a fault's message, with whole numbers for times and memory."""
    values: dict[str, Any] = msgspec.structs.asdict(fault)
    for name in ("cpu_ms", "wall_ms", "memory_mib"):
        values[name] = round(values[name])
    return game_pb2.Fault(**values)


def set_outcomes(messages: Sequence[game_pb2.SetResult]) -> list[SetOutcome]:
    """Return the sets as reported, checked only for the length of records."""
    return [SetOutcome(one.number, [_deal_outcome(deal) for deal in one.deals]) for one in messages]


def _deal_outcome(deal: game_pb2.DealResult) -> DealOutcome:
    """Return a deal's outcome. Slices, since `list` of a repeated field takes three times as long."""
    record, faults, notes = deal.record, deal.faults, deal.notes
    if len(record) > RECORD and (len(record) > GAME_RECORD or not record.startswith(GAME)):
        raise BadReport(f"A record has {len(record):,} characters; {RECORD:,} are the most.")
    return DealOutcome(
        seats=deal.entrants[:],
        places=deal.places[:],
        points=deal.points[:],
        record=record,
        faults=[_struct(Fault, fault) for fault in faults] if faults else [],
        notes=[_struct(Note, note) for note in notes] if notes else [],
    )


def _struct(kind: type[T], message: Any) -> T:
    """Return the struct with the message's fields; the receiver of a report checks its values."""
    values = {name: getattr(message, name) for name in kind.__struct_fields__}
    return kind(**{k: v if isinstance(v, (int, str, float)) else list(v) for k, v in values.items()})
