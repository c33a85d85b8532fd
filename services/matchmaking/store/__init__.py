"""The tables of the matchmaking service, and nobody else's way to them."""

from services.matchmaking.store.history import History
from services.matchmaking.store.ladder import Ladders
from services.matchmaking.store.live import LiveGames
from services.matchmaking.store.pool import Pool
from services.matchmaking.store.practice import Practices
from services.matchmaking.store.seek import Seeks

__all__ = ["History", "Ladders", "LiveGames", "Pool", "Practices", "Seeks"]
