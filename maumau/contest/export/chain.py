"""The chain of a contest: its events in the order in which they happened, each link made of all before it.

The arena makes a link with every event, in the transaction in which it happens, and announces it to
watchers. A link that was seen shows whether anything before it was rewritten (docs/reference/verify.md).

The first link is made of the root, and link n is SHA-256(link n - 1, line feed, text of the event, line
feed), hex digits and decimal numbers as ASCII, names as UTF-8. Up to version 3 the only events are bookings.
A take is how often a match has been begun: one that is taken back is played anew, from take 2 on.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from maumau.contest.entrant import Entrant, Sha256
from maumau.contest.seed import VERSION

Count = Annotated[int, Meta(ge=0)]


class Booking(msgspec.Struct, frozen=True):
    """A block that was booked, whether it counts in the end or not. digest: of its records."""

    match: str
    take: Annotated[int, Meta(ge=1)]
    block: Count
    digest: Sha256

    @property
    def key(self) -> str:
        """Example: 1.1.2 1 0."""
        return f"{self.match} {self.take} {self.block}"


class Decision(msgspec.Struct, frozen=True):
    """A take of a match that was decided. digest: of its result line."""

    match: str
    take: int
    digest: str

    @property
    def key(self) -> str:
        """Example: 1.1.2 1 decided."""
        return f"{self.match} {self.take} decided"


class Retaking(msgspec.Struct, frozen=True):
    """A take of a match that was taken back and no longer counts."""

    match: str
    take: int
    digest: str = ""

    @property
    def key(self) -> str:
        """Example: 1.1.2 1 retaken."""
        return f"{self.match} {self.take} retaken"


class Withdrawal(msgspec.Struct, frozen=True):
    """An entrant that was withdrawn during play."""

    entrant: int
    digest: str = ""

    @property
    def key(self) -> str:
        """Example: entrant 2 withdrawn."""
        return f"entrant {self.entrant} withdrawn"


class Disqualification(msgspec.Struct, frozen=True):
    """An entrant that was disqualified. digest: of the reason."""

    entrant: int
    digest: str

    @property
    def key(self) -> str:
        """Example: entrant 2 disqualified."""
        return f"entrant {self.entrant} disqualified"


class Protesting(msgspec.Struct, frozen=True):
    """A protest of an entrant against the result. digest: of its account, time and text."""

    protest: int
    entrant: int
    digest: str

    @property
    def key(self) -> str:
        """Example: protest 1 of entrant 2."""
        return f"protest {self.protest} of entrant {self.entrant}"


class Answering(msgspec.Struct, frozen=True):
    """An answer to a protest. verdict: accepted or rejected. digest: of its account, time and text."""

    protest: int
    verdict: str
    digest: str

    @property
    def key(self) -> str:
        """Example: protest 1 rejected."""
        return f"protest {self.protest} {self.verdict}"


class Entering(msgspec.Struct, frozen=True):
    """An entrant that gets its number in a contest of jobs. sha256: of its artifact."""

    entrant: int
    sha256: str
    name: str

    @property
    def key(self) -> str:
        """Example: entrant 2 entered."""
        return f"entrant {self.entrant} entered"

    @property
    def digest(self) -> str:
        """The program and the name."""
        return f"{self.sha256} {self.name}"


class Asking(msgspec.Struct, frozen=True):
    """A job that is asked for. entrants: their numbers by position, with spaces between them."""

    job: str
    sets: int
    entrants: str

    @property
    def key(self) -> str:
        """Example: job 17 asked."""
        return f"job {self.job} asked"

    @property
    def digest(self) -> str:
        """Sets and entrants."""
        return f"{self.sets} {self.entrants}"


class End(msgspec.Struct, frozen=True):
    """The end, after which nothing happens. digest: `compared` of the export's last line."""

    digest: str

    @property
    def key(self) -> str:
        """Always end."""
        return "end"


Departure = Withdrawal | Disqualification
OfTournament = Booking | Decision | Retaking | Departure | Protesting | Answering | End
OfJobs = Booking | Entering | Asking | End
Event = OfTournament | OfJobs
"""Everything that gets a link. key: what happened; no two events of a chain have the same."""


class ChainJob(NamedTuple):
    """A job of a contest. entrants: their numbers, by position. sets: asked for."""

    label: str
    entrants: tuple[int, ...]
    sets: int


class Chain(NamedTuple):
    """The events of a contest in their order; up to version 3 all its bookings and nothing else."""

    events: Iterable[Event] = ()
    version: int = VERSION


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A booking with its link, as an export of version 3 has it."""

    match: str
    take: Annotated[int, Meta(ge=1)]
    block: Count
    digest: Sha256
    chain: Sha256

    @property
    def event(self) -> Booking:
        """The booking without the link."""
        return Booking(self.match, self.take, self.block, self.digest)


class EventLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text of an event with its link, as an export has it from version 4 on."""

    event: str
    chain: Sha256


NUMBER, DIGEST = "[1-9][0-9]{0,17}", "(?P<digest>[0-9a-f]{64})"
LABEL = "[A-Za-z0-9.-]{1,40}"
TAKE, ENTRANT = rf"(?P<match>{LABEL}) (?P<take>{NUMBER})", rf"entrant (?P<entrant>{NUMBER})"
TEXTS = {
    Booking: re.compile(rf"{TAKE} (?P<block>0|{NUMBER}) {DIGEST}"),
    Decision: re.compile(rf"{TAKE} decided {DIGEST}"),
    Retaking: re.compile(rf"{TAKE} retaken"),
    Withdrawal: re.compile(rf"{ENTRANT} withdrawn"),
    Disqualification: re.compile(rf"{ENTRANT} disqualified {DIGEST}"),
    Protesting: re.compile(rf"protest (?P<protest>{NUMBER}) of {ENTRANT} {DIGEST}"),
    Answering: re.compile(rf"protest (?P<protest>{NUMBER}) (?P<verdict>accepted|rejected) {DIGEST}"),
    Entering: re.compile(rf"{ENTRANT} entered (?P<sha256>[0-9a-f]{{64}}) (?P<name>.+)"),
    Asking: re.compile(
        rf"job (?P<job>{LABEL}) asked (?P<sets>0|{NUMBER}) (?P<entrants>{NUMBER}( {NUMBER}){{1,9}})"
    ),
    End: re.compile(rf"end {DIGEST}"),
}
"""The pattern of each kind of event's text."""


def write_event(event: Event) -> str:
    """Return the text that the link of an event is made of."""
    return f"{event.key} {event.digest}" if event.digest else event.key


def read_event(text: str) -> Event | None:
    """Return the event of this text, or None if it is that of none."""
    for kind, pattern in TEXTS.items():
        if found := pattern.fullmatch(text):
            event: Event = msgspec.convert(found.groupdict(), kind, strict=False)
            return event
    return None


def list_departures(entrants: Iterable[Entrant]) -> Iterator[Departure]:
    """Yield the events of withdrawn and disqualified entrants, in the order of their numbers."""
    for one in entrants:
        if one.withdrawn:
            yield Withdrawal(one.number)
        if one.disqualified:
            digest = hashlib.sha256(one.disqualified.encode()).hexdigest()
            yield Disqualification(one.number, digest)


def list_askings(entrants: Iterable[Entrant], jobs: Iterable[ChainJob]) -> Iterator[Entering | Asking]:
    """Yield the events of the entrants of a contest of jobs, then those of its jobs."""
    for one in entrants:
        yield Entering(one.number, one.sha256, one.name)
    for job in jobs:
        yield Asking(job.label, job.sets, " ".join(map(str, job.entrants)))


def add_link(before: str, event: Event) -> str:
    """Return the link of an event. before: the link before it, or the root."""
    return hashlib.sha256(f"{before}\n{write_event(event)}\n".encode()).hexdigest()


def link_events(root: str, events: Iterable[Event]) -> Iterator[tuple[Event, str]]:
    """Yield each of these events with its link."""
    chain = root
    for event in events:
        chain = add_link(chain, event)
        yield event, chain
