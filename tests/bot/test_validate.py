"""Validation: whoever plays 20 deals without a fault may enter, the others are told why not."""

from __future__ import annotations

import pytest


@pytest.mark.long
def test_a_good_program_is_accepted_in_all_rules(validate, submit):
    report = validate(submit("good"))
    assert report.ok, report.words
    assert (report.rules, report.seats) == ([], [])  # it names none: it may enter all
    assert "20 deals in each of mau_mau, prsi, pesten at 2, 3, 4 seats" in report.words


def test_only_the_rules_and_seats_that_a_program_names_are_played(validate, submit):
    toml = 'run = ["python3", "bot.py"]\nrules = ["prsi"]\nseats = [3]\n'
    report = validate(submit("echo", toml))
    assert (report.ok, report.rules, report.seats) == (True, ["prsi"], [3])
    assert '"counts": [4, 4, 4]' in report.log  # stderr is kept for the author


def test_the_first_fault_refuses_a_program_and_its_log_says_why(validate, submit):
    report = validate(submit("crash"))
    assert not report.ok
    assert report.words == "in mau_mau at 2 seats: crash: it ended with exit code 1"
    assert "crash: it ended with exit code 1: ValueError: no idea what to play\n" in report.log
    assert "ValueError: no idea what to play\nasked: {" in report.log
    assert report.log.index("Traceback") < report.log.index('> {"deal":')


def test_a_program_that_cannot_be_started_is_told_so(validate, submit):
    report = validate(submit("good", 'run = ["no-such-program"]\n'))
    assert not report.ok
    assert "could not be started: no-such-program: No such file or directory" in report.words


def test_rules_that_the_named_seats_cannot_play_are_refused(validate, submit):
    report = validate(submit("good", 'run = ["python3", "bot.py"]\nrules = ["app"]\nseats = [10]\n'))
    assert not report.ok
    assert report.words.startswith("app is played at")
