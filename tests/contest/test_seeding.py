"""Seeds that are drawn or given, bots of one account apart, guests; in knock-outs of two and at tables."""

import hashlib
import hmac
import itertools
import random

import msgspec
import pytest

from maumau.contest.entrant import Entrant
from maumau.contest.export.line import root_of
from maumau.contest.format.bracket.tables import count_sizes
from maumau.contest.format.groups import deal_groups
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.spread import spread_accounts, spread_groups
from maumau.contest.seed import draw_lot
from maumau.contest.spec.spec import build_spec, check_start, parse_spec
from maumau.errors import BadSpec, TooFewEntrants
from tests.contest.field import HEAD, chaos, field, make_spec, play

CUP, ROBIN, TABLES = 'format = "single_elimination"\n', 'format = "round_robin"\n', 'format = "tables"\n'


def accounts(*names):
    return [
        msgspec.structs.replace(one, account=name) for one, name in zip(field(len(names)), names, strict=True)
    ]


def with_guests(count, *guests):
    return [msgspec.structs.replace(one, guest=one.number in guests) for one in field(count)]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((CUP + 'seeds = "given"',), "needs the names"),
        ((CUP + 'given = ["a"]',), "and `given` needs it"),
        ((CUP + 'seeds = "given"\ngiven = ["a", "a"]',), "named twice"),
        (
            (ROBIN + 'apart = "account"',),
            "they can in single_elimination, double_elimination, groups",
        ),
        (('format = "swiss"\napart = "account"',), "seeds do not decide in swiss"),
        (('format = "race"\nbudget = 500\napart = "account"',), "seeds do not decide in race"),
        ((TABLES + 'seats = 3\napart = "account"',), "seeds do not decide in tables"),
        ((CUP + 'apart = "team"',), "apart"),
        ((CUP + 'seeds = "rating"',), "seeds"),
    ],
)
def test_seeds_that_a_stage_has_no_use_for_are_refused(lines, words):
    with pytest.raises(BadSpec, match=words):
        make_spec(*lines)


def test_guests_are_refused_where_only_a_knock_out_is_played():
    entries = '[entries]\nguests = ["greedy"]\n'
    with pytest.raises(BadSpec, match="stage 1 is a knock-out"):
        parse_spec(f"{HEAD}[[stage]]\n{CUP}{entries}")
    spec = parse_spec(f"{HEAD}[[stage]]\n{ROBIN}[[stage]]\n{CUP}{entries}")
    assert parse_spec(spec.to_toml()) == spec
    check_start(spec, 3, 1)
    with pytest.raises(TooFewEntrants, match="there are 1"):
        check_start(spec, 3, 2)


def test_guests_fill_no_stage_in_which_they_do_not_play():
    """Of five, three guests are not taken into the groups of stage 2, in which two would be alone."""
    spec = make_spec(ROBIN, 'format = "groups"\ngroups = 2\ntake = 4\nseeds = "previous"')
    check_start(spec, 5)
    with pytest.raises(TooFewEntrants, match="2 groups need 4 entrants"):
        check_start(spec, 5, 3)
    check_start(make_spec('format = "groups"\ngroups = 2'), 5, 3)


def test_seeds_are_given_by_name_then_the_order_of_entry():
    spec = make_spec(CUP + 'seeds = "given"\ngiven = ["bot-3", "nobody", "bot-2"]')
    assert advance_schedule(spec, field(4), []).draws[0].seeds == (3, 2, 1, 4)
    again = build_spec({**spec.shown, "secret": None}, is_export=True)
    assert again.stages == spec.stages


def test_lots_are_drawn_from_secret_and_root():
    """The lot and the order worked out again from the words of `seed.py`."""
    lots = [hmac.new(b"secret", f"root\nlot\n{n}".encode(), "sha256").hexdigest() for n in (1, 2, 3, 4, 5)]
    assert [draw_lot("secret", "root", n) for n in (1, 2, 3, 4, 5)] == lots
    players = [msgspec.structs.replace(one, lot=lot) for one, lot in zip(field(5), lots, strict=True)]
    drawn = advance_schedule(make_spec(TABLES + 'seats = 3\nseeds = "draw"'), players, []).draws[0].seeds
    assert list(drawn) == sorted(
        (1, 2, 3, 4, 5), key=lambda n: hashlib.sha256(f"{lots[n - 1]} 1".encode()).hexdigest()
    )


def test_the_root_binds_accounts_and_guests_but_no_lots():
    spec, plain = make_spec(ROBIN), field(3)
    root = root_of(spec, plain)
    assert root_of(spec, with_guests(3, 2)) != root
    assert root_of(spec, accounts("a", "b", "c")) not in {root, root_of(spec, accounts("a", "b", "a"))}
    assert root_of(spec, [msgspec.structs.replace(one, lot="0" * 64) for one in plain]) == root


def test_bots_of_one_account_meet_as_late_as_their_tiers_allow():
    """Of 8 seeds 1 and 2 are ann's; 3 in the half of 2 is hers, too, so 4 takes its place. 5 to 8 follow."""
    names = ("ann", "bob", "cat", "bob", "ann", "dan", "eve", "cat")
    seeds = spread_accounts(tuple(range(1, 9)), names)
    assert seeds[:2] == [1, 2]
    assert sorted(seeds[2:4]) == [3, 4]
    assert sorted(seeds[4:]) == [5, 6, 7, 8]
    spec = make_spec(CUP + 'apart = "account"')
    now = advance_schedule(spec, accounts(*names), [])
    assert list(now.draws[0].seeds) == seeds
    pairs = [{names[one - 1] for one in plan.players} for plan in now.matches]
    assert all(len(pair) == 2 for pair in pairs)


def test_bots_of_one_account_sit_at_different_tables_as_long_as_there_are_some():
    """Four accounts with four bots each, in the order of a snake that would seat them together."""
    names = [""] * 16
    for table, numbers in enumerate(((1, 8, 9, 16), (2, 7, 10, 15), (3, 6, 11, 14), (4, 5, 12, 13))):
        for number in numbers:
            names[number - 1] = "abcd"[table]
    spec = make_spec(CUP + 'seats = 4\napart = "account"')
    met = [
        {names[one - 1] for one in plan.players}
        for plan in advance_schedule(spec, accounts(*names), []).matches
    ]
    assert met == [set("abcd")] * 4
    together = advance_schedule(make_spec(CUP + "seats = 4"), accounts(*names), []).matches
    assert all(len({names[one - 1] for one in plan.players}) == 1 for plan in together)


def test_bots_of_one_account_play_in_different_groups():
    """The snake deals 1, 4, 5 and 2, 3, 6: ann's would be together and bob's, so 3 and 4 change places."""
    spec = make_spec('format = "groups"\ngroups = 2\napart = "account"')
    (group,) = advance_schedule(spec, accounts("ann", "bob", "bob", "ann", "cat", "cat"), []).draws[0].groups
    assert group.pools == ((1, 3, 5), (2, 4, 6))
    (group,) = advance_schedule(spec, accounts(*["ann"] * 6), []).draws[0].groups
    assert group.pools == ((1, 4, 5), (2, 3, 6))


@pytest.mark.parametrize("seed", range(8))
def test_groups_keep_their_rows_and_an_account_that_fits_is_in_each_once(seed):
    rng = random.Random(f"apart {seed}")
    count, rows = rng.randint(2, 5), rng.randint(2, 4)
    field = range(1, count * rows + 1)
    anns = rng.sample(field, count)
    names = tuple("ann" if one in anns else f"bot-{one}" for one in field)
    found = spread_groups(tuple(field), names, count)
    for start in range(0, count * rows, count):
        assert sorted(found[start : start + count]) == list(range(start + 1, start + count + 1))
    assert [len(set(anns).intersection(pool)) for pool in deal_groups(found, count)] == [1] * count


def list_patterns(size, known=()):
    """Yield every way in which bots belong to accounts, as the number of each one's account."""
    if len(known) == size:
        yield known
        return
    for account in range(max(known, default=-1) + 2):
        yield from list_patterns(size, (*known, account))


def count_together(pools, names):
    return sum(len(pool) - len({names[one - 1] for one in pool}) for pool in pools)


def list_arrangements(size, count):
    """Return the groups of every order in which bots change places within their rows."""
    rows = [range(start, min(start + count, size + 1)) for start in range(1, size + 1, count)]
    orders = itertools.product(*map(itertools.permutations, rows))
    return [deal_groups(list(itertools.chain(*order)), count) for order in orders]


@pytest.mark.long
@pytest.mark.parametrize(("size", "count"), [(n, k) for n in range(4, 9) for k in range(2, n // 2 + 1)])
def test_no_small_field_has_groups_with_fewer_of_one_account(size, count):
    field, others = tuple(range(1, size + 1)), list_arrangements(size, count)
    for names in list_patterns(size):
        found = spread_groups(field, names, count)
        assert [sorted(found[at : at + count]) for at in range(0, size, count)] == [
            list(field[at : at + count]) for at in range(0, size, count)
        ]
        together = count_together(deal_groups(found, count), names)
        assert not together or together == min(count_together(pools, names) for pools in others)


def test_accounts_of_a_large_field_are_apart():
    """Of 256 bots in 32 groups, 8 accounts have 32 bots each, one in every group."""
    rng = random.Random("large")
    names = [f"account-{number % 8}" for number in range(256)]
    rng.shuffle(names)
    found = spread_groups(tuple(range(1, 257)), tuple(names), 32)
    assert count_together(deal_groups(found, 32), names) == 0


@pytest.mark.parametrize("count", [2, 5, 12])
def test_one_author_with_all_bots_can_play(count):
    for lines in (CUP, CUP + "seats = 3\n"):
        spec = make_spec(lines + 'apart = "account"')
        players = accounts(*["ann"] * count)
        assert advance_schedule(spec, players, play(spec, players)).done


def test_guests_play_and_rank_last_and_go_on_nowhere():
    """Bots 1 and 4 of six are guests; the better number wins, so 2 and 3 would be second and third."""
    spec, players = (
        make_spec(TABLES + "seats = 3", CUP + 'seeds = "previous"\ntake = 4'),
        with_guests(6, 1, 4),
    )
    now = advance_schedule(spec, players, play(spec, players))
    assert now.done
    assert now.draws[0].seeds == (2, 3, 5, 6, 1, 4)
    assert sorted(now.draws[1].seeds) == [2, 3, 5, 6]
    assert now.table[0].entrant == 2
    assert {row.entrant for row in now.table[-2:]} == {1, 4}
    assert now.table[3].rule == "guest"
    assert now.table[-1].sets > 0


def test_a_guest_that_is_disqualified_is_behind_the_other_guests():
    spec = make_spec(ROBIN)
    players = [
        msgspec.structs.replace(one, disqualified="a test" * (one.number == 2))
        for one in with_guests(4, 2, 3)
    ]
    now = advance_schedule(spec, players, play(spec, players))
    assert [row.entrant for row in now.table] == [1, 4, 3, 2]


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(4))
def test_contests_with_guests_and_lots_survive_random_histories(seed, monkeypatch):
    rng = random.Random(f"guests {seed}")
    count = rng.choice((5, 6, 9))

    def marked(number):
        return [
            msgspec.structs.replace(
                one, guest=one.number % 4 == 0, account="ab"[one.number % 2], lot=one.sha256
            )
            for one in field(number)
        ]

    monkeypatch.setattr("tests.contest.field.field", marked)
    first = rng.choice((TABLES + "seats = 3\nrounds = 2", ROBIN, 'format = "swiss"\nrounds = 2'))
    then = rng.choice((CUP + "seats = 3", CUP, 'format = "double_elimination"'))
    spec = make_spec(first + '\nseeds = "draw"', then + '\nseeds = "draw"\napart = "account"')
    now = chaos(spec, count, rng, steps=30)
    guests = {one.number for one in marked(count) if one.guest}
    assert not guests.intersection(now.draws[-1].seeds) or len(now.draws) == 1


def test_an_entrant_says_no_more_than_the_spec_asks_for():
    assert msgspec.json.encode(Entrant(1, "a", "0" * 64)).count(b'""') == 5


@pytest.mark.long
@pytest.mark.parametrize("lines", [TABLES + "seats = 5", CUP + "seats = 5\nthrough = 4", CUP + "seats = 3"])
def test_fields_of_all_sizes_end_when_all_or_all_but_one_have_left(lines):
    """Nobody plays; where one stays, it is first."""
    spec = make_spec(lines, most=64)
    for count in range(2, 65):
        everybody = set(range(1, count + 1))
        nobody_left = advance_schedule(spec, field(count, withdrawn=everybody), [])
        assert nobody_left.done
        assert not nobody_left.matches
        assert sorted(row.entrant for row in nobody_left.table) == sorted(everybody)
        stays = count // 2 + 1
        alone = advance_schedule(spec, field(count, withdrawn=everybody - {stays}), [])
        assert alone.done
        assert alone.table[0].entrant == stays


@pytest.mark.parametrize("through", [1, 3, 8])
def test_every_round_of_a_knock_out_at_tables_knocks_somebody_out(through):
    for seats in range(through + 1, 11):
        for players in range(2, 257):
            byes, sizes = count_sizes(players, seats, through)
            assert byes + sum(sizes) == players
            assert max(sizes) <= seats
            assert players <= seats or (min(sizes) > through and max(sizes) - min(sizes) <= 1)
