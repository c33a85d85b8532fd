"""The SDK as the arena meets it: a real process, real pipes, and a referee that follows a script."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection
from pathlib import Path
from typing import Any

import pytest

HELLO = {
    "hello": 1,
    "rules": {"name": "prsi", "options": {"deal": 5}, "hash": "ab", "cards": ["7C", "7S", "KD", "9H"]},
    "seats": 3,
    "seat": 1,
    "bank_ms": 10000,
    "concurrent": 1,
}
ASK = {
    "deal": 17,
    "rng": "5eed",
    "ask": "turn",
    "seat": 1,
    "hand": ["7S", "KD"],
    "top": "9H",
    "wish": None,
    "owed": 0,
    "skips": 0,
    "direction": 1,
    "counts": [4, 2, 5],
    "stock": 12,
    "out": [],
    "legal": ["7S", "draw"],
    "call": {"7S": "!"},
    "events": ["A 9H"],
    "bank_ms": 9312,
}
END = {
    "deal": 17,
    "end": {"places": [2, 1, 3], "points": [4, 0, 9], "events": ["B 7S!", "B out"], "fault": None},
}
DEADLINE = 10.0


class Referee:
    """The arena's end of the two pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._rest = b""

    def send(self, *messages: dict[str, Any] | bytes) -> None:
        """Send all messages in one write."""
        lines = [m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages]
        assert self.process.stdin is not None
        os.write(self.process.stdin.fileno(), b"".join(line + b"\n" for line in lines))

    def line(self) -> str:
        """Return the next line the bot writes; an empty text when it has hung up."""
        assert self.process.stdout is not None
        pipe = self.process.stdout.fileno()
        while b"\n" not in self._rest:
            assert connection.wait([pipe], DEADLINE), "the bot has not answered in time"
            chunk = os.read(pipe, 65536)
            if not chunk:
                return ""
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def asked(self, **changes: Any) -> str:
        """Return the reply to the usual question with some of its fields changed."""
        self.send(ASK | changes)
        return self.line()

    def finish(self) -> tuple[int, str]:
        """Hang up; the exit code and all of stderr."""
        _, errors = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, errors.decode()


@contextmanager
def playing(folder: Path, code: str, top: str = "") -> Iterator[Referee]:
    """Yield a bot made of this class body, started as the table starts it and greeted."""
    body = textwrap.indent(textwrap.dedent(code), "    ")
    program = folder / "bot.py"
    program.write_text(f"from maumau.bot import Bot, run\n{top}\nclass Mine(Bot):\n{body}\nrun(Mine)\n")
    pipe = subprocess.PIPE
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}  # a bot gets no other variable of ours
    process = subprocess.Popen([sys.executable, str(program)], stdin=pipe, stdout=pipe, stderr=pipe, env=env)
    with process:
        referee = Referee(process)
        referee.send(HELLO)
        yield referee


FIRST = "def act(self, view):\n    return view.legal[0]"


def test_hello_is_answered_by_ready_with_the_name_of_the_bot(tmp_path: Path) -> None:
    with playing(tmp_path, f"name = 'my-bot'\n{FIRST}") as referee:
        assert json.loads(referee.line()) == {"ready": "my-bot"}


def test_what_all_deals_share_is_prepared_once_before_hello_is_answered(tmp_path: Path) -> None:
    code = """
        @classmethod
        def prepare(cls, rules, seats):
            cls.name = f"prepared for {rules.name} at {seats}"
            print("once")
        def act(self, view):
            return view.legal[0]
    """
    with playing(tmp_path, code) as referee:
        assert json.loads(referee.line()) == {"ready": "prepared for prsi at 3"}
        assert referee.asked() == referee.asked(deal=18) == "7S!"
        referee.send({"bye": True})
        assert referee.finish() == (0, "once\n")


def test_the_call_an_action_owes_is_added(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST) as referee:
        referee.line()
        assert referee.asked() == "7S!"
        assert referee.asked(call={"7S": "!!"}) == "7S!!"
        assert referee.asked(call={"draw": "!"}) == "7S"


def test_a_bot_with_its_own_calls_says_them_itself(tmp_path: Path) -> None:
    with playing(tmp_path, f"calls = 'own'\n{FIRST}") as referee:
        referee.line()
        assert referee.asked() == "7S"


def test_a_call_the_bot_has_made_is_not_made_twice(tmp_path: Path) -> None:
    with playing(tmp_path, "def act(self, view):\n    return view.legal[0] + '!'") as referee:
        referee.line()
        assert referee.asked() == "7S!"


def test_unknown_fields_and_unknown_messages_are_passed_over(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST) as referee:
        referee.line()
        referee.send({"weather": "fine"}, b"")
        assert referee.asked(colour="blue", hand=["7S", "KD"]) == "7S!"


def test_what_is_printed_goes_to_the_log_and_never_into_the_protocol(tmp_path: Path) -> None:
    code = """
        def act(self, view):
            print("thinking of", view.hand)
            os.write(1, b"raw")
            return "draw"
    """
    with playing(tmp_path, code, top="import os\nprint('loaded')") as referee:
        assert json.loads(referee.line()) == {"ready": "Mine"}
        assert referee.asked() == "draw"
        referee.send({"bye": True})
        code_, log = referee.finish()
    assert code_ == 0
    assert log == "loaded\nthinking of ['7S', 'KD']\nraw"


def test_input_finds_nothing_to_read(tmp_path: Path) -> None:
    with playing(
        tmp_path, "def act(self, view):\n    return sys.stdin.read() or 'draw'", top="import sys"
    ) as referee:
        referee.line()
        assert referee.asked() == "draw"


def test_the_same_seed_gives_the_same_chance_and_another_deal_other_chance(tmp_path: Path) -> None:
    with playing(tmp_path, "def act(self, view):\n    return str(self.rng.random())") as referee:
        referee.line()
        one = referee.asked(deal=1)
        assert referee.asked(deal=2) == one
        assert referee.asked(deal=3, rng="0ther") != one
        assert referee.asked(deal=1, rng=None) != one, "the stream of a deal goes on"


def test_every_deal_has_an_object_of_its_own_and_its_hooks_are_called_in_order(tmp_path: Path) -> None:
    code = """
        def start(self):
            self.log = [f"start {self.rules.name} {self.seat}/{self.seats}"]
        def seen(self, events):
            self.log.append(events)
        def act(self, view):
            return f"{self.deal} {self.log} {self.history}"
        def end(self, result):
            print(self.deal, self.log, result.places, result.fault)
    """
    with playing(tmp_path, code) as referee:
        referee.line()
        assert referee.asked() == "17 ['start prsi 1/3', ['A 9H']] ['A 9H']"
        assert referee.asked(deal=18, events=[]) == "18 ['start prsi 1/3'] []"
        assert referee.asked(events=["B 7S"]) == "17 ['start prsi 1/3', ['A 9H'], ['B 7S']] ['A 9H', 'B 7S']"
        referee.send(END, {"bye": True})
        assert referee.line() == "", "neither end nor bye is answered"
        _, log = referee.finish()
    assert log == "17 ['start prsi 1/3', ['A 9H'], ['B 7S'], ['B 7S!', 'B out']] [2, 1, 3] None\n"


def test_many_decisions_in_one_write_are_answered_in_order(tmp_path: Path) -> None:
    with playing(tmp_path, "def act(self, view):\n    return str(view.deal)") as referee:
        referee.line()
        referee.send(*[ASK | {"deal": n} for n in range(64)])
        assert [referee.line() for _ in range(64)] == [str(n) for n in range(64)]


def test_a_line_that_comes_in_pieces_is_one_message(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST) as referee:
        referee.line()
        assert referee.process.stdin is not None
        line = json.dumps(ASK).encode() + b"\n"
        for piece in (line[:5], line[5:100], line[100:]):
            os.write(referee.process.stdin.fileno(), piece)
        assert referee.line() == "7S!"


def test_a_note_and_late_calls_travel_beside_one_action(tmp_path: Path) -> None:
    code = """
        def act(self, view):
            if view.also:
                self.note, self.also = "he said nothing", ["!", "accuse@A:mau"]
            return "7S"
    """
    with playing(tmp_path, code) as referee:
        referee.line()
        reply = json.loads(referee.asked(also=["!", "accuse@A:mau"]))
        assert reply == {"act": "7S!", "also": ["!", "accuse@A:mau"], "note": "he said nothing"}
        assert referee.asked() == "7S!"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def act(self, view):\n    return None", "Mine.act returned None; return one of view.legal"),
        ("def act(self, view):\n    return 1 // 0", "ZeroDivisionError"),
        ("act_ = 1", "Mine has no method act(self, view)"),
    ],
)
def test_an_error_in_the_bot_ends_it_with_its_traceback_in_the_log(
    tmp_path: Path, code: str, words: str
) -> None:
    with playing(tmp_path, code) as referee:
        referee.line()
        assert referee.asked() == ""
        code_, log = referee.finish()
    assert code_ == 1
    assert words in log


def test_a_line_that_is_no_message_is_named_in_the_log(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST) as referee:
        referee.line()
        referee.send(b"{nonsense")
        assert referee.line() == ""
        code, log = referee.finish()
    assert code == 1
    assert "the arena sent a line that is not a message" in log
    assert "{nonsense" in log


def test_the_bot_ends_when_the_arena_hangs_up(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST) as referee:
        referee.line()
        assert referee.finish() == (0, "")


def test_what_a_program_has_arranged_for_its_end_is_done(tmp_path: Path) -> None:
    with playing(tmp_path, FIRST, top="import atexit\natexit.register(print, 'kept')") as referee:
        referee.line()
        referee.send({"bye": True})
        assert referee.finish() == (0, "kept\n")


def test_the_end_of_a_program_is_not_a_search_for_garbage(tmp_path: Path) -> None:
    top = "import gc\ngc.callbacks.append(lambda phase, info: print(phase, info['collected']))"
    with playing(tmp_path, FIRST, top=f"{top}\ncircle = []\ncircle.append(circle)\ndel circle") as referee:
        referee.line()
        referee.send({"bye": True})
        code, log = referee.finish()
    assert code == 0
    assert not re.findall(r"stop [1-9]", log), log


def test_importing_the_sdk_imports_neither_the_game_nor_errors_that_no_bot_meets() -> None:
    code = "import sys, maumau.bot; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "maumau.errors" in shown.stdout.split()
    assert not re.findall(r"maumau\.game|maumau\.errors\.|random", shown.stdout)
