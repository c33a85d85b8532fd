"""`maumau seat` in a terminal: what stands on its two screens, before, during and after the deal."""

import os
import pty
import re
import subprocess
import sys
import time
from multiprocessing import connection

import pytest

from bench.support.patience import patient
from maumau.bots import folder
from maumau.cli.player.sitting import HELP
from tests.support.arenas.engine import ADMIN
from tests.support.arenas.seat import Seat
from tests.support.terminal import Terminal

PICTURES, NORMAL = "\x1b[?1049h", "\x1b[?1049l"  # escape sequences that change a terminal's screen
LONG = ("--bank", "3600")  # seconds, so that no player runs out of time on a slow host
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
        """Return all that was written up to these words."""
        ends = time.monotonic() + patient(60)
        while wanted not in self.text:
            assert time.monotonic() < ends, self.text
            self.read_more(wanted)
        return self.text

    def press(self, key, wanted):
        """Type a key until these words come: one that is typed before it is waited for is lost."""
        ends = time.monotonic() + patient(60)
        while wanted not in self.text:
            assert time.monotonic() < ends, self.text
            self.type(key)
            last = time.monotonic() + 2
            while wanted not in self.text and time.monotonic() < last:
                self.read_more(wanted)

    def type(self, keys):
        os.write(self.own, keys.encode())

    def end(self):
        """Return the rest of the output, and the exit code."""
        ends = time.monotonic() + patient(60)
        while (more := self._more()) != "":
            assert time.monotonic() < ends, self.text
            self.text += more or ""
        return self.text, self.process.wait(patient(60))

    def read_more(self, wanted="more"):
        """Read what is written within a quarter of a second."""
        more = self._more()
        self.text += pytest.fail(f"{wanted!r} did not come: {self.text}") if more == "" else more or ""

    def _more(self):
        """Return what is next; None if nothing comes for a quarter of a second, "" at the end."""
        if not connection.wait([self.own], 0.25):
            return None
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
    """Return the token in the first command that is shown."""
    return text.partition("maumau seat --table ")[2].split()[0]


@pytest.mark.long
def test_the_command_for_a_friend_stands_there_until_he_has_come(start, engine, admin):
    others = {one.id for one in admin.ListTables().tables}
    host = start("seat", "prsi", *LONG, "--seats", "2")
    text = host.read("The deal begins when somebody has come to every seat.")
    (own,) = [one for one in admin.ListTables().tables if one.id not in others]
    assert own.time.join_ms == 600_000
    assert PICTURES not in text
    Seat(engine, find_token(text)).wait("seated")
    host.read(PICTURES)
    assert "prsi · you are A" in host.read("on top")


@pytest.mark.long
def test_who_leaves_with_ctrl_c_is_told_the_command_that_leads_back(start):
    screen = start("seat", "prsi", *LONG, "--bot", str(folder("first")), "--sandbox", "process")
    screen.read("your hand")
    screen.type("\x03")
    text, code = screen.end()
    assert code == 130
    left = text.rpartition(NORMAL)[2]
    assert "You have left the table, which goes on without you. Come back with:\nmaumau seat --table" in left
    assert "error" not in left
    back = start("seat", "--table", find_token(left))
    assert "prsi · you are A" in back.read("your hand")


@pytest.mark.long
def test_a_key_shows_the_rules_and_the_table_comes_back(start):
    screen = start("seat", "prsi", *LONG, "--bot", str(folder("first")), "--sandbox", "process")
    screen.read("your hand")
    screen.press("?", "back to the table")
    assert "Each player is dealt four cards." in screen.text
    screen.text = ""
    screen.press("q", "your hand")


@pytest.mark.long
def test_another_deal_is_played_at_a_new_table_and_the_score_is_kept(start):
    screen = start("seat", "prsi", *LONG, "--bot", str(folder("first")), "--sandbox", "process")
    seen, ends = 0, time.monotonic() + patient(300)
    while "After 1 deal: won" not in screen.text:
        assert time.monotonic() < ends, screen.text
        screen.read_more()
        if HELP in screen.text[seen:]:  # a question, and nothing typed yet
            seen = len(screen.text)
            screen.type("1\r")
    text = screen.read("Enter: next deal")
    assert "The deal is over: 1." in text
    screen.text = ""
    screen.type("\r")
    assert re.search(r"prsi · you are B · After 1 deal: won you [01], .+ [01]", screen.read("your hand"))
    screen.type("\x03")
    assert screen.end()[1] == 130
