"""The contract's messages to the registry's parts, and back."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from maumau import trace
from maumau.errors import ArenaUnreachable, BadRequest, StaleFence, UploadCutOff
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.registry.artifact import Artifacts
from services.registry.build import Builds
from services.registry.metrics import Metrics
from services.registry.news import News, first
from services.registry.queue import Waker
from services.registry.state import State, shown
from services.registry.store import (
    Accounts,
    Bots,
    Listed,
    Owned,
    PageCodes,
    Place,
    Places,
    Program,
    Tokens,
    Validations,
)
from services.registry.store.validation import verdict
from services.registry.submission import Submissions
from services.registry.upload import Promise
from services.registry.wire import ServerInfo
from services.shared import page
from services.shared.auth import Need, caller, identity
from services.shared.worker_name import check_holder, name_worker

MAX_REASON = 1000  # characters
NO_PLACE = Place()
WATCHED = {pb.VERSION_STATE_UPLOADED, pb.VERSION_STATE_VALIDATING, pb.VERSION_STATE_SUSPENDED}
HEADER = 30.0  # seconds that the first message of an upload may take
POLL = 0.5  # seconds after which a stream looks for what another replica changed

NEEDS = {
    "GetServerInfo": Need.PUBLIC,
    "CreateAccount": Need.PUBLIC,
    "CreateToken": Need.ANY,
    "ListTokens": Need.ANY,
    "RevokeToken": Need.ANY,
    "RotateToken": Need.ANY,
    "CreatePageCode": Need.AUTHOR,
    "RedeemPageCode": Need.PAGE,
    "WhoAmI": Need.ANY,
    "CreateBot": Need.AUTHOR,
    "SubmitVersion": Need.AUTHOR,
    "GetVersion": Need.ANY,
    "WatchVersion": Need.ANY,
    "GetLog": Need.AUTHOR,
    "ListBots": Need.ANY,
    "ListVersions": Need.ANY,
    "ActivateVersion": Need.AUTHOR,
    "GetArtifact": Need.ANY,
    "DeleteBot": Need.AUTHOR,
    "ClaimValidation": Need.WORKER,
    "RenewValidation": Need.WORKER,
    "UploadBuild": Need.WORKER,
    "SubmitValidation": Need.WORKER,
    "SuspendVersion": Need.SERVICE,
    "ReleaseValidations": Need.ADMIN,
}


@dataclass(kw_only=True)
class Registry(registry_pb2_grpc.RegistryServiceServicer):
    """Each handler is a translation; what it means stands in the part that it calls."""

    accounts: Accounts
    tokens: Tokens
    page_codes: PageCodes
    bots: Bots
    validations: Validations
    places: Places
    submissions: Submissions
    builds: Builds
    artifacts: Artifacts
    waker: Waker
    metrics: Metrics
    news: News
    info: ServerInfo
    page_url: str
    stopping: asyncio.Event

    async def GetServerInfo(self, request: Any, context: Any) -> pb.GetServerInfoResponse:
        return await asyncio.to_thread(self.info.message)

    async def CreateAccount(self, request: Any, context: Any) -> pb.CreateAccountResponse:
        grant = await asyncio.to_thread(self.accounts.create, request.name, caller())
        return pb.CreateAccountResponse(
            account_id=grant.account_id, token=grant.token, expires_at=_time(grant.expires_at)
        )

    async def CreateToken(self, request: Any, context: Any) -> pb.CreateTokenResponse:
        scopes = list(request.scopes)
        grant = await asyncio.to_thread(
            self.accounts.create_token, identity(), scopes, request.days, request.account_name, request.label
        )
        return pb.CreateTokenResponse(token=grant.token, expires_at=_time(grant.expires_at))

    async def ListTokens(self, request: Any, context: Any) -> pb.ListTokensResponse:
        who = identity()
        size = page.count_entries(request.page_size)
        owned = await asyncio.to_thread(
            self.tokens.list_tokens, who, request.account_name, request.page_token, size + 1
        )
        say = partial(_token, current=who.token_id)
        tokens, token = page.fill(owned, size, say, lambda one: one.token.id)
        return pb.ListTokensResponse(tokens=tokens, next_page_token=token)

    async def RevokeToken(self, request: Any, context: Any) -> pb.RevokeTokenResponse:
        revoked = await asyncio.to_thread(self.tokens.revoke, identity(), request.id)
        return pb.RevokeTokenResponse(revoked=revoked)

    async def RotateToken(self, request: Any, context: Any) -> pb.RotateTokenResponse:
        token, ends_at = await asyncio.to_thread(self.tokens.rotate, identity())
        return pb.RotateTokenResponse(token=token, expires_at=_time(ends_at))

    async def CreatePageCode(self, request: Any, context: Any) -> pb.CreatePageCodeResponse:
        code = await asyncio.to_thread(self.page_codes.create, identity())
        return pb.CreatePageCodeResponse(
            code=code.text, expires_at=_time(code.expires_at), page=self.page_url
        )

    async def RedeemPageCode(self, request: Any, context: Any) -> pb.RedeemPageCodeResponse:
        made = await asyncio.to_thread(self.page_codes.redeem, request.code)
        return pb.RedeemPageCodeResponse(
            token=made.token, expires_at=_time(made.expires_at), account_name=made.account_name
        )

    async def WhoAmI(self, request: Any, context: Any) -> pb.WhoAmIResponse:
        who = identity()
        answer = pb.WhoAmIResponse(
            account_id=who.account_id, account_name=who.name, scopes=sorted(who.scopes), host=who.host
        )
        if who.expires_at is not None:
            answer.expires_at.CopyFrom(_time(who.expires_at))
        return answer

    async def CreateBot(self, request: Any, context: Any) -> pb.CreateBotResponse:
        return pb.CreateBotResponse(
            bot=_bot(await asyncio.to_thread(self.bots.create, request.name, identity()))
        )

    async def SubmitVersion(self, requests: Any, context: Any) -> pb.SubmitVersionResponse:
        header = await _header(requests)
        promise = Promise(header.size, header.upload_sha256)
        program, known = await self.submissions.take(header.bot_name, identity(), promise, _chunks(requests))
        if not known:
            trace.begin_trace("submission", program.version.id, version=program.version.id)
        self._changed()
        self.waker.committed.set()
        return pb.SubmitVersionResponse(version=_version(program), known=known)

    async def GetVersion(self, request: Any, context: Any) -> pb.GetVersionResponse:
        return pb.GetVersionResponse(version=await asyncio.to_thread(self._placed, request.version_id))

    async def WatchVersion(self, request: Any, context: Any) -> AsyncIterator[pb.WatchVersionResponse]:
        told = None
        while not self.stopping.is_set():
            change = self.news.next
            version = await asyncio.to_thread(self._placed, request.version_id)
            if version != told:
                told = version
                yield pb.WatchVersionResponse(version=version)
            if version.state not in WATCHED:
                return
            await first([change, self.stopping], POLL)
        raise ArenaUnreachable("The registry is stopping; watch again in a moment.")

    def _placed(self, version_id: str) -> pb.Version:
        """A version with its place in the queue."""
        program = self.bots.program(version_id)
        return _version(program, self.places.find(program.version))

    async def GetLog(self, request: Any, context: Any) -> pb.GetLogResponse:
        log = await asyncio.to_thread(self.bots.log, request.version_id, identity())
        return pb.GetLogResponse(log=log)

    async def ListBots(self, request: Any, context: Any) -> pb.ListBotsResponse:
        owner_id = identity().account_id if request.mine else None
        size = page.count_entries(request.page_size)
        found = await asyncio.to_thread(self.bots.all, owner_id, request.page_token, size + 1)
        bots, token = page.fill(found, size, _bot, lambda one: one.bot.name)
        return pb.ListBotsResponse(bots=bots, next_page_token=token)

    async def ListVersions(self, request: Any, context: Any) -> pb.ListVersionsResponse:
        size, before = page.count_entries(request.page_size), page.number_of(request.page_token)
        found = await asyncio.to_thread(self.bots.versions, request.bot_name, before, size + 1)
        versions, token = page.fill(found, size, _version, lambda one: str(one.version.number))
        return pb.ListVersionsResponse(versions=versions, next_page_token=token)

    async def ActivateVersion(self, request: Any, context: Any) -> pb.ActivateVersionResponse:
        program = await asyncio.to_thread(self.bots.activate, request.version_id, identity())
        self._changed()
        return pb.ActivateVersionResponse(version=_version(program))

    async def GetArtifact(self, request: Any, context: Any) -> AsyncIterator[pb.GetArtifactResponse]:
        await asyncio.to_thread(self.bots.check_may_fetch, request.sha256, identity())
        chunks = self.artifacts.read(request.sha256)
        while chunk := await asyncio.to_thread(next, chunks, b""):
            yield pb.GetArtifactResponse(chunk=chunk)

    async def DeleteBot(self, request: Any, context: Any) -> pb.DeleteBotResponse:
        await asyncio.to_thread(self.bots.retire, request.name, identity())
        self._changed()
        return pb.DeleteBotResponse()

    async def ReleaseValidations(self, request: Any, context: Any) -> pb.ReleaseValidationsResponse:
        released = await asyncio.to_thread(self.validations.release, list(request.workers))
        if released:
            await self.waker.sweep()
        return pb.ReleaseValidationsResponse(released=released)

    async def ClaimValidation(self, request: Any, context: Any) -> pb.ClaimValidationResponse:
        asked = request.version_id, name_worker(identity(), request.worker), request.platform
        claim = await asyncio.to_thread(self.validations.claim, *asked)
        if claim is None:
            self.metrics.duplicates.inc()
            return pb.ClaimValidationResponse(claimed=False)
        self.metrics.claims.inc()
        self._changed()
        return pb.ClaimValidationResponse(
            claimed=True, fence=claim.fence, sha256=claim.sha256, bot_name=claim.bot_name,
            lease_seconds=self._lease_seconds(), built_sha256=claim.built_sha256,
        )  # fmt: skip

    async def RenewValidation(self, request: Any, context: Any) -> pb.RenewValidationResponse:
        await self._check_holder(request)
        if request.give_back:
            await self._fenced(self.validations.give_back, request.version_id, request.fence)
            self._changed()
            self.waker.committed.set()
            return pb.RenewValidationResponse()
        await self._fenced(self.validations.renew, request.version_id, request.fence, request.progress)
        self._changed()
        return pb.RenewValidationResponse(lease_seconds=self._lease_seconds())

    async def UploadBuild(self, requests: Any, context: Any) -> pb.UploadBuildResponse:
        header = await _header(requests)
        await self._check_holder(header)
        promise = Promise(header.size, header.upload_sha256)
        claimed = header.version_id, header.fence, header.platform
        try:
            sha256 = await self.builds.take(*claimed, promise, _chunks(requests))
        except StaleFence:
            self.metrics.stale.inc()
            raise
        return pb.UploadBuildResponse(built_sha256=sha256)

    async def SubmitValidation(self, request: Any, context: Any) -> pb.SubmitValidationResponse:
        await self._check_holder(request)
        said = verdict(request.ok, request.reason, request.log, request.rules, request.seats)
        new = await self._fenced(self.validations.decide, request.version_id, request.fence, said)
        if new:
            self.metrics.validations.labels("valid" if said.ok else "refused").inc()
            self._changed()
        return pb.SubmitValidationResponse()

    async def SuspendVersion(self, request: Any, context: Any) -> pb.SuspendVersionResponse:
        words = request.words[:MAX_REASON] or "it was suspended"
        suspended = await asyncio.to_thread(self.validations.suspend, request.version_id, words)
        if suspended:
            self.metrics.suspended.inc()
            self._changed()
            self.waker.committed.set()
        return pb.SuspendVersionResponse(suspended=suspended)

    async def _check_holder(self, request: Any) -> None:
        """The fence is easily guessed: what a worker holds is for workers with its token alone."""
        worker = await asyncio.to_thread(self.validations.find_worker, request.version_id, request.fence)
        if worker is not None:
            check_holder(identity(), worker)

    async def _fenced(self, call: Any, *args: Any) -> Any:
        try:
            return await asyncio.to_thread(call, *args)
        except StaleFence:
            self.metrics.stale.inc()
            raise

    def _changed(self) -> None:
        self.news.tell()

    def _lease_seconds(self) -> int:
        """Rounded up, since the contract has whole seconds."""
        return -(-self.validations.terms.lease // 1000)


def _time(milliseconds: int) -> Timestamp:
    stamp = Timestamp()
    stamp.FromMilliseconds(milliseconds)
    return stamp


def _token(owned: Owned, current: str) -> pb.Token:
    row = owned.token
    answer = pb.Token(
        id=row.id, label=row.label, account_name=owned.account_name, scopes=row.scopes.split(),
        created_at=_time(row.created_at), parent_id=row.parent, current=row.id == current,
    )  # fmt: skip
    if row.expires_at is not None:
        answer.expires_at.CopyFrom(_time(row.expires_at))
    if row.used_at is not None:
        answer.used_at.CopyFrom(_time(row.used_at))
    return answer


def _version(program: Program, place: Place = NO_PLACE) -> pb.Version:
    version, bot, owner = program
    state = shown(version.state, version.suspended)
    return pb.Version(
        id=version.id, bot_id=bot.id, bot_name=bot.name, account_name=owner.name, number=version.number,
        sha256=version.sha256, state=f"VERSION_STATE_{state.upper()}",
        reason=version.reason, rules=version.rules.split(), seats=map(int, version.seats.split()),
        created_at=_time(version.created_at),
        progress=version.progress if version.state == State.VALIDATING else "",
        built_sha256=version.built_sha256, built_platform=version.built_platform,
        queue_place=place.number, queue_seconds=round(place.seconds),
    )  # fmt: skip


def _bot(listed: Listed) -> pb.Bot:
    bot, owner, versions = listed
    programs = [_version(Program(version, bot, owner)) for version in versions]
    return pb.Bot(id=bot.id, name=bot.name, account_name=owner.name, versions=programs)


async def _header(requests: Any) -> Any:
    try:
        async with asyncio.timeout(HEADER):
            async for request in requests:
                if request.WhichOneof("part") == "header":
                    return request.header
                break
    except TimeoutError:
        raise UploadCutOff(f"The upload's header did not come within {HEADER:g} s.") from None
    words = "An upload begins with a header that says what comes, its size and its upload_sha256."
    raise BadRequest(words, field="header")


async def _chunks(requests: Any) -> AsyncIterator[bytes]:
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise BadRequest("After an upload's header come chunks only.", field="chunk")
        yield request.chunk
