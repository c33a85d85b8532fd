"""Settings of a process from its environment: one frozen class, read once.

A field `redis_url` is set by `MAUMAU_REDIS_URL`. Every limit of the platform that is not in a
tournament's spec is here.
"""
# ruff: noqa: RUF009 - _setting is dataclasses.field with a parser

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from maumau.errors import BadSetting
from maumau.process.loopback import is_loopback
from services.shared.base import contradiction
from services.shared.base.peer import read_networks, read_ports
from services.shared.base.worker_name import HOST, MAX_HOST_LENGTH, RESERVED_LABELS

PREFIX = "MAUMAU_"
ELSEWHERE = {"MAUMAU_ARENA", "MAUMAU_TOKEN"}  # read by the CLI, not by services

HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")

SERVICES_URL = re.compile(
    r"(?P<scheme>https?)://([a-z0-9._-]+|\[[0-9a-f:]+\])(:(?P<ports>\d{1,5}(,\d{1,5})*))?/?", re.IGNORECASE
)

T = TypeVar("T")


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError("an address is HOST:PORT, such as 127.0.0.1:50051 (port 0: a free one)")
    return text


def _whole(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise ValueError(f"it is a whole number from {least} to {most}")
        return int(text)

    return parse


def _quota(most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if text.isascii() and text.isdigit() and not int(text):
            raise ValueError("a quota of nothing lets nobody in; MAUMAU_REGISTRATION=closed does that")
        return _whole(1, most)(text)

    return parse


def _seconds(least: float, most: float) -> Callable[[str], float]:
    return _real(least, most, "a number of seconds")


def _real(least: float, most: float, what: str = "a number") -> Callable[[str], float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise ValueError(f"it is {what} from {least:g} to {most:g}")
        return value

    return parse


def _word(*known: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in known:
            raise ValueError(f"it is one of {', '.join(known)}")
        return text

    return parse


def _runtimes(text: str) -> str:
    from maumau.protocol.runtime import RUNTIMES

    words = text.replace(",", " ").split()
    if not set(words) <= set(RUNTIMES):
        raise ValueError(f"it is a list of {', '.join(RUNTIMES)}")
    return " ".join(words)


def _token(text: str) -> str:
    if len(text) < 16 or not text.isascii() or any(c.isspace() for c in text):
        raise ValueError("a token has at least 16 characters and no spaces")
    return text


def _host_name(text: str) -> str:
    if not HOST.fullmatch(text) or len(text) > MAX_HOST_LENGTH or text.startswith(RESERVED_LABELS):
        raise ValueError(
            f"it has at most {MAX_HOST_LENGTH} letters, digits, dots, hyphens and underscores, begins with a"
            f" letter or digit and not with {RESERVED_LABELS}"
        )
    return text


def _pin(text: str) -> str:
    if text not in {"auto", "off"} and not (text.isascii() and text.isdigit()):
        raise ValueError("it is auto, off, or the number of a core")
    return text


def _url(*schemes: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.partition("://")[0] not in schemes:
            raise ValueError(f"it is a URL that begins with {' or '.join(s + '://' for s in schemes)}")
        return text

    return parse


def _mail_url(text: str) -> str:
    try:
        found, port = urlsplit(text), urlsplit(text).port
    except ValueError:
        port = 0
    if port == 0 or found.scheme not in MAIL or not found.hostname or found.path not in {"", "/"}:
        words = "it is smtp://, smtp+starttls:// or smtps:// and USER:PASSWORD@HOST:PORT, without a path"
        raise ValueError(words)
    return text


def _issuer(text: str) -> str:
    found = urlsplit(text)
    local = found.scheme == "http" and is_loopback(found.hostname or "")
    if not found.hostname or found.query or found.fragment or not (found.scheme == "https" or local):
        raise ValueError("it is https:// and a host, as the provider itself writes it")
    return text


def _page_url(text: str) -> str:
    found = urlsplit(text)
    if found.scheme not in {"http", "https"} or not found.hostname or found.path not in {"", "/"}:
        raise ValueError("it is http:// or https:// and a host, without a path")
    return f"{found.scheme}://{found.netloc}".lower()


def _services_url(text: str) -> str:
    found = SERVICES_URL.fullmatch(text)
    ports = found["ports"].split(",") if found and found["ports"] else []
    counts = {0, 1, 4} if found and found["scheme"].lower() == "https" else {0, 4}
    if not found or len(ports) not in counts or any(int(port) > 65535 for port in ports):
        raise ValueError(
            "it is http:// or https://, a host, and ports of registry, tournament, engine and matchmaking,"
            " such as http://arena.example:7101,7102,7103,7104; with https one port is enough, or none (443)"
        )
    return text.rstrip("/").lower()


def _networks(text: str) -> str:
    try:
        read_networks(text)
    except ValueError:
        raise ValueError("it is a list of addresses and networks, such as 10.0.0.7 172.18.0.0/16") from None
    return text


def _ports(text: str) -> str:
    try:
        read_ports(text)
    except ValueError:
        raise ValueError("it is a list of ports from 1 to 65535 and ranges, such as 443 8000-8999") from None
    return text


def _host_names(text: str) -> str:
    words = text.replace(",", " ").lower().split()
    if not all(HOST_NAME.fullmatch(word) for word in words):
        raise ValueError("it is a list of names of hosts without ports, such as arena.example")
    return " ".join(words)


def _setting(default: T, parse: Callable[[str], Any] = str, *, secret: bool = False) -> T:
    return field(default=default, metadata={"parse": parse}, repr=not secret)


DATABASES = ("sqlite", "postgresql", "postgresql+psycopg")
MAIL = ("smtp", "smtp+starttls", "smtps")
REDIS = ("redis", "rediss", "unix", "redis+socket")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings; times in seconds, sizes as named. Empty text means not set."""

    data: Path = _setting(Path(".maumau"), Path)
    listen: str = _setting("127.0.0.1:0", _address)
    ready_file: str = _setting("")
    metrics_port: int = _setting(0, _whole(0, 65535))
    log: str = _setting("plain", _word("plain", "json"))
    database_url: str = _setting("", _url(*DATABASES), secret=True)  # may hold a password
    redis_url: str = _setting("", _url(*REDIS), secret=True)
    broker_url: str = _setting("", _url(*REDIS), secret=True)
    registry_address: str = _setting("", _address)
    tournament_address: str = _setting("", _address)
    matchmaking_address: str = _setting("", _address)
    engine_address: str = _setting("", _address)
    web_address: str = _setting("", _address)  # address of the page, for an embedded arena
    page_url: str = _setting("", _page_url)  # public address of the page, such as https://arena.example
    services_url: str = _setting("", _services_url)  # public address of the services, as --arena takes it
    page_names: str = _setting("", _host_names)  # further names of its host
    guests: str = _setting("", _word("on", "off"))  # who play at the page without an account; empty: off
    page_streams: int = _setting(1000, _whole(1, 1_000_000))  # concurrent requests of an address at the page
    connections: int = _setting(200, _whole(1, 1_000_000))  # idle ones, of an address or an account
    hello_seconds: float = _setting(10.0, _seconds(0.1, 3600))  # for a connection's first request
    proxies: str = _setting("", _networks)  # hosts in front, whose X-Forwarded-For is trusted
    admin_token: str = _setting("", _token, secret=True)
    worker_token: str = _setting("", _token, secret=True)
    host_token: str = _setting("", _token, secret=True)  # of the workers of the host named host_name
    host_name: str = _setting("", _host_name)
    dev: str = _setting("", _word("1"))  # an arena for development, which accepts public secrets
    reader_token: str = _setting("", _token, secret=True)  # of the page: it may read what every account may
    tls_cert: str = _setting("")  # PEM files: the server's certificate with its chain, and its key
    tls_key: str = _setting("")
    tls_ca: str = _setting("")  # authority of the other services' certificates; empty: plain text
    listen_workers: str = _setting("", _address)  # a second port, for hosts of workers with certificates
    tls_workers_ca: str = _setting("")  # authority of these hosts' certificates
    tls_workers_cert: str = _setting("")  # the server's on that port alone; empty: the one above
    tls_workers_key: str = _setting("")
    tls_client_cert: str = _setting("")  # PEM files: a worker's certificate for that port, and its key
    tls_client_key: str = _setting("")
    artifacts: str = _setting(
        ""
    )  # a folder or s3://BUCKET/PREFIX; empty: in the data folder, as the next two
    exports: str = _setting("")
    records: str = _setting("")
    move_records_days: int = _setting(
        0, _whole(0, 36_500)
    )  # days after a contest's end after which its records move to files; 0: never
    sandbox: str = _setting("bwrap", _word("auto", "process", "bwrap"))  # auto in the embedded arena
    uploads: str = _setting("", _word("all", "house", "trusted"))  # accepted programs: see `house_only`
    image: str = _setting("", _word("required", "optional"))  # required: workers play only from memory
    runtimes: str = _setting("", _runtimes)  # offered; empty: those installed on the registry's machine
    registration: str = _setting("", _word("open", "code", "closed"))  # who opens accounts: see `signup`
    token_days: int = _setting(90, _whole(1, 365))
    upload_mib: int = _setting(8, _whole(1, 1024))
    quota_accounts_hour: int = _setting(5, _quota(1_000_000))  # new accounts of an address in an hour
    quota_accounts_day: int = _setting(20, _quota(1_000_000))  # and in a day (security.md, "Quotas")
    quota_bots: int = _setting(50, _quota(1_000_000))  # of an account, as the next ones
    quota_versions: int = _setting(100, _quota(1_000_000))  # a day
    quota_waiting: int = _setting(5, _quota(1_000_000))
    quota_mib: int = _setting(1024, _quota(1 << 30))
    quota_validation_minutes: int = _setting(30, _quota(1_000_000))
    quota_seeks: int = _setting(20, _quota(1_000_000))
    webhooks: int = _setting(20, _whole(0, 1000))  # of an account; 0: none
    webhook_ports: str = _setting("443", _ports)  # that webhooks may use, such as 443 8000-8999
    webhook_networks: str = _setting("", _networks)  # not public, and yet permitted for webhooks
    webhook_days: float = _setting(3.0, _real(0.01, 365, "a number of days"))  # of failures, then disabled
    mail_url: str = _setting("", _mail_url, secret=True)  # the arena's mail server; empty: it sends no mail
    mail_from: str = _setting("")  # sender of its mail, such as Maumau Arena <arena@example.org>
    oidc_issuer: str = _setting("", _issuer)  # an OpenID Connect provider for logins at the page
    oidc_client: str = _setting("")  # the arena's id there
    oidc_secret_file: str = _setting("")  # the file of its secret; empty: a public client
    oidc_name: str = _setting("")  # of the provider on the button; empty: its host
    seats: int = _setting(0, _whole(0, 1000))  # live seats of a worker for house bots; 0: it plays blocks
    validation_wait: float = _setting(3600.0, _seconds(0.1, 86400))
    validation_limit: float = _setting(1800.0, _seconds(0.1, 86400))
    lease: float = _setting(60.0, _seconds(0.1, 3600))
    attempts: int = _setting(5, _whole(1, 1000))
    sweep: float = _setting(5.0, _seconds(0.05, 600))  # between two passes of the periodic work
    look_ahead: int = _setting(4, _whole(1, 10_000))  # blocks of a match that may be under way at once
    pin: str = _setting("auto", _pin)
    engine: str = _setting("", _word("auto", "kept", "source"))  # read by maumau.engine in every process
    handicap: float = _setting(1.0, _real(1, 100))  # for tests: speed of the programs' CPU clocks
    replay: float = _setting(0.04, _real(0, 1))  # share of a block's sets replayed before booking
    audit: float = _setting(
        0.01, _real(0, 1)
    )  # of booked blocks, that other workers play again for comparison
    isolation: float = _setting(0.02, _real(0, 0.5))  # of workers' time, for seatings played again alone
    ladders: str = _setting("rest", _word("rest", "play"))  # where nothing is left to learn
    actions_days: int = _setting(400, _whole(1, 36_500))  # that is kept who did what as admin or organiser
    actions_most: int = _setting(100_000, _whole(1, 10_000_000))  # such actions, of each service
    exports_mib: int = _setting(10_240, _whole(1, 1 << 30))  # that the tournament service keeps as files
    memory_mib: int = _setting(0, _whole(0, 1 << 30))  # for the programs of a block together; 0: any
    cache_mib: int = _setting(1024, _whole(64, 1 << 20))

    @classmethod
    def read(cls, env: Mapping[str, str]) -> Self:
        """Return the settings of an environment; raise BadSetting with the valid values if one is invalid."""
        given: dict[str, Any] = {}
        for one in fields(cls):
            name = PREFIX + one.name.upper()
            if text := env.get(name, ""):
                given[one.name] = _parsed(name, text, one.metadata["parse"], secret=not one.repr)
        settings = cls(**given)
        settings.check()
        return settings

    def check(self) -> None:
        """Raise BadSetting if settings contradict each other."""
        contradiction.check(self)

    def need(self, name: str) -> str:
        """Return a setting that this process cannot do without; raise BadSetting if it is not set."""
        if value := getattr(self, name):
            return str(value)
        raise BadSetting(f"{PREFIX}{name.upper()} is not set, and this service needs it.")

    def database(self, service: str) -> str:
        """Return the URL of a service's database: as set, else a SQLite file of its own."""
        if self.database_url:
            return self.database_url.replace("postgresql://", "postgresql+psycopg://", 1)
        return f"sqlite:///{self.data.resolve() / service}.db"

    def stores(self) -> dict[str, str]:
        """Return the places of files, by the setting's name."""
        data = self.data.resolve()
        return {
            "artifacts": self.artifacts or str(data / "artifacts"),
            "exports": self.exports or str(data / "tournament" / "exports"),
            "records": self.records or str(data / "tournament" / "records"),
        }

    @property
    def house_only(self) -> bool:
        """True if only the house's programs play: as set, else if no sandbox confines others."""
        return self.uploads == "house" or (not self.uploads and self.sandbox == "process")

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0]

    @property
    def open(self) -> bool:
        """True if anyone may open an account."""
        return self.signup == "open"

    @property
    def signup(self) -> str:
        """The way accounts are opened: as set, else `open` on a local port and `closed` on any other.

        open: by anyone; code: with an invitation; closed: by admins alone.
        """
        return self.registration or ("open" if self.local else "closed")

    @property
    def local(self) -> bool:
        """True if the port cannot be reached from other machines."""
        return is_loopback(self.host)


def _parsed(name: str, text: str, parse: Callable[[str], Any], *, secret: bool) -> Any:
    try:
        return parse(text)
    except ValueError as err:
        shown = "with the value given" if secret else f"= {text!r}"
        raise BadSetting(f"{name} {shown} cannot be: {err}.") from None


def unknown(env: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that looks like a setting but is none."""
    known = [PREFIX + one.name.upper() for one in fields(Settings)]
    strange = sorted(name for name in env.keys() - ELSEWHERE - set(known) if name.startswith(PREFIX))
    return [_near(name, known) for name in strange]


def _near(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"{name} is not a setting" + (f"; {near[0]} is one." if near else ".")


def from_environment() -> Settings:
    return Settings.read(os.environ)
