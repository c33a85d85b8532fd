"""Handlers of the calls for deal sets played on ladders and for practice; the core has their records."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from asyncio import to_thread
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from maumau.contest.score import count_units
from maumau.errors import ArenaUnreachable, UnknownContest, UnknownMatch, UnknownSet
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking import wire
from services.matchmaking.client import Core
from services.matchmaking.models import Ladder, Practice
from services.matchmaking.store import Ladders, Practices
from services.matchmaking.store.pairing import PairingSeats
from services.matchmaking.store.practice import ONLY_JOB, more_names
from services.shared.base.auth import Identity, Need, check_owner, identity

NEEDS = {
    **dict.fromkeys(("ListPairingSets", "GetPairingSet", "WatchPairing"), Need.ANY),
    **dict.fromkeys(("ListPracticeSets", "GetPracticeSet"), Need.AUTHOR),
}
EVERY = 1.0  # seconds between two looks at what is watched


@dataclass(kw_only=True)
class ReplayCalls:
    """Handlers of five calls of MatchmakingService. stopping: set when the service begins to stop.

    A deal set may be seen as soon as it is booked: no other pairing is dealt the same cards, and programs
    play in a sandbox without a network.
    """

    ladders: Ladders
    practices: Practices
    core: Core
    stopping: asyncio.Event

    async def ListPairingSets(
        self, request: pb.ListPairingSetsRequest, context: Any
    ) -> pb.ListPairingSetsResponse:
        where = wire.pairing_id(request.id)
        found = await to_thread(self.ladders.read_seating, request.ladder, *where)
        if not found.booked:  # its job may not be there yet
            return pb.ListPairingSetsResponse()
        asked = request.page_size, request.page_token, request.first_set
        sets, token = await self.core.list_sets(found.contest_id, str(found.pairing.label), *asked)
        return pb.ListPairingSetsResponse(sets=sets, next_page_token=token)

    async def GetPairingSet(self, request: pb.GetPairingSetRequest, context: Any) -> pb.GetPairingSetResponse:
        where = wire.pairing_id(request.id)
        row = await to_thread(self.ladders.find_ladder, request.ladder)
        found = await to_thread(self.ladders.read_seating, row.name, *where)
        what = f"The pairing {request.id} of the ladder {row.name}"
        label, is_booked = str(found.pairing.label), found.booked > 0
        played = await self._find_set(found.contest_id, label, request.set, what, is_booked=is_booked)
        _hide_notes(played, [one.account_name for one in found.players], identity())
        shown, names = _show_pairing(row, where[0], found), [one.bot_name for one in found.players]
        return pb.GetPairingSetResponse(pairing=shown, set=played, names=names, rules=wire.build_rules(row))

    async def WatchPairing(
        self, request: pb.WatchPairingRequest, context: Any
    ) -> AsyncIterator[pb.WatchPairingResponse]:
        row = await to_thread(self.ladders.find_ladder, request.ladder)
        where, cursor, shown = wire.pairing_id(request.id), request.after, None
        while True:
            found = await to_thread(self.ladders.read_seating, row.name, *where)
            now = _show_pairing(row, where[0], found)
            if now != shown:
                shown = now
                yield pb.WatchPairingResponse(pairing=now)
            if found.pairing.state == "over":
                return
            with suppress(UnknownContest, UnknownMatch):  # its job is not there yet
                async for part in self._watch_deals(found, cursor):
                    cursor = part.cursor
                    yield part
            await pause_watch(self.stopping)

    async def _watch_deals(self, found: PairingSeats, cursor: str) -> AsyncIterator[pb.WatchPairingResponse]:
        """Yield deals of a pairing after a cursor until its job is over."""
        label = str(found.pairing.label)
        async with aclosing(self.core.watch_deals(found.contest_id, label, cursor)) as parts:
            async for deals, after in parts:
                yield pb.WatchPairingResponse(deals=deals, cursor=after)

    async def ListPracticeSets(
        self, request: pb.ListPracticeSetsRequest, context: Any
    ) -> pb.ListPracticeSetsResponse:
        row = await to_thread(self._find_practice, request.id)
        if not row.booked:
            return pb.ListPracticeSetsResponse()
        asked = request.page_size, request.page_token, request.first_set
        sets, token = await self.core.list_sets(row.contest_id, ONLY_JOB, *asked)
        return pb.ListPracticeSetsResponse(sets=sets, next_page_token=token)

    async def GetPracticeSet(
        self, request: pb.GetPracticeSetRequest, context: Any
    ) -> pb.GetPracticeSetResponse:
        row = await to_thread(self._find_practice, request.id)
        what = f"The practice match {row.id}"
        is_booked = row.booked > 0
        played = await self._find_set(row.contest_id, ONLY_JOB, request.set, what, is_booked=is_booked)
        names = [row.bot, row.against, *more_names(row)]
        _hide_notes(played, [row.account_name if name == row.bot else "" for name in names], identity())
        return pb.GetPracticeSetResponse(practice=wire.build_practice(row), set=played, names=names)

    def _find_practice(self, practice_id: str) -> Practice:
        """Return a practice match of the caller's own, or any for an admin."""
        row = self.practices.find_practice(practice_id)
        check_owner(identity(), row.account_name, row.id)
        return row

    async def _find_set(self, contest_id: str, label: str, number: int, what: str, *, is_booked: bool) -> Any:
        """Return a deal set with all notes; raise UnknownSet if it is not booked.

        what: the subject of the refusal, such as "The practice match …". is_booked: True if any set is.
        """
        if not is_booked:  # its job may not be there yet
            raise _unknown_set(what, number)
        try:
            return await self.core.find_set(contest_id, label, number)
        except UnknownSet:
            raise _unknown_set(what, number) from None


async def pause_watch(stopping: asyncio.Event) -> None:
    """Wait until a watcher's subject is looked at again; raise ArenaUnreachable when the service stops."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stopping.wait(), EVERY)
        raise ArenaUnreachable("The matchmaking service stops; watch again.")


def _show_pairing(row: Ladder, epoch: int, found: PairingSeats) -> pb.Pairing:
    counts, unit = (found.booked, found.total), count_units(row.score, row.seats)
    return wire.build_pairing(found.pairing, epoch, *counts, wire.map_players(found.players), unit)


def _unknown_set(what: str, number: int) -> UnknownSet:
    return UnknownSet(f"{what} has no deal set {number} now.", thing=str(number))


def _hide_notes(played: Any, owners: Sequence[str], who: Identity) -> None:
    """Remove the notes of bots that are not the caller's. owners: accounts and teams by position."""
    if who.may(Need.ADMIN):
        return
    for deal in played.deals:
        kept = [note for note in deal.notes if who.owns(owners[deal.entrants[note.seat]])]
        del deal.notes[:]
        deal.notes.extend(kept)
