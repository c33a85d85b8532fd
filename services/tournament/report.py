"""What a worker reports of a block, checked: a worker is another program, and may be wrong.

A report that is not exactly what its order asked for is refused whole, in words. Whether the deals were
really played so is not checked here: that is what records are for, and `maumau verify`.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from maumau.bot.fault import KINDS, Fault
from maumau.bot.live import LiveDeal
from maumau.bot.message import NOTE, NOTES
from maumau.bot.outcome import Note
from maumau.bot.referee import DealOutcome, SetOutcome
from maumau.contest.score import DealScore, SetScore, score_set
from maumau.errors import BadReport
from services.tournament.store.queue import Claim

MOST_POINTS = 100_000
LIVE_DEALS, LIVE_EVENTS, LIVE_EVENT = 500, 4000, 200  # pieces, their events, an event's characters


def check(claim: Claim, sets: Sequence[SetOutcome]) -> list[SetScore]:
    """The scores of a block's sets; BadReport if they are not those that were ordered."""
    block = claim.block
    if len(sets) != block.sets:
        raise BadReport(f"The block has {block.sets} sets, the report {len(sets)}.")
    seated = _seated(claim.contest.seats)
    ordered = zip(claim.numbers(), claim.seeds(), sets, strict=True)
    return [_check_set(claim, number, seed, one, seated) for number, seed, one in ordered]


def is_of_one_seating(sets: Sequence[SetOutcome]) -> bool:
    """Whether each set has a single deal, as where the seatings of a block are played by themselves."""
    return bool(sets) and all(len(one.deals) == 1 for one in sets)


def check_seating(claim: Claim, sets: Sequence[SetOutcome]) -> int:
    """The seating that these sets are of; BadReport if they are not those that were ordered."""
    block, seats = claim.block, claim.contest.seats
    seating = (sets[0].deals[0].seats or [-1])[0]
    if len(sets) != block.sets or not 0 <= seating < seats:
        raise BadReport(f"The block has {block.sets} sets of {seats} seatings; the report is of others.")
    seated = _seated(seats)[seating]
    for number, seed, one in zip(claim.numbers(), claim.seeds(), sets, strict=True):
        _check_deals(number, seed, one, {seating: seated})
    if claim.seating not in {None, seating}:
        raise BadReport(f"Seating {claim.seating} was ordered; the report is of seating {seating}.")
    return seating


def _seated(seats: int) -> list[list[int]]:
    """The entrants by seat, for each seating."""
    return [[(seat + seating) % seats for seat in range(seats)] for seating in range(seats)]


def check_live(claim: Claim, deals: Sequence[LiveDeal]) -> None:
    """BadReport if a report for watchers is too long, or shows what is not of its block."""
    block, seats, sizes = claim.block, claim.contest.seats, [len(deal.events) for deal in deals]
    if len(deals) > LIVE_DEALS or sum(sizes) > LIVE_EVENTS:
        raise BadReport(f"A report for watchers has {len(deals)} pieces with {sum(sizes):,} events.")
    for deal in deals:
        seated = [(seat + deal.seating) % seats for seat in range(seats)]
        numbers = (deal.places or seated, deal.points or seated)
        if (
            not 0 <= deal.set - block.first_set < block.sets
            or deal.seating >= seats
            or deal.entrants != seated
            or any(len(each) != seats for each in numbers)
            or len(deal.counts) != seats * len(deal.events)
            or any(len(event) > LIVE_EVENT for event in deal.events)
        ):
            raise BadReport(f"A report for watchers shows no deal of block {block.number}.")


def _check_set(claim: Claim, number: int, seed: str, one: SetOutcome, seated: list[list[int]]) -> SetScore:
    contest = claim.contest
    if len(one.deals) != contest.seats:
        raise BadReport(f"set {number} has {len(one.deals)} deals; {contest.seats} seatings have one each.")
    _check_deals(number, seed, one, dict(enumerate(seated)))
    deals = [DealScore(deal.places, deal.points) for deal in one.deals]
    return score_set(contest.score, number, deals, contest.seats)


def _check_deals(number: int, seed: str, one: SetOutcome, seated: Mapping[int, list[int]]) -> None:
    """seated: the entrants by seat, by the seatings that the deals are of."""
    if one.number != number:
        raise BadReport(f"After set {number - 1} comes set {number}, not {one.number}.")
    for deal, (seating, entrants) in zip(one.deals, seated.items(), strict=True):
        try:
            _check_deal(seating, deal, entrants, seed)
        except BadReport as err:
            raise BadReport(f"set {number}, seating {seating}: {err}") from None


def _check_deal(seating: int, deal: DealOutcome, seated: list[int], seed: str) -> None:
    """What is wrong is said without the name of the deal: almost always nothing is."""
    seats = len(seated)
    if deal.seats != seated:
        raise BadReport(f"the entrants sat as {list(deal.seats)}.")
    if len(deal.places) != seats or not _are_places(tuple(deal.places)):
        raise BadReport(f"{list(deal.places)} are not places for {seats} seats.")
    if len(deal.points) != seats or max(map(abs, deal.points)) > MOST_POINTS:
        raise BadReport(f"{list(deal.points)} are not points for {seats} seats.")
    for fault in deal.faults:
        _check_fault(seats, seating, fault)
    if deal.notes:
        _check_notes(seats, deal)
    _check_record(deal, seed)


@lru_cache(maxsize=10_000)
def _are_places(places: tuple[int, ...]) -> bool:
    """From 1, equals share the best number: 1 1 3 and 2 1 2 are places, 1 1 2 and 2 2 are none."""
    ordered = sorted(places)
    return all(place == 1 + ordered.index(place) for place in places)


def _check_fault(seats: int, seating: int, fault: Fault) -> None:
    if fault.kind not in KINDS:
        raise BadReport(f"{fault.kind!r} is not a kind of fault; known are {', '.join(sorted(KINDS))}.")
    if not 0 <= fault.entrant < seats or fault.seating != seating:
        raise BadReport(f"a fault names entrant {fault.entrant} in seating {fault.seating}.")


def _check_notes(seats: int, deal: DealOutcome) -> None:
    for seat in range(seats):
        _check_sizes(seat, [note for note in deal.notes if note.seat == seat])
    lines = deal.record.count("\n")
    if any(note.seat >= seats or note.event > lines for note in deal.notes):
        raise BadReport("a note is of a seat or an event that the deal does not have.")


def _check_sizes(seat: int, notes: Sequence[Note]) -> None:
    sizes = [len(note.text) for note in notes]
    if max(sizes, default=0) > NOTE or sum(sizes) > NOTES or not all(sizes):
        raise BadReport(f"seat {seat} has notes of {sum(sizes):,} characters, or an empty one.")


def _check_record(deal: DealOutcome, seed: str) -> None:
    lines = deal.record.split("\n", 4)
    if lines[0] != "[maumau 1]" or f"[seed {seed}]" not in lines[:4]:
        raise BadReport("the record is not one of the deal that was ordered.")
    if not deal.record.endswith(_last_line(tuple(deal.places), tuple(deal.points))):
        raise BadReport("the record ends in another result.")


@lru_cache(maxsize=10_000)
def _last_line(places: tuple[int, ...], points: tuple[int, ...]) -> str:
    return f"\nresult places {' '.join(map(str, places))} points {' '.join(map(str, points))}\n"


def summary(sets: Sequence[SetOutcome]) -> list[SetOutcome]:
    """The sets as they are kept with the block: of faults only who, what and when; the rest has its table."""
    return [msgspec.structs.replace(one, deals=[_short(deal) for deal in one.deals]) for one in sets]


def _short(deal: DealOutcome) -> DealOutcome:
    if not deal.faults:
        return deal
    short = [msgspec.structs.replace(fault, ask="", lines=[], stderr="") for fault in deal.faults]
    return msgspec.structs.replace(deal, faults=short)
