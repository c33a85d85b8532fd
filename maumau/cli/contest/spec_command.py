"""`maumau tournament create`, `edit` and `copy`: specs from a file, from flags or of an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.contest.preview import show_preview
from maumau.cli.shared import game, place
from maumau.screen.output import Json, Where, json_line, show, warn

if TYPE_CHECKING:
    from maumau.client.answer import Tournament

Name = Annotated[str, typer.Argument(help="The name or id of the tournament.")]
Previewed = Annotated[
    bool, typer.Option("--preview", help="Only show what would change; nothing is changed.")
]
Stages = Annotated[
    list[str] | None,
    typer.Option("--stage", metavar="FORMAT", help="Add a stage, such as round_robin; repeatable."),
]
Rules = Annotated[
    str | None, typer.Option(help="The variant, such as mau_mau, or the .toml file of one of your own.")
]
SpecFile = Annotated[
    Path | None, typer.Argument(help="A spec in TOML (`-` reads stdin); without one, use the flags.")
]
Decide = Annotated[
    str | None,
    typer.Option(help="`better`: play each match until one bot is better, not only ahead, or to its cap."),
]
Secret = Annotated[
    str | None, typer.Option(help="The secret that all deals come from; by default a random one.")
]
OpenNow = Annotated[bool, typer.Option("--open", help="Open the entries at once.")]


def create_tournament(  # noqa: PLR0913 - as many flags as a spec has keys
    spec: SpecFile = None,
    *,
    name: Annotated[str | None, typer.Option(help="The name of the tournament.")] = None,
    rules: Rules = None,
    options: game.Options = None,
    stages: Stages = None,
    third_place: Annotated[bool, typer.Option("--third-place", help="Add a match for third place.")] = False,
    block: Annotated[int | None, typer.Option(help="Number of deal sets in a block.")] = None,
    cap: Annotated[int | None, typer.Option(help="Maximum number of deal sets in a match.")] = None,
    decide: Decide = None,
    secret: Secret = None,
    open_now: OpenNow = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a tournament from a spec file or from flags.

    docs/reference/contest.md explains every key of a spec.

    Example: maumau tournament create --name cup --rules prsi --stage round_robin --open
    """
    from msgspec.structs import replace

    from maumau.cli.contest import spec as written

    limits = written.Flags(third_place=third_place, block=block, cap=cap, decide=decide, secret=secret)
    flags = replace(limits, name=name, rules=rules, options=options or [], stages=stages or [])
    text = written.spec_text(spec, flags)
    with place.connect_arena(arena) as link:
        made = link.create(text)
        if open_now:
            made = link.open(made.id)
        strangers = written.find_strangers(link, text)
    show_changed_tournament(made, as_json=as_json)
    warn(*strangers)


def edit_tournament(
    tournament: Name,
    spec: Annotated[Path, typer.Argument(help="The whole new spec in TOML (`-` reads stdin).")],
    *,
    preview: Previewed = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Replace the spec of a tournament whose entries have not closed.

    Once a bot has entered, only the name, [entries], [schedule], release, visibility and group can change.
    The secret and its commitment stay; before the opening the spec may give another secret. `tournament show`
    lists all changes.

    Example: maumau tournament edit cup cup.toml
    """
    from maumau.cli.contest import spec as written

    text = written.spec_text(spec, written.Flags())
    if preview:
        show_preview("EditTournament", arena, as_json=as_json, tournament=tournament, spec_toml=text)
        return
    with place.connect_arena(arena) as link:
        now = link.edit(tournament, text)
        strangers = written.find_strangers(link, text)
    show_changed_tournament(now, as_json=as_json)
    warn(*strangers)


def copy_tournament(
    tournament: Name,
    name: Annotated[str, typer.Argument(metavar="NEW-NAME", help="The name of the new tournament.")],
    *,
    open_now: OpenNow = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make a tournament from the spec of an earlier one, with a secret of its own.

    Times in the past are left out.

    Example: maumau tournament copy cup next-cup
    """
    from datetime import UTC, datetime

    from maumau.contest.spec.spec import build_spec, parse_spec, read_table

    with place.connect_arena(arena) as link:
        earlier = parse_spec(link.tournament(tournament).own_spec_toml)
        text = earlier.copy_as(name, datetime.now(UTC)).to_toml()
        build_spec(read_table(text))  # its lines are not the user's: what is wrong is said without one
        made = link.create(text)
        if open_now:
            made = link.open(made.id)
    show_changed_tournament(made, as_json=as_json)


def show_changed_tournament(now: Tournament, *, as_json: bool) -> None:
    """Show a tournament that has changed, with the next step."""
    from maumau.screen.contest import report

    if as_json:
        json_line(now)
    else:
        show(report.headline(now), *report.waiting(now), *report.say_next(now))
    warn(*now.warnings)
