"""What a page's source asks of the arena, and when it asks no more."""

import asyncio

import pytest

from services.web import contest
from services.web.cache import Cache
from services.web.feed import Feed
from tests.web.fake import FakeArena, a_match, a_spec, a_tournament


class RecordingArena(FakeArena):
    """Says whose bracket was asked for; ends the watch of a match at once, in a contest that is cancelled."""

    def __init__(self):
        super().__init__()
        self.contests, self.games = [a_tournament()], {"cup": [a_match()]}
        self.brackets = []

    async def bracket(self, name, stage=0):
        self.brackets.append(name)
        return await super().bracket(name, stage)

    async def watch_match(self, name, label, idle=0):
        yield (await self.match(name, label)).match
        self.contests = [a_tournament(state="cancelled")]


@pytest.fixture
def arena():
    return RecordingArena()


def load(source, times):
    """What the source loads when it is asked `times` times."""

    async def repeat():
        return [await source.load() for _ in range(times)]

    return asyncio.run(repeat())


def test_while_a_match_is_played_its_contest_is_asked_for_once(arena):
    load(contest.MatchSource(arena, Cache(), "cup", "1.1.1"), 3)
    assert arena.asked.count("tournament") == 3 + 1  # the fake's match() asks each time, the source once


def test_the_last_state_of_a_cancelled_contest_is_told_though_its_match_is_played(arena, monkeypatch):
    monkeypatch.setattr(contest, "SETTLE", 0.0)
    source, feed = contest.MatchSource(arena, Cache(), "cup", "1.1.1"), Feed()
    asyncio.run(source.source(feed))
    assert feed.view.is_over


def test_a_contest_without_a_bracket_is_asked_for_it_once_until_its_spec_changes(arena):
    source = contest.ContestSource(arena, "cup")
    assert [one.rounds for one in load(source, 3)] == [()] * 3
    assert arena.brackets == ["cup"]
    arena.contests = [a_tournament(spec_toml=a_spec(match="cap = 50"))]
    load(source, 2)
    assert arena.brackets == ["cup"] * 2
