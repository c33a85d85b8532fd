"""Files with the records of many blocks: written once, named by contest and content hash."""

import hashlib
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from maumau.errors import RecordsLost, StorageUnavailable
from maumau.protocol.fault import Fault as Bundle
from maumau.protocol.fault import find_cause
from maumau.protocol.words import clean_line
from maumau.referee.block import SetOutcome
from services.shared.base import log
from services.shared.store.storage import Storage
from services.tournament.domain.pack import expand_bytes
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import BlockFault, BlockResult
from services.tournament.store.upkeep.record import FileSlice, PackedRow

MAX_CACHED_FILES = 4  # files that stay in memory after they were read
MAX_LAST_LINE = 300  # characters of an exception in a list
SUFFIX = ".records"
UNREADABLE = "its details cannot be read"

logger = log.get(__name__)


class RecordFile(NamedTuple):
    """A file to be written, with the slices of it: records by block, bundles by fault.

    last_lines: of the programs' logs, by fault.
    """

    name: str
    content: bytes
    records: list[FileSlice]
    bundles: list[FileSlice]
    last_lines: dict[str, str]


def build_file(contest_id: str, rows: Iterable[PackedRow]) -> RecordFile:
    """Return a file: for each row an array of contest, label, take, block number and id, fault id, bytes.

    The arrays are MessagePack, so that the file can be read without the database.
    """
    content, places = bytearray(), list[tuple[PackedRow, int]]()
    for row in rows:
        content += msgspec.msgpack.encode((contest_id, *row))
        places.append((row, len(content) - len(row.data)))
    name = f"{contest_id}.{hashlib.sha256(content).hexdigest()}{SUFFIX}"
    return RecordFile(
        name,
        bytes(content),
        [FileSlice(row.block, name, start, len(row.data)) for row, start in places if not row.fault],
        [FileSlice(row.fault, name, start, len(row.data)) for row, start in places if row.fault],
        {row.fault: read_last_line(row.data) for row, _ in places if row.fault},
    )


def read_last_line(packed: bytes) -> str:
    """Return the last line of the program's log in a fault's bundle."""
    try:
        bundle = msgspec.msgpack.decode(expand_bytes(packed), type=Bundle)
    except (msgspec.DecodeError, zlib.error):  # a list can still show the other faults
        return UNREADABLE
    return clean_line(find_cause(bundle)[:MAX_LAST_LINE])


class RecordFiles:
    """Reader of records, in the database or in files; safe for threads.

    A file is read whole, and compared with the hash in its name, before any of it is used.
    """

    def __init__(self, storage: Storage, metrics: TournamentMetrics) -> None:
        self.storage, self.metrics = storage, metrics
        self._load = lru_cache(MAX_CACHED_FILES)(self._read_file)

    def write_file(self, file: RecordFile) -> None:
        """Write a file and read it back; raise RecordsLost if the content differs."""
        self.storage.put(file.name, [file.content])
        try:
            is_whole = b"".join(self.storage.read(file.name)) == file.content
        except FileNotFoundError:
            is_whole = False
        if not is_whole:
            raise RecordsLost(f"{file.name} does not read back as it was written.")

    def read_sets(self, result: BlockResult) -> list[SetOutcome]:
        """Return the deal sets of a block."""
        return msgspec.msgpack.decode(
            expand_bytes(self._read_bytes(result, result.records)), type=list[SetOutcome]
        )

    def read_bundle(self, fault: BlockFault) -> Bundle:
        """Return the bundle of a fault."""
        return msgspec.msgpack.decode(expand_bytes(self._read_bytes(fault, fault.bundle)), type=Bundle)

    def _read_bytes(self, row: BlockResult | BlockFault, here: bytes) -> bytes:
        if not row.file_size:
            return here
        return self._load(row.file_name)[row.file_offset : row.file_offset + row.file_size]

    def _read_file(self, name: str) -> bytes:
        """Return a file's content. Errors name neither path nor address of the storage."""
        try:
            content = b"".join(self.storage.read(name))
        except FileNotFoundError:
            raise self._report_lost(name, "is missing") from None
        except StorageUnavailable as error:
            logger.warning("a record file cannot be read", name=name, words=str(error))
            raise StorageUnavailable from None
        if hashlib.sha256(content).hexdigest() != name.split(".")[-2]:
            raise self._report_lost(name, "is damaged")
        return content

    def _report_lost(self, name: str, words: str) -> RecordsLost:
        self.metrics.record_files.labels("lost").inc()
        logger.error("alert", words=f"{self.storage.url}: {name} {words}")
        return RecordsLost(
            f"The record file {name} {words}. Whoever runs the arena can copy it back from files/records/ of"
            " a backup."
        )
