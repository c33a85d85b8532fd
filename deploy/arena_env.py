"""arena.env: written from its example with fresh secrets, read again, and what contradicts itself in it."""

from __future__ import annotations

import difflib
import os
import secrets
from itertools import combinations
from pathlib import Path

ADDED = ("ARENA_HOST", "COMPOSE_FILE", "COMPOSE_PROFILES")
"""Settings of this tool and of compose itself, which the example does not have."""
FILES = ("docker-compose.yml", "deploy/tls.yml", "deploy/host-certificates.yml")
OWN_WORKERS = "deploy/own-workers.yml"
PROFILES = ("grafana", "nightly")
NEEDS = {"deploy/host-certificates.yml": "deploy/tls.yml", OWN_WORKERS: "deploy/host-certificates.yml"}
"""Which file of compose needs which other before it."""
LATER = "HOST_TOKEN"
"""The one secret that is not made here: the arena that runs makes it."""


def read(path: Path) -> dict[str, str]:
    """The settings of a file of lines NAME=VALUE."""
    lines = [line.strip() for line in path.read_text().splitlines()]
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name.strip(): value.strip() for name, _, value in pairs}


def fill(example: Path, told: dict[str, str], target: Path) -> None:
    """The example with what is told in place of its own values, and the rest of it at the end; 0600."""
    lines, left = [], dict(told)
    for line in example.read_text().splitlines():
        name = line.partition("=")[0]
        lines.append(f"{name}={left.pop(name)}" if name in left else line)
    lines += [f"{name}={value}" for name, value in left.items()]
    target.touch(mode=0o600, exist_ok=False)
    target.write_text("".join(f"{line}\n" for line in lines))


def is_secret(name: str) -> bool:
    return name.endswith(("_PASSWORD", "_TOKEN"))


def arena_settings(example: Path, host: str) -> dict[str, str]:
    """What a new arena.env says: a secret for each store and role, and as many workers as cores allow."""
    cores = os.cpu_count() or 1
    made = {
        name: f"mm_{secrets.token_urlsafe(32)}" for name in read(example) if is_secret(name) and name != LATER
    }
    few = str(min(2, cores))
    sizes = {"WORKERS": str(max(1, cores - 1)), "SERVICE_CPUS": few, "POSTGRES_CPUS": few}
    added = zip(ADDED, (host, ":".join(FILES), ",".join(PROFILES)), strict=True)
    return made | sizes | dict(added)


def contradictions(given: dict[str, str], example: dict[str, str]) -> list[str]:
    """A sentence for each setting that is not known, is missing, or goes against another one."""
    return [*_unknown(given, example), *_secrets(given), *_ports(given), *_cores(given), *_files(given)]


def _unknown(given: dict[str, str], example: dict[str, str]) -> list[str]:
    found = []
    for name in given.keys() - example.keys() - set(ADDED):
        near = difflib.get_close_matches(name, example, 1)
        found.append(f"{name} is not a setting of the arena" + (f"; {near[0]} is." if near else "."))
    if given.get("MAUMAU_REGISTRATION", "closed") not in {"open", "closed"}:
        found.append(f"MAUMAU_REGISTRATION is open or closed, and not {given['MAUMAU_REGISTRATION']}.")
    return sorted(found)


def _secrets(given: dict[str, str]) -> list[str]:
    values = {name: value for name, value in given.items() if is_secret(name) and name != LATER}
    found = [f"{name} is empty." for name, value in values.items() if not value]
    return found + [
        f"{one} and {other} are the same, and each must be a secret of its own."
        for one, other in combinations(values, 2)
        if values[one] and values[one] == values[other]
    ]


def _ports(given: dict[str, str]) -> list[str]:
    ports = {name: value for name, value in given.items() if name.endswith("_PORT")}
    return [
        f"{one} and {other} are both {ports[one]}."
        for one, other in combinations(ports, 2)
        if ports[one] == ports[other]
    ]


def _cores(given: dict[str, str]) -> list[str]:
    cores = os.cpu_count() or 1
    asked = {name: given.get(name, "") for name in ("SERVICE_CPUS", "POSTGRES_CPUS", "WORKERS")}
    return [
        f"{name} is {value}, and this host has only {cores} cores."
        for name, value in asked.items()
        if value.replace(".", "", 1).isdigit() and float(value) > cores
    ]


def _files(given: dict[str, str]) -> list[str]:
    files = given.get("COMPOSE_FILE", "").split(":")
    found = [
        f"COMPOSE_FILE has {file}, which needs {needed} before it."
        for file, needed in NEEDS.items()
        if file in files and needed not in files[: files.index(file)]
    ]
    if OWN_WORKERS in files and not given.get(LATER):
        found.append(f"COMPOSE_FILE has {OWN_WORKERS}, and {LATER} is empty.")
    if given.get(LATER) and OWN_WORKERS not in files:
        found.append(f"{LATER} is given, and nothing uses it: COMPOSE_FILE lacks {OWN_WORKERS}.")
    return found
