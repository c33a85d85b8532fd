"""Lists have pages, and the client reads them all."""

import pytest

from maumau.client import link
from maumau.errors import BadRequest
from services.shared.base import page
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import CUP
from tests.support.waiting import until

DATABASES = ["sqlite"]


@pytest.fixture
def cup(arena):
    """Six matches in three rounds, of which the first is decided."""
    name = arena.begin("first", "random", "first", "random", block=5, cap=5)
    block = until(lambda: arena.blocks(name, "queued"))[0]
    arena.worker.play(block.id)
    until(lambda: arena.admin.tournament(name).matches_decided == 1)
    yield name
    arena.admin.cancel(name)


def read(call, entries, **request):
    """Yield the listed items, page by page."""
    token = ""
    while True:
        found = call(page_token=token, **request)
        yield list(getattr(found, entries))
        if not (token := found.next_page_token):
            return


@pytest.mark.long
def test_matches_have_pages_in_the_order_of_their_labels(arena, cup):
    calls = arena.tournament(arena.settings.admin_token)
    parts = read(calls.ListMatches, "matches", tournament=cup, page_size=4)
    found = [[match.label for match in part] for part in parts]
    assert found == [["1.1.1", "1.1.2", "1.2.1", "1.2.2"], ["1.3.1", "1.3.2"]]
    after = calls.ListMatches(tournament=cup, page_token="1.2.9").matches
    assert [match.label for match in after] == ["1.3.1", "1.3.2"]
    for token in ("1.2", "nonsense", "1.2.-3"):
        with refused(BadRequest, "not the token of a page"):
            calls.ListMatches(tournament=cup, page_token=token)


@pytest.mark.long
def test_rounds_have_pages(arena, cup):
    calls = arena.tournament(arena.settings.admin_token)
    parts = read(calls.GetBracket, "rounds", tournament=cup, stage=1, page_size=2)
    assert [[one.round for one in part] for part in parts] == [[1, 2], [3]]


@pytest.mark.long
def test_tournaments_have_pages_newest_first_and_say_how_far_each_has_come(arena, cup):
    over = arena.begin("first", "random", **CUP)
    arena.finish(over)
    waits = arena.create()
    calls = arena.tournament(arena.settings.admin_token)
    parts = list(read(calls.ListTournaments, "tournaments", page_size=2))
    assert [one.name for one in parts[0]] == [waits, over]
    listed = {one.name: one for part in parts for one in part}
    assert len(listed) == sum(map(len, parts))
    assert (listed[cup].matches_decided, listed[cup].matches_known) == (1, 6)
    for name in (over, waits):
        assert listed[name] == calls.GetTournament(tournament=name).tournament


def test_workers_have_pages(arena):
    for number in range(5):
        arena.worker.ClaimNext(worker=f"page-{number}")
    calls = arena.tournament(arena.settings.admin_token)
    names = [one.name for one in calls.ListWorkers().workers]
    parts = list(read(calls.ListWorkers, "workers", page_size=2))
    assert [one.name for part in parts for one in part] == names
    assert len(parts) > 2


def test_a_worker_without_a_block_is_present(arena):
    arena.worker.ReportPresence(worker="idle-1")
    (idle,) = [one for one in arena.admin.workers() if one.name == "idle-1"]
    assert (idle.state, idle.failures, idle.words) == ("present", 0, "")


def test_a_worker_that_says_that_it_ends_is_listed_no_more_until_it_is_there_again(arena):
    def is_listed():
        return "brief-1" in {one.name for one in arena.admin.workers()}

    arena.worker.ReportPresence(worker="brief-1")
    assert is_listed()
    arena.worker.ReportPresence(worker="brief-1", ended=True)
    assert not is_listed()
    arena.worker.ReportPresence(worker="brief-1")
    assert is_listed()


@pytest.mark.long
def test_the_client_reads_all_pages_whatever_a_message_holds(arena, cup, monkeypatch):
    whole = arena.admin.matches(cup), arena.admin.bracket(cup, 1), arena.admin.workers()
    monkeypatch.setattr(link, "PAGE", 4)
    monkeypatch.setattr(page, "BYTES", 100)
    assert (arena.admin.matches(cup), arena.admin.bracket(cup, 1), arena.admin.workers()) == whole


@pytest.mark.long
def test_only_what_is_played_can_be_listed(arena):
    played, paused, over = (arena.begin("first", "random", block=5, cap=10) for _ in range(3))
    arena.admin.pause(paused)
    arena.admin.cancel(over)
    active = [one.name for one in arena.admin.tournaments(active=True)]
    assert {played, paused} <= set(active)
    assert over not in active
    newest = [one.name for one in arena.admin.tournaments() if one.state in {"running", "paused"}]
    assert active == newest
    arena.admin.cancel(played)
    arena.admin.cancel(paused)
