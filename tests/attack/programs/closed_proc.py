"""Everything in /proc that a program could read: of itself, of the machine, by every way that leads there."""

import os

import wall

COPIES = {"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime"}
WAYS = ("/proc", "/proc/self/root/proc", "/proc/1/root/proc", "/proc/self/cwd/../proc")
OWN = ("self", "thread-self", "1", str(os.getpid()))
ELSEWHERE = ("fd", "exe", "cwd", "root")  # links that lead out of /proc again
FILES = [
    *(
        "smaps",
        "smaps_rollup",
        "numa_maps",
        "pagemap",
        "maps",
        "clear_refs",
        "mem",
        "status",
        "statm",
        "stat",
    ),
    *(
        "sched",
        "schedstat",
        "autogroup",
        "mountinfo",
        "mounts",
        "mountstats",
        "io",
        "cgroup",
        "environ",
        "auxv",
    ),
    *(
        "wchan",
        "stack",
        "syscall",
        "limits",
        "cmdline",
        "comm",
        "oom_score",
        "timers",
        "fdinfo/0",
        "net/unix",
    ),
]


def opened(path):
    with open(path, "rb") as file:
        return file.read(1) or True


def everywhere():
    """Yield every name that can be listed, except links that lead out."""
    for top, folders, names in os.walk("/proc"):
        folders[:] = [name for name in folders if name not in ELSEWHERE]
        yield from (os.path.join(top, name) for name in names if name not in ELSEWHERE)


def readable(paths):
    found = []
    for path in paths:
        try:
            opened(path)
        except OSError:
            continue
        found.append(path)
    return found


def strange():
    return sorted(set(readable(everywhere())) - COPIES)


def by_name():
    """Files of processes by every way, whether they can be listed or not."""
    return readable(f"{way}/{pid}/{name}" for way in WAYS for pid in OWN for name in FILES)


wall.tries(
    read_its_own_mappings=lambda: opened("/proc/self/smaps"),
    read_the_entries_of_its_pages=lambda: opened("/proc/self/pagemap"),
    read_what_the_machine_was_started_with=lambda: opened("/proc/cmdline"),
    read_the_configuration_of_the_kernel=lambda: opened("/proc/config.gz"),
    read_the_partitions=lambda: opened("/proc/partitions"),
    read_anything_that_is_listed=strange,
    read_anything_by_its_name=by_name,
)
