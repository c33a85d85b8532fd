"""Withdrawals, walkovers and retakes that are invented afterwards contradict the links that were told."""

import pytest

from maumau.contest.export import write as export
from maumau.contest.export.chain import (
    Chain,
    Decision,
    Disqualification,
    End,
    Retaking,
    Withdrawal,
    link_events,
    list_departures,
    read_event,
    write_event,
)
from maumau.contest.export.line import result_digest
from maumau.contest.export.verify import verify
from tests.contest.conftest import MEASURED, SECRET, SMALL, Arena, entrants
from tests.support.terminal import Terminal

FINAL = "2.2.1"


@pytest.fixture(scope="module")
def honest(hold):
    return hold(SMALL, 3)


def told(honest):
    """The links in the order in which watchers were told them."""
    return [link for _, link in link_events(honest.arena.root, honest.arena.chain(honest.results).events)]


class Forger(Arena):
    """Has everything of an arena, and changes who departed before the final was decided."""

    def __init__(self, honest, version=4, **departed):
        super().__init__(honest.spec, SECRET, entrants(len(honest.entrants)), version=version)
        self.results = self.run(**departed, after=len(honest.results) - 1)

    def forge(self, path, events, seen=()):
        given = (self.spec, SECRET, self.entrants, self.results, self.sets, MEASURED)
        export.write_export(path, *given, Chain(events, self.version))
        return verify(path, seen=seen)


def finalists(honest):
    final = next(one for one in honest.results if one.label == FINAL)
    return final.winner, final.first + final.second - final.winner


def fields(report):
    return {one.field for one in report.differences}


@pytest.mark.sample
@pytest.mark.parametrize("departure", ["withdrawn", "disqualified"])
def test_a_winner_who_departs_after_the_fact_does_not_go_with_the_true_chain(honest, tmp_path, departure):
    forger = Forger(honest, **{departure: [finalists(honest)[0]]})
    chain = list(honest.arena.chain(honest.results).events)
    report = forger.forge(tmp_path / "forged.jsonl", chain, told(honest))
    assert not report.ok
    assert report.missed == ()
    assert {"entrant", "decided", "end"} <= fields(report)


def test_two_finalists_who_withdraw_after_the_fact_do_not_go_with_the_true_chain(honest, tmp_path):
    """Nor can the loser be named the winner: the better seed wins against somebody who went before it."""
    winner, loser = finalists(honest)
    forger = Forger(honest, withdrawn=[winner, loser])
    final = next(one for one in forger.results if one.label == FINAL)
    chain = list(honest.arena.chain(honest.results).events)
    assert not forger.forge(tmp_path / "kept.jsonl", chain, told(honest)).ok
    anew = list(forger.chain(forger.results).events)
    report = forger.forge(tmp_path / "anew.jsonl", anew)
    assert report.ok  # nobody has seen a link
    other = final.first + final.second - final.winner
    forger.results = [
        one if one.label != FINAL else type(one)(**{**dict_of(one), "winner": other})
        for one in forger.results
    ]
    report = forger.forge(tmp_path / "loser.jsonl", list(forger.chain(forger.results).events))
    assert [(one.field, one.said) for one in report.differences if one.field == "winner"] == [
        ("winner", str(other))
    ]


def dict_of(verdict):
    return {name: getattr(verdict, name) for name in verdict.__struct_fields__}


def before_decision(honest):
    """The true events before the final was decided, and the number of the last one's link."""
    chain = list(honest.arena.chain(honest.results).events)
    place = next(at for at, event in enumerate(chain) if event.key == f"{FINAL} 1 decided")
    return chain[:place]


def test_a_withdrawal_that_is_put_before_the_decision_breaks_every_link_from_there_on(honest, tmp_path):
    forger = Forger(honest, withdrawn=[finalists(honest)[0]])
    kept = before_decision(honest)
    decision = Decision(FINAL, 1, result_digest(forger.results[-1]))
    events = [*kept, *list_departures(forger.entrants), decision, End(forger.compared(forger.results))]
    seen = told(honest)
    late = forger.forge(tmp_path / "forged.jsonl", events, [seen[len(kept)]])
    assert late.missed == (seen[len(kept)],)
    assert not late.ok
    early = verify(tmp_path / "forged.jsonl", seen=[seen[len(kept) - 1]])
    assert early.ok  # nothing that was told before the final was decided speaks against it …
    assert early.vouched == len(kept)  # … and verify says how far that reaches, and what it is about
    gone = early.departed[0]
    assert (gone.name, gone.link, gone.reason) == (f"bot-{finalists(honest)[0]}", len(kept) + 1, "")
    walkover = early.walkovers[FINAL]
    assert (walkover.loser, walkover.rule, walkover.blocks) == (gone.name, "withdrawn", 12)


def test_a_retake_that_is_invented_after_the_last_link_is_named_and_breaks_the_end(honest, tmp_path):
    forger = Forger(honest, withdrawn=[finalists(honest)[0]])
    chain = list(honest.arena.chain(honest.results).events)[:-1]
    again = Decision(FINAL, 2, result_digest(forger.results[-1]))
    end = End(forger.compared(forger.results))
    events = [*chain, *list_departures(forger.entrants), Retaking(FINAL, 1), again, end]
    seen = told(honest)
    ended = forger.forge(tmp_path / "forged.jsonl", events, [seen[-1]])
    assert ended.missed == (seen[-1],)
    before = verify(tmp_path / "forged.jsonl", seen=[seen[-2]])
    assert before.ok
    assert before.retaken[FINAL] > before.vouched == len(chain)


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda events: events[:-1], "end"),
        (lambda events: [*events[:-1], End("0" * 64)], "end"),
        (lambda events: [events[-1], *events[:-1]], "end"),
        (lambda events: [*events[:-1], Withdrawal(1), events[-1]], "values.event"),
        (lambda events: [*events[:-1], Disqualification(1, "0" * 64), events[-1]], "values.event"),
        (lambda events: [one for one in events if one.key != f"{FINAL} 1 decided"], "decided"),
        (lambda events: [*events[:-1], Decision("9.9.9", 1, "0" * 64), events[-1]], "retaken"),
        (lambda events: [*events[:-1], Retaking(FINAL, 1), events[-1]], "retaken"),
        (lambda events: [*events[:-1], Decision(FINAL, 1, "0" * 64), events[-1]], "values"),
        (lambda events: [*events[:-1], Decision(FINAL, 10**17, "0" * 64), events[-1]], "retaken"),
    ],
)
def test_events_that_cannot_be_are_found_in_the_file_alone(honest, tmp_path, change, field):
    events = change(list(honest.arena.chain(honest.results).events))
    path = tmp_path / "forged.jsonl"
    given = (honest.spec, SECRET, honest.entrants, honest.results, honest.arena.sets, MEASURED)
    export.write_export(path, *given, Chain(events))
    assert field in fields(verify(path))


def test_in_version_3_an_invented_withdrawal_is_found_by_compared_and_named(hold, tmp_path):
    """Its links are about blocks alone; contests that began with it end with it."""
    old = hold(SMALL, 3, version=3)
    forger = Forger(old, version=3, withdrawn=[finalists(old)[0]])
    chain = old.arena.bookings()
    seen = [link for _, link in link_events(old.arena.root, chain)]
    report = forger.forge(tmp_path / "forged.jsonl", chain, seen)
    assert report.ok
    assert report.walkovers[FINAL].blocks == 12
    assert report.departed[0].link == 0
    assert '"claim":"leads"' in final_line(tmp_path / "forged.jsonl")
    assert not verify(tmp_path / "forged.jsonl", seen=[verify(old.path).compared]).ok


def final_line(path):
    """The result line of the final, in which nothing was played."""
    head = f'{{"kind":"result","match":"{FINAL}"'
    return next(line for line in path.read_text().splitlines() if line.startswith(head))


def test_a_walkover_is_claimed_as_one(honest, tmp_path):
    forger = Forger(honest, withdrawn=[finalists(honest)[0]])
    path = tmp_path / "walkover.jsonl"
    forger.write(path, forger.results)
    assert verify(path).ok
    assert '"claim":"walkover"' in final_line(path)


def test_a_version_cannot_be_taken_back(honest, tmp_path):
    """Else a forger would choose the one whose links say least: the root binds it."""
    forger = Forger(honest, withdrawn=[finalists(honest)[0]])
    path = tmp_path / "forged.jsonl"
    given = (forger.spec, SECRET, forger.entrants, forger.results, forger.sets, MEASURED)
    export.write_export(path, *given, Chain(honest.arena.bookings(), 3))
    assert "record, deal 1, seed" in fields(verify(path))


@pytest.mark.parametrize(
    "event",
    [
        Retaking("1.1.2", 1),
        Withdrawal(2),
        Disqualification(2, "88" * 32),
        Decision("1.1.2", 1, "77" * 32),
        End("99" * 32),
    ],
)
def test_the_text_of_an_event_has_one_reading(event):
    assert read_event(write_event(event)) == event
    text = write_event(event)
    for other in (f"{text} ", f" {text}", f"{text}\n", text.replace(" ", "  "), text.replace(" 1", " 01")):
        assert other == text or read_event(other) is None


def test_the_command_says_who_departed_and_how_far_links_reach(honest, tmp_path):
    forger = Forger(honest, withdrawn=[finalists(honest)[0]])
    kept = before_decision(honest)
    decision = Decision(FINAL, 1, result_digest(forger.results[-1]))
    events = [*kept, *list_departures(forger.entrants), decision, End(forger.compared(forger.results))]
    forger.forge(path := tmp_path / "forged.jsonl", events)
    seen = told(honest)[len(kept) - 1]
    said = Terminal(tmp_path).run("verify", str(path), "--compared", seen).out
    name = f"bot-{finalists(honest)[0]}"
    count = len(kept)
    assert (
        f"what you saw vouches for links 1 to {count} of {count + 3}; only a later link, or `compared`,"
        in said
    )
    assert f"{name} was withdrawn (link {count + 1})" in said
    assert f"match {FINAL} is a walkover, because {name} was withdrawn, although 12 blocks" in said
