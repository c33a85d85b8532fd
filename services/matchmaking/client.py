"""A client of the tournament service's jobs (the core) for the matchmaking service."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any, NamedTuple

from maumau.client.call import TRY_AGAIN, rpc_errors
from maumau.contest.score import SEATINGS
from maumau.contest.terms import Terms
from maumau.errors import DeadlinePassed
from maumau.v1 import game_pb2, job_pb2, job_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from services.matchmaking.store.booking import Booked
from services.shared.rpc.client import connect_aio

CORE: Any = job_pb2_grpc.JobServiceStub
QUEUE: Any = tournament_pb2_grpc.TournamentServiceStub
DEADLINE = 20.0  # seconds
PASSING = *TRY_AGAIN, DeadlinePassed  # errors of the core that say nothing about the request


class Order(NamedTuple):
    """A job to create."""

    label: str
    version_ids: tuple[str, ...]
    sets: int
    block: int


class Opened(NamedTuple):
    """A contest of the core. chain: the number of its last link, a space and the link, "" before the first.

    compared: the hash `compared` of its export, once it is over; "" if the core is of an earlier release.
    """

    id: str
    commitment: str
    root: str
    secret: str
    over: bool
    chain: str = ""
    compared: str = ""


class JobNews(NamedTuple):
    """The current state of a job of the contest."""

    label: str
    state: str
    words: str


class Core:
    """Calls to the core, with the arena's own worker token."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.stub = CORE(self.channel)
        self.queue = QUEUE(self.channel)

    async def open_contest(self, request_id: str, terms: Terms, options_json: str) -> Opened:
        """Return the contest of this request, new or existing."""
        rules = game_pb2.RuleSet(name=terms.rules, options_json=options_json, variant_toml=terms.variant_toml)
        message = job_pb2.Terms(
            purpose=f"PURPOSE_{terms.purpose.upper()}",
            author=terms.author,
            rules=rules,
            seats=terms.seats,
            score=f"SCORE_{terms.score.upper()}",
            bot=game_pb2.BotLimits(deal_ms=terms.bot.deal_ms, memory_mib=terms.bot.memory),
        )
        request = job_pb2.OpenContestRequest(request_id=request_id, terms=message)
        return _read_opened((await self._call_method("OpenContest", request)).contest)

    async def create_jobs(self, contest_id: str, orders: Sequence[Order]) -> None:
        """Queue the jobs that do not exist yet."""
        jobs = [
            job_pb2.Job(label=one.label, version_ids=one.version_ids, sets=one.sets, block=one.block)
            for one in orders
        ]
        await self._call_method("CreateJobs", job_pb2.CreateJobsRequest(contest_id=contest_id, jobs=jobs))

    async def cancel_unbegun(self, contest_id: str, labels: Sequence[str]) -> list[str]:
        """Cancel the jobs of which no block was ever claimed; return their labels."""
        request = job_pb2.CancelJobsRequest(contest_id=contest_id, labels=labels, only_unbegun=True)
        return list((await self._call_method("CancelJobs", request)).labels)

    async def close_contest(self, contest_id: str) -> Opened:
        request = job_pb2.CloseContestRequest(contest_id=contest_id)
        return _read_opened((await self._call_method("CloseContest", request)).contest)

    async def follow_contest(
        self, contest_id: str, after: int
    ) -> AsyncGenerator[Booked | JobNews | Opened, None]:
        """Yield results after this booking, changes of jobs, and the contest once it is over."""
        request, contest = job_pb2.FollowContestRequest(contest_id=contest_id, after=after), None
        with rpc_errors(self.address):
            async for part in self.stub.FollowContest(request):
                kind = part.WhichOneof("news")
                if kind == "booked":
                    yield _read_booked(part.booked)
                elif kind == "job":
                    state = job_pb2.JobState.Name(part.job.state).removeprefix("JOB_STATE_").lower()
                    yield JobNews(part.job.label, state, part.job.words)
                else:
                    contest = _read_opened(part.contest)
        if contest and contest.over:  # an earlier version also sends it at first
            yield contest

    async def watch_deals(
        self, contest_id: str, label: str, after: str
    ) -> AsyncGenerator[tuple[Sequence[game_pb2.LiveDeal], str], None]:
        """Yield a job's deals as they are played, and the cursor after them, until the job is over."""
        request = job_pb2.WatchJobRequest(contest_id=contest_id, label=label, after=after)
        with rpc_errors(self.address):
            async for part in self.stub.WatchJob(request):
                yield part.deals, part.cursor

    async def count_workers(self) -> int:
        """Return the number of workers that called within a minute and claim blocks."""
        with rpc_errors(self.address):
            found = await self.queue.GetQueue(tournament_pb2.GetQueueRequest(), timeout=DEADLINE)
        return int(found.workers)

    async def export_contest(
        self, contest_id: str, offset: int, sha256: str
    ) -> AsyncGenerator[tuple[bytes, int, str], None]:
        """Yield the size and the hash of the whole file, without bytes; then its bytes from `offset` on."""
        request = job_pb2.ExportContestRequest(contest_id=contest_id, offset=offset, sha256=sha256)
        with rpc_errors(self.address):
            async for part in self.stub.ExportContest(request):
                yield part.chunk, part.size, part.sha256

    async def list_sets(
        self, contest_id: str, label: str, page_size: int, page_token: str, first_set: int
    ) -> tuple[Sequence[tournament_pb2.SetSummary], str]:
        """Return a page of a job's booked deal sets, and the token of the next one."""
        request = job_pb2.ListJobSetsRequest(
            contest_id=contest_id,
            label=label,
            page_size=page_size,
            page_token=page_token,
            first_set=first_set,
        )
        found = await self._call_method("ListJobSets", request)
        return found.sets, found.next_page_token

    async def find_set(self, contest_id: str, label: str, number: int) -> game_pb2.SetResult:
        """Return a deal set of a job as it was played, with all notes."""
        request = job_pb2.GetJobSetRequest(contest_id=contest_id, label=label, set=number)
        found: game_pb2.SetResult = (await self._call_method("GetJobSet", request)).set
        return found

    async def _call_method(self, method: str, request: Any) -> Any:
        with rpc_errors(self.address):
            return await getattr(self.stub, method)(request, timeout=DEADLINE)

    async def close(self) -> None:
        await self.channel.close()


def _read_opened(message: Any) -> Opened:
    over = message.state == job_pb2.CONTEST_STATE_OVER
    chain = f"{message.links} {message.chain}" if message.links else ""
    return Opened(message.id, message.commitment, message.root, message.secret, over, chain, message.compared)


def _read_booked(message: Any) -> Booked:
    scores = tuple(tuple(one.units) for one in message.sets)
    first, seats = [units[0] for units in scores], len(scores[0])
    faults = tuple(sum(fault.position == place for fault in message.faults) for place in range(seats))
    own = next((fault for fault in message.faults if fault.position == 0), None)
    return Booked(
        message.booking,
        message.label,
        len(first),
        sum(first),
        sum(unit**2 for unit in first),
        faults,
        message.at.ToMilliseconds(),
        f"{own.kind}: {own.words}" if own else "",
        scores if seats > SEATINGS else (),
        message.decisions,
        message.chain,
        tuple((one.position, one.words) for one in message.put_off),
    )
