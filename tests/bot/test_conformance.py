"""`maumau conformance` finds what each program does wrong, and nothing in those that do it right."""

from __future__ import annotations

import pytest

from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.submission import conformance as conforming
from maumau.submission.build import prepare_program
from maumau.submission.conformance import OWN_VARIANT, TRIES, check_conformance
from maumau.submission.judge import judge_reply
from maumau.submission.sample import RECIPES, find_sample
from tests.support.kinds import one_of

SMALL = 'run = ["python3", "bot.py"]\nrules = ["prsi"]\nseats = [3]\n'  # asked two kinds only
LOOP = """
import json, os, sys, time
def first(m): return m["legal"][0] + m["call"].get(m["legal"][0], "")
def say(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush()
"""


@pytest.fixture
def tried(bwrap, submit):
    """Return a function: the results of all checks of a program made of these lines, by the check's name."""

    def checks(body: str, toml: str = SMALL, sandbox=bwrap) -> dict[str, tuple[str, str]]:
        program = submit("good", toml, **{"bot.py": LOOP + body})
        return {
            check.name: (check.state, check.words)
            for check in check_conformance(prepare_program(program, sandbox), sandbox)
        }

    return checks


@pytest.fixture
def tried_alone(tried, monkeypatch):
    """Return a function: the result of a program in one check, which is the only one run."""

    def check(name: str, body: str) -> tuple[str, str]:
        monkeypatch.setattr(conforming, "TRIES", {each: TRIES[each] for each in TRIES if each == name})
        monkeypatch.setattr(conforming, "LIMITS", RunLimits(init_wall=3.0))  # silent programs are waited for
        return tried(body)[name]

    return check


RIGHT = """
for line in sys.stdin:
    m = json.loads(line)
    if "hello" in m: say('{"ready":"x"}')
    elif "ask" in m: say(first(m))
    elif "bye" in m: break
"""


def test_a_good_program_has_nothing_wrong_and_is_asked_every_kind(tried):
    found = tried(RIGHT, 'run = ["python3", "bot.py"]\nconcurrent = 64\n')
    assert {state for state, _ in found.values()} == {"ok"}
    assert {f"ask {kind}" for kind in RECIPES} | {*TRIES, OWN_VARIANT, "hello", "16 deals at once"} == set(
        found
    )


def test_what_a_program_does_not_play_it_is_not_asked(tried):
    found = tried(RIGHT)
    assert {name for name, (state, _) in found.items() if state != "not asked"} == {
        "hello", "ask turn", "ask answer", *TRIES,
    }  # fmt: skip
    assert found["ask doubt"][1] == "it comes in prsi_blind at 3 seats, which the program does not name"


@pytest.mark.long
def test_the_rules_of_a_variant_that_no_library_knows_are_told_whole(tried):
    unread = changed(('if "hello" in m: ', 'if "hello" in m: assert "variant" not in m["rules"]; '))
    found = tried(unread, 'run = ["python3", "bot.py"]\n')
    assert [name for name, (state, _) in found.items() if state == "wrong"] == [OWN_VARIANT]
    told = 'own = m["rules"].get("variant"); assert not own or own["options"]["seven_n"]["default"] == 3; '
    reads = changed(('if "hello" in m: ', f'if "hello" in m: {told}'))
    assert tried(reads, 'run = ["python3", "bot.py"]\n')[OWN_VARIANT] == ("ok", "")


def changed(*pairs: tuple[str, str], more: str = "") -> str:
    """Return the correct program with some of its words replaced, and a branch added."""
    body = RIGHT
    for old, new in pairs:
        assert old in body
        body = body.replace(old, new, 1)
    return body + more


REMEMBERS = changed(
    ("for line", "seen = set()\nfor line"),
    ("say(first(m))", "(seen.add(m['deal']), say(first(m)))"),
    more="    elif 'end' in m: seen.remove(m['deal'])\n",
)
WRONG = {
    "no answer to hello": ("sys.stdin.read()", "hello", "start: before it answered hello"),
    "hello is answered by words": ("for line in sys.stdin: say('hi')", "hello", 'is not {"ready":"name"}'),
    "an illegal card": (changed(("first(m)", "'XX'")), "ask turn", "illegal"),
    "no notation": (changed(("first(m)", "'lay the seven'")), "ask turn", "unreadable"),
    "an unknown field in the long form": (
        changed(("first(m)", "json.dumps({'act': first(m), 'why': 1})")),
        "ask turn",
        "unreadable",
    ),
    "an unlisted accusation": (
        changed(("first(m)", "json.dumps({'act': first(m), 'also': ['accuse@A:mau']})")),
        "ask turn",
        "was not listed",
    ),
    "it dies of unknown fields": (
        changed(("m = json.loads(line)", "m = json.loads(line); assert 'weather' not in m")),
        "unknown fields are passed over",
        "AssertionError",
    ),
    "it answers what it does not know": (
        changed(more="    else: say('what?')\n"),
        "unknown messages are passed over",
        "which wants no reply",
    ),
    "it answers the end": (
        changed(more="    elif 'end' in m: say('gg')\n"),
        "the end of a deal is not answered",
        "'gg'",
    ),
    "it knows only deals it was asked in": (REMEMBERS, "a deal it was never asked in", "KeyError"),
    "it gives up after a fault": (
        changed(more="    elif m.get('end') and m['end']['fault']: sys.exit(3)\n"),
        "a deal after a fault",
        "exit code 3",
    ),
    "two lines for a question": (
        changed(("say(first(m))", "(say(first(m)), say('pass'))")),
        "one line for one question",
        "wants no reply",
    ),
    "it reads 8 KiB at most": (
        changed(("for line in sys.stdin:", "for line in iter(lambda: sys.stdin.readline(8192), ''):")),
        "a line of 60,000 bytes",
        "JSONDecodeError",
    ),
    "it takes a read for a line": (
        changed(("for line in sys.stdin:", "for line in iter(lambda: os.read(0, 65536), b''):")),
        "a line in two pieces",
        "JSONDecodeError",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", one_of(2, WRONG))
def test_what_is_wrong_is_found_and_named(tried_alone, name):
    body, check, words = WRONG[name]
    state, said = tried_alone(check, body)
    assert state == "wrong"
    assert words in said


def test_a_program_that_does_not_start_is_told_so_and_asked_nothing(tried):
    found = tried(RIGHT, 'run = ["no-such-program"]\n')
    assert list(found) == ["hello"]
    assert "no-such-program" in found["hello"][1]


LAST_FIRST = """
rest = b""
while chunk := os.read(0, 1 << 20):
    *lines, rest = (rest + chunk).split(b"\\n")
    for line in reversed(lines):
        m = json.loads(line)
        if "hello" in m: say('{"ready":"x"}')
        elif "ask" in m: say(first(m))
        elif "bye" in m: sys.exit(0)
"""


def test_deals_at_once_are_answered_in_their_order(tried):
    found = tried(LAST_FIRST, SMALL + "concurrent = 4\n")
    assert found["ask turn"] == ("ok", "")
    assert found["4 deals at once"][0] == "wrong"
    assert "not in their order" in found["4 deals at once"][1]


def test_what_is_allowed_but_hardly_meant_is_noted(tried_alone):
    spin = "begun = [time.time(), say(first(m))][0]; [*iter(lambda: time.time() < begun + 3, False)]"
    state, words = tried_alone("idle while others think", changed(("say(first(m))", spin)))
    assert state == "note"
    assert "of a core while nobody asks" in words
    state, words = tried_alone("bye", changed(("break", "time.sleep(9)")))
    assert state == "note"
    assert "had not ended 0.25 s after bye" in words


def test_a_reply_is_judged_by_the_rules_at_this_very_decision():
    turn, window = find_sample("turn"), find_sample("window")
    assert judge_reply(turn, b"draw") == ""
    assert judge_reply(turn, b'{"act":"draw","note":"because"}') == ""
    listed = window.deal.also(window.seat)[0]
    assert judge_reply(window, f'{{"act":"hold","also":["{listed}"]}}'.encode()) == ""
    for line in (b"take", b"hold", b"", b"\xff\xfe", b"{", b'{"act":7}', b"draw\x00"):
        with pytest.raises(Misplay):
            judge_reply(turn, line)
