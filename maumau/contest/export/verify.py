"""Verification of an export without a server: everything is derived again (docs/reference/verify.md).

Sums and hashes find damage. Everything else is recomputed: the commitment and the entries' root, every deal's
seed, every record by replay, every score, verdict, pairing, rating, tie-break and table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from maumau.contest.claim import WALKOVER_RULES
from maumau.contest.export.chain import list_departures
from maumau.contest.export.difference import Difference
from maumau.contest.export.job_recheck import JobCheck
from maumau.contest.export.line import TermsLine
from maumau.contest.export.protest import list_events, read_protests
from maumau.contest.export.recheck import Check, Map
from maumau.contest.export.sheet import Misread, Sheet

MAX_DIFFERENCES = 20
"""Differences that a report lists."""


class Departed(msgspec.Struct, frozen=True):
    """An entrant that went during play. link: the number of the link that says so, 0 before version 4.

    reason: why it was disqualified, "" if it was withdrawn.
    """

    name: str
    link: int
    reason: str


class Walkover(msgspec.Struct, frozen=True):
    """A match that was won without a deal that counts, although `blocks` of it were booked, if any.

    first_link, last_link: the numbers of the first and of the last link of a block, 0 without any.
    """

    loser: str
    rule: str
    blocks: int
    first_link: int
    last_link: int


class Protested(msgspec.Struct, frozen=True):
    """A protest against the result. state: open if nobody answered it. link: of the protest."""

    number: int
    name: str
    text: str
    state: str
    answer: str
    link: int


class Report(msgspec.Struct, frozen=True):
    """The result of a verification: counts, the first differences, and the number of all.

    differences: the first `MAX_DIFFERENCES`, damage first, then what follows from what.
    secret: "given" or "drawn", as stated in the export, since it follows from nothing; "" if it is missing.
    compared: the hash of all that two runs with one secret have in common. links: of the chain.
    missed: of the hashes that somebody saw those that are neither `compared` nor a link nor the commitment to
    mystery rules.
    retaken: for each match that was taken back and played again, and counts as it was played then, the number
    of the link from which on it was: the links before say nothing of it.
    fresh_seeds: for each match that was retaken with fresh seeds, the number of the take that they came with.
    reasons: for each match that was begun again, why, for each take from the second on; as the export says.
    opened, unopened: the entrants whose nonces are in the seeds, and those who never opened theirs.
    departed: entrants that were withdrawn or disqualified during play. walkovers: by match.
    sealed: the commitment to mystery rules, which are those of the export; "" if they were no mystery.
    own_rules: the hash of the rules, if a known variant's name has a text of its own here.
    early_forfeits: deals with forfeits from before version 2 of these, which count as they did then.
    vouched: the number of the last link that somebody saw; that of the last of all if `compared` was seen.
    """

    lines: int
    matches: int
    sets: int
    differences: tuple[Difference, ...]
    differing: int
    secret: str = ""
    compared: str = ""
    links: int = 0
    missed: tuple[str, ...] = ()
    retaken: dict[str, int] = {}
    fresh_seeds: dict[str, int] = {}
    reasons: dict[str, tuple[str, ...]] = {}
    opened: tuple[str, ...] = ()
    unopened: tuple[str, ...] = ()
    departed: tuple[Departed, ...] = ()
    walkovers: dict[str, Walkover] = {}
    vouched: int = 0
    own_rules: str = ""
    protests: tuple[Protested, ...] = ()
    sealed: str = ""
    early_forfeits: int = 0

    @property
    def ok(self) -> bool:
        """True if everything agrees."""
        return not self.differing and not self.missed


def verify(path: Path, map: Map = map, seen: Sequence[str] = ()) -> Report:  # noqa: A002 - as the built-in
    """Check an export; raise `UnreadableExport` if there is no such file.

    map: the function that spreads the replays. seen: hashes that the arena published during play or at the
    end, or their prefixes.
    """
    sheet = Sheet()
    check = Check(sheet)
    try:
        sheet.read(path)
        if isinstance(sheet.items["spec"][0].line, TermsLine):
            check = JobCheck(sheet)
        check.spec()
        check.records(path, map)
        check.matches()
        check.tables()
        check.measured()
        check.chain()
    except Misread as misread:
        check.found.append(misread.difference)
    return _build_report(check, seen)


def _build_report(check: Check, seen: Sequence[str]) -> Report:
    sheet, links = check.sheet, check.history.links
    found = list(dict.fromkeys((*sheet.differences, *check.found)))
    counts = sheet.lines, len(check.verdicts) or len(check.labels), len(check.checked)
    places = {link: place for place, link in enumerate(links, start=1)} | {sheet.compared: len(links)}
    if check.sealed:
        places[check.sealed] = 0
    known = {hash_: [one for one in places if one.startswith(hash_)] for hash_ in seen}
    missed = tuple(hash_ for hash_ in seen if not known[hash_])
    first, told = tuple(found[:MAX_DIFFERENCES]), (check.secret, sheet.compared)
    drawn = [one for one in check.entrants if one.commitment]
    return Report(
        *counts,
        first,
        len(found),
        *told,
        len(links),
        missed,
        retaken=check.retaken,
        fresh_seeds=check.fresh,
        reasons=check.reasons,
        opened=tuple(one.name for one in drawn if one.nonce),
        unopened=tuple(one.name for one in drawn if not one.nonce),
        departed=tuple(_list_departed(check)),
        walkovers=dict(_list_walkovers(check)),
        vouched=max((places[one] for matching in known.values() for one in matching), default=0),
        own_rules=check.own_rules,
        protests=tuple(_list_protested(check)),
        sealed=check.sealed,
        early_forfeits=sum(one.early for one in check.checked.values()),
    )


def _list_protested(check: Check) -> Iterator[Protested]:
    """Yield the readable protests; faults of the others are among the differences."""
    names = {one.number: one.name for one in check.entrants}
    with suppress(Misread):
        for place, (_, _, said) in enumerate(read_protests(check.sheet), start=1):
            link, _ = check.history.find_event(next(list_events(place, said)).key)
            name = names.get(said.entrant, str(said.entrant))
            yield Protested(place, name, said.text, said.state, said.answer, link)


def _list_departed(check: Check) -> Iterator[Departed]:
    for event in list_departures(check.entrants):
        one, (link, _) = check.entrants[event.entrant - 1], check.history.find_event(event.key)
        yield Departed(one.name, link, one.disqualified if event.digest else "")


def _list_walkovers(check: Check) -> Iterator[tuple[str, Walkover]]:
    for _, plan, verdict in check.judged:
        if verdict.rule in WALKOVER_RULES:
            loser = plan.second if verdict.winner == plan.first else plan.first
            places = [one.place for one in check.history.bookings.get(plan.label, ())] or [0]
            blocks = len(places) if places[0] else 0
            name = check.entrants[loser - 1].name
            yield plan.label, Walkover(name, verdict.rule, blocks, places[0], places[-1])
