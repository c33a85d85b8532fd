"""Active versions of bots. Bots are locked first, before turns and versions."""

from datetime import UTC, datetime

from sqlmodel import Session, col, or_, select

from services.registry.domain.state import State
from services.registry.domain.verdict import REASON, clip_text
from services.registry.models import Bot, Version
from services.registry.store.bots.turn import WITHOUT_LOG

HAS_PLAYED = or_(col(Version.state).in_((State.ACTIVE, State.RETIRED)), col(Version.suspended) != "")


def lock_bot(session: Session, bot_id: str) -> None:
    """Let nobody else number, activate or decide versions of this bot until the transaction ends."""
    session.exec(select(Bot.id).where(Bot.id == bot_id).with_for_update())


def lock_bot_of(session: Session, version_id: str) -> None:
    """Lock the bot of a version, if there is such a version."""
    bot_id = session.exec(select(Version.bot_id).where(Version.id == version_id)).first()
    if bot_id is not None:
        lock_bot(session, bot_id)


def change_state(version: Version, state: State, now: int, reason: str = "") -> None:
    """Move a version into a state in which no worker has it."""
    version.state, version.reason, version.since = state, reason, now
    version.lease_until = None
    version.revision += 1


def make_active(session: Session, version: Version, now: int) -> None:
    """Make it the one version that its bot plays with; the one before is retired."""
    playing = select(Version).where(Version.bot_id == version.bot_id, Version.state == State.ACTIVE)
    for other in session.exec(playing.options(WITHOUT_LOG).with_for_update()):
        change_state(other, State.RETIRED, now)
    session.flush()  # one active version at a time, says an index
    change_state(version, State.ACTIVE, now)


def activate_passed(session: Session, version: Version, now: int) -> None:
    """Activate a version that has just passed, if that was asked for and no later one has played by now.

    A later version counts also after its author went back to an earlier one: that was a decision.
    """
    if version.state != State.VALID or not version.activates:
        return
    later = Version.bot_id == version.bot_id, Version.number > version.number
    if session.exec(select(Version.id).where(*later, HAS_PLAYED).limit(1)).first() is None:
        make_active(session, version, now)


def end_suspension(session: Session, version: Version, now: int) -> None:
    """Activate a suspended version that passed, unless its bot plays with another one by now."""
    words, version.suspended = version.suspended, ""
    if words and version.state == State.REFUSED:
        version.reason = clip_text(f"{words}; validated again: {version.reason}", REASON)
    elif words:
        others = select(Version.id).where(Version.bot_id == version.bot_id, Version.state == State.ACTIVE)
        version.state = State.RETIRED if session.exec(others).first() else State.ACTIVE
        day = datetime.fromtimestamp(now / 1000, UTC).date()
        version.reason = clip_text(f"suspended before ({words}), validated again on {day}", REASON)
