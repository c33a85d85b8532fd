"""Leases of validations: who holds one, and what becomes of them when the service's time jumps."""

from typing import Any, NamedTuple

from sqlalchemy import case, update
from sqlmodel import Session, col, select

from maumau.errors import UnknownVersion
from services.registry.domain.state import WAITING, State
from services.registry.models import OPEN_TRIALS, Trial, Version
from services.registry.store.bots.turn import lock_turns
from services.shared.store.common_clock import Beat

MOST_FENCE = 2**63 - 1  # the contract has unsigned 64 bits, databases signed ones


class Begun(NamedTuple):
    """A validation under way. turn: its key; since: its start; cost: the time expected, in ms."""

    turn: str
    since: int
    cost: int


def select_held(version_id: str, fence: int) -> tuple[Any, ...]:
    """Return the conditions of a held lease; one that ran out is held until the next claim."""
    return (
        col(Version.id) == version_id,
        col(Version.fence) == min(fence, MOST_FENCE),
        col(Version.state) == State.VALIDATING,
    )


def find_begun(session: Session, version_id: str, fence: int) -> Begun | None:
    """Return the validation under this fence; None if there is none."""
    query = select(Version.turn, Version.since, Version.turn_cost).where(*select_held(version_id, fence))
    found = session.exec(query).first()
    return Begun(*found) if found else None


def is_decided(session: Session, version_id: str, fence: int) -> bool:
    """Return True if the validation under this fence has its verdict."""
    version = session.get(Version, version_id)
    settled = version is not None and version.state not in (*WAITING, State.STALLED)
    return settled and version is not None and version.fence == fence


def check_known(session: Session, version_id: str) -> Version:
    """Return a version; raise UnknownVersion if there is none."""
    if (version := session.get(Version, version_id)) is None:
        raise UnknownVersion(f"There is no version {version_id[:80]!r}.", thing=version_id)
    return version


def explain_stale(session: Session, version_id: str, fence: int) -> str:
    """Return the reason why a fence does not count, in a sentence for the worker."""
    version = check_known(session, version_id)
    if version.fence == fence and version.state == State.VALIDATING:
        return f"The validation of {version_id} has taken longer than any may; it will be begun again."
    return (
        f"Fence {fence} of version {version_id} no longer counts: the version is {version.state},"
        f" its fence {version.fence}."
    )


def extend_validation_leases(session: Session, beat: Beat, *, late: int, kept: int) -> None:
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
