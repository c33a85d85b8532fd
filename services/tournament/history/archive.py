"""Read access to results: details of a match, a fault in full, the export of a tournament."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from maumau.contest.export import write as export
from maumau.contest.export.line import MeasuredLine as Measured
from maumau.contest.export.line import root_of
from maumau.contest.export.protest import ProtestValues, protest_line
from maumau.contest.score import SetScore
from maumau.contest.seed import BOOKINGS_ALONE, deal_seed
from maumau.errors import (
    BadResult,
    NotOver,
    NotYours,
    UnknownMatch,
    UnknownSet,
    UnknownTournament,
    WrongState,
)
from maumau.game.notation.action import SEATS
from maumau.game.resume import GAME, split_deals
from maumau.protocol.fault import FORFEIT
from maumau.protocol.fault import Fault as Bundle
from maumau.protocol.outcome import DealOutcome
from maumau.referee.block import SetOutcome
from maumau.referee.share import BankTally
from services.shared.base.auth import Identity, Need
from services.tournament.domain import measured
from services.tournament.domain.board import ContestBoard
from services.tournament.domain.match_row import MatchRow, read_verdict
from services.tournament.domain.pack import unpack_scores
from services.tournament.history.record_file import RecordFiles, read_last_line
from services.tournament.history.walk import WalkPoint, follow_blocks
from services.tournament.models import Block, BlockFault, BlockResult, Contest, FirstRun, Protest
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.contests.tournament import OVER
from services.tournament.store.outcomes.link import seal_chain
from services.tournament.store.outcomes.result import FaultKey, Results, unknown_fault

EARLIER = "its root does not bind names and spec, so that no export of it can be written here"
CHANGED = "what is stored does not come to the hash that was told"
BANK_BLOCKS = 50  # most blocks of a match that are read for the use of the banks: up to 50,000 sets


class FaultLine(NamedTuple):
    """A fault in a list: the number of deals it covers, its key, the exception that ended the program."""

    fault: BlockFault
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
    """A take of a match.

    done_at: times at which results were stored, by block id. banks: use by player.
    """

    row: MatchRow
    blocks: list[Block]
    done_at: dict[str, int]
    faults: list[FaultLine]
    banks: Sequence[BankTally]


class Archive:
    """Reader of results; it changes nothing."""

    def __init__(self, schedule: Schedule, results: Results, files: RecordFiles) -> None:
        self.schedule, self.results, self.files = schedule, results, files

    def list_takes(self, board: ContestBoard, label: str) -> list[MatchRow]:
        """Return all takes of a match; all but the last one were taken back."""
        if not board.tournament.root:  # entrants of matches begun since are not on this board
            words = f"{board.tournament.name} has not started: it has no match {label!r} yet."
            raise UnknownMatch(words, thing=label)
        return self.schedule.list_takes(board.tournament.id, label)

    def find_take(self, board: ContestBoard, label: str, number: int = 0) -> MatchRow:
        """Return a take of a match; 0: the one that counts, or the last one that was taken back."""
        rows = self.list_takes(board, label)
        found = rows[-1] if not number else next((row for row in rows if row.take == number), None)
        if found is None:
            words = f"Match {label} of {board.tournament.name} has no take {number} now."
            raise UnknownMatch(words, thing=label)
        return found

    def read_match(self, row: MatchRow, most: int, newest: int) -> MatchFound:
        """Return a take of a match with its first `most` faults and its `newest` blocks (0: all)."""
        faults, blocks = self.list_faults(row.id, most), self.results.list_blocks(row.id, newest)
        done_at = self.results.done_at(row.id, blocks[0].number) if blocks else {}
        return MatchFound(row, blocks, done_at, faults, self._sum_banks(blocks, len(row.players)))

    def read_walk(self, board: ContestBoard, row: MatchRow) -> list[WalkPoint]:
        """Return the test of a take of a match after each of its blocks that count; none at larger tables."""
        if row.others:
            return []
        live = board.matches.get(row.label)
        if live and live.row.id == row.id and live.prefix:  # open: its sums are in memory
            return follow_blocks(board.spec, live.prefix, board.verdicts[row.label].counted)
        counted = read_verdict(row.verdict).counted if row.verdict else 0
        return follow_blocks(board.spec, self.results.block_sums(row.id, counted), counted) if counted else []

    def list_faults(
        self, match_id: str, most: int, after: FaultKey | None = None, entrant: int = 0, kind: str = ""
    ) -> list[FaultLine]:
        """Return a match's faults after this key, optionally only those of an entrant or of a kind."""
        rows = self.results.list_faults(match_id, most, after=after, entrant=entrant, kind=kind)
        return [FaultLine(*row, _read_error(row.fault)) for row in rows]

    def list_sets(self, board: ContestBoard, row: MatchRow, first: int, who: Identity) -> Iterator[SetLine]:
        """Yield the booked sets of a match from number `first` on; access as for `deal_set`."""
        tournament = board.tournament
        _list_owners(board, row, who)
        shown = tournament.state in OVER and bool(tournament.root)
        for block, scores in self.results.set_scores(row.id, first):
            for score in scores:
                if score.number >= first:
                    terms = (tournament.secret, tournament.root, row.label, score.number, row.seed_take)
                    yield SetLine(block, score, deal_seed(*terms) if shown else "")

    def _sum_banks(self, blocks: Sequence[Block], players: int) -> Sequence[BankTally]:
        """Return the use of the banks by player, over a sample of at most `BANK_BLOCKS` blocks."""
        done = [block.id for block in blocks if block.state == "done"]
        some = done[:: -(-len(done) // BANK_BLOCKS) or 1]
        tallies = [BankTally() for _ in range(players)]
        for packed in self.results.list_measured(some):
            found = msgspec.msgpack.decode(packed, type=measured.Banks)
            if found.pace and found.deal_ms:
                for tally, use in zip(tallies, found.uses, strict=False):
                    tally.add_deals(use.deals_ms, found.deal_ms, found.pace.mean)
        return tallies

    def read_fault(
        self, fault_id: str, who: Identity, check_seen: Callable[[Contest, Identity], None]
    ) -> FaultFound:
        """Return a fault in full, for the bot's author and admins.

        check_seen: raises UnknownTournament if the caller may not see the contest.
        """
        fault, result, contest, seats = self.results.read_fault(fault_id)
        try:
            check_seen(contest, who)
        except UnknownTournament:
            raise unknown_fault(fault_id) from None
        seat = next(one for one in seats if one.number == fault.entrant)
        if not who.owns(seat.account_name) and not who.may(Need.ADMIN):
            raise NotYours(f"The fault is of {seat.bot_name}, which belongs to {seat.account_name}.")
        played = next(one for one in self.files.read_sets(result) if one.number == fault.set_number)
        deal = played.deals[fault.seating]
        names = [seats[entrant].bot_name for entrant in deal.seats]
        bundle = self.files.read_bundle(fault)
        return FaultFound(bundle, _find_record(deal, bundle), contest, names)

    def deal_set(self, board: ContestBoard, row: MatchRow, number: int, who: Identity) -> SetOutcome:
        """Return a deal set of a match as it was played, with the notes that `who` may see.

        While the tournament goes on, only the two authors and admins may read it, and not each other's notes.
        """
        owners = _list_owners(board, row, who)
        all_of_it = who.may(Need.ADMIN) or board.tournament.state in OVER
        result = self.results.of_set(row.id, number)
        if result is None:
            words = f"Match {row.label} of {board.tournament.name} has no deal set {number} now."
            raise UnknownSet(words, thing=str(number))
        found = next(one for one in self.files.read_sets(result) if one.number == number)
        return found if all_of_it else _for_author(found, [who.owns(owner) for owner in owners])

    def write_export(self, board: ContestBoard, path: Path) -> None:
        """Write the export (docs/reference/verify.md)."""
        tournament = board.tournament
        if tournament.state == "cancelled":
            raise NotOver(f"{tournament.name} is cancelled: it ended without a winner, and has no export.")
        if tournament.state != "finished":
            raise NotOver(f"{tournament.name} is {tournament.state}; the export is made when it is finished.")
        if tournament.root != root_of(board.spec, board.entrants, board.version):
            raise WrongState(f"{tournament.name} was started by an earlier version of the arena: {EARLIER}.")
        told = tournament.compared or self._store_compared(board)
        written = export.write_export(
            path,
            board.spec,
            tournament.secret,
            board.entrants,
            board.verdicts.values(),
            lambda label: self._read_records(board, label),
            self._list_measured(board),
            self.results.read_chain(tournament.id),
        )
        if written != told:
            raise BadResult(f"{tournament.name} is not as it was when it ended: {CHANGED}.")

    def read_compared(self, board: ContestBoard) -> str:
        """Return the digest of a decided tournament's export; "" if an earlier version began it."""
        if board.tournament.root != root_of(board.spec, board.entrants, board.version):
            return ""
        return export.digest_compared(
            board.spec,
            board.tournament.secret,
            board.entrants,
            board.verdicts.values(),
            lambda label: self.results.scores_of(board.matches[label].row.id),
            board.version,
        )

    def _store_compared(self, board: ContestBoard) -> str:
        """Store the digest (`read_compared`) where a replica of an earlier release could not."""
        compared = self.read_compared(board)
        seal_chain(self.schedule.database, board.tournament.id, board.entries, compared)
        return compared

    def _read_records(self, board: ContestBoard, label: str) -> Iterator[tuple[SetScore, str]]:
        """Yield the sets of a match in order, up to the first missing block; later ones do not count."""
        for expected, (block, result) in enumerate(self.results.of_match(board.matches[label].row.id)):
            if block.number != expected:
                return
            yield from records_of(result, self.files.read_sets(result))

    def _list_measured(self, board: ContestBoard) -> Iterable[Measured]:
        row = board.tournament
        names = ("id", "created_at", "started_at", "ended_at")
        secret = "given" if row.secret_given else "drawn"
        yield Measured("tournament", {"secret": secret} | {name: getattr(row, name) for name in names})
        for entry in board.entries:
            if entry.built_sha256:
                yield built_line(entry.number, entry.built_sha256, entry.built_platform)
        if board.version > BOOKINGS_ALONE:  # before, the chain has no links for them
            yield from map(_measure_protest, board.notes.protests)
        retaken = self.schedule.list_retaken(row.id)
        for label, played in board.matches.items():
            takes = {"takes": [_describe_take(one) for one in retaken[label]]} if label in retaken else {}
            count = {"take": played.row.take, "blocks": played.blocks}
            yield Measured(f"match {label}", count | _describe_times(played.row) | takes)
            for block, result in self.results.of_match(played.row.id):
                yield Measured(f"block {label} {block.number}", _describe_block(block, result))
                for one in self.files.read_sets(result):
                    if one.number < board.verdicts[label].counted and (notes := _list_notes(one)):
                        yield Measured(f"set {label} {one.number}", {"notes": notes})
            for number, run in self.results.first_runs(played.row.id):
                yield Measured(f"first run {label} {number}", _describe_first(run))


def _read_error(fault: BlockFault) -> str:
    """Return the last line of the program's log, "" for a forfeit, which has no program.

    Lists read no files: the row keeps that line when its bundle moves to a file.
    """
    if fault.kind == FORFEIT:
        return ""
    return fault.last_line if fault.file_size else read_last_line(fault.bundle)


def _measure_protest(row: Protest) -> Measured:
    values = {
        "entrant": row.entrant,
        "account": row.account_name,
        "text": row.text,
        "filed_at": row.at,
        "state": row.state,
        "answer": row.answer,
        "answered_by": row.answered_by,
        "answered_at": row.answered_at,
    }
    return protest_line(row.number, msgspec.convert(values, ProtestValues))


def _describe_take(row: MatchRow) -> dict[str, Any]:
    return {"take": row.take, "reason": row.reason, "seed_take": row.seed_take} | _describe_times(row)


def _describe_times(row: MatchRow) -> dict[str, int]:
    """Return the times of a take that are known."""
    names = ("queued_at", "started_at", "decided_at", "withdrawn_at")
    return {name: at for name in names if (at := getattr(row, name))}


def built_line(number: int, sha256: str, platform: str) -> Measured:
    """Return the line of an entrant with a build step: the artifact that played for it."""
    return Measured(f"entry {number}", {"built_sha256": sha256, "built_platform": platform})


def records_of(result: BlockResult, sets: Sequence[SetOutcome]) -> Iterator[tuple[SetScore, str]]:
    """Yield the sets of a block, each with the records of its deals concatenated."""
    for score, one in zip(unpack_scores(result.scores), sets, strict=True):
        yield score, "".join(deal.record for deal in one.deals)


def _list_owners(board: ContestBoard, row: MatchRow, who: Identity) -> list[str]:
    """Return the owners of a match's bots. Raise NotYours if the caller may not see its deals yet."""
    owners = [board.entries[number - 1].account_name for number in row.players]
    if not any(map(who.owns, owners)) and not who.may(Need.ADMIN) and board.tournament.state not in OVER:
        raise NotYours(f"{board.tournament.name} is not over; its deals are for their players' authors.")
    return owners


def _for_author(found: SetOutcome, own: Sequence[bool]) -> SetOutcome:
    """Return the set without other authors' notes. own: by position in the match, True if it is theirs."""
    deals = [
        msgspec.structs.replace(deal, notes=[note for note in deal.notes if own[deal.seats[note.seat]]])
        for deal in found.deals
    ]
    return msgspec.structs.replace(found, deals=deals)


def _list_notes(one: SetOutcome) -> list[dict[str, Any]]:
    """Return the bots' notes on a set; a deal is named by its seating, from 0."""
    return [
        {"deal": seating, **msgspec.structs.asdict(note)}
        for seating, deal in enumerate(one.deals)
        for note in deal.notes
    ]


def _describe_first(run: FirstRun) -> dict[str, Any]:
    first = msgspec.msgpack.decode(run.measured, type=measured.FirstMeasured)
    found: dict[str, Any] = msgspec.to_builtins(first.measured)
    return found | {"overran": msgspec.to_builtins(first.overran)}


def _describe_block(block: Block, result: BlockResult) -> dict[str, Any]:
    found = msgspec.msgpack.decode(result.measured, type=measured.Measured)
    return {"attempts": block.attempts, **msgspec.to_builtins(found)}


def _find_record(played: DealOutcome, fault: Bundle) -> str:
    """Return the record of the deal in which a fault happened; played: that deal, or its game."""
    if not played.record.startswith(GAME):
        return played.record
    seat = SEATS[played.seats.index(fault.entrant)]
    lost = [text for text in split_deals(played.record) if f"\nforfeit {seat} " in text]
    own = [(one.kind, one.words) for one in played.faults if one.entrant == fault.entrant]
    at = own.index((fault.kind, fault.words)) if (fault.kind, fault.words) in own else 0
    return lost[min(at, len(lost) - 1)] if lost else played.record
