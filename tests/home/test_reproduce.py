"""The moment of a fault, played again at home: the same messages, the same fault, and after a mend none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import msgspec
import pytest

from bench.support.checkout import ROOT
from bench.support.patience import patient
from maumau import errors
from maumau.game import order_deals
from maumau.home.bundle import Bundle, RuleSet
from maumau.home.entrant import unpack_program
from maumau.home.moment import ReplayedMoment
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.launch import choose_sandbox
from tests.support.again import play_until_a_result
from tests.support.kinds import one_of

ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
BOT = """
import sys
from maumau.bot import Bot, run
class Mine(Bot):
    def act(self, view):
        {body}
run(Mine)
"""
SHORT = "print('I have', len(view.hand), file=sys.stderr)\n        "
FEW = "0 < len(view.hand) < 4"
CRASH = SHORT + f"return view.legal[{FEW} and 10 ** 9 or 0]"
WILD = SHORT + f"return '7S7S7S' if {FEW} else view.legal[0]"
SOUND = SHORT + "return view.legal[0]"
VARIANTS = ("mau_mau", "prsi", "pesten", "haft_khabis", "neuner", "schweizer", "app")
SPOILS = {  # actions of a program with few cards
    "illegal": "return '!'",
    "unreadable": "return chr(0) + '[' * 9999",
    "crash": "sys.exit(7)",
    "time": "all(_ == 0 for _ in iter(int, 1))",
    "wall": "import time; time.sleep(999)",
    "output": "return 'x' * 70_000",
    "memory": "self.all = bytearray(1 << 30)",
}


@pytest.fixture
def write(home):
    def written(body: str, name: str = "bot"):
        path = home.home / f"{name}.py"
        path.write_text(BOT.format(body=body))
        return str(path)

    return written


@pytest.fixture
def faults(home, write):
    """Return the bundles of a block that a program plays, as the arena keeps them."""

    def made(
        body: str, variant: str = "mau_mau", seats: int = 2, sets: int = 2, at_once: int = 1, **sizes
    ) -> list[Bundle]:
        program = unpack_program(write(body, "then"), home.home / "room")
        manifest = msgspec.structs.replace(program.manifest, concurrent=at_once)
        program = msgspec.structs.replace(program, manifest=manifest)
        others = [unpack_program("random", home.home / "room") if at_once > 1 else None] * (seats - 1)
        seeds = [f"{n:064x}" for n in range(sets)]
        order = BlockOrder(variant, seats, seeds, first_set=40, **{"deal_ms": 2000, **sizes})
        outcome = play_until_a_result(
            lambda: play_block(order, [program, *others], choose_sandbox("process"))
        )
        deals = [deal for one in outcome.sets for deal in one.deals]
        return [Bundle(fault, deal.record, order.memory_mib) for deal in deals for fault in deal.faults]

    return made


@pytest.fixture
def again(home):
    """Plays a bundle again against the program in this file."""

    def played(bundle: Bundle, bot: str):
        program = unpack_program(bot, home.home / "room")
        return play_until_a_result(lambda: ReplayedMoment(bundle, program, choose_sandbox("process")).play())

    return played


def of(fault):
    return fault.kind, fault.words, fault.exit


@pytest.mark.long
@pytest.mark.parametrize(
    ("variant", "seats"),
    one_of(4, [(variant, 2 + number % 2) for number, variant in enumerate(2 * VARIANTS)]),
)
def test_the_same_program_makes_the_same_fault_at_the_same_question(faults, again, write, variant, seats):
    bundles = [bundle for bundle in faults(WILD, variant, seats) if bundle.fault.kind == "unreadable"]
    assert bundles
    for bundle in bundles:
        outcome = again(bundle, write(WILD))
        assert of(outcome.fault) == of(bundle.fault)
        assert outcome.same_question
        assert all(not step.wrong for step in outcome.steps[:-1])


@pytest.mark.long
@pytest.mark.parametrize("kind", one_of(3, SPOILS))
def test_a_fault_of_every_kind_is_made_again(faults, again, write, kind):
    body = SHORT + f"if {FEW}: {SPOILS[kind]}\n        return view.legal[0]"
    soon = 100 if kind in {"time", "wall"} else 2000  # ms: who is to fail in another way has time enough
    (bundle, *_) = faults(body, sets=1, deal_ms=soon, memory_mib=128)
    assert bundle.fault.kind == kind, bundle
    outcome = again(bundle, write(body))
    assert (outcome.fault.kind, outcome.same_question) == (kind, True)
    assert outcome.fault.exit == bundle.fault.exit
    assert len(outcome.steps) > 1
    assert outcome.steps[-1].ask == bundle.fault.ask


OWN = """
title = "Wasp: sevens sting thrice"
source = "at home"
extends = "prsi"
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""


@pytest.mark.long
def test_a_fault_in_a_variant_of_ones_own_is_made_again_without_its_file(home, faults, write):
    """The bundle has the text, so hello tells all of the rules; without it nothing can be asked."""
    found = faults(WILD, "wasp", variant_toml=OWN)
    bundle = next(one for one in found if one.fault.kind == "unreadable")
    whole = msgspec.structs.replace(bundle, rules=RuleSet("wasp", OWN))
    (home.home / "fault.json").write_bytes(msgspec.json.encode(whole))
    hello, *_ = home.run("reproduce", "fault.json").out.splitlines()
    assert msgspec.json.decode(hello)["rules"]["variant"]["options"]["seven_n"]["default"] == 3
    words = ["reproduce", "fault.json", "--sandbox", "process"]
    said = home.run(*words, write(WILD), code=1).out
    assert "of wasp, seat" in said
    assert "now, after" in said
    assert "differs from the one in the bundle" not in said
    assert "no fault: the reply is allowed" in home.run(*words, write(SOUND)).out
    (home.home / "fault.json").write_bytes(msgspec.json.encode(bundle))
    assert "there is no variant 'wasp'" in home.run(*words, write(WILD), code=1).err


@pytest.mark.long
def test_a_bank_spent_while_others_think_leaves_a_question_that_was_never_sent(home, faults, write):
    body = "import threading, time\n        def burn():\n            while True: pass\n"
    body += "        threading.Thread(target=burn, daemon=True).start()\n        return view.legal[0]"
    bundle = next(
        one for one in faults(body, sets=3, deal_ms=30) if one.fault.kind == "time" and one.fault.ask
    )
    (home.home / "fault.json").write_bytes(msgspec.json.encode(bundle))
    said = home.run("reproduce", "fault.json", write(SOUND), "--sandbox", "process")
    assert "differs from the one in the bundle" not in said.out


@pytest.mark.long
def test_of_several_deals_at_once_the_one_is_booked_in_which_the_bot_failed(faults, again, write):
    body = SHORT + f"return view.legal[{FEW} and self.deal == 7 and 99 or 0]"
    bundles = faults(body, "prsi", sets=30, at_once=30)
    order = [order_deals([f"{n:064x}" for n in range(30)], seating) for seating in (0, 1)]
    found = {(one.fault.kind, one.fault.seating, one.fault.deal) for one in bundles}
    assert found == {("crash", seating, 40 + order[seating][7]) for seating in (0, 1)}
    assert order[0][7] != order[1][7]
    for bundle in bundles:
        outcome = again(bundle, write(body))
        assert (of(outcome.fault), outcome.same_question) == (of(bundle.fault), True)


@pytest.mark.long
def test_a_process_that_began_in_the_middle_of_a_deal_is_asked_from_there(faults, again, write):
    tired = "Mine.asked = getattr(Mine, 'asked', 0) + 1\n"
    tired += "        return view.legal[Mine.asked == 7 and 99 or 0]"
    bundles = [one for one in faults(tired, "pesten", sets=12, at_once=4) if one.fault.kind == "crash"]
    began = []
    for bundle in bundles:
        outcome = again(bundle, write(SOUND))
        assert (outcome.fault, outcome.same_question) == (None, True)
        began.append(msgspec.json.decode(outcome.steps[0].ask)["events"])
    assert any({event[0] for event in events} >= {"A", "B", "u"} for events in began), began


def test_without_a_program_the_messages_come_out_for_a_debugger_that_starts_it(home, faults, write):
    (bundle, *_) = faults(WILD, sets=1)
    (home.home / "fault.json").write_bytes(msgspec.json.encode(bundle))
    lines = home.run("reproduce", "fault.json").out
    assert lines.splitlines()[-1] == bundle.fault.ask
    replies = subprocess.run(
        [sys.executable, write(WILD)], input=lines.encode(), capture_output=True, check=True, env=ENV
    ).stdout.decode()
    assert replies.splitlines()[-1] == "7S7S7S"
    assert len(replies.splitlines()) == len(lines.splitlines())


@pytest.mark.long
def test_a_breakpoint_stops_on_the_terminal_and_the_program_goes_on_from_there(home, faults, write):
    (bundle, *_) = faults(CRASH, sets=1)
    (home.home / "fault.json").write_bytes(msgspec.json.encode(bundle))
    bot = write(f"if {FEW}: breakpoint()\n        return view.legal[0]")
    keys, terminal = pty.openpty()
    os.write(keys, b"p 'hand of', len(view.hand)\nc\n")
    words = [sys.executable, "-m", "maumau.cli", "reproduce", "fault.json", bot, "--debug"]
    said = subprocess.run(
        words,
        cwd=home.home,
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=terminal,
        timeout=patient(60),
        check=True,
    ).stdout.decode()
    shown = os.read(keys, 1 << 16).decode()
    os.close(keys)
    os.close(terminal)
    assert "(Pdb) ('hand of', 3)" in shown
    assert "no fault: the reply is allowed" in said


@pytest.mark.long
def test_on_the_way_it_is_told_what_it_did_then(faults, again, write):
    bundle = faults(CRASH, sets=1)[0]
    outcome = again(bundle, write(CRASH))
    assert outcome.fault.kind == bundle.fault.kind == "crash"
    for step in outcome.steps[:-1]:
        assert step.then in {"-", step.reply}
    assert outcome.steps[-1].then == ""


@pytest.mark.long
def test_a_mended_program_makes_no_fault(faults, again, write):
    for bundle in faults(CRASH, "prsi", sets=1):
        outcome = again(bundle, write(SOUND))
        assert (outcome.fault, outcome.same_question) == (None, True)
        assert outcome.steps[-1].reply


def test_a_program_that_does_not_start_is_reproduced_too(faults, again, home, write):
    broken = "pass\nraise SystemExit(3)\n#"
    bundle = faults(broken, sets=1)[0]
    assert bundle.fault.kind == "start"
    outcome = again(bundle, write(broken))
    assert (of(outcome.fault), outcome.steps) == (of(bundle.fault), [])


@pytest.mark.long
def test_a_deal_lost_unasked_has_no_moment(faults, again, write):
    bundle = next(one for one in faults(CRASH, sets=8) if one.fault.kind == "forfeit")
    with pytest.raises(errors.NotReproducible, match="5 faults"):
        again(bundle, write(CRASH))


@pytest.mark.long
def test_the_command_tells_then_and_now_and_debug_leaves_the_log_on_the_terminal(home, faults, write):
    (home.home / "fault.json").write_bytes(msgspec.json.encode(faults(CRASH, sets=1)[0]))
    said = home.run("reproduce", "fault.json", write(CRASH), "--sandbox", "process", code=1)
    assert said.out.startswith("then: crash: it ended with exit code 1; ")
    assert "(deal 40 of mau_mau, seat " in said.out
    assert "questions: crash: it ended with exit code 1; " in said.out
    assert "  IndexError: list index out of range" in said.out
    assert said.err == ""
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
