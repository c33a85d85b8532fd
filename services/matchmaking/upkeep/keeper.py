"""Upkeep of ladders: epochs, members, pairings, and incoming results.

Every step may be repeated: it is stored here first, then requested from the core under an id of its own.
"""

import asyncio
import json
from asyncio import to_thread
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial

from maumau import game
from maumau.contest.ladder.pairing import MIN_PAIRINGS, shorten_pairings, size_pairing
from maumau.contest.ladder.played import SEEN
from maumau.contest.ladder.rest import Rest, describe_rest
from maumau.errors import MaumauError, NotFound, WrongState
from services.matchmaking.client import PASSING, Core, JobNews, Order
from services.matchmaking.metrics import MatchmakingMetrics
from services.matchmaking.models import Epoch, Ladder, Member
from services.matchmaking.practice.keeper import PracticeKeeper
from services.matchmaking.store import Ladders, Pool, Practices
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.store.pool import encode_players
from services.matchmaking.terms import make_ladder_terms
from services.matchmaking.upkeep.background import NamedTasks, run_step
from services.matchmaking.upkeep.choice import choose_pairs, find_rest_of
from services.matchmaking.upkeep.faults import FaultWatch
from services.matchmaking.upkeep.history import Historian
from services.matchmaking.upkeep.room import Rooms
from services.matchmaking.upkeep.take_back import MADE_ROOM, take_back, take_back_gone
from services.shared.base import log
from services.shared.base.clock import HOUR, Clock
from services.shared.rpc.registry import PlayableVersion as Playable
from services.shared.rpc.registry import Versions

MAX_PAIRINGS = 1000  # under way
EACH_WORKER = 3  # pairings under way for each worker at least, so that none has to wait for the next ones
DUE = 1 / 4  # share of the pairings under way that are over when the next ones are made
AT_ONCE = 100  # pairings that are made, or asked of the core, in one go
EPOCH = 86_400_000  # ms that an epoch is open
MOST_EPOCHS = 6
"""Epochs of a ladder that may begin within an hour, so that joining and leaving repeatedly opens no more."""
LOOK = 10_000  # ms between two looks at a member's version
IDLE_LOOKS = 10  # calls of `keep_contests` for one look while nothing is played

logger = log.get(__name__)


class Keeper:
    """Keeps ladders and, by a keeper of their own, practice matches: one step after the other.

    core: plays. versions: the registry's. rests: ladders with nothing left to learn pair nobody.
    """

    def __init__(
        self,
        ladders: Ladders,
        practices: Practices,
        versions: Versions,
        core: Core,
        clock: Clock,
        metrics: MatchmakingMetrics,
        historian: Historian,
        *,
        rests: bool = True,
    ) -> None:
        self.rests = rests
        self.heard: Callable[[], None] = lambda: None  # called when there may be notices for webhooks
        self.ladders, self.versions, self.core = ladders, versions, core
        self.clock, self.metrics, self.historian = clock, metrics, historian
        self.faults = FaultWatch(ladders, versions)
        self._tasks = NamedTasks()
        self.practice_keeper = PracticeKeeper(practices, core, clock, self.faults, self._tasks)
        self._looks_left = 0  # calls of `keep_contests` to pass over
        self.workers = 0  # heard of within a minute
        self._looked: dict[str, int] = {}  # when the members of a ladder were looked at
        self._active: dict[str, Playable] = {}  # bots' active versions, each asked for once for all ladders
        self._counted = -LOOK  # when the workers were
        self._results_until_due: dict[str, int] = {}  # results of a ladder until pairings are due
        self._rooms = Rooms()
        self._pairing_locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._changed: set[str] = set()  # ladders that somebody has joined or left, to be paired at once
        self.leads: Callable[[], Awaitable[bool]] = _lead_always

    async def keep_contests(self) -> None:
        """Look at everything, or while nothing is played at every IDLE_LOOKS-th call."""
        if self._looks_left > 0:
            self._looks_left -= 1
            return
        self._looks_left = 0  # whoever wakes it from now on is looked after at the next call
        await self._keep_all()
        if self._looks_left == 0 and await to_thread(self._is_idle):
            self._looks_left = IDLE_LOOKS - 1

    def wake(self) -> None:
        """Look at everything at the next call, since something has changed."""
        self._looks_left = -1

    async def take_back_gone(self, name: str) -> None:
        """Take back a ladder's unbegun pairings with a bot that has left, after those that are being made."""
        async with self._pairing_locks[name]:
            await take_back_gone(self.ladders, self.core, name)

    def wake_ladder(self, name: str) -> None:
        """Pair the members of a ladder at once, since one has joined or left.

        A replica that does not lead makes room for newcomers; the leader pairs them at its next look.
        """
        self.wake()
        self._changed.add(name)
        self._tasks.start_task(f"change of {name}", partial(self._pair_changed, name))

    async def _pair_changed(self, name: str) -> None:
        while name in self._changed:
            self._changed.discard(name)
            ladder = await to_thread(self.ladders.find_ladder, name)
            await (self._pair_members(ladder) if await self.leads() else self._await_leader(ladder))

    async def _await_leader(self, ladder: Ladder) -> None:
        """Let nothing begin before the replica that leads has paired a ladder's newcomers."""
        outlook = await to_thread(self.ladders.read_outlook, ladder.name)
        if outlook.ready >= ladder.seats and not ladder.rests:
            await self._make_room(ladder, outlook.newcomers)

    def _is_idle(self) -> bool:
        return not (self.ladders.list_unfinished() or self.practice_keeper.list_unfinished())

    async def _keep_all(self) -> None:
        """Look at everything; a ladder that cannot go on keeps no other from it."""
        self._active.clear()
        for ladder in await to_thread(self.ladders.list_ladders):
            await run_step(f"ladder {ladder.name}", partial(self._keep_ladder, ladder))
        await self.practice_keeper.keep_practices()
        self.heard()

    async def cancel_tasks(self) -> None:
        """Cancel all tasks, because the service stops or another replica leads."""
        await self._tasks.cancel_tasks()

    async def _keep_ladder(self, ladder: Ladder) -> None:
        await self._update_members(ladder)
        for epoch in await to_thread(self.ladders.list_unfinished):
            if epoch.ladder == ladder.name:
                await self._keep_epoch(ladder, epoch)
        await to_thread(self.ladders.count_left_over, ladder.name)
        await to_thread(self.historian.write, ladder.name, self.clock())
        await self._pair_members(ladder)

    async def _count_workers(self) -> None:
        now = self.clock()
        if now - self._counted >= LOOK:
            self.workers = await self.core.count_workers()
            self._counted = now

    async def _update_members(self, ladder: Ladder) -> None:
        """Update the members' versions every `LOOK` ms; a bot without an active one is not paired."""
        now = self.clock()
        if now - self._looked.get(ladder.name, -LOOK) < LOOK:
            return
        self._looked[ladder.name] = now
        for member in await to_thread(self.ladders.list_members, ladder.name):
            version, words = await self._find_version(ladder, member)
            if words != member.words or version:
                await to_thread(self.ladders.note_version, ladder.name, member.bot_name, version, words, now)

    async def _find_version(self, ladder: Ladder, member: Member) -> tuple[ActiveVersion | None, str]:
        try:
            found = self._active.get(member.bot_name) or await self.versions.active(member.bot_name)
            self._active[member.bot_name] = found
            found.check(ladder.rules, ladder.seats)
        except (WrongState, NotFound) as err:
            return None, str(err)
        return ActiveVersion(found.id, found.account_name, found.owner.party, found.number), ""

    async def _find_running(self, ladder: Ladder) -> Epoch:
        """Return the running epoch: a new one if the last is too old, or its rules or fit have changed."""
        rules_hash = await to_thread(_rules_hash, ladder)
        last, now = await to_thread(self.ladders.last_epoch, ladder.name), self.clock()
        if last and last.state in {"new", "running"}:
            if (last.rules_hash, last.fit) == (rules_hash, SEEN) and now - last.began_at < EPOCH:
                return await self._open_epoch(ladder, last)
            await to_thread(self.ladders.change_epoch, last.id, state="closed")
        epoch = await to_thread(self.ladders.add_epoch, ladder.name, rules_hash, now)
        return await self._open_epoch(ladder, epoch)

    async def _open_epoch(self, ladder: Ladder, epoch: Epoch) -> Epoch:
        if epoch.contest_id:
            return epoch
        terms = make_ladder_terms(ladder)
        opened = await self.core.open_contest(f"ladder {ladder.name} {epoch.number}", terms, ladder.options)
        values = {"contest_id": opened.id, "commitment": opened.commitment, "root": opened.root}
        await to_thread(self.ladders.change_epoch, epoch.id, state="running", **values)
        epoch.contest_id, epoch.state = opened.id, "running"
        logger.info("epoch begun", ladder=ladder.name, epoch=epoch.number, commitment=opened.commitment)
        return epoch

    async def _keep_epoch(self, ladder: Ladder, epoch: Epoch) -> None:
        """Queue new pairings, close the epoch's contest if it is due, and follow it."""
        if not epoch.contest_id:
            if epoch.state == "closed":  # closed before it was ever opened
                await to_thread(self.ladders.change_epoch, epoch.id, state="over", ended_at=self.clock())
            return
        async with self._pairing_locks[ladder.name]:
            await self._queue_pairings(epoch)
        if epoch.state == "closed":
            await self.core.close_contest(epoch.contest_id)
        self._tasks.start_task(f"epoch {epoch.id}", lambda: self._follow_epoch(ladder, epoch))

    async def _queue_pairings(self, epoch: Epoch) -> None:
        waiting = await to_thread(self.ladders.new_pairings, epoch)
        for start in range(0, len(waiting), AT_ONCE):
            part = waiting[start : start + AT_ONCE]
            orders = [Order(str(one.label), versions, one.sets, one.sets) for one, versions in part]
            try:
                await self.core.create_jobs(epoch.contest_id, orders)
            except MaumauError as err:
                if len(part) == 1 or isinstance(err, PASSING):
                    raise
                await self._queue_each(epoch, orders)
            labels = [one.label for one, _ in part]
            if gone := await to_thread(self.ladders.mark_queued, epoch.id, labels):
                await self.core.cancel_unbegun(epoch.contest_id, [str(label) for label in gone])

    async def _queue_each(self, epoch: Epoch, orders: Sequence[Order]) -> None:
        """Queue jobs one by one, so that a version that may not play any more costs only its own pairing."""
        for order in orders:
            try:
                await self.core.create_jobs(epoch.contest_id, [order])
            except PASSING:
                raise
            except MaumauError as err:
                logger.info("pairing left out", epoch=epoch.id, label=order.label, words=str(err))
                await to_thread(self.ladders.note_job, epoch.id, int(order.label), "over", str(err))

    async def _pair_members(self, ladder: Ladder) -> None:
        """Add pairings up to the wanted number once a share of them, DUE, is over, or somebody is new."""
        async with self._pairing_locks[ladder.name]:
            await take_back_gone(self.ladders, self.core, ladder.name)
            ladder = await to_thread(self.ladders.find_ladder, ladder.name)  # its terms may have changed
            outlook = await to_thread(self.ladders.read_outlook, ladder.name)
            if outlook.ready < ladder.seats or await self._keep_at_rest(ladder):
                return
            await run_step("counting workers", self._count_workers)
            epoch = await self._find_running(ladder)
            if is_new := await self._make_room(ladder, outlook.newcomers):
                outlook = await to_thread(self.ladders.read_outlook, ladder.name)
            wanted = self.count_wanted()
            self._results_until_due[ladder.name] = outlook.open - (wanted - max(1, int(DUE * wanted)))
            if epoch.state == "running" and (is_new or self._results_until_due[ladder.name] <= 0):
                sets = size_pairing(ladder.seats, outlook.sets)
                await self._add_pairings(
                    ladder, epoch, min(AT_ONCE, max(int(is_new), wanted - outlook.open)), sets
                )

    async def _make_room(self, ladder: Ladder, newcomers: Sequence[int]) -> bool:
        """Take back pairings that have not begun, so that newcomers are paired first; return True if so."""
        now = self.clock()
        if not self._rooms.claim_room(ladder.name, newcomers, now):
            return False
        if found := await to_thread(self.ladders.list_unbooked, ladder.name):
            self._rooms.note_room(ladder.name, now)
            await take_back(self.ladders, self.core, found, MADE_ROOM)
        return True

    async def _keep_at_rest(self, ladder: Ladder) -> bool:
        """Keep the ladder at rest, or wake it; return True if it rests.

        A member that joins or leaves wakes the ladder only if there is something left to learn.
        """
        if not ladder.rests:
            return False
        if ladder.rests_for == encode_players(await to_thread(self.ladders.list_members, ladder.name)):
            if await self._is_epoch_open(ladder.name) and await self.may_begin_epoch(ladder.name):
                await self._store_rest(ladder, ladder.rests, ladder.rests_for)
            return True
        pool = await to_thread(self.ladders.read_pool, ladder.name)
        if self.rests and (found := await to_thread(find_rest_of, pool, self.clock())):
            await self._note_rest(ladder, found, pool)
            return True
        if not await self._is_epoch_open(ladder.name) and not await self.may_begin_epoch(ladder.name):
            return True
        await to_thread(self.ladders.end_rest, ladder.name, self.clock())
        logger.info("ladder wakes", ladder=ladder.name)
        return False

    async def may_begin_epoch(self, name: str) -> bool:
        """Return True if fewer than MOST_EPOCHS of a ladder have begun within the last hour."""
        first = await to_thread(self.ladders.last_epoch, name, MOST_EPOCHS - 1)
        return first is None or self.clock() - first.began_at >= HOUR

    async def _is_epoch_open(self, name: str) -> bool:
        last = await to_thread(self.ladders.last_epoch, name)
        return last is not None and last.state in {"new", "running"}

    async def _note_rest(self, ladder: Ladder, found: Rest, pool: Pool) -> None:
        """Pair nobody until others may be paired."""
        words = describe_rest(found)
        await self._store_rest(ladder, words, encode_players(pool.members))
        logger.info("ladder rests", ladder=ladder.name, words=words)

    async def _store_rest(self, ladder: Ladder, words: str, players: str) -> None:
        """Store why and for whom a ladder rests; end its epoch if the next one may begin at once."""
        ends = await self.may_begin_epoch(ladder.name)
        await to_thread(partial(self.ladders.note_rest, ends_epoch=ends), ladder.name, words, players)

    def count_wanted(self) -> int:
        """Return the number of pairings that should wait or be played on a ladder."""
        return min(MAX_PAIRINGS, max(MIN_PAIRINGS, EACH_WORKER * self.workers))

    async def _add_pairings(self, ladder: Ladder, epoch: Epoch, most: int, sets: int) -> None:
        pool, now = await to_thread(self.ladders.read_pool, ladder.name), self.clock()
        with self.metrics.pairing.time():
            choose = partial(choose_pairs, pool, most, now, sets, ladder.seats, rests=self.rests)
            pairs, rest = await to_thread(choose)
        if rest:
            await self._note_rest(ladder, rest, pool)
            return
        if not pairs:  # too few authors
            return
        sizes = shorten_pairings(pairs, sets, pool.lengths)
        await to_thread(self.ladders.add_pairings, epoch, pairs, sizes, now)
        self._results_until_due[ladder.name] += len(pairs)
        seated = {number for one in pairs for number in one.players}
        self._rooms.note_pairings(ladder.name, seated)
        for one in pairs:
            self.metrics.pairings.labels(one.kind).inc()
        waits = {one.number: (now - one.paired_at) / 1000 for one in pool.playing}
        for number in seated & waits.keys():
            self.metrics.waited.observe(waits[number])
        await self._queue_pairings(epoch)

    async def _follow_epoch(self, ladder: Ladder, epoch: Epoch) -> None:
        unfinished = await to_thread(self.ladders.list_unfinished)
        now = next((one for one in unfinished if one.id == epoch.id), None)
        if now is None:  # it is over by now
            return
        async with aclosing(self.core.follow_contest(epoch.contest_id, now.cursor)) as news:
            async for one in news:
                if isinstance(one, Booked):
                    if await to_thread(self.ladders.book_result, epoch.id, one):
                        self.metrics.results.inc()
                        self.historian.note_result(ladder.name, one.at)
                        self._note_result(ladder)
                        if await self.faults.count_result(ladder, epoch, one):
                            self._look_again(ladder.name)  # who is suspended is paired no more
                elif isinstance(one, JobNews):
                    await to_thread(self.ladders.note_job, epoch.id, int(one.label), one.state, one.words)
                    if one.state == "over" and one.words:  # a version of it is not active any more
                        self._look_again(ladder.name)
                else:
                    values = {"state": "over", "secret": one.secret, "ended_at": self.clock()}
                    values |= {"compared": one.compared} | ({"chain": one.chain} if one.chain else {})
                    self.faults.forget_contest(epoch.id)
                    await to_thread(self.ladders.change_epoch, epoch.id, **values)
                    logger.info("epoch over", ladder=ladder.name, epoch=epoch.number)

    def _look_again(self, ladder: str) -> None:
        """Look at the versions of a ladder's members at once."""
        self._looked.pop(ladder, None)
        self.wake()

    def _note_result(self, ladder: Ladder) -> None:
        """Count a result, and pair once enough have come: a pairing is one block, so each result ends one."""
        left = self._results_until_due[ladder.name] = self._results_until_due.get(ladder.name, 0) - 1
        if left <= 0:
            self._tasks.start_task(f"pairings of {ladder.name}", partial(self._pair_members, ladder))


async def _lead_always() -> bool:
    return True


def _rules_hash(ladder: Ladder) -> str:
    return game.load_any(ladder.rules, ladder.variant_toml, **json.loads(ladder.options)).hash
