"""Reports of single seatings, joined to the report of their block: decision 78."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from maumau.bot.join import join_paces, join_sets
from maumau.bot.referee import SetOutcome
from services.tournament import report
from services.tournament.measured import Measured, Used
from services.tournament.models import PlayedSeating
from services.tournament.pack import expand, squeeze
from services.tournament.store.queue import Claim
from services.tournament.store.seating import PlayedSeatings

TIMES = ("wall_ms", "play_ms", "start_ms", "fetch_ms", "decisions", "probe_ms")


@dataclass(frozen=True)
class BlockReport:
    """What a worker says of the block it claimed under this fence."""

    block_id: str
    fence: int
    sets: Sequence[SetOutcome]
    measured: Measured


class Taken(msgspec.Struct, frozen=True):
    """whole: the report of all seatings, None while some are missing. players: the workers of the seatings,
    empty if one worker played all.
    """

    is_new: bool
    whole: BlockReport | None
    players: dict[int, str] = {}


class SeatingReports:
    """Reports of seatings, kept until all of a block are there."""

    def __init__(self, parts: PlayedSeatings) -> None:
        self.parts = parts

    def take(self, claim: Claim, given: BlockReport, now: int) -> Taken:
        """A report of a whole block, whoever has played seatings of it before, or of one seating."""
        if not report.is_of_one_seating(given.sets):
            return Taken(is_new=True, whole=given)
        part = PlayedSeating(
            block_id=given.block_id, seating=report.check_seating(claim, given.sets), fence=given.fence,
            worker=claim.block.worker, sets=squeeze(list(given.sets)), stored_at=now,
            measured=msgspec.msgpack.encode(given.measured),
        )  # fmt: skip
        is_new, is_complete = self.parts.keep(part, claim.contest.seats, now)
        if not is_complete:
            return Taken(is_new, None)
        parts = self.parts.of(given.block_id)
        sets = join_sets([msgspec.msgpack.decode(expand(one.sets), type=list[SetOutcome]) for one in parts])
        measured = join_measured([msgspec.msgpack.decode(one.measured, type=Measured) for one in parts])
        whole = replace(given, sets=sets, measured=measured)
        return Taken(is_new, whole, {one.seating: one.worker for one in parts})


def join_measured(parts: Sequence[Measured]) -> Measured:
    """What was measured of the seatings, in their order: times are added up."""
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
