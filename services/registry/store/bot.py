"""Bots, their versions, and who may do what with them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from maumau.errors import NotActive, NotYours, UnknownArtifact, UnknownBot, UnknownVersion, WrongState
from services.registry.models import Account, Bot, Outbox, Version
from services.registry.name import check_bot
from services.registry.state import WAITING, State, before, shown
from services.registry.store.near import say_near
from services.registry.store.quota import Quotas
from services.shared.auth import Identity, Need
from services.shared.clock import Clock
from services.shared.connect import Database
from services.shared.ident import new_id

VALIDATE = "worker.validate_version"
SHOWN = 20  # versions of a bot that lists show, and the active one
WITHOUT_LOG = defer(cast("Any", Version.log), raiseload=True)


class Program(NamedTuple):
    """A version with its bot and the bot's owner."""

    version: Version
    bot: Bot
    owner: Account


class Listed(NamedTuple):
    """A bot as lists show it. versions: the newest, newest first, and the active one; without their logs."""

    bot: Bot
    owner: Account
    versions: Sequence[Version]


class Upload(NamedTuple):
    """A checked and stored submission."""

    sha256: str
    size: int
    rules: Sequence[str]
    seats: Sequence[int]


class Bots:
    """What there is to play with."""

    def __init__(self, database: Database, clock: Clock, quotas: Quotas) -> None:
        self.database, self.clock, self.quotas = database, clock, quotas

    def create(self, name: str, who: Identity) -> Listed:
        """The caller's bot of that name; made if nobody has the name."""
        check_bot(name)
        try:
            return self._create(name, who)
        except IntegrityError:  # somebody made it in between: now it is found
            return self._create(name, who)

    def _create(self, name: str, who: Identity) -> Listed:
        with self.database.write() as session:
            bot = self._owned_or_new(session, name, who)
            owner = session.get_one(Account, bot.account_id)
            return Listed(bot, owner, _shown_versions(session, [bot.id])[bot.id])

    def check_may_submit(self, name: str, who: Identity) -> None:
        """Refuses before the upload what would be refused after it."""
        with self.database.read() as session:
            if bot := _bot(session, check_bot(name)):
                _check_owner(session, bot, who)
                _check_not_retired(bot)

    def add_version(self, name: str, who: Identity, upload: Upload) -> tuple[Program, bool]:
        """The version of these bytes, waiting for its validation; True if the bot had them already.

        A stalled version of the same bytes waits again.
        """
        try:
            return self._add_version(name, who, upload)
        except IntegrityError:
            return self._add_version(name, who, upload)

    def _add_version(self, name: str, who: Identity, upload: Upload) -> tuple[Program, bool]:
        with self.database.write() as session:
            bot = self._owned_or_new(session, name, who)
            session.exec(select(Bot.id).where(Bot.id == bot.id).with_for_update())  # numbers one by one
            same = (Version.bot_id == bot.id, Version.sha256 == upload.sha256)
            version = session.exec(select(Version).where(*same)).first()
            known = version is not None
            if version is None:
                self.quotas.check_new_version(session, who, upload.size)
                version = self._new_version(session, bot, upload)
            elif version.state == State.STALLED:
                self.quotas.check_stalled_version(session, who)
                self._wait_again(session, version)
            return Program(version, bot, session.get_one(Account, bot.account_id)), known

    def all(self, owner_id: str | None, after: str, most: int) -> list[Listed]:
        """Bots that are not retired, by name, those after that name."""
        with self.database.read() as session:
            query = select(Bot, Account).join(Account).where(col(Bot.retired_at).is_(None), Bot.name > after)
            if owner_id is not None:
                query = query.where(Bot.account_id == owner_id)
            bots = session.exec(query.order_by(Bot.name).limit(most)).all()
            versions = _shown_versions(session, [bot.id for bot, _ in bots])
        return [Listed(bot, account, versions[bot.id]) for bot, account in bots]

    def versions(self, name: str, before: int | None, most: int) -> list[Program]:
        """A bot's versions, newest first, those before that number."""
        with self.database.read() as session:
            if (bot := _bot(session, name)) is None:
                raise _unknown_bot(session, name)
            owner = session.get_one(Account, bot.account_id)
            query = _versions().where(Version.bot_id == bot.id)
            if before is not None:
                query = query.where(Version.number < before)
            return [Program(version, bot, owner) for version in session.exec(query.limit(most))]

    def program(self, name: str) -> Program:
        """By a version's id, or by a bot's name its active version."""
        with self.database.read() as session:
            if found := _program(session, Version.id == name):
                return found
            if (bot := _bot(session, name)) is None:
                raise _unknown_version(session, name)
            if found := _program(session, Version.bot_id == bot.id, Version.state == State.ACTIVE):
                return found
            raise NotActive(_why_not_active(session, bot))

    def log(self, version_id: str, who: Identity) -> str:
        """The validation's log, for the bot's owner and admins."""
        with self.database.read() as session:
            version, bot, _ = _known(session, version_id)
            _check_owner(session, bot, who)
            return session.exec(select(Version.log).where(Version.id == version.id)).one()

    def activate(self, version_id: str, who: Identity) -> Program:
        """Makes it the one version that its bot plays with; the one before is retired."""
        with self.database.write() as session:
            program = _known(session, version_id)
            version, bot, _ = program
            _check_owner(session, bot, who)
            _check_not_retired(bot)
            session.exec(select(Bot.id).where(Bot.id == bot.id).with_for_update())
            session.refresh(version, with_for_update=True)
            if version.state == State.ACTIVE:
                return program
            if version.state not in before(State.ACTIVE):
                raise WrongState(_why_not_valid(version, bot))
            now_active = (Version.bot_id == bot.id, Version.state == State.ACTIVE)
            for other in session.exec(select(Version).where(*now_active)):
                self._become(other, State.RETIRED)
            session.flush()  # one active version at a time, says an index
            self._become(version, State.ACTIVE)
            return program

    def retire(self, name: str, who: Identity) -> None:
        """The bot enters nothing any more; what waits for validation waits no longer."""
        with self.database.write() as session:
            if (bot := _bot(session, name)) is None:
                raise _unknown_bot(session, name)
            _check_owner(session, bot, who)
            bot.retired_at = bot.retired_at or self.clock()
            for version in session.exec(_versions().where(Version.bot_id == bot.id).with_for_update()):
                if version.state == State.ACTIVE:
                    self._become(version, State.RETIRED)
                elif version.state in WAITING:
                    version.fence += 1  # whoever plays its validation reports in vain
                    self._become(version, State.REFUSED, "its bot was retired")

    def check_may_fetch(self, sha256: str, who: Identity) -> None:
        """Programs are for workers, admins and those who submitted them."""
        with self.database.read() as session:
            named = (col(Version.sha256) == sha256) | (col(Version.built_sha256) == sha256)
            query = select(Bot.account_id).join(Version).where(named)
            owners = session.exec(query).all()
        if not sha256 or not owners:
            raise UnknownArtifact(f"There is no artifact {sha256[:80]!r}.", thing=sha256)
        if not who.may(Need.WORKER) and who.account_id not in owners:
            raise NotYours("This program was submitted by someone else; only its author may fetch it.")

    def _owned_or_new(self, session: Session, name: str, who: Identity) -> Bot:
        bot = _bot(session, name)
        if bot is None:
            self.quotas.check_new_bot(session, who)
            bot = Bot(id=new_id("bot"), name=name, account_id=who.account_id, created_at=self.clock())
            session.add(bot)
            session.flush()
        _check_owner(session, bot, who)
        _check_not_retired(bot)
        return bot

    def _new_version(self, session: Session, bot: Bot, upload: Upload) -> Version:
        last = session.exec(select(func.max(Version.number)).where(Version.bot_id == bot.id)).one()
        now = self.clock()
        version = Version(
            id=new_id("version"), bot_id=bot.id, number=(last or 0) + 1, state=State.UPLOADED,
            sha256=upload.sha256, size=upload.size, created_at=now, since=now,
            rules=" ".join(upload.rules), seats=" ".join(map(str, upload.seats)),
        )  # fmt: skip
        session.add(version)
        session.add(Outbox(task=VALIDATE, subject=version.id))
        session.flush()
        return version

    def _wait_again(self, session: Session, version: Version) -> None:
        version.attempts = 0
        self._become(version, State.UPLOADED)
        session.add(Outbox(task=VALIDATE, subject=version.id))

    def _become(self, version: Version, state: State, reason: str = "") -> None:
        version.state, version.reason, version.since = state, reason, self.clock()
        version.lease_until = None
        version.revision += 1


def _bot(session: Session, name: str) -> Bot | None:
    return session.exec(select(Bot).where(Bot.name == name)).first()


def _versions() -> SelectOfScalar[Version]:
    """Newest first, without their logs, of which each may have 128 KiB."""
    return select(Version).options(WITHOUT_LOG).order_by(col(Version.number).desc())


def _shown_versions(session: Session, bot_ids: Sequence[str]) -> dict[str, list[Version]]:
    """What lists show of the versions of these bots."""
    place = func.row_number().over(partition_by=col(Version.bot_id), order_by=col(Version.number).desc())
    placed = select(Version.id, place.label("place")).where(col(Version.bot_id).in_(bot_ids)).subquery()
    query = _versions().join(placed, placed.c.id == Version.id)
    query = query.where((placed.c.place <= SHOWN) | (col(Version.state) == State.ACTIVE))
    query = query.where(col(Version.bot_id).in_(bot_ids))  # said twice, so that an index finds them twice
    found = defaultdict(list)
    for version in session.exec(query):
        found[version.bot_id].append(version)
    return found


def _program(session: Session, *where: bool) -> Program | None:
    query = select(Version, Bot, Account).select_from(Version).join(Bot).join(Account).where(*where)
    found = session.exec(query.options(WITHOUT_LOG)).first()
    return Program(*found) if found else None


def _known(session: Session, version_id: str) -> Program:
    if found := _program(session, Version.id == version_id):
        return found
    raise _unknown_version(session, version_id)


def _check_owner(session: Session, bot: Bot, who: Identity) -> None:
    if bot.account_id != who.account_id and not who.may(Need.ADMIN):
        owner = session.get_one(Account, bot.account_id).name
        raise NotYours(f"The bot {bot.name} belongs to {owner}, and you are {who.name}.")


def _check_not_retired(bot: Bot) -> None:
    if bot.retired_at is not None:
        raise WrongState(f"The bot {bot.name} is retired, and its name stays with it; choose another name.")


def _unknown_bot(session: Session, name: str) -> UnknownBot:
    return UnknownBot(f"There is no bot {name[:80]!r}; {_near(session, name)}.", thing=name)


def _unknown_version(session: Session, name: str) -> UnknownVersion:
    if name.startswith("version_"):
        words = f"There is no version {name[:80]!r}; `maumau bots` lists what there is."
        return UnknownVersion(words, thing=name)
    return UnknownVersion(f"There is no version or bot {name[:80]!r}; {_near(session, name)}.", thing=name)


def _near(session: Session, name: str) -> str:
    return say_near(session, col(Bot.name), name, col(Bot.retired_at).is_(None))


def _state(version: Version) -> str:
    return shown(version.state, version.suspended)


def _why_not_active(session: Session, bot: Bot) -> str:
    newest = select(Version).where(Version.bot_id == bot.id).order_by(col(Version.number).desc())
    version = session.exec(newest).first()
    if version is None:
        return f"The bot {bot.name} has no version yet."
    return f"The bot {bot.name} has no active version; its newest, {version.number}, is {_state(version)}."


def _why_not_valid(version: Version, bot: Bot) -> str:
    why = f" ({version.reason})" if version.reason else ""
    return (
        f"Version {version.number} of {bot.name} is {_state(version)}{why};"
        " only one that was validated can be activated."
    )
