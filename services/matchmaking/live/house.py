"""House bots at live tables: their choice, their seats, and the messages that wake workers."""

import asyncio
import random
import time
from collections.abc import Sequence
from typing import Any

from maumau.bots import HOUSE as NAMES
from maumau.bots import USUAL_OPPONENT
from maumau.errors import (
    ArenaUnreachable,
    BrokerUnavailable,
    DatabaseUnavailable,
    MaumauError,
    NoHouseBot,
    NotFound,
    NotValidated,
    QuotaReached,
    WrongState,
)
from services.matchmaking.live.client import SeatPlayer
from services.matchmaking.store.live_tables.house import (
    LEASE,
    Bounds,
    Claimed,
    Excess,
    HouseSeats,
    Offer,
    Seat,
)
from services.shared.base import log
from services.shared.base.auth import HOUSE
from services.shared.process import tasks
from services.shared.rpc.registry import PlayableVersion, Versions

REMEMBERED = 30.0  # seconds for which the list of house bots is cached
TASK = "worker.seat"
SHARE = 18  # house bots at the tables of one account: at two tables of ten, or at many small ones

logger = log.get(__name__)


class House:
    """House bots and their seats. `app` is Celery's: its messages announce seats."""

    lease_ms = LEASE

    def __init__(self, seats: HouseSeats, versions: Versions, app: Any) -> None:
        self.seats, self.versions, self.app = seats, versions, app
        self._active: dict[str, PlayableVersion] = {}
        self._asked = -REMEMBERED

    async def list_bots(self, rules: str, seats: int) -> list[str]:
        """Return the names of the house bots that play these rules, sorted."""
        active = await self._fetch_versions()
        return sorted(name for name, version in active.items() if _can_play(version, rules, seats))

    async def all_bots(self) -> list[str]:
        """Return the names of all house bots, the usual opponent first."""
        return sorted(await self._fetch_versions(), key=lambda name: (name != USUAL_OPPONENT, name))

    async def find_wanted(self, names: Sequence[str]) -> list[str]:
        """Return the bots that somebody wants at a table, by default all house bots; raise NoHouseBot.

        Besides house bots there are those that play people.
        """
        known = await self.all_bots()
        for name in names:
            if name not in known:
                await self._check_plays_people(name, known)
        if not names and not known:
            raise NoHouseBot("This arena has no house bots just now.")
        return list(names) or known

    async def _check_plays_people(self, name: str, known: Sequence[str]) -> None:
        try:
            found = await self.versions.active(name)
        except (WrongState, NotFound):
            found = None
        if found is None or found.account_name == HOUSE:
            raise NoHouseBot(
                f"{name!r} is not a house bot of this arena; its house bots are {', '.join(known) or 'none'}."
            )
        if not found.plays_people:
            raise NoHouseBot(f"{name!r} plays no people: its author allows it by plays_people in bot.toml.")

    async def _fetch_versions(self) -> dict[str, PlayableVersion]:
        if time.monotonic() - self._asked > REMEMBERED:
            try:
                self._active = {name: found for name in NAMES if (found := await self._find_version(name))}
            except (ArenaUnreachable, DatabaseUnavailable) as error:  # those known still play
                logger.warning("the registry is not asked for house bots", words=str(error))
            self._asked = time.monotonic()
        return self._active

    async def _find_version(self, name: str) -> PlayableVersion | None:
        try:
            found = await self.versions.active(name)
        except (WrongState, NotFound):
            return None
        return found if found.account_name == HOUSE else None

    async def count_room(self) -> int:
        """Return the number of seats that workers could take now."""
        return await self.seats.count_room()

    async def has_share(self, account_id: str, count: int) -> bool:
        """Return True if an account may have `count` house bots more at its tables."""
        return await self.seats.count_seats_of(account_id) + count <= SHARE

    async def choose_bots(self, rules: str, seats: int, count: int, seed: str) -> list[SeatPlayer]:
        """Choose `count` house bots that play these rules, each once as long as there are others."""
        names = await self.list_bots(rules, seats)
        if not names:
            raise NoHouseBot(f"No house bot of this arena plays {rules} with {seats} seats.")
        random.Random(seed).shuffle(names)  # noqa: S311 - guessing an opponent gives no advantage
        return [SeatPlayer(HOUSE, HOUSE, names[number % len(names)]) for number in range(count)]

    async def keep_seats(self, offers: Sequence[Offer], *, unlimited: bool = False) -> None:
        """Keep these seats of one account for house bots, or none of them.

        Raise QuotaReached if its tables or those of its network would have too many, and NoHouseBot, with the
        reason, if the workers have no room for them now. unlimited: the account may have any number.
        """
        if not offers:
            return
        excess = await self.seats.store_offers(offers, Bounds(None if unlimited else SHARE, SHARE))
        if excess:
            raise await self._build_refusal(excess, len(offers))

    async def _build_refusal(self, excess: Excess, count: int) -> MaumauError:
        if excess.bound == "account":
            return QuotaReached(
                f"{excess.held} house bots sit at tables that you have made; {excess.most} are the most, so"
                " that others have some too. They are free again when a table ends.",
                quota="house bots at your tables",
            )
        if excess.bound == "network":
            return QuotaReached(
                f"{excess.held} house bots sit at tables of guests from your network; {excess.most} are the"
                " most, so that others have some too. They are free again when a table ends.",
                quota="house bots at tables of your network",
            )
        if not await self.seats.has_workers():
            return NoHouseBot()
        taken = "seats of the workers that play for them are taken"
        if not excess.most:
            return NoHouseBot(f"No house bot can sit down just now: all {taken}.")
        return NoHouseBot(
            f"Only {excess.most} of {count} house bots can sit down just now: the other {taken}."
        )

    async def offer_seats(self, offers: Sequence[Offer], *, unlimited: bool = False) -> None:
        """Offer seats to house bots; a lost message is sent again."""
        await self.keep_seats(offers, unlimited=unlimited)
        if offers:
            await self.wake_workers()

    async def wake_workers(self) -> None:
        """Send a message for each seat that no worker plays."""
        for table_id, seat in await self.seats.list_overdue():
            try:
                await asyncio.to_thread(tasks.wake, self.app, TASK, table_id, str(seat))
            except BrokerUnavailable as error:
                logger.warning("a seat waits", table=table_id, words=str(error))

    async def claim_seat(self, seat: Seat, worker: str) -> tuple[Claimed, PlayableVersion] | None:
        """Claim a seat for a worker; return it with the bot's version, None if it is not available."""
        claimed = await self.seats.claim_seat(seat, worker)
        if claimed is None:
            return None
        try:
            return claimed, await self._find_sitting(claimed.bot_name)
        except (WrongState, NotFound):
            await self.seats.leave_seat(seat, worker)
            raise

    async def _find_sitting(self, name: str) -> PlayableVersion:
        """Return the version that sits down, as its author may have withdrawn it meanwhile."""
        version = await self.versions.active(name)
        if version.account_name != HOUSE and not version.plays_people:
            raise NoHouseBot(f"{name!r} no longer plays people.")
        return version


def _can_play(version: PlayableVersion, rules: str, seats: int) -> bool:
    try:
        version.check(rules, seats)
    except NotValidated:
        return False
    return True
