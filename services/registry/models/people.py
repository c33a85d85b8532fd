"""Groups and teams of accounts."""

from sqlalchemy import (
    CheckConstraint,
    Index,
    text,
)
from sqlmodel import Field

from services.registry.domain.role import ROLES, TEAM_ROLES
from services.registry.models.base import RegistryTable
from services.shared.store.column import one_of, time_column

STANDS = text("dissolved_at IS NULL")
PRESENT = text("left_at IS NULL")


class AccountGroup(RegistryTable, table=True):
    """A group of accounts, such as a class."""

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    created_at: int = time_column()

    __tablename__ = "account_group"
    __table_args__ = (CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),)


class Membership(RegistryTable, table=True):
    """An account in a group."""

    group_id: str = Field(primary_key=True, foreign_key="account_group.id")
    account_id: str = Field(primary_key=True, foreign_key="account.id", index=True)
    role: str
    joined_at: int = time_column()

    __table_args__ = (one_of("role", ROLES),)


class GroupInvitation(RegistryTable, table=True):
    """SHA-256 of a code that lets one account into a group.

    made_by, used_by: accounts' ids; used_by: empty until it is used.
    """

    id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    group_id: str = Field(foreign_key="account_group.id")
    role: str
    made_by: str
    created_at: int = time_column()
    expires_at: int = time_column()
    used_at: int | None = time_column(default=None, nullable=True)
    used_by: str = ""
    revoked_at: int | None = time_column(default=None, nullable=True)

    __tablename__ = "invitation"
    __table_args__ = (
        CheckConstraint("length(hash) = 64", name="hash_length"),
        one_of("role", ROLES),
        CheckConstraint("(used_at IS NULL) = (used_by = '')", name="used"),
        Index("ix_invitation_group", "group_id", "id"),
    )


class Team(RegistryTable, table=True):
    """A team: an account without tokens, for which its members act. name: the account's."""

    account_id: str = Field(primary_key=True, foreign_key="account.id")
    name: str = Field(unique=True)
    created_at: int = time_column()
    dissolved_at: int | None = time_column(default=None, nullable=True)

    __table_args__ = (Index("ix_team_standing", "name", sqlite_where=STANDS, postgresql_where=STANDS),)


class TeamMember(RegistryTable, table=True):
    """A stay of an account in a team; one that has ended is kept, since contests count it."""

    id: str = Field(primary_key=True)
    team_id: str = Field(foreign_key="team.account_id", index=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    role: str
    joined_at: int = time_column()
    left_at: int | None = time_column(default=None, nullable=True)

    __tablename__ = "team_member"
    __table_args__ = (
        one_of("role", TEAM_ROLES),
        Index(
            "uq_team_member_present",
            "account_id",
            unique=True,
            sqlite_where=PRESENT,
            postgresql_where=PRESENT,
        ),
    )


class TeamInvitation(RegistryTable, table=True):
    """An invitation into a team, for one account or for whoever has the code of this SHA-256.

    ended_at: when it was accepted, refused or revoked.
    """

    id: str = Field(primary_key=True)
    hash: str | None = Field(default=None, unique=True, nullable=True)
    team_id: str = Field(foreign_key="team.account_id", index=True)
    account_id: str | None = Field(default=None, foreign_key="account.id", index=True, nullable=True)
    made_by: str
    created_at: int = time_column()
    expires_at: int = time_column()
    ended_at: int | None = time_column(default=None, nullable=True)

    __tablename__ = "team_invitation"
    __table_args__ = (CheckConstraint("(hash IS NULL) <> (account_id IS NULL)", name="kind"),)
