"""Guessed tokens: a refused token is refused again without a query, and an address has few tries.

Callers with a token that was valid lately are let through, so that callers behind one proxy do not suffer
from each other's guesses.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

from maumau.errors import ExpiredToken, MaumauError, RevokedToken, TooManyCalls, UnknownToken
from services.shared.base.rate import Rates

ENDED: tuple[type[MaumauError], ...] = (ExpiredToken, RevokedToken)
REFUSALS: tuple[type[MaumauError], ...] = (UnknownToken, *ENDED)
REMEMBERED = 30.0  # seconds for which a refusal is remembered
GOOD = 600.0  # seconds for which a token counts as having been valid
KEPT = 10_000  # tokens remembered of either kind
TRIES_A_SECOND, TRIES = 1.0, 50
"""Invalid tokens that an address may send: per second on average, and at once after a rest."""


class Guesses:
    """The guesses at one server. Tokens are known only by their hashes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._tries = Rates(TRIES_A_SECOND, TRIES, clock)
        self._refused: OrderedDict[bytes, tuple[float, MaumauError]] = OrderedDict()
        self._good: OrderedDict[bytes, float] = OrderedDict()

    def check(self, token: str, address: str) -> None:
        """Raise the remembered refusal of this token, or TooManyCalls, before its owner is queried.

        address: whose tries are counted; "" for a service of the arena, which counts its callers' itself.
        """
        key, now = _hash(token), self.clock()
        until, error = self._refused.get(key, (0.0, None))
        if error and until > now:
            raise type(error)(str(error))
        if address and self._good.get(key, 0.0) <= now and not self._tries.may(address):
            raise TooManyCalls("Too many tokens from your address were refused; wait a moment and try again.")

    def refused(self, token: str, address: str, error: MaumauError) -> None:
        """Count an invalid token. An expired one is not a guess: many sessions may end at one address."""
        if address and isinstance(error, UnknownToken):
            self._tries.take(address)
        self._good.pop(_hash(token), None)
        self._refused[_hash(token)] = (self.clock() + REMEMBERED, error)
        if len(self._refused) > KEPT:
            self._refused.popitem(last=False)

    def accepted(self, token: str) -> None:
        """Remember a valid token."""
        self._good[_hash(token)] = self.clock() + GOOD
        if len(self._good) > KEPT:
            self._good.popitem(last=False)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
