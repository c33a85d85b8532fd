"""Messages to mail and chat: written in the language of who gets them, and sent by programs of their own.

A program that does not answer in time is ended, so that a server that hangs holds one of them for a while and
nothing else.
"""

import asyncio
import os
import sys
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from services.registry.domain.channel import MAIL, OWN_SERVERS, find_scheme, is_mail
from services.registry.domain.webhook import Target
from services.registry.store.notices.delivery import Due
from services.registry.webhooks.message import MessageWriter
from services.registry.webhooks.post import PostResult
from services.registry.webhooks.reach import Reach
from services.registry.webhooks.teller import READY, SendJob, SendResult, is_secret
from services.shared.base import log

START_SECONDS: Final = 120.0
JOB_SECONDS: Final = 20.0
MAILERS, CHATTERS = 2, 4
"""SendingPrograms at the same time, started with the first message."""
MODES: Final = {"smtp": "insecure", "smtp+starttls": "starttls", "smtps": "ssl"}
PORTS: Final = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
NO_MAIL: Final = "this arena sends no mail"

logger = log.get(__name__)


class MailServer(NamedTuple):
    """The arena's own mail server. url: empty if it sends no mail; sender: `Arena <arena@example.org>`."""

    url: str
    sender: str

    def write(self, url: str, headers: dict[str, str]) -> dict[str, Any]:
        """Return the arguments of Apprise's plugin for a mail to an address."""
        found = urlsplit(self.url)
        return {
            "host": found.hostname,
            "smtp_host": found.hostname,
            "port": found.port or PORTS[found.scheme],
            "user": unquote(found.username) if found.username else None,
            "password": unquote(found.password) if found.password else None,
            "secure": found.scheme != "smtp",
            "secure_mode": MODES[found.scheme],
            "from_addr": self.sender,
            "targets": [url.removeprefix(f"{MAIL}:")],
            "headers": headers,
        }


class SendingProgram:
    """One program that sends a message after the other."""

    def __init__(self) -> None:
        self._running: asyncio.subprocess.Process | None = None

    async def work(self, job: SendJob) -> SendResult:
        """Have a job done; a program that is silent is ended, and the next job starts another."""
        try:
            running = self._running or await self._start()
            self._running = running
            async with asyncio.timeout(JOB_SECONDS):
                return await _ask(running, job)
        except TimeoutError:
            await self.close()
            return SendResult(problem=f"no answer within {JOB_SECONDS:g} s")
        except (OSError, EOFError, msgspec.DecodeError):
            await self.close()
            return SendResult(problem="the arena's own sender has ended")
        except asyncio.CancelledError:
            await self.close()
            raise

    async def close(self) -> None:
        """End the program."""
        running, self._running = self._running, None
        if running and running.returncode is None:
            with suppress(ProcessLookupError):
                running.kill()
            await running.wait()

    async def _start(self) -> asyncio.subprocess.Process:
        path = os.pathsep.join(filter(None, sys.path))
        env = {"PATH": os.defpath, "PYTHONPATH": path, "HOME": "/nonexistent", "PYTHONSAFEPATH": "1"}
        env |= {"NETRC": os.devnull, "LC_ALL": "C.UTF-8"}
        command = (sys.executable, "-m", "services.registry.webhooks.teller")
        pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        running = await asyncio.create_subprocess_exec(
            *command, **pipes, stderr=asyncio.subprocess.DEVNULL, env=env, start_new_session=True
        )
        self._running = running
        async with asyncio.timeout(START_SECONDS):
            assert running.stdout
            if await running.stdout.readline() != READY:
                raise EOFError
        return running


async def _ask(running: asyncio.subprocess.Process, job: SendJob) -> SendResult:
    assert running.stdin
    assert running.stdout
    running.stdin.write(msgspec.json.encode(job) + b"\n")
    await running.stdin.drain()
    line = await running.stdout.readline()
    if not line:
        raise EOFError
    return msgspec.json.decode(line, type=SendResult)


class SendingPrograms:
    """Some programs, each with one job at a time."""

    def __init__(self, count: int) -> None:
        self._all = [SendingProgram() for _ in range(count)]
        self._free: asyncio.LifoQueue[SendingProgram] = asyncio.LifoQueue()
        for one in self._all:
            self._free.put_nowait(one)

    async def work(self, job: SendJob) -> SendResult:
        """Have a job done by the next program that is free."""
        one = await self._free.get()
        try:
            return await one.work(job)
        finally:
            self._free.put_nowait(one)

    async def close(self) -> None:
        for one in self._all:
            await one.close()


class MessageTeller:
    """The sender of messages. reach: what chats may use."""

    def __init__(self, server: MailServer, reach: Reach, writer: MessageWriter) -> None:
        self.server, self.reach, self.writer = server, reach, writer
        self._mailers, self._chatters = SendingPrograms(MAILERS), SendingPrograms(CHATTERS)

    async def check(self, url: str) -> SendResult:
        """Read the address of a chat, and send nothing."""
        return await self._chatters.work(SendJob(url=url, checks=True))

    async def send(self, due: Due) -> PostResult:
        """Send an event as a message; return what became of it."""
        message = self.writer.write(due)
        if not is_mail(due.url):
            job = SendJob(
                url=due.url,
                title=message.title,
                body=message.body,
                ports=tuple(sorted(self.reach.ports)),
                networks=tuple(map(str, self.reach.networks)),
            )
            return _judge(await self._chatters.work(job))
        if not self.server.url:
            return PostResult(0, NO_MAIL)
        mail = self.server.write(due.url, message.headers)
        return _judge(await self._mailers.work(SendJob(title=message.title, body=message.body, mail=mail)))

    async def close(self) -> None:
        """End the programs."""
        await self._mailers.close()
        await self._chatters.close()


def find_target(url: str, outcome: SendResult) -> Target | None:
    """Return where a chat is, if its address names a server."""
    if not outcome.host or find_scheme(url) not in OWN_SERVERS:
        return None
    secure, host = is_secret(url), outcome.host.strip("[]")
    return Target("https" if secure else "http", host, outcome.port or (443 if secure else 80), "/")


def _judge(outcome: SendResult) -> PostResult:
    return PostResult(outcome.status, outcome.problem)
