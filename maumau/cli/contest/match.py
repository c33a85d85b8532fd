"""`maumau match …`: look at a match, at a fault in it, have it played again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from maumau.cli.contest.preview import ask_first, show_preview
from maumau.cli.shared import place
from maumau.cli.shared.question import Yes
from maumau.page.fault import fault_parts
from maumau.screen.fault import fault_line
from maumau.screen.output import Json, Where, json_line, plain, show
from maumau.screen.told import tell_set

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.client.answer import GetMatchResponse, Match
    from maumau.client.arena import Arena

app = typer.Typer(
    help="Show matches, their deals and faults; have a match played again.", no_args_is_help=True
)

CLAIMS: Final = {
    "better": "is better: the 95 % interval, which covers after such an early stop too, excludes one half",
    "leads": "leads: decided by the test, but the 95 % interval includes one half: they may be equal",
}

Tournament = Annotated[str, typer.Argument(help="The name or id of the tournament.")]
Label = Annotated[str, typer.Argument(help="The label of the match, stage.round.number, such as 2.1.1.")]
Take = Annotated[
    int | None,
    typer.Option("--take", min=1, max=1_000_000, help="An earlier take of a match that was played again."),
]


@app.command("show")
def show_one(
    tournament: Tournament, label: Label, *, take: Take = None, arena: Where = None, as_json: Json = False
) -> None:
    """Show a match: its score, interval and times, what decided it, its blocks, faults, use of the bank.

    Example: maumau match show cup 2.1.1
    """
    from msgspec import structs

    with place.connect_arena(arena) as link:
        found = link.match(tournament, label, take or 0)
        told = found if as_json else structs.replace(found, match=_tell_match(link, tournament, found.match))
    if as_json:
        json_line(found)
    else:
        show(*_render_match(told))


@app.command("takes")
def list_takes(tournament: Tournament, label: Label, *, arena: Where = None, as_json: Json = False) -> None:
    """List the takes of a match: how often it was begun, and why again.

    `--take` shows an earlier one in `match show`, `faults`, `sets` and `record`.

    Example: maumau match takes cup 2.1.1
    """
    from maumau.screen.table import clock, table

    with place.connect_arena(arena) as link:
        found = link.takes(tournament, label)
        told = found if as_json else [_tell_match(link, tournament, one) for one in found]
    if as_json:
        json_line({"takes": found})
        return
    listed = table(">take", "state", ">sets", "queued", "decided", "withdrawn", "reason")
    for one in told:
        times = (clock(at) for at in (one.queued_at, one.decided_at, one.withdrawn_at))
        listed.add_row(str(one.take), one.state, str(one.sets), *times, plain(one.reason))
    show(listed)


@app.command("retake")
def retake_match(
    tournament: Tournament,
    label: Label,
    *,
    reason: Annotated[
        str,
        typer.Option("--reason", help="The reason, in one line; everybody can read it, also in the export."),
    ],
    fresh_seeds: Annotated[
        bool,
        typer.Option("--fresh-seeds", help="Play other deals, from the first block on; the export says so."),
    ] = False,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only show what would change; nothing is changed.")
    ] = False,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Play a match again or resume a paused one; later matches that depend on it are withdrawn.

    The deals are the same as before unless you ask for fresh seeds.

    Example: maumau match retake cup 2.1.1 --reason "the host was too slow"
    """
    asked = {"tournament": tournament, "label": label, "reason": reason, "fresh_seeds": fresh_seeds}
    if preview:
        show_preview("RetakeMatch", arena, as_json=as_json, **asked)
        return
    ask_first("RetakeMatch", arena, words=f"Play {label} of {tournament} again?", yes=yes, **asked)
    with place.connect_arena(arena) as link:
        found = link.retake(tournament, label, reason, fresh_seeds=fresh_seeds)
    if as_json:
        json_line(found)
    else:
        gone = f"; withdrawn: {', '.join(found.withdrawn)}" if found.withdrawn else ""
        show(f"{label} is {found.match.state}{gone}")


@app.command("fault")
def show_fault(
    fault: Annotated[str, typer.Argument(help="The id of a fault, as `maumau match show` lists it.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show everything about a fault: messages, log, time, memory and the record of the deal.

    Example: maumau match fault fault_01kq3v8r2m
    """
    with place.connect_arena(arena) as link:
        found = link.fault(fault)
    if as_json:
        json_line(found)
    else:
        show(*fault_parts(found))


@app.command("faults")
def list_faults(
    tournament: Tournament,
    label: Label,
    *,
    bot: Annotated[str, typer.Option(help="Only the faults of this bot.")] = "",
    kind: Annotated[str, typer.Option(help="Only those of this kind, such as crash.")] = "",
    take: Take = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List all faults of a match.

    Example: maumau match faults cup 2.1.1 --bot my-bot --kind crash
    """
    with place.connect_arena(arena) as link:
        found = link.faults(tournament, label, bot, kind, take or 0)
        now = link.match(tournament, label, take or 0).match
    if as_json:
        json_line({"faults": found})
        return
    names = now.names
    show(*[fault_line(one, f"{names[one.entrant]}, ") for one in found] or ["no faults"])


@app.command("sets")
def list_sets(
    tournament: Tournament, label: Label, *, take: Take = None, arena: Where = None, as_json: Json = False
) -> None:
    """List the deal sets of a match with their scores, and after the tournament with their seeds.

    Example: maumau match sets cup 2.1.1
    """
    from maumau.screen.set_table import show_sets

    with place.connect_arena(arena) as link:
        found = link.sets(tournament, label, take or 0)
        now = link.match(tournament, label, take or 0).match
    if as_json:
        json_line({"sets": found})
        return
    names = tuple(now.names.values())
    show_sets(found, names, f"no deal set of the match {label} has been played yet")


@app.command("record")
def show_record(
    tournament: Tournament,
    label: Label,
    number: Annotated[
        int, typer.Argument(metavar="SET", min=0, max=1_000_000, help="The number of the deal set, from 0.")
    ],
    *,
    take: Take = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show how a deal set was played, with your bots' notes, and after the tournament with all bots' notes.

    Example: maumau match record cup 2.1.1 17
    """
    with place.connect_arena(arena) as link:
        found = link.deal_set(tournament, label, number, take or 0)
    if as_json:
        json_line(found)
    else:
        show(*tell_set(found.set, found.names))


@app.command("watch")
def watch_match(
    tournament: Tournament,
    label: Label,
    *,
    lines: Annotated[bool, typer.Option("--plain", help="Print plain lines even in a terminal.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Watch the deals of a match at a readable pace until it is decided; with --json, each event is a line.

    Example: maumau match watch cup 2.1.1
    """
    from maumau.cli.contest import watch

    with place.connect_arena(arena) as link:
        if as_json:
            for part in link.watch_match(tournament, label):
                json_line(part)
        else:
            watch.follow_match(link, tournament, label, lined=lines)


def _tell_match(link: Arena, tournament: str, match: Match) -> Match:
    """Return a match as it is shown; ask for its contest only while the match is undecided."""
    from maumau.client.standing.stopped import mark_stopped

    return mark_stopped(link.tournament(tournament), match) if match.state == "playing" else match


def _render_match(found: GetMatchResponse) -> Iterator[RenderableType]:
    import msgspec

    from maumau.referee.share import BankShare, say_share
    from maumau.screen.table import clock, explain_scores, match_claim, match_table, say_span, table

    yield match_table([found.match])
    yield from _say_take(found.match)
    yield from _say_times(found.match)
    if (claim := match_claim(found.match)) and not found.match.sure:
        yield CLAIMS[claim]
    yield from explain_scores([found.match])
    yield from _say_count(found.match)
    blocks = table(">block", ">sets", "state", "queued", ">waited", ">played", ">attempts", "worker")
    for block in found.blocks:
        span = f"{block.first_set} to {block.first_set + block.sets - 1}"
        waited = say_span(block.queued_at, block.claimed_at)
        times = clock(block.queued_at), waited, say_span(block.claimed_at, block.done_at)
        cells = str(block.number), span, block.state, *times, str(block.attempts), plain(block.worker)
        blocks.add_row(*cells)
    yield blocks
    names = found.match.names
    for each in found.faults:
        yield fault_line(each, f"{names[each.entrant]}, ")
    if sum(each.deals for each in found.faults) < sum(found.match.faults):
        yield "these are the first ones; `maumau match faults` lists all"
    for bank in found.banks:
        yield from say_share(names[bank.entrant], msgspec.convert(bank, BankShare, from_attributes=True))


def _say_count(match: Match) -> Iterator[str]:
    """Yield sets won and how sure the result is, of a match that no test decides."""
    if match.wins:
        after = f", decided after {match.reached:,} sets" if match.reached else ""
        yield f"sets won: {match.first_name} {match.wins[0]}, {match.second_name} {match.wins[1]}{after}"
    if match.sure and match.rule:
        yield f"no test decides this match: whoever is ahead is better with a chance of {match.sure:.0%}"


def _say_take(match: Match) -> Iterator[str]:
    """Yield take, reason and seeds of a match that was played again."""
    if match.take == 1:
        return
    why = f" ({plain(match.reason)})" if match.reason else ""
    same = "with the same seeds as the first"
    yield f"take {match.take}{why}, " + (
        f"with fresh seeds since take {match.seed_take}" if match.seed_take else same
    )


def _say_times(match: Match) -> Iterator[str]:
    """Yield the times of a match: queued, played, decided."""
    from maumau.screen.table import clock, say_span

    if not match.queued_at:
        return
    said = [f"queued {clock(match.queued_at)}"]
    if match.started_at:
        said.append(f"played from {clock(match.started_at)}")
    if match.decided_at:
        span = say_span(match.started_at, match.decided_at)
        said.append(f"decided {clock(match.decided_at)}" + (f" after {span}" if span else ""))
    if match.withdrawn_at:
        said.append(f"taken back {clock(match.withdrawn_at)}")
    yield ", ".join(said)
