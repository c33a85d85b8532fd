"""Prepares an arena on this host, and workers on other hosts: deploy/README.md.

    python3 -m deploy.prepare arena arena.example    secrets, certificates and the folder of backups
    python3 -m deploy.prepare host host-2            what the host host-2 needs, in deploy/hosts/host-2.tar

Run it as root in the checkout: keys belong to the users of the images. It needs Python, openssl and, for
hosts, the arena that runs. What is there stays as it is; the command says so and makes what is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from deploy import arena_env
from deploy.certificates import (
    ARENA_USER,
    REDIS_USER,
    SERVICES,
    Refused,
    end_of,
    give,
    is_address,
    issue,
    make_authority,
    names_of,
)

ROOT = Path(__file__).resolve().parents[1]
DEPLOY = ROOT / "deploy"
ENV, EXAMPLE = DEPLOY / "arena.env", DEPLOY / "arena.env.example"
TLS, KEYS, HOSTS = DEPLOY / "tls", DEPLOY / "authority", DEPLOY / "hosts"
ARENA_AUTHORITY = (TLS / "ca.pem", KEYS / "arena.key")
HOSTS_AUTHORITY = (TLS / "workers.pem", KEYS / "hosts.key")
PAIR = (TLS / "cert.pem", TLS / "key.pem", TLS / "broker.key")
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)
MAX_NAME_LENGTH = 60
"""Of a host: its token has the name as label, and its certificate as common name."""
COMPOSE = ("docker", "compose", "--env-file", "deploy/arena.env")
CREATION = (  # of a token, in the container of the registry
    'MAUMAU_TOKEN="$MAUMAU_ADMIN_TOKEN" exec maumau token create --json --scope worker --days 365'
    ' --arena https://registry:7101,7102,7103,7104 --label "$0"'
)


def main() -> None:
    """Exit 1 with a sentence for what is refused."""
    parser = argparse.ArgumentParser(prog="python3 -m deploy.prepare", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("what", choices=["arena", "host"])
    parser.add_argument("name", help="of the arena's host as others reach it, or of the host of workers")
    options = parser.parse_args()
    try:
        check_name(options.name)
        check_user()
        {"arena": prepare_arena, "host": prepare_host}[options.what](options.name)
    except (Refused, OSError) as error:
        sys.exit(f"error: {error}")


def check_name(name: str) -> None:
    """It can stand in a certificate and in an address."""
    if name in SERVICES:
        raise Refused(f"{name} is a name within the arena; give the name by which other hosts reach this one")
    if is_address(name):
        return
    if len(name) > MAX_NAME_LENGTH or not all(LABEL.fullmatch(part) for part in name.split(".")):
        raise Refused(
            f"{name} is not the name of a host: at most {MAX_NAME_LENGTH} letters, digits, hyphens and dots,"
            " such as arena.example, without https:// and without a port"
        )


def check_user() -> None:
    """Only root gives files to other users."""
    if os.geteuid():
        raise Refused("run it as root: the keys belong to users of the images")


def say(path: Path, words: str) -> None:
    sys.stdout.write(f"{path.relative_to(ROOT)}: {words}\n")


def prepare_arena(host: str) -> None:
    """Makes what is missing; refuses what belongs to another host."""
    _write_settings(host)
    _make_authorities()
    _issue_for_services(host)
    backups = ROOT / arena_env.read(ENV).get("BACKUPS", "backups")
    if not backups.exists():
        backups.mkdir(mode=0o700, parents=True)
        os.chown(backups, ARENA_USER, ARENA_USER)
        say(ROOT / "backups", "made; a disk of its own is better (BACKUPS in arena.env)")
    if wrong := arena_env.contradictions(arena_env.read(ENV), arena_env.read(EXAMPLE)):
        raise Refused("\n  ".join(["deploy/arena.env contradicts itself or this host:", *wrong]))


def _write_settings(host: str) -> None:
    if ENV.exists():
        if (known := arena_env.read(ENV).get("ARENA_HOST")) != host:
            raise Refused(f"deploy/arena.env is that of the host {known or '(ARENA_HOST is missing)'}")
        say(ENV, "is there and stays as it is")
        return
    arena_env.fill(EXAMPLE, arena_env.arena_settings(EXAMPLE, host), ENV)
    say(ENV, "written, with fresh secrets")


def _make_authorities() -> None:
    TLS.mkdir(exist_ok=True)
    KEYS.mkdir(mode=0o700, exist_ok=True)
    for name, (certificate, key) in (("Arena", ARENA_AUTHORITY), ("hosts", HOSTS_AUTHORITY)):
        if certificate.exists():
            say(certificate, "is there and stays as it is")
            continue
        if key.exists():
            raise Refused(
                f"{key.relative_to(ROOT)} is there without {certificate.relative_to(ROOT)}; remove it"
            )
        make_authority(f"Maumau {name}", key, certificate)
        say(certificate, f"made; its key, {key.relative_to(ROOT)}, is better kept off this host")


def _issue_for_services(host: str) -> None:
    there = [path.name for path in PAIR if path.exists()]
    if not there:
        _need_key(ARENA_AUTHORITY[1])
        issue("arena", ARENA_AUTHORITY, TLS, (*SERVICES, host))
        PAIR[2].write_bytes(PAIR[1].read_bytes())
        give(PAIR[2], REDIS_USER)
    elif len(there) < len(PAIR):
        raise Refused(f"deploy/tls has only {' and '.join(there)} of {', '.join(path.name for path in PAIR)}")
    if host not in (named := names_of(PAIR[0])):
        raise Refused(f"deploy/tls/cert.pem is for {', '.join(sorted(named))} and not for {host}")
    end, ends_soon = end_of(PAIR[0])
    say(PAIR[0], f"{'is there and stays as it is' if there else 'made'}, for {host} until {end}")
    if ends_soon:
        names = " ".join(f"deploy/tls/{path.name}" for path in PAIR)
        raise Refused(f"the certificate ends soon: rm {names}, then run this again")


def _need_key(key: Path) -> None:
    if not key.exists():
        raise Refused(f"{key.relative_to(ROOT)} is missing: put it back from where it is kept")


def prepare_host(name: str) -> None:
    """A certificate, a token and the files of compose, in a tar."""
    bundle = HOSTS / f"{name}.tar"
    if bundle.exists():
        say(bundle, "is there and stays as it is; to make another, remove it and revoke its token")
        return
    if not ENV.exists():
        raise Refused("there is no arena here yet: python3 -m deploy.prepare arena HOST")
    _need_key(HOSTS_AUTHORITY[1])
    settings = arena_env.read(ENV)
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        issue(name, HOSTS_AUTHORITY, folder / "host")
        (folder / "host/ca.pem").write_bytes(ARENA_AUTHORITY[0].read_bytes())
        (folder / "host/ca.pem").chmod(0o644)
        for file in ("worker-host.yml", "worker-seccomp.json"):
            (folder / file).write_bytes((DEPLOY / file).read_bytes())
        example = DEPLOY / "worker-host.env.example"
        same = {each: settings[each] for each in arena_env.read(example) if each in settings}
        # of a range of ports, the first
        same |= {each: same[each].partition("-")[0] for each in same if each.endswith("_PORT")}
        told = same | {"HOST_TOKEN": _create_token(name), "HOST_FOLDER": "./host", "WORKERS": "1"}
        arena_env.fill(example, told | {"COMPOSE_FILE": "worker-host.yml"}, folder / "worker-host.env")
        _write_bundle(folder, bundle, f"maumau-{name}")
    say(bundle, "made; whoever has it can play as this host until its token is revoked")


def _create_token(name: str) -> str:
    """By the arena, which must run."""
    command = [*COMPOSE, "exec", "-T", "registry", "sh", "-c", CREATION, name]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise Refused("docker is not installed") from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip()
        raise Refused(f"the arena gives no token; does it run?\n{said}") from None
    return str(json.loads(done.stdout.splitlines()[-1])["token"])


def _write_bundle(folder: Path, bundle: Path, top: str) -> None:
    HOSTS.mkdir(mode=0o700, exist_ok=True)
    fresh = bundle.with_suffix(".new")
    with tarfile.open(fresh, "w") as tar:
        tar.add(folder, top)
    fresh.chmod(0o600)
    fresh.rename(bundle)


if __name__ == "__main__":
    main()
