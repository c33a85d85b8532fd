"""Leases of validations and trials when the service's time jumps."""

from sqlalchemy import case, update
from sqlmodel import Session, col

from services.registry.domain.state import State
from services.registry.models import OPEN_TRIALS, Trial, Version
from services.registry.store.bots.turn import lock_turns
from services.shared.store.common_clock import Beat


def extend_leases(session: Session, beat: Beat, *, late: int, kept: int) -> None:
    """Let leases hold for at least `kept` from now on if the service was away for more than `late`; ms.

    Their work counts as just begun. Those that had run out before are left. If the time was set back they all
    hold for just as long.
    """
    if beat.apart <= late:
        return
    lock_turns(session)  # before versions
    until, held = beat.now + kept, min(beat.own, beat.last)
    for table, busy in (
        (Version, (col(Version.state) == State.VALIDATING,)),
        (Trial, (OPEN_TRIALS, col(Trial.state) == "playing")),
    ):
        lease = col(table.lease_until)
        later = until if beat.is_set_back else case((lease < until, until), else_=lease)
        session.execute(update(table).where(*busy, lease >= held).values(lease_until=later, since=beat.now))
