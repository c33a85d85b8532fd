"""Swiss system: bots of equal points meet, without a rematch as long as one can be avoided (`pairing.py`).

A round is paired once the one before is decided. A level match gives each bot half a point; a bye or a
walkover gives a full one. Entrants that have left are not paired in rounds without a result of theirs, so a
round under way keeps its pairs when one of them leaves. Once all remaining entrants have met each other, the
stage ends, even if it should have more rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import Annotated, Final, Literal

from msgspec import Meta

from maumau.contest.claim import WALKOVER_RULES
from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.match import Verdict
from maumau.contest.format.round_robin import plan_round
from maumau.contest.format.stage import Stage
from maumau.contest.format.swiss.pairing import SwissPairing, SwissPlayer, pair_round
from maumau.contest.format.swiss.score import (
    LEVEL,
    LOSS,
    WIN,
    PlayedRound,
    ScoreLine,
    SwissMeeting,
    score_rounds,
)
from maumau.contest.strict import name_field
from maumau.errors import BadSpec

MOST_ROUNDS: Final = 63
"""The most rounds that the default of `entries.most` allows, since an export does not have that key."""
RULES: Final = ("points", "Buchholz", "Sonneborn-Berger")
"""Reasons why a line ranks above the next, in the order in which they are compared."""


class Swiss(Stage, frozen=True):
    """A stage in the Swiss system: the keys that it has beside those of every stage."""

    rounds: Annotated[int, Meta(ge=1, le=MOST_ROUNDS)] | None = None
    """The number of rounds; by default two more than a knock-out of the same size would have, and never more
    than are possible without a rematch."""
    order: Literal["rating", "points"] = "rating"
    """What orders the table."""


def count_rounds(stage: Swiss, size: int) -> int:
    """Return the number of rounds of a stage with this many entrants, unless it runs out of opponents."""
    return stage.rounds or (size - 1).bit_length() + 2


Outcome = tuple[int | None, bool] | None
"""The winner of a match, None if it is level, and whether it is a walkover; None while it is open."""


def schedule(stage: Swiss, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return the rounds up to the first that is not decided."""
    total, field = count_rounds(stage, len(seeds)), tuple(seeds)
    players = tuple(map(SwissPlayer, range(len(seeds))))
    rounds: list[Round] = []
    outcomes: list[tuple[Outcome, ...]] = []
    while len(rounds) < total and all(map(all, outcomes[-1:])):
        turn = len(rounds) + 1
        present = tuple(one for one in players if not find.has_left(field[one.seed], number, turn))
        pairing = pair_round(present, total - turn)
        if pairing is None:
            break
        rounds.append(_build_round(number, turn, field, pairing))
        outcomes.append(tuple(map(_tell_outcome, map(find, rounds[-1].matches))))
        players = _update_players(players, field, rounds[-1], outcomes[-1])
    is_open = not all(map(all, outcomes[-1:]))
    groups = _list_groups(stage, field, tuple(rounds), tuple(outcomes))
    return Draw(field, tuple(rounds), groups, not is_open, withdrawn_last=True)


def _tell_outcome(verdict: Verdict | None) -> Outcome:
    return (verdict.winner, verdict.rule in WALKOVER_RULES) if verdict else None


@lru_cache(maxsize=256)
def _build_round(stage: int, turn: int, seeds: tuple[int, ...], pairing: SwissPairing) -> Round:
    bye = [] if pairing.bye is None else [(pairing.bye, len(seeds))]
    return plan_round(stage, turn, [seeds], [[*pairing.pairs, *bye]])


@lru_cache(maxsize=256)
def _update_players(
    players: tuple[SwissPlayer, ...], seeds: tuple[int, ...], one: Round, outcomes: tuple[Outcome, ...]
) -> tuple[SwissPlayer, ...]:
    """Return the players after a round; open matches, and players outside the round, change nothing."""
    found = list(players)
    place = {entrant: seed for seed, entrant in enumerate(seeds)}
    for entrant in one.byes:
        before = players[place[entrant]]
        found[before.seed] = before._replace(points=before.points + WIN, byes=before.byes + 1, floated=-1)
    for plan, outcome in zip(one.matches, outcomes, strict=True):
        for entrant, other in ((plan.first, plan.second), (plan.second, plan.first)):
            if outcome:
                found[place[entrant]] = _add_meeting(
                    players[place[entrant]], players[place[other]], entrant, outcome
                )
    return tuple(found)


def _add_meeting(
    one: SwissPlayer, other: SwissPlayer, entrant: int, outcome: tuple[int | None, bool]
) -> SwissPlayer:
    winner, is_walkover = outcome
    result = LEVEL if winner is None else WIN if winner == entrant else LOSS
    return SwissPlayer(
        seed=one.seed,
        points=one.points + result,
        opponents=(*one.opponents, other.seed),
        byes=one.byes,
        walkovers=one.walkovers + (is_walkover and result == WIN),
        floated=(other.points > one.points) - (other.points < one.points),
    )


def _list_groups(
    stage: Swiss, seeds: tuple[int, ...], rounds: tuple[Round, ...], outcomes: tuple[tuple[Outcome, ...], ...]
) -> tuple[Group, ...]:
    """Return one group, which the rating orders, or a group for each score."""
    if stage.order == "rating":
        return (Group(seeds),)
    played = [_build_played(one, found) for one, found in zip(rounds, outcomes, strict=True)]
    lines = sorted(score_rounds(seeds, played).values(), key=lambda line: line.scores, reverse=True)
    return tuple(_group_lines(lines))


def _build_played(one: Round, outcomes: tuple[Outcome, ...]) -> PlayedRound:
    found = zip(one.matches, outcomes, strict=True)
    meetings = [
        SwissMeeting(plan.label, plan.first, plan.second, tell is not None, *(tell or ()))
        for plan, tell in found
    ]
    return PlayedRound(meetings, one.byes)


def _group_lines(lines: Sequence[ScoreLine]) -> Iterator[Group]:
    """Yield the groups of equal scores, best first, each with the score that puts it above the next."""
    tied = [
        (scores, tuple(line.entrant for line in each))
        for scores, each in groupby(lines, lambda one: one.scores)
    ]
    for (above, entrants), (below, _) in pairwise(tied):
        yield Group(entrants, next(rule for rule, a, b in zip(RULES, above, below, strict=True) if a != b))
    yield Group(tied[-1][1])


def check(stage: Swiss, where: str, most: int) -> None:
    """Refuse more rounds than the largest field can play without a rematch."""
    refuse_third_place(stage, where, most)
    possible = most - 1 + most % 2
    if stage.rounds and stage.rounds > possible:
        words = (
            f"{where}: {stage.rounds} rounds are more than at most {most} entrants can play without meeting "
            f"again; {possible} are possible."
        )
        raise BadSpec(words, field=name_field(f"{where}.rounds"))


def check_next(stage: Swiss, where: str, _most: int, after: Stage | None) -> None:
    """Refuse points where they would seed the next stage.

    A bot that has had the last bye loses its point on leaving, so that leaving later would change the seeds.
    """
    if stage.order == "points" and after and (after.seeds == "previous" or after.take):
        words = "points cannot seed the next stage, as a bot that leaves could change its seeds; rating can"
        raise BadSpec(f"{where}.order: {words}.", field=name_field(f"{where}.order"))


SWISS: Final = Format(
    name="swiss",
    label="Swiss system",
    title="rounds in which bots of equal points meet, without a rematch as long as one can be avoided",
    schedule=schedule,
    stage=Swiss,
    drops_leavers=True,
    check=check,
    check_next=check_next,
)
