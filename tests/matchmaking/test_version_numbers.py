"""Versions have the numbers that their authors see, also in rows of a release that kept ids alone."""

import asyncio
import json
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from maumau.errors import ArenaUnreachable, UnknownVersion
from maumau.v1 import matchmaking_pb2 as pb
from services.matchmaking import wire
from services.matchmaking.models import Pairing, Practice
from services.matchmaking.servicer import MatchmakingServicer
from services.matchmaking.store import Practices
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.player import ActiveVersion
from services.matchmaking.store.version_number import VersionNumbers
from services.matchmaking.upkeep.numbering import Numbering
from tests.matchmaking.test_history import BEGIN, Shelf

UNUSED = (
    "practices", "versions", "core", "stopping", "games", "ratings", "matcher", "house", "take_back_gone",
)  # fmt: skip
"""Parts of the service that ladders in its database do not need."""

pytestmark = pytest.mark.stores


@pytest.fixture
def shelf(database_url):
    """Yield a ladder on which bot b has had the versions 1 and 3, the players 2 and 4."""
    found = Shelf(database_url)
    for bot, number in (("a", 2), ("b", 1), ("c", 5)):
        version = ActiveVersion(f"version_{bot}", bot, number=number)
        found.ladders.join_ladder("x", bot, version, BEGIN, pinned=None)
    found.ladders.join_ladder("x", "b", ActiveVersion("version_b3", "b", number=3), BEGIN, pinned=None)
    with found.database.write() as session:
        session.add(
            Pairing(
                epoch_id="e", label=4, ladder="x", first=3, second=1, kind="new",
                numbers=json.dumps({"sets": 3.0, "parent": 1.0}), sets=20, made_at=BEGIN,
            )
        )  # fmt: skip
    for booking, label in enumerate("1244", start=1):
        found.ladders.book_result("e", Booked(booking, label, 10, 25, 90, (0, 0), BEGIN + booking))
    yield found
    found.database.close()


def serve(shelf):
    metrics = SimpleNamespace(refit=SimpleNamespace(time=nullcontext))
    parts = {"ladders": shelf.ladders, "history": shelf.history, "metrics": metrics, "clock": lambda: BEGIN}
    return MatchmakingServicer(**parts, **dict.fromkeys(UNUSED))


def test_results_by_opponent_tell_a_bot_from_its_own_version_before(shelf):
    calls = serve(shelf)
    found = asyncio.run(calls.GetHeadToHead(pb.GetHeadToHeadRequest(ladder="x", bot_name="b"), None))
    assert (found.version_id, found.version) == ("version_b3", 3)
    assert [(one.opponent, one.version, one.sets) for one in found.opponents] == [("b", 1, 20)]
    found = asyncio.run(calls.GetHeadToHead(pb.GetHeadToHeadRequest(ladder="x", bot_name="a"), None))
    assert [(one.opponent, one.version) for one in found.opponents] == [("b", 1)]


def test_a_history_has_a_version_s_own_number_beside_that_of_the_player(shelf):
    request = pb.GetRatingHistoryRequest(ladder="x", bot_name="b")
    found = asyncio.run(serve(shelf).GetRatingHistory(request, None)).versions
    assert [(one.number, one.parent, one.version) for one in found] == [(2, 0, 1), (4, 2, 3)]
    table = asyncio.run(serve(shelf).GetLeaderboard(pb.GetLeaderboardRequest(ladder="x"), None))
    assert {(line.bot_name, line.version) for line in table.lines} == {("a", 2), ("b", 3), ("c", 5)}


def test_a_pairing_of_two_versions_of_one_bot_and_its_reason_name_both(shelf):
    calls = serve(shelf)
    listed = asyncio.run(calls.ListPairings(pb.ListPairingsRequest(ladder="x"), None)).pairings
    assert [(one.first, one.first_version, one.second, one.second_version) for one in listed] == [
        ("b", 3, "b", 1), ("a", 2, "c", 5), ("b", 1, "c", 5), ("a", 2, "b", 1),
    ]  # fmt: skip
    told = asyncio.run(calls.ExplainPairing(pb.ExplainPairingRequest(ladder="x", id="1.4"), None))
    assert told.words == "b v3 is new, with 3 sets, and is compared with the version before it, b v1."
    assert (told.pairing.first_version, told.pairing.second_version) == (3, 1)
    players = shelf.ladders.list_players("x")
    assert wire.tell_players_apart(players[:2]) == {0: "a", 1: "b"}


def test_others_at_a_larger_table_have_their_numbers_too(shelf):
    pairing = Pairing(
        epoch_id="e", label=5, ladder="x", first=0, second=1, others=",3,2,", kind="new", numbers="{}", sets=9
    )
    players = wire.map_players(shelf.ladders.list_players("x"))
    found = wire.build_pairing(pairing, 1, 0, 0, players, 4)
    assert (list(found.others), list(found.other_versions)) == (["b", "c"], [3, 5])


def test_who_helps_whom_is_told_by_version(shelf):
    help_ = SimpleNamespace(
        helper=1, helped=3, way="in favour", sets=400, lead=0.31, error=0.02, p=0.1, named=False
    )
    (found,) = wire.ladder_helps(shelf.ladders.list_players("x"), [help_]).helps
    assert (found.helper_name, found.helper_version) == ("b", 1)
    assert (found.helped_name, found.helped_version) == ("b", 3)


class Registry:
    """A registry that knows these numbers, and is silent at first."""

    def __init__(self, **numbers):
        self.numbers, self.asked, self.is_silent = numbers, [], True

    async def find_number(self, version_id):
        if self.is_silent:
            raise ArenaUnreachable
        self.asked.append(version_id)
        if version_id not in self.numbers:
            raise UnknownVersion
        return self.numbers[version_id]


def add_practice(database, **fields):
    made = Practice(
        id=f"practice_{fields['version_id']}", account_name="ada", bot="b", rules="prsi", options="{}",
        rules_hash="h", sets=1, against="b", **fields,
    )  # fmt: skip
    return Practices(database).add_practice(made).id


def test_rows_of_an_earlier_release_get_the_numbers_once_the_registry_answers(database_url):
    """One version is there no more; a match that has its numbers keeps them."""
    shelf = Shelf(database_url)
    before = shelf.ladders.count_changes("x")
    more = json.dumps([("c", "version_gone")])
    old = add_practice(shelf.database, version_id="version_b3", other_id="version_b", more=more)
    new = add_practice(shelf.database, version_id="version_b4", other_id="version_b", numbers="[4, 1]")
    registry = Registry(version_a=2, version_b=1, version_b3=3, version_c=5)
    numbering = Numbering(VersionNumbers(shelf.database), registry)
    practices = Practices(shelf.database)
    asyncio.run(numbering.add_numbers())
    assert [one.known_version for one in shelf.ladders.list_players("x")] == [0, 0, 0]
    assert not wire.build_practice(practices.find_practice(old)).version
    registry.is_silent = False
    for _ in range(2):
        asyncio.run(numbering.add_numbers())
    assert sorted(registry.asked) == ["version_a", "version_b", "version_b3", "version_c", "version_gone"]
    assert [one.version for one in shelf.ladders.list_players("x")] == [2, 1, 5]
    assert shelf.ladders.count_changes("x") != before  # the table is made anew
    found = [wire.build_practice(practices.find_practice(one)) for one in (old, new)]
    assert [(one.version, one.against_version, list(one.more_versions)) for one in found] == [
        (3, 1, [0]), (4, 1, []),
    ]  # fmt: skip
    shelf.database.close()
