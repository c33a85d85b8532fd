"""What a report comes to: the digest of its records, the faults in it, and what is told about it."""

from collections import Counter
from collections.abc import Sequence

from maumau.bot.referee import SetOutcome
from maumau.bot.words import clean_line
from maumau.contest.export import block_records
from maumau.contest.line import encode, records_digest
from maumau.contest.score import SetScore
from services.shared.ident import new_id
from services.tournament.event import BlockDone, BlockPutOff, Event, FaultCount
from services.tournament.models import Fault
from services.tournament.pack import squeeze
from services.tournament.store.queue import Claim


def digest_of(claim: Claim, scores: Sequence[SetScore], sets: Sequence[SetOutcome]) -> str:
    """Of the records as an export will have them."""
    contest, job = claim.contest, claim.job
    records = ["".join(deal.record for deal in one.deals) for one in sets]
    numbers = [seat.number for seat in claim.seats]
    played = zip(scores, records, strict=True)
    terms = (contest.secret, contest.root, job.label)
    lines = block_records(*terms, numbers, played, job.seed_take)
    return records_digest(map(encode, lines))


def faults_of(claim: Claim, sets: Sequence[SetOutcome]) -> list[Fault]:
    numbers = [seat.number for seat in claim.seats]
    return [
        Fault(
            id=new_id("fault"), block_id=claim.block.id, entrant=numbers[fault.entrant],
            set_number=one.number, seating=fault.seating, kind=fault.kind, words=clean_line(fault.words),
            bundle=squeeze(fault),
        )
        for one in sets for deal in one.deals if deal.faults for fault in deal.faults
    ]  # fmt: skip


def put_off_event(claim: Claim, numbers: Sequence[int], now: int) -> Event:
    names = {seat.number: seat.bot_name for seat in claim.seats}
    who = " and ".join(names[number] for number in numbers)
    label, block = claim.job.label, claim.block.number
    words = f"match {label}: {who} ran out of time in block {block}, which is played a second time"
    return Event(now, "alert", words, label, part=BlockPutOff(block, list(numbers)))


def events_of(claim: Claim, sets: Sequence[SetOutcome], now: int) -> list[Event]:
    """One for the block, and one for each bot and kind of fault in it."""
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
