"""The health of an arena, from its services' own status. Pure: pages and commands show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from maumau.client.answer import GetStatusResponse, NeedState, Rate, StateCount, WaitCount

STATES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "registry": (("version", "uploaded"), ("version", "validating")),
    "tournament": (
        ("block", "queued"), ("block", "claimed"), ("block", "void"), ("result", "awaited"),
        ("event", "untold"), ("worker", "present"), ("worker", "busy"), ("worker", "suspended"),
        ("worker", "missing"), ("tournament", "running"), ("tournament", "paused"),
    ),
    "matchmaking": (
        ("pairing", "new"), ("pairing", "open"), ("pairing", "paused"), ("bot", "ready"), ("seek", "open"),
    ),
    "engine": (("table", "waiting"), ("table", "playing"), ("table", "unreported")),
}  # fmt: skip
"""Thing and state of all that is shown, by the service that counts it."""
SERVICES = tuple(STATES)
Contact = Literal["answers", "unread", "silent"]
"""unread: the service answers, but gives no figures."""


class StatusRow(Struct, frozen=True):
    """A state that is shown; found: the service's figures, None if it gives none."""

    thing: str
    state: str
    found: StateCount | None


class ArenaStatus(Struct, frozen=True):
    """The status of an arena. services: the contact with each of SERVICES.

    late: the states beyond their time limit. away: needs that do not answer their service.
    """

    is_well: bool
    services: Mapping[str, Contact]
    states: tuple[StateCount, ...]
    late: tuple[StateCount, ...]
    waits: tuple[WaitCount, ...]
    rates: tuple[Rate, ...]
    needs: Mapping[str, tuple[NeedState, ...]]

    @property
    def away(self) -> tuple[tuple[str, str], ...]:
        """Each unavailable need, after the service that needs it."""
        return tuple((name, need) for name in self.needs for need in self.away_of(name))

    def away_of(self, service: str) -> tuple[str, ...]:
        """Return the needs of a service that do not answer."""
        return tuple(one.need for one in self.needs.get(service, ()) if not one.up)

    def rows_of(self, service: str) -> tuple[StatusRow, ...]:
        """Return every state of a service, even while it is silent; states new to this release last."""
        told = {(one.thing, one.state): one for one in self.states if one.service == service}
        known = STATES.get(service, ())
        names = (*known, *(name for name in told if name not in known))
        return tuple(StatusRow(*name, told.get(name)) for name in names)

    def find_state(self, thing: str, state: str) -> StateCount | None:
        """Return the figures of a state, or None."""
        return next((one for one in self.states if (one.thing, one.state) == (thing, state)), None)

    def find_rate(self, thing: str) -> float:
        """Return a rate per second; 0 if it is not known."""
        return next((one.per_second for one in self.rates if one.thing == thing), 0.0)


def join_status(told: Mapping[str, GetStatusResponse | Contact]) -> ArenaStatus:
    """Return the arena's status. told: by service, its answer or the lack of one; alike at one address."""
    answers = {name: one for name, one in told.items() if not isinstance(one, str)}
    contact: dict[str, Contact] = {
        name: one if isinstance(one, str) else "answers" if name in one.services else "unread"
        for name, one in told.items()
    }
    states = tuple(state for name, one in answers.items() for state in one.states if state.service == name)
    late = tuple(state for state in states if state.is_late)
    needs = {name: one.needs for name, one in answers.items()}
    tournament = answers.get("tournament")
    is_well = (
        not late
        and set(contact.values()) <= {"answers"}
        and all(one.up for each in needs.values() for one in each)
    )
    return ArenaStatus(
        is_well,
        contact,
        states,
        late,
        tournament.waits if tournament else (),
        tournament.rates if tournament else (),
        needs,
    )


def say_span(ms: int) -> str:
    """Return a span in at most two units, such as `1 h 20 min`; equal in English and German."""
    seconds = ms // 1000
    for size, unit, rest, small in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            more = seconds % size // rest
            return f"{seconds // size} {unit} {more} {small}" if more else f"{seconds // size} {unit}"
    return f"{seconds} s"
