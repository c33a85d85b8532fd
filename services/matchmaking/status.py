"""Status of the matchmaking service: pairings, bots that wait for one, and seeks."""

from asyncio import to_thread
from typing import NamedTuple

from services.matchmaking.store.census import Census
from services.matchmaking.store.live_tables.seek import Seeks
from services.shared.base.clock import Clock
from services.shared.process.service_status import Figures, StateCount, age_of


class StatusReader(NamedTuple):
    """Reader of all figures: pairings and bots in the database, seeks in Redis."""

    census: Census
    seeks: Seeks
    clock: Clock

    async def read_figures(self) -> Figures:
        """Return the current figures."""
        now = self.clock()
        pairings = await to_thread(self.census.count_pairings)
        ready = await to_thread(self.census.count_ready)
        states = [
            StateCount("pairing", state, counted.count, age_of(counted.since, now))
            for state, counted in pairings.items()
        ]
        states.append(StateCount("bot", "ready", ready.count, age_of(ready.since, now)))
        states.append(StateCount("seek", "open", *await self.seeks.count_open()))
        return Figures(states)
