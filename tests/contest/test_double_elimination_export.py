"""Exports of double eliminations: played in memory, with real deals, and verified."""

import json

import pytest

from maumau.contest.export.verify import verify

CUP = """
name = "two-brackets"
rules = "mau_mau"
[[stage]]
format = "double_elimination"
{reset}
[match]
block = 1
cap = 2
"""


def read_results(path):
    lines = map(json.loads, path.read_text().splitlines())
    return {one["match"]: one for one in lines if one["kind"] == "result"}


@pytest.mark.sample
@pytest.mark.parametrize(
    ("count", "departure"),
    [
        (2, {}),
        (3, {}),
        (5, {}),
        (5, {"withdrawn": [2], "after": 3}),
        (6, {"withdrawn": [1, 4], "after": 5}),
        (4, {"disqualified": [1], "after": 6}),
        (5, {"withdrawn": [1, 2, 3, 4, 5], "after": 2}),
    ],
)
def test_a_double_elimination_is_exported_and_verified(hold, count, departure):
    cup = hold(CUP.format(reset=""), count, **departure)
    report = verify(cup.path)
    assert (report.differences, report.ok) == ((), True)
    assert len(read_results(cup.path)) in {2 * count - 2, 2 * count - 1}


def test_the_end_of_one_grand_final_is_bound_by_the_spec(hold, tmp_path):
    cup = hold(CUP.format(reset="reset = false"), 3)
    spec = json.loads(cup.path.read_text().splitlines()[0])
    assert spec["spec"]["stage"][0]["reset"] is False
    assert verify(cup.path).ok
    other = tmp_path / "other.jsonl"
    other.write_text(cup.path.read_text().replace('"reset":false,', "", 1).replace(',"reset":false', "", 1))
    assert other.read_text() != cup.path.read_text()
    assert not verify(other).ok


def test_a_winner_of_a_match_that_is_swapped_is_found(hold, tmp_path):
    """The loser of the winners' final goes on in the losers' final: another winner, another pairing."""
    cup = hold(CUP.format(reset=""), 3)
    final = read_results(cup.path)["1.2.1"]
    other = ({final["first"], final["second"]} - {final["winner"]}).pop()
    text = json.dumps(final, separators=(",", ":"))
    assert text in cup.path.read_text()
    forged = tmp_path / "forged.jsonl"
    swapped = text.replace(f'"winner":{final["winner"]}', f'"winner":{other}')
    forged.write_text(cup.path.read_text().replace(text, swapped))
    assert not verify(forged).ok
