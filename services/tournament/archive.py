"""What was played, for whoever asks later: a match closely, a fault whole, the export of it all."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from maumau.bot.fault import FORFEIT
from maumau.bot.fault import Fault as Bundle
from maumau.bot.referee import SetOutcome
from maumau.bot.share import BankTally
from maumau.contest import export
from maumau.contest.line import MeasuredLine as Measured
from maumau.contest.line import root_of
from maumau.contest.score import SetScore
from maumau.contest.seed import deal_seed
from maumau.errors import (
    BadResult,
    NotOver,
    NotYours,
    UnknownMatch,
    UnknownSet,
    WrongState,
)
from services.shared.auth import Identity, Need
from services.tournament import measured
from services.tournament.board import Board
from services.tournament.match_row import MatchRow
from services.tournament.models import Block, BlockResult, Contest, Fault, FirstRun
from services.tournament.pack import unpack_scores
from services.tournament.record_file import RecordFiles, read_last_line
from services.tournament.store.result import FaultKey, Results
from services.tournament.store.schedule import Schedule
from services.tournament.store.tournament import OVER

EARLIER = "its root does not bind names and spec, so that no export of it can be written here"
CHANGED = "what is stored does not come to the hash that was told"
BANK_BLOCKS = 50  # of a match that are looked at for the use of the banks: at most 50,000 sets


class FaultLine(NamedTuple):
    """A fault in a list: the deals it stands for, its place, the exception that the program ended with."""

    fault: Fault
    deals: int
    key: FaultKey
    error: str


class SetLine(NamedTuple):
    """A deal set in a list; block: the number of its block. seed: "" while the tournament goes on."""

    block: int
    score: SetScore
    seed: str


class FaultFound(NamedTuple):
    """A fault with its deal; names: the bots by seat."""

    bundle: Bundle
    record: str
    contest: Contest
    names: list[str]


class MatchFound(NamedTuple):
    """A take of a match. done_at: when results were stored, by block. banks: what first and second used."""

    row: MatchRow
    blocks: list[Block]
    done_at: dict[str, int]
    faults: list[FaultLine]
    banks: tuple[BankTally, BankTally]


class Archive:
    """Reads only."""

    def __init__(self, schedule: Schedule, results: Results, files: RecordFiles) -> None:
        self.schedule, self.results, self.files = schedule, results, files

    def takes(self, board: Board, label: str) -> list[MatchRow]:
        """All takes of a match; all but the last one were taken back."""
        return self.schedule.takes(board.tournament.id, label)

    def take(self, board: Board, label: str, number: int = 0) -> MatchRow:
        """A take of a match; 0: the one that counts, or the last one that was taken back."""
        rows = self.takes(board, label)
        found = rows[-1] if not number else next((row for row in rows if row.take == number), None)
        if found is None:
            words = f"Match {label} of {board.tournament.name} has no take {number} now."
            raise UnknownMatch(words, thing=label)
        return found

    def match(self, row: MatchRow, most: int, newest: int) -> MatchFound:
        """A take of a match with its first `most` faults and its newest blocks (0: all)."""
        faults, blocks = self.faults(row.id, most), self.results.blocks(row.id, newest)
        done_at = self.results.done_at(row.id, blocks[0].number) if blocks else {}
        return MatchFound(row, blocks, done_at, faults, self._banks(blocks))

    def faults(
        self, match_id: str, most: int, after: FaultKey | None = None, entrant: int = 0, kind: str = ""
    ) -> list[FaultLine]:
        """Those of a match after this place, of an entrant or of a kind alone."""
        rows = self.results.faults(match_id, most, after=after, entrant=entrant, kind=kind)
        return [FaultLine(*row, _error(row.fault)) for row in rows]

    def sets(self, board: Board, row: MatchRow, first: int, who: Identity) -> Iterator[SetLine]:
        """The sets of a match from this number on, as far as they are booked; for whom `deal_set` is."""
        tournament = board.tournament
        _owners(board, row, who)
        shown = tournament.state in OVER and bool(tournament.root)
        for block, scores in self.results.set_scores(row.id, first):
            for score in scores:
                if score.number >= first:
                    terms = (tournament.secret, tournament.root, row.label, score.number, row.seed_take)
                    yield SetLine(block, score, deal_seed(*terms) if shown else "")

    def _banks(self, blocks: Sequence[Block]) -> tuple[BankTally, BankTally]:
        """Of the blocks that are done, or of some that are spread evenly over them."""
        done = [block.id for block in blocks if block.state == "done"]
        some = done[:: -(-len(done) // BANK_BLOCKS) or 1]
        tallies = BankTally(), BankTally()
        for packed in self.results.measured(some):
            found = msgspec.msgpack.decode(packed, type=measured.Banks)
            if found.pace and found.deal_ms:
                for tally, use in zip(tallies, found.uses, strict=False):
                    tally.add_deals(use.deals_ms, found.deal_ms, found.pace.mean)
        return tallies

    def fault(self, fault_id: str, who: Identity) -> FaultFound:
        """All about a fault, for the bot's author and admins."""
        fault, result, contest, seats = self.results.fault(fault_id)
        seat = next(one for one in seats if one.number == fault.entrant)
        if who.name != seat.account_name and not who.may(Need.ADMIN):
            raise NotYours(f"The fault is of {seat.bot_name}, which belongs to {seat.account_name}.")
        played = next(one for one in self.files.read_sets(result) if one.number == fault.set_number)
        deal = played.deals[fault.seating]
        names = [seats[entrant].bot_name for entrant in deal.seats]
        return FaultFound(self.files.read_bundle(fault), deal.record, contest, names)

    def deal_set(self, board: Board, row: MatchRow, number: int, who: Identity) -> SetOutcome:
        """A deal set of a match as it was played, with the notes that `who` may see.

        While the tournament goes on it is for the two authors and admins, notes for their own author.
        """
        owners = _owners(board, row, who)
        all_of_it = who.may(Need.ADMIN) or board.tournament.state in OVER
        result = self.results.of_set(row.id, number)
        if result is None:
            words = f"Match {row.label} of {board.tournament.name} has no deal set {number} now."
            raise UnknownSet(words, thing=str(number))
        found = next(one for one in self.files.read_sets(result) if one.number == number)
        return found if all_of_it else _for_author(found, [owner == who.name for owner in owners])

    def export(self, board: Board, path: Path) -> None:
        """Writes the export (docs/verify.md)."""
        tournament = board.tournament
        if tournament.state != "finished":
            raise NotOver(f"{tournament.name} is {tournament.state}; the export is made when it is finished.")
        if tournament.root != root_of(board.spec, board.entrants):
            raise WrongState(f"{tournament.name} was started by an earlier version of the arena: {EARLIER}.")
        written = export.write(
            path, board.spec, tournament.secret, board.entrants, board.verdicts.values(),
            lambda label: self._records(board, label), self._measured(board),
            self.results.bookings(tournament.id),
        )  # fmt: skip
        if written != tournament.compared:
            raise BadResult(f"{tournament.name} is not as it was when it ended: {CHANGED}.")

    def compared(self, board: Board) -> str:
        """What the export of a decided tournament will say it comes to; "" if an earlier version began it."""
        if board.tournament.root != root_of(board.spec, board.entrants):
            return ""
        return export.compared(
            board.spec, board.tournament.secret, board.entrants, board.verdicts.values(),
            lambda label: self.results.scores_of(board.matches[label].row.id),
        )  # fmt: skip

    def _records(self, board: Board, label: str) -> Iterator[tuple[SetScore, str]]:
        """The sets of a match in order; what comes after a gap does not count."""
        for expected, (block, result) in enumerate(self.results.of_match(board.matches[label].row.id)):
            if block.number != expected:
                return
            yield from records_of(result, self.files.read_sets(result))

    def _measured(self, board: Board) -> Iterable[Measured]:
        row = board.tournament
        names = ("id", "created_at", "started_at", "ended_at")
        secret = "given" if row.secret_given else "drawn"
        yield Measured("tournament", {"secret": secret} | {name: getattr(row, name) for name in names})
        for entry in board.entries:
            if entry.built_sha256:
                yield built_line(entry.number, entry.built_sha256, entry.built_platform)
        retaken = self.schedule.retaken(row.id)
        for label, played in board.matches.items():
            takes = {"takes": [_take(one) for one in retaken[label]]} if label in retaken else {}
            count = {"take": played.row.take, "blocks": played.blocks}
            yield Measured(f"match {label}", count | _times(played.row) | takes)
            for block, result in self.results.of_match(played.row.id):
                yield Measured(f"block {label} {block.number}", _values(block, result))
                for one in self.files.read_sets(result):
                    if one.number < board.verdicts[label].counted and (notes := _notes(one)):
                        yield Measured(f"set {label} {one.number}", {"notes": notes})
            for number, run in self.results.first_runs(played.row.id):
                yield Measured(f"first run {label} {number}", _first(run))


def _error(fault: Fault) -> str:
    """What a program's log ends with where the program ended; a forfeit has no program.

    A list reads no files: the row keeps that line when its bundle moves to one.
    """
    if fault.kind == FORFEIT:
        return ""
    return fault.last_line if fault.file_size else read_last_line(fault.bundle)


def _take(row: MatchRow) -> dict[str, Any]:
    return {"take": row.take, "reason": row.reason, "seed_take": row.seed_take} | _times(row)


def _times(row: MatchRow) -> dict[str, int]:
    """Those that are known."""
    names = ("queued_at", "started_at", "decided_at", "withdrawn_at")
    return {name: at for name in names if (at := getattr(row, name))}


def built_line(number: int, sha256: str, platform: str) -> Measured:
    """What played for an entrant with a build step."""
    return Measured(f"entry {number}", {"built_sha256": sha256, "built_platform": platform})


def records_of(result: BlockResult, sets: Sequence[SetOutcome]) -> Iterator[tuple[SetScore, str]]:
    """The sets of a block, each with the records of its deals one after the other."""
    for score, one in zip(unpack_scores(result.scores), sets, strict=True):
        yield score, "".join(deal.record for deal in one.deals)


def _owners(board: Board, row: MatchRow, who: Identity) -> list[str]:
    """Whose the two bots of a match are. Raises NotYours while its deals are nobody else's but admins'."""
    owners = [board.entries[number - 1].account_name for number in (row.first, row.second)]
    if who.name not in owners and not who.may(Need.ADMIN) and board.tournament.state not in OVER:
        raise NotYours(f"{board.tournament.name} is not over; its deals are for their players' authors.")
    return owners


def _for_author(found: SetOutcome, own: Sequence[bool]) -> SetOutcome:
    """Without the other's notes. own: whether the first's and the second's bot are the author's."""
    deals = [
        msgspec.structs.replace(deal, notes=[note for note in deal.notes if own[deal.seats[note.seat]]])
        for deal in found.deals
    ]
    return msgspec.structs.replace(found, deals=deals)


def _notes(one: SetOutcome) -> list[dict[str, Any]]:
    """What bots remarked in a set; a deal is named by its seating, from 0."""
    return [
        {"deal": seating, **msgspec.structs.asdict(note)}
        for seating, deal in enumerate(one.deals) for note in deal.notes
    ]  # fmt: skip


def _first(run: FirstRun) -> dict[str, Any]:
    first = msgspec.msgpack.decode(run.measured, type=measured.FirstMeasured)
    found: dict[str, Any] = msgspec.to_builtins(first.measured)
    return found | {"overran": msgspec.to_builtins(first.overran)}


def _values(block: Block, result: BlockResult) -> dict[str, Any]:
    found = msgspec.msgpack.decode(result.measured, type=measured.Measured)
    return {"attempts": block.attempts, **msgspec.to_builtins(found)}
