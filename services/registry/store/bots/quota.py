"""Quotas per account, of storage and of validation; the arena's own accounts and admins have none.

Those of validation bound how long others wait.
"""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, case, cast, func
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import Select

from maumau.errors import QuotaReached
from services.registry.domain.state import WAITING, State
from services.registry.models import Bot, Version
from services.registry.store.people.owner import lock_caller
from services.shared.base.auth import OWN, Identity, Need
from services.shared.base.clock import DAY, HOUR, Clock

MINUTE = 60_000  # milliseconds
MIB = 1024 * 1024
DAILY_FACTOR = 2  # new bots that an account may make within a day, as a multiple of the bots it may have


class Quota(NamedTuple):
    """The quota of one account.

    bots: those not retired. versions: submitted within 24 hours. waiting: versions that wait for validation.
    mib: MiB of stored versions. minutes: of validation, for versions submitted within an hour.
    """

    bots: int
    versions: int
    waiting: int
    mib: int
    minutes: int


class Quotas:
    """Checks of quotas, inside the caller's transaction; they raise QuotaReached."""

    def __init__(self, quota: Quota, clock: Clock) -> None:
        self.quota, self.clock = quota, clock

    def check_new_bot(self, session: Session, who: Identity) -> None:
        """Check the quota before a bot is created."""
        if not _is_limited(who):
            return
        _lock_account(session, who)
        query = select(func.count()).where(Bot.account_id == who.account_id, col(Bot.retired_at).is_(None))
        if session.exec(query).one() >= self.quota.bots:
            raise QuotaReached(
                f"{who.name} has {self.quota.bots} bots, as many as this arena allows an account;"
                " `maumau retire BOT` makes room.",
                quota=f"bots of {who.name}",
            )
        self._check_names(session, who)

    def _check_names(self, session: Session, who: Identity) -> None:
        """Raise QuotaReached after too many new bots within a day: retired bots keep their names for ever."""
        now, most, made_at = self.clock(), DAILY_FACTOR * self.quota.bots, col(Bot.created_at)
        query = select(Bot.created_at).where(Bot.account_id == who.account_id, made_at > now - DAY)
        earliest = session.exec(query.order_by(made_at.desc()).offset(most - 1).limit(1)).first()
        if earliest is not None:
            raise QuotaReached(
                f"{who.name} made {most} bots within 24 hours, retired ones included, as many as this arena"
                f" allows an account; it can make the next one from {say_minute(earliest + DAY)} on.",
                quota=f"bots a day of {who.name}",
                retry_after=-(-(earliest + DAY - now) // 1000),
            )

    def check_new_version(self, session: Session, who: Identity, size: int = 0) -> None:
        """Check the quota before a new version of this size in bytes waits for its validation."""
        if not _is_limited(who):
            return
        _lock_account(session, who)
        self._check_day(session, who)
        self._check_work(session, who, size)

    def check_stalled_version(self, session: Session, who: Identity) -> None:
        """Check the quota before a version that was submitted earlier waits for its validation again."""
        if not _is_limited(who):
            return
        _lock_account(session, who)
        self._check_work(session, who, 0)

    def _check_day(self, session: Session, who: Identity) -> None:
        """Raise QuotaReached if the day's versions are used up; it says when the next one is possible."""
        now, submitted_at = self.clock(), col(Version.created_at)
        query = select(Version.created_at).join(Bot).where(Bot.account_id == who.account_id)
        query = query.where(submitted_at > now - DAY).order_by(submitted_at.desc())
        earliest = session.exec(query.offset(self.quota.versions - 1).limit(1)).first()
        if earliest is not None:
            again_at = earliest + DAY
            most = f"{self.quota.versions} version{'s' * (self.quota.versions > 1)}"
            raise QuotaReached(
                f"{who.name} submitted {most} within 24 hours, as many as this arena allows an account;"
                f" it can submit the next one from {say_minute(again_at)} on.",
                quota=f"versions a day of {who.name}",
                retry_after=-(-(again_at - now) // 1000),
            )

    def _check_work(self, session: Session, who: Identity, size: int) -> None:
        waiting, stored, spent = session.exec(self._select_used(who.account_id)).one()
        if waiting >= self.quota.waiting:
            raise QuotaReached(
                f"{waiting} versions of {who.name} wait for validation, as many as this arena allows"
                " an account; submit again when one of them is decided.",
                quota=f"waiting versions of {who.name}",
                retry_after=60,
            )
        if stored + size > self.quota.mib * MIB:
            raise QuotaReached(
                f"The versions of {who.name} would take up {-(-(stored + size) // MIB)} MiB; this arena"
                f" allows an account {self.quota.mib} MiB. Ask its operators for more.",
                quota=f"stored MiB of {who.name}",
            )
        if spent >= self.quota.minutes * MINUTE:
            raise QuotaReached(
                f"Validating the versions that {who.name} submitted within the last hour took"
                f" {spent // MINUTE} minutes, as many as this arena allows an account; submit again later.",
                quota=f"validation minutes of {who.name}",
                retry_after=600,
            )

    def _select_used(self, account_id: str) -> Select[int, int, int]:
        """Select the number of waiting versions, the bytes of all, and the last hour's ms of validation."""
        now = self.clock()
        validating = case((col(Version.state) == State.VALIDATING, now - col(Version.since)), else_=0)
        spent = case((col(Version.created_at) > now - HOUR, col(Version.validated_ms) + validating), else_=0)
        waits = case((col(Version.state).in_(WAITING), 1), else_=0)
        return (
            select(
                _sum_column(waits),
                _sum_column(col(Version.size) + col(Version.built_size)),
                _sum_column(spent),
            )
            .join(Bot, col(Bot.id) == col(Version.bot_id))
            .where(Bot.account_id == account_id)
        )


def _lock_account(session: Session, who: Identity) -> None:
    """Lock the account, so that two concurrent calls do not both take the last place."""
    lock_caller(session, who)


def say_minute(at: int) -> str:
    """Return a time to the minute, rounded up so that it is not too early."""
    return f"{datetime.fromtimestamp(-(-at // MINUTE) * 60, UTC):%Y-%m-%d %H:%M} UTC"


def _sum_column(column: Any) -> Any:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def _is_limited(who: Identity) -> bool:
    return who.name not in OWN and not who.may(Need.ADMIN)
