"""`maumau tournament fairness`: two reports for organisers."""

from __future__ import annotations

from maumau.cli.contest.spec_command import Name
from maumau.cli.shared import place
from maumau.screen.output import Json, Where, json_line, show


def show_fairness(tournament: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Show who seems to help whom, and who may have copied whom; for its organiser.

    Example: maumau tournament fairness cup
    """
    from maumau.client.fairness import collect_fairness
    from maumau.screen.contest.fairness import describe_fairness

    with place.connect_arena(arena) as link:
        found = collect_fairness(link, tournament)
    if as_json:
        json_line(found)
    else:
        show(*describe_fairness(found))
