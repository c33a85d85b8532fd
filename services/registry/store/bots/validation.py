"""Validations: claims, leases and verdicts. The database decides each with one UPDATE."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, and_, func, not_, or_, true, update
from sqlmodel import Session, col, delete, select

from maumau.errors import StaleFence, WrongState
from services.registry.domain.state import WAITING, State, list_before
from services.registry.domain.verdict import Verdict, clip_text
from services.registry.models import OPEN_TRIALS, Account, Bot, Outbox, Platform, Trial, Version
from services.registry.store.bots.activation import activate_passed, end_suspension, lock_bot_of
from services.registry.store.bots.bot import VALIDATE
from services.registry.store.bots.lease import (
    Begun,
    check_known,
    explain_stale,
    find_begun,
    is_decided,
    select_held,
)
from services.registry.store.bots.turn import (
    charge_turns,
    find_next,
    give_missing_turns,
    give_turn,
    join_turns,
    lock_turns,
)
from services.registry.store.notices.notice import STALLED, SUSPENDED, tell_of_verdict, tell_of_versions
from services.shared.base.auth import OWN
from services.shared.base.clock import Clock
from services.shared.store.connect import Database

BATCH = 100  # messages at a time
PROGRESS = 200  # characters


class ValidationLimits(NamedTuple):
    """Limits in ms: of a lease, of a whole validation, of the wait for a worker; and the attempts."""

    lease: int
    limit: int
    wait: int
    attempts: int


class VersionClaim(NamedTuple):
    """A claimed version: the fence, the program to fetch, the bot's name, a build to play instead, its id."""

    fence: int
    sha256: str
    bot_name: str
    built_sha256: str = ""
    version_id: str = ""


class Built(NamedTuple):
    """The output of a build step: content hash, platform of the build, bytes of the archive."""

    sha256: str
    platform: str
    size: int


class WaitingVersions(Struct, frozen=True):
    """The number of versions in a state, and the age in ms of the first; None if there is none."""

    count: int
    oldest: int | None


class Validations:
    """The queue of versions that wait for their validation deals."""

    def __init__(
        self, database: Database, clock: Clock, terms: ValidationLimits, *, house_only: bool = False
    ) -> None:
        self.database, self.clock, self.terms = database, clock, terms
        self.playable = select_own() if house_only else true()

    def claim_version(self, version_id: str, worker: str, platform: str = "") -> VersionClaim | None:
        """Claim a version that waits or whose lease ran out; None if this platform has nothing to do."""
        with self.database.write() as session:
            lock_turns(session)
            claim = self._take_version(session, version_id, worker, platform)
            if claim is None:
                check_known(session, version_id)
            return claim

    def claim_next(self, worker: str, platform: str = "") -> VersionClaim | None:
        """Claim a version whose lease ran out, as it had its turn, or else the one whose turn it is."""
        with self.database.write() as session:
            lock_turns(session)
            where = self._select_claimable(platform)
            ran_out = (col(Version.state) == State.VALIDATING, col(Version.lease_until) < self.clock())
            lost = select(Version.id).where(*ran_out, *where).order_by(col(Version.lease_until)).limit(1)
            version_id = session.exec(lost).first() or find_next(session, where)
            return self._take_version(session, version_id, worker, platform) if version_id else None

    def _select_claimable(self, platform: str) -> tuple[ColumnElement[bool], ...]:
        """Return the conditions on which workers of this platform may claim a version."""
        here = col(Version.built_platform).in_(("", platform))
        return col(Version.attempts) < self.terms.attempts, self.playable, here

    def _take_version(
        self, session: Session, version_id: str, worker: str, platform: str
    ) -> VersionClaim | None:
        now = self.clock()
        free = or_(col(Version.state) == State.UPLOADED, col(Version.lease_until) < now)
        taken = session.exec(
            update(Version)
            .where(col(Version.id) == version_id, col(Version.state).in_(list_before(State.VALIDATING)), free)
            .where(*self._select_claimable(platform))
            .values(
                state=State.VALIDATING,
                since=now,
                lease_until=now + self.terms.lease,
                worker=worker,
                progress="",
                fence=Version.fence + 1,
                attempts=Version.attempts + 1,
                revision=Version.revision + 1,
            )
            .returning(col(Version.fence), col(Version.sha256), col(Version.bot_id))
        ).first()
        if taken is None:
            return None
        version, bot = session.get_one(Version, version_id), session.get_one(Bot, taken.bot_id)
        _take_over_build(session, version, bot, platform)
        charge_turns(session, version.turn, version.turn_cost, begins=True)
        session.merge(Platform(name=platform, claimed_at=now))
        return VersionClaim(taken.fence, taken.sha256, bot.name, version.built_sha256, version_id)

    def find_worker(self, version_id: str, fence: int) -> str:
        """Return the worker that claimed it under this fence; raise StaleFence if it is not the last one."""
        with self.database.read() as session:
            version = check_known(session, version_id)
            if version.fence != fence:
                raise StaleFence(explain_stale(session, version_id, fence))
            return version.worker

    def find_held(self, version_id: str, fence: int) -> str:
        """Return the content hash of the submission validated under this fence, else raise StaleFence."""
        with self.database.read() as session:
            found = session.exec(select(Version.sha256).where(*select_held(version_id, fence))).first()
            if found is None:
                raise StaleFence(explain_stale(session, version_id, fence))
            return found

    def check_may_keep(self, version_id: str, fence: int, sha256: str) -> None:
        """Raise before a build is stored what `keep_build` would raise after it."""
        with self.database.read() as session:
            _find_for_build(session, version_id, fence, sha256)

    def keep_build(self, version_id: str, fence: int, built: Built) -> None:
        """Record a build; repeating it changes nothing, and another build is refused."""
        with self.database.write() as session:
            version = _find_for_build(session, version_id, fence, built.sha256, lock=True)
            version.built_sha256, version.built_platform, version.built_size = built

    def renew_lease(self, version_id: str, fence: int, progress: str) -> None:
        """Renew the lease within the longest time of a validation, and record the progress."""
        until = self.clock() + self.terms.lease
        held = (*select_held(version_id, fence), col(Version.since) >= until - self.terms.limit)
        with self.database.write() as session:
            query = (
                update(Version)
                .where(*held)
                .values(
                    lease_until=until, progress=clip_text(progress, PROGRESS), revision=Version.revision + 1
                )
            )
            if session.exec(query).rowcount == 0:
                raise StaleFence(explain_stale(session, version_id, fence))

    def give_back(self, version_id: str, fence: int) -> None:
        """Give a version back for another worker, at once and without counting the attempt."""
        values = {"state": State.UPLOADED, "lease_until": None, "progress": "", "since": self.clock()}
        with self.database.write() as session:
            lock_turns(session)
            began = find_begun(session, version_id, fence)
            query = update(Version).where(*select_held(version_id, fence))
            counts = {"attempts": Version.attempts - 1, "revision": Version.revision + 1}
            if began is None or session.exec(query.values(**values, **counts)).rowcount == 0:
                raise StaleFence(explain_stale(session, version_id, fence))
            self._charge_time(session, began)
            join_turns(session, began.turn)
            session.add(Outbox(task=VALIDATE, subject=version_id))

    def decide_version(self, version_id: str, fence: int, verdict: Verdict) -> bool:
        """Store the verdict and let the version play if it passed; False if it is stored already."""
        state, now = State.VALID if verdict.ok else State.REFUSED, self.clock()
        with self.database.write() as session:
            lock_bot_of(session, version_id)
            lock_turns(session)
            began = find_begun(session, version_id, fence)
            query = update(Version).where(
                *select_held(version_id, fence), col(Version.state).in_(list_before(state))
            )
            done = session.exec(
                query.values(
                    state=state,
                    reason=verdict.reason,
                    log=verdict.log,
                    rules=" ".join(verdict.rules),
                    seats=" ".join(map(str, verdict.seats)),
                    since=now,
                    lease_until=None,
                    revision=Version.revision + 1,
                    validated_ms=Version.validated_ms + now - Version.since,
                )
            )
            if began and done.rowcount == 1:
                self._charge_time(session, began)
                version = session.get_one(Version, version_id)
                session.refresh(version)
                end_suspension(session, version, now)
                activate_passed(session, version, now)
                tell_of_verdict(session, version, now)
                return True
            if is_decided(session, version_id, fence):
                return False
            raise StaleFence(explain_stale(session, version_id, fence))

    def suspend_version(self, version_id: str, words: str) -> bool:
        """Suspend an active version and have it validated again; return False if it was not active."""
        again = {"state": State.UPLOADED, "suspended": words, "reason": words, "attempts": 0}
        with self.database.write() as session:
            lock_turns(session)
            active = (col(Version.id) == version_id, col(Version.state) == State.ACTIVE)
            query = update(Version).where(*active).values(since=self.clock(), **again)
            if session.exec(query.values(revision=Version.revision + 1)).rowcount == 0:
                check_known(session, version_id)
                return False
            give_turn(session, session.get_one(Version, version_id), self.clock())
            tell_of_versions(session, SUSPENDED, [version_id], self.clock())
            session.add(Outbox(task=VALIDATE, subject=version_id))
            return True

    def stall_hopeless(self) -> list[str]:
        """Stall versions that were tried too often, or that no worker takes; return reasons for the log."""
        now, terms = self.clock(), self.terms
        tried = f"{terms.attempts} workers began its validation and none reported; submit it again"
        waited = f"no worker began its validation within {terms.wait // 1000} s; submit it again"
        ran_out = (col(Version.state) == State.VALIDATING, col(Version.lease_until) < now)
        worn = (*ran_out, col(Version.attempts) >= terms.attempts)
        with self.database.write() as session:
            lock_turns(session)
            forgotten = self._select_forgotten(session, now - terms.wait)
            return self._stall_versions(session, worn, tried) + self._stall_versions(
                session, forgotten, waited
            )

    def _select_forgotten(self, session: Session, before: int) -> tuple[ColumnElement[bool], ...]:
        """Return the conditions of a version that has waited since then and that no worker can claim.

        While workers that could claim it take others, it waits for its turn, however long.
        """
        at_work = session.exec(select(Platform.name).where(Platform.claimed_at >= before)).all()
        waited = (col(Version.state) == State.UPLOADED, col(Version.since) < before)
        if not at_work:
            return waited
        has_turn = and_(self.playable, col(Version.built_platform).in_(("", *at_work)))
        return (*waited, not_(has_turn))

    def give_missing_turns(self) -> int:
        """Assign turns to versions that an earlier release left waiting; return their number."""
        with self.database.write() as session:
            lock_turns(session)
            return give_missing_turns(session, self.clock(), BATCH)

    def list_due(self) -> list[str]:
        """Return versions that a worker could claim now, longest waiting first."""
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

    def release_leases(self, workers: Sequence[str]) -> int:
        """End the leases of workers that are gone, those of trials too; return the number of leases."""
        validating = (col(Version.state) == State.VALIDATING, col(Version.worker).in_(workers))
        playing = (OPEN_TRIALS, col(Trial.state) == "playing", col(Trial.worker).in_(workers))
        ended = {"lease_until": self.clock() - 1}
        with self.database.write() as session:
            versions = session.exec(update(Version).where(*validating).values(**ended)).rowcount
            return versions + session.exec(update(Trial).where(*playing).values(**ended)).rowcount

    def list_outbox(self) -> list[Outbox]:
        """Return messages that were committed and not yet sent."""
        with self.database.read() as session:
            return list(session.exec(select(Outbox).order_by(col(Outbox.id)).limit(BATCH)))

    def mark_sent(self, messages: Sequence[Outbox]) -> None:
        with self.database.write() as session:
            session.exec(delete(Outbox).where(col(Outbox.id).in_([one.id for one in messages])))

    def count_states(self) -> dict[str, int]:
        """Return the number of versions in every state."""
        with self.database.read() as session:
            rows = session.exec(select(Version.state, func.count()).group_by(Version.state)).all()
        return {state.value: 0 for state in State} | dict(rows)

    def count_waiting(self) -> dict[State, WaitingVersions]:
        """Return the versions that wait for a worker, and those being validated, by state."""
        query = select(Version.state, func.count(), func.min(Version.since)).group_by(Version.state)
        with self.database.read() as session:
            rows = session.exec(query.where(col(Version.state).in_(WAITING))).all()
        now = self.clock()
        found = {State(state): WaitingVersions(count, max(0, now - since)) for state, count, since in rows}
        return {state: found.get(state, WaitingVersions(0, None)) for state in WAITING}

    def _charge_time(self, session: Session, began: Begun) -> None:
        """Charge the time that a validation took in place of the time that was expected."""
        charge_turns(session, began.turn, self.clock() - began.since - began.cost)

    def _stall_versions(self, session: Session, where: Sequence[Any], reason: str) -> list[str]:
        values = {"state": State.STALLED, "reason": reason, "since": self.clock(), "lease_until": None}
        query = update(Version).where(*where).values(revision=Version.revision + 1, **values)
        stalled = session.scalars(query.returning(col(Version.id))).all()
        tell_of_versions(session, STALLED, stalled, self.clock())
        return [f"{one}: {reason}" for one in stalled]


def _find_for_build(
    session: Session, version_id: str, fence: int, sha256: str, *, lock: bool = False
) -> Version:
    """Return the version being validated under this fence, if it has no other build."""
    held = select(Version).where(*select_held(version_id, fence))
    version = session.exec(held.with_for_update() if lock else held).first()
    if version is None:
        raise StaleFence(explain_stale(session, version_id, fence))
    if version.built_sha256 not in {"", sha256}:
        raise WrongState(
            f"The version {version_id} was built before, with the content hash {version.built_sha256};"
            " another build of it is refused."
        )
    return version


def _take_over_build(session: Session, version: Version, bot: Bot, platform: str) -> None:
    """Reuse a build made on this platform of equal bytes of the same account."""
    if version.built_sha256 or not platform:
        return
    same = (Version.sha256 == version.sha256, Bot.account_id == bot.account_id)
    here = (Version.built_platform == platform, col(Version.built_sha256) != "")
    other = session.exec(select(Version).join(Bot).where(*same, *here)).first()
    if other:
        version.built_sha256, version.built_platform = other.built_sha256, other.built_platform
        version.built_size = other.built_size


def select_own() -> ColumnElement[bool]:
    """Return the condition that the version is of one of the arena's own accounts."""
    own = select(Bot.id).join(Account, col(Account.id) == col(Bot.account_id))
    return col(Version.bot_id).in_(own.where(col(Account.name).in_(OWN)))
