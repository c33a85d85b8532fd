"""Words and tables of a rehearsal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from maumau.contest.format import FORMATS, count_meeting
from maumau.contest.rehearsal.other import TOLERANCE
from maumau.contest.rehearsal.worth import say_worth, weigh_match
from maumau.screen.output import bold
from maumau.screen.table import MEDIUM, WIDE, Fitted, table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from maumau.contest.rehearsal.forecast import Chance, Forecast
    from maumau.contest.rehearsal.rehearse import Rehearsal
    from maumau.contest.spec.spec import Spec

THEN: Final = ", then "
NONE: Final = "-"
SCALED: Final = {
    "sequential": "block, cap and delta",
    "fixed": "sets and block",
    "first_to": "wins, block and cap",
}
"""The keys of each kind of match that are scaled."""


def describe_rehearsal(contest: Spec, found: Rehearsal, *, stated: bool) -> Iterator[RenderableType]:
    """Yield the forecast in sentences, the table of formats, and what both rest on.

    stated: the time of a deal was given.
    """
    own = found.contest
    yield bold(f"{contest.name}: {name_forecast(own)}, {found.bots} bots, {found.runs} times")
    yield (
        f"The best bot wins {say_chance(own.best_wins)} and is in the top three in"
        f" {say_chance(own.best_in_three)}."
    )
    yield f"The winner is {own.regret:.1f} Elo weaker than the best bot, on average."
    yield from _say_cost(found)
    yield say_unseparated(contest, own)
    if worth := weigh_match(contest, found.variance):
        words = say_worth(worth)
        yield f"{words[0].upper()}{words[1:]}."
    if found.others:
        yield ""
        yield Fitted(lambda width: _tabulate_plans(found, width))
        yield "Order: the rank correlation of the final table with the strengths, 1 if all places are right."
        yield from _say_equal(found)
    yield from (f"{one.format} is left out: {one.reason}" for one in found.left_out)
    yield ""
    yield from _say_grounds(contest, found, stated=stated)


def name_forecast(one: Forecast) -> str:
    """Return the formats of a forecast's stages and the keys that they have."""
    formats = THEN.join(one.formats)
    keys = "" if len(one.formats) > 1 else one.keys
    return f"{formats} ({keys})" if keys else formats


def say_chance(chance: Chance) -> str:
    """Return a chance in words, with its interval."""
    return f"{100 * chance.share:.0f} of 100 ({100 * chance.low:.0f} to {100 * chance.high:.0f})"


def _say_cost(found: Rehearsal) -> Iterator[str]:
    own, core = found.contest, found.contest.core_hours
    workers = f"{found.workers} worker{'s' * (found.workers != 1)}"
    yield (
        f"It takes {own.sets.median:,.0f} deal sets in {say_mean(own.matches)} matches:"
        f" {say_time(core.median)} of a core, {say_time(own.hours.median)} with {workers};"
        f" nine of ten contests take at most {own.sets.p90:,.0f} sets: {say_time(core.p90)} of a core,"
        f" {say_time(own.hours.p90)} with {workers}."
    )


def say_unseparated(contest: Spec, own: Forecast) -> str:
    """Return how many matches end without the sequential test, or that none of them has it."""
    if contest.match.kind != "sequential" or all(map(count_meeting, contest.stages)):
        return "No test decides its matches: their number of deal sets, or of those won, ends them."
    matches = say_mean(own.matches)
    return f"{say_mean(own.unseparated)} of the {matches} matches end without the test having decided."


def say_mean(number: float) -> str:
    """Return a mean number of matches with the decimal that it has."""
    return f"{number:,.1f}".removesuffix(".0")


def say_time(hours: float) -> str:
    """Return a time in hours, minutes or seconds."""
    for size, unit, digits in ((1, "hour", 1), (60, "minute", 1), (3600, "second", 0)):
        number = f"{size * hours:,.{digits}f}"
        if size * hours >= 1:
            return f"{number} {unit}{'s' * (number != '1')}"
    return "less than a second"


def _tabulate_plans(found: Rehearsal, width: int) -> Table:
    medium, wide = width >= MEDIUM, width >= WIDE
    costs = [">sets, 90 %", ">not separated"] if medium else []
    more = [">order", ">block", ">cap", ">delta"] if wide else []
    made = table("format", ">best wins", ">top three", ">sets", *costs, *more)
    for one in (found.contest, *found.others):
        cells = [_as_percent(one.best_wins), _as_percent(one.best_in_three), f"{one.sets.median:,.0f}"]
        cells += [f"{one.sets.p90:,.0f}", say_open(one)] if medium else []
        cells += [f"{one.tau:.2f}", *say_rule(one)] if wide else []
        made.add_row(name_forecast(one), *cells)
    return made


def _is_race(one: Forecast) -> bool:
    """Return True if a batch and not the contest's rule decides how long its matches are."""
    return all(FORMATS[name].spend for name in one.formats)


def say_open(one: Forecast) -> str:
    """Return how many matches the test has not separated; a dash where none decides any."""
    if _is_race(one) or one.match.kind != "sequential":
        return NONE
    return f"{say_mean(one.unseparated)} of {say_mean(one.matches)}"


def say_rule(one: Forecast) -> tuple[str, str, str]:
    """Return block, cap and delta as far as they decide when a match ends, else dashes."""
    if _is_race(one):
        return NONE, NONE, NONE
    rule = one.match
    delta = f"{rule.delta:g}" if rule.kind == "sequential" else NONE
    return str(rule.block), f"{rule.cap:,}", delta


def _as_percent(chance: Chance) -> str:
    return f"{100 * chance.share:.0f} ±{50 * (chance.high - chance.low):.0f} %"


def _say_equal(found: Rehearsal) -> Iterator[str]:
    keys = SCALED[found.others[0].match.kind]
    yield (
        f"The other formats at equal cost: {keys} of their matches are scaled so that the mean"
        f" number of sets agrees within {100 * TOLERANCE:.0f} %."
    )
    if any(map(_is_race, (found.contest, *found.others))):
        yield (
            "A race has a budget of sets instead, and matches of a fixed length in a single block: no test"
            " decides them, and it ends when its winner is sure."
        )
    for one in found.others:
        if not found.is_equal(one):
            off = 100 * (one.sets.mean / found.contest.sets.mean - 1)
            yield (
                f"{name_forecast(one)} costs {abs(off):.0f} % {'more' if off > 0 else 'less'}: its matches"
                " cannot be scaled further, or not so finely."
            )


def _say_grounds(contest: Spec, found: Rehearsal, *, stated: bool) -> Iterator[str]:
    """Yield the assumptions."""
    yield f"Field: {found.field}. They enter in random order."
    yield f"Variance of a deal set between equal bots: {found.variance:g}, {found.variance_source}."
    source = "as given" if stated else "that of house bots which answer at once"
    limit = 2 * contest.bot.deal_ms
    yield (
        f"Time of a deal: {found.ms_per_deal:g} ms, {source}; two bots that use all of theirs take {limit} ms"
        f" more. Seed: {found.seed}."
    )
