"""Legal actions as the terminal lists them."""

from __future__ import annotations

import pytest

from maumau.cli.player.steps import list_steps


@pytest.mark.parametrize(
    ("action", "label"),
    [
        ("take", "take the cards"),
        ("draw", "draw a card"),
        ("pass", "pass"),
        ("8H", "8♥"),
        ("QH>S", "Q♥, wish for ♠"),
    ],
)
def test_the_only_action_is_said_as_a_whole(action: str, label: str) -> None:
    _, (step,) = list_steps([action], lambda seat: f"seat {seat}")
    assert (step.label, step.actions) == (label, (action,))


def test_of_two_actions_that_differ_in_a_word_alone_that_word_is_asked_for() -> None:
    _, steps = list_steps(["QH>S", "QH>S/start"], lambda seat: f"seat {seat}")
    assert [one.label for one in steps] == ["wish for ♠, say nothing", "wish for ♠, begin a queen round"]
