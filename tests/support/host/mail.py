"""A real SMTP server that keeps what it is sent, and refuses as it is asked to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any


class Mailbox:
    """Messages that a server received. refusal: its answer to each of them, if it refuses them."""

    def __init__(self) -> None:
        self.got: list[EmailMessage] = []
        self.refused = 0
        self.refusal = ""

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        if self.refusal:
            self.refused += 1
            return self.refusal
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        message["X-Rcpt"] = ",".join(envelope.rcpt_tos)
        self.got.append(message)
        return "250 taken"

    def subjects(self) -> list[str]:
        return [str(one["subject"]) for one in self.got]


@contextmanager
def receiving_mail() -> Iterator[tuple[Mailbox, str]]:
    """Yield a mailbox and the URL of its server, while it listens."""
    from aiosmtpd.smtp import SMTP

    mailbox, loop = Mailbox(), asyncio.new_event_loop()
    make = loop.create_server(lambda: SMTP(mailbox, loop=loop), "127.0.0.1", 0)
    server = loop.run_until_complete(make)
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield mailbox, f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.close()
