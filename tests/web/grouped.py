"""A contest of groups with a cut, for a fake arena: pairings and tables as a tournament would have them."""

from maumau.client import answer
from maumau.contest.schedule.advance import advance_schedule
from tests.contest.field import decide, field, make_spec
from tests.support.fake import a_match, a_standing, a_tournament

GROUPS = 'format = "groups"\nsize = 4\nadvance = 2'
CUP = 'format = "single_elimination"\nseeds = "previous"\ntake = {take}'
ROBIN = 'format = "round_robin"\nlegs = 2'
NAMES = ("greedy", "rollout", "a-bot-with-a-name-as-long-as-they-may-be", "counter", "first", "random")


def list_names(count):
    return [*NAMES, *(f"bot-{number}" for number in range(len(NAMES) + 1, count + 1))][:count]


def hold_groups(arena, *stages, count=9, rounds=9, name="cup"):
    """Put a contest into a fake arena, of which so many rounds of matches are decided."""
    spec = make_spec(*(stages or (GROUPS, CUP.format(take=8))), most=count)
    players, results = field(count), []
    for _ in range(rounds):
        now = advance_schedule(spec, players, results)
        turn = min((one.round for one in now.matches), default=0)
        results += [decide(spec, one, min(one.first, one.second)) for one in now.matches if one.round == turn]
    plan, names = advance_schedule(spec, players, results), list_names(count)
    arena.contests = [a_tournament(name, bots=names, spec_toml=spec.to_toml())]
    arena.games[name] = [_match(one, plan, spec, names) for draw in plan.draws for one in draw.matches]
    arena.ranks[name] = _table(plan.table, names)
    for stage, table in enumerate(plan.tables, start=1):
        arena.stage_tables[name, stage] = _table(table, names)
    brackets = [draw for draw in plan.draws[1:] if draw.rounds]
    if brackets:
        arena.rounds[name] = tuple(
            answer.Round(
                one.round, one.name, tuple(_match(each, plan, spec, names) for each in one.matches), one.byes
            )
            for one in brackets[-1].rounds
        )
    return plan


def _match(one, plan, spec, names):
    verdict = plan.results.get(one.label)
    decided = verdict is not None and verdict.decided
    return a_match(
        one.label, one.first, one.second, (names[one.first - 1], names[one.second - 1]),
        state="decided" if decided else "playing", winner=(verdict.winner or 0) if decided else 0,
        rule=verdict.rule if decided else "", sets=verdict.counted if decided else 0,
        estimate=verdict.estimate if decided else 0.5, format=spec.stages[one.stage - 1].format,
    )  # fmt: skip


def _table(rows, names):
    return [
        a_standing(row.place, row.entrant, names[row.entrant - 1], row.rating, sets=row.sets, won=row.won,
                   lost=row.lost, level=row.level, rule=row.rule)
        for row in rows
    ]  # fmt: skip
