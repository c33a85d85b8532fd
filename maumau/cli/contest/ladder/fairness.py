"""`maumau ladder fairness`: a report for admins."""

from __future__ import annotations

from typing import Annotated

import typer

from maumau.cli.shared import place
from maumau.screen.output import Json, Where, json_line, show


def show_ladder_fairness(
    ladder: Annotated[str, typer.Argument(metavar="LADDER", help="The ladder's name.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show which bots seem to help which; for admins.

    Example: maumau ladder fairness prsi
    """
    from maumau.screen.contest.fairness import describe_ladder_helps

    with place.connect_matchmaking(arena) as link:
        found = link.ladder_helps(ladder)
    if as_json:
        json_line(found)
    else:
        show(*describe_ladder_helps(found))
