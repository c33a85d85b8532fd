"""Validations: who has which, for how long, and what came out. The database decides, with one UPDATE each."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, func, or_, true, update
from sqlmodel import Session, col, delete, select

from maumau.bot.words import clean_text
from maumau.errors import BadRequest, StaleFence, UnknownVersion, WrongState
from services.registry.models import Account, Bot, Outbox, Version
from services.registry.state import WAITING, State, before
from services.registry.store.bot import VALIDATE
from services.shared.auth import OWN
from services.shared.clock import Clock
from services.shared.connect import Database

BATCH = 100  # messages at once
REASON, LOG, PROGRESS = 2_000, 128 * 1024, 200  # characters
MOST_FENCE = 2**63 - 1  # the contract has 64 bits without a sign, databases with one
WORD = re.compile(r"[a-z0-9_-]{1,64}")


class Terms(NamedTuple):
    """Milliseconds that a lease, a whole validation, and the wait for a worker may last; and the attempts."""

    lease: int
    limit: int
    wait: int
    attempts: int


class Claim(NamedTuple):
    """What a worker got: its fence, the program to fetch, the bot's name, and a build to play instead."""

    fence: int
    sha256: str
    bot_name: str
    built_sha256: str = ""


class Built(NamedTuple):
    """What a build step left behind: its content hash, where it was built, the bytes of its archive."""

    sha256: str
    platform: str
    size: int


class Waiting(Struct, frozen=True):
    """How many versions are in a state, and for how many ms the first has been; None if there is none."""

    count: int
    oldest: int | None


class Verdict(NamedTuple):
    """What a worker found out; all texts as they are to be stored."""

    ok: bool
    reason: str
    log: str
    rules: Sequence[str]
    seats: Sequence[int]


def verdict(ok: bool, reason: str, log: str, rules: Sequence[str], seats: Sequence[int]) -> Verdict:  # noqa: FBT001
    """A worker's report as it may be stored: a refusal has a reason, and texts have an end."""
    if not ok and not reason.strip():
        raise BadRequest("A refusal says why; the reason is empty.", field="reason")
    if strange := [rule for rule in rules if not WORD.fullmatch(rule)]:
        raise BadRequest(f"{strange[0][:80]!r} cannot be a variant's name.", field="rules")
    return Verdict(ok, _clipped(reason, REASON), _clipped(log, LOG), rules, seats)


class Validations:
    """The queue of versions that wait for their validation deals."""

    def __init__(self, database: Database, clock: Clock, terms: Terms, *, house_only: bool = False) -> None:
        self.database, self.clock, self.terms = database, clock, terms
        self.playable = _own() if house_only else true()

    def claim(self, version_id: str, worker: str, platform: str = "") -> Claim | None:
        """Takes it if it waits or its lease ran out; None if there is nothing to do for this platform."""
        now = self.clock()
        here = col(Version.built_platform).in_(("", platform))
        free = or_(col(Version.state) == State.UPLOADED, col(Version.lease_until) < now)
        with self.database.write() as session:
            taken = session.exec(
                update(Version)
                .where(col(Version.id) == version_id, col(Version.state).in_(before(State.VALIDATING)), free)
                .where(col(Version.attempts) < self.terms.attempts, self.playable, here)
                .values(
                    state=State.VALIDATING, since=now, lease_until=now + self.terms.lease, worker=worker,
                    progress="", fence=Version.fence + 1,
                    attempts=Version.attempts + 1, revision=Version.revision + 1,
                )
                .returning(col(Version.fence), col(Version.sha256), col(Version.bot_id))
            ).first()  # fmt: skip
            if taken is None:
                _check_known(session, version_id)
                return None
            version, bot = session.get_one(Version, version_id), session.get_one(Bot, taken.bot_id)
            _take_over_build(session, version, bot, platform)
            return Claim(taken.fence, taken.sha256, bot.name, version.built_sha256)

    def find_worker(self, version_id: str, fence: int) -> str | None:
        """The worker that claimed it under this fence; None if that was not its last claim."""
        with self.database.read() as session:
            version = session.get(Version, version_id)
            return version.worker if version and version.fence == fence else None

    def find_held(self, version_id: str, fence: int) -> str:
        """The content hash of the submission that is being validated under this fence."""
        with self.database.read() as session:
            found = session.exec(select(Version.sha256).where(*_held(version_id, fence))).first()
            if found is None:
                raise StaleFence(_stale(session, version_id, fence))
            return found

    def check_may_keep(self, version_id: str, fence: int, sha256: str) -> None:
        """Refuses a build before it is stored, as `keep_build` would after it."""
        with self.database.read() as session:
            _find_for_build(session, version_id, fence, sha256)

    def keep_build(self, version_id: str, fence: int, built: Built) -> None:
        """Notes what was built; the same again changes nothing, and another build is refused."""
        with self.database.write() as session:
            version = _find_for_build(session, version_id, fence, built.sha256, lock=True)
            version.built_sha256, version.built_platform, version.built_size = built

    def renew(self, version_id: str, fence: int, progress: str) -> None:
        """Keeps the lease, but not beyond the longest time of a validation; notes how far it is."""
        until = self.clock() + self.terms.lease
        held = (*_held(version_id, fence), col(Version.since) >= until - self.terms.limit)
        with self.database.write() as session:
            query = (
                update(Version)
                .where(*held)
                .values(
                    lease_until=until, progress=_clipped(progress, PROGRESS), revision=Version.revision + 1
                )
            )
            if session.exec(query).rowcount == 0:
                raise StaleFence(_stale(session, version_id, fence))

    def give_back(self, version_id: str, fence: int) -> None:
        """The worker stops: it waits for another one, at once and as if it had not been tried."""
        values = {"state": State.UPLOADED, "lease_until": None, "progress": "", "since": self.clock()}
        with self.database.write() as session:
            query = update(Version).where(*_held(version_id, fence))
            counts = {"attempts": Version.attempts - 1, "revision": Version.revision + 1}
            if session.exec(query.values(**values, **counts)).rowcount == 0:
                raise StaleFence(_stale(session, version_id, fence))
            session.add(Outbox(task=VALIDATE, subject=version_id))

    def decide(self, version_id: str, fence: int, verdict: Verdict) -> bool:
        """Stores the verdict; False if this very verdict is stored already."""
        state, now = State.VALID if verdict.ok else State.REFUSED, self.clock()
        with self.database.write() as session:
            query = update(Version).where(*_held(version_id, fence), col(Version.state).in_(before(state)))
            done = session.exec(
                query.values(
                    state=state, reason=verdict.reason, log=verdict.log, rules=" ".join(verdict.rules),
                    seats=" ".join(map(str, verdict.seats)), since=now, lease_until=None,
                    revision=Version.revision + 1,
                    validated_ms=Version.validated_ms + now - Version.since,
                )
            )  # fmt: skip
            if done.rowcount == 1:
                _end_suspension(session, version_id, now)
                return True
            if _decided(session, version_id, fence):
                return False
            raise StaleFence(_stale(session, version_id, fence))

    def suspend(self, version_id: str, words: str) -> bool:
        """Takes an active version out of play and has it validated again; False: it was not active."""
        again = {"state": State.UPLOADED, "suspended": words, "reason": words, "attempts": 0}
        with self.database.write() as session:
            active = (col(Version.id) == version_id, col(Version.state) == State.ACTIVE)
            query = update(Version).where(*active).values(since=self.clock(), **again)
            if session.exec(query.values(revision=Version.revision + 1)).rowcount == 0:
                _check_known(session, version_id)
                return False
            session.add(Outbox(task=VALIDATE, subject=version_id))
            return True

    def stall(self) -> list[str]:
        """Gives up what was tried too often or waited too long; the reasons, for the log."""
        now, terms = self.clock(), self.terms
        tried = f"{terms.attempts} workers began its validation and none reported; submit it again"
        waited = f"no worker began its validation within {terms.wait // 1000} s; submit it again"
        ran_out = (col(Version.state) == State.VALIDATING, col(Version.lease_until) < now)
        worn = (*ran_out, col(Version.attempts) >= terms.attempts)
        forgotten = (col(Version.state) == State.UPLOADED, col(Version.since) < now - terms.wait)
        with self.database.write() as session:
            return self._stalled(session, worn, tried) + self._stalled(session, forgotten, waited)

    def due(self) -> list[str]:
        """Versions that a worker could claim now, the longest waiting first."""
        free = or_(col(Version.state) == State.UPLOADED, col(Version.lease_until) < self.clock())
        waiting = (col(Version.state).in_(WAITING), col(Version.attempts) < self.terms.attempts)
        with self.database.read() as session:
            query = (
                select(Version.id)
                .where(*waiting, free, self.playable)
                .order_by(col(Version.since))
                .limit(BATCH)
            )
            return list(session.exec(query))

    def release(self, workers: Sequence[str]) -> int:
        """Ends the leases of workers that are no more; how many."""
        theirs = (col(Version.state) == State.VALIDATING, col(Version.worker).in_(workers))
        with self.database.write() as session:
            return session.exec(update(Version).where(*theirs).values(lease_until=self.clock() - 1)).rowcount

    def outbox(self) -> list[Outbox]:
        """Messages that were committed and not yet sent."""
        with self.database.read() as session:
            return list(session.exec(select(Outbox).order_by(col(Outbox.id)).limit(BATCH)))

    def sent(self, messages: Sequence[Outbox]) -> None:
        with self.database.write() as session:
            session.exec(delete(Outbox).where(col(Outbox.id).in_([one.id for one in messages])))

    def counts(self) -> dict[str, int]:
        """Versions by state, every state."""
        with self.database.read() as session:
            rows = session.exec(select(Version.state, func.count()).group_by(Version.state)).all()
        return {state.value: 0 for state in State} | dict(rows)

    def count_waiting(self) -> dict[State, Waiting]:
        """The versions that wait for a worker, and those that a worker validates, by state."""
        query = select(Version.state, func.count(), func.min(Version.since)).group_by(Version.state)
        with self.database.read() as session:
            rows = session.exec(query.where(col(Version.state).in_(WAITING))).all()
        now = self.clock()
        found = {State(state): Waiting(count, max(0, now - since)) for state, count, since in rows}
        return {state: found.get(state, Waiting(0, None)) for state in WAITING}

    def _stalled(self, session: Session, where: Sequence[Any], reason: str) -> list[str]:
        values = {"state": State.STALLED, "reason": reason, "since": self.clock(), "lease_until": None}
        query = update(Version).where(*where).values(revision=Version.revision + 1, **values)
        return [f"{one}: {reason}" for one in session.scalars(query.returning(col(Version.id)))]


def _end_suspension(session: Session, version_id: str, now: int) -> None:
    """A suspended version that passed is active again, unless its bot plays with another one by now."""
    version = session.get_one(Version, version_id)
    session.refresh(version)
    words, version.suspended = version.suspended, ""
    if words and version.state == State.REFUSED:
        version.reason = _clipped(f"{words}; validated again: {version.reason}", REASON)
    elif words:
        others = select(Version.id).where(Version.bot_id == version.bot_id, Version.state == State.ACTIVE)
        version.state = State.RETIRED if session.exec(others).first() else State.ACTIVE
        day = datetime.fromtimestamp(now / 1000, UTC).date()
        version.reason = _clipped(f"suspended before ({words}), validated again on {day}", REASON)


def _find_for_build(
    session: Session, version_id: str, fence: int, sha256: str, *, lock: bool = False
) -> Version:
    """The version that is being validated under this fence, if it has no other build."""
    held = select(Version).where(*_held(version_id, fence))
    version = session.exec(held.with_for_update() if lock else held).first()
    if version is None:
        raise StaleFence(_stale(session, version_id, fence))
    if version.built_sha256 not in {"", sha256}:
        raise WrongState(
            f"The version {version_id} was built before, with the content hash {version.built_sha256};"
            " another build of it is refused."
        )
    return version


def _take_over_build(session: Session, version: Version, bot: Bot, platform: str) -> None:
    """What was built here of equal bytes of the same account is not built again."""
    if version.built_sha256 or not platform:
        return
    same = (Version.sha256 == version.sha256, Bot.account_id == bot.account_id)
    here = (Version.built_platform == platform, col(Version.built_sha256) != "")
    other = session.exec(select(Version).join(Bot).where(*same, *here)).first()
    if other:
        version.built_sha256, version.built_platform = other.built_sha256, other.built_platform
        version.built_size = other.built_size


def _clipped(text: str, most: int) -> str:
    """Bots write what they like: only what can be stored and shown, and no end beyond `most`."""
    text = clean_text(text)
    return text if len(text) <= most else text[:most] + "\n[the rest was left out]"


def _held(version_id: str, fence: int) -> tuple[Any, ...]:
    """A lease that ran out is still held until somebody else claims."""
    return (
        col(Version.id) == version_id,
        col(Version.fence) == min(fence, MOST_FENCE),
        col(Version.state) == State.VALIDATING,
    )


def _decided(session: Session, version_id: str, fence: int) -> bool:
    version = session.get(Version, version_id)
    settled = version is not None and version.state not in (*WAITING, State.STALLED)
    return settled and version is not None and version.fence == fence


def _check_known(session: Session, version_id: str) -> Version:
    if (version := session.get(Version, version_id)) is None:
        raise UnknownVersion(f"There is no version {version_id[:80]!r}.", thing=version_id)
    return version


def _stale(session: Session, version_id: str, fence: int) -> str:
    version = _check_known(session, version_id)
    if version.fence == fence and version.state == State.VALIDATING:
        return f"The validation of {version_id} has taken longer than any may; it will be begun again."
    return (
        f"Fence {fence} of version {version_id} counts no more: the version is {version.state},"
        f" its fence {version.fence}."
    )


def _own() -> ColumnElement[bool]:
    """The version is one of the arena's own accounts."""
    own = select(Bot.id).join(Account, col(Account.id) == col(Bot.account_id))
    return col(Version.bot_id).in_(own.where(col(Account.name).in_(OWN)))
