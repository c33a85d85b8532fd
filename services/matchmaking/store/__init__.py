"""The tables of the matchmaking service, and nobody else's way to them."""

from services.matchmaking.store.history import History
from services.matchmaking.store.ladder import Ladders
from services.matchmaking.store.pool import Pool
from services.matchmaking.store.practice import Practices

__all__ = ["History", "Ladders", "Pool", "Practices"]
