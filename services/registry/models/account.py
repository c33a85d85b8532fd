"""Accounts, their tokens and logins."""

from sqlalchemy import (
    CheckConstraint,
    Index,
    text,
)
from sqlmodel import Field

from services.registry.models.base import RegistryTable
from services.shared.store.column import added_word, time_column

IN_SITE = text("registered_site <> ''")
BY_ADMIN = "admin"  # in place of the address that opened an account


class Account(RegistryTable, table=True):
    """An account that submits bots, or runs the arena. `scopes`, space-separated: defaults of its tokens.

    registered_from: the address that opened it (services/shared/base/address.py), or BY_ADMIN; empty if
    an earlier release opened it. registered_site: the site of that address, if it has one.
    """

    id: str = Field(primary_key=True)
    name: str = Field(unique=True)
    scopes: str
    created_at: int = time_column()
    registered_from: str = added_word()
    registered_site: str = added_word()

    __table_args__ = (
        CheckConstraint("length(name) BETWEEN 3 AND 32", name="name_length"),
        Index("ix_account_registered", "registered_from", "created_at"),
        Index(
            "ix_account_site",
            "registered_site",
            "created_at",
            sqlite_where=IN_SITE,
            postgresql_where=IN_SITE,
        ),
    )


class ClosedName(RegistryTable, table=True):
    """SHA-256 of the name of a deleted account, which nobody else is given. account_id: whose it was."""

    hash: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    closed_at: int = time_column()

    __tablename__ = "closed_name"
    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class Token(RegistryTable, table=True):
    """A token by its SHA-256 in hex; the token itself is not stored. The arena's own tokens have no end.

    parent: the id of the token that made it, `settings` for a host's token of the settings, empty for
    an account's first one and the arena's own.
    replaces: the id of the token that ends when this one is first used; empty if none does.
    used_at: time of its last use, up to an hour too early, as it is written at most once an hour; None: not
    used since this has been recorded.
    """

    hash: str = Field(primary_key=True)
    id: str = Field(unique=True, index=True)
    label: str = ""
    parent: str = Field(default="", index=True)
    replaces: str = Field(default="", index=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    scopes: str
    created_at: int = time_column()
    expires_at: int | None = time_column(default=None, nullable=True)
    revoked_at: int | None = time_column(default=None, nullable=True)
    used_at: int | None = time_column(default=None, nullable=True)

    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class PageCode(RegistryTable, table=True):
    """SHA-256 of a code for the page, made with a token: at most one per token, deleted when used."""

    token_id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    expires_at: int = time_column()

    __tablename__ = "page_code"
    __table_args__ = (CheckConstraint("length(hash) = 64", name="hash_length"),)


class Login(RegistryTable, table=True):
    """A person at an OpenID Connect provider, and the account that is theirs.

    token_id: a token that nobody has and that makes the tokens of their sessions; with it they all end.
    """

    issuer: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    account_id: str = Field(foreign_key="account.id", index=True)
    token_id: str
    linked_at: int = time_column()
