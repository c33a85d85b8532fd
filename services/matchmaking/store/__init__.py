"""The tables of the matchmaking service, and nobody else's way to them."""

from services.matchmaking.store.ladder import Ladders, Pool
from services.matchmaking.store.practice import Practices

__all__ = ["Ladders", "Pool", "Practices"]
