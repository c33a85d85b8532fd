"""Files with the records of many blocks: written once, named by their contest and their content."""

import hashlib
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from maumau.bot.fault import Fault as Bundle
from maumau.bot.fault import last_line
from maumau.bot.referee import SetOutcome
from maumau.bot.words import clean_line
from maumau.errors import RecordsLost, StorageUnavailable
from services.shared import log
from services.shared.storage import Storage
from services.tournament.metrics import Metrics
from services.tournament.models import BlockResult, Fault
from services.tournament.pack import expand
from services.tournament.store.record import FileSlice, PackedRow

MAX_CACHED_FILES = 4  # files that stay in memory after they were read
MAX_LAST_LINE = 300  # characters of an exception in a list
SUFFIX = ".records"
UNREADABLE = "its details cannot be read"

logger = log.get(__name__)


class RecordFile(NamedTuple):
    """A file that is to be written, and what lies where in it: records by block, bundles by fault.

    last_lines: by fault, of its program's log.
    """

    name: str
    content: bytes
    records: list[FileSlice]
    bundles: list[FileSlice]
    last_lines: dict[str, str]


def build_file(contest_id: str, rows: Iterable[PackedRow]) -> RecordFile:
    """A MessagePack array for each row: contest, label, take, block's number, its id, the fault's, the bytes.

    So the file can be read without the database.
    """
    content, places = bytearray(), list[tuple[PackedRow, int]]()
    for row in rows:
        content += msgspec.msgpack.encode((contest_id, *row))
        places.append((row, len(content) - len(row.data)))
    name = f"{contest_id}.{hashlib.sha256(content).hexdigest()}{SUFFIX}"
    return RecordFile(
        name, bytes(content),
        [FileSlice(row.block, name, start, len(row.data)) for row, start in places if not row.fault],
        [FileSlice(row.fault, name, start, len(row.data)) for row, start in places if row.fault],
        {row.fault: read_last_line(row.data) for row, _ in places if row.fault},
    )  # fmt: skip


def read_last_line(packed: bytes) -> str:
    """What the log of a program ends with where the program ended: of the bundle of a fault."""
    try:
        bundle = msgspec.msgpack.decode(expand(packed), type=Bundle)
    except (msgspec.DecodeError, zlib.error):  # a list has the other faults all the same
        return UNREADABLE
    return clean_line(last_line(bundle)[:MAX_LAST_LINE])


class RecordFiles:
    """Reads what was played, wherever it lies. Threads may share it.

    A file is read whole, and compared with the hash in its name, before anything in it is believed.
    """

    def __init__(self, storage: Storage, metrics: Metrics) -> None:
        self.storage, self.metrics = storage, metrics
        self._load = lru_cache(MAX_CACHED_FILES)(self._read)

    def write_file(self, file: RecordFile) -> None:
        """Writes a file and reads it back; RecordsLost if it is not as it was written."""
        self.storage.put(file.name, [file.content])
        try:
            is_whole = b"".join(self.storage.read(file.name)) == file.content
        except FileNotFoundError:
            is_whole = False
        if not is_whole:
            raise RecordsLost(f"{file.name} does not read back as it was written.")

    def read_sets(self, result: BlockResult) -> list[SetOutcome]:
        """The deal sets of a block."""
        return msgspec.msgpack.decode(expand(self._bytes(result, result.records)), type=list[SetOutcome])

    def read_bundle(self, fault: Fault) -> Bundle:
        """All about a fault."""
        return msgspec.msgpack.decode(expand(self._bytes(fault, fault.bundle)), type=Bundle)

    def _bytes(self, row: BlockResult | Fault, here: bytes) -> bytes:
        if not row.file_size:
            return here
        return self._load(row.file_name)[row.file_offset : row.file_offset + row.file_size]

    def _read(self, name: str) -> bytes:
        """Whoever asks is told nothing of the place: no path, no address."""
        try:
            content = b"".join(self.storage.read(name))
        except FileNotFoundError:
            raise self._lost(name, "is missing") from None
        except StorageUnavailable as error:
            logger.warning("a record file cannot be read", name=name, words=str(error))
            raise StorageUnavailable from None
        if hashlib.sha256(content).hexdigest() != name.split(".")[-2]:
            raise self._lost(name, "is damaged")
        return content

    def _lost(self, name: str, words: str) -> RecordsLost:
        self.metrics.record_files.labels("lost").inc()
        logger.error("alert", words=f"{self.storage.url}: {name} {words}")
        return RecordsLost(
            f"The record file {name} {words}. Whoever runs the arena can copy it back from files/records/ of"
            " a backup."
        )
