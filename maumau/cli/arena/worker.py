"""`maumau workers` and `maumau queue`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import typer
from rich.table import Table

from maumau.cli.shared import place
from maumau.client.answer.version_name import name_versions
from maumau.errors import MaumauError
from maumau.screen.output import Json, Where, json_line, minutes, plain, show
from maumau.screen.table import how_far

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maumau.client.answer import GetQueueResponse, QueueEntry

WAITING = {"uploaded", "validating", "suspended"}


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("workers")(list_workers)
    app.command("queue")(show_queue)


def list_workers(*, arena: Where = None, as_json: Json = False) -> None:
    """List the workers that have reported within the last day (admins only), but for those that have ended.

    A suspended one claims nothing: it failed several blocks in a row, then its own test, and tests itself
    again every few minutes.

    Example: maumau workers
    """
    with place.connect_arena(arena) as link:
        found = link.workers()
    if as_json:
        json_line({"workers": found})
        return
    table = Table("worker", "state", "heard of (UTC)", "failures in a row", "why", box=None)
    for one in found:
        seen = f"{one.seen_at:%Y-%m-%d %H:%M:%S}" if one.seen_at else "never"
        table.add_row(plain(one.name), one.state, seen, str(one.failures), plain(one.words))
    show(table)


def show_queue(*, arena: Where = None, as_json: Json = False) -> None:
    """Show the queue: what is played next, and roughly when. Your own work comes first.

    Tournaments come first; beside them practice gets every fifth block, and so do ladders. A contest gets no
    more workers for having more to play: they are shared between authors, then between contests.

    Example: maumau queue
    """
    with place.connect_arena(arena) as link:
        found = link.queue()
        mine = [one for bot in link.bots(mine=True) for one in bot.versions if one.state in WAITING]
        waiting = [link.version(one.id) for one in mine]  # lists do not say places
    epochs = {} if as_json else _list_epochs(found.entries, arena)
    if as_json:
        json_line({"queue": found, "validations": waiting})
        return
    for version in waiting:
        show(f"{version.bot_name} version {version.number} is {version.state}: {how_far(version)}")
    if found.matches:
        show(_tabulate_own_matches(found, epochs), "")
    show(_tabulate_contests(found.entries, epochs) if found.entries else "nothing is being played")
    suspended = f", {found.suspended_workers} suspended" if found.suspended_workers else ""
    show(f"workers: {found.workers} present{suspended}; numbers are blocks of deal sets")


class LadderEpoch(NamedTuple):
    """The ladder and the number of an epoch, for a contest."""

    ladder: str
    number: int


Epochs = Mapping[str, LadderEpoch]
"""By contest id: the queue knows an epoch only by that."""


def _list_epochs(entries: Sequence[QueueEntry], arena: str | None) -> Epochs:
    """Return the unfinished epochs of all ladders; none if the matchmaking service fails."""
    found: dict[str, LadderEpoch] = {}
    if any(one.purpose == "ladder" for one in entries):
        with suppress(MaumauError), place.connect_matchmaking(arena) as link:
            for ladder in link.ladders():
                epochs = (one for one in link.epochs(ladder.name) if one.state != "over")
                found |= {one.contest_id: LadderEpoch(ladder.name, one.number) for one in epochs}
    return found


def _tabulate_own_matches(found: GetQueueResponse, epochs: Epochs) -> Table:
    """Return matches of one's own bots; a match is played at the latest with its contest's queue."""
    from maumau.screen.table import table

    contests = {one.contest_id: one for one in found.entries}
    made = table("your match", "contest", "bots", ">waiting", ">playing")
    for one in found.matches:
        contest, epoch = contests.get(one.contest_id), epochs.get(one.contest_id)
        bots = " : ".join(map(plain, name_versions(one.bot_names, one.bot_versions)))
        name = _describe_contest(contest, epochs) if contest else ""
        label = f"{epoch.number}.{one.label}" if epoch else one.label  # as `ladder explain` takes it
        made.add_row(label, name, bots, str(one.waiting), str(one.playing))
    return made


def _tabulate_contests(entries: Sequence[QueueEntry], epochs: Epochs) -> Table:
    from maumau.screen.table import table

    made = table(">place", "contest", "rules", ">waiting", ">playing", ">a minute", ">about")
    for one in entries:
        rate = f"{one.blocks_per_minute:.1f}" if one.blocks_per_minute else "unknown"
        counts = str(one.waiting), str(one.playing), rate
        made.add_row(
            str(one.place or ""), _describe_contest(one, epochs), one.rules, *counts, _describe_time_left(one)
        )
    return made


def _describe_contest(one: QueueEntry, epochs: Epochs) -> str:
    if epoch := epochs.get(one.contest_id):
        return plain(f"ladder {epoch.ladder}")
    return plain(
        one.name or " ".join(filter(None, (one.purpose, one.account_name and f"of {one.account_name}")))
    )


def _describe_time_left(one: QueueEntry) -> str:
    """Return the estimated time of what is waiting."""
    if not one.seconds:
        return "unknown" if one.waiting else ""
    return minutes(one.seconds)
