"""What keeps ladders and practice going: epochs, who is there, pairs, and the results that come.

Every step may be done again: what is written here first is asked of the core under an id of its own.
"""

import asyncio
import json
from asyncio import to_thread
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial

from maumau import game
from maumau.contest.pairing import MIN_PAIRINGS, SHARE_UNDER_WAY, Pair, pair, size_block, size_pairing
from maumau.contest.pairing import Player as Candidate
from maumau.contest.score import SEATINGS
from maumau.contest.spec import Bot
from maumau.contest.terms import Terms
from maumau.errors import ArenaUnreachable, MaumauError, NotFound, WrongState
from services.matchmaking.client import Core, JobNews, Opened, Order
from services.matchmaking.history import Historian
from services.matchmaking.metrics import Metrics
from services.matchmaking.models import Epoch, Ladder, Member, Practice
from services.matchmaking.store import Ladders, Pool, Practices
from services.matchmaking.store.ladder import Booked, Version
from services.matchmaking.store.practice import more_versions
from services.shared import log
from services.shared.auth import OWN
from services.shared.clock import Clock
from services.shared.registry import Versions

MAX_PAIRINGS = 1000  # under way
EACH_WORKER = 3  # pairings under way for each worker at least, so that none has to wait for the next ones
DUE = 1 / 4  # share of the pairings under way that are over when the next ones are made
AT_ONCE = 100  # pairings that are made, or asked of the core, in one go
EPOCH = 86_400_000  # ms that an epoch is open
LOOK = 10_000  # ms between two looks at a member's version
AGAIN = 2.0  # seconds before a task that failed ends, so that the next look starts it again

logger = log.get(__name__)


class Keeper:
    """One step after the other, in the background; `core` plays and `versions` are the registry's."""

    def __init__(
        self, ladders: Ladders, practices: Practices, versions: Versions, core: Core, clock: Clock,
        metrics: Metrics, historian: Historian,
    ) -> None:  # fmt: skip
        self.ladders, self.practices, self.versions, self.core = ladders, practices, versions, core
        self.clock, self.metrics, self.historian = clock, metrics, historian
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.workers = 0  # heard of within a minute
        self._looked: dict[str, int] = {}  # when the members of a ladder were looked at
        self._counted = -LOOK  # when the workers were
        self._results_until_due: dict[str, int] = {}  # results of a ladder until pairings are due
        self._pairing_locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def keep(self) -> None:
        """A look at everything; a ladder that cannot go on keeps no other from it."""
        await self._try("counting workers", self._count_workers)
        for ladder in await to_thread(self.ladders.all):
            await self._try(f"ladder {ladder.name}", partial(self._keep, ladder))
        for practice in await to_thread(self.practices.unfinished):
            await self._try(f"practice {practice.id}", partial(self._practise, practice))

    async def rest(self) -> None:
        """Ends all tasks: the service stops, or another replica leads."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)

    async def _try(self, what: str, step: Callable[[], Awaitable[None]]) -> None:
        try:
            await step()
        except MaumauError as err:
            logger.warning("it does not go on", what=what, reason=err.reason, words=str(err))

    # --- a ladder ---

    async def _keep(self, ladder: Ladder) -> None:
        await self._look(ladder)
        for epoch in await to_thread(self.ladders.unfinished):
            if epoch.ladder == ladder.name:
                await self._keep_epoch(ladder, epoch)
        await to_thread(self.ladders.count_left_over, ladder.name)
        await to_thread(self.historian.write, ladder.name, self.clock())
        await self._pair(ladder)

    async def _count_workers(self) -> None:
        now = self.clock()
        if now - self._counted >= LOOK:
            self.workers = await self.core.count_workers()
            self._counted = now

    async def _look(self, ladder: Ladder) -> None:
        """Whoever has another active version plays with that one; who has none is not paired."""
        now = self.clock()
        if now - self._looked.get(ladder.name, -LOOK) < LOOK:
            return
        self._looked[ladder.name] = now
        for member in await to_thread(self.ladders.members, ladder.name):
            version, words = await self._version(ladder, member)
            if words != member.words or version:
                await to_thread(self.ladders.note_version, ladder.name, member.bot_name, version, words, now)

    async def _version(self, ladder: Ladder, member: Member) -> tuple[Version | None, str]:
        try:
            found = await self.versions.active(member.bot_name)
            found.check(ladder.rules, ladder.seats)
        except (WrongState, NotFound) as err:
            return None, str(err)
        return Version(found.id, found.account_name), ""

    async def _running(self, ladder: Ladder) -> Epoch:
        """The epoch that runs; one that is too old, or of other rules, is closed, and the next one begins."""
        rules_hash = await to_thread(_rules_hash, ladder)
        last, now = await to_thread(self.ladders.last_epoch, ladder.name), self.clock()
        if last and last.state in {"new", "running"}:
            if last.rules_hash == rules_hash and now - last.began_at < EPOCH:
                return await self._opened(ladder, last)
            await to_thread(self.ladders.change_epoch, last.id, state="closed")
        epoch = await to_thread(self.ladders.add_epoch, ladder.name, rules_hash, now)
        return await self._opened(ladder, epoch)

    async def _opened(self, ladder: Ladder, epoch: Epoch) -> Epoch:
        if epoch.contest_id:
            return epoch
        terms = _terms(ladder)
        opened = await self.core.open(f"ladder {ladder.name} {epoch.number}", terms, ladder.options)
        values = {"contest_id": opened.id, "commitment": opened.commitment, "root": opened.root}
        await to_thread(self.ladders.change_epoch, epoch.id, state="running", **values)
        epoch.contest_id, epoch.state = opened.id, "running"
        logger.info("epoch begun", ladder=ladder.name, epoch=epoch.number, commitment=opened.commitment)
        return epoch

    async def _keep_epoch(self, ladder: Ladder, epoch: Epoch) -> None:
        """Queues what is not queued, closes what is to be closed, and follows."""
        if not epoch.contest_id:
            if epoch.state == "closed":  # closed before it was ever opened
                await to_thread(self.ladders.change_epoch, epoch.id, state="over", ended_at=self.clock())
            return
        await self._queue(epoch)
        if epoch.state == "closed":
            await self.core.close_contest(epoch.contest_id)
        self._begin(f"epoch {epoch.id}", lambda: self._follow_epoch(ladder, epoch))

    async def _queue(self, epoch: Epoch) -> None:
        waiting = await to_thread(self.ladders.new_pairings, epoch)
        for start in range(0, len(waiting), AT_ONCE):
            part = waiting[start : start + AT_ONCE]
            orders = [Order(str(one.label), versions, one.sets, one.sets) for one, versions in part]
            try:
                await self.core.create(epoch.contest_id, orders)
            except MaumauError as err:
                if len(part) == 1 or isinstance(err, ArenaUnreachable):
                    raise
                await self._queue_each(epoch, orders)
            await to_thread(self.ladders.mark_queued, epoch.id, [one.label for one, _ in part])

    async def _queue_each(self, epoch: Epoch, orders: Sequence[Order]) -> None:
        """One by one: a version that may not play any more costs its own pairing alone."""
        for order in orders:
            try:
                await self.core.create(epoch.contest_id, [order])
            except ArenaUnreachable:
                raise
            except MaumauError as err:
                logger.info("pairing left out", epoch=epoch.id, label=order.label, words=str(err))
                await to_thread(self.ladders.note_job, epoch.id, int(order.label), "over", str(err))

    async def _pair(self, ladder: Ladder) -> None:
        """Adds pairings up to the wanted number once a share of them, DUE, are over."""
        async with self._pairing_locks[ladder.name]:
            outlook = await to_thread(self.ladders.outlook, ladder.name)
            if outlook.ready < ladder.seats:
                return
            epoch = await self._running(ladder)
            wanted = self.count_wanted(ladder, outlook.sets)
            self._results_until_due[ladder.name] = outlook.open - (wanted - max(1, int(DUE * wanted)))
            if epoch.state == "running" and self._results_until_due[ladder.name] <= 0:
                sets = size_pairing(ladder.seats, outlook.sets)
                await self._add_pairings(ladder, epoch, min(AT_ONCE, wanted - outlook.open), sets)

    def count_wanted(self, ladder: Ladder, played: int) -> int:
        """How many pairings should be under way on a ladder after this many sets."""
        share = round(SHARE_UNDER_WAY * played / size_pairing(ladder.seats, played))
        return min(MAX_PAIRINGS, max(MIN_PAIRINGS, EACH_WORKER * self.workers, share))

    async def _add_pairings(self, ladder: Ladder, epoch: Epoch, most: int, sets: int) -> None:
        pool, now = await to_thread(self.ladders.pool, ladder.name), self.clock()
        with self.metrics.pairing.time():
            pairs = await to_thread(_choose_pairs, pool, most, now, sets, ladder.seats)
        if not pairs:  # too few authors
            return
        await to_thread(self.ladders.add_pairings, epoch, pairs, sets, now)
        self._results_until_due[ladder.name] += len(pairs)
        for one in pairs:
            self.metrics.pairings.labels(one.kind).inc()
        waits = {one.number: (now - one.paired_at) / 1000 for one in pool.playing}
        for number in {number for one in pairs for number in one.players} & waits.keys():
            self.metrics.waited.observe(waits[number])
        await self._queue(epoch)

    async def _follow_epoch(self, ladder: Ladder, epoch: Epoch) -> None:
        now = next(one for one in await to_thread(self.ladders.unfinished) if one.id == epoch.id)
        async with aclosing(self.core.follow(epoch.contest_id, now.cursor)) as news:
            async for one in news:
                if isinstance(one, Booked):
                    if await to_thread(self.ladders.book, epoch.id, one):
                        self.metrics.results.inc()
                        self.historian.note_result(ladder.name, one.at)
                        self._note_result(ladder)
                elif isinstance(one, JobNews):
                    await to_thread(self.ladders.note_job, epoch.id, int(one.label), one.state, one.words)
                else:
                    values = {"state": "over", "secret": one.secret, "ended_at": self.clock()}
                    await to_thread(self.ladders.change_epoch, epoch.id, **values)
                    logger.info("epoch over", ladder=ladder.name, epoch=epoch.number)

    def _note_result(self, ladder: Ladder) -> None:
        """Pairs as soon as enough results have come: a pairing is one block, so each result ends one."""
        left = self._results_until_due[ladder.name] = self._results_until_due.get(ladder.name, 0) - 1
        if left <= 0:
            self._begin(f"pairings of {ladder.name}", partial(self._pair, ladder))

    # --- practice ---

    async def _practise(self, practice: Practice) -> None:
        if not practice.contest_id:
            terms = _practice_terms(practice)
            opened = await self.core.open(f"practice {practice.id}", terms, practice.options)
            await to_thread(self.practices.change, practice.id, contest_id=opened.id)
            practice.contest_id = opened.id
        if practice.state == "new":
            versions = practice.version_id, practice.other_id, *more_versions(practice)
            block = min(practice.sets, size_block(len(versions)))
            order = Order("1", versions, practice.sets, block)
            refused = ""
            try:
                await self.core.create(practice.contest_id, [order])
            except ArenaUnreachable:
                raise
            except MaumauError as err:
                refused = str(err)
            await self.core.close_contest(practice.contest_id)  # what is noted first is not done again
            state = "over" if refused else "open"
            await to_thread(self.practices.change, practice.id, state=state, words=refused)
        self._begin(practice.id, lambda: self._follow_practice(practice))

    async def _follow_practice(self, practice: Practice) -> None:
        now = await to_thread(self.practices.find, practice.id)
        async with aclosing(self.core.follow(practice.contest_id, now.cursor)) as news:
            async for one in news:
                if isinstance(one, Booked):
                    await to_thread(self.practices.book, practice.id, one)
                elif isinstance(one, JobNews) and one.state != "over":
                    await to_thread(self.practices.change, practice.id, state=one.state, words=one.words)
                elif isinstance(one, Opened):
                    await to_thread(self.practices.change, practice.id, state="over", ended_at=self.clock())

    def _begin(self, what: str, body: Callable[[], Awaitable[None]]) -> None:
        """Starts this in a task of its own, unless it is running."""
        if what in self.tasks and not self.tasks[what].done():
            return
        self.tasks = {name: task for name, task in self.tasks.items() if not task.done()}
        self.tasks[what] = asyncio.create_task(self._work(what, body), name=what)

    async def _work(self, what: str, body: Callable[[], Awaitable[None]]) -> None:
        try:
            await body()
        except MaumauError as err:
            logger.info("stopped, will be started again", what=what, words=str(err))
            await asyncio.sleep(AGAIN)
        except Exception:
            logger.exception("background task failed", what=what)
            await asyncio.sleep(AGAIN)


def _rules_hash(ladder: Ladder) -> str:
    return game.load_any(ladder.rules, ladder.variant_toml, **json.loads(ladder.options)).hash


def _terms(ladder: Ladder) -> Terms:
    return Terms(
        purpose="ladder", author="admin", rules=ladder.rules, options=json.loads(ladder.options),
        variant_toml=ladder.variant_toml, seats=ladder.seats, score=ladder.score,  # type: ignore[arg-type]
        bot=Bot(deal_ms=ladder.deal_ms, memory=ladder.memory),
    )  # fmt: skip


def _practice_terms(practice: Practice) -> Terms:
    seats = SEATINGS + len(more_versions(practice))
    return Terms(
        purpose="practice", author=practice.account_name, rules=practice.rules,
        options=json.loads(practice.options), variant_toml=practice.variant_toml, seats=seats,
        score="win" if seats == SEATINGS else "places",
    )  # fmt: skip


def candidates(pool: Pool, now: int) -> list[Candidate]:
    """Who may be paired."""
    parents = {one.number: one.parent if one.parent >= 0 else None for one in pool.players}
    return [
        Candidate(
            one.number, (now - one.paired_at) / 1000, parents[one.number], author_of(one)
        )
        for one in sorted(pool.playing, key=lambda one: one.number)
    ]  # fmt: skip


def author_of(member: Member) -> str:
    """Whose bots may not sit together: the arena's own do not play into each other's hands."""
    return member.bot_name if member.account_name in OWN else member.account_name


def _choose_pairs(pool: Pool, most: int, now: int, sets: int, seats: int) -> list[Pair]:
    given = candidates(pool, now), counted(pool), pool.believe(), most
    return pair(*given, pool.played.sets, sets=sets, seats=seats)


def counted(pool: Pool) -> dict[tuple[int, int], int]:
    """Sets played and under way, by pair."""
    counts = pool.played.count_meetings()
    for key, sets in pool.under_way.items():
        counts[key] = counts.get(key, 0) + sets
    return counts
