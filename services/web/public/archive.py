"""Deals with open hands for times when no contest is played: of ladders that move, or of past contests."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from maumau.client.answer import (
    GetLeaderboardResponse,
    Ladder,
    LiveDeal,
    Match,
    Pairing,
    RuleSet,
    SetResult,
    Tournament,
)
from maumau.client.game_deals import list_games
from maumau.errors import MaumauError
from maumau.game.ruleset.own import load_text
from maumau.page.page import PageDeal, tell_record
from services.web.client import Arena
from services.web.figures.shown_deal import ShownDeal, ShownGame, show_match, show_pairing

STRIDE = 7  # step from the set of one deal shown to the next
LATEST = 5  # pairings of a ladder of which one is shown, the newest that are over

Contests = tuple[Tournament, ...]
Boards = Sequence[GetLeaderboardResponse]


class Archive:
    """The newest deals of ladders while one of them moves, else those of the contest that ended last."""

    def __init__(self, arena: Arena) -> None:
        self._arena, self._count = arena, 0
        self._matches: tuple[str, list[Match]] = "", []

    async def find_latest(self, contests: Contests, boards: Boards) -> ShownGame | None:
        """Return what the next deal is of; None if nothing was played."""
        ladders = [one.ladder for one in boards if one.ladder and one.ladder.sets]
        moving = [one for one in ladders if not one.words]
        return (
            await self._find_pairing(moving)
            or await self._find_match(contests)
            or await self._find_pairing(ladders)
        )

    async def _find_pairing(self, ladders: Sequence[Ladder]) -> ShownGame | None:
        """Return a pairing that was just played on one of these ladders, which take turns."""
        if not ladders:
            return None
        ladder = ladders[self._count % len(ladders)]
        found: tuple[Pairing, ...] = ()
        with suppress(MaumauError):
            found, _ = await self._arena.list_pairings(ladder.name, most=LATEST, over=True)
        played = [one for one in found if one.booked]
        return show_pairing(ladder.name, played[self._count % len(played)]) if played else None

    async def _find_match(self, contests: Contests) -> ShownGame | None:
        """Return a match of the latest ended contest that has one with deals."""
        contest = next((one for one in contests if one.state == "finished"), None)
        if contest is None:
            return None
        if self._matches[0] != contest.id:
            found = [
                one
                for one in await self._arena.list_matches(contest.name)
                if one.state == "decided" and one.sets
            ]
            self._matches = contest.id, found
        found = self._matches[1]
        return show_match(contest.name, found[-1 - self._count % len(found)]) if found else None

    async def next_deal(self, contests: Contests, boards: Boards) -> ShownDeal | None:
        """Return the next deal; None if there is none, or it cannot be read."""
        try:
            game = await self.find_latest(contests, boards)
            if game is None:
                return None
            number = self._count * STRIDE % game.sets
            self._count += 1
            played, rules = await self._find_set(game, number, contests)
            own = load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None
            games = list_games(played, own)
            deal = games[0].deals[0] if games else played.deals[0]
            told = await asyncio.to_thread(tell_record, "", deal.record, own)
        except MaumauError:
            return None
        return _build_shown(game, number, deal.entrants, told)

    async def _find_set(
        self, game: ShownGame, number: int, contests: Contests
    ) -> tuple[SetResult, RuleSet | None]:
        """Return a deal set and its rules."""
        if game.is_ladder:
            pairing = await self._arena.pairing_set(game.contest, game.label, number)
            return pairing.set, pairing.rules
        match = await self._arena.deal_set(game.contest, game.label, number)
        return match.set, next(one.rules for one in contests if one.name == game.contest)


def _build_shown(game: ShownGame, number: int, entrants: tuple[int, ...], told: PageDeal) -> ShownDeal:
    """Return a deal event by event: all events of a stage have the hands after its last one."""
    staged = [(event, stage) for stage in told.stages for event in stage.open]
    events = tuple(event for event, _ in staged)
    counts = tuple(len(hand) for _, stage in staged for hand in stage.hands)
    deal = LiveDeal(number, 0, entrants, 0, events, counts, tuple(told.places), tuple(told.points))
    hands = tuple(tuple(tuple(hand) for hand in stage.hands) for _, stage in staged)
    return ShownDeal(game, deal, 0.0, hands)
