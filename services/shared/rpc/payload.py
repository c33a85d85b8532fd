"""Decoding of requests, after the gate has let their caller in."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from google.protobuf.message import DecodeError

from maumau.errors import BadRequest, TooManyCalls
from services.shared.base.rate import Rates

MISTAKES_A_SECOND, MISTAKES = 1.0, 50
"""Requests of one caller that may fail to decode: on average, and at once after a rest."""
PAUSE_SECONDS: Final = 0.25  # until a stream that was too fast tries again

Decode = Callable[[bytes], Any] | None


class Payloads:
    """A decoder of requests that counts each caller's failures, and paces streams of requests.

    owner: the caller for whom the server's limits count, "" for none. messages_a_second, burst: those that a
    caller may send on all its streams together, on average, and at once after a rest.
    """

    def __init__(self, messages_a_second: float, burst: int) -> None:
        self._mistakes = Rates(MISTAKES_A_SECOND, MISTAKES)
        self.messages = Rates(messages_a_second, burst)

    def check(self, owner: str) -> None:
        """Raise `TooManyCalls` for a caller with too many failures."""
        if owner and not self._mistakes.may(owner):
            raise TooManyCalls("Too many of your requests could not be decoded; wait a moment and try again.")

    def read(self, decode: Decode, payload: bytes, owner: str) -> Any:
        """Return the message; raise `BadRequest` for bytes that cannot be decoded."""
        if decode is None:
            return payload
        try:
            return decode(payload)
        except (DecodeError, UnicodeDecodeError):
            if owner:
                self._mistakes.take(owner)
            words = f"The request's {len(payload):,} bytes cannot be decoded as this method's message."
            raise BadRequest(words) from None

    async def read_each(
        self, decode: Decode, payloads: AsyncIterator[bytes], owner: str, *, is_paced: bool
    ) -> AsyncIterator[Any]:
        """Yield the messages of a stream of requests, if it is paced as fast as the owner's rate allows.

        A refusal would break off an honest upload.
        """
        async for payload in payloads:
            while is_paced and owner and not self.messages.take(owner):  # noqa: ASYNC110 - it is time that is awaited
                await asyncio.sleep(PAUSE_SECONDS)
            yield self.read(decode, payload, owner)
