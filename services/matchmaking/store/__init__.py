"""The tables of the matchmaking service, and the only access to them."""

from services.matchmaking.store.history import LadderHistory
from services.matchmaking.store.ladder import Ladders
from services.matchmaking.store.pool import Pool
from services.matchmaking.store.practice import Practices
from services.matchmaking.store.tables.live import LiveGames
from services.matchmaking.store.tables.seek import Seeks

__all__ = ["LadderHistory", "Ladders", "LiveGames", "Pool", "Practices", "Seeks"]
