"""The /proc that a program finds: fixed copies of what runtimes ask for of the machine, else nothing to read.

A program could set a live counter to a value, and read it in its next seating. Landlock keeps it from reading
anything else there (inside/landlock.py); folders of the machine are covered, so that they cannot be
listed either.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from maumau.sandbox.files import artifact_cache

EMPTY = "empty/nothing"
TIMES = " 0" * 10
COPIES = ("cpuinfo", "meminfo", "stat", "loadavg", "uptime")
READABLE = [f"/proc/{name}" for name in COPIES]


def list_covers() -> list[str]:
    """Return bubblewrap's arguments that mount a /proc and cover the machine's entries."""
    place = _make_copies()
    found = ["--proc", "/proc"]
    for name in COPIES:
        found += ["--ro-bind", str(place / name), f"/proc/{name}"]
    for folder in _list_folders():
        found += ["--ro-bind", str(place / Path(EMPTY).parent), str(folder)]
    return [*found, "--remount-ro", "/proc"]


def _list_folders() -> list[Path]:
    """Return the folders of /proc that do not belong to a process."""
    found = (Path(entry) for entry in os.scandir("/proc") if entry.is_dir(follow_symlinks=False))
    return sorted(path for path in found if not path.name.isdigit())


def _make_copies() -> Path:
    """Return the copies, in the artifact cache, which the programs' users can read."""
    texts = {EMPTY: "", **_write_texts()}
    with tempfile.TemporaryDirectory(prefix=".proc-", dir=artifact_cache.find_cache_folder()) as folder:
        for name, text in texts.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text)
        return artifact_cache.keep_copy("proc", [(name, Path(folder, name)) for name in texts])


def _write_texts() -> dict[str, str]:
    """Return the texts: processors and memory size, and no value that changes."""
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
