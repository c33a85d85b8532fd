"""Where a version may stand, and how it may get from there to elsewhere. Pure.

uploaded → validating → valid → active ⇄ retired
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


WAITING = (State.UPLOADED, State.VALIDATING)  # in all others there is nothing to wait for

NEXT = {
    State.UPLOADED: {State.VALIDATING, State.STALLED, State.REFUSED},
    State.VALIDATING: {State.UPLOADED, State.VALIDATING, State.VALID, State.REFUSED, State.STALLED},
    State.VALID: {State.ACTIVE},
    State.REFUSED: set(),
    State.ACTIVE: {State.RETIRED, State.UPLOADED},
    State.RETIRED: {State.ACTIVE},
    State.STALLED: {State.UPLOADED},
}


def shown(state: str, suspended: str) -> str:
    """The state as everybody sees it; `suspended`: why it waits again, if it does."""
    return "suspended" if suspended and state in WAITING else state


def before(to: State) -> list[State]:
    """The states from which a version may come to this one."""
    return [state for state in State if to in NEXT[state]]
