"""Handlers of the calls that change a tournament, and of their previews."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from maumau.v1 import tournament_pb2 as pb
from services.shared.base.auth import Need, check_owner, identity
from services.shared.rpc.registry import PlayableVersion, Versions
from services.tournament.domain.level import read_group
from services.tournament.history.archive import Archive
from services.tournament.models import Entry, Tournament
from services.tournament.organising.boards import Boards, ContestView
from services.tournament.organising.mystery import check_trial, find_trial
from services.tournament.organising.organiser import Organiser
from services.tournament.organising.permission import check_organiser
from services.tournament.organising.preview import Previewer
from services.tournament.organising.release import is_released
from services.tournament.organising.sweep import Follower
from services.tournament.rpc import wire
from services.tournament.rpc.mystery_wire import terms_message, trial_message
from services.tournament.rpc.organise_wire import preview_message, read_seen_state
from services.tournament.rpc.work_servicer import Lanes
from services.tournament.store.contests.schedule import SeenMatch

T = TypeVar("T")
FIRST_MATCHES = 2.0  # seconds that Start waits for the first matches
BEGUN_BY_ENTERING = ("none", "stalled")  # states of a validation for mystery rules


@dataclass(kw_only=True)
class OrganiseServicer:
    """The part of the tournament service through which organisers and authors change something."""

    organiser: Organiser
    previewer: Previewer
    boards: Boards
    archive: Archive
    registry: Versions
    follower: Follower
    lanes: Lanes

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        await self._check_group(request.spec_toml)
        row = await to_thread(self.organiser.create_tournament, request.spec_toml, identity())
        return pb.CreateTournamentResponse(tournament=await self._build_shown(row.id))

    async def EditTournament(
        self, request: pb.EditTournamentRequest, context: Any
    ) -> pb.EditTournamentResponse:
        key = await self._find_own(request)
        await self._check_group(request.spec_toml)
        edit = partial(self.organiser.edit_spec, key, request.spec_toml, identity())
        return pb.EditTournamentResponse(**await self._make_change(request, key, edit))

    async def OpenEntries(self, request: pb.OpenEntriesRequest, context: Any) -> pb.OpenEntriesResponse:
        row = await to_thread(self.organiser.open_entries, await self._find_own(request))
        return pb.OpenEntriesResponse(tournament=await self._build_shown(row.id))

    async def Enter(self, request: pb.EnterRequest, context: Any) -> pb.EnterResponse:
        found = await self._find_tournament(request)
        key, version = found.id, await self.registry.active(request.bot_name)
        trial = await self._pass_trial(key, version, begin=not request.preview) if found.sealed else ""
        entrant = identity(), version, request.commitment, trial
        enter = partial(self.organiser.enter_bot, key, *entrant)
        answer = await self._changed_entry(request, key, enter)
        view = await to_thread(self.boards.get_view, key)
        return pb.EnterResponse(**answer, warnings=view.warnings if answer["entry"].commitment else ())

    async def _pass_trial(self, key: str, version: PlayableVersion, *, begin: bool) -> str:
        """Return the key of the validation for mystery rules that a version has passed."""
        row = await to_thread(self.organiser.check_entry, key, identity(), version)
        if not (wanted := find_trial(row)):
            return ""
        asked = version.id, wanted.key, terms_message(wanted)
        found = await self.registry.request_trial(*asked, begin=False)
        if begin and found.state in BEGUN_BY_ENTERING:
            # an entry that is refused anyway, as where entries are not open, keeps no worker busy
            await self._preview_change(
                key, partial(self.organiser.enter_bot, key, identity(), version, "", wanted.key)
            )
            found = await self.registry.request_trial(*asked, begin=True)
        check_trial(version.bot_name, row.name, found)
        return wanted.key

    async def GetTrial(self, request: pb.GetTrialRequest, context: Any) -> pb.GetTrialResponse:
        row = await self._find_tournament(request)
        version = await self.registry.active(request.bot_name)
        check_owner(identity(), version.account_name, version.bot_name)
        if not (wanted := find_trial(row)):
            return pb.GetTrialResponse(state=pb.TRIAL_STATE_NONE)
        asked = version.id, wanted.key, terms_message(wanted)
        return trial_message(row, await self.registry.request_trial(*asked, begin=False))

    async def OpenNonce(self, request: pb.OpenNonceRequest, context: Any) -> pb.OpenNonceResponse:
        asked = (await self._find_tournament(request)).id, identity(), request.bot_name, request.nonce
        row = await to_thread(self.organiser.open_nonce, *asked)
        return pb.OpenNonceResponse(entry=await self._shown_entry(row))

    async def ConfirmEntries(
        self, request: pb.ConfirmEntriesRequest, context: Any
    ) -> pb.ConfirmEntriesResponse:
        confirmed = await to_thread(self.organiser.confirm_entries, identity())
        for tournament_id in confirmed:
            self.follower.schedule_follow(tournament_id)
        return pb.ConfirmEntriesResponse(tournaments=confirmed)

    async def Withdraw(self, request: pb.WithdrawRequest, context: Any) -> pb.WithdrawResponse:
        key = (await self._find_tournament(request)).id
        withdraw = partial(self.organiser.withdraw_bot, key, identity(), request.bot_name)
        answer = await self._changed_entry(request, key, withdraw)
        if not request.preview:
            await to_thread(self.organiser.start_if_complete, key)
        return pb.WithdrawResponse(**answer)

    async def Disqualify(self, request: pb.DisqualifyRequest, context: Any) -> pb.DisqualifyResponse:
        key = await self._find_own(request)
        disqualify = partial(self.organiser.disqualify_bot, key, request.bot_name, request.reason)
        return pb.DisqualifyResponse(**await self._changed_entry(request, key, disqualify))

    async def Start(self, request: pb.StartRequest, context: Any) -> pb.StartResponse:
        key = await self._find_own(request)
        if request.preview:
            return pb.StartResponse(
                **await self._make_change(
                    request, key, partial(self.organiser.close_entries, key, now=request.now)
                )
            )
        row = await to_thread(partial(self.organiser.start_tournament, key, now=request.now))
        # so that whoever asks next finds the matches of a small one
        await asyncio.wait((self.follower.schedule_follow(row.id),), timeout=FIRST_MATCHES)
        return pb.StartResponse(tournament=await self._build_shown(row.id))

    async def Pause(self, request: pb.PauseRequest, context: Any) -> pb.PauseResponse:
        row = await to_thread(self.organiser.pause_tournament, await self._find_own(request))
        return pb.PauseResponse(tournament=await self._build_shown(row.id))

    async def Resume(self, request: pb.ResumeRequest, context: Any) -> pb.ResumeResponse:
        row = await to_thread(self.organiser.resume_tournament, await self._find_own(request))
        return pb.ResumeResponse(tournament=await self._build_shown(row.id))

    async def Cancel(self, request: pb.CancelRequest, context: Any) -> pb.CancelResponse:
        key = await self._find_own(request)
        cancel = partial(self.organiser.cancel_tournament, key, read_seen_state(request))
        return pb.CancelResponse(**await self._make_change(request, key, cancel))

    async def Confirm(self, request: pb.ConfirmRequest, context: Any) -> pb.ConfirmResponse:
        key = await self._find_own(request)
        row = await self.lanes.schedule(self.organiser.confirm_result, key, request.chain)
        return pb.ConfirmResponse(tournament=await self._build_shown(row.id))

    async def FileProtest(self, request: pb.FileProtestRequest, context: Any) -> pb.FileProtestResponse:
        asked = (await self._find_tournament(request)).id, identity(), request.bot_name, request.text
        row = await to_thread(self.organiser.file_protest, *asked)
        self.follower.schedule_follow(row.tournament_id)
        return pb.FileProtestResponse(protest=wire.build_protest(row))

    async def AnswerProtest(self, request: pb.AnswerProtestRequest, context: Any) -> pb.AnswerProtestResponse:
        asked = await self._find_own(request), request.number, identity(), request.answer
        row = await to_thread(partial(self.organiser.answer_protest, *asked, accepted=request.accepted))
        self.follower.schedule_follow(row.tournament_id)
        return pb.AnswerProtestResponse(protest=wire.build_protest(row))

    async def RetakeMatch(self, request: pb.RetakeMatchRequest, context: Any) -> pb.RetakeMatchResponse:
        key = await self._find_own(request)
        seen = SeenMatch(request.take, read_seen_state(request))
        asked, fresh = (key, request.label, request.reason), request.fresh_seeds
        if request.preview:
            take_back = partial(self.organiser.take_back, *asked, fresh_seeds=fresh, seen=seen)
            preview, _ = await self._preview_change(key, take_back)
            shown = await self._build_match(key, request.label)
            return pb.RetakeMatchResponse(match=shown, withdrawn=preview.withdrawn, preview=preview)
        retake = partial(self.organiser.retake_match, *asked, fresh_seeds=fresh, seen=seen)
        gone = await self.lanes.schedule(retake)
        self.follower.schedule_follow(key)
        return pb.RetakeMatchResponse(match=await self._build_match(key, request.label), withdrawn=gone)

    async def _build_match(self, tournament_id: str, label: str) -> Any:
        view = await to_thread(self.boards.get_view, tournament_id)
        return wire.build_match(view, await to_thread(self.archive.find_take, view.board, label))

    async def _find_own(self, request: Any) -> str:
        """Return the id of the requested tournament; raise NotYours unless the caller may change it."""
        row = await self._find_tournament(request)
        check_organiser(identity(), row)
        return row.id

    async def _find_tournament(self, request: Any) -> Tournament:
        """Return the requested tournament; raise UnknownTournament if the caller may not see it."""
        return await to_thread(self.boards.find_row, identity(), request.tournament)

    async def _check_group(self, spec_toml: str) -> None:
        """Raise UnknownGroup for an admin's spec that names no group; others' are checked with the spec."""
        if identity().may(Need.ADMIN) and (group := read_group(spec_toml)):
            await self.registry.check_group(group)

    async def _make_change(self, request: Any, key: str, change: Callable[[], Any]) -> dict[str, Any]:
        """Make a change and return the tournament; for a preview, the current one and the effects."""
        if request.preview:
            preview, _ = await self._preview_change(key, change)
            say = partial(wire.build_tournament, who=identity())
            return {"tournament": await self._build_about(request, say), "preview": preview}
        return {"tournament": await self._build_shown((await to_thread(change)).id)}

    async def _changed_entry(self, request: Any, key: str, change: Callable[[], Entry]) -> dict[str, Any]:
        """Make a change and return the entry; a preview shows it as it would be."""
        if not request.preview:
            return {"entry": await self._shown_entry(await to_thread(change))}
        preview, row = await self._preview_change(key, change)
        now = await to_thread(self.organiser.tournaments.find_tournament, key)
        return {"entry": wire.build_entry(row, now), "preview": preview}

    async def _preview_change(self, key: str, change: Callable[[], T]) -> tuple[Any, T]:
        """Preview a change, one at a time, so that many previews do not keep others from playing."""
        found, answer = await self.lanes.previews(self.previewer.preview_change, key, change)
        board = (await to_thread(self.boards.get_view, key)).board
        if not is_released(board, identity()):
            found = found.without_results()
        return preview_message(found, board.tournament), answer

    async def _build_shown(self, tournament_id: str) -> Any:
        """Return a tournament that just changed; consequences are dealt with in the background."""
        self.follower.schedule_follow(tournament_id)
        return wire.build_tournament(await to_thread(self.boards.get_view, tournament_id), identity())

    async def _shown_entry(self, row: Entry) -> Any:
        """Return an entry that just changed."""
        self.follower.schedule_follow(row.tournament_id)
        return wire.build_entry(
            row, await to_thread(self.organiser.tournaments.find_tournament, row.tournament_id)
        )

    async def _build_about(self, request: Any, say: Callable[[ContestView], Any]) -> Any:
        """Return the requested tournament as a message."""
        who = identity()
        return await to_thread(lambda: say(self.boards.find_view(who, request.tournament)))
