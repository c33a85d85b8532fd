"""A page source's requests to the arena, and the end of them."""

import asyncio

import pytest

from maumau.client.answer import Round
from services.web.delivery.cache import Cache
from services.web.delivery.feed import Feed
from services.web.public import contest
from services.web.words import WORDS
from tests.support.fake import FakeArena, a_match, a_spec, a_tournament


class RecordingArena(FakeArena):
    """Says whose bracket was asked for; ends the watch of a match at once, in a contest that is cancelled."""

    def __init__(self):
        super().__init__()
        self.contests, self.games = [a_tournament()], {"cup": [a_match()]}
        self.brackets = []

    async def get_bracket(self, name, stage=0):
        self.brackets.append(name)
        return await super().get_bracket(name, stage)

    async def watch_match(self, name, label, idle=0):
        yield (await self.get_match(name, label)).match
        self.contests = [a_tournament(state="cancelled")]


@pytest.fixture
def arena():
    return RecordingArena()


def load(source, times):
    """Return the results of `times` loads of the source."""

    async def repeat():
        return [await source.load_view() for _ in range(times)]

    return asyncio.run(repeat())


def test_while_a_match_is_played_its_contest_is_asked_for_once(arena):
    load(contest.MatchSource(arena, Cache(), "cup", "1.1.1"), 3)
    assert arena.asked.count("tournament") == 3 + 1  # the fake's match() asks each time, the source once


def test_the_last_state_of_a_cancelled_contest_is_told_though_its_match_is_played(arena, monkeypatch):
    monkeypatch.setattr(contest, "SETTLE", 0.0)
    source, feed = contest.MatchSource(arena, Cache(), "cup", "1.1.1"), Feed()
    asyncio.run(source.update_feed(feed))
    assert feed.view.is_over
    assert feed.view.found.match.state == "stopped"


@pytest.mark.parametrize(("contest_state", "told"), [("running", "playing"), ("cancelled", "stopped")])
def test_a_match_that_a_cancellation_left_undecided_is_told_as_stopped(arena, contest_state, told):
    arena.contests = [a_tournament(state=contest_state)]
    decided = a_match("1.1.2", state="decided", winner=1, rule="cap")
    arena.games["cup"] = [a_match(), decided]
    arena.rounds["cup"] = (Round(1, "final", (a_match(), decided), ()),)
    [view] = load(contest.ContestSource(arena, "cup"), 1)
    assert [one.state for one in view.matches] == [told, "decided"]
    assert [one.state for one in view.rounds[0].matches] == [told, "decided"]
    assert told in WORDS


def test_a_contest_without_a_bracket_is_asked_for_it_once_until_its_spec_changes(arena):
    source = contest.ContestSource(arena, "cup")
    assert [one.rounds for one in load(source, 3)] == [()] * 3
    assert arena.brackets == ["cup"]
    arena.contests = [a_tournament(spec_toml=a_spec(match="cap = 50"))]
    load(source, 2)
    assert arena.brackets == ["cup"] * 2
