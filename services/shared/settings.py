"""What a process is told by its environment: one frozen class, read once.

A field `redis_url` is set by `MAUMAU_REDIS_URL`. Every limit of the platform that is not part of a
tournament's spec stands here.
"""
# ruff: noqa: RUF009 - _setting is dataclasses.field with a parser

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from maumau.errors import BadSetting
from services.shared import contradiction

PREFIX = "MAUMAU_"
ELSEWHERE = {"MAUMAU_ARENA", "MAUMAU_TOKEN"}  # read by the command line, not by services

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
    from maumau.bot.offer import NAMES

    words = text.replace(",", " ").split()
    if not set(words) <= set(NAMES):
        raise ValueError(f"it is a list of {', '.join(NAMES)}")
    return " ".join(words)


def _token(text: str) -> str:
    if len(text) < 16 or not text.isascii() or any(c.isspace() for c in text):
        raise ValueError("a token has at least 16 characters and no spaces")
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


def _page_url(text: str) -> str:
    found = urlsplit(text)
    if found.scheme not in {"http", "https"} or not found.hostname or found.path not in {"", "/"}:
        raise ValueError("it is http:// or https:// and a host, without a path")
    return f"{found.scheme}://{found.netloc}".lower()


def _setting(default: T, parse: Callable[[str], Any] = str, *, secret: bool = False) -> T:
    return field(default=default, metadata={"parse": parse}, repr=not secret)


DATABASES = ("sqlite", "postgresql", "postgresql+psycopg")
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
    web_address: str = _setting("", _address)  # for an embedded arena: where the page listens
    page_url: str = _setting("", _page_url)  # where people reach the page, such as https://arena.example
    admin_token: str = _setting("", _token, secret=True)
    worker_token: str = _setting("", _token, secret=True)
    reader_token: str = _setting("", _token, secret=True)  # of the page: sees what every account may see
    tls_cert: str = _setting("")  # PEM files: the server's certificate with its chain, and its key
    tls_key: str = _setting("")
    tls_ca: str = _setting("")  # whose certificates the other services have; empty: they speak plain text
    listen_workers: str = _setting("", _address)  # a second port, for hosts of workers with certificates
    tls_workers_ca: str = _setting("")  # whose certificates these hosts have
    tls_workers_cert: str = _setting("")  # the server's on that port alone; empty: the one above
    tls_workers_key: str = _setting("")
    tls_client_cert: str = _setting("")  # PEM files: what a worker shows there, and its key
    tls_client_key: str = _setting("")
    artifacts: str = _setting(
        ""
    )  # a folder or s3://BUCKET/PREFIX; empty: in the data folder, as the next two
    exports: str = _setting("")
    records: str = _setting("")
    move_records_days: int = _setting(
        0, _whole(0, 36_500)
    )  # days after a contest's end that its records move to files; 0: never
    sandbox: str = _setting("bwrap", _word("auto", "process", "bwrap"))  # the embedded arena says auto
    uploads: str = _setting("", _word("all", "house", "trusted"))  # whose programs are taken: `house_only`
    image: str = _setting("", _word("required", "optional"))  # whether workers play only what lies in memory
    runtimes: str = _setting("", _runtimes)  # what the workers offer; empty: what the registry's machine has
    registration: str = _setting("", _word("open", "closed"))
    token_days: int = _setting(90, _whole(1, 365))
    upload_mib: int = _setting(8, _whole(1, 1024))
    quota_bots: int = _setting(50, _quota(1_000_000))  # of an account: docs/security.md, "Quotas"
    quota_versions: int = _setting(100, _quota(1_000_000))  # a day
    quota_waiting: int = _setting(5, _quota(1_000_000))
    quota_mib: int = _setting(1024, _quota(1 << 30))
    quota_validation_minutes: int = _setting(30, _quota(1_000_000))
    quota_seeks: int = _setting(20, _quota(1_000_000))
    seats: int = _setting(0, _whole(0, 1000))  # of live tables, that a worker keeps for house bots; 0: blocks
    validation_wait: float = _setting(3600.0, _seconds(0.1, 86400))
    validation_limit: float = _setting(1800.0, _seconds(0.1, 86400))
    lease: float = _setting(60.0, _seconds(0.1, 3600))
    attempts: int = _setting(5, _whole(1, 1000))
    sweep: float = _setting(5.0, _seconds(0.05, 600))
    look_ahead: int = _setting(4, _whole(1, 10_000))  # blocks of a match that may be under way at once
    pin: str = _setting("auto", _pin)
    handicap: float = _setting(1.0, _real(1, 100))  # for tests: how fast the CPU clocks of programs run
    replay: float = _setting(0.04, _real(0, 1))  # of a block's sets that are played again before it is booked
    audit: float = _setting(
        0.01, _real(0, 1)
    )  # of booked blocks, that other workers play again for comparison
    actions_days: int = _setting(400, _whole(1, 36_500))  # that is kept who did what as admin or organiser
    actions_most: int = _setting(100_000, _whole(1, 10_000_000))  # such actions, of each service
    exports_mib: int = _setting(10_240, _whole(1, 1 << 30))  # that the tournament service keeps as files
    memory_mib: int = _setting(0, _whole(0, 1 << 30))  # for the programs of a block together; 0: any
    cache_mib: int = _setting(1024, _whole(64, 1 << 20))

    @classmethod
    def read(cls, env: Mapping[str, str]) -> Self:
        """The settings of this environment; a value that cannot be is a BadSetting that says what can."""
        given: dict[str, Any] = {}
        for one in fields(cls):
            name = PREFIX + one.name.upper()
            if text := env.get(name, ""):
                given[one.name] = _parsed(name, text, one.metadata["parse"], secret=not one.repr)
        settings = cls(**given)
        settings.check()
        return settings

    def check(self) -> None:
        """Raises BadSetting for settings that contradict each other."""
        contradiction.check(self)

    def need(self, name: str) -> str:
        """A setting that this process cannot do without."""
        if value := getattr(self, name):
            return str(value)
        raise BadSetting(f"{PREFIX}{name.upper()} is not set, and this service needs it.")

    def database(self, service: str) -> str:
        """Where that service keeps its tables: the URL given, else a SQLite file of its own."""
        if self.database_url:
            return self.database_url.replace("postgresql://", "postgresql+psycopg://", 1)
        return f"sqlite:///{self.data.resolve() / service}.db"

    def stores(self) -> dict[str, str]:
        """Where files are kept, by the setting that says so."""
        data = self.data.resolve()
        return {
            "artifacts": self.artifacts or str(data / "artifacts"),
            "exports": self.exports or str(data / "tournament" / "exports"),
            "records": self.records or str(data / "tournament" / "records"),
        }

    @property
    def house_only(self) -> bool:
        """Whether only the house's programs play: as set, else where no sandbox holds the others."""
        return self.uploads == "house" or (not self.uploads and self.sandbox == "process")

    @property
    def host(self) -> str:
        return self.listen.rpartition(":")[0]

    @property
    def open(self) -> bool:
        """Whether anyone may open an account: as set, else only where nobody else can reach the port."""
        return self.registration == "open" or (not self.registration and self.local)

    @property
    def local(self) -> bool:
        """Whether nobody on another machine can reach the port."""
        return _loopback(self.host)


def _parsed(name: str, text: str, parse: Callable[[str], Any], *, secret: bool) -> Any:
    try:
        return parse(text)
    except ValueError as err:
        shown = "with the value given" if secret else f"= {text!r}"
        raise BadSetting(f"{name} {shown} cannot be: {err}.") from None


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def unknown(env: Mapping[str, str]) -> list[str]:
    """A sentence for each variable that looks like a setting and is none."""
    known = [PREFIX + one.name.upper() for one in fields(Settings)]
    strange = sorted(name for name in env.keys() - ELSEWHERE - set(known) if name.startswith(PREFIX))
    return [_near(name, known) for name in strange]


def _near(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"{name} is not a setting" + (f"; {near[0]} is one." if near else ".")


def from_environment() -> Settings:
    return Settings.read(os.environ)
