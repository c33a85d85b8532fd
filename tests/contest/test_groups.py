"""Groups: dealt in a snake, a round robin in each, and those who go on."""

import random
from collections import Counter

import pytest

from maumau.contest.export.verify import verify
from maumau.contest.format.groups import deal_groups
from maumau.contest.format.single_elimination import standard_order
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.spread import spread_pools
from maumau.contest.spec.spec import build_spec, check_start
from maumau.errors import BadSpec, TooFewEntrants
from tests.contest.field import chaos, field, make_spec, play


def groups(keys):
    return f'format = "groups"\n{keys}'


def cup(take):
    return f'format = "single_elimination"\nseeds = "previous"\ntake = {take}'


def test_seeds_are_dealt_in_a_snake():
    """1 2 3 4, then 8 7 6 5, then 9 10 11 12, then 14 13 from the right."""
    assert deal_groups(range(1, 15), 4) == [[1, 8, 9], [2, 7, 10], [3, 6, 11, 14], [4, 5, 12, 13]]


def test_each_group_plays_the_berger_table_beside_the_others():
    """A is 1 4 5 8, B is 2 3 6 7; the table of four is 1-4 2-3, 4-3 1-2, 2-4 3-1."""
    plan = advance_schedule(make_spec(groups("groups = 2")), field(8), [])
    met = [(one.label, one.first, one.second) for one in plan.matches]
    assert met == [
        ("1.1.1", 1, 8), ("1.1.2", 4, 5), ("1.1.3", 2, 7), ("1.1.4", 3, 6),
        ("1.2.1", 8, 5), ("1.2.2", 1, 4), ("1.2.3", 7, 6), ("1.2.4", 2, 3),
        ("1.3.1", 4, 8), ("1.3.2", 5, 1), ("1.3.3", 3, 7), ("1.3.4", 6, 2),
    ]  # fmt: skip


def test_uneven_groups_have_byes_and_the_smaller_one_ends_earlier():
    """A is 1 4 5 8 9, B is 2 3 6 7: five rounds and three."""
    plan = advance_schedule(make_spec(groups("groups = 2")), field(9), [])
    rounds = plan.draws[0].rounds
    assert [len(one.matches) for one in rounds] == [4, 4, 4, 2, 2]
    assert [one.byes for one in rounds] == [(1,), (8,), (4,), (9,), (5,)]
    assert all(count == 4 for one, count in _meetings(plan).items() if one in {1, 4, 5, 8, 9})
    assert all(count == 3 for one, count in _meetings(plan).items() if one in {2, 3, 6, 7})


def _meetings(plan):
    return Counter(one for match in plan.matches for one in (match.first, match.second))


@pytest.mark.parametrize(
    ("size", "count", "sizes"),
    [(6, 24, [6] * 4), (6, 20, [5] * 4), (6, 13, [5, 4, 4]), (3, 4, [2, 2]), (4, 3, [3])],
)
def test_there_are_as_few_groups_as_the_size_allows(size, count, sizes):
    plan = advance_schedule(make_spec(groups(f"size = {size}"), most=64), field(count), [])
    assert sorted(map(len, plan.draws[0].groups[0].pools), reverse=True) == sizes


def test_winners_of_groups_come_before_all_seconds():
    """A is 1 4 5, B is 2 3 6; the better number wins, so it goes 1 2, then 3 4, then 5 6 or 6 5."""
    spec = make_spec(groups("groups = 2"))
    plan = advance_schedule(spec, field(6), play(spec, field(6)))
    order = [row.entrant for row in plan.table]
    assert (set(order[:2]), set(order[2:4]), set(order[4:])) == ({1, 2}, {3, 4}, {5, 6})
    assert [row.rule for row in plan.table][1::2] == ["place in the group", "place in the group", ""]


def test_the_withdrawn_stand_behind_all_others_in_the_end_and_go_on_in_between():
    spec = make_spec(groups("groups = 2"), cup(4))
    results = [one for one in play(spec, field(6)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(6, withdrawn=[1]), results)
    assert 1 in plan.draws[1].seeds
    alone = make_spec(groups("groups = 2"))
    table = advance_schedule(alone, field(6, withdrawn=[1]), play(alone, field(6))).table
    assert [row.entrant for row in table][-1] == 1
    assert {row.entrant for row in table[:2]} == {2, 4}


def test_whoever_is_disqualified_makes_room_for_the_next_of_its_group():
    spec = make_spec(groups("groups = 2"), cup(4))
    results = [one for one in play(spec, field(8)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(8, disqualified=[1]), results)
    assert set(plan.draws[1].seeds) == {2, 3, 4, 5}
    assert plan.table[-1].entrant == 1


def test_a_winner_meets_the_second_of_another_group_first():
    """A is 1 4 5 8, B is 2 3 6 7; seeds 1 and 4 meet, and 2 and 3."""
    spec = make_spec(groups("groups = 2\nadvance = 2"), cup(4))
    results = [one for one in play(spec, field(8)) if one.label.startswith("1.")]
    pools = [{1, 4, 5, 8}, {2, 3, 6, 7}]
    for match in advance_schedule(spec, field(8), results).matches:
        assert not any({match.first, match.second} <= pool for pool in pools)


def first_meetings(seeds, pools):
    """Return the rounds in which two of one pool could meet, earliest first."""
    depth = (len(seeds) - 1).bit_length()
    lines = {seeds[seed - 1]: n for n, seed in enumerate(standard_order(2**depth)) if seed <= len(seeds)}
    pairs = [(a, b) for pool in pools for a in pool for b in pool if a < b and a in lines and b in lines]
    return sorted((lines[a] ^ lines[b]).bit_length() for a, b in pairs)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64])
def test_the_two_of_each_group_meet_no_earlier_than_the_final(count):
    """Of three groups: winners 1 | 2 3 and seconds' seeds 4 5 | 6, so each stands in the other half."""
    rng = random.Random(count)
    winners, seconds = list(range(1, count + 1)), list(range(101, 101 + count))
    rng.shuffle(seconds)
    pools = tuple((one, 100 + one) for one in winners)
    seeds = spread_pools((*winners, *seconds), pools)
    assert seeds[:count] == winners
    assert sorted(seeds[count:]) == sorted(seconds)
    final = (2 * count - 1).bit_length()
    assert first_meetings(seeds, pools) == [final] * count


def test_a_second_keeps_its_seed_where_that_does_as_well():
    """Winners 1 2 3 4 and seconds 5 6 7 8 by rating: seeds 5 and 8 are in the half of 1 and 4.

    5 and 8 must be seconds of 2 or 3. The best second is of group 2, so it stays 5.
    """
    pools = ((1, 6), (2, 5), (3, 8), (4, 7))
    assert spread_pools((1, 2, 3, 4, 5, 6, 7, 8), pools) == [1, 2, 3, 4, 5, 6, 7, 8]
    pools = ((1, 5), (2, 6), (3, 7), (4, 8))
    assert spread_pools((1, 2, 3, 4, 5, 6, 7, 8), pools) == [1, 2, 3, 4, 6, 5, 8, 7]


def test_four_of_two_groups_stand_two_in_each_half():
    """Of eight, four of a group: two in each half, so that they meet in the second round at the earliest."""
    pools = ((1, 3, 5, 7), (2, 4, 6, 8))
    assert min(first_meetings(spread_pools((1, 2, 3, 4, 5, 6, 7, 8), pools), pools)) == 2


def test_the_best_of_the_next_places_fill_a_larger_cut():
    """Three groups of three, five go on: three winners and the two best seconds."""
    spec = make_spec(groups("groups = 3\nadvance = 1"), cup(5))
    results = [one for one in play(spec, field(9)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(9), results)
    table = [row.entrant for row in plan.tables[0]]
    assert set(plan.draws[1].seeds) == set(table[:5])
    assert set(table[:3]) == {1, 2, 3}
    assert set(table[3:6]) == {4, 5, 6}


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ([groups("")], "stage 1: give groups (their number) or size (the most of one)."),
        (
            [groups("groups = 2\nsize = 4")],
            "stage 1: give groups (their number) or size (the most of one), not both.",
        ),
        ([groups("groups = 1")], "stage 1.groups: expected a whole number of at least 2, not 1."),
        (
            ['format = "round_robin"', groups("size = 2\ntake = 3")],
            "stage 2.take: of 3 in groups of 2 one would be alone; take an even number.",
        ),
        ([groups("size = 1")], "stage 1.size: expected a whole number of at least 2, not 1."),
        (
            [groups("groups = 9")],
            "9 groups of 16 entrants at most would leave somebody alone in a group; at most 8",
        ),
        ([groups("size = 4\nadvance = 2")], "stage 1.advance: 2 of each group go on, but no stage follows."),
        (
            [groups("size = 4\nadvance = 2"), 'format = "round_robin"'],
            "2 of each group go on, but the next stage has no take.",
        ),
        (
            [groups("size = 4\nadvance = 4"), cup(16)],
            "of 4 in a group 4 go on, so nobody would be cut; at most 3",
        ),
        ([groups("groups = 4\nadvance = 2"), cup(6)], "of 4 groups 8 go on, but the next stage takes 6."),
        (
            [groups("size = 4\nadvance = 2"), cup(6)],
            "of up to 4 groups (entries.most is 16) 8 go on, but the next stage takes 6.",
        ),
        ([groups("size = 4\nthird_place = true")], "third_place belongs to single_elimination, not groups."),
        (
            ['format = "round_robin"', f"{groups('groups = 4')}\ntake = 6"],
            "stage 2.groups: 4 groups of 6 entrants at most would leave somebody alone",
        ),
    ],
)
def test_groups_that_cannot_be_are_refused(stages, words):
    with pytest.raises(BadSpec) as raised:
        make_spec(*stages)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("keys", "count", "words"),
    [
        ("groups = 4", 7, "stage 1: 4 groups need 8 entrants, so that nobody is alone in one; there are 7."),
        (
            "size = 2",
            5,
            "stage 1: in groups of 2 one of 5 entrants would be alone; one more or one fewer can play.",
        ),
    ],
)
def test_too_few_for_the_groups_cannot_start(keys, count, words):
    spec = make_spec(groups(keys))
    with pytest.raises(TooFewEntrants) as raised:
        check_start(spec, count)
    assert str(raised.value) == words
    check_start(spec, count + 1)


@pytest.mark.sample(7)
@pytest.mark.parametrize("case", range(60))
def test_random_histories_end_in_one_table(case):
    rng = random.Random(case)
    count = rng.choice([2, 3, 4, 5, 7, 9, 12, 16, rng.randint(17, 40)])
    keys = rng.choice([f"groups = {rng.randint(2, 6)}", f"size = {rng.randint(2, 7)}"])
    chaos(make_spec(groups(keys), cup(rng.randint(2, 16)), most=64), count, rng)


@pytest.mark.long
@pytest.mark.parametrize("count", range(2, 65))
def test_every_field_ends_in_one_table(count):
    for case in range(4):
        rng = random.Random(100 * count + case)
        chaos(make_spec(groups(f"size = {rng.randint(2, 12)}"), cup(rng.randint(2, 64)), most=64), count, rng)


@pytest.mark.parametrize("keys", ["groups = 2", "size = 3"])
def test_a_contest_in_groups_exports_and_verifies(hold, keys):
    """With up to 64 entrants, the default, there might be 22 groups of three, and exports do not say."""
    text = f"""
name = "groups"
rules = "mau_mau"
[[stage]]
format = "groups"
{keys}
advance = 1
[[stage]]
format = "single_elimination"
seeds = "previous"
take = 3
[entries]
most = 6
[match]
block = 1
cap = 2
"""
    held = hold(text, 6, withdrawn=[3], after=2, disqualified=[5])
    assert verify(held.path).differences == ()


def test_a_large_field_is_read_again_from_an_export():
    """40 groups and a cut at 80 need more entrants than the 64 that may enter by default."""
    spec = make_spec(groups("groups = 40"), cup(80), most=200)
    with pytest.raises(BadSpec):
        build_spec(spec.shown)
    assert build_spec(spec.shown, is_export=True).stages == spec.stages
