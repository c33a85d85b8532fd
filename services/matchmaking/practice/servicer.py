"""Handlers of the calls for practice matches."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import json
from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from maumau.contest.practice import MAX_SETS
from maumau.contest.score import SEATINGS
from maumau.contest.terms import Terms
from maumau.errors import BadRequest
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking import wire
from services.matchmaking.models import Practice
from services.matchmaking.replay.servicer import pause_watch
from services.matchmaking.store import Practices
from services.matchmaking.terms import check_terms
from services.shared.base import page
from services.shared.base.auth import Identity, Need, check_owner, identity
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.base.page import Page
from services.shared.rpc import open_stream, registry
from services.shared.rpc.registry import Versions

NEEDS = dict.fromkeys(("Practice", "ListPractice", "WatchPractice"), Need.AUTHOR)
USUAL_SETS = 100  # sets of a practice match


@dataclass(kw_only=True)
class PracticeCalls:
    """Handlers of three calls of MatchmakingService. wake: has practice matches looked at soon."""

    practices: Practices
    versions: Versions
    clock: Clock
    stopping: asyncio.Event
    wake: Callable[[], None] = lambda: None

    async def Practice(self, request: pb.PracticeRequest, context: Any) -> pb.PracticeResponse:
        sets = request.sets or USUAL_SETS
        if not 1 <= sets <= MAX_SETS:
            raise BadRequest(f"A practice match has 1 to {MAX_SETS} deal sets, not {sets}.", field="sets")
        who, seats = identity(), SEATINGS + len(request.more_against)
        terms = await to_thread(_practice_terms, request.rules, who.owner, seats)
        keys = request.bot, request.against, *request.more_against
        mine, other, *more = versions = [await self._find_playable(who, key) for key in keys]
        check_owner(who, mine.account_name, mine.bot_name)
        _check_different(versions)
        for version in versions:
            version.check(terms.rules, seats)
        row = Practice(
            id=new_id("practice"),
            account_name=mine.account_name if who.owns(mine.account_name) else who.name,
            bot=mine.bot_name,
            against=other.bot_name,
            version_id=mine.id,
            other_id=other.id,
            more=json.dumps([(one.bot_name, one.id) for one in more]),
            numbers=json.dumps([one.number for one in versions]),
            rules=terms.rules,
            options=wire.options_json(terms),
            rules_hash=terms.load_rules().hash,
            variant_toml=terms.variant_toml,
            sets=sets,
            created_at=self.clock(),
        )
        added = await to_thread(self.practices.add_practice, row)
        self.wake()
        return pb.PracticeResponse(practice=wire.build_practice(added))

    async def _find_playable(self, who: Identity, key: str) -> registry.PlayableVersion:
        """Return a version, by the name of a bot or by the id of a version of the caller's own."""
        found = await self.versions.playable(key)
        if key != found.bot_name:
            check_owner(who, found.account_name, found.bot_name)
        return found

    async def ListPractice(self, request: pb.ListPracticeRequest, context: Any) -> pb.ListPracticeResponse:
        def fill_page() -> Page:
            before = page.check_ident(request.page_token, "practice")
            most = page.count_entries(request.page_size) + 1
            rows = self.practices.list_own({who.name, who.owner}, request.bot_name, before, most)
            return page.fill(rows, request.page_size, wire.build_practice, lambda row: row.id)

        who = identity()
        found, token = await to_thread(fill_page)
        return pb.ListPracticeResponse(practice=found, next_page_token=token)

    async def WatchPractice(
        self, request: pb.WatchPracticeRequest, context: Any
    ) -> AsyncIterator[pb.WatchPracticeResponse]:
        shown: Any = None
        row = await to_thread(self.practices.find_practice, request.id)
        check_owner(identity(), row.account_name, row.id)
        open_stream.require(lambda who: check_owner(who or identity(), row.account_name, row.id), row.id)
        while True:
            row = await to_thread(self.practices.find_practice, request.id)
            now = wire.build_practice(row)
            if now != shown:
                shown = now
                yield pb.WatchPracticeResponse(practice=now)
            if row.state == "over":
                return
            await pause_watch(self.stopping)


def _practice_terms(rules: Any, author: str, seats: int) -> Terms:
    return check_terms(wire.rule_terms(rules, "practice", author, seats=seats))


def _check_different(versions: Sequence[registry.PlayableVersion]) -> None:
    for place, version in enumerate(versions):
        if version.id in {one.id for one in versions[:place]}:
            raise BadRequest(f"{version.bot_name} cannot practise against itself.", field="against")
