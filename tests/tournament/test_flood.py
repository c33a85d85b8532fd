"""One account asks for all that it can, while another's cup is played."""

import threading
from collections import defaultdict
from contextlib import contextmanager

import pytest

from maumau.client.call import rpc_errors
from maumau.errors import MaumauError, QuotaReached, TooManyCalls, TooManyStreams
from services.shared.rpc import intercept
from tests.support.waiting import until
from tests.tournament.test_audit import CUP, FIELD, played_deals

DATABASES = ["sqlite"]  # refusals do not depend on it
POLICIES = ("first", "random", "crash", "gone", "second")  # different programs
WAITING, ENTRIES, BURST, TRIES = 3, 2, 60, 30
REFUSED = {
    "accounts": TooManyCalls, "bots": QuotaReached, "submissions": QuotaReached, "entries": QuotaReached,
    "watchers": TooManyStreams, "slow readers": TooManyStreams, "exports": TooManyStreams,
}  # fmt: skip


class Flood:
    """An account that asks again and again, as long as the block lasts and once at least.

    said: what it was refused with, by what it asked for; got: how often it got that.
    """

    def __init__(self, arena, over, running):
        self.arena, self.over, self.running = arena, over, running
        self.client, _ = arena.author()
        self.calls, self.registry = arena.tournament(self.client.token), arena.registry(self.client.token)
        self.bots = [arena.bot(policy, self.client) for policy in POLICIES]
        self.said, self.got, self.streams = defaultdict(list), defaultdict(int), []
        self.rounds, self.stop = 0, threading.Event()

    @contextmanager
    def under_way(self):
        thread = threading.Thread(target=self._flood)
        thread.start()
        until(lambda: self.rounds, 120)
        try:
            yield
        finally:
            self.stop.set()
            thread.join()
            for stream in self.streams:
                stream.cancel()

    def _flood(self):
        asking = {
            "submissions": lambda n: self.client.submit(self.bots[0], self._program(n)),
            "watchers": lambda n: self._open("WatchTournament", tournament=self.running),
            "slow readers": lambda n: self._open("WatchMatch", tournament=self.running, label="1.1.1"),
            "exports": lambda n: self._open("ExportTournament", tournament=self.over),
            "entries": lambda n: self.calls.Enter(tournament=self.running, bot_name=self._next_bot()),
            "bots": lambda n: self.registry.CreateBot(name=f"flood-{self.rounds}-{n}"),
            "accounts": lambda n: self.registry.CreateAccount(name=f"flood-{self.rounds}-{n}"),
        }
        while not (self.rounds and self.stop.is_set()):
            for what, ask in asking.items():
                for number in range(TRIES):
                    self._run_step(what, ask, number)
            self.rounds += 1

    def _run_step(self, what, ask, number):
        try:
            ask(number)
        except MaumauError as error:
            self.said[what].append(error)
        else:
            self.got[what] += 1

    def _open(self, method, **fields):
        """Open a stream and read only its first message."""
        stream = getattr(self.calls, method)(**fields)
        with rpc_errors():
            next(stream)
        self.streams.append(stream)

    def _next_bot(self):
        """Return a bot that has not entered."""
        return self.bots[min(self.got["entries"], ENTRIES)]

    def _program(self, number):
        return self.arena.program(f"flood-{self.rounds}-{number}")


@pytest.mark.long
def test_the_flood_of_one_account_is_refused_in_its_own_words_and_disturbs_no_cup(start, monkeypatch):
    monkeypatch.setattr(intercept, "BURST", BURST)
    monkeypatch.setattr(intercept, "CALLS_A_SECOND", 5.0)
    with start(quota_bots=len(POLICIES), quota_waiting=WAITING) as arena:
        undisturbed = arena.begin(*FIELD, **CUP)
        arena.finish(undisturbed)
        opened = arena.create(top=f"[entries]\nper_account = {ENTRIES}")
        arena.admin.open(opened)
        flood = Flood(arena, undisturbed, opened)
        with flood.under_way():
            name = arena.begin(*FIELD, **CUP)
            arena.finish(name)
            assert arena.admin.tournament(name).state == "finished"
        assert played_deals(arena, name) == played_deals(arena, undisturbed) != []
        check(flood)


def check(flood):
    """Check that everything beyond an account's quotas was refused, and nothing failed."""
    for what, kind in REFUSED.items():
        kinds = {type(error) for error in flood.said[what]}
        assert kind in kinds, what
        assert kinds <= {kind, TooManyCalls, TooManyStreams}, what
    for error in (one for said in flood.said.values() for one in said):
        assert error.quota if isinstance(error, QuotaReached) else error.retry_after, error
    assert len(flood.streams) <= intercept.MAX_STREAMS
    most = {"bots": 0, "submissions": WAITING, "entries": ENTRIES, "accounts": BURST}
    assert {what: flood.got[what] <= count for what, count in most.items()} == dict.fromkeys(most, True)
