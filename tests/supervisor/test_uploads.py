"""Accepted programs: strangers' only where the sandbox is strong enough."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from services.supervisor.app import find_weakness


class Tier(NamedTuple):
    """The sandbox properties that matter here."""

    isolated: bool
    counted: bool
    image: bool = True

    def holds_in_memory(self, runtime):
        return self.image


@pytest.mark.parametrize(
    ("tier", "local", "words"),
    [
        (Tier(isolated=False, counted=False), True, "programs can do here whatever you can"),
        (Tier(isolated=False, counted=False), False, "programs can do here whatever you can"),
        (Tier(isolated=True, counted=False), False, "no control group counts the memory"),
        (Tier(isolated=True, counted=False), True, ""),
        (Tier(isolated=True, counted=True, image=False), False, "there is no image in memory"),
        (Tier(isolated=True, counted=True, image=False), True, ""),
        (Tier(isolated=True, counted=True), False, ""),
    ],
)
def test_strangers_need_a_sandbox_and_where_others_reach_it_groups_and_an_image(tier, local, words):
    found = find_weakness(tier, local=local)
    assert found.startswith(words)
    assert bool(found) == bool(words)
