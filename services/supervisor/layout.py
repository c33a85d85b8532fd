"""Which processes an embedded arena has, and what each is told."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from services.shared.settings import PREFIX, Settings
from services.supervisor.child import Child
from services.supervisor.folder import Card, Folder

VALKEY, SERVICE, WORKER = 0, 1, 2
SERVICES = {"registry": 7101, "tournament": 7102, "engine": 7103, "matchmaking": 7104, "web": 7100}
"""The services and the ports that they have when nobody else does."""
WORKER_PREFIX = "worker-"
SEATS = 32  # of live tables, that house bots may play at once
SECRET_FROM_WORKERS = {"MAUMAU_DATABASE_URL", "MAUMAU_REDIS_URL", "MAUMAU_ADMIN_TOKEN", "MAUMAU_READER_TOKEN"}
SECRET_FROM_WEB = {"MAUMAU_DATABASE_URL", "MAUMAU_REDIS_URL", "MAUMAU_BROKER_URL", "MAUMAU_ADMIN_TOKEN",
                   "MAUMAU_WORKER_TOKEN"}  # fmt: skip
ELSEWHERE = ("TLS_CERT", "TLS_KEY", "TLS_CA", "LISTEN_WORKERS", "TLS_WORKERS_CA", "TLS_WORKERS_CERT",
             "TLS_WORKERS_KEY", "TLS_CLIENT_CERT", "TLS_CLIENT_KEY")  # fmt: skip
"""What an author may have set for another arena: this one listens on this machine only."""


def usual_ports(settings: Settings) -> dict[str, int]:
    """The services and the ports that they shall have: those of the settings' addresses, else of SERVICES."""
    return {name: int(_given(settings, name).rpartition(":")[2] or n) for name, n in SERVICES.items()}


def is_port_fixed(settings: Settings, name: str) -> bool:
    """Whether a setting says where this process listens."""
    return name in SERVICES and bool(_given(settings, name))


def _given(settings: Settings, name: str) -> str:
    """The address that a setting names for a service; "" if none does."""
    return str(getattr(settings, f"{name}_address"))


def settings(env: Mapping[str, str]) -> Settings:
    """Those of the environment; where it names no sandbox, the best that this machine has."""
    return Settings.read({**env, f"{PREFIX}SANDBOX": env.get(f"{PREFIX}SANDBOX") or "auto"})


class Wiring(msgspec.Struct, frozen=True):
    """Where everything is: addresses as host:port, URLs as in the settings."""

    registry: str
    tournament: str
    engine: str
    matchmaking: str
    web: str
    redis: str
    broker: str
    sandbox: str
    uploads: str
    image: str

    @property
    def addresses(self) -> dict[str, str]:
        """Where each service listens, by its name."""
        return {name: getattr(self, name) for name in SERVICES}

    def env(self, base: Mapping[str, str], folder: Path, card: Card) -> dict[str, str]:
        """The environment of every service."""
        told = {
            "DATA": str(folder),
            "REDIS_URL": self.redis,
            "BROKER_URL": self.broker,
            "REGISTRY_ADDRESS": self.registry,
            "TOURNAMENT_ADDRESS": self.tournament,
            "ENGINE_ADDRESS": self.engine,
            "MATCHMAKING_ADDRESS": self.matchmaking,
            "ADMIN_TOKEN": card.token,
            "WORKER_TOKEN": card.worker_token,
            "READER_TOKEN": card.reader_token,
            "PAGE_URL": base.get(f"{PREFIX}PAGE_URL") or f"http://{self.web}",
            "SANDBOX": self.sandbox,
            "UPLOADS": self.uploads,
            "IMAGE": self.image,
            "METRICS_PORT": "0",
            **dict.fromkeys(ELSEWHERE, ""),
        }
        return {**base, **{PREFIX + name: value for name, value in told.items()}}


def valkey(folder: Folder, command: list[str], listens: str) -> Child:
    """The Valkey server. It gets no environment: it needs none."""
    return Child("valkey", command, {"PATH": os.defpath}, folder.logs, VALKEY, listens)


def services(folder: Folder, wiring: Wiring, base: Mapping[str, str]) -> Iterator[Child]:
    """The services, each where the others find it; the page is told no secret but its own token."""
    told = wiring.env(base, folder.path, folder.card)
    for name in SERVICES:
        env = {key: value for key, value in told.items() if name != "web" or key not in SECRET_FROM_WEB}
        listens = getattr(wiring, name)
        own = {"MAUMAU_LISTEN": listens, "MAUMAU_READY_FILE": str(ready_file(folder, name))}
        yield Child(name, _module(name), {**env, **own}, folder.logs, SERVICE, listens)


def ready_file(folder: Folder, name: str) -> Path:
    """Where a service says, with its process, that it listens."""
    return folder.path / f"{name}.ready"


def workers(folder: Folder, wiring: Wiring, base: Mapping[str, str], count: int) -> Iterator[Child]:
    """The workers; they are told no password of a database."""
    env = wiring.env(base, folder.path, folder.card)
    for secret in SECRET_FROM_WORKERS:
        env.pop(secret, None)
    for number in range(1, count + 1):
        yield Child(f"{WORKER_PREFIX}{number}", _module("worker"), env, folder.logs, WORKER)


def sitter(folder: Folder, wiring: Wiring, base: Mapping[str, str]) -> Child:
    """The process that plays for house bots at live tables; it takes no slot from contests."""
    env = wiring.env(base, folder.path, folder.card) | {f"{PREFIX}SEATS": str(SEATS)}
    for secret in SECRET_FROM_WORKERS:
        env.pop(secret, None)
    return Child("sitter", _module("worker"), env, folder.logs, WORKER)


def _module(service: str) -> list[str]:
    return [sys.executable, "-m", f"services.{service}"]
