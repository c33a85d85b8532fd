"""Guessed tokens: what was refused is refused again without asking, and an address has few tries.

Whoever has a token that was good lately is let through, so that those behind one proxy do not pay for each
other.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

from maumau.errors import ExpiredToken, MaumauError, RevokedToken, TooManyCalls, UnknownToken
from services.shared.rate import Rates

REFUSALS: tuple[type[MaumauError], ...] = (UnknownToken, ExpiredToken, RevokedToken)
REMEMBERED = 30.0  # seconds that a refusal is remembered
GOOD = 600.0  # seconds that a token is known to have been good
KEPT = 10_000  # tokens of either kind
TRIES_A_SECOND, TRIES = 1.0, 50
"""Tokens of one address that may turn out to be bad: on average, and at once after a rest."""


class Guesses:
    """Of one server. Tokens are known by their hashes alone."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._tries = Rates(TRIES_A_SECOND, TRIES, clock)
        self._refused: OrderedDict[bytes, tuple[float, MaumauError]] = OrderedDict()
        self._good: OrderedDict[bytes, float] = OrderedDict()

    def check(self, token: str, address: str) -> None:
        """Before anybody is asked whose it is: raises what was said of it lately, or TooManyCalls."""
        key, now = _hash(token), self.clock()
        until, error = self._refused.get(key, (0.0, None))
        if error and until > now:
            raise type(error)(str(error))
        if self._good.get(key, 0.0) <= now and not self._tries.may(address):
            raise TooManyCalls("Too many tokens from your address were refused; wait a moment and try again.")

    def refused(self, token: str, address: str, error: MaumauError) -> None:
        """Counts a bad token. One that was valid once is no guess: many sessions may end at one address."""
        if isinstance(error, UnknownToken):
            self._tries.take(address)
        self._good.pop(_hash(token), None)
        self._refused[_hash(token)] = (self.clock() + REMEMBERED, error)
        if len(self._refused) > KEPT:
            self._refused.popitem(last=False)

    def accepted(self, token: str) -> None:
        """It was good."""
        self._good[_hash(token)] = self.clock() + GOOD
        if len(self._good) > KEPT:
            self._good.popitem(last=False)


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
