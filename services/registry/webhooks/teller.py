"""A program that sends messages by Apprise: a job per line of its input, an outcome per line of its output.

Apprise and the libraries below it look names up and connect by themselves. What they may reach is decided at
their sockets: each connection of this process is checked by the numeric address that it goes to.
"""

import importlib
import ipaddress
import logging
import os
import re
import sys
from typing import Any, Final

import msgspec

from services.registry.domain.channel import CHATS, MAIL, PLAIN, find_scheme
from services.registry.webhooks.reach import CLOSED_WORDS, is_public
from services.shared.base.peer import is_in_networks, read_ip

STARTS: Final = ("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.")
"""Audit events of started programs; none of the plugins needs one."""
ADDRESSED: Final = ("socket.connect", "socket.sendto", "socket.sendmsg")
"""Audit events of what is sent to an address."""
ERROR: Final = re.compile(r"error=(\d{3})\b")
TEMPLATE: Final = "template"
"""The argument of plugins that names a file of this machine, which would be sent to the chat."""
READY: Final = b"ready\n"
PLAIN_WORDS: Final = "outside of the arena's own networks it must have a scheme with TLS"


class SendJob(msgspec.Struct, frozen=True, kw_only=True):
    """A message. url: empty for mail. checks: nothing is sent, the address alone is read.

    mail: arguments of Apprise's plugin for it. ports, networks: that a chat may use; a mail server is the
    operator's own, and wherever the settings say.
    """

    url: str = ""
    checks: bool = False
    title: str = ""
    body: str = ""
    mail: dict[str, Any] | None = None
    ports: tuple[int, ...] = ()
    networks: tuple[str, ...] = ()


class SendResult(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a job. problem: empty if it was done; status: the answer's, if it had one.

    shown: the address without its secrets. host, port: where it is, if the address says so.
    """

    problem: str = ""
    status: int = 0
    shown: str = ""
    host: str = ""
    port: int = 0


class Guard:
    """The limits of the job under way. job: none while the process only reads."""

    def __init__(self) -> None:
        self.job: SendJob | None = None
        self.refusal = ""

    def audit(self, event: str, args: tuple[Any, ...]) -> None:
        """Refuse a connection to an address that the job may not use, and every program."""
        if event in ADDRESSED and args[1] is not None:
            self._check(args[1])
        elif event.startswith(STARTS):
            raise PermissionError("a message starts no program")

    def _check(self, address: Any) -> None:
        job = self.job
        if job and job.mail is not None:
            return
        words = self._explain(job, address) if job else CLOSED_WORDS
        if words:
            self.refusal = words
            raise PermissionError(words)

    def _explain(self, job: SendJob, address: Any) -> str:
        """Return why a connection is refused; an address is numeric, so that nothing looks it up again."""
        if not isinstance(address, tuple) or "%" in str(address[0]):
            return CLOSED_WORDS
        ip = read_ip(str(address[0]))
        if ip is None:
            return CLOSED_WORDS
        if int(address[1]) not in job.ports:
            return f"webhooks may not use port {int(address[1])} here"
        if is_in_networks(ip, map(ipaddress.ip_network, job.networks)):
            return ""
        if not is_public(ip):
            return CLOSED_WORDS
        return "" if is_secret(job.url) else PLAIN_WORDS


def is_secret(url: str) -> bool:
    """Return True if nobody on the way can read what is sent."""
    return find_scheme(url) not in PLAIN


class Errors(logging.Handler):
    """Apprise's log of failures, of which only the status is kept: the rest names addresses."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.status = 0

    def emit(self, record: logging.LogRecord) -> None:
        if found := ERROR.search(record.getMessage()):
            self.status = int(found[1])


def make_plugin(url: str) -> Any:
    """Return Apprise's plugin for an address, or None if it cannot be one of that service."""
    from apprise import AppriseAsset

    module = importlib.import_module(f"apprise.plugins.{CHATS[find_scheme(url)]}")
    kind = next(one for name, one in vars(module).items() if name.startswith("Notify") and _knows(one, url))
    found = kind.parse_url(url.replace("#", "%23"))
    if not found or TEMPLATE in found:
        return None
    asset = AppriseAsset(app_id="Maumau Arena", app_url="", http_redirects=False, image_url_mask="")
    fixed = {"redirect": False, "verify": True, "retry": 0, "include_image": False, "asset": asset}
    try:
        return kind(**(found | fixed))
    except TypeError:
        return None


def _knows(kind: Any, url: str) -> bool:
    scheme = find_scheme(url)
    given: list[str] = []
    for name in ("protocol", "secure_protocol"):
        said = getattr(kind, name, None) or ()
        given += [said] if isinstance(said, str) else list(said)
    return scheme in given


def make_mail(settings: dict[str, Any]) -> Any:
    """Return Apprise's plugin for mail."""
    from apprise import AppriseAsset
    from apprise.plugins import email

    make: Any = email.NotifyEmail
    return make(**settings, asset=AppriseAsset(app_id="Maumau Arena"), format="text")


def work(job: SendJob, errors: Errors, guard: Guard) -> SendResult:
    """Do a job; return its end, in words that hold nothing of the address."""
    errors.status, guard.refusal = 0, ""
    try:
        plugin = make_mail(job.mail) if job.mail is not None else make_plugin(job.url)
    except Exception as error:  # noqa: BLE001 - a plugin's own reading of what a stranger has typed
        return SendResult(problem=_say_unread(error))
    if plugin is None:
        return SendResult(problem=_say_unread(None))
    shown = MAIL if job.mail is not None else plugin.url(privacy=True).partition("?")[0]
    where: dict[str, Any] = {"shown": shown, "host": plugin.host or "", "port": plugin.port or 0}
    if job.checks:
        return SendResult(**where)
    guard.job = job
    try:
        sent = plugin.notify(title=job.title, body=job.body)
    except Exception:  # noqa: BLE001 - any of a plugin's is a failed attempt
        sent = False
    finally:
        guard.job = None
    if sent:
        return SendResult(**where)
    return SendResult(problem=guard.refusal or _say_failed(job, errors.status), status=errors.status, **where)


def _say_unread(error: Exception | None) -> str:
    if isinstance(error, ImportError):
        return "the arena has no Apprise; install maumau-arena[platform]"
    return "it cannot be read; see docs/reference/webhooks.md for its form"


def _say_failed(job: SendJob, status: int) -> str:
    if job.mail is not None:
        return "the mail server did not take it"
    return f"it answers {status}" if status else "no connection, or no valid answer"


def main() -> None:
    """Work until the input ends."""
    errors, guard = Errors(), Guard()
    logger = logging.getLogger("apprise")
    logger.addHandler(errors)
    logger.propagate = False
    import apprise.plugins.email  # noqa: F401 - what all plugins need is read before a job has its time

    sys.addaudithook(guard.audit)
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    out.write(READY)
    for line in sys.stdin.buffer:
        outcome = work(msgspec.json.decode(line, type=SendJob), errors, guard)
        out.write(msgspec.json.encode(outcome) + b"\n")


if __name__ == "__main__":
    main()
