"""Tables of more than two: who sits with whom, the verdict, the ratings, departures, export and verify."""

import random
from collections import Counter
from hashlib import sha256
from itertools import combinations, pairwise

import msgspec
import pytest

from maumau.contest.export.verify import verify
from maumau.contest.format.bracket.tables import count_sizes
from maumau.contest.format.draw import Group
from maumau.contest.format.table_draw import count_rounds, draw_cycle, draw_tables, list_sizes
from maumau.contest.judge import judge_match
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.schedule.ranking import _order_group, rate_entrants
from maumau.contest.score import SetScore
from maumau.contest.spec.bound import bound_spec
from maumau.contest.spec.spec import parse_spec
from maumau.contest.table_judge import judge_table
from maumau.errors import BadSpec
from tests.contest.field import chaos, decide, decide_table, field, make_spec, play

TABLES = 'format = "tables"\n'
CUP = """
name = "tables"
rules = "prsi"
[[stage]]
format = "tables"
seats = 3
rounds = 2
[match]
block = 1
cap = 2
"""


def count_meetings(players, turns):
    """Return how often every two meet, after checking that everybody sits at one table of each round."""
    met = Counter(dict.fromkeys(combinations(range(players), 2), 0))
    for turn in turns:
        assert sorted(one for table in turn for one in table) == list(range(players))
        met.update(pair for table in turn for pair in combinations(sorted(table), 2))
    return met


@pytest.mark.parametrize(
    ("players", "seats", "rounds"),
    [(9, 3, 4), (16, 4, 5), (25, 5, 6), (49, 7, 8), (64, 8, 9), (81, 9, 10), (27, 3, 13), (64, 4, 21)],
)
def test_fields_of_a_power_of_the_seats_meet_exactly_once(players, seats, rounds):
    assert count_rounds(players, seats) == rounds
    turns = draw_tables(players, seats, rounds)
    assert set(count_meetings(players, turns).values()) == {1}
    assert {len(table) for turn in turns for table in turn} == {seats}


@pytest.mark.parametrize(("players", "seats", "rounds"), [(8, 3, 4), (15, 4, 5), (24, 5, 6), (63, 8, 9)])
def test_one_entrant_fewer_meets_exactly_once_at_tables_one_smaller(players, seats, rounds):
    turns = draw_tables(players, seats, rounds)
    assert set(count_meetings(players, turns).values()) == {1}
    assert [sorted(map(len, turn)) for turn in turns] == [sorted(list_sizes(players, seats))] * rounds


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_meetings_differ_by_at_most_one_over_a_cycle(seats):
    for players in range(2, 19):
        met = count_meetings(players, draw_cycle(players, seats)).values()
        assert max(met) - min(met) <= 1, players


def test_a_whole_cycle_is_played_before_more_rounds():
    cycle = len(draw_cycle(13, 4))
    met = count_meetings(13, draw_tables(13, 4, cycle)).values()
    assert cycle == 13
    assert set(met) == {2, 3}
    assert len(draw_tables(13, 4, cycle + 2)) == cycle + 2
    assert len(draw_tables(16, 4, 7)) == 7


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("players", "seats", "rounds", "most"),
    [(7, 3, 1000, 2), (13, 4, 130, 3), (13, 4, 1000, 4), (10, 4, 1000, 3), (19, 3, 1000, 2), (6, 4, 995, 2)],
)
def test_unevenness_does_not_add_up_over_many_cycles(players, seats, rounds, most):
    """The first cycle repeated would make it up to 143 of 1000 rounds of 7 by 3."""
    turns = draw_tables(players, seats, rounds)
    met = count_meetings(players, turns).values()
    assert len(turns) == rounds
    assert max(met) - min(met) <= most


def test_draws_stay_as_they_are():
    """Exports are verified with them: another search would make other pairings."""
    within = [(13, 4, 4), (10, 3, 5), (14, 5, 13), (16, 4, 5), (24, 4, 8)]
    assert digest_draws(within) == "62a76cdfa6fa5d7b06fbb14436e373248164cae9f7291f92251f47cb1d484972"
    beyond = [*within, (14, 5, 28), (7, 3, 30)]
    assert digest_draws(beyond) == "da8d871c506d679ba713f922dd45f52b79c6dc2e17b9034f4a5a25fd3a173598"


def digest_draws(cases):
    return sha256("\n".join(repr(draw_tables(*case)) for case in cases).encode()).hexdigest()


@pytest.mark.parametrize(("players", "seats"), [(12, 4), (13, 4), (20, 4), (10, 3), (14, 5)])
def test_few_rounds_are_more_even_than_a_random_draw(players, seats):
    """Of 13 by 4 in four rounds nobody meets twice; elsewhere few do."""
    rounds = count_rounds(players, seats)
    met = count_meetings(players, draw_tables(players, seats, rounds))
    rng = random.Random(1)
    drawn = [_deal(rng, players, seats) for _ in range(rounds)]
    assert sum(each**2 for each in met.values()) < sum(
        each**2 for each in count_meetings(players, drawn).values()
    )
    assert max(met.values()) <= 3
    if (players, seats) == (13, 4):
        assert max(met.values()) == 1


def _deal(rng, players, seats):
    order = rng.sample(range(players), players)
    return [[order.pop() for _ in range(size)] for size in list_sizes(players, seats)]


@pytest.mark.parametrize(
    ("players", "seats", "sizes"),
    [(13, 4, [4, 3, 3, 3]), (16, 4, [4] * 4), (7, 3, [3, 2, 2]), (5, 4, [3, 2]), (3, 4, [3]), (2, 4, [2])],
)
def test_tables_differ_by_at_most_one(players, seats, sizes):
    assert list_sizes(players, seats) == sizes


def test_a_stage_seats_everybody_in_every_round():
    plan = advance_schedule(make_spec(TABLES + "seats = 4"), field(13), [])
    assert [len(one.matches) for one in plan.draws[0].rounds] == [4] * 4
    assert plan.matches[0].label == "1.1.1"
    sizes = Counter(len(one.players) for one in plan.matches)
    assert sizes == {4: 4, 3: 12}


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("seats = 2", "at least 3"),
        ("seats = 11", "at most 10"),
        ("seats = 6", "^line 5: stage 1.seats: prsi is played by 2 to 5, not by 6"),
        ("seats = 4\nthird_place = true", "belongs to single_elimination"),
        ("seats = 4\nrounds = 0", "at least 1"),
        ("rounds = 3", "seats is missing"),
    ],
)
def test_what_cannot_be_played_is_refused(keys, words):
    with pytest.raises(BadSpec, match=words):
        make_spec(TABLES + keys)


def test_tables_go_by_places():
    spec = bound_spec(make_spec(TABLES + "seats = 4"))
    assert spec.options["places"] is True
    assert parse_spec(spec.to_toml()) == spec
    for line, words in (
        ('score = "points"', "not points"),
        ("options = {places = false}", "goes on"),
        ("seats = 4", r"seats of its own"),
    ):
        with pytest.raises(BadSpec, match=words):
            parse_spec(f'name = "c"\nrules = "prsi"\n{line}\n[[stage]]\n{TABLES}seats = 4')


def test_blocks_of_tables_are_smaller_unless_the_spec_chooses():
    text = f'name = "c"\nrules = "prsi"\n[[stage]]\n{TABLES}seats = 4\n'
    assert parse_spec(text).match.block == 25
    assert parse_spec(f"{text}[match]\nblock = 100\n").match.block == 100


def judge_sets(scores, block=1, **keys):
    """Return the verdict on a table of these sets of scores, each by entrant."""
    spec = make_spec(TABLES + f"seats = {len(scores[0])}")
    rule = msgspec.structs.replace(spec.match, block=block, cap=len(scores), **keys)
    spec = msgspec.structs.replace(spec, match=rule)
    [plan, *_] = advance_schedule(spec, field(len(scores[0])), []).matches
    points = (0,) * len(scores[0])
    return judge_match(
        spec, plan, [SetScore(n, one[0], points, 0, one) for n, one in enumerate(scores)]
    ), plan


def test_a_table_is_decided_when_all_pairs_are_separated():
    """Three in the same order in every deal: leads of 6 and 12 of 12 a set, so x is 3/4 and 1.

    After n sets var = 1/4(n + 1); for 3/4, LLR = 2 · 1/10 · n/4 · 4(n + 1) = n(n + 1)/5, decided at
    ln((1 - 1/60) / (1/60)) = ln 59 = 4.08: 5 · 6 / 5 = 6, and 4 · 5 / 5 = 4 is too little.
    """
    verdict, plan = judge_sets([(12, 6, 0)] * 8, delta=0.1)
    assert (verdict.rule, verdict.counted, verdict.winner) == ("sequential", 5, plan.players[0])
    assert verdict.llr == 6.0
    assert verdict.totals == (60, 30, 0)
    assert verdict.products == (720, 360, 0, 180, 0, 0)
    assert verdict.level == ()
    open_, _ = judge_sets([(12, 6, 0)] * 4 + [(6, 6, 6)] * 4, delta=0.1, block=4)
    assert not judge_match(make_spec(TABLES + "seats = 3"), plan, []).decided
    assert open_.decided


def test_pairs_that_are_level_are_named_at_the_cap():
    """The second and the third share the places behind the first in turn: nothing tells them apart."""
    verdict, plan = judge_sets([(12, 6, 0), (12, 0, 6)] * 10, delta=0.1, block=2)
    one, other = plan.players[1:]
    assert (verdict.rule, verdict.counted, verdict.level) == ("cap: not separated", 20, ((one, other),))
    assert verdict.winner == plan.players[0]
    level, _ = judge_sets([(6, 6, 6)] * 4, delta=0.1)
    assert level.winner is None
    assert len(level.level) == 3


def test_judging_on_from_an_earlier_verdict_is_the_same():
    from maumau.contest.judge import judge_blocks
    from maumau.contest.score import add_up

    rng = random.Random(3)
    spec = make_spec(TABLES + "seats = 4")
    [plan] = advance_schedule(spec, field(4), []).matches
    rows = [tuple(rng.sample((24, 16, 8, 0), 4)) for _ in range(4)]
    sets = [SetScore(n, row[0], (1, 2, 3, 4), 0, row) for n, row in enumerate(rows)]
    blocks = [add_up(sets[:2]), add_up(sets[2:])]
    whole = judge_blocks(spec, plan, blocks)
    assert judge_blocks(spec, plan, blocks, before=judge_blocks(spec, plan, blocks[:1])) == whole
    assert judge_match(spec, plan, sets) == whole
    assert whole.points == (4, 8, 12, 16)


def test_a_set_weighs_as_much_for_a_pair_at_a_large_table_as_at_a_small_one():
    """Two of equal score in a match of two, and two of equal score at a table of four, are rated alike."""
    spec = make_spec(TABLES + "seats = 4")
    plans = advance_schedule(spec, field(4), []).matches
    verdict = decide_table(spec, plans[0], sorted(plans[0].players))
    ratings = rate_entrants(field(4), [verdict])
    assert ratings[1].elo > ratings[2].elo > ratings[3].elo > ratings[4].elo
    assert ratings[1].elo == pytest.approx(-ratings[4].elo, abs=0.02)
    gaps = [a.elo - b.elo for a, b in pairwise(ratings[n] for n in (1, 2, 3, 4))]
    assert gaps[0] == pytest.approx(gaps[2], abs=0.02)


def test_the_table_follows_strength_across_tables_of_several_sizes():
    spec = make_spec(TABLES + "seats = 4\nrounds = 4")
    players = field(13)
    now = advance_schedule(spec, players, play(spec, players))
    assert now.done
    assert [row.entrant for row in now.table][:4] == [1, 2, 3, 4]
    assert {row.sets for row in now.table} == {4 * spec.match.cap}


def test_the_table_that_somebody_leaves_is_played_by_the_others():
    spec = make_spec(TABLES + "seats = 3\nrounds = 1")
    first = advance_schedule(spec, field(6), [])
    left = first.matches[0].players[0]
    after = advance_schedule(spec, field(6, withdrawn=[left]), [])
    assert after.matches[0].players == first.matches[0].players[1:]
    assert after.matches[1] == first.matches[1]
    gone = first.matches[0].players[:2]
    alone = advance_schedule(spec, field(6, withdrawn=gone), [])
    assert alone.draws[0].rounds[0].byes == first.matches[0].players[2:]
    assert alone.matches == first.matches[1:]
    nobody = advance_schedule(spec, field(6, withdrawn=[*range(1, 7)]), [])
    assert nobody.done


def test_a_decided_table_stands_when_somebody_leaves_and_not_when_it_is_disqualified():
    spec = make_spec(TABLES + "seats = 3\nrounds = 1")
    [one, other] = advance_schedule(spec, field(6), []).matches
    results = [decide(spec, one, one.first), decide(spec, other, other.first)]
    left = one.second
    assert advance_schedule(spec, field(6, withdrawn=[left]), results).done
    again = advance_schedule(spec, field(6, disqualified=[left]), results)
    assert [plan.players for plan in again.matches] == [(one.first, *one.others)]


def test_who_leaves_later_stays_in_the_table_that_was_played_without_the_first():
    spec = make_spec(TABLES + "seats = 4\nrounds = 1")
    [whole] = advance_schedule(spec, field(4), []).matches
    a, b, c, d = whole.players
    [three] = advance_schedule(spec, field(4, withdrawn=[a]), []).matches
    results = [decide(spec, three, b)]
    now = advance_schedule(spec, field(4, withdrawn=[a, b]), results)
    assert now.done
    assert now.verdicts[0].players == (b, c, d)


@pytest.mark.sample
@pytest.mark.parametrize("count", [2, 3, 4, 5, 7, 9, 13])
def test_random_histories_end_with_one_table_whatever_the_order(count):
    for seed in range(4):
        rng = random.Random(seed)
        keys = f"seats = {rng.choice((3, 4, 5))}\nrounds = {rng.choice((1, 2, 3))}"
        chaos(make_spec(TABLES + keys), count, rng)


def test_matches_still_to_come_are_foreseen_with_the_stage_after_tables():
    """Two rounds of 2 tables of three, and a bracket of four."""
    last = 'format = "single_elimination"\nseeds = "previous"\ntake = 4'
    spec = make_spec(TABLES + "seats = 3\nrounds = 2", last)
    players = field(6)
    assert len(foresee_matches(spec, players, [])) == 4 + 3
    [first, *_] = advance_schedule(spec, players, []).matches
    assert len(foresee_matches(spec, players, [decide(spec, first, first.first)])) == 3 + 3


def test_one_match_of_each_size_is_judged_to_foresee_many(monkeypatch):
    calls = []
    judged = "maumau.contest.schedule.foresight.judge_table"
    monkeypatch.setattr(judged, lambda *given: calls.append(given) or judge_table(*given))
    spec = make_spec(TABLES + "seats = 4\nrounds = 50")
    assert len(foresee_matches(spec, field(13), [])) == 200
    assert len(calls) == 2  # of four and of three


def test_direct_encounter_counts_tables_of_all_sizes_alike():
    """A set of four is worth 24 and one of three 12: 1 leads 2 by 8 / 24, and then 2 leads 1 by 6 / 12."""
    four, _ = judge_sets([(8, 0, 20, 20)])
    three, _ = judge_sets([(0, 6, 12)])
    verdicts = [
        msgspec.structs.replace(four, label="1.1.1", first=1, second=2, others=(3, 4)),
        msgspec.structs.replace(three, label="1.2.1", first=1, second=2, others=(3,)),
    ]
    alike = {one.number: rate_entrants(field(4), [])[one.number] for one in field(4)}
    leads = [number for number, _ in _order_group(Group((1, 2)), alike, {1: verdicts, 2: verdicts})]
    assert leads == [2, 1]


def test_tables_seed_a_bracket():
    last = 'format = "single_elimination"\nseeds = "previous"\ntake = 4'
    for seed in range(3):
        chaos(make_spec(TABLES + "seats = 4", last), 9, random.Random(seed))


def test_an_export_of_tables_is_verified(hold):
    held = hold(CUP, 7)
    report = verify(held.path)
    assert report.ok, report.differences
    assert report.matches == len(held.results)


def test_a_forged_table_is_found(hold, tmp_path):
    held = hold(CUP, 5)
    text = held.path.read_text()
    for said, forged in (
        ('"level":[[', '"level":[[9,9],['),
        ('"totals":[', '"totals":[1'),
        ('"others":[', '"others":[9,'),
    ):
        assert said in text
        path = tmp_path / "forged.export.jsonl"
        path.write_text(text.replace(said, forged, 1))
        assert not verify(path).ok


KNOCK_OUT = 'format = "single_elimination"\nseats = 4\n'


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("seats = 4\nthrough = 4", "at most 3 can"),
        ("seats = 4\nthrough = 9", "of 4 at a table 9 would go on"),
        ("through = 2", "give seats, too"),
        ("seats = 2", "at least 3"),
        ("seats = 6", "^line 5: stage 1.seats: prsi is played by 2 to 5, not by 6"),
        ("seats = 4\nthird_place = true", "the final is a table of up to 4"),
    ],
)
def test_a_knock_out_that_cannot_be_played_at_tables_is_refused(keys, words):
    with pytest.raises(BadSpec, match=words):
        make_spec(f'format = "single_elimination"\n{keys}')


@pytest.mark.parametrize(
    ("players", "seats", "through", "byes", "sizes"),
    [
        (16, 4, 2, 0, [4] * 4),
        (13, 4, 2, 0, [4, 3, 3, 3]),
        (5, 4, 2, 1, [4]),
        (5, 4, 1, 0, [3, 2]),
        (9, 4, 3, 1, [4, 4]),
        (4, 4, 3, 0, [4]),
        (11, 10, 9, 1, [10]),
    ],
)
def test_no_table_of_a_knock_out_is_too_small_to_knock_anybody_out(players, seats, through, byes, sizes):
    assert count_sizes(players, seats, through) == (byes, sizes)


def test_the_best_of_each_table_go_on_until_one_table_is_left():
    """The better seed wins: 1 to 16 sit in a snake, then the winners and the second of their tables."""
    spec, players = make_spec(KNOCK_OUT + "through = 2"), field(16)
    now = advance_schedule(spec, players, play(spec, players))
    rounds = [(one.name, [plan.players for plan in one.matches]) for one in now.draws[0].rounds]
    assert rounds == [
        ("round 1", [(1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13)]),
        ("semi-final", [(1, 4, 6, 7), (2, 3, 5, 8)]),
        ("final", [(1, 2, 3, 4)]),
    ]
    assert [plan.through for plan in now.draws[0].matches] == [2] * 6 + [1]
    assert [row.entrant for row in now.table[:4]] == [1, 2, 3, 4]
    assert [(row.won, row.lost, row.level) for row in now.table[:2]] == [(3, 0, 0), (2, 1, 0)]
    assert now.table[0].rule == "final"


def judge_cut(scores, through, *, cap, block=1):
    spec = make_spec(KNOCK_OUT + f"through = {through}")
    rule = msgspec.structs.replace(spec.match, block=block, cap=cap, delta=0.1)
    spec = msgspec.structs.replace(spec, match=rule)
    [plan] = advance_schedule(spec, field(4), []).matches
    plan = msgspec.structs.replace(plan, through=through)
    return judge_match(spec, plan, [SetScore(n, one[0], (0,) * 4, 0, one) for n, one in enumerate(scores)])


def test_only_pairs_across_the_cut_are_tested():
    """Players 1 and 2 are level, as are 3 and 4; x of the four pairs across is 1/2 + 12/48 = 3/4.

    LLR is n(n + 1)/5 after n sets as in the test of all pairs; alpha/4 = 1/80 asks for ln 79 = 4.37: 5 sets.
    """
    verdict = judge_cut([(18, 18, 6, 6)] * 8, 2, cap=8)
    assert (verdict.rule, verdict.counted, verdict.llr) == ("sequential", 5, 6.0)
    assert (verdict.ahead, verdict.winner, verdict.level) == ((1, 2), None, ())


def test_at_the_cap_the_estimate_decides_and_pairs_across_the_cut_are_named():
    sets = [(13, 12, 12, 11), (11, 12, 12, 13), (13, 13, 11, 11)]
    verdict = judge_cut(sets, 2, cap=3)
    assert (verdict.rule, verdict.counted, verdict.ahead) == ("points", 3, (1, 2))
    assert verdict.level == ((1, 3), (1, 4), (2, 3), (2, 4))
    alone = judge_cut([(13, 12, 12, 11)], 1, cap=1)
    assert (alone.rule, alone.winner, alone.ahead) == ("points", 1, (1,))


def test_a_level_cut_is_played_on_then_the_better_seed_goes_on():
    level = [(12, 12, 12, 12)] * 12
    open_ = judge_cut(level[:2], 2, cap=2)
    assert (open_.decided, open_.wanted) == (False, 12)
    last = judge_cut(level, 2, cap=2)
    assert (last.rule, last.counted, last.ahead) == ("seed", 12, (1, 2))
    third = judge_cut([*level[:2], (11, 13, 14, 10)], 2, cap=2)
    assert (third.rule, third.counted, third.ahead) == ("sudden death", 3, (3, 2))


@pytest.mark.parametrize("count", [2, 5, 11])
@pytest.mark.parametrize("through", [1, 3])
def test_a_knock_out_at_tables_survives_random_histories(count, through):
    chaos(make_spec(KNOCK_OUT + f"through = {through}"), count, random.Random(f"{count} {through}"), steps=30)
