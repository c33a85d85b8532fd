"""Ladders, who is on them, their epochs, pairings and results. Times are ms since 1970, as given."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, and_, case, func, or_, select, true, update
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col

from maumau.contest.pairing import Pair
from maumau.errors import NotJoined, NotOver, UnknownEpoch, UnknownLadder, UnknownPairing, WrongState
from services.matchmaking.models import (
    EPOCH_STATES,
    Epoch,
    Ladder,
    Member,
    Pairing,
    Player,
    Result,
)
from services.matchmaking.store.history import forget_points
from services.matchmaking.store.meeting import (
    UNFINISHED,
    Outlook,
    count_faults,
    count_played_sets,
    count_results,
    count_unfinished,
    has_uncounted,
    list_meetings,
)
from services.matchmaking.store.pod import encode_table, players_of, write_others
from services.matchmaking.store.pool import Pool, read_pool
from services.shared.connect import Database
from services.shared.ident import new_id

OPEN_EPOCHS = tuple(state for state in EPOCH_STATES if state != "over")  # an index has them


class Booked(NamedTuple):
    """A result as the core tells it. words: of the first fault of the program named first.

    total, squares: the first's; faults: by position. scores: at a table of more than two, all of each set.
    """

    booking: int
    label: str
    sets: int
    total: int
    squares: int
    faults: tuple[int, ...]
    at: int
    words: str = ""
    scores: tuple[tuple[int, ...], ...] = ()


class Version(NamedTuple):
    """What the registry says of a bot's active version."""

    id: str
    account_name: str


class Ladders:
    """units: of a set's score, by what counts (contest's UNITS).

    guard: refuses, in a transaction, what another replica has taken over.
    """

    def __init__(
        self, database: Database, units: dict[str, int], guard: Callable[[Session], None] = lambda _: None
    ) -> None:
        self.database, self.units, self.guard = database, units, guard

    def create(self, ladder: Ladder) -> Ladder:
        """The ladder of that name, which may be there already."""
        try:
            with self.database.write() as session:
                session.add(ladder)
        except IntegrityError:
            known = self.find(ladder.name)
            same = [
                (one.rules_hash, one.seats, one.score, one.deal_ms, one.memory) for one in (known, ladder)
            ]
            if same[0] != same[1]:
                raise WrongState(f"There is a ladder {ladder.name} of other rules or limits.") from None
            return known
        return ladder

    def find(self, name: str) -> Ladder:
        with self.database.read() as session:
            return _find(session, name)

    def all(self, after: str = "") -> list[Ladder]:
        """By name, those after this one."""
        with self.database.read() as session:
            mine = select(Ladder).where(col(Ladder.name) > after).order_by(col(Ladder.name))
            return list(session.scalars(mine))

    def summary(self, name: str) -> tuple[int, int, int]:
        """Members that are here, sets played, the number of the last epoch."""
        with self.database.read() as session:
            here = col(Member.ladder) == name, col(Member.here)
            members = session.scalar(select(func.count()).select_from(Member).where(*here)) or 0
            epoch = session.scalar(select(func.max(col(Epoch.number))).where(col(Epoch.ladder) == name)) or 0
            return members, count_played_sets(session, name), epoch

    def join(self, name: str, bot_name: str, version: Version, at: int, *, pinned: bool | None) -> int:
        """The number of its player. pinned: None leaves it as it is."""
        with self.database.write() as session:
            _find(session, name, lock=True)
            member = session.get(Member, (name, bot_name)) or Member(
                ladder=name, bot_name=bot_name, account_name=version.account_name
            )
            if not member.here or member.number < 0:
                member.paired_at = at
            member.here, member.words = True, ""
            member.pinned = member.pinned if pinned is None else pinned
            member.number = _player(session, member, version, at)
            session.add(member)
            return member.number

    def leave(self, name: str, bot_name: str) -> Member:
        with self.database.write() as session:
            member = session.get(Member, (name, bot_name))
            if member is None or not member.here:
                raise NotJoined(f"{bot_name} is not on the ladder {name}.", thing=bot_name)
            member.here = False
            return member

    def note_version(self, name: str, bot_name: str, version: Version | None, words: str, at: int) -> None:
        """The version that a bot plays with now, or why it has none."""
        with self.database.write() as session:
            _find(session, name, lock=True)
            member = session.get_one(Member, (name, bot_name))
            member.words = words
            if version:
                member.number = _player(session, member, version, at)

    def members(self, name: str) -> list[Member]:
        with self.database.read() as session:
            mine = select(Member).where(col(Member.ladder) == name, col(Member.here))
            return list(session.scalars(mine.order_by(col(Member.bot_name))))

    def pool(self, name: str) -> Pool:
        with self.database.read() as session:
            ladder = _find(session, name)
            return read_pool(session, ladder, self.units[ladder.score])

    def outlook(self, name: str) -> Outlook:
        """What decides whether pairings are due, without the whole pool; ready: as in `Pool.playing`."""
        mine = select(func.count()).select_from(Member).where(col(Member.ladder) == name, col(Member.here))
        with self.database.read() as session:
            ready = session.scalar(mine.where(col(Member.number) >= 0, col(Member.words) == "")) or 0
            return Outlook(ready, count_unfinished(session, name), count_played_sets(session, name))

    def faults(self, name: str) -> dict[int, int]:
        """Deals lost by each player's own doing."""
        with self.database.read() as session:
            return count_faults(_find(session, name), list_meetings(session, name))

    # --- epochs ---

    def epochs(self, name: str, before: int = 0) -> list[Epoch]:
        """Newest first, those before this number."""
        mine = select(Epoch).where(col(Epoch.ladder) == name)
        if before:
            mine = mine.where(col(Epoch.number) < before)
        with self.database.read() as session:
            return list(session.scalars(mine.order_by(col(Epoch.number).desc())))

    def last_epoch(self, name: str) -> Epoch | None:
        """The newest, None before the first."""
        mine = select(Epoch).where(col(Epoch.ladder) == name).order_by(col(Epoch.number).desc()).limit(1)
        with self.database.read() as session:
            found: Epoch | None = session.scalar(mine)
            return found

    def ended_epoch(self, name: str, number: int) -> Epoch:
        """UnknownEpoch if there is none of this number, NotOver if it is still played."""
        mine = select(Epoch).where(col(Epoch.ladder) == name, col(Epoch.number) == number)
        with self.database.read() as session:
            _find(session, name)
            found = session.scalar(mine)
        if found is None:
            raise UnknownEpoch(f"The ladder {name} has no epoch {number}.", thing=str(number))
        if found.state != "over":
            raise NotOver(f"Epoch {number} of the ladder {name} is not over; its export is made when it is.")
        return found

    def unfinished(self) -> list[Epoch]:
        """Epochs that are not over."""
        with self.database.read() as session:
            return list(
                session.scalars(
                    select(Epoch).where(col(Epoch.state).in_(OPEN_EPOCHS)).order_by(col(Epoch.id))
                )
            )

    def add_epoch(self, name: str, rules_hash: str, at: int) -> Epoch:
        """The next one, not yet opened."""
        with self.database.write() as session:
            self.guard(session)
            _find(session, name, lock=True)
            last = session.scalar(select(func.max(col(Epoch.number))).where(col(Epoch.ladder) == name)) or 0
            epoch = Epoch(
                id=new_id("epoch"), ladder=name, number=last + 1, rules_hash=rules_hash, began_at=at
            )
            session.add(epoch)
            session.flush()
            return epoch

    def change_epoch(self, epoch_id: str, **values: Any) -> None:
        with self.database.write() as session:
            session.execute(update(Epoch).where(col(Epoch.id) == epoch_id).values(**values))

    # --- pairings and results ---

    def add_pairings(self, epoch: Epoch, pairs: Sequence[Pair], sets: int, at: int) -> None:
        """Keeps them, not yet queued."""
        with self.database.write() as session:
            self.guard(session)
            _find(session, epoch.ladder, lock=True)
            last = session.scalar(
                select(func.max(col(Pairing.label))).where(col(Pairing.epoch_id) == epoch.id)
            )
            for label, pair in enumerate(pairs, start=(last or 0) + 1):
                numbers = msgspec.json.encode(pair.numbers).decode()
                session.add(
                    Pairing(
                        epoch_id=epoch.id, label=label, ladder=epoch.ladder, first=pair.first,
                        second=pair.second, others=write_others(pair.others), kind=pair.kind, numbers=numbers,
                        sets=sets, made_at=at,
                    )
                )  # fmt: skip
                played = col(Member.ladder) == epoch.ladder, col(Member.number).in_(pair.players)
                session.execute(update(Member).where(*played).values(paired_at=at))

    def new_pairings(self, epoch: Epoch) -> list[tuple[Pairing, tuple[str, ...]]]:
        """Those that are not queued, with their versions."""
        with self.database.read() as session:
            mine = select(Pairing).where(
                col(Pairing.ladder) == epoch.ladder, UNFINISHED
            )  # an index has these
            mine = mine.where(col(Pairing.epoch_id) == epoch.id, col(Pairing.state) == "new")
            found = session.scalars(mine.order_by(col(Pairing.label))).all()
            versions = _versions(session, found)
            return [(one, tuple(versions[number] for number in players_of(one))) for one in found]

    def mark_queued(self, epoch_id: str, labels: Sequence[int]) -> None:
        mine = update(Pairing).where(col(Pairing.epoch_id) == epoch_id, col(Pairing.label).in_(labels))
        with self.database.write() as session:
            session.execute(mine.where(col(Pairing.state) == "new").values(state="open"))

    def note_job(self, epoch_id: str, label: int, state: str, words: str) -> None:
        mine = update(Pairing).where(col(Pairing.epoch_id) == epoch_id, col(Pairing.label) == label)
        with self.database.write() as session:
            session.execute(mine.where(col(Pairing.state) != "over").values(state=state, words=words))

    def book(self, epoch_id: str, one: Booked) -> bool:
        """Keeps a result and moves the cursor; False if it was kept. A pairing that has all is over."""
        with self.database.write() as session:
            ladder = session.scalars(select(col(Epoch.ladder)).where(col(Epoch.id) == epoch_id)).one()
            _find(session, ladder, lock=True)  # first, as whoever adds pairings does
            epoch = session.scalars(select(Epoch).where(col(Epoch.id) == epoch_id).with_for_update()).one()
            if one.booking <= epoch.cursor:
                return False
            forget_points(session, ladder, one.at)
            epoch.cursor, label = one.booking, int(one.label)
            pairing = session.get_one(Pairing, (epoch_id, label))
            sums = encode_table(pairing, one.scores, one.faults) if one.scores else ""
            session.add(
                Result(
                    epoch_id=epoch_id, booking=one.booking, label=label, sets=one.sets, total=one.total,
                    squares=one.squares, sums=sums, first_faults=one.faults[0], second_faults=one.faults[1],
                    at=one.at,
                )
            )  # fmt: skip
            session.flush()
            booked = select(func.sum(col(Result.sets)))
            booked = booked.where(col(Result.epoch_id) == epoch_id, col(Result.label) == label)
            if (session.scalar(booked) or 0) >= pairing.sets:
                pairing.state, pairing.words = "over", ""
            count_results(session, ladder)
            return True

    def count_left_over(self, name: str) -> None:
        """Counts results that an older replica booked, if no newer one follows them."""
        with self.database.read() as session:
            if not has_uncounted(session, name):
                return
        with self.database.write() as session:
            _find(session, name, lock=True)
            count_results(session, name)

    def pairings(
        self, name: str, numbers: Sequence[int] | None, before: tuple[int, int] | None, most: int
    ) -> list[tuple[Pairing, int, int, int]]:
        """Newest first, with the epoch's number, the sets and the sum booked. numbers: of players."""
        wanted: list[ColumnElement[bool]] = []
        if numbers is not None:
            others = (col(Pairing.others).contains(write_others([number])) for number in numbers)
            pair = col(Pairing.first).in_(numbers), col(Pairing.second).in_(numbers)
            wanted = [or_(*pair, *others)]
        epochs = select(Epoch).where(col(Epoch.ladder) == name).order_by(col(Epoch.number).desc())
        if before:
            epochs = epochs.where(col(Epoch.number) <= before[0])
        found: list[tuple[Pairing, int, int, int]] = []
        with self.database.read() as session:
            for epoch in session.scalars(epochs):
                mine = select(Pairing).where(col(Pairing.epoch_id) == epoch.id, *wanted)
                if before and epoch.number == before[0]:
                    mine = mine.where(col(Pairing.label) < before[1])
                mine = mine.order_by(col(Pairing.label).desc()).limit(most - len(found))
                some = session.scalars(mine).all()
                booked = _sum_booked(session, epoch.id, [one.label for one in some])
                found += [(one, epoch.number, *booked.get(one.label, (0, 0))) for one in some]
                if len(found) == most:
                    break
        return found

    def pairing(self, name: str, epoch: int, label: int) -> tuple[Pairing, int, int, int]:
        found = self.pairings(name, None, (epoch, label + 1), 1)
        if not found or (found[0][1], found[0][0].label) != (epoch, label):
            raise UnknownPairing(
                f"The ladder {name} has no pairing {epoch}.{label}.", thing=f"{epoch}.{label}"
            )
        return found[0]

    def changes(self, name: str) -> tuple[int, ...]:
        """Differ whenever the table of the ladder may differ."""
        with self.database.read() as session:
            cursors = (
                session.scalar(select(func.sum(col(Epoch.cursor))).where(col(Epoch.ladder) == name)) or 0
            )
            number = col(Member.number) + 2
            sums = [
                func.coalesce(func.sum(case((and_(col(Member.here), which), part), else_=0)), 0)
                for which in (true(), col(Member.words) != "", col(Member.pinned))
                for part in (number, number * number)  # so that who changes places with another one is seen
            ]
            found = session.execute(select(*sums).where(col(Member.ladder) == name)).one()
            return int(cursors), *map(int, found)


def _terms(ladder: Ladder) -> tuple[Any, ...]:
    return ladder.rules_hash, ladder.seats, ladder.score, ladder.deal_ms, ladder.memory


def _find(session: Session, name: str, *, lock: bool = False) -> Ladder:
    query = select(Ladder).where(col(Ladder.name) == name)
    found: Ladder | None = session.scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise UnknownLadder(f"There is no ladder {name!r}.", thing=name)
    return found


def _player(session: Session, member: Member, version: Version, at: int) -> int:
    """The number of a version on the ladder, which may be new."""
    mine = select(Player).where(col(Player.ladder) == member.ladder, col(Player.version_id) == version.id)
    known: Player | None = session.scalars(mine).one_or_none()
    if known is None:
        last = session.scalar(select(func.max(col(Player.number))).where(col(Player.ladder) == member.ladder))
        known = Player(
            ladder=member.ladder, number=0 if last is None else last + 1, version_id=version.id,
            bot_name=member.bot_name, account_name=version.account_name, parent=member.number, joined_at=at,
        )  # fmt: skip
        session.add(known)
        session.flush()
    return known.number


def _sum_booked(session: Session, epoch_id: str, labels: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Sets and the sum that were booked, by label."""
    sums = func.sum(col(Result.sets)), func.sum(col(Result.total))
    lines = select(col(Result.label), *sums).where(
        col(Result.epoch_id) == epoch_id, col(Result.label).in_(labels)
    )
    rows = session.execute(lines.group_by(col(Result.label)))
    return {label: (int(sets), int(total)) for label, sets, total in rows}


def _versions(session: Session, pairings: Sequence[Pairing]) -> dict[int, str]:
    numbers = {number for one in pairings for number in players_of(one)}
    ladders = {one.ladder for one in pairings}
    mine = select(col(Player.number), col(Player.version_id))
    mine = mine.where(col(Player.ladder).in_(ladders), col(Player.number).in_(numbers))
    return {row[0]: row[1] for row in session.execute(mine)}
