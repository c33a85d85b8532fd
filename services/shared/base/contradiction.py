"""Contradictions between settings that are valid by themselves: a sentence for each combination."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from maumau.errors import BadSetting

if TYPE_CHECKING:
    from services.shared.base.settings import Settings

PUBLIC_SECRETS = {
    "mm_the-admin-is-not-a-secret",
    "mm_the-reader-is-not-a-secret",
    "mm_the-worker-is-not-a-secret",
    "mm_the-host-is-not-a-secret",
    "not-a-secret",
    "not-a-secret-either",
    "no-secret-of-the-workers-either",
}
"""Secrets of k8s/overlays/dev, which are public."""

Finding = Callable[["Settings"], str]


def check(settings: Settings) -> None:
    """Raise BadSetting with the first contradiction found."""
    for find in FINDINGS:
        if words := find(settings):
            raise BadSetting(words)


def find_weak_sandbox(settings: Settings, tier: str = "") -> str:
    """Return the refusal of strangers' programs without a sandbox. tier: the sandbox chosen, if known."""
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
    """Return the server's address and the number of the database, 0 if none is named."""
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
    if settings.host_token and settings.host_token in (admin, worker, reader):
        return "MAUMAU_HOST_TOKEN is another token of the arena too; a host's must open nothing else."
    return ""


def find_public_secret(settings: Settings) -> str:
    """Return the refusal of a public secret unless MAUMAU_DEV allows it."""
    if settings.dev:
        return ""
    for name in ("admin_token", "worker_token", "reader_token", "host_token"):
        if getattr(settings, name) in PUBLIC_SECRETS:
            return _refuse_public_secret(name, "is a token from")
    for name in ("database_url", "redis_url", "broker_url"):
        if urlsplit(getattr(settings, name)).password in PUBLIC_SECRETS:
            return _refuse_public_secret(name, "has a password from")
    return ""


def _refuse_public_secret(name: str, what: str) -> str:
    return (
        f"MAUMAU_{name.upper()} {what} the project's repository, where everybody can read it: it is for"
        ' k8s/overlays/dev alone. Make one of your own, for example with python3 -c "import secrets;'
        " print('mm_' + secrets.token_urlsafe(32))\". MAUMAU_DEV=1 accepts it where nobody else gets in."
    )


def find_half_host(settings: Settings) -> str:
    if bool(settings.host_token) == bool(settings.host_name):
        return ""
    return (
        "MAUMAU_HOST_TOKEN and MAUMAU_HOST_NAME belong together: the token of a host's workers, and the name"
        " under which they play. Set both or neither."
    )


def find_half_mail(settings: Settings) -> str:
    if not settings.mail_url or (settings.mail_from and settings.page_url):
        return ""
    return (
        "MAUMAU_MAIL_URL names a mail server, but mail needs a sender, MAUMAU_MAIL_FROM, and the"
        " public address of the page for its links, MAUMAU_PAGE_URL. Set both."
    )


def find_half_oidc(settings: Settings) -> str:
    if not settings.oidc_issuer or (settings.oidc_client and settings.page_url):
        return ""
    return (
        "MAUMAU_OIDC_ISSUER names a provider, but logins there need MAUMAU_OIDC_CLIENT, and the"
        " public address of the page to come back to, MAUMAU_PAGE_URL. Set both."
    )


FINDINGS: tuple[Finding, ...] = (
    find_weak_sandbox,
    find_missing_image,
    find_shared_redis,
    find_lost_records,
    find_shared_place,
    find_shared_token,
    find_half_host,
    find_public_secret,
    find_half_mail,
    find_half_oidc,
)
