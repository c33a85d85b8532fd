"""Double elimination, against brackets-manager and by hand."""

import json
import random
import subprocess
from pathlib import Path

import msgspec
import pytest

from bench.support.patience import patient
from maumau.contest.entrant import Entrant
from maumau.contest.format.double_bracket import Source, build_bracket, name_crossings
from maumau.contest.format.double_elimination import DoubleElimination
from maumau.contest.judge import judge_match
from maumau.contest.match_rule import MatchRule
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import Spec, Stage, build_spec
from maumau.errors import BadSpec
from tests.support.host import npm

FOLDER = Path(__file__).parent
DATA = FOLDER / "data/double_elimination.json"
PACKAGES = ("brackets-manager@1.11.1", "brackets-memory-db@1.0.6")
GRAPHS = json.loads(DATA.read_text("utf-8"))
"""By number of entrants: the matches of brackets-manager, as double_elimination.mjs writes them."""

DOUBLE = DoubleElimination("double_elimination")
ONE_FINAL = DoubleElimination("double_elimination", reset=False)


def spec(*stages):
    return Spec("cup", "prsi", stages, match=MatchRule(block=10, delta=0.1, cap=20))


TERMS = spec(DOUBLE)


def entrants(count, withdrawn=(), disqualified=()):
    return [
        Entrant(n, f"bot-{n}", f"{n:064x}", n in withdrawn, disqualified="a test" * (n in disqualified))
        for n in range(1, count + 1)
    ]


def win(terms, plan, winner):
    """Return the verdict of a match that this entrant wins in its first block."""
    score = 4 if winner == plan.first else 0
    return judge_match(terms, plan, [SetScore(n, score, (0, 0), 0) for n in range(10)])


def play(terms, players, upsets=()):
    """Play on to the end: the lower number wins, but the higher one in the matches of these labels."""
    results = []
    while (now := advance_schedule(terms, players, results)).matches:
        for plan in now.matches:
            choose = max if plan.label in upsets else min
            results.append(win(terms, plan, choose(plan.first, plan.second)))
    return results


def met(results):
    return [(one.label, one.first, one.second, one.winner) for one in results]


def draw_graph(count):
    """Return our bracket in the words of double_elimination.mjs."""
    rounds = build_bracket(count)
    letters = {"winners": "W", "losers": "L", "final": "F"}
    names = {one.round: f"{letters[one.side]}{one.turn}" for one in rounds}

    def tell(source):
        if source.kind == "seed":
            return f"s{source.number}"
        return f"{source.kind[0]}{names[source.round]}.{source.number}"

    found = [
        f"{names[one.round]}.{line.number}={','.join(map(tell, line.sources))}"
        for one in rounds
        for line in one.lines
        if len(line.sources) == 2
    ]
    return " ".join(sorted(found, key=lambda text: text.partition("=")[0]))


@pytest.mark.parametrize("count", [int(count) for count in GRAPHS])
def test_the_graph_is_that_of_brackets_manager(count):
    assert draw_graph(count) == GRAPHS[str(count)]


def test_the_graphs_of_brackets_manager_cover_every_field_from_four_to_sixty_four():
    assert set(map(str, range(4, 65))) <= GRAPHS.keys()


@pytest.mark.long
def test_brackets_manager_still_has_the_graphs_of_the_data_file(tmp_path, not_tested):
    npm.install_packages(tmp_path, "the graph of a double elimination", not_tested, *PACKAGES)
    words = [npm.find_node() / "bin/node", FOLDER / "double_elimination.mjs", *GRAPHS]
    made = subprocess.run(
        words, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=patient(60)
    )
    assert made.stdout == DATA.read_text("utf-8")


@pytest.mark.parametrize("count", [*range(2, 66), 100, 128, 129, 200, 255, 256])
def test_everybody_loses_once_into_the_losers_bracket_and_once_for_good(count):
    """n - 1 matches of the winners, n - 2 of the losers, the grand final."""
    sides = {"winners": 0, "losers": 0, "final": 0}
    for one in build_bracket(count):
        sides[one.side] += sum(len(line.sources) == 2 for line in one.lines)
    assert sides == {"winners": count - 1, "losers": count - 2, "final": 1}
    used = [source for one in build_bracket(count) for line in one.lines if len(line.sources) == 2
            for source in line.sources]  # fmt: skip
    assert len(used) == len(set(used)) == 2 * (2 * count - 2)
    assert sum(source.kind == "loser" for source in used) == count - 1


def test_every_source_of_a_match_is_in_an_earlier_round():
    for count in (2, 3, 6, 11, 64, 256):
        rounds = build_bracket(count)
        assert [one.round for one in rounds] == list(range(1, len(rounds) + 1))
        assert all(
            source.round < one.round for one in rounds for line in one.lines for source in line.sources
        )


def test_the_rounds_of_eight_have_their_names_in_the_order_of_play():
    assert [one.name for one in build_bracket(8)] == [
        "winners' round 1", "winners' round 2", "losers' round 1", "losers' round 2",
        "winners' final", "losers' round 3", "losers' final", "grand final",
    ]  # fmt: skip


@pytest.mark.parametrize("count", [3, 4, 8, 11, 64, 256])
def test_the_losers_of_a_round_go_on_in_the_round_that_is_named(count):
    rounds = build_bracket(count)
    crossings = name_crossings((one.round, one.name) for one in rounds)
    assert set(crossings) == {one.round for one in rounds if one.side == "winners"}
    joining = {one.name: {source for line in one.lines for source in line.sources} for one in rounds}
    for one in rounds:
        if one.side == "winners":
            matches = (line.number for line in one.lines if len(line.sources) == 2)
            assert {Source("loser", one.round, number) for number in matches} <= joining[crossings[one.round]]
    assert name_crossings([(1, "semi-final"), (2, "final")]) == {}
    assert name_crossings((one.round, one.name) for one in build_bracket(2)) == {}


def test_two_meet_until_one_has_lost_twice():
    assert met(play(TERMS, entrants(2))) == [("1.1.1", 1, 2, 1), ("1.2.1", 1, 2, 1)]
    results = play(TERMS, entrants(2), upsets=["1.2.1"])
    assert met(results) == [("1.1.1", 1, 2, 1), ("1.2.1", 1, 2, 2), ("1.3.1", 1, 2, 1)]
    plan = advance_schedule(TERMS, entrants(2), results)
    assert [one.name for one in plan.draws[0].rounds] == [
        "winners' final",
        "grand final",
        "grand final, again",
    ]
    assert [row.entrant for row in plan.table] == [1, 2]


def test_three_have_a_bye_in_each_bracket():
    """2 beats 3; 1 beats 2; 3 has a bye and meets 2 in the losers' final."""
    results = play(TERMS, entrants(3))
    assert met(results) == [("1.1.2", 2, 3, 2), ("1.2.1", 1, 2, 1), ("1.4.1", 2, 3, 2), ("1.5.1", 1, 2, 1)]
    rounds = advance_schedule(TERMS, entrants(3), results).draws[0].rounds
    assert [(one.name, one.byes) for one in rounds if one.byes] == [
        ("winners' round 1", (1,)),
        ("losers' round 1", (3,)),
    ]


def test_six_play_as_brackets_manager_draws_them():
    """Winners: 4-5 3-6, 1-4 2-3, 1-2. The losers of 2-3 and 4-5 meet, and those of 1-4 and 3-6."""
    results = play(TERMS, entrants(6))
    assert sorted(met(results)) == [
        ("1.1.2", 4, 5, 4), ("1.1.4", 3, 6, 3), ("1.2.1", 1, 4, 1), ("1.2.2", 2, 3, 2),
        ("1.4.1", 3, 5, 3), ("1.4.2", 4, 6, 4), ("1.5.1", 1, 2, 1), ("1.6.1", 3, 4, 3),
        ("1.7.1", 2, 3, 2), ("1.8.1", 1, 2, 1),
    ]  # fmt: skip
    plan = advance_schedule(TERMS, entrants(6), results)
    assert plan.done
    assert [row.entrant for row in plan.table[:4]] == [1, 2, 3, 4]
    assert {row.entrant for row in plan.table[4:]} == {5, 6}
    rules = [row.rule for row in plan.table]  # 5 and 6 have done equally well
    assert rules == ["final", "bracket", "bracket", "bracket", "order of entry", ""]


def test_whoever_falls_early_can_still_win():
    """Seed 4 loses to 1 at once, comes back over 3 and 2 and beats 1 in both finals."""
    results = play(TERMS, entrants(4), upsets=["1.3.1", "1.4.1", "1.5.1", "1.6.1"])
    assert met(results) == [
        ("1.1.1", 1, 4, 1), ("1.1.2", 2, 3, 2), ("1.2.1", 1, 2, 1), ("1.3.1", 4, 3, 4),
        ("1.4.1", 2, 4, 4), ("1.5.1", 1, 4, 4), ("1.6.1", 1, 4, 4),
    ]  # fmt: skip
    assert [row.entrant for row in advance_schedule(TERMS, entrants(4), results).table] == [4, 1, 2, 3]


def test_without_a_reset_the_first_grand_final_decides():
    terms = spec(ONE_FINAL)
    results = play(terms, entrants(4), upsets=["1.3.1", "1.4.1", "1.5.1"])
    assert met(results)[-1] == ("1.5.1", 1, 4, 4)
    assert [row.entrant for row in advance_schedule(terms, entrants(4), results).table] == [4, 1, 2, 3]


def test_a_second_grand_final_vanishes_when_the_first_is_taken_back_and_won_by_the_other():
    results = play(TERMS, entrants(4), upsets=["1.3.1", "1.4.1", "1.5.1"])
    assert met(results)[-1] == ("1.6.1", 1, 4, 1)
    [final] = [one for one in results if one.label == "1.5.1"]
    without = [one for one in results if one is not final]
    assert [one.label for one in advance_schedule(TERMS, entrants(4), without).matches] == ["1.5.1"]
    plan = advance_schedule(TERMS, entrants(4), [*without, msgspec.structs.replace(final, winner=1)])
    assert (plan.done, "1.6.1" in plan.known) == (True, False)
    assert [row.entrant for row in plan.table] == [1, 4, 2, 3]


def test_whoever_is_withdrawn_falls_through_both_brackets():
    """2 is gone: 3 wins by walkover, and so does the loser of 1-4 when it meets 2 among the losers."""
    players = entrants(4, withdrawn=[2])
    results = play(TERMS, players)
    plan = advance_schedule(TERMS, players, results)
    walkovers = [(one.label, one.first, one.second, one.winner, one.rule) for one in plan.verdicts
                 if one.rule == "withdrawn"]  # fmt: skip
    assert walkovers == [("1.1.2", 2, 3, 3, "withdrawn"), ("1.3.1", 4, 2, 4, "withdrawn")]
    assert [row.entrant for row in plan.table] == [1, 3, 4, 2]


def test_of_two_withdrawn_at_once_the_better_seed_goes_on_in_either_bracket():
    plan = advance_schedule(TERMS, entrants(4, withdrawn=[2, 3]), [])
    assert [(one.label, one.winner) for one in plan.walkovers] == [("1.1.2", 2)]
    one = win(TERMS, plan.matches[0], 1)
    plan = advance_schedule(TERMS, entrants(4, withdrawn=[2, 3]), [one])
    assert [(one.label, one.first, one.second, one.winner) for one in plan.walkovers] == [
        ("1.1.2", 2, 3, 2),
        ("1.2.1", 1, 2, 1),
        ("1.3.1", 4, 3, 4),
        ("1.4.1", 2, 4, 4),
    ]
    assert [(match.label, match.first, match.second) for match in plan.matches] == [("1.5.1", 1, 4)]


@pytest.mark.parametrize("count", [2, 3, 6, 11, 64])
def test_a_field_that_has_gone_is_over_at_once(count):
    plan = advance_schedule(TERMS, entrants(count, withdrawn=range(1, count + 1)), [])
    assert (plan.done, plan.matches) == (True, ())
    assert len(plan.walkovers) == 2 * count - 2
    plan = advance_schedule(TERMS, entrants(count, disqualified=range(1, count + 1)), [])
    assert (plan.done, plan.matches) == (True, ())


def test_the_forecast_has_every_match_but_a_second_grand_final():
    for count in (2, 3, 6, 11, 64):
        assert len(foresee_matches(TERMS, entrants(count), [])) == 2 * count - 2


def test_a_round_robin_can_seed_it():
    later = DoubleElimination("double_elimination", "previous")
    terms = spec(Stage("round_robin"), later)
    results = play(terms, entrants(5))
    assert advance_schedule(terms, entrants(5), results).done
    assert {one.label for one in results if one.label.startswith("2.1.")} == {"2.1.2"}


def table_of(**stage):
    return {"name": "cup", "rules": "prsi", "stage": [{"format": "double_elimination", **stage}]}


def test_the_spec_has_the_key_reset_and_shows_it_where_it_differs():
    assert build_spec(table_of()).stages == (DOUBLE,)
    assert "reset" not in build_spec(table_of()).shown["stage"][0]
    assert build_spec(table_of(reset=False)).shown["stage"][0]["reset"] is False


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ({"third_place": True}, "third_place belongs to single_elimination, not double_elimination"),
        ({"reset": 2}, "reset"),
        ({"resett": True}, "resett"),
    ],
)
def test_keys_that_it_cannot_play_are_refused(stage, words):
    with pytest.raises(BadSpec, match=words):
        build_spec(table_of(**stage))


class History:
    """A random course: results in any order, withdrawals, disqualifications, matches taken back."""

    def __init__(self, count, seed):
        self.rng, self.count = random.Random(seed), count
        self.withdrawn, self.disqualified, self.results = set(), set(), {}
        self.terms = spec(DoubleElimination("double_elimination", reset=self.rng.random() < 0.8))

    @property
    def players(self):
        return entrants(self.count, self.withdrawn, self.disqualified)

    def run(self):
        """Return the last plan. A field has few departures and retakes, so that it ends."""
        left = self.count
        for _ in range(8 * self.count + 20):
            plan = advance_schedule(self.terms, self.players, self.results.values())
            self.check(plan)
            self.results |= {one.label: one for one in plan.walkovers}
            if left and self.rng.random() < 0.15:
                left -= 1
                self.disturb()
            elif plan.matches:
                chosen = self.rng.sample(plan.matches, self.rng.randint(1, len(plan.matches)))
                winners = {one.label: self.rng.choice((one.first, one.second)) for one in chosen}
                self.results |= {one.label: win(self.terms, one, winners[one.label]) for one in chosen}
            elif plan.done:
                return plan
        raise AssertionError("it does not end")

    def disturb(self):
        """Withdraw, disqualify or take back."""
        what = self.rng.choice(("withdraw", "disqualify", "retake", "retake"))
        if what == "retake" and self.results:
            del self.results[self.rng.choice(sorted(self.results))]
        elif what != "retake":
            gone = self.withdrawn if what == "withdraw" else self.disqualified
            gone.add(self.rng.randint(1, self.count))

    def check(self, plan):
        out = self.withdrawn | self.disqualified
        losses = dict.fromkeys(range(1, self.count + 1), 0)
        for verdict in plan.verdicts:
            assert max(losses[verdict.first], losses[verdict.second]) < 2
            if verdict.decided:
                losses[verdict.first if verdict.winner == verdict.second else verdict.second] += 1
        for one in plan.matches:
            assert not {one.first, one.second} & out
            assert max(losses[one.first], losses[one.second]) < 2
        again = advance_schedule(
            self.terms, self.players, self.rng.sample(list(self.results.values()), len(self.results))
        )
        assert again == plan


def check_histories(count, seeds):
    for seed in seeds:
        history = History(count, seed)
        plan = history.run()
        assert sorted(row.entrant for row in plan.table) == list(range(1, count + 1))
        lost = [row.lost for row in plan.table if row.entrant not in history.disqualified]
        assert not history.terms.stages[0].reset or min(lost[1:], default=2) == 2


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 11, 16, 21])
def test_every_history_ends_with_the_same_table_in_whatever_order_results_come(count):
    check_histories(count, range(6))


@pytest.mark.long
@pytest.mark.parametrize("count", [*range(2, 34), 48, 63, 64])
def test_many_histories_of_every_field_end(count):
    check_histories(count, range(100, 100 + max(2, 60 // count)))
