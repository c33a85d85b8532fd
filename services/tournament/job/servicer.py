"""The calls of JobService: whoever has something played that is no tournament asks here, and follows it."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from maumau import trace
from maumau.contest import seed
from maumau.contest.terms import Terms
from maumau.errors import ArenaUnreachable, BadRequest
from maumau.game.own import refuse_known_name
from maumau.rulebook.check import check_ends
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from services.shared.auth import Need
from services.shared.clock import Clock
from services.shared.ident import new_id
from services.shared.lane import Lane
from services.shared.registry import Version
from services.tournament.bell import Signals
from services.tournament.client import Registry
from services.tournament.exports import Exports, Subject
from services.tournament.job import wire
from services.tournament.job.record import JobRecords
from services.tournament.models import Contest
from services.tournament.store.job import BATCH, JobOrder, Jobs, Seat
from services.tournament.sweep import Follower

METHODS = (
    "OpenContest",
    "GetContest",
    "CloseContest",
    "CreateJobs",
    "CancelJobs",
    "FollowContest",
    "ExportContest",
)
NEEDS = dict.fromkeys(METHODS, Need.SERVICE)
EVERY = 0.5  # seconds between two looks, unless this replica books a result
MIN_PAUSE = 0.05  # seconds between two looks at least
CHUNK = 64 << 10
REQUEST = 200  # characters of a request's id


@dataclass(kw_only=True)
class JobServicer(job_pb2_grpc.JobServiceServicer):
    """Each handler is a translation. stopping: set when the service begins to stop."""

    jobs: Jobs
    registry: Registry
    follower: Follower
    records: JobRecords
    exports: Exports
    lane: Lane
    clock: Clock
    signals: Signals
    stopping: asyncio.Event

    async def OpenContest(self, request: Any, context: Any) -> Any:
        if not 1 <= len(request.request_id) <= REQUEST:
            raise BadRequest(f"A request's id has 1 to {REQUEST} characters.", field="request_id")
        found = await to_thread(_contest, wire.terms(request.terms), request.request_id)
        return pb.OpenContestResponse(contest=wire.contest(await to_thread(self.jobs.open, found)))

    async def GetContest(self, request: Any, context: Any) -> Any:
        return pb.GetContestResponse(
            contest=wire.contest(await to_thread(self.jobs.find, request.contest_id))
        )

    async def CloseContest(self, request: Any, context: Any) -> Any:
        found = await to_thread(self.jobs.close, request.contest_id)
        self.follower.kick(found.id)
        return pb.CloseContestResponse(contest=wire.contest(found))

    async def CreateJobs(self, request: Any, context: Any) -> Any:
        found = await to_thread(self.jobs.find, request.contest_id)
        if len(request.jobs) > wire.MOST_JOBS:
            words = f"{len(request.jobs)} jobs are more than the {wire.MOST_JOBS} of one request."
            raise BadRequest(words, field="jobs")
        for job in request.jobs:
            wire.check_job(job, found.seats)
        if len({job.label for job in request.jobs}) < len(request.jobs):
            raise BadRequest("Two jobs of the request have the same label.", field="jobs")
        versions = await self._versions(found, {one for job in request.jobs for one in job.version_ids})
        orders = [
            JobOrder(job.label, tuple(_seat(versions[one]) for one in job.version_ids), job.sets, job.block)
            for job in request.jobs
        ]
        queued = await to_thread(self.jobs.create, found.id, orders, self.clock())
        causes = {job.label: job.version_ids for job in request.jobs}
        for label, job_id in queued.job_ids.items():
            key = trace.key_of_match(found.id, label)
            trace.begin_trace("match", key, causes[label], contest=found.id, match=job_id)
        self.follower.kick(found.id)
        return pb.CreateJobsResponse(blocks_queued=queued.blocks)

    async def _versions(self, contest: Contest, ids: set[str]) -> dict[str, Version]:
        """What the registry says of them; all may play in the contest."""
        found = await asyncio.gather(*(self.registry.playable(one) for one in sorted(ids)))
        for version in found:
            version.check(contest.rules, contest.seats)
        return {version.id: version for version in found}

    async def CancelJobs(self, request: Any, context: Any) -> Any:
        cancelled = await to_thread(self.jobs.cancel, request.contest_id, list(request.labels))
        self.follower.kick(request.contest_id)
        return pb.CancelJobsResponse(cancelled=cancelled)

    async def FollowContest(self, request: Any, context: Any) -> AsyncIterator[Any]:
        first = await to_thread(self.jobs.find, request.contest_id)
        if first.state != "over":  # else that would be told before its results
            yield pb.FollowContestResponse(contest=wire.contest(first))
        with self.signals.listen(first.id) as booked:
            async for message in self._follow(first.id, request.after, booked):
                yield message

    async def _follow(self, contest_id: str, after: int, booked: asyncio.Event) -> AsyncIterator[Any]:
        """booked: set when this replica has booked a result. ArenaUnreachable when the service stops."""
        changes = -1
        while True:
            booked.clear()
            news = await to_thread(self.jobs.news, contest_id, after, changes)
            for message in wire.news(news):
                yield message
            after = news.booked[-1].result.booking if news.booked else after
            if len(news.booked) == BATCH:
                continue
            changes = news.contest.changes
            if news.contest.state == "over":
                yield pb.FollowContestResponse(contest=wire.contest(news.contest))
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), MIN_PAUSE)
                raise ArenaUnreachable("The tournament service stops; follow again from the last booking.")
            with suppress(TimeoutError):
                await asyncio.wait_for(booked.wait(), EVERY - MIN_PAUSE)

    async def ExportContest(self, request: Any, context: Any) -> AsyncIterator[Any]:
        found = await to_thread(self.jobs.find, request.contest_id)
        subject = Subject(found.id, found.id, partial(self.records.export, found))
        file, made = await self.lane(self.exports.open, subject, request.offset, request.sha256)
        try:
            yield pb.ExportContestResponse(size=made.size, sha256=made.sha256)
            while chunk := await to_thread(file.read, CHUNK):
                yield pb.ExportContestResponse(chunk=chunk)
        finally:
            file.close()


def _contest(terms: Terms, request_id: str) -> Contest:
    rules = terms.load_rules()
    if rules.text:  # whoever asks answers for the variant in it
        refuse_known_name(rules.name)
        check_ends(rules, terms.seats)
    return Contest(
        id=new_id("contest"), purpose=terms.purpose, author=terms.author, state="running", rules=terms.rules,
        options=wire.options_json(terms), rules_hash=rules.hash, variant_toml=terms.variant_toml,
        seats=terms.seats, score=terms.score, deal_ms=terms.bot.deal_ms, memory=terms.bot.memory,
        secret=seed.new_secret(), root=terms.root, request=request_id,
    )  # fmt: skip


def _seat(version: Version) -> Seat:
    return Seat(
        version.id, version.sha256, version.bot_name, version.account_name,
        version.built_sha256, version.built_platform,
    )  # fmt: skip
