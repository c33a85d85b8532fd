"""Decoding of requests, after the gate has let their caller in."""

from collections.abc import AsyncIterator, Callable
from typing import Any

from google.protobuf.message import DecodeError

from maumau.errors import BadRequest, TooManyCalls
from services.shared.base.rate import Rates

MISTAKES_A_SECOND, MISTAKES = 1.0, 50
"""Requests of one caller that may fail to decode: on average, and at once after a rest."""

Decode = Callable[[bytes], Any] | None


class Payloads:
    """A decoder of requests that counts each caller's failures.

    owner: the caller for whom the server's limits count, "" for none.
    """

    def __init__(self) -> None:
        self._mistakes = Rates(MISTAKES_A_SECOND, MISTAKES)

    def check(self, owner: str) -> None:
        """Raise `TooManyCalls` for a caller with too many failures."""
        if owner and not self._mistakes.may(owner):
            raise TooManyCalls("Too many of your requests could not be decoded; wait a moment and try again.")

    def read(self, decode: Decode, payload: bytes, owner: str) -> Any:
        """Return the message; raise `BadRequest` for bytes that are none."""
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
        self, decode: Decode, payloads: AsyncIterator[bytes], owner: str
    ) -> AsyncIterator[Any]:
        """Yield the messages of a stream of requests."""
        async for payload in payloads:
            yield self.read(decode, payload, owner)
