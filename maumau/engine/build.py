"""Build the engine and keep it: `python -m maumau.engine.build [--wait|--kept]`, which prints its folder.

maumau.engine.background starts it without `--wait`: at idle priority, unless another one is building, and not
again within a day after a failure. It can be killed at any moment, and then begins again another time.
`--kept` builds nothing, and only says where a build is.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from maumau.engine import cache, toolchain
from maumau.engine.choice import VARIABLE
from maumau.engine.modules import (
    GROUP,
    HASHED,
    LIBRARY,
    OPTIMISATION,
    PACKAGE,
    SUFFIX,
    compute_key,
    list_modules,
)

LOCK, DRAFT, FAILED, TOOLS = "lock", ".draft-", "failed-", "tools-"
LIMIT = 1800
"""CPU seconds of each of its programs, after which a compiler that hangs is ended."""
STILL, LOOK = 600.0, 5.0
"""Seconds in which none of its processes ran or wanted to, after which it is ended; and between two looks."""
LEASH = Path(__file__).with_name("leash.py")
TRIAL = Path(__file__).with_name("trial.py")
GENERATE = Path(__file__).with_name("generate.py")


PASSING = ("Terminated", "No space left")
"""Words of failures that say nothing about the next build."""


class BuildFailed(Exception):
    """A step of the build that failed, with what it said about it."""


class Interrupted(BuildFailed):
    """The machine was shut down or the disk was full: the next start tries again."""


def main() -> None:
    """Build unless that has been done; exit 1 with a sentence if it fails."""
    waits = "--wait" in sys.argv[1:]
    if "--kept" in sys.argv[1:]:
        return _print_kept()
    try:
        folder = cache.open_folder()
        if not waits:
            _be_idle()
        with _locked(folder, waits=waits):
            print(build(folder))  # noqa: T201  # a program
    except BlockingIOError:
        sys.exit("another process is building")
    except (BuildFailed, cache.Unusable, OSError) as error:
        sys.exit(f"error: the engine cannot be compiled: {error}")


def _print_kept() -> None:
    try:
        found = cache.find_build(compute_key())
    except (cache.Unusable, OSError) as error:
        sys.exit(f"error: {error}")
    if not found:
        sys.exit("error: there is no build of these sources: `make compiled` makes one")
    print(found.folder)  # noqa: T201  # a program


def build(folder: Path) -> Path:
    """Return the build of the present sources in the cache, made if it is missing."""
    if missing := toolchain.explain_missing():
        raise BuildFailed(missing)
    tools = toolchain.compute_tools()
    _remove(folder.glob(f"{DRAFT}*"))  # of killed processes: this one has the lock
    if found := find_current(compute_key(), tools):
        return found
    with tempfile.TemporaryDirectory(prefix=DRAFT, dir=folder) as name:
        draft = Path(name)
        key = _copy_sources(draft / "source")
        failed = folder / f"{FAILED}{key}-{tools}"
        try:
            env = _prepare_environment(draft)
            _check_compiler(draft, env)
            _compile(draft / "source", env | _prepare_tools(folder, draft, env))
            _try(draft / "source")
        except Interrupted:
            raise
        except BuildFailed as error:
            failed.write_text(f"{error}\n", encoding="utf-8")
            raise
        made = _keep(draft, folder / f"{cache.PREFIX}{key}-{tools}")
    _remove([failed, *cache.list_unused(), *_list_old(folder)])
    return made


def find_current(key: str, tools: str) -> Path | None:
    """Return the whole build of these sources and tools, or None."""
    found = cache.list_builds(f"{key}-{tools}")
    return next((path for path in found if cache.read_build(path)), None)


def _be_idle() -> None:
    """Take only time that nothing else wants, of processors and disks, and be the first to be killed."""
    with contextlib.suppress(OSError):
        os.nice(19)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    marks = {"oom_score_adj": "1000"}
    if os.getsid(0) == os.getpid():  # else it would slow down all of the terminal that it was started in
        marks["autogroup"] = "19"
    for name, value in marks.items():
        with contextlib.suppress(OSError):
            Path("/proc/self", name).write_text(value, encoding="ascii")


@contextlib.contextmanager
def _locked(folder: Path, *, waits: bool) -> Iterator[None]:
    """Keep others from building; raise BlockingIOError if one does, unless this one waits for it."""
    import fcntl  # only Linux builds

    with (folder / LOCK).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        yield


def is_building() -> bool:
    """Return True if a process of this user is building."""
    import fcntl

    try:
        with (cache.get_folder() / LOCK).open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # others may ask at the same time
    except BlockingIOError:
        return True
    except (cache.Unusable, OSError):  # no lock has been made
        return False
    return False


def _copy_sources(place: Path) -> str:
    """Copy the sources, which may be changed meanwhile, and return the key of the copy."""
    own = place / "maumau"
    own.mkdir(parents=True)
    shutil.copyfile(PACKAGE / "__init__.py", own / "__init__.py")
    ignored = shutil.ignore_patterns("*.so", "__pycache__")
    for name in (*HASHED, "engine", "variants"):
        if (PACKAGE / name).is_dir():
            shutil.copytree(PACKAGE / name, own / name, ignore=ignored)
    return compute_key(place / "maumau")


def _prepare_environment(draft: Path) -> dict[str, str]:
    """Return the environment of compilers: without flags that are meant for something else."""
    kept = {key: value for key, value in os.environ.items() if not key.endswith("FLAGS")}
    return {**kept, "CC": toolchain.find_compiler(), "PYTHONPATH": "", "TMPDIR": str(draft)}


def _check_compiler(draft: Path, env: dict[str, str]) -> None:
    """Raise BuildFailed if the compiler cannot make the smallest module: all else takes a minute."""
    (draft / "probe.c").write_text("#include <Python.h>\nint probe(void) { return 0; }\n", encoding="ascii")
    include = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
    command = [*shlex.split(env["CC"]), "-shared", "-fPIC", *include, "probe.c", "-o", "probe.so"]
    _run(f"a first look at {env['CC']}", command, draft, env)


def _prepare_tools(folder: Path, draft: Path, env: dict[str, str]) -> dict[str, str]:
    """Return the variables by which Python finds mypyc, fetched by its hash if it is missing."""
    if toolchain.has_mypyc():
        return {}
    place = folder / f"{TOOLS}{toolchain.compute_lock()}"
    if not place.is_dir():
        fresh, lock = draft / "tools", str(PACKAGE.parent / toolchain.LOCK)
        words = ["pip", "sync", "--quiet", "--require-hashes", "--target", str(fresh), lock]
        _run("fetching mypy", [str(toolchain.find_uv()), *words, "--python", sys.executable], draft, env)
        fresh.rename(place)
    return {"PYTHONPATH": str(place)}


def _compile(source: Path, env: dict[str, str]) -> None:
    command = [sys.executable, "-P", str(GENERATE), GROUP, OPTIMISATION, *list_modules(source / "maumau")]
    _run("compiling", command, source, env)


def _try(source: Path) -> None:
    """Raise BuildFailed unless the compiled engine plays as the sources do."""
    compiled = _run("trying", [sys.executable, "-P", str(TRIAL), str(source)], source)
    played = _run("trying", [sys.executable, "-P", str(TRIAL), str(PACKAGE.parent)], source)
    if compiled.split() != ["compiled", *played.split()[1:]]:
        raise BuildFailed(f"the compiled engine plays {compiled}, the sources {played}")


def _run(words: str, command: list[str], folder: Path, env: dict[str, str] | None = None) -> str:
    """Return the output of a program; raise BuildFailed with the end of it if it fails."""
    limited = ["prlimit", f"--cpu={LIMIT}", "--", *command] if shutil.which("prlimit") else command
    around, pipe = {**(env or os.environ), VARIABLE: "source"}, subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(LEASH), *limited], cwd=folder, env=around, stdin=pipe, stdout=pipe,
        stderr=pipe, text=True, errors="replace", process_group=0,
    )  # fmt: skip  # not a session: it would be scheduled beside this one, and not at its low priority
    try:
        said, complaints = _wait(words, process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        raise _explain_failure(words, process.returncode, f"{said}\n{complaints}")
    return said


def _wait(words: str, process: subprocess.Popen[str]) -> tuple[str, str]:
    """Return a program's output once it ends; raise BuildFailed if nothing of it runs for long."""
    held, process.stdin = process.stdin, None  # else it would be closed now, and the leash pulled
    used, since = -1, time.monotonic()
    try:
        while True:
            try:
                return process.communicate(timeout=LOOK)
            except subprocess.TimeoutExpired:
                now, is_running = _look_at_group(process.pid)
            if is_running or now != used:
                used, since = now, time.monotonic()
            elif time.monotonic() - since > STILL:
                raise BuildFailed(f"{words} failed: it hung, without using a processor for {STILL:g} s")
    finally:
        if held:
            held.close()


def _look_at_group(group: int) -> tuple[int, bool]:
    """Return the CPU ticks of a process group, and True if one of it runs, waits to, or for a disk."""
    ticks, is_running = 0, False
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = path.read_text(errors="replace").rpartition(")")[2].split()
            if int(words[2]) == group:
                ticks += sum(map(int, words[11:15]))
                is_running |= words[0] in "RD"
    return ticks, is_running


def _explain_failure(words: str, code: int, said: str) -> BuildFailed:
    """Return the error of a step that failed: with the first line about an error, else with the last one."""
    lines = said.strip().splitlines() or ["it said nothing"]
    errors = [line for line in lines if "error:" in line.lower()] or lines[-1:]
    is_passing = code in {-signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT} or any(
        map(said.__contains__, PASSING)
    )
    kind = Interrupted if is_passing else BuildFailed
    return kind(f"{words} failed (exit code {code}): {errors[0].strip()[:300]}")


def _keep(draft: Path, place: Path) -> Path:
    """Put the compiled modules in their place, once they are on the disk."""
    source, fresh, files = draft / "source", draft / "build", {}
    for name in [f"{LIBRARY}.py", *list_modules(source / "maumau")]:
        built = str(Path(name).with_suffix(SUFFIX))
        (fresh / built).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / built, fresh / built)
        content = (fresh / built).read_bytes()
        files[name.removesuffix(".py").replace("/", ".")] = built, len(content), sha256(content).hexdigest()
    (fresh / cache.MANIFEST).write_text(json.dumps(files), encoding="utf-8")
    (fresh / cache.USED).touch()
    for path in [*fresh.rglob("*"), fresh]:
        path.chmod(cache.PRIVATE)
        _write_to_disk(path)
    _remove([place])  # one that is not whole
    fresh.rename(place)
    _write_to_disk(place.parent)
    return place


def _write_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _list_old(folder: Path) -> list[Path]:
    """Return notes of failures, and tools, that have not been made or used lately."""
    found = [*folder.glob(f"{FAILED}*"), *folder.glob(f"{TOOLS}*")]
    return [path for path in found if time.time() - path.lstat().st_mtime > cache.KEPT]


def _remove(paths: Iterator[Path] | list[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
