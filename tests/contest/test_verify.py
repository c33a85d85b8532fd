"""An export is checked by playing everything in it again; what differs is named by line and field."""

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau import game
from maumau.contest.export import line
from maumau.contest.export import write as export
from maumau.contest.export.chain import Chain, Decision, End, Withdrawal, add_link, write_event
from maumau.contest.export.check import check_records
from maumau.contest.export.line import result_digest
from maumau.contest.export.verify import verify
from maumau.contest.export.write import Digest
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.spec.spec import parse_spec
from maumau.errors import UnreadableExport
from tests.contest.conftest import MEASURED, SECRET, SMALL, Arena, entrants
from tests.support.kinds import one_of


@pytest.fixture
def forge(small, tmp_path):
    """Writes the export anew with changed lines, every sum and hash right: only the meaning is wrong."""

    def forge(change):
        lines = [json.loads(text[: -line.TAIL] + "}") for text in small.path.read_text().splitlines()][:-1]
        changed = change(lines)
        path = tmp_path / "forged.export.jsonl"
        path.write_bytes(b"".join(sealed(lines if changed is None else changed)))
        return verify(path)

    return forge


def sealed(lines):
    """The lines with their sums, the end of the chain and the last line made right again."""
    digest, chain = Digest(), ""
    for one in lines:
        values = one.get("values") if one["kind"] == "measured" else None
        values = values if isinstance(values, dict) else {}
        if str(values.get("event", "")).startswith("end "):
            ended = End(digest.build_end().compared)
            one["values"] = values = {"event": write_event(ended), "chain": add_link(chain, ended)}
        chain = values.get("chain", "")
        body = json.dumps(one, separators=(",", ":"), ensure_ascii=False).encode()[:-1]
        data = body + b',"sum":"' + line.check_sum(body) + b'"}\n'
        digest.add_line(one["kind"], data)
        yield data
    yield line.encode_line(digest.build_end())


def rewrite(small, tmp_path, kind, change):
    """Change the bytes of the first line of a kind, and make every sum and hash right again."""
    digest, data = Digest(), []
    for text in small.path.read_bytes().splitlines()[:-1]:
        body = text[: -line.TAIL]
        if body.startswith(b'{"kind":"%s"' % kind.encode()) and change:
            old, new = change
            assert old in body
            body, change = body.replace(old, new, 1), None
        data.append(body + b',"sum":"' + line.check_sum(body) + b'"}\n')
        digest.add_line(json.loads(body + b"}")["kind"], data[-1])
    path = tmp_path / "rewritten.export.jsonl"
    path.write_bytes(b"".join([*data, line.encode_line(digest.build_end())]))
    return verify(path)


def number(lines, kind, nth=0):
    """Return the line number of the nth line of a kind."""
    return [place for place, one in enumerate(lines, start=1) if one["kind"] == kind][nth]


def fields(report):
    return [(one.line, one.field) for one in report.differences]


def test_a_tournament_as_it_was_played_agrees(tournament):
    report = verify(tournament.path)
    assert report.differences == ()
    assert report.ok
    assert report.matches == 10
    assert report.sets == sum(one.counted for one in tournament.results)
    assert report.lines == len(tournament.path.read_bytes().splitlines())


def test_whether_the_secret_was_given_or_drawn_is_said_and_compared_with_nothing(tournament, forge, small):
    assert verify(tournament.path).secret == "given"

    def drawn(lines):
        lines[number(lines, "measured") - 1]["values"]["secret"] = "drawn"

    report = forge(drawn)
    assert report.ok
    assert report.secret == "drawn"


@pytest.mark.parametrize("rules", ["mau_mau", "prsi", "app"])
@pytest.mark.parametrize("score", ["win", "places", "points"])
def test_every_variant_and_score_agrees(hold, rules, score):
    toml = SMALL.replace('"mau_mau"', f'"{rules}"\nscore = "{score}"').replace("cap = 2", "cap = 1")
    assert verify(hold(toml, 2).path).differences == ()


@pytest.mark.long
@pytest.mark.parametrize("count", one_of(3, [3, 5, 6, 7]))
def test_a_bracket_with_byes_agrees(hold, count):
    """With five a semi-final is known before the one above it."""
    assert verify(hold(SMALL, count).path).differences == ()


@pytest.mark.sample
@pytest.mark.parametrize("after", [1, 4, 6])
def test_withdrawals_agree(hold, after):
    toml = SMALL.replace('seeds = "previous"', 'seeds = "previous"\nthird_place = true')
    held = hold(toml, 4, withdrawn=[1, 3], after=after)
    assert any(one.rule == "withdrawn" for one in held.results)
    assert verify(held.path).differences == ()


def test_a_walkover_stands_when_its_winner_is_withdrawn_later(tmp_path):
    """1 goes before any deal, 2 after it: 2 won against 1, the better seed, and 3 against both."""
    toml = SMALL[: SMALL.index("[[stage]]", SMALL.index("[[stage]]") + 1)] + SMALL[SMALL.index("[match]") :]
    arena = Arena(parse_spec(toml), SECRET, entrants(3))
    first = advance_schedule(arena.spec, entrants(3, withdrawn=[1]), []).verdicts
    both = entrants(3, withdrawn=[1, 2])
    results = list(advance_schedule(arena.spec, both, first).verdicts)
    assert {frozenset((one.first, one.second)): one.winner for one in results} == {
        frozenset((1, 2)): 2, frozenset((1, 3)): 3, frozenset((2, 3)): 3,
    }  # fmt: skip
    path = tmp_path / "cup.export.jsonl"
    arena.entrants = both
    of_first = [one for one in results if 1 in {one.first, one.second}]
    rest = [one for one in results if one not in of_first]
    events = [Withdrawal(1), *decisions(of_first), Withdrawal(2), *decisions(rest)]
    ended = Chain([*events, End(arena.compared(results))])
    export.write_export(path, arena.spec, SECRET, both, results, arena.sets, MEASURED, ended)
    assert verify(path).differences == ()
    late = Chain([Withdrawal(1), Withdrawal(2), *decisions(results), End(arena.compared(results))])
    export.write_export(path, arena.spec, SECRET, both, results, arena.sets, MEASURED, late)
    assert [(one.field, one.said, one.found) for one in verify(path).differences] == [("winner", "2", "1")]


def decisions(results):
    return [Decision(one.label, 1, result_digest(one)) for one in results]


@pytest.mark.sample
@pytest.mark.parametrize("after", [1, 4, 7, 8])
def test_disqualifications_agree(hold, after):
    """In the first stage, between the two, after a semi-final and after both."""
    toml = SMALL.replace('seeds = "previous"', 'seeds = "previous"\nthird_place = true')
    held = hold(toml, 4, disqualified=[2], after=after)
    theirs = [one for one in held.results if 2 in {one.first, one.second}]
    assert {(one.rule, one.winner != 2) for one in theirs} == {("disqualified", True)}
    assert verify(held.path).differences == ()


def test_records_can_be_played_again_in_other_processes(small):
    def shipped(function, jobs):
        assert pickle.loads(pickle.dumps(function)) is check_records
        for job in jobs:
            yield pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(job)))))

    assert verify(small.path, shipped) == verify(small.path)


def edit(kind, nth=0, **values):
    """Return a forger that changes these fields of the nth line of a kind."""

    def change(lines):
        lines[number(lines, kind, nth) - 1].update(values)

    return change


def edit_record(old, new, count=1):
    def change(lines):
        one = lines[number(lines, "record") - 1]
        assert old in one["record"]
        one["record"] = one["record"].replace(old, new, count)

    return change


def swap_seats(lines):
    one = lines[number(lines, "record") - 1]
    one["seats"] = one["seats"][::-1]


def crash_winner(lines):
    """Change the first deal's record so that its winner lost it by a fault."""
    one = lines[number(lines, "record") - 1]
    head, _, tail = one["record"].partition("result places ")
    one["record"] = f"{head}forfeit {'A' if tail.startswith('1') else 'B'} crash\nresult places {tail}"


@pytest.mark.sample(28)
@pytest.mark.parametrize(
    ("change", "kind", "nth", "field"),
    [
        (edit("spec", commitment="0" * 64), "spec", 0, "commitment"),
        (edit("spec", root="0" * 64), "spec", 0, "root"),
        (edit("spec", rules_hash="0" * 64), "spec", 0, "rules_hash"),
        (edit("spec", secret="another-secret-of-mine"), "spec", 0, "commitment"),
        (edit("entry", sha256="0" * 64), "spec", 0, "root"),
        (edit("entry", 1, number=3), "entry", 1, "number"),
        (edit("entry", 1, name="somebody else"), "spec", 0, "root"),
        (edit("block", digest="0" * 64), "block", 0, "digest"),
        (swap_seats, "record", 0, "seats[0][0]"),
        (edit("block", total=3), "block", 0, "total"),
        (edit("block", llr=2.5), "block", 0, "llr"),
        (edit("block", 1, block=0), "block", 1, "block"),
        (edit("block", first_set=1), "block", 0, "first_set"),
        (edit("record", match="1.2.1"), "record", 0, "seed"),
        (edit("record", set=7), "record", 0, "seed"),
        (edit("record", seed="0" * 64), "record", 0, "seed"),
        (edit("record", score=1), "record", 0, "score"),
        (edit("record", points=[99, 0]), "record", 0, "points[0]"),
        (edit("record", points=[99]), "record", 0, "points"),
        (edit("record", scores=[2, 2]), "record", 0, "scores"),
        (edit_record("[seats 2]", "[seats 3]"), "record", 0, "record, deal 1"),
        (edit_record("deal A", "deal  A"), "record", 0, "record, deal 1"),
        (crash_winner, "record", 0, "record, deal 1"),
        (edit_record(" points ", " points 1"), "record", 0, "record, deal 1"),
        (edit_record("[maumau 1]\n", ""), "record", 0, "record, deal 1"),
        (edit_record("[maumau 1]\n", "[maumau 1]\n" * 2), "record", 0, "record"),
        (edit_record("]\n[rules", "]\n\n[rules"), "record", 0, "record, deal 1"),
        (edit("result", winner=3), "result", 0, "winner"),
        (edit("result", rule="sequential"), "result", 0, "rule"),
        (edit("result", counted=1), "result", 0, "counted"),
        (edit("result", estimate=0.9), "result", 0, "estimate"),
        (edit("result", interval=[0.01, 1.0]), "result", 0, "interval[0]"),
        (edit("result", claim="better"), "result", 0, "claim"),
        (edit("result", first=1), "result", 0, "first"),
        (edit("table", rating=900.0), "table", 0, "rating"),
        (edit("table", 1, rule="direct encounter"), "table", 1, "rule"),
        (edit("table", 3, entrant=3, name="bot-3"), "table", 3, "entrant"),
        (edit("table", place=2), "table", 0, "place"),
        (edit("carryover", p=0.001), "carryover", 0, "p"),
        (edit("carryover", 1, suspicious=True), "carryover", 1, "suspicious"),
        (edit("carryover", 2, sets=9), "carryover", 2, "sets"),
        (edit("carryover", estimate=0.5), "carryover", 0, "estimate"),
        (edit("measured", values={"secret": "guessed"}), "measured", 0, "values.secret"),
        (edit("measured", 1, of="tournament"), "measured", 1, "of"),
        (edit("measured", 1, of="Tournament"), "measured", 1, "of"),
        (edit("measured", 1, of="winner ada"), "measured", 1, "of"),
        (edit("measured", 1, of="block 9.9.9 0"), "measured", 1, "of"),
        (edit("measured", 1, of="block 1.1.1 00"), "measured", 1, "of"),
        (edit("measured", 1, of="block 1.1.1 ٣"), "measured", 1, "of"),
        (edit("measured", 1, of="match 1.1.1\n"), "measured", 1, "of"),
        (edit("measured", 1, of="set 1.1.1"), "measured", 1, "of"),
        (edit("measured", 1, of="entry 0"), "measured", 1, "of"),
        (edit("measured", 1, of="entry 99"), "measured", 1, "of"),
        (edit("measured", 1, of=""), "measured", 1, "of"),
        (edit("measured", 2, of="booking 2"), "measured", 2, "of"),
        (edit("measured", 2, values={"secret": "given"}), "measured", 2, "values"),
    ],
)
def test_a_forged_line_is_found_by_its_meaning(forge, small, change, kind, nth, field):
    lines = [json.loads(text) for text in small.path.read_text().splitlines()]
    report = forge(change)
    assert (number(lines, kind, nth), field) in fields(report)


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_value_anywhere_breaks_the_verification(small, tmp_path_factory, data):
    """Any field of any line with any value: found, or the same as it was, but never an exception.

    Another version is refused as a whole.
    """
    lines = [json.loads(text[: -line.TAIL] + "}") for text in small.path.read_text().splitlines()][:-1]
    kind = data.draw(
        st.sampled_from(["spec", "entry", "block", "record", "result", "table", "carryover", "measured"])
    )
    one = data.draw(st.sampled_from([one for one in lines if one["kind"] == kind]))
    table = one["spec"] if kind == "spec" and data.draw(st.booleans()) else one
    key = data.draw(st.sampled_from(sorted(set(table) - {"kind"})))
    before = table[key]
    table[key] = data.draw(anything)
    path = tmp_path_factory.mktemp("forged") / "forged.export.jsonl"
    path.write_bytes(b"".join(sealed(lines)))
    try:
        report = verify(path)
    except UnreadableExport as error:
        report, refused = None, str(error)
    if report is None:
        assert (key, "is an export of version" in refused) == ("version", True)
        return
    # nothing follows from who went when all was decided, nor from what the tournament is called
    free = key == "withdrawn" or (kind, key) == ("spec", "name")
    assert not report.ok or same(before, table[key]) or kind == "measured" or free


def same(before, after):
    return type(before) is type(after) and before == after


def drop(kind, nth=0):
    def change(lines):
        del lines[number(lines, kind, nth) - 1]

    return change


def double(kind, nth=0):
    def change(lines):
        place = number(lines, kind, nth)
        lines.insert(place, lines[place - 1])

    return change


def swap_entries(lines):
    lines[1], lines[2] = lines[2] | {"number": 1}, lines[1] | {"number": 2}


def drop_last_match(lines):
    last = [one for one in lines if one.get("match") == "2.2.1"]
    return [one for one in lines if one not in last]


def play_another_deal(lines):
    """Replace a record by a valid one of a deal that the secret does not give."""
    one = lines[number(lines, "record") - 1]
    deal = game.deal(game.load("mau_mau"), 2, "0" * 64)
    while not deal.over:
        deal.apply(deal.to_act[0], game.first_action(deal, deal.to_act[0]))
    one["record"] = game.record(deal) * 2


def play_other_rules(lines):
    one = lines[number(lines, "record") - 1]
    deal = game.deal(game.load("mau_mau", deal=6), 2, one["seed"])
    while not deal.over:
        deal.apply(deal.to_act[0], game.first_action(deal, deal.to_act[0]))
    one["record"] = game.record(deal) * 2


def deal_by_hand(lines):
    one = lines[number(lines, "record") - 1]
    deal = game.deal_by_hand(game.load("mau_mau"), {0: "7H", 1: "8C"}, "9H", "TS JD QC", 0, one["seed"])
    deal.apply(0, "7H")
    while not deal.over:
        deal.apply(deal.to_act[0], game.first_action(deal, deal.to_act[0]))
    one["record"] = game.record(deal) * 2


def claim_a_withdrawal(lines):
    """Claim a withdrawal that never happened, for a match without sets."""
    mine = [one for one in lines if one.get("match") == "1.1.1" and one["kind"] != "result"]
    lines[number(lines, "result") - 1] |= {"rule": "withdrawn", "winner": 2}
    return [one for one in lines if one not in mine]


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (swap_entries, "line 1, root: says"),
        (drop("entry", 2), "line 1, root: says"),
        (drop("record"), 'line 6, kind: says "block", should be "record"'),
        (drop("block"), 'line 5, kind: says "record", should be "block"'),
        (double("record"), 'line 7, kind: says "record", should be "block"'),
        (double("block", 1), 'line 8, kind: says "block", should be "record"'),
        (drop("result"), "kind: says"),
        (drop_last_match, "should be the match 2.2.1, which is not decided"),
        (double("result", 4), "no further match: all is decided"),
        (drop("table", 1), "table: says"),
        (drop("carryover"), "table: says"),
        (play_another_deal, "record, deal 1, seed: says"),
        (play_other_rules, "record, deal 1, rules: says"),
        (deal_by_hand, "record, deal 1, seed: says"),
        (claim_a_withdrawal, "open: 0 sets do not decide it"),
        (edit("entry", disqualified="nobody was"), 'kind: says "block", should be "result"'),
        (lambda lines: [*lines, lines[0]], 'kind: says "spec", should be a line of another kind'),
        (lambda lines: lines[1:], 'line 1, kind: says "entry", should be a line of another kind first: spec'),
        (lambda lines: [lines[0], *lines[2:3], *lines[4:]], "A tournament needs two entrants or more"),
        (edit("spec", spec={"name": "x"}), "spec: says"),
        (edit("record", surprise=1), "line 6, surprise: says"),
        (edit("result", rule="a coin"), "rule: says"),
    ],
)
def test_a_forged_order_is_found(forge, change, words):
    report = forge(change)
    assert not report.ok
    assert any(words in str(one) for one in report.differences), [str(one) for one in report.differences]


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("result", b'"winner":', b'"winner":9,"winner":'),
        ("spec", b'"rules":', b'"rules":"prsi","rules":'),
        ("spec", b'"secret":', b'"root":"","secret":'),
        ("entry", b'"name":"', b'"name":"other","name":"'),
        ("record", b'"score":', b'"score":0,"score":'),
        ("table", b'"place":', b'"place":2,"place":'),
        ("measured", b'"of":', b'"of":"tournament","of":'),
        ("block", b'"llr":', b'"llr": '),
        ("entry", b'"withdrawn":false', b'"withdrawn":false,"disqualified":""'),  # a default that is left out
        ("entry", b'"name":"', b'"name":"\\u0061'),
        ("table", b'"low":', b'"low":1e-400,"low":'),
        ("result", b'"estimate":0', b'"estimate":0e0,"estimate":0'),
    ],
)
def test_a_line_has_one_reading(small, tmp_path, kind, old, new):
    report = rewrite(small, tmp_path, kind, (old, new))
    assert not report.ok
    assert report.differences[0].line


def test_a_rewritten_export_without_a_change_agrees(small, tmp_path):
    assert rewrite(small, tmp_path, "", None).ok


def test_an_export_of_another_version_is_refused_with_its_version(forge):
    words = "is an export of version 2, and this library checks versions 3 and 4"
    with pytest.raises(UnreadableExport, match=words):
        forge(edit("spec", version=2))


def test_what_is_no_export_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    with pytest.raises(UnreadableExport, match="cannot be read: No such file or directory"):
        verify(path)
    path.write_text("")
    with pytest.raises(UnreadableExport, match="is empty"):
        verify(path)
    path.write_text("shopping list\nbread\n")
    with pytest.raises(UnreadableExport, match="is not an export of a contest"):
        verify(path)
    with pytest.raises(UnreadableExport, match="Is a directory"):
        verify(tmp_path)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("cup.export.jsonl.gz", "gunzip cup.export.jsonl.gz"),
        ("my cup.gz", "gunzip 'my cup.gz'"),
        ("cup.export.jsonl", "gunzip < cup.export.jsonl > NAME"),  # gunzip takes no such name
    ],
)
def test_a_compressed_export_is_refused_with_the_command_that_unpacks_it(
    small, tmp_path, monkeypatch, name, command
):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(gzip.compress(small.path.read_bytes()))
    with pytest.raises(UnreadableExport) as refused:
        verify(Path(name))
    assert str(refused.value) == f"{name} is compressed with gzip; `{command}` unpacks it."


def test_a_field_of_any_name_is_named_in_few_words(forge):
    def rename(lines):
        lines[0]["spec"]["k" * 100_000] = 1

    (difference,) = forge(rename).differences
    assert len(str(difference)) < 4000


@pytest.mark.parametrize("name", ["x" * 100_000, "\0", "../variants/prsi"])
def test_a_variant_of_any_name_is_one_that_there_is_not(forge, name):
    def rename(lines):
        lines[0]["spec"]["rules"] = name

    (difference,) = forge(rename).differences
    assert "there is no variant" in difference.found


def test_a_line_that_is_nothing_but_a_sum_is_a_difference(small, tmp_path):
    first, rest = small.path.read_bytes().split(b"\n", 1)
    path = tmp_path / "sum.export.jsonl"
    path.write_bytes(first + b'\n,"sum":"0123456789abcdef"}\n' + rest)
    assert [one.line for one in verify(path).differences][:1] == [2]
