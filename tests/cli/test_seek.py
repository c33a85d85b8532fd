"""`maumau seek` says why there is no game yet, in a pipe, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from maumau.cli.player.seek import _Table
from maumau.client.seek import Told

NOBODY = "Nobody else seeks this game."


class Seeks:
    """Waits twice for the same reason, then has a seat."""

    def seek(self, _wish: Any) -> Iterator[Told]:
        yield Told("seek_1", words=NOBODY, house_in=9.0)
        yield Told("seek_1", words=NOBODY, house_in=4.0)
        yield Told("seek_1", table_id="table_1", seat=0, token="t", names=("fox", "greedy"))


@pytest.mark.parametrize(
    ("as_json", "said"), [(False, f"{NOBODY} House bots sit down in 9 s.\n"), (True, "")]
)
def test_a_wait_is_told_once_where_stderr_is_no_terminal(capsys, as_json: bool, said: str) -> None:
    table = _Table(Seeks(), None, None, None, as_json=as_json)  # type: ignore[arg-type]
    assert table._find_seat(None).token == "t"  # type: ignore[arg-type]
    assert capsys.readouterr().err == said
