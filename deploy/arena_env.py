"""arena.env: written from its example with fresh secrets, read again, and what contradicts itself in it."""

from __future__ import annotations

import difflib
import os
import re
import secrets
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PORTS = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")
DECIMAL_NUMBER = re.compile(r"\d+(\.\d+)?")
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
ADDED = ("ARENA_HOST", "COMPOSE_FILE", "COMPOSE_PROFILES")
"""Settings of this tool and of compose itself, which the example does not have."""
COMPOSE_FILES = ("docker-compose.yml", "deploy/tls.yml", "deploy/host-certificates.yml")
OWN_WORKERS = "deploy/own-workers.yml"
PROFILES = ("grafana", "nightly")
REQUIRED_FILE = {
    "deploy/host-certificates.yml": "deploy/tls.yml",
    OWN_WORKERS: "deploy/host-certificates.yml",
}
"""Which file of compose needs which other before it."""
MADE_LATER = "HOST_TOKEN"
"""The one secret that is not made here: the arena that runs makes it."""


def read_settings(path: Path) -> dict[str, str]:
    """The settings of a file of lines NAME=VALUE, as compose reads them: quotes and comments left out."""
    lines = [line.strip().removeprefix("export ") for line in path.read_text().splitlines()]
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name.strip(): _unquote(value.strip()) for name, _, value in pairs}


def _unquote(value: str) -> str:
    quote = value[:1]
    if quote in {'"', "'"} and quote in value[1:]:
        return value[1 : value.index(quote, 1)]
    return value.partition(" #")[0].rstrip()


def write_settings(example: Path, told: dict[str, str], target: Path) -> None:
    """Writes the example with what is told in place of its own values, the rest at the end; mode 0600."""
    lines, left = [], dict(told)
    for line in example.read_text().splitlines():
        name = line.partition("=")[0]
        lines.append(f"{name}={left.pop(name)}" if name in left else line)
    lines += [f"{name}={value}" for name, value in left.items()]
    fresh = target.with_suffix(".new")
    fresh.touch(mode=0o600)
    fresh.write_text("".join(f"{line}\n" for line in lines))
    fresh.rename(target)


def is_secret(name: str) -> bool:
    return name.endswith(("_PASSWORD", "_TOKEN"))


def arena_settings(example: Path, host: str) -> dict[str, str]:
    """What a new arena.env says: fresh secrets, and a worker fewer than cores, at least one."""
    cores = os.cpu_count() or 1
    made = {
        name: f"mm_{secrets.token_urlsafe(32)}"
        for name in read_settings(example)
        if is_secret(name) and name != MADE_LATER
    }
    few = str(min(2, cores))
    sizes = {"WORKERS": str(max(1, cores - 1)), "SERVICE_CPUS": few, "POSTGRES_CPUS": few}
    added = zip(ADDED, (host, ":".join(COMPOSE_FILES), ",".join(PROFILES)), strict=True)
    return made | sizes | dict(added)


def contradictions(given: dict[str, str], example: dict[str, str]) -> list[str]:
    """A sentence for each setting that is not known, is missing, or goes against another one."""
    return [
        *_unknown(given, example), *_secrets(given, example), *_ports(given), *_cores(given), *_files(given),
        *_backups(given),
    ]  # fmt: skip


def _unknown(given: dict[str, str], example: dict[str, str]) -> list[str]:
    found = []
    for name in given.keys() - example.keys() - set(ADDED):
        if name.startswith("COMPOSE_"):  # compose's own
            continue
        near = difflib.get_close_matches(name, example, 1)
        found.append(f"{name} is not a setting of the arena" + (f"; {near[0]} is." if near else "."))
    if given.get("MAUMAU_REGISTRATION", "closed") not in {"open", "closed"}:
        found.append(f"MAUMAU_REGISTRATION is open or closed, and not {given['MAUMAU_REGISTRATION']}.")
    return sorted(found)


def _secrets(given: dict[str, str], example: dict[str, str]) -> list[str]:
    values = {name: given.get(name, "") for name in example if is_secret(name) and name != MADE_LATER}
    found = [f"{name} is empty." for name, value in values.items() if not value]
    return found + [
        f"{one} and {other} are the same, and each must be a secret of its own."
        for one, other in combinations(values, 2)
        if values[one] and values[one] == values[other]
    ]


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
    files = [os.path.normpath(file) for file in given.get("COMPOSE_FILE", "docker-compose.yml").split(":")]
    found = [f"COMPOSE_FILE has {file}, which is not there." for file in files if not (ROOT / file).exists()]
    found += [
        f"COMPOSE_FILE has {file}, which needs {needed} before it."
        for file, needed in REQUIRED_FILE.items()
        if file in files and needed not in files[: files.index(file)]
    ]
    if OWN_WORKERS in files and not given.get(MADE_LATER):
        found.append(f"COMPOSE_FILE has {OWN_WORKERS}, and {MADE_LATER} is empty.")
    if given.get(MADE_LATER) and OWN_WORKERS not in files:
        found.append(f"{MADE_LATER} is given, and nothing uses it: COMPOSE_FILE lacks {OWN_WORKERS}.")
    return found


def _backups(given: dict[str, str]) -> list[str]:
    found, folder, at = [], given.get("BACKUPS", ""), given.get("BACKUP_AT") or "03:17"
    if folder.startswith("~"):
        found.append(f"BACKUPS is {folder}: compose does not know whose ~ is; write the whole path.")
    if not TIME.fullmatch(at):
        found.append(f"BACKUP_AT is a time such as 03:17, and not {at}.")
    return found
