"""Names of workers: with a host's token a worker's name is HOST/NAME, and HOST is the token's.

The arena's own token belongs to many machines: its holders may do more than any worker, and its workers
name themselves, without a slash.
"""

import re

from maumau.errors import BadRequest, NotAllowed, StaleFence
from services.shared.base.auth import Identity

HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)?")
MAX_HOST_LENGTH = 60
MAX_NAME = 200
RESERVED_LABELS = "token_"  # prefix of every token's id, and of no label
NAME_END = "\n"  # ends a name without a slash, so that it is not a prefix of another name


def choose_host(label: str, token_id: str) -> str:
    """Return the host of a worker's token: its label, or its id if the label cannot be a host."""
    return label if HOST.fullmatch(label) else token_id


def name_worker(who: Identity, given: str) -> str:
    """Return the full name of a calling worker, from its token and the name that it gives.

    Raises:
        BadRequest: if it is no name, such as one with blanks, quotes or letters beyond ASCII.
        NotAllowed: if it is a name of another host.
    """
    host, slash, name = given.partition("/")
    if len(given) > MAX_NAME or not NAME.fullmatch(name if slash else given) or not host.isprintable():
        raise BadRequest(
            f"A worker's name has at most {MAX_NAME} letters, digits, dots, hyphens and underscores and"
            " begins with a letter or a digit; with a host's token, HOST/ may stand before it.",
            field="worker",
        )
    if slash and host != who.host:
        own = f"its workers' names begin with {who.host}/" if who.host else "its workers' names have no slash"
        raise NotAllowed(f"{given!r} is not a worker of this token; {own}.")
    if who.host and not slash:
        return f"{who.host}/{given}"
    if not (who.host or _names_its_workers(who)):
        raise NotAllowed("The registry does not say of which host this token is; it may be an older one.")
    return given


def check_holder(who: Identity, worker: str) -> None:
    """Raise StaleFence unless the caller may report what a worker of this name has claimed."""
    if not _names_its_workers(who) and not worker.startswith(f"{who.host}/"):
        raise StaleFence("A worker of another token has claimed it.")


def host_of(worker: str) -> str:
    """Return `HOST/` of HOST/NAME; a name without a slash is a host of its own, whatever a token's label."""
    return "".join(worker.partition("/")[:2])


def host_prefix(worker: str) -> str:
    """Return the common prefix of all names of the worker's host, once NAME_END is appended to each."""
    host = host_of(worker)
    return host if "/" in host else host + NAME_END


def machine_prefix(worker: str) -> str:
    """Return the common prefix of all workers on its machine.

    It is `HOST/` of HOST/NAME, and `HOST-` of HOST-PID.
    """
    return host_of(worker) if "/" in worker else (worker.rpartition("-")[0] or worker) + "-"


def _names_its_workers(who: Identity) -> bool:
    return who.is_service or "admin" in who.scopes
