"""Handlers of JobService, for services that have contests other than tournaments played, and follow them."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from maumau import wire as game_wire
from maumau.contest import seed
from maumau.contest.terms import Terms
from maumau.errors import ArenaUnreachable, BadRequest
from maumau.process import trace
from maumau.rulebook.check import check_own_variant
from maumau.v1 import job_pb2 as pb
from maumau.v1 import job_pb2_grpc
from services.shared.base import page
from services.shared.base.auth import Need
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.base.lane import Lane
from services.shared.base.page import Page
from services.shared.rpc.registry import PlayableVersion, Versions
from services.tournament.history.exports import Exports, Subject
from services.tournament.history.job_record import JobRecords
from services.tournament.models import Contest
from services.tournament.organising.sweep import Follower
from services.tournament.rpc import job_wire as wire
from services.tournament.store.contests.job import BATCH, JobOrder, Jobs, Seat
from services.tournament.watching.bell import Signals
from services.tournament.watching.watch import Watcher

METHODS = (
    "OpenContest",
    "GetContest",
    "CloseContest",
    "CreateJobs",
    "CancelJobs",
    "FollowContest",
    "ExportContest",
    "ListJobSets",
    "GetJobSet",
    "WatchJob",
)
NEEDS = dict.fromkeys(METHODS, Need.SERVICE)
EVERY = 0.5  # seconds between two queries, unless this replica books a result
MIN_PAUSE = 0.05  # shortest time between two queries, in seconds
CHUNK = 64 << 10
REQUEST = 200  # characters of a request's id


@dataclass(kw_only=True)
class JobServicer(job_pb2_grpc.JobServiceServicer):
    """Handlers of JobService, each a translation. stopping: set when the service begins to stop."""

    jobs: Jobs
    registry: Versions
    follower: Follower
    records: JobRecords
    exports: Exports
    lane: Lane
    watcher: Watcher
    clock: Clock
    signals: Signals
    stopping: asyncio.Event

    async def OpenContest(self, request: pb.OpenContestRequest, context: Any) -> pb.OpenContestResponse:
        if not 1 <= len(request.request_id) <= REQUEST:
            raise BadRequest(f"A request's id has 1 to {REQUEST} characters.", field="request_id")
        found = await to_thread(_build_contest, wire.read_terms(request.terms), request.request_id)
        return pb.OpenContestResponse(
            contest=wire.build_contest(await to_thread(self.jobs.open_contest, found))
        )

    async def GetContest(self, request: pb.GetContestRequest, context: Any) -> pb.GetContestResponse:
        return pb.GetContestResponse(
            contest=wire.build_contest(await to_thread(self.jobs.find_contest, request.contest_id))
        )

    async def CloseContest(self, request: pb.CloseContestRequest, context: Any) -> pb.CloseContestResponse:
        found = await to_thread(self.jobs.close, request.contest_id)
        self.follower.schedule_follow(found.id)
        return pb.CloseContestResponse(contest=wire.build_contest(found))

    async def CreateJobs(self, request: pb.CreateJobsRequest, context: Any) -> pb.CreateJobsResponse:
        found = await to_thread(self.jobs.find_contest, request.contest_id)
        if len(request.jobs) > wire.MOST_JOBS:
            words = f"{len(request.jobs)} jobs are more than the {wire.MOST_JOBS} of one request."
            raise BadRequest(words, field="jobs")
        for job in request.jobs:
            wire.check_job(job, found.seats)
        if len({job.label for job in request.jobs}) < len(request.jobs):
            raise BadRequest("Two jobs of the request have the same label.", field="jobs")
        versions = await self._fetch_versions(found, {one for job in request.jobs for one in job.version_ids})
        orders = [
            JobOrder(
                job.label, tuple(_build_seat(versions[one]) for one in job.version_ids), job.sets, job.block
            )
            for job in request.jobs
        ]
        queued = await to_thread(self.jobs.create_jobs, found.id, orders, self.clock())
        causes = {job.label: job.version_ids for job in request.jobs}
        for label, job_id in queued.job_ids.items():
            key = trace.key_of_match(found.id, label)
            trace.begin_trace("match", key, causes[label], contest=found.id, match=job_id)
        self.follower.schedule_follow(found.id)
        return pb.CreateJobsResponse(blocks_queued=queued.blocks)

    async def _fetch_versions(self, contest: Contest, ids: set[str]) -> dict[str, PlayableVersion]:
        """Return these versions as the registry has them; raise unless each may play in the contest."""
        found = await asyncio.gather(*(self.registry.playable(one) for one in sorted(ids)))
        for version in found:
            version.check(contest.rules, contest.seats)
        return {version.id: version for version in found}

    async def CancelJobs(self, request: pb.CancelJobsRequest, context: Any) -> pb.CancelJobsResponse:
        cancel = partial(self.jobs.cancel_jobs, only_unbegun=request.only_unbegun)
        labels = await to_thread(cancel, request.contest_id, list(request.labels))
        self.follower.schedule_follow(request.contest_id)
        return pb.CancelJobsResponse(cancelled=len(labels), labels=labels)

    async def FollowContest(
        self, request: pb.FollowContestRequest, context: Any
    ) -> AsyncIterator[pb.FollowContestResponse]:
        first = await to_thread(self.jobs.find_contest, request.contest_id)
        if first.state != "over":  # else the end would be announced before its results
            yield pb.FollowContestResponse(contest=wire.build_contest(first))
        with self.signals.open_listener(first.id) as booked:
            async for message in self._follow_contest(first.id, request.after, booked):
                yield message

    async def _follow_contest(self, contest_id: str, after: int, booked: asyncio.Event) -> AsyncIterator[Any]:
        """Yield news of a contest. booked: set when this replica books a result.

        Raise ArenaUnreachable when the service stops.
        """
        changes = -1
        while True:
            booked.clear()
            news = await to_thread(self.jobs.read_news, contest_id, after, changes)
            for message in wire.build_news(news):
                yield message
            after = news.booked[-1].result.booking if news.booked else after
            if len(news.booked) == BATCH:
                continue
            changes = news.contest.changes
            if news.contest.state == "over":
                yield pb.FollowContestResponse(contest=wire.build_contest(news.contest))
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), MIN_PAUSE)
                raise ArenaUnreachable(
                    "The tournament service is stopping; follow again from the last booking."
                )
            with suppress(TimeoutError):
                await asyncio.wait_for(booked.wait(), EVERY - MIN_PAUSE)

    async def ListJobSets(self, request: pb.ListJobSetsRequest, context: Any) -> pb.ListJobSetsResponse:
        first, label = page.first_number(request.page_token, request.first_set), request.label

        def fill() -> Page:
            contest, job_id = self.jobs.find_job(request.contest_id, label)
            found = self.records.list_sets(contest, job_id, label, first)
            say = partial(wire.set_summary, contest)
            return page.fill(found, request.page_size, say, lambda one: str(one.score.number))

        sets, token = await to_thread(fill)
        return pb.ListJobSetsResponse(sets=sets, next_page_token=token)

    async def GetJobSet(self, request: pb.GetJobSetRequest, context: Any) -> pb.GetJobSetResponse:
        def find() -> Any:
            _, job_id = self.jobs.find_job(request.contest_id, request.label)
            found = self.records.find_set(job_id, request.label, request.set)
            return pb.GetJobSetResponse(set=game_wire.set_message(found))

        return await to_thread(find)

    async def WatchJob(self, request: pb.WatchJobRequest, context: Any) -> AsyncIterator[bytes]:
        _, job_id = await to_thread(self.jobs.find_job, request.contest_id, request.label)
        is_over = partial(self.jobs.is_over, job_id)
        async for batch in self.watcher.job(job_id, request.after, is_over, wire.tell_deals):
            for message in batch.messages:
                yield message

    async def ExportContest(
        self, request: pb.ExportContestRequest, context: Any
    ) -> AsyncIterator[pb.ExportContestResponse]:
        found = await to_thread(self.jobs.find_contest, request.contest_id)
        subject = Subject(found.id, found.id, partial(self.records.write_export, found))
        file, made = await self.lane(self.exports.open_export, subject, request.offset, request.sha256)
        try:
            yield pb.ExportContestResponse(size=made.size, sha256=made.sha256)
            while chunk := await to_thread(file.read, CHUNK):
                yield pb.ExportContestResponse(chunk=chunk)
        finally:
            file.close()


def _build_contest(terms: Terms, request_id: str) -> Contest:
    rules = terms.load_rules()
    check_own_variant(rules, terms.seats)  # the requester answers for it
    return Contest(
        id=new_id("contest"),
        purpose=terms.purpose,
        author=terms.author,
        state="running",
        rules=terms.rules,
        options=wire.options_json(terms),
        rules_hash=rules.hash,
        variant_toml=terms.variant_toml,
        seats=terms.seats,
        score=terms.score,
        deal_ms=terms.bot.deal_ms,
        memory=terms.bot.memory,
        secret=seed.new_secret(),
        root=terms.hash_root(),
        version=seed.VERSION,
        request=request_id,
    )


def _build_seat(version: PlayableVersion) -> Seat:
    return Seat(
        version.id,
        version.sha256,
        version.bot_name,
        version.account_name,
        version.built_sha256,
        version.built_platform,
        version.number,
    )
