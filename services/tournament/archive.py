"""What was played, for whoever asks later: a match closely, a fault whole, the export of it all."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import msgspec

from maumau.bot.fault import Fault as Bundle
from maumau.bot.table import SetOutcome
from maumau.contest import export
from maumau.contest.line import MeasuredLine as Measured
from maumau.contest.score import SetScore
from maumau.errors import NotOver, NotYours, UnknownSet
from services.shared.auth import Identity, Need
from services.tournament import lease
from services.tournament.board import Board, spec_of
from services.tournament.models import Block, BlockResult, Fault, Match
from services.tournament.pack import expand, unpack_scores
from services.tournament.store.contest import OVER, Contests
from services.tournament.store.result import Results
from services.tournament.store.schedule import Schedule


class Archive:
    """Reads only."""

    def __init__(self, contests: Contests, schedule: Schedule, results: Results) -> None:
        self.contests, self.schedule, self.results = contests, schedule, results

    def match(self, board: Board, label: str, most: int) -> tuple[Match, list[Block], list[Fault]]:
        """The last take of a match, its blocks, its first faults."""
        row = self.schedule.match(board.tournament.id, label)
        return row, self.results.blocks(row.id), self.results.faults(row.id, most)

    def fault(self, fault_id: str, who: Identity) -> tuple[Bundle, str, int]:
        """A fault with the record of its deal and the MiB it might use, for the bot's author and admins."""
        fault, result, match = self.results.fault(fault_id)
        entries = self.contests.entries(match.tournament_id)
        entry = next(one for one in entries if one.number == fault.entrant)
        if who.name != entry.account_name and not who.may(Need.ADMIN):
            raise NotYours(f"The fault is of {entry.bot_name}, which belongs to {entry.account_name}.")
        bundle = msgspec.msgpack.decode(expand(fault.bundle), type=Bundle)
        played = next(one for one in _sets(result) if one.number == fault.set_number)
        spec = spec_of(self.contests.find(match.tournament_id).spec)
        return bundle, played.deals[fault.seating].record, spec.bot.memory

    def deal_set(self, board: Board, label: str, number: int, who: Identity) -> tuple[Match, SetOutcome]:
        """A deal set of a match as it was played, with the notes that `who` may see.

        While the tournament goes on it is for the two authors and admins, notes for their own author.
        """
        row = self.schedule.match(board.tournament.id, label)
        owners = [board.entries[n - 1].account_name for n in (row.first, row.second)]
        all_of_it = who.may(Need.ADMIN) or board.tournament.state in OVER
        if not all_of_it and who.name not in owners:
            raise NotYours(f"{board.tournament.name} is not over; its deals are for their players' authors.")
        result = self.results.of_set(row.id, number)
        if result is None:
            raise UnknownSet(f"Match {label} of {board.tournament.name} has no deal set {number} now.")
        found = next(one for one in _sets(result) if one.number == number)
        return row, found if all_of_it else _for_author(found, [owner == who.name for owner in owners])

    def export(self, board: Board, path: Path) -> None:
        """Writes the export of design §6."""
        tournament = board.tournament
        if tournament.state != "finished":
            raise NotOver(f"{tournament.name} is {tournament.state}; the export is made when it is finished.")
        export.write(
            path, board.spec, tournament.secret, board.entrants, board.verdicts.values(),
            lambda label: self._records(board, label), self._measured(board),
        )  # fmt: skip

    def _records(self, board: Board, label: str) -> Iterator[tuple[SetScore, str]]:
        """The sets of a match in order; what comes after a gap does not count."""
        for expected, (block, result) in enumerate(self.results.of_match(board.matches[label].row.id)):
            if block.number != expected:
                return
            for score, one in zip(unpack_scores(result.scores), _sets(result), strict=True):
                yield score, "".join(deal.record for deal in one.deals)

    def _measured(self, board: Board) -> Iterable[Measured]:
        row = board.tournament
        names = ("id", "created_at", "started_at", "ended_at")
        secret = "given" if row.secret_given else "drawn"
        yield Measured("tournament", {"secret": secret} | {name: getattr(row, name) for name in names})
        for label, played in board.matches.items():
            yield Measured(f"match {label}", {"take": played.row.take, "blocks": played.blocks})
            for block, result in self.results.of_match(played.row.id):
                yield Measured(f"block {label} {block.number}", _values(block, result))
                for one in _sets(result):
                    if one.number < board.verdicts[label].counted and (notes := _notes(one)):
                        yield Measured(f"set {label} {one.number}", {"notes": notes})


def _sets(result: BlockResult) -> list[SetOutcome]:
    return msgspec.msgpack.decode(expand(result.records), type=list[SetOutcome])


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


def _values(block: Block, result: BlockResult) -> dict[str, Any]:
    measured = msgspec.msgpack.decode(result.measured, type=lease.Measured)
    return {"attempts": block.attempts, **msgspec.structs.asdict(measured)}


@asynccontextmanager
async def opened(write: Callable[[Board, Path], None], board: Board) -> AsyncIterator[IO[bytes]]:
    """A file that `write` has made, open for reading, and gone afterwards."""
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="maumau-export-")
    try:
        path = Path(folder.name) / "export.jsonl"
        await asyncio.to_thread(write, board, path)
        with path.open("rb") as file:  # opening is quick, reading is done in threads
            yield file
    finally:
        await asyncio.to_thread(folder.cleanup)
