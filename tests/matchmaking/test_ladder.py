"""A ladder pairs whoever has joined, and its table follows from results alone, however often they come."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import pytest

from maumau.cli.contest.ladder.ladder import PINNED_LEGEND, PINNED_MARK, describe_ladder
from maumau.client import answer
from maumau.client.call import rpc_errors
from maumau.contest.ladder.pairing import MIN_PAIRINGS, Pair
from maumau.contest.seed import compute_commitment
from maumau.errors import (
    BadName,
    BadRequest,
    BadSpec,
    DatabaseUnavailable,
    DeadlinePassed,
    NotAllowed,
    NotJoined,
    NotOver,
    NotValidated,
    NotYours,
    RequestUnderWay,
    TooManyCalls,
    UnknownBot,
    UnknownEpoch,
    UnknownLadder,
    UnknownPairing,
    UnknownVariant,
    WrongState,
)
from maumau.v1 import job_pb2
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking.models import Ladder, Practice
from services.matchmaking.practice.keeper import PracticeKeeper
from services.matchmaking.servicer import MatchmakingServicer
from services.matchmaking.store import Ladders
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.upkeep import keeper
from tests.matchmaking.test_history import BEGIN, Shelf
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import home_of
from tests.support.waiting import until

UNUSED = (
    "history", "practices", "versions", "core", "clock", "metrics", "stopping", "games", "ratings", "matcher",
    "house", "take_back_gone",
)  # fmt: skip
"""Parts of the service that pairings in its database do not need."""


@pytest.fixture
def shelf(database_url):
    shelf = Shelf(database_url)
    yield shelf
    shelf.database.close()


@pytest.fixture
def brisk(monkeypatch):
    """Versions are looked at all the time."""
    monkeypatch.setattr(keeper, "LOOK", 0)


def test_whoever_joins_is_paired_and_the_table_shows_who_is_better(arena):
    bots = arena.field("first", "random", "crash")
    name = arena.ladder(*bots)
    lines = arena.play(lambda: (found := arena.lines(name)) and found[0].sets >= 60 and found)
    assert [line.bot_name for line in lines][-1] == bots[2]
    assert [line.place for line in lines] == [1, 2, 3]
    assert lines[2].faults == 2 * lines[2].sets > 0
    assert lines[2].best == 0.0
    assert (lines[2].best_place, lines[2].worst_place) == (3, 3)
    assert all(line.low < line.elo < line.high for line in lines)
    assert lines[0].elo > 0 > lines[2].elo
    played = [one for one in arena.pairings(name) if one.booked]
    assert {one.kind for one in played} <= {"groups", "top two", "least played", "new"}
    assert arena.calls().ListLadders().ladders
    arena.leave(name)


@pytest.mark.long
def test_a_pairing_is_explained_and_a_pair_is_counted(arena):
    first, second = arena.field("first", "random")
    name = arena.ladder(first, second)
    pairing = arena.play(lambda: next((one for one in arena.pairings(name) if one.booked == one.sets), None))
    assert pairing.state == job_pb2.JOB_STATE_OVER
    told = arena.calls().ExplainPairing(ladder=name, id=pairing.id)
    assert told.pairing == pairing
    assert told.words.endswith(".")
    assert first in told.words
    assert second in told.words
    arena.leave(name)
    until(
        lambda: all(
            one.state == job_pb2.JOB_STATE_OVER or arena.play(lambda: True) for one in arena.pairings(name)
        )
    )
    (against,) = arena.calls().GetHeadToHead(ladder=name, bot_name=first).opponents
    with refused(NotJoined, "greddy has never been on the ladder"):
        arena.pairings(name, bot_name="greddy")
    mine = arena.pairings(name, bot_name=first)
    assert against.opponent == second
    assert against.sets == sum(one.booked for one in mine)
    scores = [(one.score if one.first == first else 1 - one.score) * one.booked for one in mine]
    assert against.score == pytest.approx(sum(scores) / against.sets, abs=1e-5)
    assert against.low <= against.score <= against.high


@pytest.mark.long
def test_the_next_pairings_are_made_when_a_quarter_are_over_and_not_at_the_next_look(arena, monkeypatch):
    async def look_away(*_):
        """At no ladder."""

    name = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    with monkeypatch.context() as patch:
        patch.setattr(keeper.Keeper, "_keep_ladder", look_away)
        played = arena.lines(name)[0].sets
        arena.play(lambda: arena.lines(name)[0].sets >= played + 5 * 3 * MIN_PAIRINGS)
    arena.leave(name)


@pytest.mark.parametrize(("workers", "wanted"), [(0, 6), (1, 6), (40, 120), (1000, 1000)])
def test_there_are_pairings_for_all_workers(workers, wanted):
    keeps = keeper.Keeper(None, None, None, None, lambda: 0, None, None)
    keeps.workers = workers
    assert keeps.count_wanted() == wanted


@pytest.mark.long
def test_a_service_that_was_away_goes_on_and_counts_nothing_twice(start):
    with start(sweep=0.2) as arena:
        bots = [arena.bot("first"), arena.bot("random")]
        name = arena.ladder(*bots)
        arena.play(lambda: arena.lines(name)[0].sets >= 40)
        arena.leave(name)
        arena.play(lambda: all(one.state == job_pb2.JOB_STATE_OVER for one in arena.pairings(name)))
        played = list(arena.pairings(name))
        for bot in bots:
            arena.calls().JoinLadder(ladder=name, bot_name=bot)
        ratings = [line.elo for line in arena.lines(name)]
        arena.stop()
        arena.begin()
        assert [line.elo for line in arena.lines(name)] == ratings
        count = len(played)
        arena.play(lambda: sum(one.booked for one in arena.pairings(name)[:-count]) >= 40)
        found = arena.pairings(name)
        assert list(found[-count:]) == played
        assert len({one.id for one in found}) == len(found)


@pytest.mark.long
def test_a_result_that_comes_again_is_counted_once(arena):
    from services.matchmaking.store.booking import Booked
    from services.shared.store.connect import Database

    name = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    arena.leave(name)
    arena.play(lambda: all(one.state == job_pb2.JOB_STATE_OVER for one in arena.pairings(name)))
    database = Database(arena.settings.database("matchmaking"), "matchmaking")
    ladders = Ladders(database, {"win": 4})
    (epoch,) = ladders.list_epochs(name)
    before = ladders.read_pool(name).played
    for booking in range(1, epoch.cursor + 1):
        assert not ladders.book_result(epoch.id, Booked(booking, "1", 20, 80, 320, (0, 0), 1))
    assert ladders.read_pool(name).played == before
    database.close()


@pytest.mark.long
def test_an_epoch_ends_with_its_secret_and_the_next_one_begins(arena, monkeypatch, tmp_path):
    name = arena.ladder(*arena.field("first", "random"))
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    (first,) = arena.calls().ListEpochs(ladder=name).epochs
    assert (first.number, first.secret, first.state) == (1, "", job_pb2.CONTEST_STATE_RUNNING)
    monkeypatch.setattr(keeper, "EPOCH", 0)
    until(lambda: len(arena.calls().ListEpochs(ladder=name).epochs) > 1)
    monkeypatch.setattr(keeper, "EPOCH", 86_400_000)

    def over():
        return next(
            (one for one in arena.calls().ListEpochs(ladder=name).epochs if one.number == 1 and one.secret),
            None,
        )

    ended = arena.play(over)
    assert compute_commitment(ended.secret) == first.commitment
    assert ended.state == job_pb2.CONTEST_STATE_OVER
    number, link = ended.chain.split(" ")
    assert first.chain.split(" ")[0] != number
    assert int(number) == ended.booked + 2 + count_asked(arena, name, 1) + 1  # entrants, jobs, the end
    terminal = home_of(arena, tmp_path, ADMIN)
    found = terminal.run("ladder", "show", name).out
    assert f"epoch 1: compared {ended.compared}" in found
    assert "epoch 2: chain " in found or arena.calls().ListEpochs(ladder=name).epochs[0].chain == ""
    listed = terminal.run("ladder", "epochs", name).out
    assert f"secret {ended.secret}, compared {ended.compared}" in " ".join(listed.split())
    arena.leave(name)
    with refused(UnknownEpoch, "has no epoch 9"), rpc_errors():
        list(arena.calls().ExportLadder(ladder=name, epoch=9))
    with refused(NotOver, "Epoch 2"), rpc_errors():
        list(arena.calls().ExportLadder(ladder=name, epoch=2))
    seen = [first.chain.split(" ")[1], link, ended.compared]
    check_export(arena, name, terminal, [part for hash_ in seen for part in ("--compared", hash_)])


def count_asked(arena, name, epoch):
    """The pairings of an epoch: each is a job."""
    return sum(one.epoch == epoch for one in arena.pairings(name))


def check_export(arena, name, terminal, seen):
    """The export of the first epoch, from the terminal and from its middle on."""
    path = terminal.run("ladder", "export", name, "1", "--json").json()["path"]
    assert f"{path} agrees: " in terminal.run("verify", path, *seen).out
    whole = (terminal.home / path).read_bytes()
    first, *parts = arena.calls().ExportLadder(ladder=name, epoch=1)
    assert (first.size, b"".join(part.chunk for part in parts)) == (len(whole), whole)
    rest = list(arena.calls().ExportLadder(ladder=name, epoch=1, offset=900, sha256=first.sha256))
    assert b"".join(part.chunk for part in rest) == whole[900:]


@pytest.mark.long
def test_another_version_is_another_player_that_never_meets_the_one_before_it(arena, brisk):
    """Two bots of one author never meet, and both versions are one author's."""
    bot = arena.bot("first")
    name = arena.ladder(bot, *arena.field("random"))
    arena.play(lambda: arena.lines(name)[0].sets >= 200)
    version = arena.admin.submit(bot, arena.program(f"{bot}-2")).version
    arena.pass_validation(version.id, ("mau_mau",))
    arena.admin.activate(version.id)
    mine = until(lambda: next((x for x in arena.lines(name) if x.version_id == version.id), None))
    assert (mine.bot_name, mine.version, mine.sets) == (bot, 2, 0)
    arena.play(lambda: any(one.version_id == version.id and one.sets >= 60 for one in arena.lines(name)))
    assert all(one.first != one.second for one in arena.pairings(name))
    against = arena.calls().GetHeadToHead(ladder=name, bot_name=arena.field("random")[0]).opponents
    assert {(one.opponent, one.version) for one in against} == {(bot, 1), (bot, 2)}
    arena.leave(name)


@pytest.mark.long
def test_who_has_no_active_version_is_said_to_wait_and_is_not_paired(arena, brisk):
    gone = arena.bot("first")
    name = arena.ladder(gone, *arena.field("first", "random"))
    arena.admin.delete_bot(gone)
    line = until(lambda: next((x for x in arena.lines(name) if x.bot_name == gone and x.words), None))
    assert "no" in line.words
    made = len(arena.pairings(name, bot_name=gone))
    arena.play(lambda: min(line.sets for line in arena.lines(name) if line.bot_name != gone) >= 60)
    assert len(arena.pairings(name, bot_name=gone)) == made
    arena.leave(name)


@pytest.mark.long
def test_a_watcher_is_told_the_table_when_it_changes(arena):
    first, second = arena.field("first", "random")
    name = arena.ladder(first, second)
    watch = arena.calls().WatchLadder(ladder=name)
    assert {line.bot_name for line in next(watch).leaderboard.lines} == {first, second}
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    assert any(line.sets for line in next(watch).leaderboard.lines)
    watch.cancel()
    arena.leave(name)


@pytest.mark.long
def test_bots_that_hold_the_scale_have_the_mean_0(arena):
    first, second, third = arena.field("first", "random", "crash")
    name = arena.ladder(third)
    for bot in (first, second):
        arena.calls().JoinLadder(ladder=name, bot_name=bot, pinned=True)
    arena.play(lambda: min(line.sets for line in arena.lines(name)) >= 40)
    lines = {line.bot_name: line for line in arena.lines(name)}
    # weighed by what their sets tell, which differs by the few sets that one has more
    assert lines[first].elo + lines[second].elo == pytest.approx(0, abs=10)
    assert lines[third].elo < -50
    assert lines[first].pinned
    assert not lines[third].pinned
    arena.leave(name)


def test_who_may_do_what(arena):
    author, _ = arena.author()
    theirs, mine = arena.calls(author.token), arena.bot("first", client=author)
    name = arena.ladder()
    with refused(NotAllowed, "Only admins may do this"):
        theirs.CreateLadder(ladder={"name": "mine", "rules": {"name": "prsi"}})
    with refused(NotYours):
        theirs.JoinLadder(ladder=name, bot_name=arena.field("first")[0])
    with refused(NotAllowed, "hold the scale"):
        theirs.JoinLadder(ladder=name, bot_name=mine, pinned=True)
    assert theirs.JoinLadder(ladder=name, bot_name=mine).number == 1
    other, _ = arena.author()
    with refused(NotYours):
        arena.calls(other.token).LeaveLadder(ladder=name, bot_name=mine)
    theirs.LeaveLadder(ladder=name, bot_name=mine)
    with refused(NotJoined):
        theirs.LeaveLadder(ladder=name, bot_name=mine)


def test_a_stranger_takes_nobody_off_a_ladder_who_joins_meanwhile(arena, monkeypatch):
    author, _ = arena.author()
    other, _ = arena.author()
    bot, name = arena.bot("first", client=author), arena.ladder()
    leave = Ladders.leave_ladder

    def leave_after_joining(*args):
        arena.calls(author.token).JoinLadder(ladder=name, bot_name=bot)
        return leave(*args)

    monkeypatch.setattr(Ladders, "leave_ladder", leave_after_joining)
    with refused(NotYours):
        arena.calls(other.token).LeaveLadder(ladder=name, bot_name=bot)
    monkeypatch.undo()
    arena.calls(author.token).LeaveLadder(ladder=name, bot_name=bot)


@pytest.mark.parametrize(
    ("ladder", "kind", "words"),
    [
        ({"name": "A b", "rules": {"name": "prsi"}}, BadName, "cannot name a ladder"),
        ({"name": "x", "rules": {"name": "bridge"}}, UnknownVariant, "bridge"),
        ({"name": "x", "rules": {"name": "prsi", "options_json": "{"}}, BadRequest, "not JSON"),
        ({"name": "x", "rules": {"name": "prsi", "options_json": "[" * 100_000}}, BadRequest, "not JSON"),
        ({"name": "x", "rules": {"name": "prsi"}, "score": 9}, BadSpec, "score: '9'"),
        ({"name": "x", "rules": {"name": "prsi", "options_json": '{"a":1}'}}, Exception, "a"),
        ({"name": "x", "rules": {"name": "prsi"}, "bot": {"deal_ms": 99999999}}, BadSpec, "deal_ms"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused_in_words(arena, ladder, kind, words):
    with refused(kind, words):
        arena.calls().CreateLadder(ladder=ladder)


def test_the_table_of_a_ladder_at_rest_shows_who_holds_the_scale_now(arena):
    one, other = arena.field("first", "random")
    name, calls = arena.ladder(), arena.calls()
    for pins in ((True, False), (False, True)):
        for bot, pinned in zip((one, other), pins, strict=True):
            calls.JoinLadder(ladder=name, bot_name=bot, pinned=pinned)
        assert {line.bot_name: line.pinned for line in arena.lines(name)} == dict(
            zip((one, other), pins, strict=True)
        )
    arena.leave(name)


def test_the_terminal_marks_who_holds_the_scale_and_says_what_the_mark_means(arena, tmp_path):
    one, other = arena.field("first", "random")
    name, terminal = arena.ladder(one, other), home_of(arena, tmp_path, ADMIN)
    assert PINNED_LEGEND not in terminal.run("ladder", "show", name).out
    arena.calls().JoinLadder(ladder=name, bot_name=one, pinned=True)
    lines = terminal.run("ladder", "show", name).out.splitlines()
    assert [one] == [bot for bot in (one, other) for line in lines if f"{bot} {PINNED_MARK}" in line]
    assert PINNED_LEGEND in lines
    found = terminal.run("ladder", "show", name, "--json").json()["lines"]
    assert {line["bot_name"]: line["pinned"] for line in found} == {one: True, other: False}
    arena.leave(name)


@pytest.mark.parametrize(("sets", "said"), [(1, "1 deal set"), (0, "0 deal sets"), (1234, "1,234 deal sets")])
def test_one_deal_set_is_in_the_singular_in_the_terminal(sets, said):
    ladder = answer.Ladder("x", answer.RuleSet("prsi", "{}", "", ""), "win", None, 2, sets, 3, 2, "")
    found = answer.GetLeaderboardResponse(ladder, ())
    assert describe_ladder(found) == f"x: prsi, {said}, epoch 3"


def test_callers_of_a_changed_leaderboard_share_one_computation(arena, monkeypatch):
    name, callers = arena.ladder(*arena.field("first", "random")), 3
    find, make = MatchmakingServicer._find_leaderboard, MatchmakingServicer._make_leaderboard
    looked, made = [], []

    def find_and_count(servicer, ladder):
        looked.append(ladder)
        return find(servicer, ladder)

    def make_when_all_have_looked(servicer, ladder):
        made.append(ladder)
        until(lambda: looked.count(name) > callers or made.count(name) == callers)
        return make(servicer, ladder)

    monkeypatch.setattr(MatchmakingServicer, "_find_leaderboard", find_and_count)
    monkeypatch.setattr(MatchmakingServicer, "_make_leaderboard", make_when_all_have_looked)
    with ThreadPoolExecutor(callers) as pool:
        tables = list(pool.map(arena.lines, [name] * callers))
    assert all(table == tables[0] for table in tables)
    assert made.count(name) == 1
    arena.calls().JoinLadder(ladder=name, bot_name=tables[0][0].bot_name, pinned=True)
    assert arena.lines(name)[0].pinned
    assert made.count(name) == 2
    arena.leave(name)


def test_what_is_not_there_is_named(arena):
    calls, name = arena.calls(), arena.ladder()
    with refused(UnknownLadder, "nothing"):
        calls.GetLeaderboard(ladder="nothing")
    with refused(UnknownBot, "nobody"):
        calls.JoinLadder(ladder=name, bot_name="nobody")
    with refused(UnknownPairing, "9.9"):
        calls.ExplainPairing(ladder=name, id="9.9")
    for ask in (calls.ExplainPairing, calls.ListPairingSets):
        with refused(UnknownLadder, "There is no ladder 'nothing'."):
            ask(ladder="nothing", id="1.1")
    with refused(BadRequest, "like 3.17"):
        calls.ExplainPairing(ladder=name, id="x")
    with refused(NotJoined):
        calls.GetHeadToHead(ladder=name, bot_name="nobody")
    again = calls.CreateLadder(ladder={"name": name, "rules": {"name": "mau_mau"}}).ladder
    assert again.name == name
    with refused(WrongState, "other rules"):
        calls.CreateLadder(ladder={"name": name, "rules": {"name": "prsi"}})


def test_a_bot_that_was_not_validated_for_the_rules_may_not_join(arena):
    bot = arena.bot("first", rules=("prsi",))
    with refused(NotValidated, "only for prsi"):
        arena.calls().JoinLadder(ladder=arena.ladder(), bot_name=bot)


def test_a_ladder_that_nobody_has_joined_has_an_empty_table(arena):
    assert not arena.lines(arena.ladder())


@pytest.mark.long
def test_pairings_come_in_pages(arena):
    name = arena.ladder(*arena.field("first", "random", "crash"))
    arena.play(lambda: len(arena.pairings(name)) >= 4)
    arena.leave(name)
    whole, found, token = [one.id for one in arena.pairings(name)], [], ""
    while True:
        part = arena.calls().ListPairings(ladder=name, page_size=3, page_token=token)
        found += [one.id for one in part.pairings]
        token = part.next_page_token
        if not token:
            break
    assert found == whole


@pytest.mark.stores
def test_a_pairing_of_a_player_who_came_while_pairings_were_listed_has_its_name(shelf, monkeypatch):
    listed = shelf.ladders.list_pairings

    def list_after_joining(*args, **fields):
        shelf.ladders.join_ladder("x", "d", ActiveVersion("version_d", "d"), BEGIN, pinned=None)
        (epoch,) = shelf.ladders.list_epochs("x")
        shelf.ladders.add_pairings(epoch, [Pair(0, 3, "new", {})], [20], BEGIN)
        return listed(*args, **fields)

    monkeypatch.setattr(shelf.ladders, "list_pairings", list_after_joining)
    calls = MatchmakingServicer(ladders=shelf.ladders, **dict.fromkeys(UNUSED))
    found = asyncio.run(calls.ListPairings(pb.ListPairingsRequest(ladder="x"), None)).pairings
    assert [(one.first, one.second) for one in found] == [("a", "d"), ("a", "c"), ("b", "c"), ("a", "b")]


@pytest.mark.stores
def test_the_epoch_of_a_ladder_ends_with_the_note_that_it_rests_and_begins_no_more(shelf):
    shelf.ladders.note_rest("x", "It rests: a test.", "0,1,2")
    (epoch,) = shelf.ladders.list_epochs("x")
    assert epoch.state == "closed"
    shelf.ladders.change_epoch("e", state="over", secret="s")
    shelf.ladders.change_epoch("e", state="closed")
    (epoch,) = shelf.ladders.list_epochs("x")
    assert (epoch.state, epoch.secret) == ("over", "s")


class BusyCore:
    """A core that answers every request for jobs with this error."""

    def __init__(self, error):
        self.error = error

    async def create_jobs(self, _contest_id, _orders):
        raise self.error


@pytest.mark.parametrize("error", [DatabaseUnavailable, DeadlinePassed, TooManyCalls, RequestUnderWay])
def test_pairings_wait_while_the_core_cannot_answer(shelf, error):
    keeper_ = keeper.Keeper(shelf.ladders, None, None, BusyCore(error()), None, None, None)
    (epoch,) = shelf.ladders.list_epochs("x")
    with pytest.raises(error):
        asyncio.run(keeper_._queue_pairings(epoch))
    assert [one.label for one, _ in shelf.ladders.new_pairings(epoch)] == [1, 2, 3]


def test_a_practice_match_waits_while_the_core_cannot_answer():
    changed = []
    practices = SimpleNamespace(change_practice=lambda _ident, **values: changed.append(values))
    keeper_ = PracticeKeeper(practices, BusyCore(DeadlinePassed()), None, None, None)
    practice = Practice(id="p", contest_id="c", state="new", version_id="v", other_id="w", sets=20)
    with pytest.raises(DeadlinePassed):
        asyncio.run(keeper_._keep_practice(practice))
    assert not changed


def test_an_epoch_that_is_over_by_now_is_followed_no_more(shelf):
    (epoch,) = shelf.ladders.list_epochs("x")
    shelf.ladders.change_epoch("e", state="over")
    keeper_ = keeper.Keeper(shelf.ladders, None, None, None, None, None, None)
    asyncio.run(keeper_._follow_epoch(shelf.ladders.find_ladder("x"), epoch))


def test_pairings_after_a_result_are_of_the_terms_that_the_ladder_has_by_then(shelf, monkeypatch):
    keeper_ = keeper.Keeper(shelf.ladders, None, None, None, lambda: BEGIN, None, None)
    before = shelf.ladders.find_ladder("x")
    new = Ladder(**before.model_dump() | {"options": '{"max_turns":100}', "rules_hash": "new"})
    shelf.ladders.create_ladder(new, unbounded="h")
    found = []

    async def find_running(ladder):
        found.append(ladder.options)
        return shelf.ladders.list_epochs("x")[0]

    monkeypatch.setattr(keeper_, "_find_running", find_running)
    monkeypatch.setattr(keeper_, "_count_workers", partial(asyncio.sleep, 0))
    monkeypatch.setattr(keeper_, "count_wanted", lambda *_: 1)
    keeper_._rooms.claim_room("x", {0, 1, 2}, 0)
    asyncio.run(keeper_._pair_members(before))
    assert found == ['{"max_turns":100}']
