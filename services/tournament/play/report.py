"""Checks of a worker's report on a block: a worker is another program, and may be wrong.

A report that does not match its order exactly is refused whole, with the reason. The play itself
is not checked here: records and `maumau verify` are for that.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from maumau.contest.score import DealScore, SetScore, score_set
from maumau.errors import BadReport
from maumau.game import list_lost_seats
from maumau.game.resume import GAME
from maumau.protocol.fault import KINDS, Fault
from maumau.protocol.live import LiveDeal
from maumau.protocol.message import NOTE, NOTES
from maumau.protocol.outcome import Note
from maumau.referee.block import DealOutcome, SetOutcome
from services.tournament.store.blocks.queue import BlockClaim

MOST_POINTS = 100_000
FIRST_LINE = "[maumau 1]"
DEAL_END, GAME_END = ("result", "points"), ("game", "total")  # words of the last line of a record
LIVE_DEALS, LIVE_EVENTS, LIVE_EVENT = 500, 4000, 200  # pieces, their events, an event's characters


def check_sets(claim: BlockClaim, sets: Sequence[SetOutcome]) -> list[SetScore]:
    """Return the scores of a block's sets; raise BadReport if they are not those that were ordered."""
    block = claim.block
    if len(sets) != block.sets:
        raise BadReport(f"The block has {block.sets} sets, the report {len(sets)}.")
    seats, mode, is_game = claim.size, claim.score, claim.rules.is_game
    seated = dict(enumerate(_seat_entrants(seats)))
    scores = []
    for number, seed, one in zip(claim.list_numbers(), claim.list_seeds(), sets, strict=True):
        _check_set(number, seed, one, seated, is_game=is_game)
        deals = [
            DealScore(deal.places, deal.points, list_lost_seats(deal.record, is_game=is_game))
            for deal in one.deals
        ]
        scores.append(score_set(mode, number, deals, seats))
    return scores


def is_of_one_seating(sets: Sequence[SetOutcome]) -> bool:
    """Return True if each set has a single deal, as if the seatings of a block are played by themselves."""
    return bool(sets) and all(len(one.deals) == 1 for one in sets)


def check_seating(claim: BlockClaim, sets: Sequence[SetOutcome]) -> int:
    """Return the seating of these sets; raise BadReport if they are not those that were ordered."""
    block, seats = claim.block, claim.size
    seating = (sets[0].deals[0].seats or [-1])[0] if is_of_one_seating(sets) else -1
    if len(sets) != block.sets or not 0 <= seating < seats:
        raise BadReport(f"The block has {block.sets} sets of {seats} seatings; the report is of others.")
    seated, is_game = {seating: _seat_entrants(seats)[seating]}, claim.rules.is_game
    for number, seed, one in zip(claim.list_numbers(), claim.list_seeds(), sets, strict=True):
        _check_deals(number, seed, one, seated, is_game=is_game)
    if claim.seating not in {None, seating}:
        raise BadReport(f"Seating {claim.seating} was ordered; the report is of seating {seating}.")
    return seating


def _seat_entrants(seats: int) -> list[list[int]]:
    """Return the entrants by seat, for each seating."""
    return [[(seat + seating) % seats for seat in range(seats)] for seating in range(seats)]


def check_live(claim: BlockClaim, deals: Sequence[LiveDeal]) -> None:
    """Raise BadReport if a report for watchers is too long, or shows deals of another block."""
    block, seats, sizes = claim.block, claim.size, [len(deal.events) for deal in deals]
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


def _check_set(
    number: int, seed: str, one: SetOutcome, seated: Mapping[int, list[int]], *, is_game: bool
) -> None:
    """Raise BadReport unless the set has a deal for each seating, and all of them fit."""
    if len(one.deals) != len(seated):
        raise BadReport(f"set {number} has {len(one.deals)} deals; {len(seated)} seatings have one each.")
    _check_deals(number, seed, one, seated, is_game=is_game)


def _check_deals(
    number: int, seed: str, one: SetOutcome, seated: Mapping[int, list[int]], *, is_game: bool
) -> None:
    """Raise BadReport unless the deals fit. seated: the entrants by seat, by the seatings of the deals."""
    if one.number != number:
        raise BadReport(f"After set {number - 1} comes set {number}, not {one.number}.")
    for deal, (seating, entrants) in zip(one.deals, seated.items(), strict=True):
        try:
            _check_deal(seating, deal, entrants)
            _check_record(deal, seed, is_game=is_game)
        except BadReport as err:
            raise BadReport(f"set {number}, seating {seating}: {err}") from None


def _check_deal(seating: int, deal: DealOutcome, seated: list[int]) -> None:
    """Raise BadReport unless the deal fits; the caller adds the deal's name, since errors are rare."""
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


@lru_cache(maxsize=10_000)
def _are_places(places: tuple[int, ...]) -> bool:
    """Return True for ranks from 1, ties sharing the best: 1 1 3 and 2 1 2, but not 1 1 2 or 2 2."""
    ordered = sorted(places)
    return all(place == 1 + ordered.index(place) for place in places)


def _check_fault(seats: int, seating: int, fault: Fault) -> None:
    if fault.kind not in KINDS:
        raise BadReport(f"{fault.kind!r} is not a kind of fault; known: {', '.join(sorted(KINDS))}.")
    if not 0 <= fault.entrant < seats or fault.seating != seating:
        raise BadReport(f"a fault names entrant {fault.entrant} in seating {fault.seating}.")


def _check_notes(seats: int, deal: DealOutcome) -> None:
    room = NOTES * max(1, deal.record.count(FIRST_LINE))
    for seat in range(seats):
        _check_sizes(seat, [note for note in deal.notes if note.seat == seat], room)
    lines = deal.record.count("\n")
    if any(note.seat >= seats or note.event > lines for note in deal.notes):
        raise BadReport("a note is of a seat or an event that the deal does not have.")


def _check_sizes(seat: int, notes: Sequence[Note], room: int) -> None:
    sizes = [len(note.text) for note in notes]
    if max(sizes, default=0) > NOTE or sum(sizes) > room or not all(sizes):
        raise BadReport(f"seat {seat} has notes of {sum(sizes):,} characters, or an empty one.")


def _check_record(deal: DealOutcome, seed: str, *, is_game: bool) -> None:
    lines = deal.record.split("\n", 4)
    if lines[0] != (GAME if is_game else FIRST_LINE) or f"[seed {seed}]" not in lines[:4]:
        raise BadReport(f"the record is not one of the {'game' if is_game else 'deal'} that was ordered.")
    words = GAME_END if is_game else DEAL_END
    if not deal.record.endswith(_last_line(words, tuple(deal.places), tuple(deal.points))):
        raise BadReport("the record ends in another result.")


@lru_cache(maxsize=10_000)
def _last_line(words: tuple[str, str], places: tuple[int, ...], points: tuple[int, ...]) -> str:
    ended, counted = words
    return f"\n{ended} places {' '.join(map(str, places))} {counted} {' '.join(map(str, points))}\n"


def summarize_sets(sets: Sequence[SetOutcome]) -> list[SetOutcome]:
    """Return the sets as stored with the block: faults without ask, lines and stderr, which have a table."""
    return [msgspec.structs.replace(one, deals=[_shorten_deal(deal) for deal in one.deals]) for one in sets]


def _shorten_deal(deal: DealOutcome) -> DealOutcome:
    if not deal.faults:
        return deal
    short = [msgspec.structs.replace(fault, ask="", lines=[], stderr="") for fault in deal.faults]
    return msgspec.structs.replace(deal, faults=short)
