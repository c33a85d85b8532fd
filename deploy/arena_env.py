"""arena.env: written from its example with fresh secrets, read again, and checked for contradictions."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from ipaddress import ip_address
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PORTS = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
DECIMAL_NUMBER = re.compile(r"\d+(\.\d+)?")
THIS_HOST, EVERYWHERE = "127.0.0.1", "0.0.0.0"  # noqa: S104 - an address of arena.env
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
ADDED = ("ARENA_HOST", "COMPOSE_FILE", "COMPOSE_PROFILES")
"""Settings of this tool and of compose itself, which the example does not have."""
TLS = "deploy/tls.yml"
HOSTS_FILE = "deploy/host-certificates.yml"
TLS_FILES = ("docker-compose.yml", TLS, HOSTS_FILE)
OWN_HOST = "arena"
"""The host of the arena's own workers, as the compose file and their certificate name it."""
IMAGES = "deploy/images.yml"
"""Written by deploy.pin_images: it names every third-party image by its digest."""
COMPOSE_FILES = (*TLS_FILES, IMAGES)
PROFILES = ("grafana", "nightly")
REQUIRED_FILE = {HOSTS_FILE: TLS}
"""Compose files that must follow another one."""
SERVICES = ("REGISTRY", "TOURNAMENT", "ENGINE", "MATCHMAKING")
"""The services in the order in which `--arena` takes their ports."""
DEFAULT_PORTS = {f"MAUMAU_{name}_PORT": str(port) for port, name in enumerate(SERVICES, 7101)}
LATER_SECRETS = ("BROKER_WORKERS_PASSWORD", "HOST_TOKEN")
"""Secrets that arenas of earlier versions do not have."""


def read_settings(path: Path) -> dict[str, str]:
    """Return the settings of a file of lines NAME=VALUE, as compose reads them: no quotes, no comments."""
    lines = [line.strip().removeprefix("export ") for line in path.read_text().splitlines()]
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name.strip(): _unquote(value.strip()) for name, _, value in pairs}


def _unquote(value: str) -> str:
    quote = value[:1]
    if quote in {'"', "'"} and quote in value[1:]:
        return value[1 : value.index(quote, 1)]
    return value.partition(" #")[0].rstrip()


def write_settings(example: Path, told: dict[str, str], target: Path) -> None:
    """Write the example with the values of `told`, additional ones at the end; mode 0600."""
    lines, left = [], dict(told)
    for line in example.read_text().splitlines():
        name = line.partition("=")[0]
        lines.append(f"{name}={left.pop(name)}" if name in left else line)
    lines += [f"{name}={value}" for name, value in left.items()]
    fresh = target.with_suffix(".new")
    fresh.unlink(missing_ok=True)  # one that was left behind could be readable
    fresh.touch(mode=0o600)
    fresh.write_text("".join(f"{line}\n" for line in lines))
    fresh.rename(target)


def is_secret(name: str) -> bool:
    return name.endswith(("_PASSWORD", "_TOKEN"))


def arena_settings(example: Path, host: str) -> dict[str, str]:
    """Return the values of a new arena.env: fresh secrets, the page's name, one worker less than cores."""
    cores = os.cpu_count() or 1
    made = {name: _make_secret() for name in read_settings(example) if is_secret(name)}
    few = str(min(2, cores))
    sizes = {"WORKERS": str(max(1, cores - 1)), "SERVICE_CPUS": few, "POSTGRES_CPUS": few}
    added = zip(ADDED, (host, ":".join(COMPOSE_FILES), ",".join(PROFILES)), strict=True)
    names = {"MAUMAU_PAGE_NAMES": host, "MAUMAU_SERVICES_URL": _name_services(read_settings(example), host)}
    return made | sizes | dict(added) | {"SERVICES_ADDRESS": EVERYWHERE} | names


def _name_services(given: dict[str, str], host: str) -> str:
    """Return the address of the services on a host: of the replicas in a range of ports, the first ones."""
    ports = (given[f"MAUMAU_{name}_PORT"].partition("-")[0] for name in SERVICES)
    return f"https://{host}:{','.join(ports)}"


def find_missing(given: dict[str, str]) -> dict[str, str]:
    """Return the settings that an arena.env of an earlier version lacks, with their values."""
    secret = {name: _make_secret() for name in LATER_SECRETS if not given.get(name)}
    services = EVERYWHERE if TLS in _list_files(given) else THIS_HOST
    places = {"SERVICES_ADDRESS": services, "PAGES_ADDRESS": THIS_HOST}
    if TLS in _list_files(given) and (host := given.get("ARENA_HOST")):
        places["MAUMAU_SERVICES_URL"] = _name_services(DEFAULT_PORTS | given, host)
    return secret | {name: value for name, value in places.items() if name not in given}


def add_settings(path: Path, added: dict[str, str]) -> None:
    """Write these settings into the file, over their empty lines or at its end, and change no other."""
    write_settings(path, added, path)


def _make_secret() -> str:
    return f"mm_{secrets.token_urlsafe(32)}"


def _list_files(given: dict[str, str]) -> list[str]:
    return [os.path.normpath(file) for file in given.get("COMPOSE_FILE", "docker-compose.yml").split(":")]


def is_reached_in_plain_text(given: dict[str, str]) -> bool:
    """Return True if other hosts reach services that speak plain text."""
    address = given.get("SERVICES_ADDRESS", THIS_HOST)
    return TLS not in _list_files(given) and not ip_address(address.strip("[]")).is_loopback


def contradictions(given: dict[str, str], example: dict[str, str]) -> list[str]:
    """Return a sentence for each setting that is unknown, missing, or contradicts another one."""
    return [
        *_unknown(given, example), *_secrets(given, example), *_addresses(given), *_ports(given),
        *_cores(given), *_files(given), *_backups(given),
    ]  # fmt: skip


def _unknown(given: dict[str, str], example: dict[str, str]) -> list[str]:
    found = []
    for name in given.keys() - example.keys() - set(ADDED):
        if name.startswith("COMPOSE_"):  # compose's own
            continue
        near = difflib.get_close_matches(name, example, 1)
        found.append(f"{name} is not a setting of the arena" + (f"; {near[0]} is." if near else "."))
    if given.get("MAUMAU_REGISTRATION", "closed") not in {"open", "code", "closed"}:
        found.append(f"MAUMAU_REGISTRATION is open, code or closed, not {given['MAUMAU_REGISTRATION']}.")
    return sorted(found)


def _secrets(given: dict[str, str], example: dict[str, str]) -> list[str]:
    values = {name: given.get(name, "") for name in example if is_secret(name)}
    found = [f"{name} is empty." for name, value in values.items() if not value]
    return found + [
        f"{one} and {other} are the same, and each must be a secret of its own."
        for one, other in combinations(values, 2)
        if values[one] and values[one] == values[other]
    ]


def _addresses(given: dict[str, str]) -> list[str]:
    found = []
    for name in ("SERVICES_ADDRESS", "PAGES_ADDRESS"):
        try:
            ip_address(given.get(name, THIS_HOST).strip("[]"))
        except ValueError:
            found.append(f"{name} must be an address such as 127.0.0.1 or 0.0.0.0, and is {given[name]}.")
    return found


def _ports(given: dict[str, str]) -> list[str]:
    named = {name: value for name, value in given.items() if name.endswith("_PORT")}
    ports = {name: PORTS.fullmatch(value) for name, value in named.items()}
    wrong = [
        f"{name} must be a port or a range such as 7201-7204, and is {named[name]}."
        for name in ports
        if not ports[name]
    ]
    ranges = {name: _range(found) for name, found in ports.items() if found}
    return wrong + [
        f"{one} and {other} have the same port: {named[one]} and {named[other]}."
        for one, other in combinations(ranges, 2)
        if set(ranges[one]) & set(ranges[other])
    ]


def _range(found: re.Match[str]) -> range:
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def _cores(given: dict[str, str]) -> list[str]:
    cores = os.cpu_count() or 1
    asked = {name: given.get(name) or "1" for name in ("SERVICE_CPUS", "POSTGRES_CPUS", "WORKERS")}
    wrong = [
        f"{name} must be a number, and is {value}."
        for name, value in asked.items()
        if not DECIMAL_NUMBER.fullmatch(value)
    ]
    return wrong + [
        f"{name} is {value}, and this host has only {cores} cores."
        for name, value in asked.items()
        if DECIMAL_NUMBER.fullmatch(value) and float(value) > cores
    ]


def _files(given: dict[str, str]) -> list[str]:
    files = _list_files(given)
    return [
        f"COMPOSE_FILE has {file}, which is not there."
        for file in files
        if file != IMAGES and not (ROOT / file).exists()
    ] + [
        f"COMPOSE_FILE has {file}, which needs {needed} before it."
        for file, needed in REQUIRED_FILE.items()
        if file in files and needed not in files[: files.index(file)]
    ]


def _backups(given: dict[str, str]) -> list[str]:
    found, folder, at = [], given.get("BACKUPS", ""), given.get("BACKUP_AT") or "03:17"
    if folder.startswith("~"):
        found.append(f"BACKUPS is {folder}: compose does not know whose ~ is; write the whole path.")
    if not TIME.fullmatch(at):
        found.append(f"BACKUP_AT is a time such as 03:17, and not {at}.")
    return found
