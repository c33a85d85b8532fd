"""`maumau seat` in a terminal: what stands on its two screens, before, during and after the deal."""

import os
import pty
import subprocess
import sys
import time

import pytest

from bench.patience import patient
from maumau.bots import folder
from tests.cli.terminal import Terminal
from tests.engine.arena import ADMIN
from tests.engine.seat import Seat

PICTURES, NORMAL = "\x1b[?1049h", "\x1b[?1049l"  # what a terminal is told to change its screen
BEGIN = "import os; os.login_tty(0); from maumau.cli.start import main; main()"  # Ctrl-C is for it alone


class Screen:
    """A command in a terminal of 80 by 24; `read` what it writes, `type` what it reads."""

    def __init__(self, terminal, *words):
        self.own, theirs = pty.openpty()
        variables = {**terminal.variables, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, *words],
            env=variables, cwd=terminal.home, stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        self.text = ""

    def read(self, wanted):
        """All that was written up to these words."""
        ends = time.monotonic() + patient(60)
        while wanted not in self.text:
            assert time.monotonic() < ends, self.text
            self.text += self._more() or pytest.fail(f"{wanted!r} did not come: {self.text}")
        return self.text

    def type(self, keys):
        os.write(self.own, keys.encode())

    def end(self):
        """The rest, and the exit code."""
        while more := self._more():
            self.text += more
        return self.text, self.process.wait(patient(60))

    def _more(self):
        try:
            return os.read(self.own, 65536).decode(errors="replace").replace("\r\n", "\n")
        except OSError:  # it has ended
            return ""

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.own)


@pytest.fixture
def start(arena, tmp_path):
    """Starts a command in a terminal."""
    port = arena.address.rpartition(":")[2]
    terminal = Terminal(tmp_path, MAUMAU_ARENA=f"127.0.0.1:{port},{port},{port}", MAUMAU_TOKEN=ADMIN)
    begun = []

    def start(*words):
        begun.append(Screen(terminal, *words))
        return begun[-1]

    yield start
    for screen in begun:
        screen.close()


def find_token(text):
    """The token in the first command that is shown."""
    return text.partition("maumau seat --table ")[2].split()[0]


def test_the_command_for_a_friend_stands_there_until_he_has_come(start, engine, admin):
    host = start("seat", "prsi", "--seats", "2")
    text = host.read("The deal begins when somebody has come to every seat.")
    assert admin.ListTables().tables[0].time.join_ms == 600_000
    assert PICTURES not in text
    Seat(engine, find_token(text)).wait("seated")
    host.read(PICTURES)
    assert "prsi · you are A" in host.read("on top")


def test_who_leaves_with_ctrl_c_is_told_the_command_that_leads_back(start):
    screen = start("seat", "prsi", "--bot", str(folder("first")), "--sandbox", "process")
    screen.read("your hand")
    screen.type("\x03")
    text, code = screen.end()
    assert code == 130
    left = text.rpartition(NORMAL)[2]
    assert "You have left the table, which goes on without you. Come back with:\nmaumau seat --table" in left
    assert "error" not in left
    back = start("seat", "--table", find_token(left))
    assert "prsi · you are A" in back.read("your hand")
