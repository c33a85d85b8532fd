"""`--preview`: what a change of a tournament would do; the same before one is asked about a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from maumau.cli.shared import place, question
from maumau.screen.output import console, json_line, plain, show

if TYPE_CHECKING:
    from maumau.client.answer import Entry, Preview, WorkLeft

NAMED = 20  # matches of a list that are named
MATCHES = {
    "begun": "would begin",
    "again": "would start again from the first block",
    "resumed": "would go on",
    "withdrawn": "would be removed",
    "walkovers": "would be decided without play",
    "stopped": "would end undecided",
    "results_lost": "would lose a result",
}


def show_preview(change: str, arena: str | None, *, as_json: bool, **asked: Any) -> None:
    """Request the preview of a change, by the name of its call and the fields of its request."""
    with place.connect_arena(arena) as link:
        found = link.preview(change, **asked)
        before = link.tournament(asked["tournament"])
    if as_json:
        json_line(found)
    else:
        state = f"{before.name} is {before.state}"
        show(f"no change is made; {state}, and this would change:", *list_lines(found, before.state))


def ask_first(change: str, arena: str | None, *, words: str, yes: bool, **asked: Any) -> None:
    """Show a preview on stderr and ask; raise BadRequest unless the answer is yes. words: the question."""
    if not question.is_asked(yes=yes):
        return
    with place.connect_arena(arena) as link:
        found = link.preview(change, **asked)
        before = link.tournament(asked["tournament"])
    out = console(stderr=True)
    for line in (f"{before.name} is {before.state}:", *list_lines(found, before.state)):
        out.print(line, markup=False, soft_wrap=True)
    question.ask_first(words, yes=yes)


def list_lines(found: Preview, state: str) -> Iterator[str]:
    """Yield a line for each difference. state: the tournament's present one."""
    if found.state != state:
        yield f"would be {found.state}"
    if found.due_at and found.state in {"open", "starting"}:
        latest = " at the latest" if found.state == "starting" else ""
        yield f"would start at {found.due_at.astimezone():%Y-%m-%d %H:%M %Z}{latest}"
    yield from (
        f"{one.key}: {one.before or 'not set'} would be {one.after or 'not set'}" for one in found.spec
    )
    yield from (f"{_entry_name(entry)} would be removed" for entry in found.entries_gone)
    for entry in found.entries:
        what = "withdrawn, as entrant" if entry.withdrawn else "entrant"
        what = "disqualified, as entrant" if entry.disqualified else what
        yield f"{_entry_name(entry)} would be {what} {entry.number} with {entry.sha256[:12]}"
    for field, words in MATCHES.items():
        if labels := getattr(found, field):
            yield f"{_count_matches(labels)} {words}: {_list_labels(labels)}"
    if found.sets_lost:
        yield f"{found.sets_lost:,} deal sets already played would no longer count"
    yield f"left to play after that: {_describe_time(found.left)}"
    if found.left != found.left_now:
        yield f"left to play as it stands: {_describe_time(found.left_now)}"


def _entry_name(entry: Entry) -> str:
    return f"{plain(entry.bot_name)} of {plain(entry.account_name)}"


def _count_matches(labels: Sequence[str]) -> str:
    return f"{len(labels):,} match" + "es" * (len(labels) > 1)


def _list_labels(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - NAMED:,} more" if len(labels) > NAMED else ""
    return ", ".join(labels[:NAMED]) + more


def _describe_time(left: WorkLeft) -> str:
    if not left.matches:
        return "nothing"
    hours = f", about {left.core_hours:,.2f} core hours" if left.core_hours else ""
    matches = f"{left.matches:,} match" + "es" * (left.matches > 1)
    return f"{matches}, at most {left.blocks:,} blocks with {left.sets:,} sets{hours}"
