"""Tournaments and their entries. Every change is one transaction, with its events in the outbox."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from maumau.contest.spec import Entries
from maumau.errors import (
    AlreadyEntered,
    EntriesClosed,
    NameTaken,
    NotEntered,
    QuotaReached,
    SecretKnown,
    TournamentFull,
    UnknownTournament,
    WrongState,
)
from services.shared.auth import OWN
from services.shared.connect import Database
from services.tournament.event import (
    BotDisqualified,
    BotEntered,
    BotWithdrawn,
    Event,
    SpecChanged,
    StartPutOff,
    StateChange,
)
from services.tournament.models import Contest, Entry, Tournament
from services.tournament.store.nonce import Told, Wait, close, missing, say_moment, take_nonce, waiting_words
from services.tournament.store.queue import outbox

ACTIVE = ("running", "paused")
PLAY = {  # a tournament's state, and its contest's
    "created": "waiting", "open": "waiting", "running": "running", "paused": "paused", "decided": "running",
    "finished": "over", "cancelled": "over",
}  # fmt: skip
OVER = ("finished", "cancelled")
PLANNED = (
    "name", "spec", "rules", "options", "rules_hash", "secret", "secret_given", "commitment", "due_at",
)  # fmt: skip


class Tournaments:
    """What organisers and authors do, but for the play itself."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add(self, tournament: Tournament, contest: Contest, most: int | None = None) -> None:
        """With the contest that is played, which has its id; most: how many an organiser may have open."""
        own = col(Tournament.organiser) == tournament.organiser, col(Tournament.state).not_in(OVER)
        try:
            with self.database.write() as session:
                if most is not None:  # two calls do not both take the last place
                    self.database.alone(session.connection())
                count = session.scalar(select(func.count()).select_from(Tournament).where(*own)) or 0
                if most is not None and count >= most:
                    who = tournament.organiser
                    words = f"{who} has {count} tournaments that are not over; {most} are allowed."
                    raise QuotaReached(words, quota=f"tournaments of {who}")
                _check_secret(session, tournament, (tournament.organiser,))
                session.add_all([tournament, contest])
        except IntegrityError:
            raise NameTaken(f"There is a tournament {tournament.name!r} already.") from None

    def find(self, key: str) -> Tournament:
        """By id or by name."""
        with self.database.read() as session:
            return find(session, key)

    def edit(self, key: str, tournament: Tournament, contest: Contest, at: int) -> None:
        """Replaces what was planned, but for its id, as long as nobody may enter."""
        try:
            with self.database.write() as session:
                row = find(session, key, lock=True)
                if row.state != "created":
                    raise WrongState(f"{row.name} is {row.state}: its spec cannot be changed any more.")
                _check_secret(session, tournament, (row.organiser,))
                planned = {name: getattr(tournament, name) for name in PLANNED}
                played = contest_of(session, row.id)
                row.sqlmodel_update(planned)
                played.sqlmodel_update(contest.model_dump(exclude={"id", "state"}, exclude_unset=True))
                row.version += 1
                words, part = f"the spec of {row.name} has changed", SpecChanged(row.name)
                session.add_all(outbox(row.id, [Event(at, "state", words, part=part)], at))
        except IntegrityError:
            raise NameTaken(f"There is a tournament {tournament.name!r} already.") from None

    def due(self, at: int) -> list[Tournament]:
        """Those that go on by themselves by now."""
        waiting = col(Tournament.state).in_(("open", "decided")), col(Tournament.due_at).between(1, at)
        with self.database.read() as session:
            return list(session.scalars(select(Tournament).where(*waiting)))

    def put_off(self, tournament_id: str, until: int, why: str, at: int) -> None:
        """The start that was due is tried again then, unless another replica has made it."""
        with self.database.write() as session:
            row = find(session, tournament_id, lock=True)
            if row.state != "open":
                return
            row.due_at = until
            row.version += 1
            words = f"{row.name} could not start and tries again in a minute: {why}"
            event = Event(at, "alert", words, part=StartPutOff(until, why))
            session.add_all(outbox(row.id, [event], at))

    def active(self) -> list[str]:
        with self.database.read() as session:
            return list(session.scalars(select(col(Tournament.id)).where(col(Tournament.state).in_(ACTIVE))))

    def entries(self, tournament_id: str) -> list[Entry]:
        with self.database.read() as session:
            return entries_of(session, tournament_id)

    def enter(self, key: str, entry: Entry, limits: Entries, at: int) -> Entry:
        """Takes the next number; a bot that has entered with another version keeps its number."""
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            others = entries_of(session, tournament.id)
            if tournament.state != "open":
                raise EntriesClosed(f"{tournament.name} takes no entries: it is {tournament.state}.")
            if tournament.closed_at:
                raise EntriesClosed(f"{tournament.name} takes no entries: {waiting_words(others)}.")
            _check_secret(session, tournament, (entry.account_name,))
            before = next((other for other in others if other.bot_name == entry.bot_name), None)
            if entry.account_name not in OWN:
                _check_account(tournament, entry, others, limits.per_account)
            if before:
                return _replace(session, tournament, before, entry, at)
            if len(others) >= limits.most:
                raise TournamentFull(f"{tournament.name} takes {limits.most} entries, and has them.")
            entry.tournament_id, entry.number, entry.entered_at = tournament.id, len(others) + 1, at
            tournament.version += 1
            words = f"{entry.bot_name} of {entry.account_name} enters as number {entry.number}"
            session.add_all([entry, *outbox(tournament.id, [_entered(entry, words, at)], at)])
            return entry

    def finish(self, tournament_id: str, version: int, compared: str, at: int) -> bool:
        """Ends the time for protests; False if the schedule has changed since that version."""
        with self.database.write() as session:
            row = find(session, tournament_id, lock=True)
            if row.state != "decided":
                raise WrongState(f"{row.name} is {row.state}; it must be decided for this.")
            if row.version != version:
                return False
            finish(session, row, at, compared)
            return True

    def withdraw(self, key: str, bot_name: str, at: int, *, closed: bool = False) -> Entry:
        """Before entries close the entry goes, later ones move up; then the bot loses what is left.

        closed: they have closed by themselves. Nobody who has seen nonces may change the numbers in the root.
        """
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            entries = entries_of(session, tournament.id)
            entry = next((one for one in entries if one.bot_name == bot_name and not one.withdrawn), None)
            if entry is None:
                raise NotEntered(f"{bot_name} is not in {tournament.name}.")
            if tournament.state not in {"created", "open", *ACTIVE}:
                raise WrongState(f"{tournament.name} is {tournament.state}: nobody can withdraw any more.")
            part = BotWithdrawn(entry.number, bot_name)
            if tournament.state not in ACTIVE and not closed and not tournament.closed_at:
                _close_gap(session, entries, entry)
            tournament.version += 1
            entry.withdrawn = True
            event = Event(at, "state", f"{bot_name} is withdrawn", part=part)
            session.add_all(outbox(tournament.id, [event], at))
            return entry

    def disqualify(self, key: str, bot_name: str, reason: str, at: int) -> Entry:
        """The bot loses all its matches, those decided too; what was decided is played on."""
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            if tournament.state not in {*ACTIVE, "decided"}:
                raise WrongState(
                    f"{tournament.name} is {tournament.state}; a bot is disqualified while it is running,"
                    " paused or decided. Before the start, withdraw it."
                )
            entries = entries_of(session, tournament.id)
            entry = next((one for one in entries if one.bot_name == bot_name), None)
            if entry is None:
                raise NotEntered(f"{bot_name} is not in {tournament.name}.")
            if entry.disqualified:
                raise WrongState(f"{bot_name} is disqualified from {tournament.name} already.")
            if tournament.state == "decided":
                reopen(session, tournament, at)
            tournament.version += 1
            entry.disqualified = reason
            words, part = (
                f"{bot_name} is disqualified: {reason}",
                BotDisqualified(entry.number, bot_name, reason),
            )
            session.add_all(outbox(tournament.id, [Event(at, "alert", words, part=part)], at))
            return entry

    def start(
        self, key: str, at: int, root: Callable[[Tournament, list[Entry]], str], wait: Wait
    ) -> Tournament:
        """Closes the entries and begins to play: `root` is made of those there are at this moment.

        Where nonces are still to be opened, and there is time for it, it only closes them.
        """
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            entries = entries_of(session, tournament.id)
            fixed = root(tournament, entries) if tournament.state == "open" else ""
            _check_secret(session, tournament, [entry.account_name for entry in entries])
            closed_at = tournament.closed_at or wait.closed_at or at
            until = tournament.due_at if tournament.closed_at else closed_at + wait.opening
            if tournament.state == "open" and missing(entries) and at < until:
                close(session, tournament, entries, closed_at, until, at)
                return tournament
            _move(session, tournament, ("open",), "running", at)
            tournament.root = fixed
            contest_of(session, tournament.id).root = tournament.root
            tournament.started_at = at
            return tournament

    def open_nonce(self, key: str, told: Told, at: int, *, closed: bool) -> Entry:
        """Takes in the nonce of an entry. closed: entries have closed by themselves."""
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            return take_nonce(
                session, tournament, entries_of(session, tournament.id), told, at, closed=closed
            )

    def change(self, key: str, before: Sequence[str], after: str, at: int) -> Tournament:
        """Moves a tournament from one of the states before to the one after."""
        with self.database.write() as session:
            tournament = find(session, key, lock=True)
            _move(session, tournament, before, after, at)
            if after == "cancelled":
                tournament.ended_at = at
            return tournament


def _check_secret(session: Session, tournament: Tournament, accounts: Sequence[str]) -> None:
    """Whoever knows it could enter the version with the luckiest deals: only the arena's own may play."""
    if not tournament.secret_given or set(accounts) <= set(OWN):
        return
    shown = col(Contest.secret) == tournament.secret, col(Contest.state) == "over"
    if session.scalar(select(col(Contest.id)).where(*shown, col(Contest.purpose) != "audit").limit(1)):
        raise SecretKnown(
            f"The secret of {tournament.name} was published with another contest: it can be used again only"
            " by an admin, for bots of the arena's own accounts."
        )


def _check_account(tournament: Tournament, entry: Entry, others: list[Entry], most: int) -> None:
    """Nobody enters one program under several names, or more bots than an account may."""
    own = [one for one in others if one.account_name == entry.account_name and one.bot_name != entry.bot_name]
    for other in own:
        if other.sha256 == entry.sha256:
            words = f"{entry.bot_name} is the same program as {other.bot_name}, which has entered."
            raise AlreadyEntered(words)
    if len(own) >= most:
        names = ", ".join(other.bot_name for other in own)
        words = f"{tournament.name} takes {most} bots of an account; you have entered {names}."
        raise QuotaReached(words, quota=f"entries in {tournament.name}")


def _replace(session: Session, tournament: Tournament, old: Entry, new: Entry, at: int) -> Entry:
    if old.version_id == new.version_id:
        raise AlreadyEntered(f"{old.bot_name} has entered {tournament.name} already.")
    old.version_id, old.sha256, old.account_name = new.version_id, new.sha256, new.account_name
    old.built_sha256, old.built_platform, old.entered_at = new.built_sha256, new.built_platform, at
    old.commitment = new.commitment or old.commitment
    tournament.version += 1
    words = f"{old.bot_name}, number {old.number}, enters with another version"
    session.add_all(outbox(tournament.id, [_entered(old, words, at, replaced=True)], at))
    return old


def _entered(entry: Entry, words: str, at: int, *, replaced: bool = False) -> Event:
    named = entry.number, entry.bot_name, entry.account_name, entry.version_id
    return Event(at, "state", words, part=BotEntered(*named, replaced))


def reopen(session: Session, tournament: Tournament, at: int) -> None:
    """One that was decided is being played again."""
    tournament.due_at = 0
    _move(session, tournament, ("decided",), "running", at)


def decide(session: Session, tournament_id: str, at: int, until: int) -> None:
    """All is played; the result may be protested until then."""
    row = session.get_one(Tournament, tournament_id)
    part = StateChange(row.state, "decided")
    row.state, row.due_at = "decided", until
    words = f"{row.name} is decided; the result is final at {say_moment(until)} unless it is protested"
    session.add_all(outbox(row.id, [Event(at, "state", words, part=part)], at))


def finish(session: Session, row: Tournament, at: int, compared: str) -> None:
    """The result is final."""
    part = StateChange(row.state, "finished")
    row.state, row.ended_at, row.compared, row.due_at = "finished", at, compared, 0
    row.version += 1
    contest_of(session, row.id).state = "over"
    event = Event(at, "state", f"{row.name} is finished", compared=compared, part=part)
    session.add_all(outbox(row.id, [event], at))


def _move(session: Session, tournament: Tournament, before: Sequence[str], after: str, at: int) -> None:
    if tournament.state not in before:
        raise WrongState(
            f"{tournament.name} is {tournament.state}; it must be {' or '.join(before)} for this."
        )
    part = StateChange(tournament.state, after)
    tournament.state = after
    tournament.version += 1
    contest_of(session, tournament.id).state = PLAY[after]
    event = Event(at, "state", f"{tournament.name} is {after}", part=part)
    session.add_all(outbox(tournament.id, [event], at))


NAMED = [
    select(Tournament).where(one == bindparam("key")) for one in (col(Tournament.id), col(Tournament.name))
]
LOCKED = [one.with_for_update() for one in NAMED]


def find(session: Session, key: str, *, lock: bool = False) -> Tournament:
    for named in LOCKED if lock else NAMED:
        if tournament := session.scalars(named, {"key": key}).one_or_none():
            return tournament
    raise UnknownTournament(f"There is no tournament {key!r}.", thing=key)


def contest_of(session: Session, tournament_id: str) -> Contest:
    """What is played of a tournament, locked."""
    return session.get_one(
        Contest, tournament_id, with_for_update={"key_share": True}, populate_existing=True
    )


def touch(tournament_id: str) -> Any:
    """The schedule changes, and nothing else: plans made before are void."""
    one = update(Tournament).where(col(Tournament.id) == tournament_id)
    return one.values(version=Tournament.version + 1, advances=Tournament.advances + 1)


ENTRIES = select(Entry).where(col(Entry.tournament_id) == bindparam("tournament")).order_by(col(Entry.number))


def entries_of(session: Session, tournament_id: str) -> list[Entry]:
    return list(session.scalars(ENTRIES, {"tournament": tournament_id}))


def chain_of(contest: Contest) -> str:
    """The number of the last booking, a space and its link; "" before the first."""
    return f"{contest.booked} {contest.chain}" if contest.chain else ""


def _close_gap(session: Session, entries: list[Entry], gone: Entry) -> None:
    session.delete(gone)
    session.flush()
    for entry in entries[gone.number :]:
        entry.number -= 1
        session.flush()  # one after the other: numbers are unique at every moment
