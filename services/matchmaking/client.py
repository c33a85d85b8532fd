"""The core, as the matchmaking service asks it."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, NamedTuple

from maumau.call import rpc_errors
from maumau.contest.score import SEATINGS
from maumau.contest.terms import Terms
from maumau.v1 import game_pb2, job_pb2, job_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.matchmaking.store.ladder import Booked
from services.shared.client import connect_aio

CORE: Any = job_pb2_grpc.JobServiceStub
QUEUE: Any = tournament_pb2_grpc.TournamentServiceStub
DEADLINE = 20.0  # seconds


class Order(NamedTuple):
    """A job to be created."""

    label: str
    version_ids: tuple[str, ...]
    sets: int
    block: int


class Opened(NamedTuple):
    """A contest of the core."""

    id: str
    commitment: str
    root: str
    secret: str
    over: bool


class JobNews(NamedTuple):
    """How a job of the contest is now."""

    label: str
    state: str
    words: str


class Core:
    """With the arena's own worker token."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.stub = CORE(self.channel)
        self.queue = QUEUE(self.channel)

    async def open(self, request_id: str, terms: Terms, options_json: str) -> Opened:
        """The contest of this request, new or known."""
        rules = game_pb2.RuleSet(name=terms.rules, options_json=options_json, variant_toml=terms.variant_toml)
        message = job_pb2.Terms(
            purpose=f"PURPOSE_{terms.purpose.upper()}", author=terms.author, rules=rules, seats=terms.seats,
            score=f"SCORE_{terms.score.upper()}",
            bot=game_pb2.BotLimits(deal_ms=terms.bot.deal_ms, memory_mib=terms.bot.memory),
        )  # fmt: skip
        request = job_pb2.OpenContestRequest(request_id=request_id, terms=message)
        return _opened((await self._call("OpenContest", request)).contest)

    async def create(self, contest_id: str, orders: Sequence[Order]) -> None:
        """Queues what is not there yet."""
        jobs = [
            job_pb2.Job(label=one.label, version_ids=one.version_ids, sets=one.sets, block=one.block)
            for one in orders
        ]
        await self._call("CreateJobs", job_pb2.CreateJobsRequest(contest_id=contest_id, jobs=jobs))

    async def cancel(self, contest_id: str, labels: Sequence[str]) -> None:
        await self._call("CancelJobs", job_pb2.CancelJobsRequest(contest_id=contest_id, labels=labels))

    async def close_contest(self, contest_id: str) -> Opened:
        request = job_pb2.CloseContestRequest(contest_id=contest_id)
        return _opened((await self._call("CloseContest", request)).contest)

    async def follow(self, contest_id: str, after: int) -> AsyncGenerator[Booked | JobNews | Opened, None]:
        """Results after this booking, changes of jobs, and at last the contest, when it is over."""
        request, contest = job_pb2.FollowContestRequest(contest_id=contest_id, after=after), None
        with rpc_errors(self.address):
            async for part in self.stub.FollowContest(request):
                kind = part.WhichOneof("news")
                if kind == "booked":
                    yield _booked(part.booked)
                elif kind == "job":
                    state = job_pb2.JobState.Name(part.job.state).removeprefix("JOB_STATE_").lower()
                    yield JobNews(part.job.label, state, part.job.words)
                else:
                    contest = _opened(part.contest)
        if contest and contest.over:  # an earlier version tells it at first, too
            yield contest

    async def count_workers(self) -> int:
        """Those that were heard of within a minute and claim."""
        with rpc_errors(self.address):
            found = await self.queue.GetQueue(tournament_pb2.GetQueueRequest(), timeout=DEADLINE)
        return int(found.workers)

    async def export(
        self, contest_id: str, offset: int, sha256: str
    ) -> AsyncGenerator[tuple[bytes, int, str], None]:
        """First no bytes, the size and the hash of the whole file; then its bytes from this one on."""
        request = job_pb2.ExportContestRequest(contest_id=contest_id, offset=offset, sha256=sha256)
        with rpc_errors(self.address):
            async for part in self.stub.ExportContest(request):
                yield part.chunk, part.size, part.sha256

    async def _call(self, method: str, request: Any) -> Any:
        with rpc_errors(self.address):
            return await getattr(self.stub, method)(request, timeout=DEADLINE)

    async def close(self) -> None:
        await self.channel.close()


def _opened(message: Any) -> Opened:
    over = message.state == job_pb2.CONTEST_STATE_OVER
    return Opened(message.id, message.commitment, message.root, message.secret, over)


def _booked(message: Any) -> Booked:
    scores = tuple(tuple(one.units) for one in message.sets)
    first, seats = [units[0] for units in scores], len(scores[0])
    faults = tuple(sum(fault.position == place for fault in message.faults) for place in range(seats))
    own = next((fault for fault in message.faults if fault.position == 0), None)
    return Booked(
        message.booking, message.label, len(first), sum(first), sum(unit**2 for unit in first), faults,
        message.at.ToMilliseconds(), f"{own.kind}: {own.words}" if own else "",
        scores if seats > SEATINGS else (),
    )  # fmt: skip
