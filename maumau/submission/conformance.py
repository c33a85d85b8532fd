"""Conformance checks: a program's replies to every kind of message, judged by the rules.

Each check talks to a process of its own, in the sandbox. Its state is `ok`, `wrong` (a fault in the arena), a
`note` (allowed, but probably unintended), or `not asked` (the program does not play the rules that ask it).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import msgspec

from maumau.game import parse
from maumau.protocol import message
from maumau.protocol.crash import find_error
from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.protocol.reply import read_line
from maumau.referee.pace import Pace
from maumau.referee.place import Program
from maumau.referee.process import Process
from maumau.sandbox.launch import Launch, Sandbox
from maumau.submission.judge import judge_reply
from maumau.submission.sample import RECIPES, Sample, find_sample, sample_own_variant

State = Literal["ok", "wrong", "note", "not asked"]
LIMITS = RunLimits()
SECONDS = 5.0  # of CPU and of waiting that a check may take
QUIET = 0.2  # seconds in which nothing may come unasked
GRACE = 0.25  # seconds to end after bye
MAX_AT_ONCE = 16  # deals at once that are tried
LONG = 60_000  # bytes of a long message
OWN_VARIANT = "custom variant"
SPIN = 0.1  # share of a core that a program may use between questions


class Check(msgspec.Struct, frozen=True):
    """A check and its result in words."""

    name: str
    state: State
    words: str


class Talk:
    """A conversation with a process of the program."""

    def __init__(self, process: Process, first: Sample, many: int) -> None:
        self.process, self.first, self.many = process, first, many

    def greet(self, hello: bytes) -> None:
        """Say hello and read the answer; raise Misplay if it is not valid."""
        self.process.ask([hello])
        message.read_ready(*self.replies(1))
        self.process.grant_bank(SECONDS, SECONDS)

    def answered(self, question: Sample, line: bytes) -> str:
        """Ask and judge the answer: return a note or an empty string, or raise Misplay if it is wrong."""
        self.process.ask([line])
        return judge_reply(question, *self.replies(1))

    def replies(self, number: int) -> list[bytes]:
        """Return the next lines of the program; raise Misplay if they do not come."""
        lines: list[bytes] = []
        self.process.hear_replies(lines, number, _go_on)
        return lines

    def silent(self, after: str) -> None:
        """Raise Misplay if the program writes anything now."""
        self.process.flush()
        said = self.process.channel.wait(QUIET)
        if said is not None:
            raise Misplay("illegal", f"it answered {after} with {said[:80]!r}, which wants no reply")


Try = Callable[[Talk], str]


def check_conformance(program: Program, sandbox: Sandbox, pace: Pace | None = None) -> Iterator[Check]:
    """Run all checks, one after the other; without a successful start, the first, there are no others."""
    trial = _Trial(program, sandbox, pace or Pace())
    found = {f"ask {kind}": find_sample(kind) for kind in RECIPES} | {OWN_VARIANT: sample_own_variant()}
    mine = {name: each for name, each in found.items() if each.suits(program.manifest)}
    first = next(iter(mine.values()), found["ask turn"])
    start = trial.try_one("hello", first, lambda _talk: "")
    yield start
    if start.state == "wrong":
        return
    for name, each in found.items():
        if name in mine:
            yield trial.try_one(name, each, lambda talk: talk.answered(talk.first, talk.first.ask()))
        else:
            words = f"it comes in {each.rules} at {each.deal.seats} seats, which the program does not name"
            yield Check(name, "not asked", words)
    for name, attempt in TRIES.items():
        yield trial.try_one(name, first, attempt)
    many = min(MAX_AT_ONCE, program.manifest.concurrent)
    if many > 1:
        yield trial.try_one(f"{many} deals at once", first, _check_questions_together, many)


class _Trial:
    """A program with its sandbox: each check has a process of its own."""

    def __init__(self, program: Program, sandbox: Sandbox, pace: Pace) -> None:
        self.program, self.sandbox, self.pace = program, sandbox, pace

    def try_one(self, name: str, first: Sample, attempt: Try, many: int = 1) -> Check:
        """Return the result of one check, whose questions are like `first`."""
        try:
            with self._talk(first, many) as talk:
                try:
                    talk.greet(first.hello(many))
                    note = attempt(talk)
                except Misplay as misplay:
                    return Check(name, "wrong", _describe_misplay(talk, misplay))
        except Misplay as misplay:
            return Check(name, "wrong", str(misplay))
        return Check(name, "note" if note else "ok", note)

    @contextmanager
    def _talk(self, first: Sample, many: int) -> Iterator[Talk]:
        program, said = self.program, self.program.manifest
        launch = Launch(program.folder, program.sha256, said.run, said.runtime, LIMITS, int(SECONDS) * 2)
        self.pace.begin_block()
        sandboxed = self.sandbox.start(launch)
        try:
            yield Talk(Process(sandboxed, LIMITS, self.pace), first, many)
        finally:
            sandboxed.close()


def _describe_misplay(talk: Talk, misplay: Misplay) -> str:
    """Return the fault in words, with the end of the program's log if it died."""
    if misplay.dead:
        misplay, _ = talk.process.end_and_diagnose(misplay)
    said = find_error(talk.process.channel.last_log().decode(errors="replace"))[:200]
    return f"{misplay.kind}: {misplay}" + (f"; its log says: {said}" if said and misplay.dead else "")


def _go_on() -> None:
    """Do nothing: a check is not stopped from outside, since its process has its own limits."""


def _change_line(line: bytes, **more: object) -> bytes:
    return json.dumps(json.loads(line) | more, separators=(",", ":")).encode() + b"\n"


def _unknown_fields(talk: Talk) -> str:
    line = _change_line(talk.first.ask(), weather={"wind": ["N", 3]}, mood=None)
    return talk.answered(talk.first, line)


def _unknown_message(talk: Talk) -> str:
    talk.process.tell(b'{"news":"the cellar is flooded"}\n')
    talk.silent("a message it cannot know")
    return talk.answered(talk.first, talk.first.ask())


def _check_end(talk: Talk) -> str:
    note = talk.answered(talk.first, talk.first.ask(1))
    talk.process.tell(talk.first.end(1))
    talk.silent("the end of a deal")
    return note or talk.answered(talk.first, talk.first.ask(2))


def _never_asked(talk: Talk) -> str:
    talk.process.tell(talk.first.end(3))
    talk.silent("the end of a deal that it was never asked in")
    return talk.answered(talk.first, talk.first.ask(4))


def _after_fault(talk: Talk) -> str:
    talk.answered(talk.first, talk.first.ask(1))
    talk.process.tell(talk.first.end(1, "illegal"))
    talk.silent("the end of a deal it lost by a fault")
    return talk.answered(talk.first, talk.first.ask(2))


def _one_line(talk: Talk) -> str:
    note = talk.answered(talk.first, talk.first.ask(1))
    talk.silent("a question a second time")
    return note


def _check_long_line(talk: Talk) -> str:
    return talk.answered(talk.first, _change_line(talk.first.ask(), padding="x" * LONG))


def _in_pieces(talk: Talk) -> str:
    """Send a line in two pieces, as pipes may; the program must wait for its end."""
    line = talk.first.ask()
    half = len(line) // 2
    os.write(talk.process.sandboxed.stdin, line[:half])
    if talk.process.channel.wait(QUIET) is not None:
        raise Misplay("illegal", "it answered half a line")
    return talk.answered(talk.first, line[half:])


def _check_idleness(talk: Talk) -> str:
    talk.answered(talk.first, talk.first.ask())
    before, began = talk.process.sandboxed.cpu(), time.monotonic()
    talk.silent("a question a second time")
    used = (talk.process.sandboxed.cpu() - before) / (time.monotonic() - began)
    return (
        f"it uses {used:.0%} of a core while nobody asks; that comes out of its bank" if used > SPIN else ""
    )


def _check_bye(talk: Talk) -> str:
    talk.answered(talk.first, talk.first.ask())
    talk.process.tell(message.BYE)
    talk.process.flush()
    if talk.process.sandboxed.wait(GRACE):
        return ""
    return (
        f"it had not ended {GRACE:g} s after bye; it will be killed, and what it had still to write is lost"
    )


def _check_questions_together(talk: Talk) -> str:
    """Questions of several deals in one write are answered in their order: every other leaves one choice."""
    last = json.loads(talk.first.ask())["legal"][-1]
    whole = [talk.first.ask(number) for number in range(talk.many)]
    asked = [
        _change_line(line, legal=[last], call={}) if number % 2 else line for number, line in enumerate(whole)
    ]
    talk.process.ask(asked)
    replies = talk.replies(talk.many)
    notes = [judge_reply(talk.first, line) for line in replies]
    if any(parse(read_line(line).act.strip()).plain != parse(last).plain for line in replies[1::2]):
        raise Misplay("illegal", f"its answers to {talk.many} questions in one write are not in their order")
    talk.silent("a question a second time")
    return notes[0]


TRIES: dict[str, Try] = {
    "unknown fields are passed over": _unknown_fields,
    "unknown messages are passed over": _unknown_message,
    "one line for one question": _one_line,
    "the end of a deal is not answered": _check_end,
    "a deal it was never asked in": _never_asked,
    "a deal after a fault": _after_fault,
    "a line of 60,000 bytes": _check_long_line,
    "a line in two pieces": _in_pieces,
    "idle while others think": _check_idleness,
    "bye": _check_bye,
}
