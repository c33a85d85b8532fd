"""Where a version stands among those that wait for their validation."""

from typing import NamedTuple

from sqlalchemy import func, tuple_
from sqlmodel import Session, col, select

from services.registry.models import VALIDATED, Version
from services.registry.state import WAITING, State
from services.shared.connect import Database

RECENT = 20  # decided versions from which the next ones' time is estimated


class Place(NamedTuple):
    """From 1; 0 if it does not wait. seconds: about how long until its turn; 0: nobody knows."""

    number: int = 0
    seconds: float = 0.0


class Places:
    """Versions are validated in the order in which they came; as many at once as are being validated now."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, version: Version) -> Place:
        """The place of a version as it stands."""
        if version.state != State.UPLOADED:
            return Place()
        with self.database.read() as session:
            waits = select(func.count()).where(Version.state == State.UPLOADED)
            order = tuple_(col(Version.since), col(Version.id))
            before = session.exec(waits.where(order < tuple_(version.since, version.id))).one()
            busy = session.exec(select(func.count()).where(Version.state == State.VALIDATING)).one()
            return Place(before + 1, (before + 1) / max(1, busy) * _usual_seconds(session))


def _usual_seconds(session: Session) -> float:
    """How long the last validations took on average; 0 if there was none."""
    took = (
        select(Version.validated_ms)
        .where(col(Version.state).not_in(WAITING), VALIDATED)
        .order_by(col(Version.since).desc())
        .limit(RECENT)
    )
    found = session.exec(took).all()
    return sum(found) / len(found) / 1000 if found else 0.0
