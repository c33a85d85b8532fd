"""The contract's calls that change a tournament, and their previews."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from maumau.v1 import tournament_pb2 as pb
from services.shared.auth import identity
from services.tournament import wire
from services.tournament.archive import Archive
from services.tournament.boards import Boards, View
from services.tournament.client import Registry
from services.tournament.models import Entry
from services.tournament.organise.preview import Previewer
from services.tournament.organise.wire import preview_message
from services.tournament.organiser import Organiser, check_organiser
from services.tournament.release import is_released
from services.tournament.sweep import Follower
from services.tournament.work.servicer import Lanes

T = TypeVar("T")
FIRST_MATCHES = 2.0  # seconds that Start waits for them


@dataclass(kw_only=True)
class OrganiseServicer:
    """The part of the tournament service that organisers and authors call to change something."""

    organiser: Organiser
    previewer: Previewer
    boards: Boards
    archive: Archive
    registry: Registry
    follower: Follower
    lanes: Lanes

    async def CreateTournament(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.organiser.create, request.spec_toml, identity())
        return pb.CreateTournamentResponse(tournament=await self._shown(row.id))

    async def EditTournament(self, request: Any, context: Any) -> Any:
        key = await self._own(request)
        edit = partial(self.organiser.edit, key, request.spec_toml)
        return pb.EditTournamentResponse(**await self._changed(request, key, edit))

    async def OpenEntries(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.organiser.open, await self._own(request))
        return pb.OpenEntriesResponse(tournament=await self._shown(row.id))

    async def Enter(self, request: Any, context: Any) -> Any:
        key = (await to_thread(self.organiser.tournaments.find, request.tournament)).id
        version = await self.registry.active(request.bot_name)
        enter = partial(self.organiser.enter, key, identity(), version, request.commitment)
        answer = await self._changed_entry(request, key, enter)
        view = await to_thread(self.boards.get, key)
        return pb.EnterResponse(**answer, warnings=view.warnings if answer["entry"].commitment else ())

    async def OpenNonce(self, request: Any, context: Any) -> Any:
        asked = request.tournament, identity(), request.bot_name, request.nonce
        row = await to_thread(self.organiser.open_nonce, *asked)
        return pb.OpenNonceResponse(entry=await self._shown_entry(row))

    async def Withdraw(self, request: Any, context: Any) -> Any:
        key = (await to_thread(self.organiser.tournaments.find, request.tournament)).id
        withdraw = partial(self.organiser.withdraw, key, identity(), request.bot_name)
        return pb.WithdrawResponse(**await self._changed_entry(request, key, withdraw))

    async def Disqualify(self, request: Any, context: Any) -> Any:
        key = await self._own(request)
        disqualify = partial(self.organiser.disqualify, key, request.bot_name, request.reason)
        return pb.DisqualifyResponse(**await self._changed_entry(request, key, disqualify))

    async def Start(self, request: Any, context: Any) -> Any:
        key = await self._own(request)
        if request.preview:
            return pb.StartResponse(
                **await self._changed(request, key, partial(self.organiser.close_entries, key))
            )
        row = await to_thread(self.organiser.start, key)
        # so that whoever asks next finds the matches of a small one
        await asyncio.wait((self.follower.kick(row.id),), timeout=FIRST_MATCHES)
        return pb.StartResponse(tournament=await self._shown(row.id))

    async def Pause(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.organiser.pause, await self._own(request))
        return pb.PauseResponse(tournament=await self._shown(row.id))

    async def Resume(self, request: Any, context: Any) -> Any:
        row = await to_thread(self.organiser.resume, await self._own(request))
        return pb.ResumeResponse(tournament=await self._shown(row.id))

    async def Cancel(self, request: Any, context: Any) -> Any:
        key = await self._own(request)
        return pb.CancelResponse(**await self._changed(request, key, partial(self.organiser.cancel, key)))

    async def Confirm(self, request: Any, context: Any) -> Any:
        row = await self.lanes.schedule(self.organiser.confirm, await self._own(request))
        return pb.ConfirmResponse(tournament=await self._shown(row.id))

    async def RetakeMatch(self, request: Any, context: Any) -> Any:
        key = await self._own(request)
        asked, fresh = (key, request.label, request.reason), request.fresh_seeds
        if request.preview:
            take_back = partial(self.organiser.take_back, *asked, fresh_seeds=fresh)
            preview, _ = await self._preview(key, take_back)
            shown = await self._match(key, request.label)
            return pb.RetakeMatchResponse(match=shown, withdrawn=preview.withdrawn, preview=preview)
        gone = await self.lanes.schedule(self.organiser.retake, *asked, fresh_seeds=fresh)
        self.follower.kick(key)
        return pb.RetakeMatchResponse(match=await self._match(key, request.label), withdrawn=gone)

    async def _match(self, tournament_id: str, label: str) -> Any:
        view = await to_thread(self.boards.get, tournament_id)
        return wire.match(view, await to_thread(self.archive.take, view.board, label))

    async def _own(self, request: Any) -> str:
        """The id of the tournament that a request names; NotYours unless the caller may change it."""
        row = await to_thread(self.organiser.tournaments.find, request.tournament)
        check_organiser(identity(), row)
        return row.id

    async def _changed(self, request: Any, key: str, change: Callable[[], Any]) -> dict[str, Any]:
        """The tournament after a change; as it stands, and what would be different, if that is only asked."""
        if request.preview:
            preview, _ = await self._preview(key, change)
            return {"tournament": await self._about(request, wire.tournament), "preview": preview}
        return {"tournament": await self._shown((await to_thread(change)).id)}

    async def _changed_entry(
        self, request: Any, key: str, change: Callable[[], Entry]
    ) -> dict[str, Any]:  # fmt: skip
        """The same of an entry, which a preview shows as it would be."""
        if not request.preview:
            return {"entry": await self._shown_entry(await to_thread(change))}
        preview, row = await self._preview(key, change)
        now = await to_thread(self.organiser.tournaments.find, key)
        return {"entry": wire.entry(row, now), "preview": preview}

    async def _preview(self, key: str, change: Callable[[], T]) -> tuple[Any, T]:
        """One at a time: whoever asks for many keeps nobody else from playing."""
        found, answer = await self.lanes.previews(self.previewer.preview, key, change)
        board = (await to_thread(self.boards.get, key)).board
        if not is_released(board, identity()):
            found = found.without_results()
        return preview_message(found, board.tournament), answer

    async def _shown(self, tournament_id: str) -> Any:
        """A tournament that just changed; what follows from that is done in the background."""
        self.follower.kick(tournament_id)
        return wire.tournament(await to_thread(self.boards.get, tournament_id))

    async def _shown_entry(self, row: Entry) -> Any:
        """An entry that just changed."""
        self.follower.kick(row.tournament_id)
        return wire.entry(row, await to_thread(self.organiser.tournaments.find, row.tournament_id))

    async def _about(self, request: Any, say: Callable[[View], Any]) -> Any:
        """What is to be said of the tournament that a request names."""
        return await to_thread(lambda: say(self.boards.find(request.tournament)))
