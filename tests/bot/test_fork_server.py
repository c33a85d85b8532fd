"""The fork server of warm starts."""

import os

from maumau.sandbox.inside import fork_server


def test_a_number_that_others_hold_is_not_overwritten(monkeypatch):
    """As small numbers are held: more of them in each release of Python."""
    shared = int("70000")
    monkeypatch.setattr(os, "fork", lambda: shared)
    assert not fork_server._is_fork()
    assert str(shared) == "70000"
