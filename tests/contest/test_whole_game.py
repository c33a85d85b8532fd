"""Whole games in contests: their specs, their bounds, and exports that are verified or forged."""

import random

import pytest
from msgspec import json
from msgspec.structs import replace

from maumau.contest.export.check import Terms, _replay_game, _Unplayable
from maumau.contest.export.line import TAIL, RecordLine, encode_line
from maumau.contest.export.verify import verify
from maumau.contest.length import play_honestly
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import parse_spec
from maumau.contest.whole_game import WholeGame
from maumau.errors import BadSpec
from maumau.game import Game, first_action, load, record_game
from maumau.game.resume import split_deals
from tests.contest.conftest import SECRET, Arena, entrants, play_game

CUP = """
name = "cup"
rules = "{rules}"
{more}
[[stage]]
format = "round_robin"
{stage}
[match]
block = 1
cap = 1
"""
SEED = "7" * 64


def read(rules="mau_mau", more="", stage=""):
    return parse_spec(CUP.format(rules=rules, more=more, stage=stage))


def test_a_contest_and_its_stages_have_games():
    spec = read(more="[game]\ntarget = 100", stage="[[stage]]\nformat = 'round_robin'\ngame = { rounds = 3 }")
    assert [spec.find_game(stage) for stage in spec.stages] == [WholeGame(target=100), WholeGame(rounds=3)]
    first, second = spec.list_stage_rules()
    assert first.options == {"target": 100, "scoring": True}
    assert second.options == {"rounds": 3}
    assert spec.version == 5
    assert parse_spec(spec.to_toml()) == spec


def test_a_spec_without_games_is_written_as_before():
    spec = read()
    assert "game" not in spec.to_toml() + str(spec.shown)
    assert (spec.version, spec.rules_hash) == (4, spec.load_rules().hash)


def test_the_most_deals_come_from_honest_play():
    """Of 30 games to 100 points the shortest had 4 deals, the longest 13."""
    bound = bound_spec(read(more="[game]\ntarget = 100"))
    assert 13 < bound.game.deals <= 40
    assert bound_spec(read(more="[game]\nrounds = 7")).game.deals == 7
    assert (
        bound_spec(read("faraon", "[game]\nlives = 3")).game.deals == 22
    )  # 2 seats, 3 lives: twice 6, and 10
    assert bound_spec(bound).game == bound.game


BAD = [
    ("prsi", "target = 100", "line 5: game.target: prsi counts no points; options.scoring = true counts"),
    ("prsi", "lives = 3", "line 5: game.lives: prsi has no lives; faraon has."),
    ("mau_mau", "rounds = 0", "line 5: game.rounds: 0 is too few; it is a whole number from 1 on."),
    ("mau_mau", "target = 100\nrounds = 3", "line 6: game.rounds: a game ends at a target or after a number"),
    ("one_oh_one", "target = 50", "line 5: game.target: a game of one_oh_one ends above 101 points"),
    (
        "prsi",
        "",
        "line 4: game: a game of prsi is one deal; give it rounds, or a target if it counts points.",
    ),
    ("mau_mau", "aim = 100", "line 5: [game] has no key 'aim'; known: deals, lives, rounds, target."),
    ("mau_mau", "rounds = 5\ndeals = 4", "line 6: game.deals: 4 are fewer than the 5 rounds of a game."),
    ("mau_mau", "target = 90000", "game at 2 seats has 400 at most, twice as many as it needs; "),
    ("mau_mau", "target = 100\ndeals = 3", "game.deals: 3 cannot be; honest games have about "),
    ("mau_mau", "rounds = 500", "game.rounds: 500 are too many; a game at 2 seats has 400 deals at most."),
]


@pytest.mark.parametrize(("rules", "keys", "words"), BAD)
def test_a_game_that_cannot_be_is_refused_in_words(rules, keys, words):
    with pytest.raises(BadSpec) as refused:
        bound_spec(read(rules, f"[game]\n{keys}"))
    assert words in str(refused.value)


def test_points_add_up_to_the_target_in_the_deal_that_reaches_it():
    rules = load("mau_mau", scoring=True, target=40, max_hands=30)
    game = play_game(rules, SEED, (1, 2))
    sums, reached = [0, 0], []
    for deal in (*game.past, game.deal):
        sums = [total + points for total, points in zip(sums, deal.points, strict=True)]
        reached.append(max(sums) >= 40)
    assert reached == [False] * (len(reached) - 1) + [True]
    assert sums == game.total


def test_a_game_at_its_most_deals_is_placed_as_it_stands():
    game = play_game(load("mau_mau", scoring=True, target=5000, max_hands=2), SEED, (1, 2))
    assert len(game.past) == 1
    better = game.total.index(min(game.total))
    assert game.places[better] == 1


def test_whoever_forfeits_a_deal_has_lost_the_game():
    game = Game(load("mau_mau", scoring=True, target=40, max_hands=30), 2, SEED)
    game.deal.forfeit(0, "forfeit")
    while not game.deal.over:
        seat = game.deal.to_act[0]
        game.deal.apply(seat, first_action(game.deal, seat))
    assert game.over
    assert game.places == [2, 1]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return a contest with a stage of games and one of deals, and its export."""
    more = "[options]\nseven_stacking = true"
    stage = "game = { target = 30, deals = 20 }\n[[stage]]\nformat = 'single_elimination'\nseeds = 'previous'"
    spec = bound_spec(read(more=more, stage=stage))
    arena = Arena(spec, SECRET, entrants(3), version=spec.version)
    path = tmp_path_factory.mktemp("games") / "games.export.jsonl"
    arena.write(path, arena.run())
    return spec, path


@pytest.mark.long
def test_an_export_with_games_is_verified(played):
    _, path = played
    report = verify(path)
    assert report.differences == ()
    assert report.matches == 5
    assert len(list_records(path)) == 3


def test_all_seatings_of_a_set_have_deals_of_the_same_seeds(played):
    _, path = played
    for line in list_records(path):
        seatings = [
            [next(one for one in text.splitlines() if one.startswith("[seed ")) for text in split_deals(part)]
            for part in line.record.split("[maumau game 1]\n")[1:]
        ]
        for seeds in zip(*seatings, strict=False):
            assert len(set(seeds)) == 1


def list_records(path):
    lines = (line for line in path.read_bytes().splitlines() if line.startswith(b'{"kind":"record"'))
    found = [json.decode(line[:-TAIL] + b"}", type=RecordLine) for line in lines]
    return [line for line in found if line.match.startswith("1.")]


FORGERIES = {
    "a deal in the middle is left out": lambda deals: [deals[0], *deals[2:]],
    "a deal in the middle comes twice": lambda deals: [deals[0], deals[1], deals[1], *deals[2:]],
    "two deals are exchanged": lambda deals: [deals[1], deals[0], *deals[2:]],
    "the last deal is left out": lambda deals: deals[:-1],
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_a_forged_deal_of_a_game_is_found(played, tmp_path, forge):
    _, path = played
    lines = path.read_bytes().splitlines(keepends=True)
    for place, line in enumerate(lines):
        if not line.startswith(b'{"kind":"record","match":"1.'):
            continue
        record = json.decode(line.rstrip()[:-TAIL] + b"}", type=RecordLine)
        head, *deals = record.record.split("[maumau 1]\n")
        if len(deals) < 4:
            continue
        forged = "[maumau 1]\n".join([head, *forge(deals)])
        lines[place] = encode_line(replace(record, record=forged))
        break
    bad = tmp_path / "forged.jsonl"
    bad.write_bytes(b"".join(lines))
    fields = [one.field for one in verify(bad).differences]
    assert any(field.startswith("record, game") for field in fields), fields


def replay(rules, seats, change):
    """Return what `verify` says of a game of honest play. change: called with the game after each deal."""
    game, rng = Game(rules, seats, SEED), random.Random(1)
    play_honestly(game.deal, rng)
    while not game.over:
        change(game)
        game.next()
        play_honestly(game.deal, rng)
    assert len(game.past) > 2
    return _replay_game(Terms(rules.hash, seats, "places", SECRET, ""), SEED, "record", record_game(game))


def sit_out(game):
    """Have a player sit out the second deal, in which no points count against it."""
    if game.number == 0:
        game.leave(2)
    elif game.number == 1:
        game.join(2)


def add_rule(game):
    if game.asks == "rule":
        game.apply(
            game.to_act[0], next(str(one) for one in game.legal(game.to_act[0]) if str(one) != "rule:-")
        )


TABLE_GAMES = {
    "a player sits out a deal": (
        load("mau_mau", scoring=True, target=150, max_hands=60),
        sit_out,
        "come from its seed",
    ),
    "a rule is added": (
        load("schweizer", max_hands=30),
        add_rule,
        "nobody is asked",
    ),
}


@pytest.mark.parametrize(("rules", "change", "words"), TABLE_GAMES.values(), ids=TABLE_GAMES)
def test_a_game_that_no_referee_deals_is_found(rules, change, words):
    assert replay(rules, 3, lambda _: None).points
    with pytest.raises(_Unplayable) as found:
        replay(rules, 3, change)
    assert words in found.value.found


@pytest.mark.long
def test_an_export_of_games_names_their_version(played, tmp_path):
    spec, _ = played
    arena = Arena(spec, SECRET, entrants(3), version=4)
    bad = tmp_path / "old.jsonl"
    arena.write(bad, arena.run())
    assert "version" in [one.field for one in verify(bad).differences]
