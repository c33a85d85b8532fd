"""Accounts and tokens."""

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from maumau.errors import (
    BadRequest,
    ExpiredToken,
    NameTaken,
    NeedsInvitation,
    NotAllowed,
    RegistrationClosed,
    RevokedToken,
    UnknownAccount,
    UnknownToken,
)
from services.registry.domain.name import HOUSE, check_account
from services.registry.domain.token import new_token, token_hash
from services.registry.models import BY_ADMIN, Account, Team, Token
from services.registry.store.near import say_near
from services.registry.store.people.account_list import ListedAccount, choose_start, list_accounts
from services.registry.store.people.closed_name import add_account
from services.registry.store.people.invitation import take_invitation, use_invitation
from services.registry.store.people.owner import lock_account, lock_caller
from services.registry.store.people.registration import RegistrationBounds
from services.registry.store.people.token import (
    SETTINGS,
    find_host,
    limit_end,
    lock_token,
    replace_token,
    revoke_branch,
)
from services.registry.store.people.use import Uses
from services.shared.base.address import Address
from services.shared.base.auth import SCOPES, Identity, Need
from services.shared.base.clock import DAY, Clock
from services.shared.base.ident import new_id
from services.shared.base.worker_name import RESERVED_LABELS
from services.shared.store.connect import Database

MOST_DAYS = 365
HOST_DAYS = 3650
"""Days from each start until a host's token of the settings ends: only the services' own have no end."""
MAX_LABEL = 60  # characters; a longer one is refused, since two truncated ones could be one host


Also = Callable[[Session, Account], None]


class Grant(NamedTuple):
    """A new token: its account's id, the token itself, its end in milliseconds since 1970."""

    account_id: str
    token: str
    expires_at: int


class InvitedGrant(NamedTuple):
    """The token of an account that was made by a code, and the group that it is in."""

    grant: Grant
    group_name: str


class Accounts:
    """Accounts and their tokens in the database. signup: as the setting of that name."""

    def __init__(
        self, database: Database, clock: Clock, days: int, bounds: RegistrationBounds, signup: str
    ) -> None:
        self.database, self.clock, self.days = database, clock, days
        self.bounds, self.signup = bounds, signup
        self.uses = Uses(database, clock)

    def ensure_account(self, name: str, scope: str, token: str) -> None:
        """Ensure that an account of the arena has exactly this token without an end.

        An earlier one ends now, with the tokens that it made.
        """
        with self.database.write() as session:
            self.database.alone(session.connection())
            account = _by_name(session, name) or self._add_account(session, name, scope)
            own = select(Token).where(Token.account_id == account.id, col(Token.expires_at).is_(None))
            for other in session.exec(own.where(Token.hash != token_hash(token))).all():
                revoke_branch(session, other, self.clock())
            kept = session.get(Token, token_hash(token))
            if kept is None:
                session.add(_build_token(account, token, scope, self.clock(), None))
            else:
                kept.revoked_at = None

    def ensure_host(self, host: str, token: str) -> None:
        """Admit this host's workers with this token of the settings; without a token, admit none.

        Earlier tokens of the settings end now. A token that an admin made or revoked stays as it is.
        """
        with self.database.write() as session:
            self.database.alone(session.connection())
            now, own = self.clock(), select(Token).where(Token.parent == SETTINGS)
            for other in session.exec(own.where(Token.hash != token_hash(token))).all():
                revoke_branch(session, other, now)
            if not token:
                return
            kept = session.get(Token, token_hash(token))
            if kept is None:
                account = _by_name(session, "worker") or self._add_account(session, "worker", "worker")
                kept = _build_token(account, token, "worker", now, None)
                kept.parent = SETTINGS
            if kept.parent == SETTINGS:
                kept.label, kept.expires_at = host, now + HOST_DAYS * DAY
                session.add(kept)

    def create_account(self, name: str, who: Identity | None, address: Address) -> Grant:
        """Create an author's account with its first token; open to all if the arena is, else to admins.

        Accounts that admins open have no address and no limit.
        """
        is_admin = bool(who and who.may(Need.ADMIN))
        if not (self.signup == "open" or is_admin):
            raise NeedsInvitation if self.signup == "code" else RegistrationClosed
        if name == HOUSE and not is_admin:
            raise NotAllowed(f"The account {HOUSE} is the arena's own; choose another name.")
        check_account(name)
        if not is_admin:
            with self.database.read() as session:  # so that a refusal takes no lock
                self.bounds.check_bounds(session, address, self.clock())
        try:
            return self._create_account(name, None if is_admin else address)
        except IntegrityError as err:
            raise NameTaken(f"There is an account {name} already; choose another name.") from err

    def create_invited(self, name: str, code: str, also: Also | None = None) -> InvitedGrant:
        """Create an account by the code of an invitation, in its group; like one that an admin opens.

        also: what is written together with it.
        """
        if self.signup == "closed":
            raise RegistrationClosed
        if name == HOUSE:
            raise NotAllowed(f"The account {HOUSE} is the arena's own; choose another name.")
        check_account(name)
        try:
            with self.database.write() as session:
                invitation = take_invitation(session, code, self.clock())
                account = self._add_account(session, name, "author")
                group = use_invitation(session, invitation, account.id, self.clock())
                if also:
                    also(session, account)
                end = self.clock() + self.days * DAY
                return InvitedGrant(self._grant_token(session, account, account.scopes, end), group.name)
        except IntegrityError as err:
            raise NameTaken(
                f"There is an account {name} already; choose another name. Your code is not used up."
            ) from err

    def create_vouched(self, name: str, also: Also) -> Grant:
        """Create the account of somebody for whom another service vouches. also: what is written with it."""
        if name == HOUSE:
            raise NotAllowed(f"The account {HOUSE} is the arena's own; choose another name.")
        check_account(name)
        try:
            return self._create_account(name, None, also)
        except IntegrityError as err:
            raise NameTaken(f"There is an account {name} already; choose another name.") from err

    def _create_account(self, name: str, address: Address | None, also: Also | None = None) -> Grant:
        with self.database.write() as session:
            if address:
                self.database.alone(session.connection())  # so that two calls do not both take the last place
                self.bounds.check_bounds(session, address, self.clock())
            account = self._add_account(session, name, "author", address)
            if also:
                also(session, account)
            return self._grant_token(session, account, account.scopes, self.clock() + self.days * DAY)

    def list_accounts(self, token: str, after: str, most: int) -> list[ListedAccount]:
        """Return a page of accounts, by name. token: the page's; without one it begins after a name."""
        start = choose_start(token, after)
        with self.database.read() as session:
            return list_accounts(session, start, most, self.clock())

    def create_token(self, who: Identity, scopes: list[str], days: int, name: str, label: str = "") -> Grant:
        """Create a further token, for the caller or, by an admin, for the account of that name.

        Without scopes it has the caller's own, or those of the other account. It does not outlive the token
        that made it.
        """
        if not who.may(Need.AUTHOR):
            raise NotAllowed("A worker's token makes no further tokens.")
        if not 0 <= days <= MOST_DAYS:
            raise BadRequest(f"A token lasts 1 to {MOST_DAYS} days, not {days}.", field="days")
        _check_label(label)
        with self.database.write() as session:
            account = self._lock_account(session, who, name)
            lock_token(session, who)
            wanted = scopes or (
                sorted(who.scopes) if account.id == who.account_id else account.scopes.split()
            )
            _check_scopes(who, wanted)
            ends_at = limit_end(who, self.clock() + (days or self.days) * DAY)
            return self._grant_token(session, account, " ".join(dict.fromkeys(wanted)), ends_at, label, who)

    def identify_caller(self, token: str) -> Identity:
        """Return the identity behind a token; the first use of a rotated one ends the token that it replaces.

        Raise UnknownToken, RevokedToken or ExpiredToken.
        """
        if (found := self._find_token(token)) is None:
            raise UnknownToken
        row, account = found
        if row.revoked_at is not None:
            raise RevokedToken
        if row.expires_at is not None and row.expires_at <= self.clock():
            raise ExpiredToken
        if row.replaces:
            with self.database.write() as session:
                replace_token(session, row.id, self.clock())
        self.uses.note_use(row)
        return _build_identity(row, account)

    def recognise_caller(self, token: str) -> Identity | None:
        """Return the identity behind a token, even if it has ended; None if it is unknown."""
        found = self._find_token(token)
        return _build_identity(*found) if found else None

    def _find_token(self, token: str) -> tuple[Token, Account] | None:
        with self.database.read() as session:
            query = select(Token, Account).join(Account).where(Token.hash == token_hash(token))
            return session.exec(query).first()

    def _lock_account(self, session: Session, who: Identity, name: str) -> Account:
        """Return the account of a new token, locked before the token that makes it."""
        if name in ("", who.name):
            lock_caller(session, who)
            return session.get_one(Account, who.account_id)
        if not who.may(Need.ADMIN):
            raise NotAllowed("Only an admin gives tokens to another account.")
        account = _by_name(session, name)
        if account is None or session.get(Team, account.id) is not None:
            words = f"There is no account {name[:80]!r}; {say_near(session, col(Account.name), name)}."
            raise UnknownAccount(words, thing=name)
        lock_account(session, account)
        return account

    def _add_account(
        self, session: Session, name: str, scopes: str, address: Address | None = None
    ) -> Account:
        block, site = address or (BY_ADMIN, "")
        account = Account(
            id=new_id("account"),
            name=name,
            scopes=scopes,
            created_at=self.clock(),
            registered_from=block,
            registered_site=site,
        )
        add_account(session, account)
        return account

    def _grant_token(
        self,
        session: Session,
        account: Account,
        scopes: str,
        ends_at: int,
        label: str = "",
        maker: Identity | None = None,
    ) -> Grant:
        token = new_token()
        row = _build_token(account, token, scopes, self.clock(), ends_at)
        row.label, row.parent = label, maker.token_id if maker else ""
        session.add(row)
        return Grant(account.id, token, ends_at)


def _build_identity(row: Token, account: Account) -> Identity:
    scopes = frozenset(row.scopes.split())
    return Identity(account.id, account.name, scopes, row.expires_at, row.id, find_host(row))


def _build_token(account: Account, token: str, scopes: str, now: int, expires_at: int | None) -> Token:
    return Token(
        hash=token_hash(token),
        id=new_id("token"),
        account_id=account.id,
        scopes=scopes,
        created_at=now,
        expires_at=expires_at,
    )


def _check_label(label: str) -> None:
    if len(label) > MAX_LABEL:
        raise BadRequest(
            f"A label has at most {MAX_LABEL} characters; this one has {len(label)}.", field="label"
        )
    if label.startswith(RESERVED_LABELS):
        raise BadRequest(
            f"A label must not begin with {RESERVED_LABELS}, because the ids of tokens do.", field="label"
        )


def _by_name(session: Session, name: str) -> Account | None:
    return session.exec(select(Account).where(Account.name == name)).first()


def _check_scopes(who: Identity, scopes: list[str]) -> None:
    if strange := [scope for scope in scopes if scope not in SCOPES]:
        words = f"{strange[0][:80]!r} is not a scope; scopes are {', '.join(SCOPES)}."
        raise BadRequest(words, field="scopes")
    if more := [scope for scope in scopes if scope not in who.scopes and not who.may(Need.ADMIN)]:
        raise NotAllowed(f"The token of {who.name} has no scope {more[0]}, so it cannot give it.")
    if "worker" in scopes and not who.may(Need.ADMIN):
        raise NotAllowed("Only an admin makes tokens for workers, since each is for a host of its own.")
