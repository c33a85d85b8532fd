"""Names of tournaments: one that was cancelled before it began gives its name back."""

from sqlalchemy import select
from sqlmodel import Session, col

from services.tournament.domain.event import Event, SpecChanged
from services.tournament.models import Tournament
from services.tournament.store.blocks.queue import outbox

RANDOM = 6  # characters of an id, whose last ones are random


def free_name(session: Session, name: str, at: int) -> None:
    """Rename a tournament of this name if it was cancelled before it began, so that nobody needs its name.

    The new name has a tilde, which a spec's name may not have, so it is in nobody's way either.
    """
    query = select(Tournament).where(col(Tournament.name) == name).with_for_update()
    row = session.scalars(query).one_or_none()
    if row is None or row.state != "cancelled" or row.started_at:
        return
    row.name = f"{name}~{row.id[-RANDOM:]}"
    row.version += 1
    words = f"{row.name} was called {name}, until another tournament took that name"
    session.add_all(outbox(row.id, [Event(at, "state", words, part=SpecChanged(row.name))], at))
    session.flush()
