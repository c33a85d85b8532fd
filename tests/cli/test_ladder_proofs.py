"""Watchers of a ladder are told each link and what an epoch came to, once."""

import msgspec

from maumau.cli.contest.ladder.ladder import _print_changes, list_proofs
from maumau.client.answer import GetLeaderboardResponse, Ladder

LADDER = Ladder("prsi", None, "win", None, 4, 1240, 2, 2, "")


def tables(*changes: dict[str, object]) -> list[GetLeaderboardResponse]:
    return [GetLeaderboardResponse(msgspec.structs.replace(LADDER, **change), ()) for change in changes]


def test_a_watch_without_a_terminal_tells_what_is_new(capsys) -> None:
    first, second, end = f"17 {'c3' * 32}", f"18 {'c4' * 32}", "d4" * 32
    _print_changes(iter(tables(
        {"chain": ""}, {"chain": first}, {"chain": first}, {"chain": second},
        {"epoch": 3, "chain": "", "ended": 2, "compared": end}, {"epoch": 3, "ended": 2, "compared": end},
    )))  # fmt: skip
    told = "".join(capsys.readouterr().out.split())
    assert told == "".join(f"epoch 2: chain {first} epoch 2: chain {second} epoch 2: compared {end}".split())


def test_a_ladder_without_an_epoch_has_nothing_to_prove() -> None:
    assert list(list_proofs(tables({"epoch": 0})[0])) == []
    assert list(list_proofs(GetLeaderboardResponse(None, ()))) == []
