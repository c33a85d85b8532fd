"""A bot that answers after at least so long does not tell by its replies how long it thought."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from maumau.bot import sdk
from maumau.game import deal, load
from maumau.protocol import message
from tests.support.library import replace_functions

QUESTIONS = 24
BANK = 60.0  # seconds
TOLD = 0.95  # the chance at which the slower of two replies is the one that was thought about
NOT_TOLD = 0.9  # half is chance; of twelve and twelve replies its deviation is 0.12

BOT = """
import time
from maumau.bot import Bot, run

class Thinker(Bot):
    answer_after_ms = {after}

    def act(self, view):
        if view.deal % 2:
            time.sleep(0.03)
        return view.legal[0]

run(Thinker)
"""


@pytest.fixture
def ask(tmp_path):
    """Seconds that a bot with this delay takes for each question; in every second one it thinks."""

    def asked(after):
        program = tmp_path / "bot.py"
        program.write_text(BOT.format(after=after))
        rules = load("mau_mau")
        view = deal(rules, 2, "0" * 64).view(0, 0)
        with subprocess.Popen(
            [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        ) as process:
            process.stdin.write(message.write_hello(rules, rules.chosen, 2, 0, BANK))
            process.stdout.readline()
            taken = [
                time_reply(process, message.write_question(view, number, "00", int(BANK * 1000)))
                for number in range(QUESTIONS)
            ]
            process.stdin.write(message.BYE)
        return taken

    return asked


def time_reply(process, question):
    began = time.perf_counter()
    process.stdin.write(question)
    assert process.stdout.readline()
    return time.perf_counter() - began


def chance_to_tell(taken):
    """Return how often a reply with thinking took longer than one without."""
    quick, thought = taken[::2], taken[1::2]
    return sum(one < other for one in quick for other in thought) / (len(quick) * len(thought))


def test_replies_tell_how_long_was_thought_unless_they_are_delayed(ask):
    assert chance_to_tell(ask(0)) >= TOLD
    assert 1 - NOT_TOLD <= chance_to_tell(ask(120)) <= NOT_TOLD


@pytest.fixture
def clock(monkeypatch):
    """Time that passes only when somebody sleeps."""
    passed = [100.0]
    replace_functions(
        monkeypatch, sdk, "time", monotonic=lambda: passed[0],
        sleep=lambda seconds: passed.append(passed.pop() + seconds),
    )  # fmt: skip
    return passed


def test_a_reply_waits_for_what_is_left_after_thinking(clock):
    delay = sdk.ReplyDelay(0.02)
    delay.left, delay.asked = 1.0, True
    delay.delay_reply(began=99.995)
    assert clock == [pytest.approx(100.015)]


def test_a_reply_that_took_longer_goes_out_at_once(clock):
    delay = sdk.ReplyDelay(0.02)
    delay.left, delay.asked = 1.0, True
    delay.delay_reply(began=99.9)
    assert clock == [100.0]


def test_what_asks_for_no_reply_is_not_waited_for(clock):
    delay = sdk.ReplyDelay(0.02)
    delay.left = 1.0
    delay.delay_reply(began=100.0)
    assert clock == [100.0]


def test_replies_are_delayed_for_five_times_the_bank_in_all(clock):
    rules = load("mau_mau")
    bot = type("Patient", (sdk.Bot,), {"answer_after_ms": 20})
    player = sdk.Player(bot)
    player.answer_message(message.write_hello(rules, rules.chosen, 2, 0, 0.1))
    for _ in range(100):
        player.delay.asked = True
        player.delay.delay_reply(began=clock[0])
    # each of the replies counts with 25 ms, slack included, against 500: twenty are delayed by 20 ms
    assert clock == [pytest.approx(100.4)]
