"""Events that go to webhooks, too. Pure."""

from services.tournament.domain.event import Event, StateChange

DECIDED, FINISHED, CANCELLED = "contest.decided", "contest.finished", "contest.cancelled"
FAULT = "bot.fault"
STATES = {
    ("created", "open"): ("contest.opened",),
    ("open", "running"): ("contest.started",),
    ("running", "decided"): (DECIDED,),
    ("paused", "decided"): (DECIDED,),
    ("running", "finished"): (DECIDED, FINISHED),  # without time for protests
    ("paused", "finished"): (DECIDED, FINISHED),
    ("decided", "finished"): (FINISHED,),
}


def name_kinds(event: Event) -> tuple[str, ...]:
    """Return the kinds under which webhooks get this event; none for most events."""
    if not isinstance(event.part, StateChange):
        return ()
    if event.part.after == "cancelled":
        return (CANCELLED,)
    return STATES.get((event.part.before, event.part.after), ())


def name_entrant(owner: str, group: str) -> str:
    """Return the name under which an entrant is told of a contest of a group; "" for a contest of none.

    NAME+GROUP: of a team only the members who are in the group, an account in any case.
    """
    return f"{owner}+{group}" if group else owner


def name_organiser(organiser: str, group: str) -> str:
    """Return the name under which the organiser is told: NAME@GROUP only while in the group."""
    return f"{organiser}@{group}" if group else organiser
