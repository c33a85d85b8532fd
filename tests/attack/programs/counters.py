"""Word for its next self in what the machine counts: numbers that it can bring to a value, and read later."""

import time
from pathlib import Path

import wall

COUNTS = "vmstat stat loadavg uptime interrupts softirqs diskstats buddyinfo zoneinfo schedstat meminfo"


def read():
    return {name: (Path("/proc") / name).read_bytes() for name in COUNTS.split() if there(name)}


def there(name):
    """Return True if it can be read at all: without Landlock there is no /proc."""
    try:
        return bool((Path("/proc") / name).read_bytes())
    except OSError:
        return False


def changes():
    """Return the names whose values change in half a second of work."""
    before, until = read(), time.monotonic() + 0.5
    while time.monotonic() < until:
        bytearray(1 << 20)
    return [name for name, value in read().items() if value != before[name]]


def settings():
    return [str(path) for top in ("sys", "pressure", "fs") for path in Path("/proc", top).glob("*/*")]


wall.tries(read_what_changes=changes, read_settings=settings)
