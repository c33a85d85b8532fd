"""Race: all against all until the best few stand out, then whom it is worth to compare, until one is sure.

A batch is chosen when the one before is complete, from the sets of complete batches alone. So it depends
neither on the number of workers nor on the order in which results come. Entrants that have gone are left out
of batches in which no result names them yet, unless that would undo what was played of the batch. The race
ends when the leader is the best with a chance of at least `sure`, or when the budget has no room for another
match; the leader then wins (`race_chance`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from maumau.contest.format.draw import Draw, Find, Group, RaceStep, Round
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.match import Verdict
from maumau.contest.format.race_chance import NONE, Pair, Totals, add_sets, choose_pairs, estimate
from maumau.contest.format.round_robin import plan_round
from maumau.contest.format.stage import Stage
from maumau.contest.strict import name_field
from maumau.errors import BadSpec

MEETING: Final = 20
"""Deal sets of a match unless the stage chooses."""
MATCHES, LONGEST = 320, 1000
"""Matches of a race that is to cost so much, about 40 batches of 16 bots; and the most sets of a match."""
MOST_MATCHES: Final = 20_000
MOST_TRIED: Final = 6
"""Entrants that have gone since a batch of which all subsets are tried."""
LEADS: Final = "race"
"""The reason why the winner of a race ranks above all others."""


class RaceStage(Stage, frozen=True):
    """A stage that ends when its winner is sure."""

    sure: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95
    """The chance of being the best from which on the leader has won."""
    budget: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """The most deal sets that are played; required. If they do not make anybody sure, whoever is ahead wins,
    and page, terminal and export say with which chance."""
    sets: Annotated[int, Meta(ge=5, le=1000)] = MEETING
    """The deal sets of a match, which is a single block; two bots meet as often as it is worth."""


def schedule(stage: RaceStage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return the batches up to the first that is not complete."""
    field, rounds, steps = tuple(seeds), list[Round](), list[RaceStep]()
    totals, room, is_done = NONE, (stage.budget or 0) // stage.sets, True
    present = tuple(range(len(field)))
    while not steps or steps[-1].chance < stage.sure:
        turn = len(rounds) + 1
        gone = {place for place in present if find.has_left(field[place], number, turn)}
        choose = partial(_choose_batch, stage, (number, turn), field, totals, room)
        choices = map(choose, _list_present(present, gone))
        present, pairs, batch = _find_kept(choices, {field[place] for place in gone}, find)
        if not pairs:
            steps[-1:] = [_step(rounds, field, totals, present) for _ in steps[-1:] if present]
            break
        rounds.append(batch)
        verdicts = [verdict for verdict in map(find, rounds[-1].matches) if verdict]
        is_done = len(verdicts) == len(pairs)
        if not is_done:
            break
        totals, room = _follow(totals, pairs, verdicts), room - len(pairs)
        steps.append(_step(rounds, field, totals, present))
    groups = _place_winner(field, steps) if is_done else (Group(field),)
    return Draw(field, tuple(rounds), groups, is_done, withdrawn_last=True, race=tuple(steps))


_Choice = tuple[tuple[int, ...], tuple[Pair, ...], Round]
"""The places that are present, the pairs chosen from them, and their matches."""


def _choose_batch(
    stage: RaceStage,
    at: tuple[int, int],
    field: tuple[int, ...],
    totals: Totals,
    room: int,
    there: tuple[int, ...],
) -> _Choice:
    pairs = choose_pairs(len(field), totals, there, at[1], stage.sets)[:room]
    return there, pairs, _plan_batch(*at, field, pairs)


def _find_kept(choices: Iterator[_Choice], gone: set[int], find: Find) -> _Choice:
    """Return the first choice that undoes nothing played and pairs none of these; else the first of all."""
    first = choice = next(choices)
    while choice[1]:
        batch = choice[2]
        is_free = gone.isdisjoint(one for plan in batch.matches for one in plan.players)
        if is_free and find.keeps_played(batch.matches[0].stage, batch.round, batch.matches):
            return choice
        if (choice := next(choices, first)) is first:
            break
    return choice


def _list_present(before: tuple[int, ...], gone: set[int]) -> Iterator[tuple[int, ...]]:
    """Yield who may have been there when a batch was drawn, at first without all who have gone since.

    Whoever went later sat out, as no result names them: a batch of which something was played is kept as it
    was drawn. Of very many only all or none are tried.
    """
    sizes = range(len(gone) + 1) if len(gone) <= MOST_TRIED else (0, len(gone))
    for size in sizes:
        for kept in combinations(sorted(gone), size):
            yield tuple(place for place in before if place not in gone or place in kept)


@lru_cache(maxsize=256)
def _plan_batch(stage: int, turn: int, field: tuple[int, ...], pairs: tuple[Pair, ...]) -> Round:
    return msgspec.structs.replace(plan_round(stage, turn, (field,), (pairs,)), name=f"batch {turn}")


def _follow(totals: Totals, pairs: Sequence[Pair], verdicts: Sequence[Verdict]) -> Totals:
    """Return the sums after a batch; walkovers have no sets."""
    return add_sets(totals, tuple((*pair, one.sums) for pair, one in zip(pairs, verdicts, strict=True)))


def _step(
    rounds: Sequence[Round], field: tuple[int, ...], totals: Totals, present: tuple[int, ...]
) -> RaceStep:
    found = estimate(len(field), totals, present)
    sets = sum(line[2].sets for line in totals.lines)
    return RaceStep(len(rounds), sets, field[found.leader], found.chances[found.leader], found.chances)


def _place_winner(field: tuple[int, ...], steps: Sequence[RaceStep]) -> tuple[Group, ...]:
    """Return the leader at the end, then all others, whom their ratings order."""
    if not steps or len(field) == 1:
        return (Group(field),)
    first = steps[-1].leader
    return (Group((first,), LEADS), Group(tuple(one for one in field if one != first)))


def check(stage: RaceStage, where: str, most: int) -> None:
    """Refuse a race without a budget, or with one for no match or for too many."""
    refuse_third_place(stage, where, most)
    at = name_field(f"{where}.budget")
    if stage.budget is None:
        words = "a race ends when its winner is sure or its budget is out, so it needs a budget of deal sets"
        raise BadSpec(f"{where}.budget: {words}; budget = 5000 is usual for 16 bots.", field=at)
    if stage.budget < stage.sets:
        words = f"{stage.budget} deal sets are less than one match of {stage.sets}"
        raise BadSpec(f"{where}.budget: {words}; raise it, or lower sets.", field=at)
    if stage.budget // stage.sets > MOST_MATCHES:
        words = f"{stage.budget} deal sets are more than {MOST_MATCHES:,} matches of {stage.sets}"
        raise BadSpec(f"{where}.budget: {words}; lower it, or raise sets.", field=at)


def spend(sets: float) -> dict[str, Any]:
    """Return the keys of a race that costs this many deal sets."""
    budget = max(round(sets), MEETING)
    return {"budget": budget, "sure": 0.9999, "sets": min(max(MEETING, budget // MATCHES), LONGEST)}


RACE: Final = Format(
    name="race",
    label="race",
    title="all against all until the best few stand out, then whom it is worth to compare, until one is sure",
    schedule=schedule,
    stage=RaceStage,
    drops_leavers=True,
    redraws_rest=True,
    usual={"budget": 5000},
    spend=spend,
    check=check,
)
