"""What is shown while nothing is played: deals of the contest that ended last, every hand open."""

import asyncio

from maumau.answer import LiveDeal, Match, Tournament
from maumau.errors import MaumauError
from maumau.game.own import load_text
from maumau.page.page import Told, tell_record
from services.web.client import Arena
from services.web.table import ShownDeal

STRIDE = 7  # sets from one deal of a match to the next one


class Archive:
    """The deals of one contest after the other set, from the last match backwards."""

    def __init__(self, arena: Arena) -> None:
        self._arena, self._count = arena, 0
        self._matches: tuple[str, list[Match]] = "", []

    async def latest(self, contests: tuple[Tournament, ...]) -> tuple[Tournament, Match] | None:
        """The contest that ended last and has a decided match, and the match whose deal is next."""
        contest = next((one for one in contests if one.state == "finished"), None)
        if contest is None:
            return None
        if self._matches[0] != contest.id:
            found = [
                one for one in await self._arena.matches(contest.name) if one.state == "decided" and one.sets
            ]
            self._matches = contest.id, found
        found = self._matches[1]
        return (contest, found[-1 - self._count % len(found)]) if found else None

    async def next_deal(self, contests: tuple[Tournament, ...]) -> ShownDeal | None:
        """Another deal; None if there is none, or it cannot be had."""
        try:
            latest = await self.latest(contests)
            if latest is None:
                return None
            contest, match = latest
            number = self._count * STRIDE % match.sets
            found = await self._arena.deal_set(contest.name, match.label, number)
            self._count += 1
            rules = contest.rules
            own = load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None
            deal = found.set.deals[0]
            told = await asyncio.to_thread(tell_record, "", deal.record, own)
        except MaumauError:
            return None
        return _shown(contest.name, match, number, deal.entrants, told)


def _shown(contest: str, match: Match, number: int, entrants: tuple[int, ...], told: Told) -> ShownDeal:
    """Event by event: of a stage all events have the hands after the last of them."""
    staged = [(event, stage) for stage in told.stages for event in stage.open]
    events = tuple(event for event, _ in staged)
    counts = tuple(len(hand) for _, stage in staged for hand in stage.hands)
    deal = LiveDeal(number, 0, entrants, 0, events, counts, tuple(told.places), tuple(told.points))
    hands = tuple(tuple(tuple(hand) for hand in stage.hands) for _, stage in staged)
    return ShownDeal(contest, match, deal, 0.0, hands)
