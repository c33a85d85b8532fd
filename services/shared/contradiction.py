"""Settings that are each possible and contradict each other: a sentence for what two of them say together."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from maumau.errors import BadSetting

if TYPE_CHECKING:
    from services.shared.settings import Settings

Finding = Callable[["Settings"], str]


def check(settings: Settings) -> None:
    """Raises BadSetting with the first sentence that is true of them."""
    for find in FINDINGS:
        if words := find(settings):
            raise BadSetting(words)


def find_weak_sandbox(settings: Settings, tier: str = "") -> str:
    """tier: the sandbox that was chosen, if it is known."""
    if (tier or settings.sandbox) != "process" or settings.uploads != "all":
        return ""
    return (
        "MAUMAU_UPLOADS=all takes strangers' programs, but MAUMAU_SANDBOX=process does not hold them: they"
        " could do whatever the worker's user may. Set MAUMAU_SANDBOX=bwrap, or MAUMAU_UPLOADS=house for the"
        " house's programs alone; MAUMAU_UPLOADS=trusted takes everybody's all the same."
    )


def find_missing_image(settings: Settings) -> str:
    if (settings.sandbox, settings.image) != ("process", "required"):
        return ""
    return (
        "MAUMAU_IMAGE=required plays only what lies in an image in memory, and MAUMAU_SANDBOX=process has"
        " none. Set MAUMAU_SANDBOX=bwrap, or MAUMAU_IMAGE=optional."
    )


def find_shared_redis(settings: Settings) -> str:
    urls = settings.redis_url, settings.broker_url
    if not all(urls) or len(set(map(_redis_database, urls))) > 1:
        return ""
    return (
        "MAUMAU_REDIS_URL and MAUMAU_BROKER_URL name the same database, so messages to workers would"
        " be mixed with live tables. Give the broker its own, such as …/1."
    )


def _redis_database(url: str) -> tuple[str, str]:
    """Where the server is, and the number of the database: 0 where none is named."""
    found = urlsplit(url)
    told, is_socket = parse_qs(found.query), found.scheme in {"unix", "redis+socket"}
    named = told.get("db") or told.get("virtual_host") or ["" if is_socket else found.path]
    number = named[0].strip("/").lstrip("0") or "0"
    if is_socket:
        return found.path, number
    server = found.netloc.rpartition("@")[2].lower()
    is_whole = server.rpartition(":")[2].isdigit()
    return server if is_whole else f"{server}:6379", number


def find_lost_records(settings: Settings) -> str:
    if not settings.move_records_days or not settings.database_url or settings.records:
        return ""
    return (
        "MAUMAU_MOVE_RECORDS_DAYS moves old records out of the database, but MAUMAU_RECORDS, which"
        " says where to, is not set. Set it to a bucket, or to a folder that all replicas of the"
        " tournament service share."
    )


def find_shared_place(settings: Settings) -> str:
    places = {name: place.rstrip("/") for name, place in settings.stores().items()}
    for (one, outer), (other, inner) in permutations(places.items(), 2):
        if f"{inner}/".startswith(f"{outer}/"):
            return (
                f"MAUMAU_{other.upper()} = {inner!r} lies in MAUMAU_{one.upper()} = {outer!r}, so one's files"
                " would be taken for the other's, and removed with them. Give each a folder of its own."
            )
    return ""


def find_shared_token(settings: Settings) -> str:
    admin, worker, reader = settings.admin_token, settings.worker_token, settings.reader_token
    if admin and admin == worker:
        return "MAUMAU_ADMIN_TOKEN and MAUMAU_WORKER_TOKEN are the same; a worker must not be an admin."
    if reader and reader in (admin, worker):
        return "MAUMAU_READER_TOKEN is the admin's or the workers'; the page must only read."
    return ""


FINDINGS: tuple[Finding, ...] = (
    find_weak_sandbox, find_missing_image, find_shared_redis, find_lost_records, find_shared_place,
    find_shared_token,
)  # fmt: skip
