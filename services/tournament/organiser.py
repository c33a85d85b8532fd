"""What organisers and authors do with a tournament, from its spec to its end."""

import json
import re
import threading
from contextlib import suppress
from datetime import datetime

from maumau import trace
from maumau.bot.words import clean_line
from maumau.contest import seed
from maumau.contest.entrant import check_entrants
from maumau.contest.line import root_of
from maumau.contest.spec import Spec, parse_spec
from maumau.errors import (
    BadNonce,
    BadSpec,
    EntriesClosed,
    MaumauError,
    MissingReason,
    NotInvited,
    NotYours,
    UploadsClosed,
    WrongState,
)
from maumau.game.own import refuse_known_name
from maumau.rulebook.check import check_ends
from services.shared import log
from services.shared.auth import OWN, Identity, Need
from services.shared.clock import Clock
from services.shared.ident import new_id
from services.shared.registry import Version
from services.tournament.archive import Archive
from services.tournament.board import Board, entrant_of, spec_of
from services.tournament.boards import Boards, closing_time
from services.tournament.metrics import Metrics
from services.tournament.models import Contest, Entry, Tournament
from services.tournament.steps import Steps
from services.tournament.store.nonce import Told, Wait, missing
from services.tournament.store.schedule import Schedule
from services.tournament.store.tournament import ACTIVE, Tournaments

PLENTY = 2000  # blocks of a tournament that may be under way at once, unless there are more matches
LARGEST = 64 << 10  # bytes of a spec
MOST_OPEN = 20  # tournaments of an organiser that are not over
AGAIN = 60_000  # milliseconds
REASON = 200  # characters
DIGEST = re.compile(r"[0-9a-f]{64}")

logger = log.get(__name__)


class Organiser:
    """Tournaments by id or by name; every refusal says why.

    `ahead`: how many blocks of a match may be under way, if there are not more workers than that.
    """

    def __init__(
        self, tournaments: Tournaments, schedule: Schedule, boards: Boards, archive: Archive,
        clock: Clock, metrics: Metrics, ahead: int, *, house_only: bool = False,
    ) -> None:  # fmt: skip
        self.house_only = house_only
        self.tournaments, self.schedule, self.boards, self.archive = tournaments, schedule, boards, archive
        self.clock, self.metrics, self.ahead = clock, metrics, ahead
        self.settled: dict[str, tuple[int, ...]] = {}  # versions in which nothing was left to do
        self._advancing: dict[str, threading.Lock] = {}
        self._due: set[str] = set()

    def create(self, text: str, who: Identity) -> Tournament:
        """From a spec; publishes the commitment to its secret, which is drawn if the spec has none."""
        spec = _checked(text)
        tournament = self._planned(spec, spec.secret or seed.new_secret(), given=spec.secret is not None)
        tournament.organiser = who.name
        most = None if who.may(Need.ADMIN) else MOST_OPEN
        self.tournaments.add(tournament, _contest(tournament, spec), most)
        return tournament

    def edit(self, key: str, text: str) -> Tournament:
        """Another spec before the opening; the commitment changes only if the spec gives another secret."""
        spec, now = _checked(text), self.tournaments.find(key)
        given = now.secret_given or spec.secret is not None
        planned = self._planned(spec, spec.secret or now.secret, given=given)
        planned.organiser = now.organiser
        self.tournaments.edit(now.id, planned, _contest(planned, spec), self.clock())
        return self.tournaments.find(now.id)

    def _planned(self, spec: Spec, secret: str, *, given: bool) -> Tournament:
        due = _due(spec.schedule.starts, self.clock())
        return Tournament(
            id=new_id("tournament"),
            name=spec.name,
            spec=spec.public().to_toml(),
            rules=spec.rules,
            options=json.dumps(spec.options, sort_keys=True),
            rules_hash=spec.rules_hash,
            secret=secret,
            secret_given=given,
            commitment=seed.commitment(secret),
            created_at=self.clock(),
            due_at=due,
        )

    def open(self, key: str) -> Tournament:
        return self.tournaments.change(key, ("created",), "open", self.clock())

    def enter(self, key: str, who: Identity, version: Version, commitment: str = "") -> Entry:
        """Enters a bot's active version, if it is the caller's and was validated for what is played.

        commitment: to a nonce, "" if there is none. That of the author stays if an admin enters the bot anew.
        """
        if commitment and not DIGEST.fullmatch(commitment):
            raise BadNonce
        tournament = self.tournaments.find(key)
        spec = parse_spec(tournament.spec)
        if who.name != version.account_name:
            commitment = self._kept(tournament, version, commitment)
        if self._closed(spec):
            raise EntriesClosed(f"The entries of {tournament.name} closed at {spec.entries.closes}.")
        if self.house_only and version.account_name not in OWN:
            raise UploadsClosed(f"{version.bot_name} is a stranger's. {UploadsClosed.__doc__}")
        _check_version(who, version, spec)
        _check_invited(version, spec)
        entry = Entry(
            id=new_id("entry"), tournament_id="", number=1, bot_name=version.bot_name,
            account_name=version.account_name, version_id=version.id, sha256=version.sha256,
            built_sha256=version.built_sha256, built_platform=version.built_platform,
            commitment=commitment,
        )  # fmt: skip
        return self.tournaments.enter(key, entry, spec.entries, self.clock())

    def _kept(self, tournament: Tournament, version: Version, commitment: str) -> str:
        """The commitment that a bot has entered with, else this one."""
        entered = self.tournaments.entries(tournament.id)
        return next((one.commitment for one in entered if one.bot_name == version.bot_name), "") or commitment

    def withdraw(self, key: str, who: Identity, bot_name: str) -> Entry:
        tournament = self.tournaments.find(key)
        for entry in self.tournaments.entries(tournament.id):
            if entry.bot_name == bot_name and not is_organiser(who, tournament):
                _check_owner(who, entry.account_name, bot_name)
        closed = self._closed(spec_of(tournament.spec))
        return self.tournaments.withdraw(tournament.id, bot_name, self.clock(), closed=closed)

    def disqualify(self, key: str, bot_name: str, reason: str) -> Entry:
        """It loses all its matches, those decided too. reason: why, for everybody."""
        return self.tournaments.disqualify(key, bot_name, _reason(reason), self.clock())

    def start(self, key: str) -> Tournament:
        """As `close_entries`; its trace begins with what is played."""
        started = self.close_entries(key)
        if started.state == "running" and trace.is_on():
            versions = [entry.version_id for entry in self.tournaments.entries(started.id)]
            trace.begin_trace("tournament", started.id, versions, tournament=started.id)
        return started

    def close_entries(self, key: str) -> Tournament:
        """Fixes the entries' root, at once or when the nonces are there that it waits for."""
        spec = spec_of(self.tournaments.find(key).spec)
        closed_at = closing_time(spec) if self._closed(spec) else 0
        wait = Wait(closed_at, 60_000 * spec.entries.opening_minutes)
        return self.tournaments.start(key, self.clock(), _root, wait)

    def open_nonce(self, key: str, who: Identity, bot_name: str, nonce: str) -> Entry:
        """Takes in a nonce; the last one that a start waits for starts it."""
        if not DIGEST.fullmatch(nonce):
            raise BadNonce
        tournament = self.tournaments.find(key)
        for entry in self.tournaments.entries(tournament.id):
            if entry.bot_name == bot_name:
                _check_owner(who, entry.account_name, bot_name)
        closed = self._closed(spec_of(tournament.spec))
        opened = self.tournaments.open_nonce(
            tournament.id, Told(bot_name, nonce), self.clock(), closed=closed
        )
        waits = self.tournaments.find(key).closed_at
        if waits and not missing(self.tournaments.entries(tournament.id)):
            with suppress(WrongState):  # it has been started since
                self.start(tournament.id)
        return opened

    def _closed(self, spec: Spec) -> bool:
        """Whether its entries have closed by themselves."""
        return bool(spec.entries.closes) and closing_time(spec) <= self.clock()

    def pause(self, key: str) -> Tournament:
        return self.tournaments.change(key, ("running",), "paused", self.clock())

    def resume(self, key: str) -> Tournament:
        return self.tournaments.change(key, ("paused",), "running", self.clock())

    def cancel(self, key: str) -> Tournament:
        return self.tournaments.change(
            key, ("created", "open", *ACTIVE, "decided"), "cancelled", self.clock()
        )

    def confirm(self, key: str) -> Tournament:
        """Ends the time for protests: the result is final."""
        row = self.tournaments.find(key)
        with trace.open_span("confirm standings", row.id):
            self._finish(row.id)
        return self.tournaments.find(row.id)

    def _finish(self, tournament_id: str) -> None:
        """Again and again while something else changes the tournament."""
        done = False
        while not done:
            board = self.boards.get(tournament_id).board
            compared = self.archive.compared(board) if board.tournament.state == "decided" else ""
            done = self.tournaments.finish(tournament_id, board.tournament.version, compared, self.clock())

    def run_schedule(self) -> None:
        """Starts and finishes what is due; what cannot start is tried again later."""
        for row in self.tournaments.due(self.clock()):
            try:
                (self.confirm if row.state == "decided" else self.start)(row.id)
            except MaumauError as err:
                self.tournaments.put_off(row.id, self.clock() + AGAIN, str(err), self.clock())
            except Exception:  # our own mistake in one of them keeps no other from going on
                logger.exception("the schedule is not kept", tournament=row.id)

    def retake(self, key: str, label: str, reason: str, *, fresh_seeds: bool = False) -> list[str]:
        """Plays a decided match again, or lets a paused one go on; labels of those taken back with it."""
        tournament_id = self.tournaments.find(key).id
        before = self.boards.get(tournament_id).board
        self.take_back(tournament_id, label, reason, fresh_seeds=fresh_seeds)
        self.advance(tournament_id)
        after = self.boards.get(tournament_id).board
        return [gone for gone in before.matches if gone not in after.matches]

    def take_back(self, tournament_id: str, label: str, reason: str, *, fresh_seeds: bool = False) -> None:
        """The same, but for what follows from it.

        reason: why, for everybody. fresh_seeds: with other deals, from its first block on, also if it was
        paused.
        """
        self.schedule.retake(tournament_id, label, self.clock(), _reason(reason), fresh_seeds=fresh_seeds)

    def advance(self, tournament_id: str, *, wait: bool = True) -> int:
        """Lets the schedule catch up with the results; the number of blocks queued. Safe at any time.

        Of the threads of a process one does it at a time; without `wait` the others leave it to that one, and
        to the next sweep if that one fails.
        """
        queued, lock = 0, self._advancing.setdefault(tournament_id, threading.Lock())
        self._due.add(tournament_id)
        while lock.acquire(blocking=wait):
            try:
                self._due.discard(tournament_id)
                queued += self._settle(tournament_id)
            finally:
                lock.release()
            if tournament_id not in self._due:
                break
        return queued

    def _settle(self, tournament_id: str) -> int:
        queued, (workers, _) = 0, self.boards.workers.census(self.clock())
        while True:
            version = self.schedule.version(tournament_id)
            looked = (*version, workers)
            if looked == self.settled.get(tournament_id):
                return queued
            board = self.boards.get(tournament_id, version).board
            steps = self._steps(board, workers) if board.tournament.state in ACTIVE else None
            if not steps or not steps.any:
                self.settled[tournament_id] = looked
                return queued
            compared = self.archive.compared(board) if steps.finished else ""
            what = "final standings" if steps.finished else "advance tournament"
            with trace.open_span(what, tournament_id, decided=len(steps.decided), begun=len(steps.begun)):
                count = self.schedule.carry_out(board, steps, self.clock(), compared)
            queued += max(count, 0)
            if count >= 0:
                self._count(steps)
                if steps.only_queue:
                    return queued

    def forget_ended(self) -> None:
        """Keeps nothing of tournaments that are over; a thread that still comes finds nothing to do."""
        for ended in set(self._advancing) - set(self.tournaments.active()):
            self.settled.pop(ended, None)
            self._advancing.pop(ended, None)

    def _steps(self, board: Board, workers: int) -> Steps:
        """Of many matches one block each is enough, of the last ones as many as workers can play, twice."""
        matches = max(1, len(board.plan.matches))
        return board.steps(max(1, min(self.ahead, PLENTY // matches), 2 * workers // matches))

    def _count(self, steps: Steps) -> None:
        for verdict in (*(v for _, v in steps.decided), *(v for _, v in steps.begun if v)):
            self.metrics.decided.labels(verdict.rule).inc()


def _reason(said: str) -> str:
    """One line; MissingReason if there is none."""
    if not (reason := clean_line(said.strip(), REASON)):
        raise MissingReason
    return reason


def _checked(text: str) -> Spec:
    """A spec that can be played; BadSpec, or the game's own error."""
    if len(text.encode()) > LARGEST:
        raise BadSpec(f"The spec has more than {LARGEST >> 10} KiB.", field="spec_toml")
    spec = parse_spec(text)
    rules = spec.load_rules()
    if rules.text:  # whoever makes a tournament answers for the variant in it
        refuse_known_name(rules.name)
        check_ends(rules, spec.seats)
    return spec


def _due(starts: datetime | None, now: int) -> int:
    """When it starts by itself; 0: never. BadSpec if that is over."""
    if starts is None:
        return 0
    due = int(1000 * starts.timestamp())
    if due <= now:
        raise BadSpec(f"schedule.starts: {starts.isoformat()} is over.", field="schedule.starts")
    return due


def _contest(tournament: Tournament, spec: Spec) -> Contest:
    return Contest(
        id=tournament.id, purpose="tournament", author=tournament.organiser, rules=tournament.rules,
        options=tournament.options, rules_hash=tournament.rules_hash, variant_toml=spec.variant_toml or "",
        seats=spec.seats, score=spec.score, deal_ms=spec.bot.deal_ms, memory=spec.bot.memory,
        secret=tournament.secret,
    )  # fmt: skip


def _root(tournament: Tournament, entries: list[Entry]) -> str:
    entrants = [entrant_of(entry) for entry in entries]
    check_entrants(entrants)
    return root_of(spec_of(tournament.spec), entrants)


def is_organiser(who: Identity, tournament: Tournament) -> bool:
    """Whether the caller may change a tournament: who made it may, while the token is an organiser's."""
    return who.may(Need.ADMIN) or (who.may(Need.ORGANISER) and who.name == tournament.organiser)


def check_organiser(who: Identity, tournament: Tournament) -> None:
    if not is_organiser(who, tournament):
        raise NotYours(f"{tournament.name} is organised by {tournament.organiser}, not by {who.name}.")


def _check_owner(who: Identity, owner: str, bot_name: str) -> None:
    if who.name != owner and not who.may(Need.ADMIN):
        raise NotYours(f"{bot_name} belongs to {owner}, not to {who.name}.")


def _check_invited(version: Version, spec: Spec) -> None:
    """A second account does not evade the limit of one where only known accounts may enter."""
    invited = spec.entries.accounts
    if invited is not None and version.account_name not in invited:
        raise NotInvited(
            f"{spec.name} is for the accounts that its spec names, not for {version.account_name}."
        )


def _check_version(who: Identity, version: Version, spec: Spec) -> None:
    _check_owner(who, version.account_name, version.bot_name)
    version.check(spec.rules, spec.seats)
