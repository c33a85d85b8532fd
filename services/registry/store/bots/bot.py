"""Bots, their versions, and the permissions of accounts."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from maumau.errors import NotActive, NotYours, UnknownArtifact, UnknownBot, UnknownVersion, WrongState
from services.registry.domain.name import check_bot
from services.registry.domain.state import WAITING, State, describe_state, list_before
from services.registry.domain.turn import find_cost
from services.registry.models import Account, Bot, Outbox, Version
from services.registry.store.bots.activation import change_state, make_active
from services.registry.store.bots.quota import Quotas
from services.registry.store.bots.turn import WITHOUT_LOG, give_turn, lock_turns
from services.registry.store.near import say_near
from services.registry.store.notices.notice import ACTIVE, tell_of_version
from services.registry.store.people.owner import act_as_owner, lock_caller
from services.registry.store.search import contains
from services.shared.base.auth import Identity, Need
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

VALIDATE = "worker.validate_version"
SHOWN = 20  # versions of a bot that lists show, and the active one
ADVICE = {
    State.REFUSED: "`maumau logs {version}` says why; `maumau submit FOLDER` uploads a better one.",
    State.STALLED: "`maumau submit FOLDER` with the same files tries again.",
} | dict.fromkeys(WAITING, "Once it has passed, `maumau activate {bot}` lets it play.")


class Program(NamedTuple):
    """A version with its bot and the bot's owner."""

    version: Version
    bot: Bot
    owner: Account


class Listed(NamedTuple):
    """A bot in a list. versions: the newest, newest first, and the active one; without their logs."""

    bot: Bot
    owner: Account
    versions: Sequence[Version]


class WantedBots(NamedTuple):
    """The bots of a list: those of an owner, and those whose names contain a part; "" for all."""

    owner: str = ""
    part: str = ""


class Upload(NamedTuple):
    """A checked and stored submission.

    builds: it has a build step. activates: the version is to become active once it has passed. runtime,
    plays_people: those of its manifest.
    """

    sha256: str
    size: int
    rules: Sequence[str]
    seats: Sequence[int]
    builds: bool = False
    activates: bool = True
    runtime: str = ""
    plays_people: bool = False


class Bots:
    """Bots and their versions in the database."""

    def __init__(self, database: Database, clock: Clock, quotas: Quotas) -> None:
        self.database, self.clock, self.quotas = database, clock, quotas

    def create_bot(self, name: str, who: Identity) -> Listed:
        """Return the caller's bot of that name; create it if the name is free."""
        try:
            return self._create_bot(name, who)
        except IntegrityError:  # it was created in between: now it is found
            return self._create_bot(name, who)

    def _create_bot(self, name: str, who: Identity) -> Listed:
        with self.database.write() as session:
            bot = self._owned_or_new(session, name, who)
            owner = session.get_one(Account, bot.account_id)
            return Listed(bot, owner, _shown_versions(session, [bot.id])[bot.id])

    def check_may_submit(self, name: str, who: Identity) -> None:
        """Raise the errors of a submission before its upload."""
        with self.database.read() as session:
            if bot := _find_bot(session, name):
                _check_owner(session, bot, who)
                _check_not_retired(bot)
            else:
                check_bot(name)

    def add_version(self, name: str, who: Identity, upload: Upload) -> tuple[Program, bool]:
        """Return the version of these bytes, waiting for its validation; True if the bot had them already.

        A stalled version of the same bytes waits again; one that has passed becomes active at once.
        """
        try:
            return self._add_version(name, who, upload)
        except IntegrityError:
            return self._add_version(name, who, upload)

    def _add_version(self, name: str, who: Identity, upload: Upload) -> tuple[Program, bool]:
        with self.database.write() as session:
            lock_caller(session, act_as_owner(session, who))  # before its bots, as deletions do
            bot, who = self._owned_or_new(session, name, who), act_as_owner(session, who)
            same = (Version.bot_id == bot.id, Version.sha256 == upload.sha256)
            version = session.exec(select(Version).where(*same)).first()
            known = version is not None
            if version is None:
                self.quotas.check_new_version(session, who, upload.size)
                version = self._new_version(session, bot, upload)
            else:
                self._submit_again(session, version, who, upload)
            return Program(version, bot, session.get_one(Account, bot.account_id)), known

    def list_bots(self, who: Identity | None, wanted: WantedBots, after: str, most: int) -> list[Listed]:
        """Return bots that are not retired, after a name, by name. who: only those of this caller."""
        with self.database.read() as session:
            query = select(Bot, Account).join(Account).where(col(Bot.retired_at).is_(None), Bot.name > after)
            if who is not None:
                query = query.where(Bot.account_id == act_as_owner(session, who).account_id)
            if wanted.owner:
                query = query.where(Account.name == wanted.owner)
            query = query.where(contains(col(Bot.name), wanted.part))
            bots = session.exec(query.order_by(Bot.name).limit(most)).all()
            versions = _shown_versions(session, [bot.id for bot, _ in bots])
        return [Listed(bot, account, versions[bot.id]) for bot, account in bots]

    def list_versions(self, name: str, before: int | None, most: int) -> list[Program]:
        """Return a bot's versions before a number, newest first."""
        with self.database.read() as session:
            if (bot := _find_bot(session, name)) is None:
                raise _unknown_bot(session, name)
            owner = session.get_one(Account, bot.account_id)
            query = _select_versions().where(Version.bot_id == bot.id)
            if before is not None:
                query = query.where(Version.number < before)
            return [Program(version, bot, owner) for version in session.exec(query.limit(most))]

    def find_program(self, name: str) -> Program:
        """Return a version by its id, or the active version of the bot of this name."""
        with self.database.read() as session:
            if found := _find_program(session, Version.id == name):
                return found
            if (bot := _find_bot(session, name)) is None:
                raise _unknown_version(session, name)
            if found := _find_program(session, Version.bot_id == bot.id, Version.state == State.ACTIVE):
                return found
            raise NotActive(_why_not_active(session, bot))

    def list_active(self, version_ids: Sequence[str]) -> set[str]:
        """Return those of the versions that are active."""
        wanted = select(Version.id).where(col(Version.id).in_(version_ids), Version.state == State.ACTIVE)
        with self.database.read() as session:
            return set(session.exec(wanted))

    def read_log(self, version_id: str, who: Identity) -> str:
        """Return the validation's log, for the bot's owner and admins."""
        with self.database.read() as session:
            version, bot, _ = _find_known(session, version_id)
            _check_owner(session, bot, who)
            return session.exec(select(Version.log).where(Version.id == version.id)).one()

    def activate_version(self, version_id: str, who: Identity) -> Program:
        """Make it the one version that its bot plays with; the one before is retired."""
        with self.database.write() as session:
            program = _find_known(session, version_id)
            version, bot, _ = program
            _lock_own(session, bot, who)
            session.refresh(version, with_for_update=True)
            if version.state == State.ACTIVE:
                return program
            if version.state not in list_before(State.ACTIVE):
                raise WrongState(_why_not_valid(version, bot))
            make_active(session, version, self.clock())
            tell_of_version(session, ACTIVE, version, self.clock())
            return program

    def let_play_people(self, version_id: str, who: Identity, *, plays: bool) -> Program:
        """Let everybody have a version at a live table, or nobody."""
        with self.database.write() as session:
            program = _find_known(session, version_id)
            version, bot, _ = program
            _lock_own(session, bot, who)
            session.refresh(version, with_for_update=True)
            version.plays_people = plays
            return program

    def retire_bot(self, name: str, who: Identity) -> None:
        """Retire a bot: it enters nothing any more, and its pending validations end."""
        with self.database.write() as session:
            if (bot := _find_bot(session, name)) is None:
                raise _unknown_bot(session, name)
            _check_owner(session, bot, who)
            retire(session, bot, self.clock())

    def check_may_fetch(self, sha256: str, who: Identity) -> None:
        """Raise unless the caller may fetch a program: workers, admins and its authors may."""
        with self.database.read() as session:
            named = (col(Version.sha256) == sha256) | (col(Version.built_sha256) == sha256)
            query = select(Bot.account_id).join(Version).where(named)
            owners = session.exec(query).all() if sha256 else ()  # "" is what was never built
            owner_id = act_as_owner(session, who).account_id
        if not owners:
            raise UnknownArtifact(f"There is no artifact {sha256[:80]!r}.", thing=sha256)
        if not who.may(Need.WORKER) and owner_id not in owners:
            raise NotYours("This program was submitted by someone else; only its author may fetch it.")

    def _owned_or_new(self, session: Session, name: str, who: Identity) -> Bot:
        if bot := _find_bot(session, name):
            _lock_own(session, bot, who)
            return bot
        check_bot(name)
        owner = act_as_owner(session, who)
        self.quotas.check_new_bot(session, owner)
        bot = Bot(id=new_id("bot"), name=name, account_id=owner.account_id, created_at=self.clock())
        session.add(bot)
        session.flush()
        return bot

    def _new_version(self, session: Session, bot: Bot, upload: Upload) -> Version:
        last = session.exec(select(func.max(Version.number)).where(Version.bot_id == bot.id)).one()
        now = self.clock()
        version = Version(
            id=new_id("version"),
            bot_id=bot.id,
            number=(last or 0) + 1,
            state=State.UPLOADED,
            sha256=upload.sha256,
            size=upload.size,
            created_at=now,
            since=now,
            turn_cost=find_cost(builds=upload.builds),
            activates=upload.activates,
            runtime=upload.runtime,
            plays_people=upload.plays_people,
            rules=" ".join(upload.rules),
            seats=" ".join(map(str, upload.seats)),
        )
        session.add(version)
        self._begin_waiting(session, version)
        return version

    def _submit_again(self, session: Session, version: Version, who: Identity, upload: Upload) -> None:
        version.activates = upload.activates
        version.runtime = upload.runtime  # an earlier arena did not store it
        if version.state == State.STALLED:
            self.quotas.check_stalled_version(session, who)
            version.attempts = 0
            change_state(version, State.UPLOADED, self.clock())
            self._begin_waiting(session, version)
        elif upload.activates and version.state in {State.VALID, State.RETIRED}:
            make_active(session, version, self.clock())
            tell_of_version(session, ACTIVE, version, self.clock())

    def _begin_waiting(self, session: Session, version: Version) -> None:
        """Give a version its turn. Turns are locked after all that quotas lock, and before versions."""
        lock_turns(session)
        give_turn(session, version, self.clock())
        session.add(Outbox(task=VALIDATE, subject=version.id))


def retire(session: Session, bot: Bot, now: int) -> None:
    """Retire a bot: it enters nothing any more, and its pending validations end."""
    bot.retired_at = bot.retired_at or now
    for version in session.exec(_select_versions().where(Version.bot_id == bot.id).with_for_update()):
        if version.state == State.ACTIVE:
            change_state(version, State.RETIRED, now)
        elif version.state in WAITING:
            version.fence += 1  # whoever plays its validation reports in vain
            change_state(version, State.REFUSED, now, "its bot was retired")


def _find_bot(session: Session, name: str) -> Bot | None:
    return session.exec(select(Bot).where(Bot.name == name)).first()


def _select_versions() -> SelectOfScalar[Version]:
    """Select versions, newest first, without their logs, which may have 128 KiB each."""
    return select(Version).options(WITHOUT_LOG).order_by(col(Version.number).desc())


def _shown_versions(session: Session, bot_ids: Sequence[str]) -> dict[str, list[Version]]:
    """Return the versions shown in lists, by bot."""
    place = func.row_number().over(partition_by=col(Version.bot_id), order_by=col(Version.number).desc())
    placed = select(Version.id, place.label("place")).where(col(Version.bot_id).in_(bot_ids)).subquery()
    query = _select_versions().join(placed, placed.c.id == Version.id)
    query = query.where((placed.c.place <= SHOWN) | (col(Version.state) == State.ACTIVE))
    query = query.where(col(Version.bot_id).in_(bot_ids))  # repeated, so that an index serves both parts
    found = defaultdict(list)
    for version in session.exec(query):
        found[version.bot_id].append(version)
    return found


def _find_program(session: Session, *where: bool) -> Program | None:
    query = select(Version, Bot, Account).select_from(Version).join(Bot).join(Account).where(*where)
    found = session.exec(query.options(WITHOUT_LOG)).first()
    return Program(*found) if found else None


def _find_known(session: Session, version_id: str) -> Program:
    if found := _find_program(session, Version.id == version_id):
        return found
    raise _unknown_version(session, version_id)


def _lock_own(session: Session, bot: Bot, who: Identity) -> None:
    """Lock a bot, so that its versions change one after the other; raise unless the caller may change it."""
    session.refresh(bot, with_for_update=True)
    _check_owner(session, bot, who)
    _check_not_retired(bot)


def _check_owner(session: Session, bot: Bot, who: Identity) -> None:
    if who.may(Need.ADMIN):
        return
    if bot.account_id != act_as_owner(session, who).account_id:
        owner = session.get_one(Account, bot.account_id).name
        raise NotYours(f"The bot {bot.name} belongs to {owner}, and you are {who.name}.")


def _check_not_retired(bot: Bot) -> None:
    if bot.retired_at is not None:
        raise WrongState(f"The bot {bot.name} is retired, and its name stays with it; choose another name.")


def _unknown_bot(session: Session, name: str) -> UnknownBot:
    return UnknownBot(f"There is no bot {name[:80]!r}; {_list_near(session, name)}.", thing=name)


def _unknown_version(session: Session, name: str) -> UnknownVersion:
    if name.startswith("version_"):
        words = f"There is no version {name[:80]!r}; `maumau bots` lists what there is."
        return UnknownVersion(words, thing=name)
    return UnknownVersion(
        f"There is no version or bot {name[:80]!r}; {_list_near(session, name)}.", thing=name
    )


def _list_near(session: Session, name: str) -> str:
    return say_near(session, col(Bot.name), name, col(Bot.retired_at).is_(None))


def _read_state(version: Version) -> str:
    return describe_state(version.state, version.suspended)


def _why_not_active(session: Session, bot: Bot) -> str:
    version = session.exec(_select_versions().where(Version.bot_id == bot.id)).first()
    if version is None:
        return f"The bot {bot.name} has no version yet; `maumau submit FOLDER` uploads one."
    words = (
        f"The bot {bot.name} has no active version; its newest, {version.number}, is {_read_state(version)}"
    )
    return f"{words}{_next_step(session, version, bot)}"


def _next_step(session: Session, version: Version, bot: Bot) -> str:
    """Return the end of a sentence that says how a bot without an active version gets one."""
    if bot.retired_at is not None:
        return ", and the bot is retired."
    if version.state in WAITING and (version.activates or version.suspended):
        return ". It becomes active when it passes its validation; `maumau bots` shows how far it is."
    ready = (Version.bot_id == bot.id, col(Version.state).in_(list_before(State.ACTIVE)))
    if usable := session.exec(_select_versions().where(*ready)).first():
        which, named = ("it", bot.name) if usable is version else (f"version {usable.number}", usable.id)
        return f". `maumau activate {named}` lets {which} play."
    return ". " + ADVICE[State(version.state)].format(bot=bot.name, version=version.id)


def _why_not_valid(version: Version, bot: Bot) -> str:
    why = f" ({version.reason})" if version.reason else ""
    return (
        f"Version {version.number} of {bot.name} is {_read_state(version)}{why};"
        " only one that was validated can be activated."
    )
