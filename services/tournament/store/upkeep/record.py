"""Records of contests that are over and move to files. Times are ms since 1970."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlmodel import Session, col

from services.shared.store.connect import Database
from services.tournament.models import Audit, Block, BlockFault, BlockResult, Contest, Job, Tournament
from services.tournament.store.blocks.drop import count_rows
from services.tournament.store.contests.tournament import OVER

MAX_BLOCKS_READ = 500  # blocks read together
ROWS_AT_ONCE = 50  # rows whose bytes leave the database in one transaction


class FileSlice(NamedTuple):
    """The place of a row's bytes: `size` bytes of the file `name`, from offset `start` on. key: the row's."""

    key: str
    name: str
    start: int
    size: int


class PackedRow(NamedTuple):
    """The bytes of a row as stored in the database: a block's records, or the bundle of one of its faults.

    fault: its id, "" for records.
    """

    label: str
    take: int
    number: int
    block: str
    fault: str
    data: bytes


class BlockKey(NamedTuple):
    """The sort key by which blocks are moved: match by match."""

    label: str
    take: int
    number: int


class Records:
    """Records that are due to be moved, and their marks once they are moved."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_due(self, before: int, after: str = "", limit: int = 20) -> list[str]:
        """Return contests that are over, have unmoved records, and whose last block was claimed by `before`.

        A tournament must have been finished or cancelled before that time, too: until then a match of it
        may be played again. Contests with an open audit are left out, because it still compares records.
        """
        query = select(col(Contest.id)).outerjoin(Tournament, col(Tournament.id) == col(Contest.id))
        query = query.where(*due_clauses(before), col(Contest.id) > after)
        with self.database.read() as session:
            return list(session.scalars(query.order_by(col(Contest.id)).limit(limit)))

    def read_unmoved(self, contest_id: str, after: BlockKey | None, most: int) -> list[PackedRow]:
        """Return the next unmoved records and bundles: at least one block, then more up to `most` bytes."""
        with self.database.read() as session:
            keys = _find_first(session.execute(_select_keys(contest_id, after)), most)
            return list(_pack_records(session, keys)) if keys else []

    def move_records(self, slices: Sequence[FileSlice]) -> None:
        """Mark records as moved. Move the bundles first: a block without records is not visited again."""
        self._move_rows(MOVED_RECORDS, [one._asdict() for one in slices])

    def move_bundles(self, slices: Sequence[FileSlice], last_lines: Mapping[str, str]) -> None:
        """Mark bundles as moved; each row keeps the last line of the program's log."""
        self._move_rows(MOVED_BUNDLES, [one._asdict() | {"line": last_lines[one.key]} for one in slices])

    def _move_rows(self, statement: Any, rows: Sequence[dict[str, Any]]) -> None:
        """Run an update in short transactions, since workers wait for each; rows moved by others stay."""
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            with self.database.write() as session:
                session.connection().execute(statement, rows[begin : begin + ROWS_AT_ONCE])

    def mark_moved(self, contest_id: str, now: int) -> bool:
        """Mark a contest as moved; return False if it goes on or something is left to move.

        The search may take long, so it blocks no writer; bookings since then are detected.
        """
        mine = col(Contest.id) == contest_id, col(Contest.state) == "over"
        with self.database.read() as session:
            booked = session.scalar(select(col(Contest.booked)).where(*mine))
            if booked is None or session.execute(_select_keys(contest_id, None).limit(1)).first():
                return False
        moved = update(Contest).where(*mine, col(Contest.booked) == booked).values(moved_at=now)
        with self.database.write() as session:
            return count_rows(session.execute(moved)) == 1


def due_clauses(before: int) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions on contests, joined to their tournaments, whose records are due.

    The terms of the index ix_contest_unmoved are literals: PostgreSQL plans repeated statements without
    the bound values.
    """
    mine = select(col(Block.id)).where(col(Block.contest_id) == col(Contest.id), col(Block.state) == "done")
    audits = select(col(Audit.block_id)).join(Block, col(Block.id) == col(Audit.block_id))
    audits = audits.where(col(Audit.outcome) == "open", col(Block.contest_id) == col(Contest.id))
    ended = col(Tournament.state).in_(OVER), col(Tournament.ended_at).between(1, before)
    return (
        col(Contest.state) == literal_column("'over'"),
        col(Contest.moved_at) == literal_column("0"),
        col(Contest.booked) > literal_column("0"),
        or_(col(Tournament.id).is_(None), and_(*ended)),
        ~exists(mine.where(col(Block.claimed_at) > before)),
        ~exists(audits),
    )


def _select_keys(contest_id: str, after: BlockKey | None) -> Any:
    """Select blocks whose records are still in the database, in order, with their size in bytes.

    It selects none while the contest goes on: an audit ordered meanwhile compares records in the database.
    """
    key = col(Job.label), col(Job.take), col(Block.number)
    bundles = select(func.coalesce(func.sum(func.length(col(BlockFault.bundle))), 0))
    bundles = bundles.where(col(BlockFault.block_id) == col(Block.id))
    size = func.length(col(BlockResult.records)) + bundles.correlate(Block).scalar_subquery()
    query = select(*key, col(Block.id), size).join(Block, col(Block.job_id) == col(Job.id))
    query = query.join(BlockResult, col(BlockResult.block_id) == col(Block.id))
    query = query.join(Contest, col(Contest.id) == col(Job.contest_id)).where(col(Contest.state) == "over")
    query = query.where(col(Job.contest_id) == contest_id, col(BlockResult.file_size) == 0)
    if after:
        query = query.where(tuple_(*key) > tuple_(*after))
    return query.order_by(*key).limit(MAX_BLOCKS_READ)


def _find_first(rows: Any, most: int) -> dict[str, BlockKey]:
    found: dict[str, BlockKey] = {}
    total = 0
    for *key, block_id, size in rows:
        total += size
        if found and total > most:
            break
        found[block_id] = BlockKey(*key)
    return found


def _pack_records(session: Session, keys: dict[str, BlockKey]) -> Iterator[PackedRow]:
    """Yield each block's records, followed by the bundles of its faults."""
    records = select(col(BlockResult.block_id), col(BlockResult.records))
    rows = session.execute(records.where(col(BlockResult.block_id).in_(keys)))
    data = {block_id: packed for block_id, packed in rows}  # noqa: C416 - to mypy a row is not a pair
    faults = select(col(BlockFault.block_id), col(BlockFault.id), col(BlockFault.bundle))
    faults = faults.where(col(BlockFault.block_id).in_(keys), col(BlockFault.file_size) == 0).order_by(
        col(BlockFault.id)
    )
    bundles: dict[str, list[tuple[str, bytes]]] = {}
    for block_id, fault_id, bundle in session.execute(faults):
        bundles.setdefault(block_id, []).append((fault_id, bundle))
    for block_id, key in keys.items():
        yield PackedRow(*key, block_id, "", data[block_id])
        for fault_id, bundle in bundles.get(block_id, ()):
            yield PackedRow(*key, block_id, fault_id, bundle)


def _update_moved(table: Any, key: Any, **values: Any) -> Any:
    kept = {
        "file_name": bindparam("name"),
        "file_offset": bindparam("start", type_=BigInteger),
        "file_size": bindparam("size", type_=BigInteger),
    }
    here = key == bindparam("key"), col(table.file_size) == 0
    return update(table).where(*here).values(**kept, **values)


MOVED_RECORDS = _update_moved(BlockResult, col(BlockResult.block_id), records=b"")
MOVED_BUNDLES = _update_moved(BlockFault, col(BlockFault.id), bundle=b"", last_line=bindparam("line"))
