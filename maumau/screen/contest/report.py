"""A tournament as text: headline, bracket, table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from maumau.client.answer import (
    Carryover,
    Entry,
    Foreknowledge,
    Match,
    RaceBatch,
    Round,
    Standing,
    Tournament,
)
from maumau.client.standing.group_table import list_group_stages
from maumau.client.standing.stopped import mark_matches, mark_rounds, mark_stages
from maumau.client.standing.swiss import SwissStage
from maumau.client.standing.table_round import is_at_tables, list_table_rounds
from maumau.client.standing.winner import find_winner
from maumau.contest.format.double_bracket import name_crossings
from maumau.contest.spec.spec import read_table
from maumau.errors import NotFound, NotReleased
from maumau.screen.contest.foreknowledge import describe_foreknowledge
from maumau.screen.contest.group import list_groups
from maumau.screen.contest.mystery import describe_mystery, name_rules
from maumau.screen.contest.race import describe_races
from maumau.screen.contest.seating import describe_tables
from maumau.screen.contest.swiss import collect_swiss, describe_swiss
from maumau.screen.next_steps import own_command
from maumau.screen.output import bold, plain
from maumau.screen.table import (
    MISSING,
    clock,
    describe_departure,
    explain_scores,
    match_table,
    rating_cells,
    say_span,
    standing_table,
    table,
    write_legend,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from maumau.client.arena import Arena


class TournamentReport(Struct, frozen=True):
    """The content of `tournament show`; bracket is empty where no stage has one.

    carryover, foreknowledge: for organisers only. hidden: why the results are not for this reader yet, or "".
    tables: after each stage that is played in groups, by its number.
    """

    tournament: Tournament
    standings: tuple[Standing, ...]
    final: bool
    bracket: tuple[Round, ...]
    matches: tuple[Match, ...]
    carryover: tuple[Carryover, ...]
    foreknowledge: tuple[Foreknowledge, ...] = ()
    hidden: str = ""
    swiss: tuple[SwissStage, ...] = ()
    tables: dict[int, tuple[Standing, ...]] = {}
    race: tuple[RaceBatch, ...] = ()


def collect(link: Arena, name: str) -> TournamentReport:
    """Ask the arena for everything about a tournament that this reader may see."""
    now = link.tournament(name)
    try:
        standings = link.standings(now.id)
    except NotReleased as refused:
        return TournamentReport(
            now, (), final=False, bracket=(), matches=(), carryover=(), hidden=str(refused)
        )
    bracket: tuple[Round, ...] = ()
    with suppress(NotFound):
        rounds = link.bracket(now.id)
        bracket = () if is_at_tables(rounds) else rounds
    table, final = standings.standings, standings.final
    matches, known = link.matches(now.id), standings.foreknowledge
    swiss = collect_swiss(link, now)
    groups = {stage: link.standings(now.id, stage).standings for stage in list_group_stages(now.spec_toml)}
    found = table, final, bracket, matches, standings.carryover, known
    return TournamentReport(now, *found, swiss=swiss, tables=groups, race=standings.race)


def parts(report: TournamentReport) -> Iterator[RenderableType]:
    """Yield headline, times, matches outside rounds, groups, bracket and Swiss stages by round, table."""
    report = _mark_stopped(report)
    yield headline(report.tournament)
    yield from describe_mystery(report.tournament)
    yield from waiting(report.tournament)
    yield from (f"warning: {words}" for words in report.tournament.warnings)
    yield from times(report.tournament)
    yield from spec_changes(report.tournament)
    yield from disqualified(report.tournament)
    yield from list_protests(report.tournament)
    yield from twins(report.tournament)
    yield from nonces(report.tournament)
    if report.hidden:
        yield plain(report.hidden)
    if report.hidden or not report.tournament.has_begun:
        yield from entrants(report.tournament)
    yield from takes(report.matches)
    rounds = (*report.bracket, *(each for stage in report.swiss for each in stage.rounds))
    shown = {match.label for each in rounds for match in each.matches}
    shown |= {match.label for one in list_table_rounds(report.matches) for match in one.matches}
    others = [match for match in report.matches if match.label not in shown]
    if others:
        yield ""
        yield match_table(others)
    yield from list_groups(report.tournament, report.tables, report.matches)
    yield from bracket(report)
    yield from describe_swiss(report)
    yield from describe_tables(report.matches)
    yield from describe_races(report)
    if report.standings and report.tournament.has_begun:
        yield ""
        yield "final table" if report.final else "table so far"
        yield standing_table(report.standings, report.tournament.entries)
    if report.matches:
        yield ""
        yield "\n".join((*write_legend(report.tournament.spec_toml), *explain_scores(report.matches)))
    yield from carryover(report.carryover)
    yield from describe_foreknowledge(report.foreknowledge)
    yield from proof(report.tournament)


def _mark_stopped(report: TournamentReport) -> TournamentReport:
    """Return a report with the matches that a cancellation has stopped marked as such."""
    now = report.tournament
    matches, rounds = mark_matches(now, report.matches), mark_rounds(now, report.bracket)
    return structs.replace(report, matches=matches, bracket=rounds, swiss=mark_stages(now, report.swiss))


def winner(report: TournamentReport) -> str:
    """Return one sentence about the end of a tournament."""
    now = report.tournament
    if now.state != "finished" or not report.standings:
        return f"{now.name} is {now.state}: {now.words}" if now.words else f"{now.name} is {now.state}"
    first = find_winner(report.standings, now.entries, report.matches)
    if first is None:
        return f"{now.name} has no winner: those who would have met in its last match have gone"
    matches = first.won + first.lost + first.level
    elo, interval = rating_cells(first.rating, first.low, first.high, first.sets)
    rating = f"rating {elo} Elo (95 %: {interval})" if elo else f"its rating is not known yet ({interval})"
    return f"{first.bot_name} wins {now.name}: {first.won} of {matches} matches won, {rating}"


def bracket(report: TournamentReport) -> Iterator[RenderableType]:
    """Yield each round with its name, where its losers go on, its byes and its matches."""
    names = {entry.number: entry.bot_name for entry in report.tournament.entries}
    crossings = name_crossings((each.round, each.name) for each in report.bracket)
    for each in report.bracket:
        byes = ", ".join(names.get(number, str(number)) for number in each.byes)
        yield ""
        onward = f", its losers go on in {crossings[each.round]}" if each.round in crossings else ""
        yield each.name + onward + (f" (bye: {byes})" if byes else "")
        if each.matches:
            yield match_table(each.matches)


def conclusion(report: TournamentReport) -> Iterator[RenderableType]:
    """Yield the end of a tournament: the winner, the table, and next steps."""
    yield ""
    yield bold(winner(report))
    if report.standings:
        yield ""
        yield standing_table(report.standings, report.tournament.entries)
        yield ""
        yield MISSING
    yield ""
    yield from next_steps(report.tournament)


def next_steps(now: Tournament) -> Iterator[str]:
    """Yield commands that make sense once a tournament is over."""
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
    """Return name, rules, state, progress and commitment in one line."""
    done = f", {now.matches_decided} of {now.matches_known} matches decided" if now.matches_known else ""
    words = f" ({now.words})" if now.words and now.state != "starting" else ""
    entries = "1 entry" if now.entrants == 1 else f"{now.entrants:,} entries"
    head = f"{now.name}: {name_rules(now)}, {now.state}{words}, {entries}"
    return f"{head}{done}{_due(now)}, commitment {now.commitment[:12]}"


def say_next(now: Tournament) -> Iterator[str]:
    """Yield what is played, before it is, and the command that usually comes next."""
    command = f"`{own_command()} tournament"
    if now.state in {"created", "open"}:
        stages = read_table(now.spec_toml).get("stage", [])
        yield f"stages: {', then '.join(map(_name_stage, stages))}"
    if now.state == "created":
        yield f"next: {command} open {now.name}` opens its entries"
    elif now.state == "open":
        yield f"next: {command} enter {now.name} BOT` enters a bot, {command} start {now.name}` starts it"
    elif now.state == "running":
        yield f"next: {command} watch {now.name}` follows it"


def _name_stage(stage: Mapping[str, Any]) -> str:
    """Return a stage's format, and how many play in it if it has a cut."""
    cut = f" of the first {stage['take']}" if "take" in stage else ""
    return f"{stage.get('format')}{cut}"


def spec_changes(now: Tournament) -> Iterator[str]:
    """Yield who changed what in the spec, and when."""
    for change in now.spec_changes:
        yield f"spec changed {clock(change.at)} by {plain(change.account_name)}:"
        for one in change.keys:
            yield f"  {one.key}: {plain(one.before) or 'not set'} became {plain(one.after) or 'not set'}"


def disqualified(now: Tournament) -> Iterator[str]:
    """Yield disqualified entries, with reasons."""
    for entry in now.entries:
        if entry.disqualified:
            yield f"{entry.bot_name} is disqualified: {entry.disqualified}"


def entrants(now: Tournament) -> Iterator[RenderableType]:
    """Yield a table of those who have entered."""
    from rich.text import Text

    if not now.entries:
        return
    made = table(">entrant", "bot", "account", "sha256")
    for entry in now.entries:
        name = entry.bot_name + describe_departure(entry)
        row = (str(entry.number), name, entry.account_name, entry.sha256[:12])
        made.add_row(*(Text(cell) for cell in row), style="dim" if entry.withdrawn else "")
    yield ""
    yield made


def twins(now: Tournament) -> Iterator[str]:
    """Yield entries of different accounts that are the same program, byte for byte."""
    found: dict[str, list[Entry]] = {}
    for entry in now.entries:
        if not entry.withdrawn:
            found.setdefault(entry.sha256, []).append(entry)
    for same in found.values():
        if len({entry.account_name for entry in same}) > 1:
            names = ", ".join(f"{entry.bot_name} of {entry.account_name}" for entry in same)
            yield f"the same program has entered for several accounts: {names}"


def nonces(now: Tournament) -> Iterator[str]:
    """Yield, once it has started, whose nonces are in the seeds and whose are not."""
    drawn = [entry for entry in now.entries if entry.commitment and now.entries_root]
    opened = [entry.bot_name for entry in drawn if entry.nonce_opened]
    missing = [entry.bot_name for entry in drawn if not entry.nonce_opened]
    if opened:
        yield f"random numbers of authors in all seeds: {', '.join(opened)}"
    if missing and read_table(now.spec_toml).get("entries", {}).get("opening_minutes", 1):
        yield f"random numbers not disclosed, and in no seed: {', '.join(missing)}"


def waiting(now: Tournament) -> Iterator[str]:
    """Yield for whom a start waits, what they have to do, and how to start without them."""
    if now.state != "starting":
        return
    start = f"`{own_command()} tournament start {now.name}"
    if not now.awaited:
        yield "its entries are closed" + ("" if now.due_at else f"; {start}` begins to play")
        return
    verb = "has" if len(now.awaited) == 1 else "have"
    names = ", ".join(f"{entry.bot_name} of {entry.account_name}" for entry in now.entries if entry.awaited)
    yield f"{len(now.awaited)} of {now.confirming} authors still {verb} to confirm: {names}"
    yield "any `maumau` command of theirs does it, or opening the arena's page while logged in"
    yield f"{start} --now` starts without them"


def takes(matches: Iterable[Match]) -> Iterator[str]:
    """Yield the matches that were begun more than once, with the reason of the last take."""
    for match in matches:
        if match.take > 1:
            why = f": {plain(match.reason)}" if match.reason else ""
            fresh = f", with fresh seeds since take {match.seed_take}" if match.seed_take else ""
            yield f"match {match.label} is take {match.take}{fresh}{why}"


def times(now: Tournament) -> Iterator[str]:
    """Yield the times of start and end."""
    if now.started_at:
        span = say_span(now.started_at, now.ended_at)
        end = f", {now.state} {clock(now.ended_at)} after {span}" if now.ended_at else ""
        yield f"started {clock(now.started_at)}{end}"


def _due(now: Tournament) -> str:
    """Return the next automatic step, with its time."""
    if not now.due_at:
        return ""
    what = "final" if now.state == "decided" else "starts"
    latest = " at the latest" if now.state == "starting" else ""
    return f", {what} at {now.due_at.astimezone():%Y-%m-%d %H:%M %Z}{latest}"


def carryover(found: Iterable[Carryover]) -> Iterator[str]:
    """Yield for organisers the bots that seem to know deals from their other seating, or that none do."""
    from maumau.contest.export.carryover import ALPHA

    entrants = list(found)
    tested = [one for one in entrants if one.sets]
    if tested:
        yield ""
    for one in tested:
        if one.suspicious:
            yield (
                f"{one.bot_name} plays better in the seating played second: by {one.estimate:+.1%} of a deal "
                f"(95 %: {one.low:+.1%} to {one.high:+.1%}), p ≤ {one.p:.2g}, {one.sets:,} mirrored sets"
            )
    if tested and not any(one.suspicious for one in tested):
        least = min(tested, key=lambda one: one.p)
        yield (
            "no bot is suspected of knowing deals from the other seating: the least likely gain is "
            f"{least.bot_name}'s, and chance gives as large a one in {100 * least.p:.3g} % of contests "
            f"(suspicious from {100 * ALPHA / len(entrants):.3g} % down)"
        )


def proof(now: Tournament) -> Iterator[str]:
    """Yield the values for `maumau verify --compared`: the chain's last link, and the final `compared`."""
    if now.chain or now.compared:
        yield ""
    if now.chain:
        yield f"chain {now.chain}"
    if now.compared:
        yield f"compared {now.compared}"


def remarks(found: Iterable[Tournament]) -> Iterator[str]:
    """Yield lines below a table of tournaments: why one waits or cannot be read."""
    for now in found:
        if now.state == "starting":
            yield from (f"{now.name}: {line}" for line in waiting(now))
        elif now.words:
            yield f"{now.name}: {now.words}"


def tournament_table(found: Iterable[Tournament]) -> Table:
    """Return the table of all tournaments."""
    from rich.text import Text

    made = table("tournament", "rules", "state", ">entries", ">decided", ">known", "made")
    for now in found:
        at = f"{now.created_at.astimezone():%Y-%m-%d %H:%M %Z}" if now.created_at else ""
        counts = (now.entrants, now.matches_decided, now.matches_known)
        row = (now.name, name_rules(now), now.state, *map(str, counts), at)
        made.add_row(*(Text(cell) for cell in row))
    return made


def list_protests(now: Tournament) -> Iterator[str]:
    """Yield the protests of a tournament with their answers, and what to do with those that are open."""
    for one in now.protests:
        yield f"protest {one.number} of {plain(one.bot_name)}, {clock(one.at)}: {plain(one.text)}"
        if one.state != "open":
            yield f"  {one.state} by {plain(one.answered_by)}, {clock(one.answered_at)}: {plain(one.answer)}"
        elif now.over:
            yield "  not answered"
        else:
            steps = f"`{own_command()} tournament answer {now.name} {one.number} --accept` or `--reject`"
            yield f"  open; the result becomes final only after an answer: {steps}, each with --text"
    if now.state == "decided" and not now.protests:
        yield f"`{own_command()} tournament protest {now.name} BOT --text …` files a protest"
