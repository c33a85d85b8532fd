"""The processes of an embedded arena, and their settings."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from services.shared.base.settings import PREFIX, Settings
from services.supervisor.folder import Card, Folder
from services.supervisor.process.child import Child

VALKEY, SERVICE, WORKER = 0, 1, 2
SERVICES = {"registry": 7101, "tournament": 7102, "engine": 7103, "matchmaking": 7104, "web": 7100}
"""The services and their default ports."""
WORKER_PREFIX = "worker-"
SEATS = 32  # most seats of live tables for house bots at once
SECRET_FROM_WORKERS = {"MAUMAU_DATABASE_URL", "MAUMAU_REDIS_URL", "MAUMAU_ADMIN_TOKEN", "MAUMAU_READER_TOKEN"}
SECRET_FROM_WEB = {
    "MAUMAU_DATABASE_URL",
    "MAUMAU_REDIS_URL",
    "MAUMAU_BROKER_URL",
    "MAUMAU_ADMIN_TOKEN",
    "MAUMAU_WORKER_TOKEN",
}
ELSEWHERE = (
    "TLS_CERT",
    "TLS_KEY",
    "TLS_CA",
    "LISTEN_WORKERS",
    "TLS_WORKERS_CA",
    "TLS_WORKERS_CERT",
    "TLS_WORKERS_KEY",
    "TLS_CLIENT_CERT",
    "TLS_CLIENT_KEY",
    "HOST_TOKEN",
    "HOST_NAME",
)
"""Settings that an author may have for another arena: this one listens only on this machine."""


def usual_ports(settings: Settings) -> dict[str, int]:
    """Return the services and their preferred ports: those of the settings' addresses, else of SERVICES."""
    return {name: int(_find_address(settings, name).rpartition(":")[2] or n) for name, n in SERVICES.items()}


def is_port_fixed(settings: Settings, name: str) -> bool:
    """Return True if a setting names this process's address."""
    return name in SERVICES and bool(_find_address(settings, name))


def _find_address(settings: Settings, name: str) -> str:
    """Return the address that a setting names for a service; "" if none does."""
    return str(getattr(settings, f"{name}_address"))


def read_settings(env: Mapping[str, str]) -> Settings:
    """Return the settings of the environment; without a sandbox there, the best of this machine."""
    return Settings.read({**env, f"{PREFIX}SANDBOX": env.get(f"{PREFIX}SANDBOX") or "auto"})


class Wiring(msgspec.Struct, frozen=True):
    """The places of everything: addresses as host:port, URLs as in the settings."""

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
        """The address of each service, by name."""
        return {name: getattr(self, name) for name in SERVICES}

    @property
    def services_url(self) -> str:
        """The address of all services, as `--arena` takes it."""
        others = (self.tournament, self.engine, self.matchmaking)
        return f"http://{self.registry}" + "".join(f",{one.rpartition(':')[2]}" for one in others)

    def build_environment(self, base: Mapping[str, str], folder: Path, card: Card) -> dict[str, str]:
        """Return the environment of every service."""
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
            "SERVICES_URL": base.get(f"{PREFIX}SERVICES_URL") or self.services_url,
            "PAGE_URL": base.get(f"{PREFIX}PAGE_URL") or f"http://{self.web}",
            "GUESTS": base.get(f"{PREFIX}GUESTS") or "on",
            "SANDBOX": self.sandbox,
            "UPLOADS": self.uploads,
            "IMAGE": self.image,
            "METRICS_PORT": "0",
            **dict.fromkeys(ELSEWHERE, ""),
        }
        return {**base, **{PREFIX + name: value for name, value in told.items()}}


def build_valkey(folder: Folder, command: list[str], listens: str) -> Child:
    """Return the Valkey server. It needs no environment."""
    return Child("valkey", command, {"PATH": os.defpath}, folder.logs, VALKEY, listens)


def build_services(folder: Folder, wiring: Wiring, base: Mapping[str, str]) -> Iterator[Child]:
    """Yield the services, at the addresses that others know; the page gets no secret but its token."""
    told = wiring.build_environment(base, folder.path, folder.card)
    for name in SERVICES:
        env = {key: value for key, value in told.items() if name != "web" or key not in SECRET_FROM_WEB}
        listens = getattr(wiring, name)
        own = {"MAUMAU_LISTEN": listens, "MAUMAU_READY_FILE": str(ready_file(folder, name))}
        yield _run_service(name, name, {**env, **own}, folder, SERVICE, listens)


def ready_file(folder: Folder, name: str) -> Path:
    """Return the file in which a service reports, with its process id, that it listens."""
    return folder.path / f"{name}.ready"


def build_workers(folder: Folder, wiring: Wiring, base: Mapping[str, str], count: int) -> Iterator[Child]:
    """Yield the workers; they get no password of a database."""
    env = wiring.build_environment(base, folder.path, folder.card)
    for secret in SECRET_FROM_WORKERS:
        env.pop(secret, None)
    for number in range(1, count + 1):
        yield _run_service(f"{WORKER_PREFIX}{number}", "worker", env, folder, WORKER)


def build_sitter(folder: Folder, wiring: Wiring, base: Mapping[str, str]) -> Child:
    """Return the process that plays for house bots at live tables; it takes no slot from contests."""
    env = wiring.build_environment(base, folder.path, folder.card) | {f"{PREFIX}SEATS": str(SEATS)}
    for secret in SECRET_FROM_WORKERS:
        env.pop(secret, None)
    return _run_service("sitter", "worker", env, folder, WORKER)


def _run_service(
    name: str, service: str, env: Mapping[str, str], folder: Folder, stage: int, listens: str = ""
) -> Child:
    """Return the process of this name that runs a service's module, which a fork server can run, too."""
    module = f"services.{service}"
    return Child(name, [sys.executable, "-m", module], env, folder.logs, stage, listens, module)
