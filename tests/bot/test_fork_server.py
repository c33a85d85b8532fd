"""The fork server of warm starts."""

import os

from maumau.sandbox.inside import fork_server


def test_a_number_that_others_hold_is_not_overwritten(monkeypatch):
    """Small numbers are: Python 3.15 shares more of them than Python 3.14."""
    shared = int("70000")
    monkeypatch.setattr(os, "fork", lambda: shared)
    assert not fork_server._fork_keeper()
    assert str(shared) == "70000"
