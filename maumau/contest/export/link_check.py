"""The chain of an export as `verify` reads it, and what its events say of matches and entrants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.export.chain import (
    Asking,
    Booking,
    ChainJob,
    Decision,
    Disqualification,
    Entering,
    Event,
    EventLink,
    Link,
    Retaking,
    Withdrawal,
    add_link,
    list_askings,
    list_departures,
    read_event,
    write_event,
)
from maumau.contest.export.difference import Difference, find_differences, shorten_value
from maumau.contest.export.line import BOOKING, LINK, MeasuredLine, result_digest
from maumau.contest.export.sheet import Misread, Sheet
from maumau.contest.format.draw import Draw
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.schedule.advance import LABEL
from maumau.contest.schedule.presence import Moments, Records, find_misdrawn
from maumau.contest.seed import BOOKINGS_ALONE
from maumau.contest.spec.spec import Spec

NONE = "no link for it"


class Placed(NamedTuple):
    """An event of the chain. place: number of its link, from 1. line: of the file."""

    place: int
    line: int
    event: Event


class Judged(NamedTuple):
    """A match as it was judged again. line: of its result."""

    line: int
    plan: MatchPlan
    verdict: Verdict


class History:
    """The events of a chain: all of them by key, and what happened to each match."""

    def __init__(self) -> None:
        self.links: list[str] = []
        self.found: list[Difference] = []
        self.events: dict[str, Placed] = {}
        self.bookings: defaultdict[str, list[Placed]] = defaultdict(list)
        self.retakings: defaultdict[str, list[Placed]] = defaultdict(list)
        self.decisions: defaultdict[str, list[Placed]] = defaultdict(list)
        self.takes: dict[str, int] = {}  # by match: its last take
        self.begun: dict[tuple[str, int], Placed] = {}  # by match and take: its first event

    def add_event(self, line: int, event: Event) -> None:
        """Take in the event of the last link."""
        placed = Placed(len(self.links), line, event)
        if event.key in self.events:
            kind = "a block" if isinstance(event, Booking) else "an event"
            self.found.append(
                Difference(line, "values", shorten_value(event.key), f"{kind} that is booked once")
            )
            return
        self.events[event.key] = placed
        if isinstance(event, Booking | Decision | Retaking):
            self.begun.setdefault((event.match, event.take), placed)
            self.takes[event.match] = max(event.take, self.takes.get(event.match, 0))
        if isinstance(event, Booking):
            self.bookings[event.match].append(placed)
        elif isinstance(event, Retaking):
            self.retakings[event.match].append(placed)
        elif isinstance(event, Decision):
            self.decisions[event.match].append(placed)

    def find_event(self, key: str) -> tuple[int, str]:
        """Return the number of an event's link, 0 if it has none, and its digest or words that say so."""
        placed = self.events.get(key)
        return (placed.place, placed.event.digest) if placed else (0, NONE)


def read_history(sheet: Sheet, root: str, version: int) -> History:
    """Read every link from the root on; `Misread` if one is none."""
    history, name = History(), LINK if version > BOOKINGS_ALONE else BOOKING
    for number, line in _list_links(sheet):
        history.found += find_differences(number, line.of, f"{name} {len(history.links) + 1}", "of")
        event, said = _read_link(number, line, version)
        truth = add_link(history.links[-1] if history.links else root, event)
        history.found += find_differences(number, said, truth, "values.chain")
        history.links.append(truth)
        history.add_event(number, event)
    return history


def _list_links(sheet: Sheet) -> Iterator[tuple[int, MeasuredLine]]:
    for number, line in sheet.items["measured"]:
        if isinstance(line, MeasuredLine) and line.of.startswith((BOOKING, LINK)):
            yield number, line


def _read_link(number: int, line: MeasuredLine, version: int) -> tuple[Event, str]:
    try:
        if version == BOOKINGS_ALONE:
            link = msgspec.convert(line.values, Link)
            return link.event, link.chain
        said = msgspec.convert(line.values, EventLink)
    except msgspec.ValidationError as error:
        raise Misread(number, "values", shorten_value(line.values), f"a link of the chain: {error}") from None
    event = read_event(said.event)
    if event is None or write_event(event) != said.event:
        raise Misread(number, "values.event", shorten_value(said.event), "an event of a contest")
    return event, said.chain


def check_kinds(history: History, kinds: Any, contest: str) -> Iterator[Difference]:
    """All events are of these kinds."""
    for key, placed in history.events.items():
        if not isinstance(placed.event, kinds):
            yield Difference(placed.line, "values.event", shorten_value(key), f"an event of {contest}")


def check_askings(
    history: History, entrants: Sequence[tuple[int, Entrant]], jobs: Sequence[tuple[int, ChainJob]], last: int
) -> Iterator[Difference]:
    """Compare who entered and what was asked for with entries and jobs, each with its line; last: line."""
    lines = {f"entrant {one.number} entered": line for line, one in entrants}
    lines |= {f"job {job.label} asked": line for line, job in jobs}
    truth = {one.key: one for one in list_askings((e for _, e in entrants), (job for _, job in jobs))}
    for key, event in truth.items():
        yield from find_differences(lines[key], history.find_event(key)[1], event.digest, "link")
    for key, placed in history.events.items():
        if isinstance(placed.event, Entering | Asking) and key not in truth:
            yield Difference(last, "job", "left out", shorten_value(write_event(placed.event)))


def check_decisions(history: History, judged: Sequence[Judged], version: int) -> Iterator[Difference]:
    """Compare each result with the one that was decided in the last take of its match."""
    for line, plan, verdict in judged:
        take = history.takes.get(plan.label, 1)
        _, said = history.find_event(f"{plan.label} {take} decided")
        yield from find_differences(line, said, result_digest(verdict, version), "decided")
        yield from _check_takes(history, plan.label, line, take - 1)
    known = {one.plan.label for one in judged}
    for label, take in history.takes.items():
        if label not in known:
            yield from _check_takes(history, label, history.begun[label, take].line, take)


def _check_takes(history: History, label: str, line: int, gone: int) -> Iterator[Difference]:
    """Of a match exactly the first `gone` takes were taken back.

    When says nothing: a replica of an earlier release begins the next take without a link of this one.
    """
    back = [one.event.take for one in history.retakings[label] if isinstance(one.event, Retaking)]
    if len(back) != gone or (back and max(back) != gone):
        yield Difference(
            line, "retaken", shorten_value(sorted(back)), f"takes 1 to {gone}" if gone else "none"
        )


def check_departures(
    history: History, entrants: Sequence[Entrant], lines: Sequence[int]
) -> Iterator[Difference]:
    """Compare withdrawals and disqualifications with the entries. lines: of the entries."""
    truth = {event.key: event for event in list_departures(entrants)}
    for key, event in truth.items():
        place, digest = history.find_event(key)
        if not place or digest != event.digest:
            said = shorten_value(write_event(event))
            yield Difference(lines[event.entrant - 1], "entrant", said, digest or NONE)
    for key, placed in history.events.items():
        if isinstance(placed.event, Withdrawal | Disqualification) and key not in truth:
            yield Difference(placed.line, "values.event", shorten_value(key), "what the entry says, too")


def check_walkovers(history: History, judged: Iterable[Judged]) -> Iterator[Difference]:
    """Yield a difference where a walkover's loser left later, or won though both had left by then."""
    for line, plan, verdict in judged:
        if verdict.rule != "withdrawn":
            continue
        decided, _ = history.find_event(f"{plan.label} {history.takes.get(plan.label, 1)} decided")
        gone = {
            one
            for one in (plan.first, plan.second)
            if 0 < history.find_event(Withdrawal(one).key)[0] < decided
        }
        stays = plan.better_seed if len(gone) > 1 else next(iter({plan.first, plan.second} - gone))
        if not gone:
            yield Difference(line, "rule", shorten_value(verdict.rule), "no withdrawal before it was decided")
        elif verdict.winner != stays:
            yield Difference(line, "winner", shorten_value(verdict.winner), shorten_value(stays))


def check_tables(
    history: History, judged: Iterable[Judged], drawn: Mapping[str, Sequence[int]]
) -> Iterator[Difference]:
    """Yield a difference for everybody who is missing at a table too early, or sits there too late.

    A table is left out of only by those who had gone when its last take began, and stands only if it was
    decided before any of its players went. drawn: to each table, by label.
    """
    find_redraw = cache(partial(_find_redraw, history))
    for line, plan, _ in judged:
        take = history.takes.get(plan.label, 1)
        decided, _ = history.find_event(f"{plan.label} {take} decided")
        began = history.begun[plan.label, take].place if (plan.label, take) in history.begun else 0
        seated = shorten_value(plan.players)
        drawn_at = plan.stage, plan.round if plan.bracket else 1
        for one in drawn.get(plan.label, ()):
            left = _find_departure(history, one)
            if one in plan.players and 0 < left < decided:
                yield Difference(line, "players", seated, f"without {one}, gone before it was decided")
            elif one not in plan.players and not 0 < left < began and find_redraw(drawn_at) < began:
                yield Difference(line, "players", seated, f"with {one}, who had not left when it began")


def check_rounds(
    history: History, judged: Iterable[Judged], spec: Spec, entrants: Sequence[Entrant], draws: Sequence[Draw]
) -> Iterator[Difference]:
    """Yield a difference for every round that was not drawn with the entrants still present then.

    draws: of all stages.
    """
    lines = {one.plan.label: (one.line, one.verdict) for one in judged}
    left = {one.number: place for one in entrants if (place := _find_departure(history, one.number))}
    records = Records(spec, entrants, draws, [verdict for _, verdict in lines.values()], left)
    for plan, missing, gone in find_misdrawn(records, partial(_find_moments, history, draws)):
        names = " and ".join(map(str, gone or missing))
        words = f"with {names}, who had not left when it was drawn" if names else "a draw of those present"
        words = f"without {names}, who had left when it was drawn" if gone else words
        yield Difference(lines[plan.label][0], "players", shorten_value(plan.players), words)


def _find_moments(history: History, draws: Sequence[Draw], stage: int, turn: int) -> Moments:
    """Return the links between which a round was drawn and decided."""
    rounds = draws[stage - 1].rounds
    earlier = draws[stage - 2].matches if stage > 1 else ()
    before = rounds[turn - 2].matches if turn > 1 else earlier
    matches = rounds[turn - 1].matches
    redrawn = max(_list_redraws(history, (stage, turn), own=True), default=0)
    began = (history.begun.get((one.label, history.takes.get(one.label, 1))) for one in matches)
    decided = [[each.place for each in history.decisions[one.label]] or [0] for one in (*before, *matches)]
    return Moments(
        _find_first_draw(history, before, _list_redraws(history, (stage, turn))),
        min((one.place for one in began if one and one.place > redrawn), default=None),
        max((redrawn, *(places[-1] for places in decided))),
    )


def _find_first_draw(history: History, before: Sequence[MatchPlan], redraws: Sequence[int]) -> int:
    """Return the link after which the round after these matches could be drawn for the first time.

    Matches that were drawn anew may be more than those that were decided then. redraws: their links.
    """
    if not before:
        return 0
    known: list[tuple[int, int]] = []
    for one in before:
        first = next((each.place for each in history.decisions[one.label]), 0)
        begun = history.begun.get((one.label, 1))
        known.append((begun.place if begun else first, first))
    for start, end in pairwise((0, *redraws)):
        done = max(known[0][1], *(first for begun, first in known if start < begun < end), start)
        if done < end:
            return done
    return max(first for _, first in known)


def _find_departure(history: History, entrant: int) -> int:
    """Return the number of the first link of an entrant's departure, 0 if there is none."""
    keys = Withdrawal(entrant).key, Disqualification(entrant, "").key
    return min((place for place, _ in map(history.find_event, keys) if place), default=0)


def _find_redraw(history: History, turn: tuple[int, int]) -> int:
    """Return the number of the last link that may cause a round to be redrawn, 0 if there is none.

    turn: its stage and round, round 1 where all are drawn at once.
    """
    return max(_list_redraws(history, turn), default=0)


def _list_redraws(history: History, turn: tuple[int, int], *, own: bool = False) -> list[int]:
    """Return the numbers of the links that may cause a round to be redrawn.

    own: also those by which a match of the round itself is taken back, which may have named a leaver.
    """
    return [one.place for one in history.events.values() if _changes_draw(one.event, turn, own=own)]


def _changes_draw(event: Event, turn: tuple[int, int], *, own: bool) -> bool:
    """Return True for an event after which an earlier stage or round, or who was there, may be another."""
    if isinstance(event, Retaking):
        place = LABEL.fullmatch(event.match)
        at = (int(place[1]), int(place[2])) if place else turn
        return at < turn or (own and bool(place) and at == turn)
    return isinstance(event, Disqualification) and turn > (1, 1)


def check_end(history: History, compared: str, line: int) -> Iterator[Difference]:
    """Yield a difference unless the last link is that of the end, with the file's own digest."""
    place, said = history.find_event("end")
    if place and place != len(history.links):
        yield Difference(line, "end", f"link {place}", f"the last one, {len(history.links)}")
    yield from find_differences(line, said, compared, "end")
