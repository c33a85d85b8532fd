"""Derived data of a report: digest of its records, its faults, and its events."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from maumau.contest.export.line import encode_line, records_digest
from maumau.contest.export.write import block_records
from maumau.contest.score import SetScore
from maumau.protocol.words import clean_line
from maumau.referee.block import SetOutcome
from maumau.referee.second_run import describe_provisional
from services.shared.base.ident import new_id
from services.tournament.domain.event import BlockDone, BlockPutOff, Event, FaultCount
from services.tournament.domain.measured import ProvisionalFault
from services.tournament.domain.pack import pack_value
from services.tournament.models import BlockFault
from services.tournament.store.blocks.queue import BlockClaim


def digest_of(claim: BlockClaim, scores: Sequence[SetScore], sets: Sequence[SetOutcome]) -> str:
    """Return the digest of the records as an export will have them."""
    contest, job = claim.contest, claim.job
    records = ["".join(deal.record for deal in one.deals) for one in sets]
    numbers = [seat.number for seat in claim.seats]
    played = zip(scores, records, strict=True)
    terms = (contest.secret, contest.root, job.label)
    lines = block_records(*terms, numbers, played, job.seed_take)
    return records_digest(map(encode_line, lines))


def faults_of(claim: BlockClaim, sets: Sequence[SetOutcome]) -> list[BlockFault]:
    numbers = [seat.number for seat in claim.seats]
    return [
        BlockFault(
            id=new_id("fault"),
            block_id=claim.block.id,
            entrant=numbers[fault.entrant],
            set_number=one.number,
            seating=fault.seating,
            kind=fault.kind,
            words=clean_line(fault.words),
            bundle=pack_value(fault),
        )
        for one in sets
        for deal in one.deals
        if deal.faults
        for fault in deal.faults
    ]


def put_off_event(claim: BlockClaim, provisional: Sequence[ProvisionalFault], now: int) -> Event:
    names = {seat.number: seat.bot_name for seat in claim.seats}
    label, block = claim.job.label, claim.block.number
    faults = defaultdict[int, list[ProvisionalFault]](list)
    for fault in provisional:
        faults[fault.entrant].append(fault)
    numbers = sorted(faults)
    who = " and ".join(f"{names[number]} {describe_provisional(faults[number])}" for number in numbers)
    words = f"match {label}: {who} in block {block}, which is played a second time"
    return Event(now, "alert", words, label, part=BlockPutOff(block, numbers))


def events_of(claim: BlockClaim, sets: Sequence[SetOutcome], now: int) -> list[Event]:
    """Return one event for the block, and one for each bot and kind of fault in it."""
    label = claim.job.label
    last = claim.block.first_set + claim.block.sets - 1
    words = f"match {label}: sets {claim.block.first_set} to {last} are in"
    names = {seat.number: seat.bot_name for seat in claim.seats}
    kinds = Counter((fault.entrant, fault.kind) for fault in faults_of(claim, sets))
    number, first, count = claim.block.number, claim.block.first_set, claim.block.sets
    faults = [FaultCount(number, e, names[e], kind, count) for (e, kind), count in kinds.items()]
    return [
        *(Event(now, "fault", f"{f.bot_name}: {f.kind}, {f.count} times", label, part=f) for f in faults),
        Event(now, "block_done", words, label, part=BlockDone(number, first, count)),
    ]
