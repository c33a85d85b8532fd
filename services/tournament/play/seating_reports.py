"""Reports of single seatings, joined into the report of their block: decision 30."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from maumau.referee.block import SetOutcome
from maumau.referee.join import join_paces, join_sets
from services.tournament.domain.measured import Measured, Used
from services.tournament.domain.pack import expand_bytes, pack_value
from services.tournament.models import PlayedSeating
from services.tournament.play import report
from services.tournament.store.blocks.queue import BlockClaim
from services.tournament.store.blocks.seating import PlayedSeatings

TIMES = ("wall_ms", "play_ms", "start_ms", "fetch_ms", "decisions", "probe_ms")


@dataclass(frozen=True)
class BlockReport:
    """A worker's report on the block that it claimed under this fence."""

    block_id: str
    fence: int
    sets: Sequence[SetOutcome]
    measured: Measured


class Taken(msgspec.Struct, frozen=True):
    """A report taken in.

    whole: the report of all seatings, None while some are missing. players: workers by seating, empty if one
    worker played all.
    """

    is_new: bool
    whole: BlockReport | None
    players: dict[int, str] = {}


class SeatingReports:
    """Reports of seatings, kept until all those of a block are there."""

    def __init__(self, parts: PlayedSeatings) -> None:
        self.parts = parts

    def take_report(self, claim: BlockClaim, given: BlockReport, now: int) -> Taken:
        """Take in a report of one seating, or of a whole block, which replaces seatings played before."""
        if not report.is_of_one_seating(given.sets):
            return Taken(is_new=True, whole=given)
        part = PlayedSeating(
            block_id=given.block_id,
            seating=report.check_seating(claim, given.sets),
            fence=given.fence,
            worker=claim.block.worker,
            sets=pack_value(list(given.sets)),
            stored_at=now,
            measured=msgspec.msgpack.encode(given.measured),
        )
        is_new, parts = self.parts.store_seating(part, claim.size, now)
        if not parts:
            return Taken(is_new, None)
        sets = join_sets(
            [msgspec.msgpack.decode(expand_bytes(one.sets), type=list[SetOutcome]) for one in parts]
        )
        measured = join_measured([msgspec.msgpack.decode(one.measured, type=Measured) for one in parts])
        whole = replace(given, sets=sets, measured=measured)
        return Taken(is_new, whole, {one.seating: one.worker for one in parts})


def join_measured(parts: Sequence[Measured]) -> Measured:
    """Return the measurements of all seatings joined, in their order: times are added up."""
    paces = [one.pace for one in parts if one.pace]
    times = {name: sum(getattr(one, name) for one in parts) for name in TIMES}
    return msgspec.structs.replace(
        parts[0],
        worker=", ".join(dict.fromkeys(one.worker for one in parts)),
        sandbox=", ".join(dict.fromkeys(one.sandbox for one in parts)),
        **times,
        cpu_ms=[sum(each) for each in zip(*(one.cpu_ms for one in parts), strict=False)],
        memory_mib=[max(each) for each in zip(*(one.memory_mib for one in parts), strict=False)],
        pace=join_paces(paces) if paces else None,
        uses=[_join_used(each) for each in zip(*(one.uses for one in parts), strict=False)],
    )


def _join_used(uses: Sequence[Used]) -> Used:
    bank, start = sum(one.bank_ms for one in uses), sum(one.start_ms for one in uses)
    return Used(bank, start, [each for one in uses for each in one.deals_ms])
