"""The moment of a fault, played again at home: the same messages, the same fault, and after a mend none."""

from __future__ import annotations

import msgspec
import pytest

from maumau import errors
from maumau.bot.sandbox import choose
from maumau.bot.table import BlockOrder, play_block
from maumau.home.entrant import unpacked
from maumau.home.moment import Bundle, Moment, bank_of

BOT = """
import sys
from maumau.bot import Bot, run
class Mine(Bot):
    def act(self, view):
        {body}
run(Mine)
"""
SHORT = "print('I have', len(view.hand), file=sys.stderr)\n        "
CRASH = SHORT + "return view.legal[0 < len(view.hand) < 4 and 10 ** 9 or 0]"
WILD = SHORT + "return '7S7S7S' if 0 < len(view.hand) < 4 else view.legal[0]"
SOUND = SHORT + "return view.legal[0]"
VARIANTS = ("mau_mau", "prsi", "pesten", "haft_khabis", "neuner", "schweizer", "app")


@pytest.fixture
def write(home):
    def written(body: str, name: str = "bot"):
        path = home.home / f"{name}.py"
        path.write_text(BOT.format(body=body))
        return str(path)

    return written


@pytest.fixture
def faults(home, write):
    """The bundles of a block that a program plays, as the arena keeps them."""

    def made(body: str, variant: str = "mau_mau", seats: int = 2, sets: int = 2) -> list[Bundle]:
        program = unpacked(write(body, "then"), home.home / "room")
        order = BlockOrder(variant, seats, [f"{n:064x}" for n in range(sets)], first_set=40, deal_ms=2000)
        outcome = play_block(order, [program, *[None] * (seats - 1)], choose("process"))
        deals = [deal for one in outcome.sets for deal in one.deals]
        return [Bundle(fault, deal.record) for deal in deals for fault in deal.faults]

    return made


@pytest.fixture
def again(home):
    """Plays a bundle again against the program in this file."""

    def played(bundle: Bundle, bot: str):
        return Moment(bundle, unpacked(bot, home.home / "room"), choose("process"), bank_of(bundle)).play()

    return played


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seats", [2, 3])
def test_the_same_program_makes_the_same_fault_at_the_same_question(faults, again, write, variant, seats):
    bundles = [bundle for bundle in faults(WILD, variant, seats) if bundle.fault.kind == "unreadable"]
    assert bundles
    for bundle in bundles:
        outcome = again(bundle, write(WILD))
        assert (outcome.kind, outcome.words) == (bundle.fault.kind, bundle.fault.words)
        assert outcome.same_question
        assert all(not step.wrong for step in outcome.steps[:-1])


def test_on_the_way_it_is_told_what_it_did_then(faults, again, write):
    bundle = faults(CRASH, sets=1)[0]
    outcome = again(bundle, write(CRASH))
    assert outcome.kind == bundle.fault.kind == "crash"
    for step in outcome.steps[:-1]:
        assert step.then in {"-", step.reply}
    assert outcome.steps[-1].then == ""


def test_a_mended_program_makes_no_fault(faults, again, write):
    for bundle in faults(CRASH, "prsi", sets=1):
        outcome = again(bundle, write(SOUND))
        assert (outcome.kind, outcome.same_question) == ("", True)
        assert outcome.steps[-1].reply


def test_a_program_that_does_not_start_is_reproduced_too(faults, again, home, write):
    broken = "pass\nraise SystemExit(3)\n#"
    bundle = faults(broken, sets=1)[0]
    assert bundle.fault.kind == "start"
    outcome = again(bundle, write(broken))
    assert (outcome.kind, outcome.words, outcome.steps) == ("start", bundle.fault.words, [])


def test_a_deal_lost_unasked_has_no_moment(faults, again, write):
    bundle = next(one for one in faults(CRASH, sets=8) if one.fault.kind == "forfeit")
    with pytest.raises(errors.NotReproducible, match="5 faults"):
        again(bundle, write(CRASH))


def test_the_command_tells_then_and_now_and_debug_leaves_the_log_on_the_terminal(home, faults, write):
    (home.home / "fault.json").write_bytes(msgspec.json.encode(faults(CRASH, sets=1)[0]))
    said = home.run("reproduce", "fault.json", write(CRASH), "--sandbox", "process", code=1)
    assert said.out.startswith("then: crash: it ended with exit code 1 (deal 40 of mau_mau, seat ")
    assert "questions: crash: it ended with exit code 1" in said.out
    assert "IndexError" not in said.err
    said = home.run("reproduce", "fault.json", write(CRASH), "--debug", code=1)
    assert "I have 3" in said.err
    assert "IndexError: list index out of range" in said.err
    said = home.run("reproduce", "fault.json", write(SOUND), "--debug")
    assert "no fault: the reply is allowed" in said.out


def test_a_file_that_is_no_bundle_is_refused_in_words(home, write):
    (home.home / "fault.json").write_text('{"fault": 1}')
    said = home.run("reproduce", "fault.json", write(SOUND), "--json", code=1)
    assert said.error()["reason"] == "BAD_BUNDLE"
    said = home.run("reproduce", "none.json", write(SOUND), "--json", code=1)
    assert said.error()["reason"] == "BAD_FILE"
