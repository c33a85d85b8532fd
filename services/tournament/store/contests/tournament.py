"""Tournaments and their entries. Each change is one transaction, with its events in the outbox."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from maumau.contest.spec.part import Entries
from maumau.errors import (
    NameTaken,
    NotEntered,
    QuotaReached,
    SecretKnown,
    TournamentFull,
    UnknownTournament,
    WrongState,
)
from services.shared.base.auth import OWN, Identity
from services.shared.store.connect import Database
from services.tournament.domain.board import spec_of
from services.tournament.domain.event import BotDisqualified, BotWithdrawn, Event, StateChange
from services.tournament.models import Contest, Entry, Tournament
from services.tournament.store.blocks.drop import end_blocks
from services.tournament.store.blocks.queue import outbox
from services.tournament.store.contests.entry import (
    build_entered,
    check_account,
    check_open,
    close_gap,
    replace_entry,
)
from services.tournament.store.contests.late import Late, put_off
from services.tournament.store.contests.mystery import reveal_rules
from services.tournament.store.contests.name import free_name
from services.tournament.store.contests.nonce import (
    RevealedNonce,
    Wait,
    close_entries,
    confirm_entries,
    list_entered,
    list_missing,
    say_moment,
    say_state,
    take_nonce,
)
from services.tournament.store.contests.protest import is_held
from services.tournament.store.outcomes.link import check_chain, link_departures, link_end

ACTIVE = ("running", "paused")
PLAY = {  # a tournament's state, and its contest's
    "created": "waiting", "open": "waiting", "running": "running", "paused": "paused", "decided": "running",
    "finished": "over", "cancelled": "over",
}  # fmt: skip
OVER = ("finished", "cancelled")


class Tournaments:
    """Changes of tournaments by organisers and authors, apart from the schedule."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add_tournament(self, tournament: Tournament, contest: Contest, most: int | None = None) -> None:
        """Add a tournament and its contest of the same id; most: how many an organiser may have open."""
        own = col(Tournament.organiser) == tournament.organiser, col(Tournament.state).not_in(OVER)
        try:
            with self.database.write() as session:
                if most is not None:  # so that two calls do not both take the last place
                    self.database.alone(session.connection())
                count = session.scalar(select(func.count()).select_from(Tournament).where(*own)) or 0
                if most is not None and count >= most:
                    who = tournament.organiser
                    words = f"{who} has {count} tournaments that are not over; {most} are allowed."
                    raise QuotaReached(words, quota=f"tournaments of {who}")
                check_secret(session, tournament, (tournament.organiser,))
                free_name(session, tournament.name, tournament.created_at)
                session.add_all([tournament, contest])
        except IntegrityError:
            raise NameTaken(f"There is a tournament {tournament.name!r} already.") from None

    def find_tournament(self, key: str) -> Tournament:
        """Return a tournament by id or by name."""
        with self.database.read() as session:
            return find_tournament(session, key)

    def list_due(self, at: int) -> list[Tournament]:
        """Return tournaments whose automatic step is due."""
        waiting = col(Tournament.state).in_(("open", "decided")), col(Tournament.due_at).between(1, at)
        with self.database.read() as session:
            rows = session.scalars(select(Tournament).where(*waiting)).all()
            return [row for row in rows if row.state != "decided" or not is_held(session, row, at)]

    def put_off(self, seen: Tournament, late: Late, at: int) -> bool:
        """Note when a start that was due is tried again; return False if something changed meanwhile."""
        with self.database.write() as session:
            row = find_tournament(session, seen.id, lock=True)
            if row.state != "open" or row.version != seen.version:
                return False
            session.add_all(put_off(row, late, at))
            return True

    def hasten_start(self, seen: Tournament, at: int) -> None:
        """Let a start that is put off be tried now, unless its spec has changed or its entries closed."""
        with self.database.write() as session:
            row = find_tournament(session, seen.id, lock=True)
            if row.state == "open" and row.due_at and not row.closed_at and row.spec == seen.spec:
                row.due_at = min(row.due_at, at)

    def list_active(self) -> list[str]:
        with self.database.read() as session:
            return list(session.scalars(select(col(Tournament.id)).where(col(Tournament.state).in_(ACTIVE))))

    def list_entries(self, tournament_id: str) -> list[Entry]:
        with self.database.read() as session:
            return entries_of(session, tournament_id)

    def enter_bot(
        self,
        key: str,
        entry: Entry,
        limits: Entries,
        at: int,
        seen: str,
        related: Collection[str] = (),
        *,
        is_own: bool = True,
    ) -> Entry:
        """Enter a bot with the next number; one that has entered with another version keeps its number.

        seen: the spec that the bot was checked for. related: owners that count as one with the entry's.
        is_own: the bot is the caller's; if not, a commitment that it has entered with is kept.
        """
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            others = entries_of(session, tournament.id)
            check_open(tournament, others, seen)
            check_secret(session, tournament, (entry.account_name,))
            before = next((other for other in others if other.bot_name == entry.bot_name), None)
            if entry.account_name not in OWN:
                check_account(tournament, entry, others, limits.per_account, related)
            if before:
                if not is_own:
                    entry.commitment = before.commitment or entry.commitment
                return replace_entry(session, tournament, before, entry, at)
            if len(others) >= limits.most:
                raise TournamentFull(f"{tournament.name} takes {limits.most} entries, and is full.")
            entry.tournament_id, entry.number, entry.entered_at = tournament.id, len(others) + 1, at
            tournament.version += 1
            words = f"{entry.bot_name} of {entry.account_name} enters as number {entry.number}"
            session.add_all([entry, *outbox(tournament.id, [build_entered(entry, words, at)], at)])
            return entry

    def finish_tournament(self, seen: Tournament, version: int, compared: str, at: int, chain: str) -> bool:
        """Finish a decided tournament; return False if the schedule has changed since that version.

        Raise WrongState if there is another time for protests than was seen, or another chain, unless "".
        """
        with self.database.write() as session:
            row = find_tournament(session, seen.id, lock=True)
            if row.state != "decided":
                raise WrongState(_refuse_state(row, ("decided",)))
            if row.due_at != seen.due_at:
                raise _changed_meanwhile(row)
            if is_held(session, row, at):
                raise WrongState(
                    f"{row.name} has a protest without an answer:"
                    f" `maumau tournament answer {row.name} NUMBER` accepts or rejects it."
                )
            check_chain(row, contest_of(session, row.id), chain)
            if row.version != version:
                return False
            finish_tournament(session, row, at, compared)
            return True

    def withdraw_bot(self, key: str, bot_name: str, account: str, at: int, *, closed: bool = False) -> Entry:
        """Withdraw a bot. Before entries close, later entries move up; then it loses what is left to play.

        account: the owner for whom the caller may do so. closed: entries have closed by themselves. Numbers
        in the root must not change once nonces are seen.
        """
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            entries = entries_of(session, tournament.id)
            entry = next((one for one in entries if one.bot_name == bot_name and not one.withdrawn), None)
            if entry is None or entry.account_name != account:
                raise NotEntered(f"{bot_name} is not in {tournament.name}.")
            if tournament.state not in {"created", "open", *ACTIVE}:
                raise WrongState(f"{tournament.name} is {tournament.state}: nobody can withdraw any more.")
            part = BotWithdrawn(entry.number, bot_name)
            if tournament.state not in ACTIVE and not closed and not tournament.closed_at:
                close_gap(session, entries, entry)
            tournament.version += 1
            entry.withdrawn = True
            link = link_departures(session, contest_of(session, tournament.id), entries)
            event = Event(at, "state", f"{bot_name} is withdrawn", chain=link, part=part)
            session.add_all(outbox(tournament.id, [event], at))
            return entry

    def disqualify_bot(self, key: str, bot_name: str, reason: str, at: int) -> Entry:
        """Disqualify a bot: it forfeits all matches, decided ones too. A decided tournament is reopened."""
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            if tournament.state not in {*ACTIVE, "decided"}:
                raise WrongState(
                    f"{tournament.name} is {say_state(tournament)}; a bot is disqualified while it is"
                    " running, paused or decided. Before the start, withdraw it."
                )
            entries = entries_of(session, tournament.id)
            entry = next((one for one in entries if one.bot_name == bot_name), None)
            if entry is None:
                raise NotEntered(f"{bot_name} is not in {tournament.name}.")
            if entry.disqualified:
                raise WrongState(f"{bot_name} is disqualified from {tournament.name} already.")
            if tournament.state == "decided":
                reopen_tournament(session, tournament, at)
            tournament.version += 1
            entry.disqualified = reason
            words, part = (
                f"{bot_name} is disqualified: {reason}",
                BotDisqualified(entry.number, bot_name, reason),
            )
            link = link_departures(session, contest_of(session, tournament.id), entries)
            event = Event(at, "alert", words, chain=link, part=part)
            session.add_all(outbox(tournament.id, [event], at))
            return entry

    def start_tournament(
        self, key: str, at: int, root: Callable[[Tournament, list[Entry]], str], wait: Wait
    ) -> Tournament:
        """Close the entries and start; `root` is computed from the entries of this moment.

        If nonces are yet to be revealed, and there is time for it, only close them. Raise WrongState if it is
        no longer due when it was seen to be.
        """
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            if wait.due_at not in {None, tournament.due_at}:
                raise _changed_meanwhile(tournament)
            entries = entries_of(session, tournament.id)
            fixed = root(tournament, entries) if tournament.state == "open" else ""
            check_secret(session, tournament, [entry.account_name for entry in entries])
            closed_at = tournament.closed_at or wait.closed_at or at
            until = tournament.due_at if tournament.closed_at else closed_at + wait.opening
            if tournament.state == "open" and list_missing(entries) and at < until and not wait.now:
                close_entries(session, tournament, entries, closed_at, until, at)
                return tournament
            _change_state(session, tournament, ("open",), "running", at)
            contest = contest_of(session, tournament.id)
            reveal_rules(session, tournament, contest, at)
            contest.root, contest.version = fixed, spec_of(tournament.spec).version
            tournament.root, tournament.started_at = fixed, at
            link_departures(session, contest, entries)
            return tournament

    def reveal_due(self, tournament_id: str, at: int) -> None:
        """Reveal the rules of a tournament whose moment has come, unless another replica has."""
        with self.database.write() as session:
            row = find_tournament(session, tournament_id, lock=True)
            if row.state == "open" and 0 < row.reveal_at <= at:
                reveal_rules(session, row, contest_of(session, row.id), at)

    def open_nonce(self, key: str, told: RevealedNonce, at: int, *, closed: bool) -> Entry:
        """Store the revealed nonce of an entry. closed: entries have closed by themselves."""
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            return take_nonce(
                session, tournament, entries_of(session, tournament.id), told, at, closed=closed
            )

    def list_entered(self, who: Identity) -> list[Tournament]:
        """Return those that are open and have a nonce of the caller to wait for."""
        with self.database.read() as session:
            return list_entered(session, who)

    def confirm_entries(self, tournament_id: str, who: Identity, at: int) -> bool:
        """Wait for the entries of the caller no longer; return False if they were not awaited."""
        with self.database.write() as session:
            tournament = find_tournament(session, tournament_id, lock=True)
            entries = entries_of(session, tournament.id)
            return tournament.state == "open" and confirm_entries(session, tournament, entries, who, at)

    def change_state(self, key: str, before: Sequence[str], after: str, at: int) -> Tournament:
        """Change the state from one of `before` to `after`; raise WrongState if it is another."""
        with self.database.write() as session:
            tournament = find_tournament(session, key, lock=True)
            _change_state(session, tournament, before, after, at)
            if after == "cancelled":
                tournament.ended_at = at
            return tournament


def check_secret(session: Session, tournament: Tournament, accounts: Sequence[str]) -> None:
    """Raise SecretKnown if the given secret is public and strangers play.

    An entrant who knows it could enter the version with the luckiest deals.
    """
    if not tournament.secret_given or set(accounts) <= set(OWN):
        return
    shown = col(Contest.secret) == tournament.secret, col(Contest.state) == "over"
    if session.scalar(select(col(Contest.id)).where(*shown, col(Contest.purpose) != "audit").limit(1)):
        raise SecretKnown(
            f"The secret of {tournament.name} was published with another contest: it can be used again only"
            " by an admin, for bots of the arena's own accounts."
        )


def reopen_tournament(session: Session, tournament: Tournament, at: int) -> None:
    """Set a decided tournament running again."""
    tournament.due_at = 0
    _change_state(session, tournament, ("decided",), "running", at)


def decide_tournament(session: Session, tournament_id: str, at: int, until: int) -> None:
    """Mark a tournament as decided; its result may be protested until `until`."""
    row = session.get_one(Tournament, tournament_id)
    part = StateChange(row.state, "decided")
    row.state, row.due_at = "decided", until
    words = f"{row.name} is decided; the result is final at {say_moment(until)} unless it is protested"
    session.add_all(outbox(row.id, [Event(at, "state", words, part=part)], at))


def finish_tournament(session: Session, row: Tournament, at: int, compared: str) -> None:
    """Make the result final."""
    part = StateChange(row.state, "finished")
    row.state, row.ended_at, row.compared, row.due_at = "finished", at, compared, 0
    row.version += 1
    contest = contest_of(session, row.id)
    contest.state = "over"
    end_blocks(session, row.id)
    link = link_end(session, contest, entries_of(session, row.id), compared)
    event = Event(at, "state", f"{row.name} is finished", chain=link, compared=compared, part=part)
    session.add_all(outbox(row.id, [event], at))


def _refuse_state(found: Tournament, allowed: Sequence[str]) -> str:
    return f"{found.name} is {say_state(found)}; that is possible only while it is {' or '.join(allowed)}."


def _change_state(
    session: Session, tournament: Tournament, before: Sequence[str], after: str, at: int
) -> None:
    if tournament.state not in before:
        raise WrongState(_refuse_state(tournament, before))
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


def find_tournament(session: Session, key: str, *, lock: bool = False) -> Tournament:
    for named in LOCKED if lock else NAMED:
        if tournament := session.scalars(named, {"key": key}).one_or_none():
            return tournament
    raise unknown_tournament(key)


def _changed_meanwhile(tournament: Tournament) -> WrongState:
    return WrongState(f"{tournament.name} has been changed meanwhile: look at it and try again.")


def unknown_tournament(key: str) -> UnknownTournament:
    """Return the refusal for a tournament that does not exist, or that the caller may not see."""
    return UnknownTournament(f"There is no tournament {key!r}.", thing=key)


def contest_of(session: Session, tournament_id: str) -> Contest:
    """Return a tournament's contest, locked."""
    return session.get_one(
        Contest, tournament_id, with_for_update={"key_share": True}, populate_existing=True
    )


def touch_schedule(tournament_id: str) -> Any:
    """Return the update for a change of the schedule alone: plans made before are void."""
    one = update(Tournament).where(col(Tournament.id) == tournament_id)
    return one.values(version=Tournament.version + 1, advances=Tournament.advances + 1)


ENTRIES = select(Entry).where(col(Entry.tournament_id) == bindparam("tournament")).order_by(col(Entry.number))


def entries_of(session: Session, tournament_id: str) -> list[Entry]:
    return list(session.scalars(ENTRIES, {"tournament": tournament_id}))
