"""Installs what `make` needs into the checkout: `python3 deploy/install.py uv|platform|dev [VENV]`.

`platform` is what an arena and every command need, `dev` adds the tools for work on the project, `uv` is the
installer alone. Each part is built beside its place and renamed when it is whole, so that it can be
interrupted at any moment and repeated. An environment that an arena runs from is never replaced, nor is one
that works because another `python3` is asked; where nothing can be fetched, an arena starts with what is
there. It runs before anything is installed: standard library only, and on an older Python it says so.
"""

from __future__ import annotations

import signal

HEARD = signal.getsignal(signal.SIGINT)
if HEARD is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C among the imports is no traceback

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[1]
UV_VERSION = "0.13.9"
UV = ROOT / ".uv"
LOCKS = {"platform": "requirements.lock", "dev": "requirements-dev.lock"}
READY = ".ready"
"""The stamp of a whole environment, locked while an arena runs from it (services.supervisor.environment)."""
SILENCE = 5.0
"""Seconds after which a silent step is reported to be still running."""
SHOWN = ("Downloading ", "Downloaded ", "Building ", "Collecting ")
"""Prefixes of pip's and uv's output that is shown."""
UNTRUSTED = ("invalid peer certificate", "UnknownIssuer", "CERTIFICATE_VERIFY_FAILED")
"""Messages of uv and pip about an unknown certificate."""
UNREACHABLE = ("dns error", "tcp connect error", "establish a new connection", "from versions: none")
"""Messages of uv and pip where there is no network, or no index behind it."""
BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem")
"""Files with the certificates that the system trusts, on Debian, Fedora and SUSE."""
NO_INSTALLER = (
    "this Python has neither pip nor ensurepip: install python3-venv (Debian, Ubuntu), or, without root, uv:"
    " curl -LsSf https://astral.sh/uv/install.sh | sh"
)
USED = """
import os, sys
from importlib import import_module
from services.supervisor.process.fork_server import FIRST, LATER
child = os.fork()
for name in FIRST if child else LATER:
    import_module(name)
if child:
    import services.shared.store.migrate
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
import maumau.cli.command, maumau.cli.arena.demonstration, services.supervisor.app, rich.live, rich.progress
"""
"""Imports what an arena imports, on two cores: compiled once, not by each process of the first start.

Not required: a checkout whose source is being changed must still be able to generate code.
"""


class StepFailed(Exception):
    """A step of the installation that failed, in a sentence."""


class InUse(Exception):
    """The environment is in use by an arena."""


def main() -> None:
    """Install the requested kind unless it is present; exit 1 with a sentence on failure."""
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
    except InUse:
        words = (
            f"an arena runs from {venv.name}, which therefore stays as it is; stop the arena and repeat this"
        )
        go_on(kind, venv, words)
    except StepFailed as failed:
        go_on(kind, venv, f"{failed}; the next `make` tries again")


def go_on(kind: str, venv: Path, words: str) -> None:
    """Let an arena start with the packages that are there; exit 1 if there are none or tools are needed."""
    if kind != "platform" or not read_stamp(venv):
        sys.exit(f"error: {words}")
    say(f"warning: {words}")
    say("going on with the packages that are there, which may be older than this source")


def wait_for(lock: IO[str]) -> None:
    """Take the lock. It is held until the last program started by its holder has ended, too."""
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
    """Install the missing parts of this kind, after removing the remains of an interrupted run."""
    for left in (beside(UV, "new"), beside(venv, "new"), beside(venv, "old")):
        shutil.rmtree(left, ignore_errors=True)
    if kind != "uv" and is_in_use(venv):
        raise InUse
    if not has_uv():
        fetch_uv(lock)
    if kind != "uv":
        there = read_stamp(venv)
        build("dev" if there.get("kind") == "dev" else kind, venv, lock)  # an update keeps the tools


def beside(folder: Path, what: str) -> Path:
    """Return the sibling folder for the next or the last version, which exists briefly."""
    return folder.with_name(f"{folder.name}.{what}")


def is_installed(kind: str, venv: Path) -> bool:
    """Return True if this kind is completely installed from the present locks."""
    if kind == "uv":
        return has_uv()
    there = read_stamp(venv)
    return there.get("digest") == digest() and kind in {"platform", there["kind"]}


def read_stamp(venv: Path) -> dict[str, str]:
    """Return the environment's stamp, or {} if it is incomplete or its Python has changed."""
    try:
        stamp: dict[str, str] = json.loads((venv / READY).read_text())
    except (OSError, ValueError):
        return {}
    return stamp if stamp.get("python") in {None, find_abi(venv / "bin/python")} else {}


def find_abi(python: Path) -> str:
    """Return the ABI of this interpreter, such as `cpython-311`, or "" if it does not run."""
    command = [str(python), "-I", "-S", "-c", "import sys; print(sys.implementation.cache_tag)"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def is_in_use(venv: Path) -> bool:
    """Return True if an arena runs from this environment."""
    try:
        with lock_stamp(venv):
            return False
    except InUse:
        return True


@contextmanager
def lock_stamp(venv: Path) -> Iterator[None]:
    """Keep arenas from starting out of this environment. Raises InUse if one has."""
    try:
        file = (venv / READY).open()
    except OSError:  # not whole: nothing runs from it
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse from None
        yield


def digest() -> str:
    """Return the hash of everything that determines the installation."""
    import tomllib

    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    parts = [json.dumps([project["project"], project["build-system"]]).encode()]
    parts += [(ROOT / name).read_bytes() for name in LOCKS.values()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def has_uv() -> bool:
    """Return True if the installer is complete: it is renamed into place."""
    return (UV / "bin/uv").exists()


def fetch_uv(lock: int) -> None:
    """Fetch the installer with pip, else with the uv on the path, else with the pip of an environment."""
    fresh, pip = beside(UV, "new"), [sys.executable, "-m", "pip", "install"]
    flags = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--target", str(fresh)]
    if subprocess.run([*pip[:3], "--version"], capture_output=True, check=False).returncode:
        if found := shutil.which("uv"):
            pip, flags = [found, "pip", "install", "--python", sys.executable], ["--target", str(fresh)]
        elif importlib.util.find_spec("ensurepip"):
            run("preparing pip", [sys.executable, "-m", "venv", str(fresh)], lock)
            pip, flags = [str(fresh / "bin/python"), "-m", "pip", "install"], flags[:-2]
        else:
            raise StepFailed(NO_INSTALLER)
    run("fetching uv, which installs the rest", [*pip, *flags, f"uv=={UV_VERSION}"], lock)
    shutil.rmtree(UV, ignore_errors=True)
    fresh.rename(UV)


def build(kind: str, venv: Path, lock: int) -> None:
    """Make an environment beside the old one, whose place it takes when it is whole. Raises InUse."""
    fresh, name = beside(venv, "new"), LOCKS[kind]
    say(f"installing into {venv.name}, this once")
    fill(fresh, name, lock, compiled=kind == "dev")
    python = str(fresh / "bin/python")
    run("compiling what an arena uses", [python, "-c", USED], lock, required=False)
    run("compiling Maumau Arena itself", [python, "-m", "compileall", "-q", "maumau", "services"], lock)
    stamp = {"kind": kind, "digest": digest(), "python": find_abi(fresh / "bin/python")}
    (fresh / READY).write_text(json.dumps(stamp))
    with lock_stamp(venv):  # one may have started meanwhile
        if venv.exists():
            venv.rename(beside(venv, "old"))
        fresh.rename(venv)
    shutil.rmtree(beside(venv, "old"), ignore_errors=True)


def fill(fresh: Path, name: str, lock: int, *, compiled: bool) -> None:
    """Install the packages of a lock file and the checkout; relocatable, since the folder is renamed."""
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
    """Run a step, which inherits the lock; report progress, and all output if a required one fails."""
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
        raise StepFailed(f"{words} failed (exit code {process.returncode}){explain_failure(said)}")


def explain_failure(said: str) -> str:
    """Return why a step failed that a proxy that opens TLS or a missing network explains, or ""."""
    if not any(words in said for words in UNTRUSTED):
        is_offline = any(words in said for words in UNREACHABLE)
        return " because no package index can be reached; this step needs a network" * is_offline
    known = (ssl.get_default_verify_paths().cafile, *BUNDLES)
    bundle = next((path for path in known if path and Path(path).exists()), "FILE")
    typed = "UV_SYSTEM_CERTS=1" + f" PIP_CERT={bundle}" * ("CERTIFICATE_VERIFY_FAILED" in said)
    return (
        " because the index's certificate is unknown. Behind a proxy that opens TLS, use the certificates"
        f" that this system trusts: `{typed} make run`"
    )


def follow(words: str, process: subprocess.Popen[bytes]) -> str:
    """Return all output of the step until it ends."""
    assert process.stdout
    start, said, rest = time.monotonic(), "", b""
    while True:
        if not connection.wait([process.stdout.fileno()], SILENCE):
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
    """Print a line immediately."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
