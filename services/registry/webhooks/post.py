"""One attempt to tell a webhook: a single HTTP/1.1 request to an address that was checked.

The connection goes to the checked address itself, so a name that means another one a moment later changes
nothing. Of the answer the head is read; no redirect is followed.
"""

import asyncio
import re
import ssl
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from services.registry.domain.webhook import Target
from services.registry.webhooks.reach import Forbidden, Lookup, Reach, find_addresses

CONNECT_SECONDS: Final = 5.0
TOTAL_SECONDS: Final = 15.0
MOST_HEAD: Final = 16 << 10  # bytes of an answer's head
MOST_ADDRESSES: Final = 2  # tried in one attempt
MOST_INTERIM: Final = 5  # answers with a status below 200 before the real one
STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: |\r\n)")
AGENT: Final = "maumau-arena-webhook/1"


class PostResult(NamedTuple):
    """The end of an attempt. status: 0 if there was no answer; problem: empty if it was delivered."""

    status: int
    problem: str = ""

    @property
    def is_gone(self) -> bool:
        """True if the receiver says that it wants no more."""
        return self.status == 410


class Poster:
    """A client for webhooks. total: seconds for an attempt from lookup to answer."""

    def __init__(
        self,
        reach: Reach,
        look_up: Lookup,
        context: ssl.SSLContext | None = None,
        connect: float = CONNECT_SECONDS,
        total: float = TOTAL_SECONDS,
    ) -> None:
        self.reach, self.look_up = reach, look_up
        self.context = context or ssl.create_default_context()
        self.connect, self.total = connect, total

    async def post_body(self, target: Target, headers: Mapping[str, str], body: bytes) -> PostResult:
        """Send a request; return what became of it."""
        try:
            async with asyncio.timeout(self.total):
                addresses = await find_addresses(self.reach, target, self.look_up)
                return judge_status(
                    await self._send_request(target, addresses, _write_request(target, headers, body))
                )
        except TimeoutError:
            return PostResult(0, f"no answer within {self.total:g} s")
        except Forbidden as err:
            return PostResult(0, str(err))
        except ssl.SSLError as err:
            return PostResult(0, f"TLS failed: {(err.reason or type(err).__name__)[:100]}")
        except OSError as err:
            return PostResult(0, f"no connection: {(err.strerror or type(err).__name__)[:100]}")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return PostResult(0, "the answer is not HTTP")

    async def _send_request(self, target: Target, addresses: Sequence[str], request: bytes) -> int:
        reader, writer = await self._open_connection(target, addresses)
        try:
            writer.write(request)
            await writer.drain()
            return await _read_status(reader)
        finally:
            writer.transport.abort()

    async def _open_connection(
        self, target: Target, addresses: Sequence[str]
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to the first address that answers."""
        secure = target.scheme == "https"
        context, name = (self.context, target.host) if secure else (None, None)
        error: OSError = OSError(0, "the host has no address")
        for address in addresses[:MOST_ADDRESSES]:
            try:
                async with asyncio.timeout(self.connect):
                    return await asyncio.open_connection(
                        address, target.port, limit=MOST_HEAD, ssl=context, server_hostname=name
                    )
            except TimeoutError:
                error = OSError(0, f"none within {self.connect:g} s")
            except ssl.SSLError:
                raise
            except OSError as err:
                error = err
        raise error


def judge_status(status: int) -> PostResult:
    """Return an answer by its status: delivered from 200 to 299."""
    if 200 <= status < 300:
        return PostResult(status)
    if 300 <= status < 400:
        return PostResult(status, f"it answers {status}: redirects are not followed")
    return PostResult(status, f"it answers {status}")


def _write_request(target: Target, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"POST {target.path} HTTP/1.1", f"Host: {target.authority}", f"User-Agent: {AGENT}"]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join((*lines, "", "")).encode("ascii") + body


async def _read_status(reader: asyncio.StreamReader) -> int:
    for _ in range(MOST_INTERIM):
        head = await reader.readuntil(b"\r\n\r\n")
        found = STATUS.match(head)
        if found is None:
            raise ValueError("not a status line")
        if (status := int(found[1])) >= 200:
            return status
    raise ValueError("no final status")
