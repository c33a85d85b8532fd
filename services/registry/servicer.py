"""Handlers of the contract's calls: message to the registry's parts and back."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from maumau.errors import ArenaUnreachable, BadRequest
from maumau.process import trace
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.registry import wire
from services.registry.domain.state import WAITING, State, describe_state
from services.registry.intake.artifact import Artifacts
from services.registry.intake.sources import Sources, check_hashes
from services.registry.intake.submission import Submissions
from services.registry.intake.upload import Promise
from services.registry.news import await_first
from services.registry.people.servicer import PeopleServicer
from services.registry.store import (
    Bots,
    Listed,
    PageCodes,
    Place,
    Places,
    Program,
    Tokens,
)
from services.registry.store.bots.bot import WantedBots
from services.registry.teams.wire import describe
from services.registry.wire import read_chunks, read_header, write_token
from services.registry.work_servicer import WorkServicer
from services.shared.base import page
from services.shared.base.auth import Identity, Need, identity
from services.shared.rpc import open_stream
from services.shared.rpc.timestamp import to_timestamp

MAX_REASON = 1000  # characters
MOST_PAIRS = 200  # that CompareSources lists
MOST_VERSIONS = 100  # that ListInactiveVersions looks up
NO_PLACE = Place()
WATCHED = {pb.VERSION_STATE_UPLOADED, pb.VERSION_STATE_VALIDATING, pb.VERSION_STATE_SUSPENDED}
POLL = 0.5  # seconds after which a stream polls for other replicas' changes

NEEDS = {
    "GetServerInfo": Need.PUBLIC,
    "CreateAccount": Need.PUBLIC,
    "DeleteAccount": Need.AUTHOR,
    "ListAccounts": Need.ADMIN,
    "CreateInvitations": Need.AUTHOR,
    "ListInvitations": Need.AUTHOR,
    "RevokeInvitations": Need.AUTHOR,
    "JoinGroup": Need.AUTHOR,
    "ListGroups": Need.ANY,
    "ListMembers": Need.AUTHOR,
    "SetMember": Need.AUTHOR,
    "RemoveMember": Need.AUTHOR,
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
    "ListAuthors": Need.ANY,
    "ListVersions": Need.ANY,
    "ActivateVersion": Need.AUTHOR,
    "LetPlayPeople": Need.AUTHOR,
    "GetArtifact": Need.ANY,
    "DeleteBot": Need.AUTHOR,
    "ClaimValidation": Need.WORKER,
    "RenewValidation": Need.WORKER,
    "UploadBuild": Need.WORKER,
    "SubmitValidation": Need.WORKER,
    "CompareSources": Need.AUTHOR,
    "SuspendVersion": Need.SERVICE,
    "ListInactiveVersions": Need.SERVICE,
    "RequestTrial": Need.SERVICE,
    "ReleaseValidations": Need.ADMIN,
}


@dataclass(kw_only=True)
class Registry(WorkServicer, PeopleServicer, registry_pb2_grpc.RegistryServiceServicer):
    """Handlers of RegistryService, each a translation; the logic is in the parts that they call."""

    tokens: Tokens
    page_codes: PageCodes
    bots: Bots
    places: Places
    submissions: Submissions
    artifacts: Artifacts
    sources: Sources
    info: wire.ServerInfo
    stopping: asyncio.Event
    _comparing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def GetServerInfo(self, request: pb.GetServerInfoRequest, context: Any) -> pb.GetServerInfoResponse:
        return await asyncio.to_thread(self.info.build_message)

    async def ListAccounts(self, request: pb.ListAccountsRequest, context: Any) -> pb.ListAccountsResponse:
        size = page.count_entries(request.page_size)
        asked = request.page_token, request.after, size + 1
        listed = await asyncio.to_thread(self.accounts.list_accounts, *asked)
        accounts, token = page.fill(listed, size, wire.build_account, lambda one: one.account.name)
        return pb.ListAccountsResponse(accounts=accounts, next_page_token=token)

    async def CreateToken(self, request: pb.CreateTokenRequest, context: Any) -> pb.CreateTokenResponse:
        scopes = list(request.scopes)
        grant = await asyncio.to_thread(
            self.accounts.create_token, identity(), scopes, request.days, request.account_name, request.label
        )
        return pb.CreateTokenResponse(token=grant.token, expires_at=to_timestamp(grant.expires_at))

    async def ListTokens(self, request: pb.ListTokensRequest, context: Any) -> pb.ListTokensResponse:
        who = identity()
        size = page.count_entries(request.page_size)
        owned = await asyncio.to_thread(
            self.tokens.list_tokens, who, request.account_name, request.page_token, size + 1
        )
        say = partial(write_token, current=who.token_id)
        tokens, token = page.fill(owned, size, say, lambda one: one.token.id)
        return pb.ListTokensResponse(tokens=tokens, next_page_token=token)

    async def RevokeToken(self, request: pb.RevokeTokenRequest, context: Any) -> pb.RevokeTokenResponse:
        revoked = await asyncio.to_thread(self.tokens.revoke_token, identity(), request.id)
        return pb.RevokeTokenResponse(revoked=revoked)

    async def RotateToken(self, request: pb.RotateTokenRequest, context: Any) -> pb.RotateTokenResponse:
        token, ends_at = await asyncio.to_thread(self.tokens.rotate_token, identity())
        return pb.RotateTokenResponse(token=token, expires_at=to_timestamp(ends_at))

    async def CreatePageCode(
        self, request: pb.CreatePageCodeRequest, context: Any
    ) -> pb.CreatePageCodeResponse:
        code = await asyncio.to_thread(self.page_codes.create_code, identity())
        return pb.CreatePageCodeResponse(
            code=code.text, expires_at=to_timestamp(code.expires_at), page=self.page_url
        )

    async def RedeemPageCode(
        self, request: pb.RedeemPageCodeRequest, context: Any
    ) -> pb.RedeemPageCodeResponse:
        made = await asyncio.to_thread(self.page_codes.redeem_code, request.code)
        return pb.RedeemPageCodeResponse(
            token=made.token, expires_at=to_timestamp(made.expires_at), account_name=made.account_name
        )

    async def CreateBot(self, request: pb.CreateBotRequest, context: Any) -> pb.CreateBotResponse:
        return pb.CreateBotResponse(
            bot=_build_bot(await asyncio.to_thread(self.bots.create_bot, request.name, identity()))
        )

    async def SubmitVersion(self, requests: Any, context: Any) -> pb.SubmitVersionResponse:
        header = await read_header(requests)
        promise = Promise(header.size, header.upload_sha256)
        program, known = await self.submissions.take_submission(
            header.bot_name, identity(), promise, read_chunks(requests), activates=not header.no_activate
        )
        if not known:
            trace.begin_trace("submission", program.version.id, version=program.version.id)
        self.note_change()
        self.waker.committed.set()
        return pb.SubmitVersionResponse(version=_build_version(program), known=known)

    async def GetVersion(self, request: pb.GetVersionRequest, context: Any) -> pb.GetVersionResponse:
        is_service, asked = identity().may(Need.SERVICE), request.version_id
        return await asyncio.to_thread(self._get_version, asked, with_owner=is_service)

    def _get_version(self, version_id: str, *, with_owner: bool) -> pb.GetVersionResponse:
        program = self.bots.find_program(version_id)
        version = _build_version(program, self.places.find_place(program.version))
        owner = describe(self.teams.describe(program.owner)) if with_owner else None
        return pb.GetVersionResponse(version=version, owner=owner)

    async def ListInactiveVersions(
        self, request: pb.ListInactiveVersionsRequest, context: Any
    ) -> pb.ListInactiveVersionsResponse:
        asked = request.version_ids
        if len(asked) > MOST_VERSIONS:
            raise BadRequest(f"At most {MOST_VERSIONS} versions are looked up at once, not {len(asked)}.")
        active = await asyncio.to_thread(self.bots.list_active, asked)
        return pb.ListInactiveVersionsResponse(version_ids=[one for one in asked if one not in active])

    async def WatchVersion(
        self, request: pb.WatchVersionRequest, context: Any
    ) -> AsyncIterator[pb.WatchVersionResponse]:
        told = None
        while not self.stopping.is_set():
            change = self.news.next
            version = await asyncio.to_thread(self._find_placed, request.version_id)
            if version != told:
                told = version
                yield pb.WatchVersionResponse(version=version)
            if version.state not in WATCHED:
                return
            await await_first([change, self.stopping], POLL)
        raise ArenaUnreachable("The registry is stopping; watch again in a moment.")

    def _find_placed(self, version_id: str) -> pb.Version:
        """Return a version with its place in the queue."""
        program = self.bots.find_program(version_id)
        return _build_version(program, self.places.find_place(program.version))

    async def GetLog(self, request: pb.GetLogRequest, context: Any) -> pb.GetLogResponse:
        log = await asyncio.to_thread(self.bots.read_log, request.version_id, identity())
        return pb.GetLogResponse(log=log)

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:
        size, wanted = (
            page.count_entries(request.page_size),
            WantedBots(request.account_name, request.contains),
        )
        asked = identity() if request.mine else None, wanted, request.page_token, size + 1
        found = await asyncio.to_thread(self.bots.list_bots, *asked)
        bots, token = page.fill(found, size, _build_bot, lambda one: one.bot.name)
        return pb.ListBotsResponse(bots=bots, next_page_token=token)

    async def ListVersions(self, request: pb.ListVersionsRequest, context: Any) -> pb.ListVersionsResponse:
        size, before = page.count_entries(request.page_size), page.number_of(request.page_token)
        found = await asyncio.to_thread(self.bots.list_versions, request.bot_name, before, size + 1)
        versions, token = page.fill(found, size, _build_version, lambda one: str(one.version.number))
        return pb.ListVersionsResponse(versions=versions, next_page_token=token)

    async def ActivateVersion(
        self, request: pb.ActivateVersionRequest, context: Any
    ) -> pb.ActivateVersionResponse:
        program = await asyncio.to_thread(self.bots.activate_version, request.version_id, identity())
        self.note_change()
        return pb.ActivateVersionResponse(version=_build_version(program))

    async def LetPlayPeople(self, request: pb.LetPlayPeopleRequest, context: Any) -> pb.LetPlayPeopleResponse:
        lets, who = self.bots.let_play_people, identity()
        program = await asyncio.to_thread(lets, request.version_id, who, plays=request.plays_people)
        self.note_change()
        return pb.LetPlayPeopleResponse(version=_build_version(program))

    async def GetArtifact(
        self, request: pb.GetArtifactRequest, context: Any
    ) -> AsyncIterator[pb.GetArtifactResponse]:
        async def check(who: Identity | None) -> None:
            await asyncio.to_thread(self.bots.check_may_fetch, request.sha256, who or identity())

        await check(None)
        open_stream.require(check, request.sha256)
        chunks = self.artifacts.read(request.sha256)
        while chunk := await asyncio.to_thread(next, chunks, b""):
            yield pb.GetArtifactResponse(chunk=chunk)

    async def CompareSources(
        self, request: pb.CompareSourcesRequest, context: Any
    ) -> pb.CompareSourcesResponse:
        asked, who = check_hashes(request.sha256), identity()
        open_to = asked
        if not who.may(Need.ORGANISER):
            open_to = await asyncio.to_thread(self.groups.list_programs, who, asked)
        async with self._comparing:
            pairs, unreadable = await asyncio.to_thread(self.sources.compare_sources, open_to)
        unreadable = sorted({*unreadable, *(asked - open_to)})
        shown = [pb.SourceLikeness(**one._asdict()) for one in pairs[:MOST_PAIRS]]
        return pb.CompareSourcesResponse(pairs=shown, unreadable=unreadable)

    async def DeleteBot(self, request: pb.DeleteBotRequest, context: Any) -> pb.DeleteBotResponse:
        await asyncio.to_thread(self.bots.retire_bot, request.name, identity())
        self.note_change()
        return pb.DeleteBotResponse()

    async def SuspendVersion(
        self, request: pb.SuspendVersionRequest, context: Any
    ) -> pb.SuspendVersionResponse:
        words = request.words[:MAX_REASON] or "it was suspended"
        suspended = await asyncio.to_thread(self.validations.suspend_version, request.version_id, words)
        if suspended:
            self.metrics.suspended.inc()
            self.note_change()
            self.waker.committed.set()
        return pb.SuspendVersionResponse(suspended=suspended)


def _build_version(program: Program, place: Place = NO_PLACE) -> pb.Version:
    version, bot, owner = program
    state = describe_state(version.state, version.suspended)
    return pb.Version(
        id=version.id,
        bot_id=bot.id,
        bot_name=bot.name,
        account_name=owner.name,
        number=version.number,
        sha256=version.sha256,
        state=f"VERSION_STATE_{state.upper()}",
        reason=version.reason,
        rules=version.rules.split(),
        seats=map(int, version.seats.split()),
        created_at=to_timestamp(version.created_at),
        progress=version.progress if version.state == State.VALIDATING else "",
        built_sha256=version.built_sha256,
        built_platform=version.built_platform,
        queue_place=place.number,
        queue_seconds=round(place.seconds),
        activates=version.state in WAITING and bool(version.activates or version.suspended),
        runtime=version.runtime,
        plays_people=version.plays_people,
    )


def _build_bot(listed: Listed) -> pb.Bot:
    bot, owner, versions = listed
    programs = [_build_version(Program(version, bot, owner)) for version in versions]
    return pb.Bot(id=bot.id, name=bot.name, account_name=owner.name, versions=programs)
