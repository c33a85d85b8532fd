"""A Docker engine for the tests: the one that answers, or one of their own; images from Debian alone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.support.patience import Deadline, patient

HERE = Path(__file__).parent
KEPT = HERE.parents[1] / ".containers"
"""The cache of slow downloads: Debian as an archive, and compose. `make clean` removes it."""
SUITE = "trixie"  # has the Python, PostgreSQL and compose that the compose file wants
PACKAGES = (
    "ca-certificates",
    "python3",
    "python3-pip",
    "python3-venv",
    "postgresql-17",
    "valkey-server",
    "valkey-tools",
)
TOOLS = ("docker.io", "iptables", "mmdebstrap")
PLUGIN = Path("usr/libexec/docker/cli-plugins/docker-compose")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
ARCHIVE = "http://deb.debian.org/debian"
EMPTY = {
    "nat": "*nat\n:PREROUTING ACCEPT\n:INPUT ACCEPT\n:OUTPUT ACCEPT\n:POSTROUTING ACCEPT\nCOMMIT\n",
    "filter": "*filter\n:INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\nCOMMIT\n",
}
"""The tables of the packet filter with nothing in them."""


class CannotBeHad(Exception):
    """Something that the containers need is not on this host, and may not be or cannot be installed."""


def run(*command: str, seconds: float = 600, cwd: Path | None = None, **env: str) -> str:
    """Return a command's output; raise CannotBeHad with its last lines if it fails or is missing."""
    try:
        done = subprocess.run(
            command, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=patient(seconds), check=True, text=True, errors="replace",
        )  # fmt: skip
    except FileNotFoundError:
        raise CannotBeHad(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise CannotBeHad(f"{' '.join(command[:3])} did not end") from None
    except subprocess.CalledProcessError as error:
        last = "\n".join(error.stdout.strip().splitlines()[-15:])
        raise CannotBeHad(f"{' '.join(command[:4])}: {last}") from None
    return done.stdout


@contextmanager
def running(*, install: bool) -> Iterator[dict[str, str]]:
    """Yield the environment with which `docker` reaches an engine; where none answers, install and start one.

    An engine that was started here ends here, with all that it has changed on the host.
    """
    try:
        run("docker", "version", seconds=10)
    except CannotBeHad:
        if not install:
            raise CannotBeHad("no Docker engine answers; `make containers` starts one") from None
    else:
        yield {}
        return
    if os.geteuid():
        raise CannotBeHad("no Docker engine answers, and only root can install and start one")
    install_tools()
    with tempfile.TemporaryDirectory(prefix="maumau-engine-") as folder, _as_it_was():
        yield from _started(Path(folder))


def install_tools() -> None:
    """Install the tools from Debian, unless they are there."""
    if not all(shutil.which(name) for name in ("dockerd", "iptables", "mmdebstrap")):
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-y", "--no-install-recommends", *TOOLS, DEBIAN_FRONTEND="noninteractive")


def _started(folder: Path) -> Iterator[dict[str, str]]:
    env = {"DOCKER_HOST": f"unix://{folder}/socket"}
    command = [
        "dockerd", "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec",
        "--pidfile", f"{folder}/pid", "--host", env["DOCKER_HOST"],
    ]  # fmt: skip
    with (folder / "log").open("w") as log:
        engine = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait_for(engine, env, folder / "log")
        yield env
    finally:
        engine.send_signal(signal.SIGTERM)
        engine.wait(patient(60))
        _unmount(folder)


def _unmount(folder: Path) -> None:
    """Unmount the engine's namespaces, which stay mounted when it has ended."""
    mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for each in reversed([at for at in mounts if at.startswith(f"{folder}/")]):
        subprocess.run(["umount", each], check=True)


def _wait_for(engine: subprocess.Popen[bytes], env: dict[str, str], log: Path) -> None:
    deadline = Deadline(60)
    while engine.poll() is None and not deadline.has_passed():
        try:
            run("docker", "version", seconds=10, **env)
        except CannotBeHad:
            deadline.pause()
        else:
            return
    raise CannotBeHad(f"dockerd does not start: {' '.join(log.read_text().splitlines()[-3:])}")


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Afterwards packets are forwarded and filtered on this host as they were before."""
    forward, rules = Path("/proc/sys/net/ipv4/ip_forward"), run("iptables-save")
    before = forward.read_text()
    try:
        yield
    finally:
        forward.write_text(before)
        if "DOCKER" not in rules:
            rules += "".join(words for table, words in EMPTY.items() if f"*{table}" not in rules)
            subprocess.run(["iptables-restore"], input=rules, text=True, check=True)
            subprocess.run(["ip", "link", "delete", "docker0"], capture_output=True, check=False)


def find_compose(env: dict[str, str], folder: Path) -> dict[str, str]:
    """Return additional environment for `docker compose`, which may be that of a newer Debian."""
    try:
        run("docker", "compose", "version", seconds=10, **env)
    except CannotBeHad:
        if not (KEPT / PLUGIN).exists():
            _fetch_compose()
        (folder / "cli-plugins").mkdir(parents=True)
        (folder / "cli-plugins/docker-compose").symlink_to(KEPT / PLUGIN)
        return {"DOCKER_CONFIG": str(folder)}
    return {}


def _fetch_compose() -> None:
    with tempfile.TemporaryDirectory(prefix="maumau-apt-") as name:
        folder = Path(name)
        for each in ("lists/partial", "cache/archives/partial"):
            (folder / each).mkdir(parents=True)
        (folder / "sources").write_text(f"deb [signed-by={KEYRING}] {ARCHIVE} {SUITE} main\n")
        told = {
            "Dir::Etc::sourcelist": folder / "sources", "Dir::Etc::sourceparts": "-",
            "Dir::State::Lists": folder / "lists", "Dir::Cache": folder / "cache",
            "Dir::State::status": "/dev/null", "APT::Sandbox::User": "root",
        }  # fmt: skip
        apt = ["apt-get", *(word for key, value in told.items() for word in ("-o", f"{key}={value}"))]
        run(*apt, "update")
        run("sh", "-c", 'cd "$0" && exec "$@"', str(folder), *apt, "download", "docker-compose")
        KEPT.mkdir(exist_ok=True)
        run("dpkg", "-x", str(next(folder.glob("*.deb"))), str(KEPT))


def build_base(env: dict[str, str]) -> None:
    """Build the base image of all others."""
    archive = KEPT / "debian.tar"
    if not archive.exists():
        KEPT.mkdir(exist_ok=True)
        fresh = archive.with_suffix(".new.tar")
        words = ["--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(fresh)]
        run("mmdebstrap", *words, seconds=1200)
        fresh.rename(archive)
    run("docker", "import", str(archive), "maumau-containers-debian", **env)
    with tempfile.TemporaryDirectory(prefix="maumau-base-") as folder:
        for name in ("Dockerfile", "postgres.sh"):
            shutil.copy(HERE / name, folder)
        shutil.copy(os.environ.get("SSL_CERT_FILE") or CERTIFICATES, Path(folder) / "ca-certificates.crt")
        tag = ["--tag", "maumau-containers-base", folder]
        (Path(folder) / "postgres.sh").chmod(0o755)
        run("docker", "build", "--network", "host", *tag, **env, DOCKER_BUILDKIT="0")
