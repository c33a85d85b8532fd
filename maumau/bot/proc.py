"""What a program finds in /proc of the machine: fixed copies of what runtimes ask for, else nothing.

A program could bring such a counter to a value, and read it in its next seating.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from maumau.bot import artifact_cache

COUNTS = """
buddyinfo cpuinfo diskstats fs interrupts loadavg meminfo pressure schedstat softirqs stat sys uptime vmstat
zoneinfo
"""  # all that a user may read and that changes with what anybody does; each cover costs a start its part
NOTHING, EMPTY = "nothing", "empty/nothing"
TIMES = " 0" * 10


def list_covers() -> list[str]:
    """The words for bubblewrap that cover everything else, after it has mounted a /proc."""
    place, found = _make_copies(), []
    for entry in filter(Path.exists, (Path("/proc", name) for name in COUNTS.split())):
        cover = place / (Path(EMPTY).parent if entry.is_dir() else _name_copy(place, entry.name))
        found += ["--ro-bind", str(cover), str(entry)]
    return found


def _name_copy(place: Path, name: str) -> str:
    return name if (place / name).is_file() else NOTHING


def _make_copies() -> Path:
    """In the artifact cache, which the programs' users can read; drafts too, where dead ones are removed."""
    texts = {NOTHING: "", EMPTY: "", **_write_texts()}
    with tempfile.TemporaryDirectory(prefix=".proc-", dir=artifact_cache.find_cache_folder()) as folder:
        for name, text in texts.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text)
        return artifact_cache.keep_copy("proc", [(name, Path(folder, name)) for name in texts])


def _write_texts() -> dict[str, str]:
    """The processors and the size of the memory, and nothing that changes."""
    memory = re.findall(r"^MemTotal: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)[0]
    sizes = {"MemTotal": memory, "MemFree": memory, "MemAvailable": memory, "SwapTotal": "0", "SwapFree": "0"}
    cores = "".join(f"cpu{number}{TIMES}\n" for number in range(os.cpu_count() or 1))
    speeds = re.compile(r"^(cpu MHz\s*: ).*$", re.MULTILINE)
    return {
        "cpuinfo": speeds.sub(r"\g<1>1000.000", Path("/proc/cpuinfo").read_text()),
        "meminfo": "".join(f"{name + ':':<15} {size:>8} kB\n" for name, size in sizes.items()),
        "stat": f"cpu {TIMES}\n{cores}",
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
        "uptime": "0.00 0.00\n",
    }
