"""Places of versions in the queue for validation."""

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from sqlmodel import Session, col, select

from services.registry.domain.state import WAITING, State
from services.registry.domain.turn import BUILD, NEVER, PLAIN, Waits, order_versions
from services.registry.models import VALIDATED, Turn, Version
from services.registry.store.bots.turn import UPLOADED
from services.shared.base.clock import Clock
from services.shared.store.connect import Database

RECENT, LATEST = 20, 100
"""Decided versions for estimates, and the number of latest ones that they are chosen from."""
KEPT_FACTOR = 20  # validity of computed places, as a multiple of their computation time
FEW = 200  # waiting versions up to which places are computed for each question
PATIENCE = 1.0  # seconds to wait while another thread computes; then the last ones are given


class Place(NamedTuple):
    """A place from 1; 0 if it does not wait. seconds: about how long until its turn; 0: unknown."""

    number: int = 0
    seconds: float = 0.0


class Places:
    """Places in the order of turns, with estimates that assume as many concurrent validations as now.

    All places are computed together. If many versions wait, they are kept for a while, in proportion to the
    computation time, and a version that came in the meantime has none yet.
    """

    def __init__(
        self, database: Database, clock: Clock, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.database, self.clock, self._monotonic = database, clock, monotonic
        self._working, self._kept_until = Lock(), 0.0
        self._places: dict[str, Place] = {}

    def find_place(self, version: Version) -> Place:
        """Return the place of a version in its present state."""
        if version.state != State.UPLOADED:
            return Place()
        if self._working.acquire(timeout=PATIENCE):
            try:
                self._refresh_places()
            finally:
                self._working.release()
        return self._places.get(version.id, Place())

    def _refresh_places(self) -> None:
        began = self._monotonic()
        if began < self._kept_until:
            return
        self._places = self._work_out()
        now = self._monotonic()
        self._kept_until = now + KEPT_FACTOR * (now - began) if len(self._places) > FEW else now

    def _work_out(self) -> dict[str, Place]:
        with self.database.read() as session:
            waiting = session.exec(
                select(Version.since, Version.id, Version.turn, Version.turn_cost).where(UPLOADED)
            ).all()
            used = dict(session.exec(select(Turn.key, Turn.used).where(Turn.due < NEVER)).all())
            usual, begun = _usual_ms(session), _list_begun(session)
        now = self.clock()
        ahead = sum(max(0.0, _expect_time(cost, usual) - (now - since)) for since, cost in begun)
        order = order_versions((Waits(*row) for row in waiting), used)
        return dict(_number_places(order, usual, ahead, max(1, len(begun))))


def _number_places(
    order: Iterable[Waits], usual: float, ahead: float, workers: int
) -> Iterable[tuple[str, Place]]:
    for number, one in enumerate(order, 1):
        yield one.id, Place(number, ahead / workers / 1000)
        ahead += _expect_time(one.cost, usual)


def _list_begun(session: Session) -> Sequence[tuple[int, int]]:
    """Return the start and the cost of each validation under way."""
    query = select(Version.since, Version.turn_cost).where(Version.state == State.VALIDATING)
    return session.exec(query).all()


def _expect_time(cost: int, usual: float) -> float:
    """Return the expected ms of a validation: the recent mean, and the most that a build step may take."""
    return usual + (BUILD if cost > PLAIN else 0)


def _usual_ms(session: Session) -> float:
    """Return the mean time of the last validations without a build step; 0 if there was none."""
    took = (
        select(Version.validated_ms, Version.turn_cost)
        .where(col(Version.state).not_in(WAITING), VALIDATED)
        .order_by(col(Version.since).desc())
        .limit(LATEST)
    )
    found = [taken for taken, cost in session.exec(took).all() if cost <= PLAIN][:RECENT]
    return sum(found) / len(found) if found else 0.0
