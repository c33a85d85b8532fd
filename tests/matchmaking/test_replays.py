"""Deal sets of ladders and of practice can be seen one by one, as those of a contest can."""

from __future__ import annotations

import threading

import pytest

from bench.support.patience import patient
from maumau import game, wire
from maumau.client.answer import Pairing
from maumau.client.matchmaking import Matchmaking
from maumau.contest.seed import deal_seed
from maumau.errors import BadRequest, NotYours, UnknownPairing, UnknownPractice, UnknownSet
from maumau.game.replay import replay
from maumau.protocol.live import make_live_piece
from maumau.v1 import job_pb2
from services.matchmaking.upkeep import keeper
from tests.matchmaking.test_practice import over
from tests.support.arenas.calls import refused
from tests.support.arenas.play import load_variant, play_with_notes
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import home_of
from tests.support.waiting import until

pytestmark = pytest.mark.long

RULES = {"name": "mau_mau"}


def find_played(arena, name):
    """Return a pairing of the ladder that is over, None if there is none yet."""
    return next((one for one in arena.pairings(name, over=True) if one.booked), None)


def play_pairing(arena, name):
    return arena.play(lambda: find_played(arena, name))


def play_noted(arena, ready):
    """Play what waits until this is so; all bots remark on all deals."""

    def step():
        if found := ready():
            return found
        if order := arena.worker.claim():
            arena.worker.report(order, play_with_notes(order))
        return None

    return until(step, 60)


class PairingWatcher:
    """A watcher of a pairing in a thread of its own."""

    def __init__(self, arena, ladder, pairing):
        self.pairings, self.deals = [], []
        self.thread = threading.Thread(target=self._watch, args=(arena, ladder, pairing), daemon=True)
        self.thread.start()

    def _watch(self, arena, ladder, pairing):
        with Matchmaking(arena.address, ADMIN) as link:
            for part in link.watch_pairing(ladder, pairing):
                (self.pairings if isinstance(part, Pairing) else self.deals).append(part)


def claim_pairing(arena, name):
    """Return an order of this ladder's with its pairing, None if there is none yet; play any other one."""
    order = arena.worker.claim()
    found = [one for one in arena.pairings(name) if order and one.id.endswith(f".{order.label}")]
    bots = {one.name for one in order.entrants} if order else set()
    for one in found:
        if bots == {one.first, one.second}:
            return order, one
    if order:
        arena.worker.report(order)
    return None


def tell_deal(order, number):
    """Return the live view of a whole deal of an order."""
    deal = game.deal(load_variant(order.rules.name), 2, order.seeds[number])
    while not deal.over:
        deal.apply(deal.seat, game.first_action(deal, deal.seat))
    return wire.live_message(make_live_piece(deal, order.first_set + number, 0, 0))


@pytest.fixture
def author(arena):
    """Return an author with a bot: the client and the bot's name."""
    client, _ = arena.author()
    return client, arena.bot("first", client)


def test_the_sets_of_a_pairing_are_listed_and_each_is_there_as_it_was_played(arena):
    name = arena.ladder(*arena.field("first", "random"))
    pairing = play_pairing(arena, name)
    calls = arena.calls(arena.author()[0].token)  # of somebody without a bot there
    sets = calls.ListPairingSets(ladder=name, id=pairing.id).sets
    assert [one.set for one in sets] == list(range(pairing.booked))
    assert {(sum(one.scores), one.unit, one.seed) for one in sets} == {(4, 4, "")}
    mean = sum(one.scores[0] for one in sets) / (4 * len(sets))
    assert pairing.score == pytest.approx(mean, abs=1e-6)
    page = calls.ListPairingSets(ladder=name, id=pairing.id, page_size=1)
    rest = calls.ListPairingSets(ladder=name, id=pairing.id, page_token=page.next_page_token)
    assert (len(page.sets), [*page.sets, *rest.sets]) == (1, list(sets))
    assert list(calls.ListPairingSets(ladder=name, id=pairing.id, first_set=1).sets) == list(sets)[1:]
    found = calls.GetPairingSet(ladder=name, id=pairing.id, set=1)
    assert list(found.names) == [pairing.first, pairing.second]
    assert (found.pairing.id, found.rules.name, found.set.number) == (pairing.id, "mau_mau", 1)
    assert sorted(list(deal.entrants) for deal in found.set.deals) == [[0, 1], [1, 0]]
    assert [list(replay(deal.record).places) for deal in found.set.deals] == [
        list(deal.places) for deal in found.set.deals
    ]
    arena.leave(name)


def test_what_is_not_there_and_what_is_no_id_are_refused(arena):
    name = arena.ladder(*arena.field("first", "random"))
    pairing = play_pairing(arena, name)
    calls = arena.calls()
    with refused(UnknownSet, f"The pairing {pairing.id} of the ladder {name} has no deal set 2000 now."):
        calls.GetPairingSet(ladder=name, id=pairing.id, set=2000)
    for unknown in ("1.99999", "99.1"):
        with refused(UnknownPairing):
            calls.GetPairingSet(ladder=name, id=unknown, set=0)
        with refused(UnknownPairing):
            calls.ListPairingSets(ladder=name, id=unknown)
    with refused(BadRequest, "is not the id of a pairing"):
        calls.ListPairingSets(ladder=name, id="17")
    with refused(BadRequest, "is not the token of a page"):
        calls.ListPairingSets(ladder=name, id=pairing.id, page_token="x")
    arena.leave(name)


def test_a_pairing_that_waits_has_no_sets_yet(arena):
    name = arena.ladder(*arena.field("first", "random"))
    waiting = until(lambda: next((one for one in arena.pairings(name) if not one.booked), None))
    assert not arena.calls().ListPairingSets(ladder=name, id=waiting.id).sets
    with refused(UnknownSet):
        arena.calls().GetPairingSet(ladder=name, id=waiting.id, set=0)
    assert not arena.pairings(name, over=True)
    arena.leave(name)


def test_the_deals_of_a_pairing_are_watched_until_it_is_over(arena, tmp_path):
    name = arena.ladder(*arena.field("first", "random"))
    order, pairing = until(lambda: claim_pairing(arena, name), 60)
    watcher = PairingWatcher(arena, name, pairing.id)
    first, rest = (tell_deal(order, number) for number in (0, 1))
    arena.worker.ReportDeals(block_id=order.block_id, fence=order.fence, deals=[first])
    until(lambda: len(watcher.deals) == 1)
    arena.worker.ReportDeals(block_id=order.block_id, fence=order.fence, deals=[rest])
    until(lambda: len(watcher.deals) == 2)
    assert [deal.set for deal in watcher.deals] == [0, 1]
    assert watcher.pairings[0].state == "open"
    arena.worker.report(order)
    watcher.thread.join(patient(60))
    assert (watcher.pairings[-1].state, watcher.pairings[-1].booked) == ("over", pairing.sets)
    parts = list(arena.calls(arena.author()[0].token).WatchPairing(ladder=name, id=pairing.id))
    assert [part.pairing.state for part in parts] == [job_pb2.JOB_STATE_OVER]
    told = home_of(arena, tmp_path, ADMIN).run("ladder", "watch", name, pairing.id).out
    assert f"{pairing.sets} of {pairing.sets}" in told
    for unknown in ("1.99999", "99.1"):
        with refused(UnknownPairing), Matchmaking(arena.address, ADMIN) as link:
            list(link.watch_pairing(name, unknown))
    arena.leave(name)


def test_seeds_are_told_when_the_epoch_is_over(arena, monkeypatch):
    name = arena.ladder(*arena.field("first", "random"))
    pairing = play_pairing(arena, name)
    arena.leave(name)
    monkeypatch.setattr(keeper, "EPOCH", 0)  # the next look begins another one
    for bot in arena.field("first", "random"):
        arena.join(name, bot)
    calls = arena.calls()

    def find_first():
        """Return the first epoch once its secret is told; later ones may be over before it is looked for."""
        epochs = calls.ListEpochs(ladder=name).epochs
        return next((one for one in epochs if one.number == 1 and one.secret), None)

    epoch = arena.play(find_first)
    shown, label = calls.ListPairingSets(ladder=name, id=pairing.id).sets, pairing.id.partition(".")[2]
    assert [one.seed for one in shown] == [
        deal_seed(epoch.secret, epoch.root, label, one.set) for one in shown
    ]
    arena.leave(name)


def test_notes_are_for_the_author_of_the_bot_and_for_admins(arena, author):
    client, mine = author
    name = arena.ladder(arena.field("random")[0])
    arena.calls(client.token).JoinLadder(ladder=name, bot_name=mine)
    pairing = play_noted(arena, lambda: find_played(arena, name))

    def name_authors(token):
        found = arena.calls(token).GetPairingSet(ladder=name, id=pairing.id, set=0)
        notes = ((deal, note) for deal in found.set.deals for note in deal.notes)
        return {found.names[deal.entrants[note.seat]] for deal, note in notes}

    assert name_authors(client.token) == {mine}
    assert name_authors(ADMIN) == {pairing.first, pairing.second}
    assert name_authors(arena.author()[0].token) == set()
    arena.leave(name)


def test_the_sets_of_practice_are_for_the_one_who_asked(arena, author):
    client, mine = author
    calls, stranger = arena.calls(client.token), arena.calls(arena.author()[0].token)
    practice = calls.Practice(bot=mine, against=arena.field("first")[0], rules=RULES, sets=3).practice
    assert not calls.ListPracticeSets(id=practice.id).sets
    with refused(UnknownSet):
        calls.GetPracticeSet(id=practice.id, set=0)
    play_noted(arena, over(calls, practice.id))
    assert [one.set for one in calls.ListPracticeSets(id=practice.id).sets] == [0, 1, 2]
    page = calls.ListPracticeSets(id=practice.id, page_size=2)
    assert ([one.set for one in page.sets], page.next_page_token) == ([0, 1], "1")
    for token, numbers in (("", [1]), ("1", [2])):
        page = calls.ListPracticeSets(id=practice.id, page_size=1, page_token=token, first_set=1)
        assert [one.set for one in page.sets] == numbers
    found = calls.GetPracticeSet(id=practice.id, set=2)
    assert list(found.names) == [mine, practice.against]
    assert [[deal.entrants[note.seat] for note in deal.notes] for deal in found.set.deals] == [[0], [0]]
    for call in ("ListPracticeSets", "GetPracticeSet"):
        with refused(NotYours):
            getattr(stranger, call)(id=practice.id)
        with refused(UnknownPractice):
            getattr(calls, call)(id="practice_none")
    with refused(UnknownSet, f"The practice match {practice.id} has no deal set 3 now."):
        calls.GetPracticeSet(id=practice.id, set=3)


def test_the_terminal_lists_past_practice_and_replays_its_sets(arena, author, tmp_path):
    client, mine = author
    home, other = home_of(arena, tmp_path / "home", client.token), arena.field("random")[0]
    assert "you have no practice matches yet" in home.run("practices", "list").out
    calls = arena.calls(client.token)
    practice = calls.Practice(bot=mine, against=other, rules=RULES, sets=3).practice.id
    assert "has been played yet" in home.run("practices", "sets", practice).out
    play_noted(arena, over(calls, practice))
    (listed,) = home.run("practices", "list", mine, "--json").json()
    assert [listed[key] for key in ("id", "bot", "against", "booked", "state")] == [
        practice, mine, other, 3, "over",
    ]  # fmt: skip
    assert listed["rules"]["name"] == "mau_mau"
    assert listed["low"] <= listed["score"] <= listed["high"]
    assert listed["created_at"] <= listed["ended_at"]
    assert practice in home.run("practices", "list").out
    assert f"your bot {other} has no practice match yet" in home.run("practices", "list", other).out
    sets = home.run("practices", "sets", practice, "--json").json()["sets"]
    assert [one["set"] for one in sets] == [0, 1, 2]
    assert other in home.run("practices", "sets", practice).out.splitlines()[0]
    record = home.run("practices", "record", practice, "1").out
    assert record.count("[maumau 1]") == 2
    assert f"set 1, seating 1: A {other}, B {mine}" in record
    assert f"{practice}, set 1, seating 0" in home.run("practices", "replay", practice, "1").out
    assert "set.html: 2 deals" in home.run("practices", "replay", practice, "1", "--html", "set.html").out
    for words, said in (
        (("record", practice, "999"), "has no deal set 999 now"),
        (("sets", "practice_none"), "There is no practice match 'practice_none'."),
        (("replay", "practice_none", "0"), "There is no practice match 'practice_none'."),
    ):
        assert said in home.run("practices", *words, code=1).err
    strangers = home_of(arena, tmp_path / "stranger", arena.author()[0].token)
    assert "belongs to" in strangers.run("practices", "sets", practice, code=1).err


def test_a_table_of_three_has_a_deal_for_each_seating(arena):
    name = arena.ladder(*arena.field("first", "random", "random"), seats=3)
    pairing = play_pairing(arena, name)
    sets = arena.calls().ListPairingSets(ladder=name, id=pairing.id).sets
    # docs/reference/verify.md: n²·(n - 1) altogether, 2·n·(n - 1) for all deals won
    assert {(len(one.scores), sum(one.scores), one.unit) for one in sets} == {(3, 18, 12)}
    found = arena.calls().GetPairingSet(ladder=name, id=pairing.id, set=0)
    assert list(found.names) == [pairing.first, pairing.second, *pairing.others]
    assert sorted(list(deal.entrants) for deal in found.set.deals) == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    arena.leave(name)


def test_the_terminal_lists_shows_and_replays_the_sets_of_a_pairing(arena, tmp_path):
    name = arena.ladder(*arena.field("first", "random"))
    pairing = play_pairing(arena, name)
    home = home_of(arena, tmp_path / "home", ADMIN)
    listed = home.run("ladder", "sets", name, pairing.id, "--json").json()["sets"]
    assert [one["set"] for one in listed] == list(range(pairing.booked))
    assert pairing.second in home.run("ladder", "sets", name, pairing.id).out.splitlines()[0]
    record = home.run("ladder", "record", name, pairing.id, "1").out
    assert record.count("[maumau 1]") == 2
    assert f"set 1, seating 1: A {pairing.second}, B {pairing.first}" in record
    told = home.run("ladder", "replay", name, pairing.id, "1").out
    assert f"{name} {pairing.id}, set 1, seating 0" in told
    page = home.run("ladder", "replay", name, pairing.id, "1", "--html", "set.html").out
    assert "set.html: 2 deals" in page
    assert "has no deal set 999 now" in home.run("ladder", "record", name, pairing.id, "999", code=1).err
    assert home.run("ladder", "pairings", name, "--over", "--json").json()[-1]["booked"]
    arena.leave(name)
