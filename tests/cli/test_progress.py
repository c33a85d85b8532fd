"""Progress of long commands where stderr is a pipe or a log: a line now and then, each flushed."""

import io
import subprocess
import sys
from contextlib import redirect_stderr
from types import SimpleNamespace

import pytest

from maumau.screen import output


class Pipe(io.StringIO):
    """A pipe that notes what has been flushed."""

    flushed = ""

    def flush(self):
        self.flushed = self.getvalue()


@pytest.fixture
def pipe():
    return Pipe()


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def test_a_bar_is_lines_in_a_pipe_every_ten_seconds(pipe, clock):
    with redirect_stderr(pipe), output.progress("rehearsing cup", 200) as (bar, task):
        for clock[0], steps in ((1, 10), (9, 20), (10, 20), (15, 10), (20, 40)):
            bar.advance(task, steps)
    assert pipe.flushed == "rehearsing cup: 25 %\nrehearsing cup: 50 %\n"


def test_one_without_an_end_says_how_far_it_is(pipe, clock):
    with redirect_stderr(pipe), output.progress("exporting cup", None) as (bar, task):
        for clock[0] in (5, 11):
            bar.update(task, description=f"exporting cup, {clock[0]}.0 MB")
    assert pipe.flushed == "exporting cup, 11.0 MB\n"


def test_an_upload_says_what_it_has_sent(pipe, clock):
    with redirect_stderr(pipe), output.progress("uploading fox", 4000) as (bar, task):
        clock[0] = 10
        bar.update(task, completed=3000)
    assert pipe.flushed == "uploading fox: 75 %\n"


def test_a_quick_command_prints_no_progress_into_a_pipe(pipe, clock):
    with redirect_stderr(pipe), output.progress("reviewing", 2) as (bar, task):
        bar.advance(task)
        bar.advance(task)
    assert pipe.getvalue() == ""


def test_progress_of_validation_begins_at_once(pipe, clock):
    lines = output.ProgressLines("validating fox")
    with redirect_stderr(pipe):
        for clock[0], told in ((0, "waits"), (1, "deal 1"), (3, "deal 9")):
            lines.tell(told)
    assert pipe.flushed == "validating fox: waits\nvalidating fox: deal 9\n"


@pytest.mark.parametrize("write", ['output.show("first")', 'output.json_line({"a": 1})'])
def test_a_line_of_an_answer_is_in_the_pipe_before_the_command_goes_on(write):
    code = f"import sys; from maumau.screen import output; {write}; sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline()
        process.stdin.close()
