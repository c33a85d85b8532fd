"""The two reports for organisers: who seems to help whom, and who may be whose copy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from maumau.client.answer import (
    CompareSourcesResponse,
    Entry,
    GetFairnessResponse,
    Help,
    Likeness,
    SourceLikeness,
)

if TYPE_CHECKING:
    from maumau.client.arena import Arena


class ComparedBot(Struct, frozen=True):
    """A bot of a report."""

    name: str
    account: str


class HelpLine(Struct, frozen=True):
    """A bot that gains where another one sits at its table."""

    helper: ComparedBot
    helped: ComparedBot
    found: Help


class CopyLine(Struct, frozen=True):
    """Two bots that may be copies: by their decisions, by their sources, or by one of the two alone."""

    first: ComparedBot
    second: ComparedBot
    decisions: Likeness | None
    sources: SourceLikeness | None

    @property
    def named(self) -> bool:
        """Return True if independent programs are not so alike."""
        return any(one is not None and one.named for one in (self.decisions, self.sources))


class Fairness(Struct, frozen=True):
    """Both reports; what is named comes first. unreadable: bots whose sources cannot be compared."""

    tournament: str
    helps: tuple[HelpLine, ...]
    help_tests: int
    copies: tuple[CopyLine, ...]
    pairs_compared: int
    unreadable: tuple[ComparedBot, ...]


def collect_fairness(link: Arena, name: str) -> Fairness:
    """Ask the arena for both reports of a contest; for its organiser and admins."""
    now = link.tournament(name)
    found = link.fairness(now.id)
    sources = link.compare_sources(sorted({one.sha256 for one in now.entries}))
    return join_reports(now.name, now.entries, found, sources)


def join_reports(
    name: str, entries: Iterable[Entry], found: GetFairnessResponse, sources: CompareSourcesResponse
) -> Fairness:
    """Return what the two services found, by bots."""
    entered = list(entries)
    bots = {one.number: ComparedBot(one.bot_name, one.account_name) for one in entered}
    programs: dict[str, list[int]] = {}
    for one in entered:
        programs.setdefault(one.sha256, []).append(one.number)
    unreadable = (bots[number] for each in sources.unreadable for number in programs.get(each, ()))
    return Fairness(
        name,
        tuple(HelpLine(bots[one.helper], bots[one.helped], one) for one in found.helps),
        found.help_tests,
        tuple(_join_copies(bots, programs, found.alike, sources.pairs)),
        found.pairs_compared,
        tuple(unreadable),
    )


def _join_copies(
    bots: Mapping[int, ComparedBot],
    programs: Mapping[str, list[int]],
    alike: Iterable[Likeness],
    sources: Iterable[SourceLikeness],
) -> list[CopyLine]:
    decided = {(one.first, one.second): one for one in alike}
    written = {
        (min(a, b), max(a, b)): one
        for one in sources
        for a in programs.get(one.first, ())
        for b in programs.get(one.second, ())
    }
    lines = [
        CopyLine(bots[pair[0]], bots[pair[1]], decided.get(pair), written.get(pair))
        for pair in sorted(decided.keys() | written.keys())
    ]
    return sorted(lines, key=_rank)


def _rank(line: CopyLine) -> tuple[bool, float, float]:
    written = line.sources.share if line.sources else 0.0
    return not line.named, -(line.decisions.share if line.decisions else 0.0), -written
