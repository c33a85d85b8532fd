"""The table of deal sets, of a match or of a pairing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maumau.screen.output import show

if TYPE_CHECKING:
    from maumau.client.answer import SetSummary


def show_sets(found: Sequence[SetSummary], names: Sequence[str], nothing: str) -> None:
    """Show deal sets in a table.

    Args:
        found: The sets, in order.
        names: Of the bots, in the order of their scores.
        nothing: The sentence for no set at all.
    """
    from maumau.screen.table import table

    listed = table(">set", ">block", *(f">{name}" for name in names), ">of", "points", "seed")
    for one in found:
        points = " : ".join(map(str, one.points))
        listed.add_row(*map(str, (one.set, one.block, *one.scores, one.unit, points, one.seed[:16])))
    show(listed if found else nothing)
