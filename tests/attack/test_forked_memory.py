"""The memory of a warm start is a copy of the fork server's: what it tells of earlier starts.

The number that the host gave a process would be word for a later life: whoever forks moves the next one.
"""

from __future__ import annotations

import itertools
import os
import re
import struct
from contextlib import closing
from pathlib import Path

import pytest

from maumau.errors import SandboxUnavailable
from maumau.protocol.limit import RunLimits
from maumau.sandbox.kernel.host import is_readable
from maumau.sandbox.launch import Launch, Sandbox, choose_sandbox

LIVES, LAGS = 4, 3
"""Starts; how many starts back a number may come from. At least two of the same lag are compared."""
WAIT = 30.0  # seconds
HEADER, WORD = struct.Struct("QQ"), struct.Struct("I")

Memory = dict[int, bytes]
"""Regions by their first address."""


@pytest.fixture
def bwrap(not_tested):
    try:
        return choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        not_tested("the memory of warm starts", str(reason))


def show_memory(sandbox: Sandbox, folder: Path) -> tuple[Memory, dict[str, int]]:
    """Return a start's memory, and the host's numbers of its process and of the one that forked it."""
    launch = Launch(folder, "", ["python3", "bot.py"], "python", RunLimits(), 60)
    with closing(sandbox.start(launch)) as sandboxed:
        words = Path(f"/proc/{sandboxed.pid}/stat").read_text().rpartition(")")[2].split()
        numbers = {"itself": sandboxed.pid, "parent": int(words[1])}
        return split_regions(read_output(sandboxed.stdout)), numbers


def read_output(descriptor: int) -> bytes:
    chunks = []
    while is_readable(descriptor, WAIT):
        chunks.append(os.read(descriptor, 1 << 20))
        if not chunks[-1]:
            return b"".join(chunks)
    raise TimeoutError("it has not ended")


def split_regions(data: bytes) -> Memory:
    regions, place = {}, 0
    while place < len(data):
        begin, size = HEADER.unpack_from(data, place)
        place += HEADER.size
        regions[begin] = data[place : place + size]
        place += size
    return regions


def find_number(memory: Memory, number: int) -> set[int]:
    """Return the addresses of the words that are this number."""
    pattern = re.compile(re.escape(WORD.pack(number)))
    found = (begin + match.start() for begin, region in memory.items() for match in pattern.finditer(region))
    return {address for address in found if address % WORD.size == 0}


def read_word(memory: Memory, address: int) -> int | None:
    """Return the word at this address, None if it is in no region."""
    for begin, region in memory.items():
        if begin <= address < begin + len(region):
            return WORD.unpack_from(region, address - begin)[0]
    return None


def find_told(lives: list[tuple[Memory, dict[str, int]]]) -> list[tuple[str, int, int]]:
    """Return (whose, how many starts ago, address) of places that hold such a number in every life."""
    found = list[tuple[str, int, int]]()
    for whose, lag in itertools.product(("itself", "parent"), range(LAGS)):
        pairs = [
            (memory, earlier[whose]) for (memory, _), (_, earlier) in zip(lives[lag:], lives, strict=False)
        ]
        found += [
            (whose, lag, address)
            for address in sorted(find_number(*pairs[0]))
            if all(read_word(memory, address) == number for memory, number in pairs)
        ]
    return found


def test_numbers_at_one_address_in_every_life_are_found():
    """The word at 104 is in each life the number of the process before: it is told, and nothing else is."""
    regions = [{100: WORD.pack(5) + WORD.pack(number)} for number in range(70, 70 + LIVES)]
    numbers = [{"itself": number + 1, "parent": 900 + number} for number in range(70, 70 + LIVES)]
    assert find_told(list(zip(regions, numbers, strict=True))) == [("itself", 1, 104)]


def test_a_warm_start_finds_no_number_of_a_process_in_its_memory(bwrap, tmp_path, not_tested):
    program = Path(__file__).with_name("show_memory.py").read_bytes()
    (tmp_path / "bot.py").write_bytes(program)
    lives = [show_memory(bwrap, tmp_path) for _ in range(LIVES)]
    if bwrap.warmth.starts["warm"] < LIVES:
        not_tested("the memory of warm starts", "this machine allows none")
    assert all(len(memory) > 1 for memory, _ in lives)
    assert find_told(lives) == []
