"""Installs what `make` needs into the checkout: `python3 deploy/install.py uv|platform|dev [VENV]`.

`platform` is what an arena and every command need, `dev` adds the tools for work on the project, `uv` is the
installer alone. Each part is built beside its place and renamed when it is whole, so that it can be
interrupted at any moment and repeated. It runs before anything is installed: standard library only, and on an
older Python it says so.
"""

from __future__ import annotations

import signal

HEARD = signal.getsignal(signal.SIGINT)
if HEARD is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C among the imports is no traceback

import fcntl
import hashlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
UV_VERSION = "0.13.9"
UV = ROOT / ".uv"
LOCKS = {"platform": "requirements.lock", "dev": "requirements-dev.lock"}
READY = ".ready"
SILENCE = 5.0
"""Seconds after which a step that says nothing is said to go on."""
SHOWN = ("Downloading ", "Downloaded ", "Building ", "Collecting ")
"""What pip and uv say that is worth a line."""
USED = """
import os, sys
child = os.fork()
if child:
    import services.tournament.app, services.registry.app, services.web.app
    import services.shared.migrate, sqlalchemy.dialects.sqlite
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
import services.worker.app, celery.bin.worker, celery.concurrency.prefork, kombu.transport.redis
import maumau.cli.command, maumau.cli.demonstration, services.supervisor.app, rich.live, rich.progress
"""
"""Imports what an arena imports, on two cores: compiled once, not by each process of the first start.

Not required: a checkout whose source is being changed must still be able to generate code.
"""


def main() -> None:
    """Installs what is asked for unless it is there; exit 1 with a sentence if that fails."""
    if sys.version_info < (3, 11):  # noqa: UP036  # nothing has kept an older one from running this
        sys.exit("error: Maumau Arena needs Python 3.11 or newer, and this is " + sys.version.split()[0])
    kind, venv = sys.argv[1], ROOT / (sys.argv[2:] or [".venv"])[0]
    try:
        signal.signal(signal.SIGINT, HEARD)
        if is_installed(kind, venv):
            return
        with (ROOT / ".install.lock").open("w") as lock:
            wait_for(lock)
            if not is_installed(kind, venv):  # the one that was waited for may have done it
                install(kind, venv, lock.fileno())
    except KeyboardInterrupt:
        sys.exit("interrupted; the next `make` begins this step again")


def wait_for(lock: IO[str]) -> None:
    """Take the lock. It is held until the last program that its holder has started ends, too."""
    start = said = time.monotonic()
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            if now - said >= SILENCE:
                said = now
                say(f"another `make` installs here; waiting for it, {now - start:.0f} s so far")
            time.sleep(0.1)


def install(kind: str, venv: Path, lock: int) -> None:
    """What is missing for this kind. What an interrupted run has left is removed first."""
    for left in (beside(UV, "new"), beside(venv, "new"), beside(venv, "old")):
        shutil.rmtree(left, ignore_errors=True)
    if not has_uv():
        fetch_uv(lock)
    if kind != "uv":
        there = read_stamp(venv)
        build("dev" if there.get("kind") == "dev" else kind, venv, lock)  # an update keeps the tools


def beside(folder: Path, what: str) -> Path:
    """The folder next to it in which its next or last version lies for a moment."""
    return folder.with_name(f"{folder.name}.{what}")


def is_installed(kind: str, venv: Path) -> bool:
    """Whether this kind is there in full, from the locks as they are now."""
    if kind == "uv":
        return has_uv()
    there = read_stamp(venv)
    return there.get("digest") == digest() and kind in {"platform", there["kind"]}


def read_stamp(venv: Path) -> dict[str, str]:
    """What the environment says of itself; nothing if it is not whole or its Python is gone."""
    if not (venv / "bin/python").exists():
        return {}
    try:
        stamp: dict[str, str] = json.loads((venv / READY).read_text())
    except (OSError, ValueError):
        return {}
    return stamp


def digest() -> str:
    """Of all that decides what is installed."""
    import tomllib

    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    parts = [json.dumps([project["project"], project["build-system"], sys.version]).encode()]
    parts += [(ROOT / name).read_bytes() for name in LOCKS.values()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def has_uv() -> bool:
    """Whether the installer is there, whole: it is renamed into place."""
    return (UV / "bin/uv").exists()


def fetch_uv(lock: int) -> None:
    """The installer from its wheel; where Python comes without pip, with the pip of an environment."""
    fresh, pip = beside(UV, "new"), [sys.executable, "-m", "pip"]
    target = ["--target", str(fresh)]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode:
        run("preparing pip", [sys.executable, "-m", "venv", str(fresh)], lock)
        pip, target = [str(fresh / "bin/python"), "-m", "pip"], []
    flags = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"]
    run("fetching uv, which installs the rest", [*pip, "install", *flags, *target, f"uv=={UV_VERSION}"], lock)
    shutil.rmtree(UV, ignore_errors=True)
    fresh.rename(UV)


def build(kind: str, venv: Path, lock: int) -> None:
    """A new environment beside the old one, which takes its place when it is whole."""
    fresh, name = beside(venv, "new"), LOCKS[kind]
    say(f"installing into {venv.name}, this once")
    fill(fresh, name, lock, compiled=kind == "dev")
    python = str(fresh / "bin/python")
    run("compiling what an arena uses", [python, "-c", USED], lock, required=False)
    run("compiling Maumau Arena itself", [python, "-m", "compileall", "-q", "maumau", "services"], lock)
    (fresh / READY).write_text(json.dumps({"kind": kind, "digest": digest()}))
    if venv.exists():
        venv.rename(beside(venv, "old"))
    fresh.rename(venv)
    shutil.rmtree(beside(venv, "old"), ignore_errors=True)


def fill(fresh: Path, name: str, lock: int, *, compiled: bool) -> None:
    """The packages of a lock file and the checkout itself; relocatable, for the folder is renamed."""
    uv, python = str(UV / "bin/uv"), str(fresh / "bin/python")
    pip = [uv, "pip", "install", "--python", python]
    sync = [uv, "pip", "sync", "--python", python, "--require-hashes", str(ROOT / name)]
    count = sum("==" in line for line in (ROOT / name).read_text().splitlines())
    run("making the environment", [uv, "venv", "--relocatable", "--python", sys.executable, str(fresh)], lock)
    run(f"installing the {count} packages of {name}", [*sync, *["--compile-bytecode"] * compiled], lock)
    own = [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    run("installing Maumau Arena itself", own, lock)
    point_at_checkout(fresh)


def point_at_checkout(fresh: Path) -> None:
    """Say by a relative path where the checkout is: a .pth file is read in the encoding of the locale.

    An absolute one with an umlaut keeps every Python before 3.13 from starting where LC_ALL is C.
    """
    for pointer in fresh.glob("lib/python*/site-packages/_editable_impl_maumau_arena.pth"):
        pointer.write_text(os.path.relpath(ROOT, pointer.parent.resolve()) + "\n", encoding="ascii")


def run(words: str, command: list[str], lock: int, *, required: bool = True) -> None:
    """One step, which inherits the lock. Says how it goes on; if a required one fails, all that it said."""
    say(words)
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=env, pass_fds=[lock],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        said = follow(words, process)
    except BaseException:
        process.kill()
        process.wait()
        raise
    if process.wait() and required:
        sys.stderr.write(said)
        sys.exit(f"error: {words} failed (exit code {process.returncode}); the next `make` tries again")


def follow(words: str, process: subprocess.Popen[bytes]) -> str:
    """All that the step says until it ends."""
    assert process.stdout
    start, said, rest = time.monotonic(), "", b""
    while True:
        if not select.select([process.stdout], [], [], SILENCE)[0]:
            say(f"  {words}: {time.monotonic() - start:.0f} s so far")
            continue
        part = os.read(process.stdout.fileno(), 65536)
        *lines, rest = (rest + part).split(b"\n") if part else (rest, b"")
        for text in (line.decode(errors="replace").strip() for line in lines):
            said += f"{text}\n"
            if text.startswith(SHOWN):
                say(f"  {text}")
        if not part:
            return said


def say(words: str) -> None:
    """One line, at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
