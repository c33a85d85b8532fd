"""The tables of the matchmaking service, and the only access to them."""

from services.matchmaking.store.history import LadderHistory
from services.matchmaking.store.ladder import Ladders
from services.matchmaking.store.live_tables.live import LiveGames
from services.matchmaking.store.live_tables.seek import Seeks
from services.matchmaking.store.pool import Pool
from services.matchmaking.store.practice import Practices

__all__ = ["LadderHistory", "Ladders", "LiveGames", "Pool", "Practices", "Seeks"]
