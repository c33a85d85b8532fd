"""Files with the records of many blocks: written once, named by their contest and their content."""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from maumau.bot.fault import Fault as Bundle
from maumau.bot.referee import SetOutcome
from maumau.errors import RecordsLost
from services.shared import log
from services.shared.storage import Storage
from services.tournament.metrics import Metrics
from services.tournament.models import BlockResult, Fault
from services.tournament.pack import expand
from services.tournament.store.record import FileSlice, PackedRow

MAX_CACHED_FILES = 4  # files that stay in memory after they were read
SUFFIX = ".records"

logger = log.get(__name__)


class RecordFile(NamedTuple):
    """A file that is to be written, and what lies where in it: records by block, bundles by fault."""

    name: str
    content: bytes
    records: list[FileSlice]
    bundles: list[FileSlice]


def build_file(contest_id: str, packed: Iterable[PackedRow]) -> RecordFile:
    """A MessagePack array for each row: contest, label, take, block's number, its id, the fault's, the bytes.

    So the file can be read without the database.
    """
    content, places = bytearray(), list[tuple[PackedRow, int]]()
    for one in packed:
        content += msgspec.msgpack.encode((contest_id, *one))
        places.append((one, len(content) - len(one.data)))
    name = f"{contest_id}.{hashlib.sha256(content).hexdigest()}{SUFFIX}"
    records = [FileSlice(one.block, name, start, len(one.data)) for one, start in places if not one.fault]
    bundles = [FileSlice(one.fault, name, start, len(one.data)) for one, start in places if one.fault]
    return RecordFile(name, bytes(content), records, bundles)


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
        if b"".join(self.storage.read(file.name)) != file.content:
            raise RecordsLost(f"{file.name} was written, and is another file when it is read.")

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
        try:
            content = b"".join(self.storage.read(name))
        except FileNotFoundError:
            raise self._lost(name, "is missing") from None
        if hashlib.sha256(content).hexdigest() != name.split(".")[-2]:
            raise self._lost(name, "is damaged: it is not as it was written")
        return content

    def _lost(self, name: str, words: str) -> RecordsLost:
        self.metrics.record_files.labels("lost").inc()
        logger.error("alert", words=f"{self.storage.url}: {name} {words}")
        return RecordsLost(f"The file {name} of MAUMAU_RECORDS {words}; `maumau admin restore` has it.")
