"""A tournament as text: headline, bracket, table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from maumau.answer import Carryover, Entry, Match, Round, Standing, Tournament
from maumau.cli.following import own_command
from maumau.cli.output import bold, plain
from maumau.cli.table import LEGEND, clock, match_table, rating_cells, say_span, standing_table, table
from maumau.errors import NotFound

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from maumau.client import Arena


class Report(Struct, frozen=True):
    """All that `tournament show` says; bracket is empty where no stage has one.

    carryover: for organisers only.
    """

    tournament: Tournament
    standings: tuple[Standing, ...]
    final: bool
    bracket: tuple[Round, ...]
    matches: tuple[Match, ...]
    carryover: tuple[Carryover, ...]


def collect(link: Arena, name: str) -> Report:
    """Asks the arena for everything about a tournament."""
    now = link.tournament(name)
    standings = link.standings(now.id)
    bracket: tuple[Round, ...] = ()
    with suppress(NotFound):
        bracket = link.bracket(now.id)
    table, final = standings.standings, standings.final
    return Report(now, table, final, bracket, link.matches(now.id), standings.carryover)


def parts(report: Report) -> Iterator[RenderableType]:
    """Headline and times, the matches outside the bracket, the bracket round by round, the table."""
    yield headline(report.tournament)
    yield from (f"warning: {words}" for words in report.tournament.warnings)
    yield from times(report.tournament)
    yield from disqualified(report.tournament)
    yield from twins(report.tournament)
    yield from nonces(report.tournament)
    yield from takes(report.matches)
    in_bracket = {match.label for each in report.bracket for match in each.matches}
    others = [match for match in report.matches if match.label not in in_bracket]
    if others:
        yield ""
        yield match_table(others)
    yield from bracket(report)
    if report.standings:
        yield ""
        yield "final table" if report.final else "table so far"
        yield standing_table(report.standings)
    if report.matches:
        yield ""
        yield LEGEND
    yield from carryover(report.carryover)
    yield from proof(report.tournament)


def winner(report: Report) -> str:
    """One sentence about the end of a tournament."""
    now = report.tournament
    if now.state != "finished" or not report.standings:
        return f"{now.name} is {now.state}: {now.words}" if now.words else f"{now.name} is {now.state}"
    first = report.standings[0]
    matches = first.won + first.lost + first.level
    elo, interval = rating_cells(first.rating, first.low, first.high, first.sets)
    rating = f"rating {elo} Elo (95 %: {interval})" if elo else f"its rating is not known yet ({interval})"
    return f"{first.bot_name} wins {now.name}: {first.won} of {matches} matches won, {rating}"


def bracket(report: Report) -> Iterator[RenderableType]:
    """Each round with its name, its byes and its matches."""
    names = {entry.number: entry.bot_name for entry in report.tournament.entries}
    for each in report.bracket:
        byes = ", ".join(names.get(number, str(number)) for number in each.byes)
        yield ""
        yield each.name + (f" (bye: {byes})" if byes else "")
        if each.matches:
            yield match_table(each.matches)


def conclusion(report: Report) -> Iterator[RenderableType]:
    """How a tournament ended: who won, the table, and what can be done now."""
    yield ""
    yield bold(winner(report))
    if report.standings:
        yield ""
        yield standing_table(report.standings)
        yield ""
        yield LEGEND.splitlines()[-1]
    yield ""
    yield from next_steps(report.tournament)


def next_steps(now: Tournament) -> Iterator[str]:
    """Commands that make sense once a tournament is over."""
    steps = {f"tournament show {now.name}": "all matches and the bracket"}
    if now.state == "finished":
        steps[f"tournament export {now.name}"] = "every deal in one file"
        steps[f"verify {now.name}.export.jsonl"] = "recompute the table from that file, without the arena"
        steps[f"replay {now.name}.export.jsonl"] = "step through its deals"
    width = max(map(len, steps))
    yield "Next:"
    for command, words in steps.items():
        yield f"  {own_command()} {command:{width}}  {words}"


def headline(now: Tournament) -> str:
    """Name, rules, state, progress and commitment in one line."""
    rules = now.rules.name if now.rules else "?"
    entries = sum(not entry.withdrawn for entry in now.entries)
    done = f", {now.matches_decided} of {now.matches_known} matches decided" if now.matches_known else ""
    words = f" ({now.words})" if now.words else ""
    head = f"{now.name}: {rules}, {now.state}{words}, {entries} entries"
    return f"{head}{done}{_due(now)}, commitment {now.commitment[:12]}"


def disqualified(now: Tournament) -> Iterator[str]:
    """Entries that lost all their matches, and why."""
    for entry in now.entries:
        if entry.disqualified:
            yield f"{entry.bot_name} is disqualified: {entry.disqualified}"


def twins(now: Tournament) -> Iterator[str]:
    """Entries of different accounts that are the same program, byte for byte."""
    found: dict[str, list[Entry]] = {}
    for entry in now.entries:
        if not entry.withdrawn:
            found.setdefault(entry.sha256, []).append(entry)
    for same in found.values():
        if len({entry.account_name for entry in same}) > 1:
            names = ", ".join(f"{entry.bot_name} of {entry.account_name}" for entry in same)
            yield f"the same program has entered for several accounts: {names}"


def nonces(now: Tournament) -> Iterator[str]:
    """Whose nonces are in the seeds, or are still to be opened."""
    drawn = [entry for entry in now.entries if entry.commitment]
    opened = [entry.bot_name for entry in drawn if entry.nonce_opened]
    missing = [entry.bot_name for entry in drawn if not entry.nonce_opened]
    started = bool(now.entries_root)
    if opened:
        yield f"nonces {'in the seeds' if started else 'opened'}: {', '.join(opened)}"
    if missing:
        yield f"nonces not opened{', and in no seed' if started else ''}: {', '.join(missing)}"


def takes(matches: Iterable[Match]) -> Iterator[str]:
    """The matches that were begun more than once, with the reason of the last take."""
    for match in matches:
        if match.take > 1:
            why = f": {plain(match.reason)}" if match.reason else ""
            fresh = f", with fresh seeds since take {match.seed_take}" if match.seed_take else ""
            yield f"match {match.label} is take {match.take}{fresh}{why}"


def times(now: Tournament) -> Iterator[str]:
    """When it started and ended."""
    if now.started_at:
        span = say_span(now.started_at, now.ended_at)
        end = f", {now.state} {clock(now.ended_at)} after {span}" if now.ended_at else ""
        yield f"started {clock(now.started_at)}{end}"


def _due(now: Tournament) -> str:
    """What happens next by itself, and when."""
    if not now.due_at:
        return ""
    what = "final" if now.state == "decided" else "starts"
    return f", {what} at {now.due_at.astimezone():%Y-%m-%d %H:%M}"


def carryover(found: Iterable[Carryover]) -> Iterator[str]:
    """For organisers: the bots that seem to know deals from their other seating, or that none does."""
    from maumau.contest.carryover import ALPHA

    entrants = list(found)
    tested = [one for one in entrants if one.sets]
    if tested:
        yield ""
    for one in tested:
        if one.suspicious:
            yield (
                f"{one.bot_name} plays better in the seating played second: by {one.estimate:+.1%} of a deal "
                f"(95 %: {one.low:+.1%} to {one.high:+.1%}), p ≤ {one.p:.2g}, {one.sets:,} mirrored deals"
            )
    if tested and not any(one.suspicious for one in tested):
        least = min(tested, key=lambda one: one.p)
        yield (
            "no bot plays better in the seating played second"
            f" (least p: {least.p:.2g}, {least.bot_name}; suspicious from {ALPHA / len(entrants):.2g} down)"
        )


def proof(now: Tournament) -> Iterator[str]:
    """What `maumau verify --compared` takes: the last link of the chain, and what it came to in the end."""
    if now.chain or now.compared:
        yield ""
    if now.chain:
        yield f"chain {now.chain}"
    if now.compared:
        yield f"compared {now.compared}"


def remarks(found: Iterable[Tournament]) -> Iterator[str]:
    """Below a table of tournaments: why one waits or cannot be read."""
    for now in found:
        if now.words:
            yield f"{now.name}: {now.words}"


def tournament_table(found: Iterable[Tournament]) -> Table:
    """All tournaments."""
    from rich.text import Text

    made = table("tournament", "rules", "state", ">entries", ">decided", ">known", "made")
    for now in found:
        at = f"{now.created_at:%Y-%m-%d %H:%M}" if now.created_at else ""
        counts = (len(now.entries), now.matches_decided, now.matches_known)
        row = (now.name, now.rules.name if now.rules else "", now.state, *map(str, counts), at)
        made.add_row(*(Text(cell) for cell in row))
    return made
