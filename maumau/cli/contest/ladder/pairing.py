"""`maumau ladder pairings`, `explain`, `sets`, `record`, `replay`: who met whom, why, and the deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import place
from maumau.errors import UnknownPairing
from maumau.screen.output import Html, Json, Style, Where, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import Pairing
    from maumau.screen.table import Fitted

LadderName = Annotated[str, typer.Argument(metavar="LADDER", help="The ladder's name.")]
PairingId = Annotated[str, typer.Argument(help="A pairing, such as 3.17; `pairings` lists them.")]
SetNumber = Annotated[
    int, typer.Argument(metavar="SET", min=0, max=1_000_000, help="The number of the deal set, from 0.")
]


def list_pairings(
    ladder: LadderName,
    bot: Annotated[str, typer.Argument(metavar="[BOT]", help="Only those of this bot.")] = "",
    *,
    most: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many to list.")] = 20,
    over: Annotated[bool, typer.Option("--over", help="Only those that are over.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List who was paired with whom, newest first.

    Example: maumau ladder pairings prsi my-bot -n 5
    """
    with place.connect_matchmaking(arena) as link:
        found = link.pairings(ladder, bot, most, over=over)
    if as_json:
        json_line(found)
        return
    show(pairing_table(found) if found else "nobody has been paired yet")


def explain_pairing(
    ladder: LadderName,
    pairing: PairingId,
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Say why a pairing was made.

    Example: maumau ladder explain prsi 1.17
    """
    with place.connect_matchmaking(arena) as link:
        found = link.explain(ladder, pairing)
    if as_json:
        json_line(found)
    else:
        show(found.words)


def list_sets(ladder: LadderName, pairing: PairingId, *, arena: Where = None, as_json: Json = False) -> None:
    """List the deal sets of a pairing with their scores, and after the epoch with their seeds.

    Example: maumau ladder sets prsi 3.17
    """
    from maumau.screen.set_table import show_sets

    with place.connect_matchmaking(arena) as link:
        found = link.sets(ladder, pairing)
        paired = link.explain(ladder, pairing).pairing
    if paired is None:
        raise UnknownPairing(f"The ladder {ladder} has no pairing {pairing}.", thing=pairing)
    if as_json:
        json_line({"sets": found})
        return
    names = tuple(paired.names.values())
    show_sets(found, names, f"no deal set of the pairing {pairing} has been played yet")


def show_record(
    ladder: LadderName, pairing: PairingId, number: SetNumber, *, arena: Where = None, as_json: Json = False
) -> None:
    """Show how a deal set of a pairing was played, with your bot's notes.

    Example: maumau ladder record prsi 3.17 4
    """
    from maumau.screen.told import tell_set

    with place.connect_matchmaking(arena) as link:
        found = link.deal_set(ladder, pairing, number)
    if as_json:
        json_line(found)
    else:
        show(*tell_set(found.set, found.distinct_names))


def replay_pairing_set(
    ladder: LadderName,
    pairing: PairingId,
    number: SetNumber,
    *,
    seat: Annotated[str | None, typer.Option(help="Show only what this seat sees, such as B.")] = None,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    html: Html = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Step through the deals of a set as `maumau replay` does; `n` and `p` change the seating.

    Example: maumau ladder replay prsi 3.17 4
    """
    from maumau.cli.shared.browser import replay_set, show_played

    with place.connect_matchmaking(arena) as link:
        found = link.deal_set(ladder, pairing, number)
    played = replay_set(found.set, found.distinct_names, found.rules, f"{ladder} {pairing}")
    show_played(played, seat, suits, html=html, as_json=as_json)


def pairing_table(found: Sequence[Pairing]) -> Fitted:
    """Return a table of pairings with their scores."""
    from maumau.screen.table import Fitted

    return Fitted(lambda width: _pairing_table(found, width))


def _pairing_table(found: Sequence[Pairing], width: int) -> Table:
    from maumau.screen.table import MEDIUM, table

    more = ["why"] if width >= MEDIUM else []
    many = any(one.others for one in found)
    bots = ["table", ">first one's score"] if many else ["first", "second", ">score"]
    made = table("pairing", *bots, ">sets", *more, "state")
    for one in found:
        score = f"{one.score:.3f}" if one.booked else ""
        names = [", ".join(one.full_names)] if many else one.full_names
        why = [one.kind] if more else []
        state = "not played" if one.state == "over" and not one.booked else one.state
        made.add_row(one.id, *names, score, f"{one.booked} of {one.sets}", *why, state)
    return made
