"""The winner of a contest: the first of the table, if there is one."""

from __future__ import annotations

import pytest

from maumau.client.answer import Entry, Match, Standing
from maumau.client.standing.winner import find_winner
from maumau.contest.schedule.advance import Plan, advance_schedule
from tests.contest.test_format import CUP, ROUND_ROBIN, disqualified, entrants, play, spec


def name_winner(plan: Plan) -> int | None:
    """Return the number of the winner, as a client finds it from what the arena tells of this plan."""
    assert plan.done
    standings = [
        Standing(
            row.place, row.entrant, row.name, row.rating, row.low, row.high, row.sets, row.won, row.lost,
            row.level, 0, row.rule,
        )
        for row in plan.table
    ]  # fmt: skip
    entries = [
        Entry(one.number, one.name, "", "", one.withdrawn, "", "", disqualified=one.disqualified)
        for one in plan.entrants
    ]
    matches = [
        Match(
            one.label, one.first, one.second, "", "", "decided", one.winner or 0, one.rule, one.counted,
            one.estimate, *one.interval, one.llr, (0, 0), "", "", 1, 0,
        )
        for one in plan.verdicts
    ]  # fmt: skip
    found = find_winner(standings, entries, matches)
    return found and found.entrant


@pytest.mark.parametrize("format_", [CUP, ROUND_ROBIN])
def test_where_all_have_gone_nobody_has_won(format_) -> None:
    """Their matches are decided by walkovers, and the table has a first line all the same."""
    terms = spec(format_)
    gone = advance_schedule(terms, entrants(4, withdrawn=[1, 2, 3, 4]), [])
    assert gone.table[0].entrant
    assert name_winner(gone) is None
    assert name_winner(advance_schedule(terms, disqualified(4, 1, 2, 3, 4), play(terms, entrants(4)))) is None
    assert name_winner(advance_schedule(terms, disqualified(4, 2, 4, withdrawn=[1, 3]), [])) is None
    results = play(terms, entrants(4))  # played to the end, then all of them go
    assert name_winner(advance_schedule(terms, entrants(4, withdrawn=[1, 2, 3, 4]), results)) is None


@pytest.mark.parametrize("format_", [CUP, ROUND_ROBIN])
def test_the_last_one_there_has_won(format_) -> None:
    assert name_winner(advance_schedule(spec(format_), entrants(4, withdrawn=[1, 2, 3]), [])) == 4
    assert name_winner(advance_schedule(spec(format_), disqualified(4, 1, 2, 4), [])) == 3


def test_a_final_of_two_that_have_gone_is_won_by_neither() -> None:
    terms = spec(CUP)
    semis = [one for one in play(terms, entrants(4)) if one.label.startswith("1.1.")]
    finalists = [one.winner for one in semis]
    plan = advance_schedule(terms, entrants(4, withdrawn=finalists), semis)
    assert plan.table[0].entrant in finalists
    assert name_winner(plan) is None


def test_who_goes_after_the_final_has_won_it() -> None:
    terms = spec(CUP)
    results = play(terms, entrants(4))
    (champion,) = [one.winner for one in results if one.label == "1.2.1"]
    assert name_winner(advance_schedule(terms, entrants(4), results)) == champion
    assert name_winner(advance_schedule(terms, entrants(4, withdrawn=[champion]), results)) == champion
