"""Whose a worker is: the name of one that has a host's token is HOST/NAME, and HOST is the token's.

The arena's own token is that of many machines: whoever has it may do more than any worker, and its workers
say themselves who they are, in names without a slash.
"""

import re

from maumau.errors import BadRequest, NotAllowed, StaleFence
from services.shared.auth import Identity

HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MAX_NAME = 200
RESERVED_LABELS = "token_"  # with which the id of every token begins, and no label
NAME_END = "\n"  # ends a name without a slash, so that it is the prefix of no other name


def choose_host(label: str, token_id: str) -> str:
    """The host of a worker's token: its label, or its id where the label cannot be one."""
    return label if HOST.fullmatch(label) else token_id


def name_worker(who: Identity, given: str) -> str:
    """The whole name of a worker that calls, from its token and from what it says of itself."""
    if not given.isprintable() or len(given) > MAX_NAME:
        raise BadRequest(f"A worker's name is at most {MAX_NAME} printable characters.", field="worker")
    host, slash, _ = given.partition("/")
    if slash and host != who.host:
        own = f"its workers' names begin with {who.host}/" if who.host else "its workers' names have no slash"
        raise NotAllowed(f"{given!r} is not a worker of this token; {own}.")
    if who.host and not slash:
        return f"{who.host}/{given}"
    if not (who.host or _names_its_workers(who)):
        raise NotAllowed("The registry does not say of which host this token is; it may be an older one.")
    return given


def check_holder(who: Identity, worker: str) -> None:
    """StaleFence unless what a worker of this name has claimed is for this caller to report."""
    if not _names_its_workers(who) and not worker.startswith(f"{who.host}/"):
        raise StaleFence("A worker of another token has claimed it.")


def host_of(worker: str) -> str:
    """`HOST/` of HOST/NAME; a name without a slash is a host of its own, whatever a token is labelled."""
    return "".join(worker.partition("/")[:2])


def host_prefix(worker: str) -> str:
    """With which the names of all workers of its host begin once NAME_END is added to them."""
    host = host_of(worker)
    return host if "/" in host else host + NAME_END


def machine_prefix(worker: str) -> str:
    """Where a worker runs, with which the names of all workers there begin: `HOST/` of HOST/NAME, `HOST-` of
    HOST-PID.
    """
    return host_of(worker) if "/" in worker else (worker.rpartition("-")[0] or worker) + "-"


def _names_its_workers(who: Identity) -> bool:
    return who.is_service or "admin" in who.scopes
