"""Life of a tournament in the hands of organisers and authors, from its spec to its end."""

import re
import threading
from contextlib import suppress

from maumau.contest.export.protest import MAX_PROTEST_LENGTH
from maumau.contest.spec.line import name_line
from maumau.contest.spec.spec import Spec, parse_spec
from maumau.errors import (
    BadNonce,
    BadRequest,
    EntriesClosed,
    MaumauError,
    MissingReason,
    MissingText,
    UploadsClosed,
    WrongState,
)
from maumau.process import trace
from maumau.protocol.words import clean_line
from services.shared.base import log
from services.shared.base.auth import HOUSE, OWN, Identity, Need
from services.shared.base.clock import Clock
from services.shared.base.ident import new_id
from services.shared.rpc.registry import PlayableVersion
from services.tournament.domain.board import ContestBoard, spec_of
from services.tournament.domain.steps import Steps
from services.tournament.history.archive import Archive
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import Entry, Protest, Tournament
from services.tournament.organising.audience import check_audience
from services.tournament.organising.boards import Boards, closing_time
from services.tournament.organising.late import find_due_time, find_pause
from services.tournament.organising.mystery import check_played, find_trial, seal_rules
from services.tournament.organising.permission import (
    check_bot_owner,
    check_group,
    check_invited,
    is_organiser,
)
from services.tournament.organising.spec_row import (
    build_contest,
    build_tournament,
    check_spec,
    compute_root,
    rebuild_tournament,
)
from services.tournament.store.contests.late import Late
from services.tournament.store.contests.mystery import list_due_reveals
from services.tournament.store.contests.nonce import RevealedNonce, Wait, answers_for, list_missing
from services.tournament.store.contests.protest_filing import Answer, answer_protest, file_protest, find_entry
from services.tournament.store.contests.schedule import ANY_MATCH, Schedule, SeenMatch
from services.tournament.store.contests.spec_change import SpecReplacement, replace_spec
from services.tournament.store.contests.tournament import ACTIVE, Tournaments

PLENTY = 2000  # blocks of a tournament that may be under way at once, unless there are more matches
MOST_OPEN = 20  # tournaments of an organiser that are not over
REASON = 200  # characters
DIGEST = re.compile(r"[0-9a-f]{64}")

CANCELLABLE = ("created", "open", *ACTIVE, "decided")
logger = log.get(__name__)


class Organiser:
    """Operations on tournaments, by id or by name; every refusal says why.

    `ahead`: number of blocks of a match that may be under way, unless there are more workers than that.
    """

    def __init__(
        self,
        tournaments: Tournaments,
        schedule: Schedule,
        boards: Boards,
        archive: Archive,
        clock: Clock,
        metrics: TournamentMetrics,
        ahead: int,
        *,
        house_only: bool = False,
    ) -> None:
        self.house_only = house_only
        self.tournaments, self.schedule, self.boards, self.archive = tournaments, schedule, boards, archive
        self.clock, self.metrics, self.ahead = clock, metrics, ahead
        self.settled: dict[str, tuple[int, ...]] = {}  # versions that left nothing to do
        self._advancing: dict[str, threading.Lock] = {}
        self._due: set[str] = set()
        self._late: dict[str, str] = {}  # why each start that was due could not be made

    def create_tournament(self, text: str, who: Identity) -> Tournament:
        """Create a tournament and publish the commitment to its secret, drawn if the spec has none."""
        with name_line(text):
            plain = check_spec(text)
            check_audience(who, plain)
            spec, sealed = seal_rules(plain)
            tournament = build_tournament(spec, self.clock())
        tournament.organiser, tournament.sealed = who.name, sealed
        most = None if who.may(Need.ADMIN) else MOST_OPEN
        self.tournaments.add_tournament(tournament, build_contest(tournament, spec), most)
        return tournament

    def edit_spec(self, key: str, text: str, who: Identity) -> Tournament:
        """Replace the spec before entries close; the commitment changes only if the spec gives a secret."""
        with name_line(text):
            plain, now = check_spec(text), self.tournaments.find_tournament(key)
            spec, sealed = seal_rules(plain, now)
            if (spec.visibility, spec.group or "") != (now.visibility, now.group_name):
                check_audience(who, spec)
            planned = rebuild_tournament(spec, now, self.clock())
            planned.sealed = sealed
            replacement = SpecReplacement(planned, build_contest(planned, spec), spec, now, who.name)
            replace_spec(self.tournaments.database, now.id, replacement, self.clock())
        return self.tournaments.find_tournament(now.id)

    def open_entries(self, key: str) -> Tournament:
        return self.tournaments.change_state(key, ("created",), "open", self.clock())

    def check_entry(self, key: str, who: Identity, version: PlayableVersion) -> Tournament:
        """Return the tournament; raise unless the caller may enter this version, which plays its rules."""
        tournament = self.tournaments.find_tournament(key)
        spec = parse_spec(tournament.spec)
        if self._is_closed(spec):
            raise EntriesClosed(f"The entries of {tournament.name} closed at {spec.entries.closes}.")
        if self.house_only and version.account_name not in OWN:
            raise UploadsClosed(f"{version.bot_name} is a stranger's. {UploadsClosed.__doc__}")
        if not (version.account_name == HOUSE and is_organiser(who, tournament)):  # a yardstick
            check_bot_owner(who, version.account_name, version.bot_name)
        check_played(version, spec)
        check_invited(version, spec)
        check_group(tournament, version)
        return tournament

    def enter_bot(
        self, key: str, who: Identity, version: PlayableVersion, commitment: str = "", trial: str = ""
    ) -> Entry:
        """Enter a bot's active version, if the caller owns it and it was validated for these rules.

        commitment: to a nonce, "" if there is none. If an admin enters the bot anew, the author's is kept.
        trial: the key of the validation for mystery rules that it has passed.
        """
        if commitment and not DIGEST.fullmatch(commitment):
            raise BadNonce
        tournament = self.check_entry(key, who, version)
        spec = parse_spec(tournament.spec)
        if (wanted := find_trial(tournament)) and wanted.key != trial:
            raise WrongState(f"The spec of {spec.name} has just changed: look at it and try again.")
        entry = Entry(
            id=new_id("entry"),
            tournament_id="",
            number=1,
            bot_name=version.bot_name,
            account_name=version.account_name,
            version_id=version.id,
            sha256=version.sha256,
            built_sha256=version.built_sha256,
            built_platform=version.built_platform,
            commitment=commitment,
        )
        related = version.owner.list_related(tournament.created_at)
        seen, is_own = tournament.spec, who.owns(version.account_name)
        entered = self.tournaments.enter_bot(
            key, entry, spec.entries, self.clock(), seen, related, is_own=is_own
        )
        if tournament.due_at and find_due_time(tournament, spec) <= self.clock():
            self.tournaments.hasten_start(tournament, self.clock())
        return entered

    def withdraw_bot(self, key: str, who: Identity, bot_name: str) -> Entry:
        tournament = self.tournaments.find_tournament(key)
        entry = find_entry(tournament, self.tournaments.list_entries(tournament.id), bot_name)
        if not is_organiser(who, tournament):
            check_bot_owner(who, entry.account_name, bot_name)
        closed = self._is_closed(spec_of(tournament.spec))
        seen = bot_name, entry.account_name
        return self.tournaments.withdraw_bot(tournament.id, *seen, self.clock(), closed=closed)

    def disqualify_bot(self, key: str, bot_name: str, reason: str) -> Entry:
        """Disqualify a bot: it forfeits all its matches, including decided ones. reason: public."""
        return self.tournaments.disqualify_bot(key, bot_name, _check_reason(reason), self.clock())

    def start_tournament(self, key: str, *, now: bool = False, due_at: int | None = None) -> Tournament:
        """Close the entries and start if possible (`close_entries`), with a trace of what is played."""
        started = self.close_entries(key, now=now, due_at=due_at)
        self._late.pop(started.id, None)
        if started.state == "running" and trace.is_on():
            versions = [entry.version_id for entry in self.tournaments.list_entries(started.id)]
            trace.begin_trace("tournament", started.id, versions, tournament=started.id)
        return started

    def close_entries(self, key: str, *, now: bool = False, due_at: int | None = None) -> Tournament:
        """Fix the entries' root, at once or when the nonces are there that it waits for.

        now: it waits for none. due_at: when it was seen to be due; None if it is started by hand.
        """
        spec = spec_of(self.tournaments.find_tournament(key).spec)
        closed_at = closing_time(spec) if self._is_closed(spec) else 0
        wait = Wait(closed_at, 60_000 * spec.entries.opening_minutes, now, due_at)
        return self.tournaments.start_tournament(key, self.clock(), compute_root, wait)

    def open_nonce(self, key: str, who: Identity, bot_name: str, nonce: str) -> Entry:
        """Store a revealed nonce; start the tournament if it was the last one awaited."""
        if not DIGEST.fullmatch(nonce):
            raise BadNonce
        tournament = self.tournaments.find_tournament(key)
        for entry in self.tournaments.list_entries(tournament.id):
            if entry.bot_name == bot_name and not answers_for(who, entry, tournament.organiser):
                check_bot_owner(who, entry.account_name, bot_name)
        closed = self._is_closed(spec_of(tournament.spec))
        opened = self.tournaments.open_nonce(
            tournament.id, RevealedNonce(bot_name, nonce), self.clock(), closed=closed
        )
        self.start_if_complete(tournament.id)
        return opened

    def confirm_entries(self, who: Identity) -> list[str]:
        """Let starts wait no longer for an author; return the ids of the tournaments that did."""
        entered = self.tournaments.list_entered(who)
        closed = [one.id for one in entered if one.closed_at or self._is_closed(spec_of(one.spec))]
        confirmed = [one for one in closed if self.tournaments.confirm_entries(one, who, self.clock())]
        for tournament_id in confirmed:
            self.start_if_complete(tournament_id)
        return confirmed

    def start_if_complete(self, tournament_id: str) -> None:
        """Start it if it was to be started and waits for nobody any more."""
        waits = self.tournaments.find_tournament(tournament_id).closed_at
        if waits and not list_missing(self.tournaments.list_entries(tournament_id)):
            with suppress(WrongState):  # it has been started since
                self.start_tournament(tournament_id)

    def _is_closed(self, spec: Spec) -> bool:
        """Return True if the spec's closing time of entries has passed."""
        return bool(spec.entries.closes) and closing_time(spec) <= self.clock()

    def pause_tournament(self, key: str) -> Tournament:
        return self.tournaments.change_state(key, ("running",), "paused", self.clock())

    def resume_tournament(self, key: str) -> Tournament:
        return self.tournaments.change_state(key, ("paused",), "running", self.clock())

    def cancel_tournament(self, key: str, seen: str = "") -> Tournament:
        """Cancel a tournament. seen: the state that it has to be in, "" for any."""
        before = (seen,) if seen in CANCELLABLE else CANCELLABLE
        return self.tournaments.change_state(key, before, "cancelled", self.clock())

    def confirm_result(self, key: str, chain: str) -> Tournament:
        """End the time for protests: the result is final. chain: of the result that was seen, "" for any."""
        row = self.tournaments.find_tournament(key)
        self._finish_tournament(row, chain)
        return self.tournaments.find_tournament(row.id)

    def file_protest(self, key: str, who: Identity, bot_name: str, text: str) -> Protest:
        """File a protest for a bot of the caller. text: public."""
        tournament = self.tournaments.find_tournament(key)
        entry = find_entry(tournament, self.tournaments.list_entries(tournament.id), bot_name)
        check_bot_owner(who, entry.account_name, bot_name)
        said = _read_line(text, "text")
        return file_protest(self.tournaments.database, tournament.id, bot_name, said, self.clock())

    def answer_protest(self, key: str, number: int, who: Identity, answer: str, *, accepted: bool) -> Protest:
        """Accept or reject a protest; one that is accepted gives the time for protests once more."""
        more = 60_000 * spec_of(self.tournaments.find_tournament(key).spec).schedule.protest_minutes
        given = Answer(who.name, accepted, _read_line(answer, "answer"), more)
        return answer_protest(self.tournaments.database, key, number, given, self.clock())

    def _finish_tournament(self, seen: Tournament, chain: str = "") -> None:
        """Finish a tournament, retrying while something else changes it."""
        done = False
        with trace.open_span("confirm standings", seen.id):
            while not done:
                board = self.boards.get_view(seen.id).board
                compared = self.archive.read_compared(board) if board.tournament.state == "decided" else ""
                read = board.tournament.version, compared
                done = self.tournaments.finish_tournament(seen, *read, self.clock(), chain)

    def run_schedule(self) -> None:
        """Reveal, start and finish what is due; what cannot start is tried again later."""
        for due in list_due_reveals(self.tournaments.database, self.clock()):
            self.tournaments.reveal_due(due, self.clock())
        for row in self.tournaments.list_due(self.clock()):
            try:
                if row.state == "decided":
                    self._finish_tournament(row)
                else:
                    self.start_tournament(row.id, due_at=row.due_at)
            except MaumauError as err:
                self._put_off(row, str(err))
            except Exception:  # our own mistake in one of them keeps no other from going on
                logger.exception("the schedule is not kept", tournament=row.id)

    def _put_off(self, row: Tournament, why: str) -> None:
        """Try a start again after a pause that grows, and say so once for each reason."""
        now, due = self.clock(), find_due_time(row, spec_of(row.spec))
        pause = find_pause(now - due)
        said = self._late.get(row.id, why if row.due_at > due else "")  # another process has said it
        late = Late(now + pause if pause else 0, why, said=pause > 0 and said == why)
        if self.tournaments.put_off(row, late, now):
            self._late[row.id] = why

    def retake_match(
        self, key: str, label: str, reason: str, *, fresh_seeds: bool = False, seen: SeenMatch = ANY_MATCH
    ) -> list[str]:
        """Play a decided match again, or resume a paused one; return the labels taken back with it."""
        tournament_id = self.tournaments.find_tournament(key).id
        before = self.boards.get_view(tournament_id).board
        self.take_back(tournament_id, label, reason, fresh_seeds=fresh_seeds, seen=seen)
        self.advance_schedule(tournament_id)
        after = self.boards.get_view(tournament_id).board
        return [gone for gone in before.matches if gone not in after.matches]

    def take_back(
        self, key: str, label: str, reason: str, *, fresh_seeds: bool = False, seen: SeenMatch = ANY_MATCH
    ) -> None:
        """Take back a match, or resume it, without advancing the schedule.

        reason: public. fresh_seeds: play other deals, from its first block on, also if it was
        paused.
        """
        said = _check_reason(reason)
        self.schedule.retake_match(key, label, self.clock(), said, fresh_seeds=fresh_seeds, seen=seen)

    def advance_schedule(self, tournament_id: str, *, wait: bool = True) -> int:
        """Let the schedule catch up with the results; return the number of blocks queued. Safe at any time.

        Only one thread of a process does it at a time; without `wait` the others leave it to that one, and
        to the next sweep if that one fails.
        """
        queued, lock = 0, self._advancing.setdefault(tournament_id, threading.Lock())
        self._due.add(tournament_id)
        while lock.acquire(blocking=wait):
            try:
                self._due.discard(tournament_id)
                queued += self._settle_steps(tournament_id)
            finally:
                lock.release()
            if tournament_id not in self._due:
                break
        return queued

    def _settle_steps(self, tournament_id: str) -> int:
        queued, (workers, _) = 0, self.boards.workers.count_present(self.clock())
        while True:
            version = self.schedule.read_version(tournament_id)
            looked = (*version, workers)
            if looked == self.settled.get(tournament_id):
                return queued
            board = self.boards.get_view(tournament_id, version).board
            steps = self._plan_steps(board, workers) if board.tournament.state in ACTIVE else None
            if not steps or not steps.any:
                self.settled[tournament_id] = looked
                return queued
            compared = self.archive.read_compared(board) if steps.finished else ""
            what = "final standings" if steps.finished else "advance tournament"
            with trace.open_span(what, tournament_id, decided=len(steps.decided), begun=len(steps.begun)):
                count = self.schedule.carry_out(board, steps, self.clock(), compared)
            queued += max(count, 0)
            if count >= 0:
                self._count_steps(steps)
                if steps.only_queue:
                    return queued

    def forget_ended(self) -> None:
        """Forget tournaments that are over; a thread that still comes finds nothing to do."""
        for ended in set(self._advancing) - set(self.tournaments.list_active()):
            self.settled.pop(ended, None)
            self._advancing.pop(ended, None)

    def _plan_steps(self, board: ContestBoard, workers: int) -> Steps:
        """Return the steps due: one block each of many matches, of few up to twice what workers can play."""
        matches = max(1, len(board.plan.matches))
        return board.plan_steps(max(1, min(self.ahead, PLENTY // matches), 2 * workers // matches))

    def _count_steps(self, steps: Steps) -> None:
        for verdict in (*(v for _, v in steps.decided), *(v for _, v in steps.begun if v)):
            self.metrics.decided.labels(verdict.rule).inc()


def _check_reason(said: str) -> str:
    """Return a reason as one line; raise MissingReason if it is empty."""
    if not (reason := clean_line(said.strip(), REASON)):
        raise MissingReason
    return reason


def _read_line(said: str, field: str) -> str:
    """Return a text as one line; raise MissingText if it is empty, BadRequest if it is too long."""
    if len(said) > MAX_PROTEST_LENGTH:
        words = f"{field}: at most {MAX_PROTEST_LENGTH} characters are allowed; these are {len(said)}."
        raise BadRequest(words, field=field)
    if not (line := clean_line(said.strip(), MAX_PROTEST_LENGTH)):
        raise MissingText
    return line
