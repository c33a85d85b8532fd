"""Protests against the result of a tournament: those there are, and whether they hold the result.

A result becomes final by itself only when no protest is open, or `HELD` after the time for protests: nobody
can keep a secret from being published for ever.
"""

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from services.shared.base.clock import DAY
from services.tournament.models import Protest, Tournament

HELD = 7 * DAY
"""The time, in ms, for which open protests keep a result from being final."""
PROTESTS = (
    select(Protest).where(col(Protest.tournament_id) == bindparam("tournament")).order_by(col(Protest.number))
)


def list_protests(session: Session, tournament_id: str) -> list[Protest]:
    """Return the protests of a tournament in their order."""
    return list(session.scalars(PROTESTS, {"tournament": tournament_id}))


def count_open(session: Session, tournament_id: str) -> int:
    """Return the number of protests without an answer."""
    return sum(one.state == "open" for one in list_protests(session, tournament_id))


def is_held(session: Session, tournament: Tournament, at: int) -> bool:
    """Return True if open protests keep a result that was decided from being final."""
    return at < tournament.due_at + HELD and count_open(session, tournament.id) > 0
