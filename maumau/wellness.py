"""Whether an arena is well, by what its services tell of themselves. Pure: pages and commands show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from maumau.answer import GetStatusResponse, NeedState, Rate, StateCount, WaitCount

SERVICES = ("registry", "tournament", "matchmaking", "engine")
Contact = Literal["answers", "unread", "silent"]
"""unread: the service answers, but cannot say how it is."""


class Wellness(Struct, frozen=True):
    """How an arena is. services: each of SERVICES, and how it can be reached.

    late: those of `states` that have lasted longer than they may. away: what does not answer its service.
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
        """Services with a need of theirs that does not answer."""
        return tuple((name, one.need) for name, needs in self.needs.items() for one in needs if not one.up)

    def states_of(self, service: str) -> tuple[StateCount, ...]:
        """In the order in which they are shown."""
        return tuple(one for one in self.states if one.service == service)

    def rate(self, thing: str) -> float:
        """How many a second; 0 if it is not known."""
        return next((one.per_second for one in self.rates if one.thing == thing), 0.0)


def join_status(told: Mapping[str, GetStatusResponse | Contact]) -> Wellness:
    """By service: its answer, or why there is none. Services at one address give the same answer."""
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
        not late and _are_all(contact.values()) and all(one.up for each in needs.values() for one in each)
    )
    return Wellness(
        is_well, contact, states, late, tournament.waits if tournament else (),
        tournament.rates if tournament else (), needs,
    )  # fmt: skip


def _are_all(contacts: Iterable[Contact]) -> bool:
    return all(one == "answers" for one in contacts)
