"""Events of a tournament: gathered for a picture of it, or told in one line for each event."""

from __future__ import annotations

import time
from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from maumau.client.answer import LiveDeal, Match, Standing, Tournament, TournamentEvent
from maumau.screen.output import count_things
from maumau.screen.table import match_claim, name_rule

if TYPE_CHECKING:
    from maumau.screen.live_deal import LiveTable

SHOWN = 16  # digits of a link in the live lines, as many as `maumau verify --compared` takes
WINDOW = 10.0
"""Seconds over which blocks per second are counted."""


class Board:
    """One tournament as reported by its watch. `feed` may be called by one thread while another draws."""

    def __init__(self, name: str, *, tells_links: bool = True) -> None:
        self.name, self._tells_links = name, tells_links
        self.tournament: Tournament | None = None
        self.standings: tuple[Standing, ...] = ()
        self.ahead: dict[str, int] = {}
        self.table: LiveTable | None = None
        self._matches: dict[str, Match] = {}
        self._moved: dict[str, float] = {}
        self._blocks: deque[float] = deque(maxlen=1000)
        self.chain = ""  # the last link received

    def feed(self, part: Tournament | TournamentEvent) -> str:
        """Apply an event of a watch; return its line, empty for mere progress."""
        if isinstance(part, Tournament):
            self.tournament = part
            return ""
        if part.match:
            label = part.match.label
            self._matches = {**self._matches, label: part.match}
            self.ahead[label] = part.sets_ahead
            if part.kind in {"progress", "block_done"}:
                self._moved[label] = time.monotonic()
        if part.kind == "block_done" and _age(part) < WINDOW:
            self._blocks.append(time.monotonic())
        self.chain = part.chain or self.chain
        if part.kind in {"progress", "block_done"}:
            return ""
        is_told = self._tells_links and part.kind == "match_decided" and self.chain
        link = f", chain {self.chain[:SHOWN]}" if is_told else ""
        return event_line(self.name, part) + link

    @property
    def speed(self) -> float:
        """Return the recent blocks per second."""
        now = time.monotonic()
        return sum(now - then < WINDOW for then in list(self._blocks)) / WINDOW

    @property
    def playing(self) -> list[Match]:
        """The undecided matches, in the order of their start."""
        return [match for match in list(self._matches.values()) if match.state == "playing"]

    @property
    def decided(self) -> list[Match]:
        """The decided matches, the last one first."""
        return [match for match in list(self._matches.values()) if match.state == "decided"][::-1]

    def at_work(self, most: int) -> list[Match]:
        """Return up to `most` matches with deals: the most recently active, in the order of their start."""
        begun = [match for match in self.playing if match.sets or self.ahead.get(match.label)]
        lately = (
            sorted(begun, key=lambda match: self._moved.get(match.label, 0.0))[-most:] if most > 0 else []
        )
        return [match for match in begun if match in lately]

    def show(self, match: Match, deal: LiveDeal | None) -> None:
        """Show a match, or a piece of a deal, at the board's table."""
        from maumau.screen.live_deal import LiveTable

        if not self.table or self.table.match.id != match.id:
            self.table = LiveTable(match)
        self.table.match = match
        if deal:
            self.table.feed(deal)

    @property
    def title(self) -> tuple[str, ...]:
        """The heading of the tournament, the most important part first."""
        now = self.tournament
        if not now:
            return (self.name,)
        words = f", {now.words}" if now.words else ""
        known = max(now.matches_known, len(self._matches))
        done = f"{len(self.decided)} of {known} matches decided"
        speed = (f"{self.speed:.1f} blocks/s",) if self.speed else ()
        return f"{now.name}: {now.state}{words}", done, *speed


def _age(event: TournamentEvent) -> float:
    return (datetime.now(UTC) - event.at).total_seconds() if event.at else 0.0


def event_line(name: str, event: TournamentEvent) -> str:
    """Return an event in one line, with the score where a match was decided."""
    match = event.match
    if event.kind == "match_started" and match:
        return f"{name} {match.label}: {' against '.join(match.names.values())}"
    if event.kind == "match_decided" and match:
        return f"{name} {match.label}: {score_line(match)}"
    words = event.words or event.kind.replace("_", " ")
    told = f", compared {event.compared}" if event.compared else ""
    return f"{words}{told}" if words.startswith(name) else f"{name}: {words}{told}"


FINDINGS: Final = {"better": "is better than", "leads": "leads", "": "wins against"}


def finding(match: Match) -> str:
    """Return the claim about a match's winner."""
    return FINDINGS[match_claim(match)] if match.winner else "is level with"


def score_line(match: Match) -> str:
    """Return winner, score, interval and rule of a match; the score is that of the bot named first."""
    if match.players:
        return _score_table(match)
    first, second = match.first_name, match.second_name
    score = match.estimate, match.low, match.high
    if match.winner == match.second:
        first, second = second, first
        score = 1 - match.estimate, 1 - match.high, 1 - match.low
    how = finding(match)
    if not match.sets:
        return f"{first} {how} {second} without a deal ({name_rule(match)})"
    shown = "{:.3f} ({:.3f} to {:.3f})".format(*score)
    return f"{first} {how} {second}, score {shown} {_say_end(match)}"


def _score_table(match: Match) -> str:
    """Return the bots of a larger table by place with their scores, the sets and the rule."""
    scores = ", ".join(f"{one.place}. {one.bot_name} {one.score:.3f}" for one in match.ranking)
    return f"{scores} {_say_end(match)}"


def _say_end(match: Match) -> str:
    """Return after how many sets a match ended, and by which rule unless the test itself decided it."""
    rule = "" if match.rule == "sequential" else f" ({name_rule(match)})"
    return f"after {count_things(match.sets, 'set')}{rule}"
