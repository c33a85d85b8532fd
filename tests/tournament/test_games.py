"""A cup of whole games by the service: planned, played, booked, retaken, exported and verified."""

import pytest

from maumau.client.game_deals import list_games
from maumau.contest.export.verify import verify
from maumau.errors import BadReport
from maumau.game import resume
from maumau.game.resume import GAME
from maumau.screen.told import tell_set
from tests.support.arenas.play import play_order
from tests.support.arenas.tournament import play_all

pytestmark = pytest.mark.long

GAMES = {"block": 2, "cap": 2, "third": "false\ngame = { target = 40 }"}


def test_a_cup_of_games_is_played_and_verified(arena, tmp_path):
    name = arena.begin("first", "random", "crash", **GAMES)
    order = arena.worker.claim(arena.blocks(name, "queued")[0].id)
    assert order.game
    arena.worker.report(order)
    arena.finish(name)
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    report = verify(tmp_path / "cup.jsonl")
    assert report.differences == ()
    assert (report.matches, report.sets) == (3, 6)
    found = arena.admin.deal_set(name, "1.1.1", 0).set
    assert [deal.record.startswith(GAME) for deal in found.deals] == [True, True]
    check_deals_and_scores(found)
    for deal in found.deals:
        game = resume(deal.record)
        assert (game.total, game.places) == (list(deal.points), list(deal.places))
        assert max(game.total) >= 40


def check_deals_and_scores(found):
    """Check the deals and the running score that page and terminal show."""
    games = list_games(found)
    assert [game.seating for game in games] == [0, 1]
    for game, played in zip(games, found.deals, strict=True):
        sums = [0, 0]
        for deal, score in zip(game.deals, game.scores, strict=True):
            assert deal.record.startswith("[maumau 1]\n")
            sums = [total + deal.points[deal.entrants.index(one)] for one, total in enumerate(sums)]
            assert list(score) == sums
        assert [sums[entrant] for entrant in played.entrants] == list(played.points)
    told = list(tell_set(found, ("one", "two")))
    assert told[0] == "set 0, seating 0, deal 0: A one, B two"
    assert sum(line.startswith("score one ") for line in told) == sum(len(game.deals) for game in games)


def test_a_report_of_single_deals_is_not_one_of_games(arena):
    """A worker of an earlier release plays deals: its report is refused, and the block waits again."""
    name = arena.begin("first", "random", **GAMES)
    block = arena.blocks(name, "queued")[0].id
    order = arena.worker.claim(block)
    order.game = False
    single = play_order(order)
    with pytest.raises(BadReport, match="the record is not one of the game that was ordered"):
        arena.worker.report(order, single)


def test_a_retaken_match_of_games_has_the_same_games(arena):
    name = arena.begin(
        "first", "random", **GAMES | {"third": GAMES["third"] + "\n[schedule]\nprotest_minutes = 60"}
    )
    play_all(arena, name)
    before = arena.admin.deal_set(name, "1.1.1", 1)
    arena.admin.retake(name, "1.1.1", "a test")
    play_all(arena, name)
    assert arena.admin.deal_set(name, "1.1.1", 1).set == before.set
    assert arena.admin.match(name, "1.1.1").match.take == 2


def test_a_worker_killed_in_the_middle_of_a_game_changes_no_byte_of_the_result(arena):
    """The part already played is lost; the block is played again from the same seeds."""
    given = GAMES | {"top": 'secret = "games-of-a-killed-worker"'}
    exports = []
    for is_killed in (False, True):
        name = arena.begin("first", "random", **given)
        if is_killed:
            block = arena.blocks(name, "queued")[0].id
            play_order(arena.worker.claim(block))  # and never reported
            arena.end_lease(block)
        arena.finish(name)
        exports.append([line for line in arena.export(name).splitlines() if is_compared(line)])
    (spec, *lines), (spec_again, *lines_again) = exports
    assert lines == lines_again
    assert b'"version":5' in spec
    assert b'"version":5' in spec_again


def is_compared(line):
    """Return True for a line of the sections that two runs with one secret share."""
    return not line.startswith((b'{"kind":"measured"', b'{"kind":"end"'))
