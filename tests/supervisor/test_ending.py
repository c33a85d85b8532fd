"""The end of a demonstration on a terminal: the winner, the table, and next steps."""

import re
from pathlib import Path

import pytest

from tests.support.arenas.embedded import Running
from tests.support.arenas.ready import broken_checkout

END = "All tournaments are decided; the arena goes on. In a second terminal, in this folder:"
NEXT = ["tournament show demo-mau_mau", "tournament export demo-mau_mau", "verify demo-mau_mau.export.jsonl"]


@pytest.mark.long
def test_a_run_tells_who_has_won_and_what_can_be_done_now_and_so_does_the_next_one(
    house_data: Path, tmp_path: Path
) -> None:
    """Two house bots are refused; the others play."""
    checkout = broken_checkout(tmp_path / "checkout", "greedy", "rollout")
    data = tmp_path / "data"
    with Running(data, "--programme", "quick", like=house_data, checkout=checkout) as arena:
        arena.wait_for(END, 300)
        assert arena.says("the house bot greedy does not play: refused, ")
        assert arena.says("the house bot rollout does not play: refused, ")
        won = read_winner(arena.lines)
        assert tells_what_is_next(arena)
    with Running(data, "--programme", "quick", checkout=checkout) as again:
        again.wait_for(END)
        assert read_winner(again.lines) == won
        assert tells_what_is_next(again)


def read_winner(lines: list[str]) -> str:
    """Return the winner, shown above a table of the four that have played."""
    (place,) = [number for number, line in enumerate(lines) if " wins demo-mau_mau: " in line]
    found = re.match(r"(\w+) wins demo-mau_mau: \d+ of \d+ matches won, rating [+-]\d", lines[place])
    assert found, lines[place]
    table = "\n".join(lines[place + 1 : place + 12])
    assert all(f" {bot} " in table for bot in ("first", "random", "hoarder", "counter"))
    return found[1]


def tells_what_is_next(arena: Running) -> bool:
    return all(arena.says(f"maumau {command} ") for command in NEXT)
