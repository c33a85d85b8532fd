"""Ladders, their members, epochs, pairings and results. Times are ms since 1970, given by the caller."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import case, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from maumau.contest.ladder.pairing import Pair
from maumau.errors import NotJoined, NotOver, UnknownEpoch, UnknownLadder, UnknownPairing, WrongState
from services.matchmaking.models import (
    EPOCH_STATES,
    UNNUMBERED_PLAYER,
    Epoch,
    Ladder,
    Member,
    Pairing,
    Player,
)
from services.matchmaking.store.booking import Booked, book_result
from services.matchmaking.store.epoch import find_fit
from services.matchmaking.store.joining import count_join
from services.matchmaking.store.live_tables.pod import players_of
from services.matchmaking.store.meeting import (
    UNFINISHED,
    Outlook,
    count_faults,
    count_played_sets,
    count_results,
    count_unfinished,
    has_uncounted,
    list_meetings,
    list_newcomers,
)
from services.matchmaking.store.pairing import (
    PairingSeats,
    UnbookedPairing,
    end_unplayed,
    find_versions,
    list_pairings,
    list_unbooked,
    new_pairing,
    read_seats,
)
from services.matchmaking.store.player import ActiveVersion, find_player, hash_members, note_owner
from services.matchmaking.store.pool import Pool, list_playing, read_pool
from services.matchmaking.store.summary import Summary, read_summary
from services.shared.base.auth import Identity, check_owner
from services.shared.base.ident import new_id
from services.shared.store.connect import Database

OPEN_EPOCHS = tuple(state for state in EPOCH_STATES if state != "over")  # literal states, as in the index


class Ladders:
    """Ladders in the database. units: of a set's score, by kind of score (contest's UNITS).

    guard: raises, in a transaction, if another replica has become the leader.
    """

    def __init__(
        self, database: Database, units: dict[str, int], guard: Callable[[Session], None] = lambda _: None
    ) -> None:
        self.database, self.units, self.guard = database, units, guard

    def create_ladder(self, ladder: Ladder, unbounded: str = "", author_bots: int | None = None) -> Ladder:
        """Return the ladder of that name, created unless it exists.

        author_bots: of one author, if the request says so; it holds for an existing ladder too. unbounded:
        the hash of its rules with the variant's own bound of a deal's length; an existing ladder of that hash
        gets the new bound from its next epoch on.
        """
        try:
            with self.database.write() as session:
                session.add(ladder)
        except IntegrityError:
            known = self.find_ladder(ladder.name)
            if known.rules_hash == unbounded != ladder.rules_hash:
                known = self._step_to_bound(ladder, unbounded)
            if _list_terms(known) != _list_terms(ladder):
                raise WrongState(f"There is a ladder {ladder.name} of other rules or limits.") from None
            return known if author_bots is None else self._take_bots(ladder.name, author_bots)
        return ladder

    def _take_bots(self, name: str, author_bots: int) -> Ladder:
        """Set how many bots of one author a ladder takes from now on."""
        with self.database.write() as session:
            found = _find_ladder(session, name, lock=True)
            found.author_bots = author_bots
            return found

    def _step_to_bound(self, ladder: Ladder, unbounded: str) -> Ladder:
        values = {"options": ladder.options, "rules_hash": ladder.rules_hash}
        mine = update(Ladder).where(col(Ladder.name) == ladder.name, col(Ladder.rules_hash) == unbounded)
        with self.database.write() as session:
            session.execute(mine.values(**values))
        return self.find_ladder(ladder.name)

    def note_rest(self, name: str, words: str, players: str, *, ends_epoch: bool = True) -> None:
        """Note why a ladder rests, and for which players.

        ends_epoch: its epoch ends, so that the secret is published.
        """
        with self.database.write() as session:
            self.guard(session)
            row = _find_ladder(session, name, lock=True)
            row.rests, row.rests_for = words, players
            if ends_epoch:
                going_on = col(Epoch.ladder) == name, col(Epoch.state).in_(("new", "running"))
                session.execute(update(Epoch).where(*going_on).values(state="closed"))

    def end_rest(self, name: str, at: int) -> None:
        """Let a ladder be paired again; nobody has waited while it rested."""
        with self.database.write() as session:
            self.guard(session)
            row = _find_ladder(session, name, lock=True)
            row.rests = row.rests_for = ""
            session.execute(update(Member).where(col(Member.ladder) == name).values(paired_at=at))

    def find_ladder(self, name: str) -> Ladder:
        with self.database.read() as session:
            return _find_ladder(session, name)

    def list_ladders(self, after: str = "") -> list[Ladder]:
        """Return the ladders after this name, by name."""
        with self.database.read() as session:
            mine = select(Ladder).where(col(Ladder.name) > after).order_by(col(Ladder.name))
            return list(session.scalars(mine))

    def summarize_ladder(self, name: str) -> Summary:
        """Return the ladder in a few numbers."""
        with self.database.read() as session:
            return read_summary(session, name)

    def join_ladder(
        self, name: str, bot_name: str, version: ActiveVersion, at: int, *, pinned: bool | None
    ) -> int:
        """Add or update a member; return the number of its player. pinned: None leaves it unchanged."""
        with self.database.write() as session:
            ladder, known = _find_ladder(session, name, lock=True), session.get(Member, (name, bot_name))
            member = known or Member(ladder=name, bot_name=bot_name, account_name=version.account_name)
            note_owner(session, member, version)
            if known is None or not known.here:
                count_join(session, ladder, member, at)
            if not member.here or member.number < 0:
                member.paired_at = at
            member.here, member.words = True, ""
            member.pinned = member.pinned if pinned is None else pinned
            member.number = find_player(session, member, version, at)
            session.add(member)
            return member.number

    def leave_ladder(self, name: str, bot_name: str, who: Identity) -> None:
        """Take a bot of the caller's off a ladder."""
        with self.database.write() as session:
            _find_ladder(session, name, lock=True)
            member = session.get(Member, (name, bot_name))
            if member is None or not member.here:
                raise NotJoined(f"{bot_name} is not on the ladder {name}.", thing=bot_name)
            check_owner(who, member.account_name, bot_name)
            member.here = False

    def note_version(self, name: str, bot: str, version: ActiveVersion | None, words: str, at: int) -> None:
        """Store a bot's active version, or the reason why it has none."""
        with self.database.write() as session:
            _find_ladder(session, name, lock=True)
            member = session.get_one(Member, (name, bot))
            member.words = words
            if version:
                member.number = find_player(session, member, version, at)

    def list_members(self, name: str) -> list[Member]:
        with self.database.read() as session:
            mine = select(Member).where(col(Member.ladder) == name, col(Member.here))
            return list(session.scalars(mine.order_by(col(Member.bot_name))))

    def list_players(self, name: str) -> list[Player]:
        with self.database.read() as session:
            mine = select(Player).where(col(Player.ladder) == name)
            return list(session.scalars(mine.order_by(col(Player.number))))

    def read_pool(self, name: str) -> Pool:
        with self.database.read() as session:
            ladder = _find_ladder(session, name)
            return read_pool(session, ladder, self.units[ladder.score])

    def read_outlook(self, name: str) -> Outlook:
        """Return the numbers on which new pairings depend; ready: as in `Pool.playing`."""
        mine = select(func.count()).select_from(Member).where(col(Member.ladder) == name, col(Member.here))
        with self.database.read() as session:
            ready = session.scalar(mine.where(col(Member.number) >= 0, col(Member.words) == "")) or 0
            unfinished, sets = count_unfinished(session, name), count_played_sets(session, name)
            return Outlook(ready, unfinished, sets, list_newcomers(session, name))

    def count_faults(self, name: str) -> dict[int, int]:
        """Return the number of deals that each player lost through its own fault."""
        with self.database.read() as session:
            return count_faults(_find_ladder(session, name), list_meetings(session, name))

    # --- epochs ---

    def list_epochs(self, name: str, before: int = 0) -> list[Epoch]:
        """Return the epochs before this number, newest first; 0: all."""
        mine = select(Epoch).where(col(Epoch.ladder) == name)
        if before:
            mine = mine.where(col(Epoch.number) < before)
        with self.database.read() as session:
            return list(session.scalars(mine.order_by(col(Epoch.number).desc())))

    def last_epoch(self, name: str, skip: int = 0) -> Epoch | None:
        """Return the newest epoch, or the one so many before it; None if there are not so many."""
        mine = select(Epoch).where(col(Epoch.ladder) == name).order_by(col(Epoch.number).desc())
        mine = mine.offset(skip).limit(1)
        with self.database.read() as session:
            found: Epoch | None = session.scalar(mine)
            return found

    def ended_epoch(self, name: str, number: int) -> Epoch:
        """Return an ended epoch; raise UnknownEpoch if there is none, NotOver if it is still played."""
        mine = select(Epoch).where(col(Epoch.ladder) == name, col(Epoch.number) == number)
        with self.database.read() as session:
            _find_ladder(session, name)
            found = session.scalar(mine)
        if found is None:
            raise UnknownEpoch(f"The ladder {name} has no epoch {number}.", thing=str(number))
        if found.state != "over":
            raise NotOver(f"Epoch {number} of the ladder {name} is not over; its export is made when it is.")
        return found

    def list_unfinished(self) -> list[Epoch]:
        """Return the epochs that are not over."""
        with self.database.read() as session:
            open_ones = select(Epoch).where(col(Epoch.state).in_(OPEN_EPOCHS)).order_by(col(Epoch.id))
            return list(session.scalars(open_ones))

    def add_epoch(self, name: str, rules_hash: str, at: int) -> Epoch:
        """Add the next epoch, not yet opened."""
        with self.database.write() as session:
            self.guard(session)
            _find_ladder(session, name, lock=True)
            last = session.scalar(select(func.max(col(Epoch.number))).where(col(Epoch.ladder) == name)) or 0
            epoch = Epoch(
                id=new_id("epoch"), ladder=name, number=last + 1, rules_hash=rules_hash, began_at=at
            )
            session.add(epoch)
            session.flush()
            return epoch

    def change_epoch(self, epoch_id: str, **values: Any) -> None:
        """Change an epoch that is not over."""
        mine = update(Epoch).where(col(Epoch.id) == epoch_id, col(Epoch.state) != "over")
        with self.database.write() as session:
            session.execute(mine.values(**values))

    # --- pairings and results ---

    def add_pairings(self, epoch: Epoch, pairs: Sequence[Pair], sets: Sequence[int], at: int) -> None:
        """Store pairings, not yet queued, with the sets of each; none of bots that have just left."""
        with self.database.write() as session:
            self.guard(session)
            _find_ladder(session, epoch.ladder, lock=True)
            highest = select(func.max(col(Pairing.label))).where(col(Pairing.epoch_id) == epoch.id)
            last = session.scalar(highest)
            members = session.scalars(select(Member).where(col(Member.ladder) == epoch.ladder))
            playing = {one.number for one in list_playing(members)}
            kept = [one for one in zip(pairs, sets, strict=True) if playing.issuperset(one[0].players)]
            for label, (pair, size) in enumerate(kept, start=(last or 0) + 1):
                session.add(new_pairing(epoch, label, pair, size, at))
                played = col(Member.ladder) == epoch.ladder, col(Member.number).in_(pair.players)
                session.execute(update(Member).where(*played).values(paired_at=at))

    def new_pairings(self, epoch: Epoch) -> list[tuple[Pairing, tuple[str, ...]]]:
        """Return the pairings that are not queued, with their versions."""
        with self.database.read() as session:
            mine = select(Pairing).where(col(Pairing.ladder) == epoch.ladder, UNFINISHED)
            mine = mine.where(col(Pairing.epoch_id) == epoch.id, col(Pairing.state) == "new")
            found = session.scalars(mine.order_by(col(Pairing.label))).all()
            versions = find_versions(session, found)
            return [(one, tuple(versions[number] for number in players_of(one))) for one in found]

    def versions_of(self, epoch_id: str, label: int) -> tuple[str, ...]:
        """Return the versions of a pairing, by position."""
        with self.database.read() as session:
            one = session.get_one(Pairing, (epoch_id, label))
            versions = find_versions(session, [one])
            return tuple(versions[number] for number in players_of(one))

    def mark_queued(self, epoch_id: str, labels: Sequence[int]) -> list[int]:
        """Mark pairings as queued; return those that were taken back meanwhile."""
        mine = col(Pairing.epoch_id) == epoch_id, col(Pairing.label).in_(labels)
        with self.database.write() as session:
            queued = update(Pairing).where(*mine, col(Pairing.state) == "new")
            session.execute(queued.values(state="open"))
            return list(
                session.scalars(select(col(Pairing.label)).where(*mine, col(Pairing.state) == "over"))
            )

    def list_unbooked(self, name: str) -> list[UnbookedPairing]:
        """Return the pairings without a result that are not over."""
        with self.database.read() as session:
            return list_unbooked(session, name)

    def take_back(self, epoch_id: str, labels: Sequence[int], words: str) -> None:
        """End pairings that have not begun."""
        with self.database.write() as session:
            end_unplayed(session, epoch_id, labels, words)

    def note_job(self, epoch_id: str, label: int, state: str, words: str) -> None:
        mine = update(Pairing).where(col(Pairing.epoch_id) == epoch_id, col(Pairing.label) == label)
        with self.database.write() as session:
            if state == "over" and words:
                end_unplayed(session, epoch_id, [label], words)
            else:
                session.execute(mine.where(col(Pairing.state) != "over").values(state=state, words=words))

    def book_result(self, epoch_id: str, one: Booked) -> bool:
        """Store a result and move the cursor; return False if it was known. A complete pairing is over."""
        with self.database.write() as session:
            ladder = session.scalars(select(col(Epoch.ladder)).where(col(Epoch.id) == epoch_id)).one()
            _find_ladder(session, ladder, lock=True)  # in this order, as in add_pairings
            return book_result(session, epoch_id, one)

    def count_left_over(self, name: str) -> None:
        """Count results booked by an older replica that no newer result follows."""
        with self.database.read() as session:
            if not has_uncounted(session, name):
                return
        with self.database.write() as session:
            _find_ladder(session, name, lock=True)
            count_results(session, name)

    def list_pairings(
        self,
        name: str,
        numbers: Sequence[int] | None,
        before: tuple[int, int] | None,
        most: int,
        *,
        over: bool = False,
    ) -> list[tuple[Pairing, int, int, int]]:
        """Return pairings, newest first, with epoch number, sets and sum booked. numbers: of players.

        over: only those that are.
        """
        with self.database.read() as session:
            return list_pairings(session, name, numbers, before, most, over=over)

    def find_pairing(self, name: str, epoch: int, label: int) -> tuple[Pairing, int, int, int]:
        found = self.list_pairings(name, None, (epoch, label + 1), 1)
        if not found or (found[0][1], found[0][0].label) != (epoch, label):
            self.find_ladder(name)  # raises UnknownLadder, which comes first
            raise UnknownPairing(
                f"The ladder {name} has no pairing {epoch}.{label}.", thing=f"{epoch}.{label}"
            )
        return found[0]

    def read_seating(self, name: str, epoch: int, label: int) -> PairingSeats:
        """Return a pairing with its contest and its players."""
        found, _, *counts = self.find_pairing(name, epoch, label)
        with self.database.read() as session:
            return read_seats(session, found, *counts)

    def count_changes(self, name: str) -> tuple[int, ...]:
        """Return numbers that differ whenever the table of the ladder may differ."""
        with self.database.read() as session:
            counts = func.sum(col(Epoch.cursor)), func.sum(case((col(Epoch.compared) != "", 1), else_=0))
            told = session.execute(select(*counts).where(col(Epoch.ladder) == name)).one()
            members = hash_members(session, name, _find_ladder(session, name).rests)
            unnumbered = select(func.count()).select_from(Player)
            unnumbered = unnumbered.where(col(Player.ladder) == name, UNNUMBERED_PLAYER)
            fit_and_more = find_fit(session, name), session.scalar(unnumbered) or 0, *members
            return *(int(count or 0) for count in told), *fit_and_more


def _list_terms(ladder: Ladder) -> tuple[Any, ...]:
    return ladder.rules_hash, ladder.seats, ladder.score, ladder.deal_ms, ladder.memory


def _find_ladder(session: Session, name: str, *, lock: bool = False) -> Ladder:
    query = select(Ladder).where(col(Ladder.name) == name)
    found: Ladder | None = session.scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise UnknownLadder(f"There is no ladder {name!r}.", thing=name)
    return found
