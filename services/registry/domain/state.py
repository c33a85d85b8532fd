"""The states of a version, and the transitions between them. Pure.

uploaded → validating → valid → active ⇄ retired     (valid → active at once, if its author wants it to play)
              │  └────→ refused
              └───────→ stalled → uploaded (submitted again)
validating → uploaded (given back by a worker that stops)
active → uploaded (suspended: validated again, and valid → active at once)
"""

from enum import StrEnum


class State(StrEnum):
    """The states of the contract, in its order."""

    UPLOADED = "uploaded"
    VALIDATING = "validating"
    VALID = "valid"
    REFUSED = "refused"
    ACTIVE = "active"
    RETIRED = "retired"
    STALLED = "stalled"


WAITING = (State.UPLOADED, State.VALIDATING)  # all others are settled

NEXT = {
    State.UPLOADED: {State.VALIDATING, State.STALLED, State.REFUSED},
    State.VALIDATING: {
        State.UPLOADED,
        State.VALIDATING,
        State.VALID,
        State.REFUSED,
        State.STALLED,
    },
    State.VALID: {State.ACTIVE},
    State.REFUSED: set(),
    State.ACTIVE: {State.RETIRED, State.UPLOADED},
    State.RETIRED: {State.ACTIVE},
    State.STALLED: {State.UPLOADED},
}


def describe_state(state: str, suspended: str) -> str:
    """Return the state as shown to users; `suspended`: why the version waits again, or empty."""
    return "suspended" if suspended and state in WAITING else state


def list_before(to: State) -> list[State]:
    """Return the states that may precede this one."""
    return [state for state in State if to in NEXT[state]]
