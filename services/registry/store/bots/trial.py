"""Trials: claims, leases and verdicts, each decided by one UPDATE."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import and_, func, or_, true, update
from sqlmodel import Session, col, select

from maumau.errors import QuotaReached, StaleFence, UnknownVersion
from services.registry.domain.trial import TrialTerms, read_terms, write_terms
from services.registry.domain.verdict import Verdict
from services.registry.models import OPEN_TRIALS, Account, Bot, Outbox, Trial, Version
from services.registry.store.bots.bot import VALIDATE
from services.registry.store.bots.lease import MOST_FENCE
from services.registry.store.bots.validation import (
    BATCH,
    ValidationLimits,
    VersionClaim,
    select_own,
)
from services.registry.store.people.owner import lock_row
from services.shared.base.auth import OWN
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

PREFIX = "trial_"
MOST_WAITING = 8  # trials of an account's bots at a time; those of the arena's own accounts have no limit


class TrialClaim(NamedTuple):
    """A claimed trial: the program, and what it plays. The id of the trial is in place of the version's."""

    version: VersionClaim
    terms: TrialTerms


class Trials:
    """The queue of trials that wait for a worker. A version has one trial for each key."""

    def __init__(
        self, database: Database, clock: Clock, terms: ValidationLimits, *, house_only: bool = False
    ) -> None:
        self.database, self.clock, self.terms = database, clock, terms
        self.playable = select_own() if house_only else true()

    def request_trial(self, version_id: str, key: str, terms: TrialTerms, *, begin: bool) -> Trial | None:
        """Return the trial, and begin it if there is none or it has stalled; None if there is none."""
        owner = select(Bot.account_id).join(Version).where(Version.id == version_id)
        with self.database.write() as session:
            if begin and (account_id := session.exec(owner).first()):
                lock_row(session, account_id)  # its trials are counted
            version = session.exec(
                select(Version).where(Version.id == version_id).with_for_update()
            ).first()  # so that of two calls only one begins it
            if version is None:
                raise UnknownVersion(f"There is no version {version_id[:80]!r}.", thing=version_id)
            found = session.exec(
                select(Trial).where(Trial.version_id == version_id, Trial.key == key)
            ).first()
            if not begin or (found and found.state != "stalled"):
                return found
            _check_waiting(session, version, self.clock())
            if found is None:
                text = write_terms(terms)
                found = Trial(id=new_id("trial"), version_id=version_id, key=key, terms=text, since=0)
            found.state, found.since, found.attempts = "waiting", self.clock(), 0
            session.add_all([found, Outbox(task=VALIDATE, subject=found.id)])
            return found

    def claim_next(self, worker: str, platform: str) -> TrialClaim | None:
        """Claim the trial that has waited longest, of those that workers of this platform can play."""
        now = self.clock()
        here = col(Version.built_platform).in_(("", platform))
        query = select(Trial.id).join(Version).where(*self._select_free(now), here, self.playable)
        with self.database.write() as session:
            if (trial_id := session.exec(query.order_by(col(Trial.since)).limit(1)).first()) is None:
                return None
            taken = session.exec(
                update(Trial)
                .where(col(Trial.id) == trial_id, *self._select_free(now))
                .values(
                    state="playing",
                    since=now,
                    lease_until=now + self.terms.lease,
                    worker=worker,
                    fence=Trial.fence + 1,
                    attempts=Trial.attempts + 1,
                )
            )
            if taken.rowcount == 0:  # another worker was faster
                return None
            trial = session.get_one(Trial, trial_id, populate_existing=True)
            version = session.get_one(Version, trial.version_id)
            bot = session.get_one(Bot, version.bot_id)
            claim = VersionClaim(trial.fence, version.sha256, bot.name, version.built_sha256, trial.id)
            return TrialClaim(claim, read_terms(trial.terms))

    def _select_free(self, now: int) -> tuple[Any, ...]:
        """Return the conditions of a trial that may be claimed."""
        ran_out = and_(col(Trial.state) == "playing", col(Trial.lease_until) < now)
        free = or_(col(Trial.state) == "waiting", ran_out)
        return OPEN_TRIALS, free, col(Trial.attempts) < self.terms.attempts

    def find_worker(self, trial_id: str, fence: int) -> str:
        """Return the worker that claimed it under this fence; raise StaleFence if it is not the last one."""
        with self.database.read() as session:
            trial = session.get(Trial, trial_id)
            if trial is None or trial.fence != fence:
                raise StaleFence(_explain_stale(trial_id, fence))
            return trial.worker

    def renew_lease(self, trial_id: str, fence: int, _progress: str) -> None:
        """Renew the lease within the longest time of a validation."""
        until = self.clock() + self.terms.lease
        held = (*_select_held(trial_id, fence), col(Trial.since) >= until - self.terms.limit)
        self._update(trial_id, fence, held, {"lease_until": until})

    def give_back(self, trial_id: str, fence: int) -> None:
        """Give a trial back for another worker, at once and without counting the attempt."""
        values = {"state": "waiting", "lease_until": 0, "since": self.clock()}
        counted = {"attempts": Trial.attempts - 1}
        self._update(trial_id, fence, _select_held(trial_id, fence), {**values, **counted}, wakes=True)

    def decide_version(self, trial_id: str, fence: int, verdict: Verdict) -> bool:
        """Store the verdict; return False if it is stored already."""
        said = {"reason": verdict.reason, "log": verdict.log}
        state = {"state": "passed" if verdict.ok else "refused", "since": self.clock(), "lease_until": 0}
        held = update(Trial).where(*_select_held(trial_id, fence))
        with self.database.write() as session:
            if session.exec(held.values(**said, **state)).rowcount:
                return True
            trial = session.get(Trial, trial_id)
            if trial is None or trial.fence != fence or trial.state not in {"passed", "refused"}:
                raise StaleFence(_explain_stale(trial_id, fence))
            return False

    def _update(
        self, trial_id: str, fence: int, held: Sequence[Any], values: dict[str, Any], *, wakes: bool = False
    ) -> None:
        with self.database.write() as session:
            if session.exec(update(Trial).where(*held).values(**values)).rowcount == 0:
                raise StaleFence(_explain_stale(trial_id, fence))
            if wakes:
                session.add(Outbox(task=VALIDATE, subject=trial_id))

    def stall_hopeless(self) -> list[str]:
        """Stall trials that were tried too often; return reasons for the log."""
        ran_out = col(Trial.state) == "playing", col(Trial.lease_until) < self.clock()
        worn = (OPEN_TRIALS, *ran_out, col(Trial.attempts) >= self.terms.attempts)
        values = {"state": "stalled", "since": self.clock(), "lease_until": 0}
        with self.database.write() as session:
            stalled = session.scalars(update(Trial).where(*worn).values(**values).returning(col(Trial.id)))
            return [f"{one}: {self.terms.attempts} workers began it and none reported" for one in stalled]

    def list_due(self) -> list[str]:
        """Return trials that a worker could claim now, longest waiting first."""
        with self.database.read() as session:
            query = select(Trial.id).join(Version).where(*self._select_free(self.clock()), self.playable)
            return list(session.exec(query.order_by(col(Trial.since)).limit(BATCH)))


def _check_waiting(session: Session, version: Version, now: int) -> None:
    """Raise QuotaReached while many trials of the version's account wait: all other authors wait for them.

    One that has waited for a day no longer counts: no worker of this arena can play it.
    """
    bot = session.get_one(Bot, version.bot_id)
    owner = session.get_one(Account, bot.account_id)
    query = select(func.count()).select_from(Trial).join(Version).join(Bot)
    counted = OPEN_TRIALS, col(Bot.account_id) == owner.id, col(Trial.since) > now - DAY
    count = session.exec(query.where(*counted)).one()
    if owner.name not in OWN and count >= MOST_WAITING:
        raise QuotaReached(
            say_waiting(count, owner.name, bot.name),
            quota=f"validations for contests of {owner.name}",
            retry_after=60,
        )


def say_waiting(count: int, owner: str, bot_name: str) -> str:
    """Return why no further trial begins for an account's bot."""
    return (
        f"{count} validations of {owner} for contests with mystery rules are not over, as many as one"
        f" account may have; enter {bot_name} again when one of them is."
    )


def is_trial(ident: str) -> bool:
    """Return True if a worker's call is about a trial, not about a version."""
    return ident.startswith(PREFIX)


def _explain_stale(trial_id: str, fence: int) -> str:
    return f"Fence {fence} of trial {trial_id} no longer counts, or its time is over."


def _select_held(trial_id: str, fence: int) -> tuple[Any, ...]:
    """Return the conditions of a held lease; one that ran out is held until the next claim."""
    return (
        col(Trial.id) == trial_id,
        col(Trial.fence) == min(fence, MOST_FENCE),
        col(Trial.state) == "playing",
    )
