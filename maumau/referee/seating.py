"""One seating of a block: its sets between the same processes, several at once if all programs support it.

Play goes in rounds. In a round each program is asked, in one write, for all the decisions that wait for it;
when all have replied the replies are carried out, in the order of the deals. So nothing depends on speed,
and a fault happens in the same place whenever the same block is played again.

Nor does an outcome depend on how many sets are played at once. Each deal begins on the terms that follow from
the faults known so far. If those terms prove wrong (an earlier deal brings a fifth fault, or the last stalled
deal), the deal is withdrawn. The other deals stand with their faults, and are finished one at a time, so that
no fault is committed beyond the limit. Then new processes replay the withdrawn deals.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice

from maumau.protocol.fault import FORFEIT, MAX_FAULTS, STALL, Kind, Misplay
from maumau.protocol.outcome import DealOutcome
from maumau.referee.course import Course
from maumau.referee.pace import Pace
from maumau.referee.player import GoOn, ProgramPlayer, hear_all
from maumau.referee.run import NO_TALLY, NO_TERMS, DealTerms, Run, Tally
from maumau.sandbox.kernel.noise import skip_inode_numbers

LONG = 1000  # bytes of a reply that costs the referee more than most to read
SPENT = frozenset({"time", "wall"})  # faults after which a program may have no time left


class Seating:
    """Sets between these players, at most `at_once` side by side; faults are counted by entrant.

    `start_ms` is the time that all starts of processes took together. Once `most_stalled` deals have stalled
    (`DealPlay.has_stalled`) all players forfeit the remaining deals, unless a player is out; 0 for no limit.
    """

    def __init__(
        self,
        players: Sequence[ProgramPlayer],
        at_once: int,
        go_on: GoOn,
        pace: Pace,
        *,
        most_stalled: int = 0,
    ) -> None:
        self.players, self.start_ms = players, 0.0
        self._at_once, self._go_on, self._pace = at_once, go_on, pace
        self._most_stalled = most_stalled
        self._final_tally = NO_TALLY  # of the courses whose result is final
        self._runs: list[Run] = []  # of the other courses, in the order of play
        self._running: list[Run] = []  # those of them with a deal in progress
        self._dealt = 0
        self._waiting: list[list[Run]] = [[] for _ in players]  # by seat: runs that wait for its reply
        self._withdrawn: list[Run] = []  # to be continued by new processes
        self._replayed: list[Run] = []  # withdrawn, and to begin again now that the processes are new
        self._all_seated = False  # True if all players have a process and no new faults
        self._counts_changed = False  # True if a deal may have begun on outdated terms
        self._has_counted = False  # True once a fault or a stalled deal has been counted

    def play_courses(self, courses: Iterator[Course]) -> Iterator[tuple[int, DealOutcome]]:
        """Play all sets; yield each with its number, in their order, once its result is final."""
        while True:
            if self._withdrawn and not self._running:
                self._renew_processes()
            self._begin_courses(courses)
            if not self._running:
                return
            if not self._all_seated:
                self._seat_all()
            if time.perf_counter() >= self._pace.due:
                self._probe_pace()
            self._play_round()
            self._withdraw_outdated_deals()
            yield from self._yield_final_courses()

    def _begin_courses(self, courses: Iterator[Course]) -> None:
        """Begin as many courses as may be played at once; those to be replayed come first.

        While deals are withdrawn none begins: new processes play all further deals.
        """
        free = self._at_once - len(self._running)
        if self._withdrawn or free <= 0:
            return
        runs, self._replayed = self._replayed[:free], self._replayed[free:]
        for course in islice(courses, free - len(runs)):
            runs.append(Run(course))
            self._runs.append(runs[-1])
        for run in runs:
            run.course.begin_course(len(run.begun))
            self._take_deal(run)
        self._list_running()

    def _take_deal(self, run: Run) -> None:
        """Begin the next deal of a course, on the terms that hold for it."""
        run.play = run.course.take_deal(self._dealt)
        if run.play is None:
            run.is_over = True
            return
        self._dealt += 1
        terms = self._read_terms(self._count_before(run), run.tally)
        run.begun.append((run.tally, terms))
        if terms.stalled:
            run.play.forfeit_all(STALL)
        else:
            self._seat_players(run)

    def _list_running(self) -> None:
        self._running = [run for run in self._runs if run.play]

    def _count_before(self, run: Run) -> Tally:
        """Return the tally known so far of all courses before this one."""
        before = self._final_tally
        if not self._has_counted:  # nearly always, and a look at every course for each deal would be dear
            return before
        for other in self._runs:
            if other is run:
                break
            before = before.add_tally(other.tally)
        return before

    def _read_terms(self, before: Tally, own: Tally) -> DealTerms:
        """Return the terms of a deal, from the tally of the courses before its own and that of its own."""
        faults, stalled = tally = before.add_tally(own)
        if tally is NO_TALLY:
            return NO_TERMS
        out = frozenset(entrant for entrant, number in faults.items() if number >= MAX_FAULTS)
        return DealTerms(out, not out and 0 < self._most_stalled <= stalled)

    def _withdraw_outdated_deals(self) -> None:
        """Withdraw each deal that has begun on outdated terms, with the deals that follow it in its set."""
        if not self._counts_changed:
            return
        before = self._final_tally
        for run in self._runs:
            for kept, (own, terms) in enumerate(run.begun):
                if self._read_terms(before, own) != terms:
                    run.withdraw_deals(kept)
                    if run not in self._withdrawn:
                        self._withdrawn.append(run)
                    break
            before = before.add_tally(run.tally)
        self._counts_changed = False
        self._list_running()

    def _renew_processes(self) -> None:
        """End all processes, since they may know the cards of withdrawn deals."""
        for player in self.players:
            self._end_process(player)
        self._replayed = [run for run in self._runs if run.is_waiting]
        self._withdrawn.clear()

    def _end_process(self, player: ProgramPlayer) -> None:
        """End the process of a player, and refund the time used by withdrawn deals."""
        player.close()
        for run in self._withdrawn:
            player.return_time(run.course.set_number, len(run.begun))

    def _yield_final_courses(self) -> Iterator[tuple[int, DealOutcome]]:
        """Yield the finished courses, up to the first unfinished one."""
        while self._runs and self._runs[0].is_over:
            run = self._runs.pop(0)
            self._final_tally = self._final_tally.add_tally(run.tally)
            yield run.course.set_number, run.course.finish_course()
            self._go_on()

    def _probe_pace(self) -> None:
        """Probe the pace between rounds, when no program thinks and the probe has the core to itself."""
        self._pace.probe_host()
        for player in self.players:
            player.count_time()

    def _play_round(self) -> None:
        """Ask the programs, wait for their replies and carry these out; end the deals that are over."""
        over, waiting = self._advance_deals(), self._waiting
        asked = [seat for seat, runs in enumerate(waiting) if runs]
        for seat in asked:
            self._ask_seat(seat, waiting[seat], alone=len(asked) == 1)
        if asked:
            self._hear_seats(asked)
            for seat in asked:
                self._take_replies(seat, waiting[seat])
        for run in over:
            if run.play:
                self._end_deal(run)
        if over:
            self._list_running()

    def _advance_deals(self) -> list[Run]:
        """Play on until programs must reply, list who waits for whom, and return the deals that are over."""
        for each in self._waiting:
            each.clear()
        over = []
        for run in self._running[:1] if self._withdrawn else self._running:
            assert run.play
            run.open = seats = run.play.advance_deal()
            if not seats:
                over.append(run)
            elif len(seats) > 1:
                run.open = tuple(sorted(seats))
            for seat in seats:
                if seat not in run.replies:
                    self._waiting[seat].append(run)
        return over

    def _end_deal(self, run: Run) -> None:
        assert run.play
        if run.play.has_stalled:
            run.tally = run.tally.add_stalled_deal()
            self._counts_changed = self._has_counted = True
        run.course.add_deal(run.play.finish_deal())
        self._take_deal(run)

    def _ask_seat(self, seat: int, runs: list[Run], *, alone: bool) -> None:
        player = self.players[seat]
        try:
            bank_ms = int(player.read_bank([run.course.set_number for run in runs]) * 1000)
        except Misplay as misplay:
            player.mark_failed(misplay)
            return
        player.ask([run.play.question_line(seat, bank_ms) for run in runs if run.play], alone=alone)

    def _hear_seats(self, seats: list[int]) -> None:
        if len(seats) > 1:
            hear_all([self.players[seat] for seat in seats], self._go_on)
        elif self.players[seats[0]].failed is None:
            self.players[seats[0]].hear_replies(self._go_on)

    def _take_replies(self, seat: int, runs: list[Run]) -> None:
        """Carry out the replies, each once those of the seats before it have been."""
        player = self.players[seat]
        for run, line in zip(runs, player.replies, strict=False):
            play = run.play
            if play is None:
                continue
            if len(run.open) != 1 or len(line) > LONG:
                run.replies[seat] = line
                self._carry_out_replies(run)
                continue
            run.open = ()  # nearly always a deal waits for one seat alone
            try:
                play.take_reply(seat, line)
            except Misplay as misplay:
                self._lose_deal(run, seat, misplay)
        if player.failed:
            self._withdraw_outdated_deals()
            first = runs[len(player.replies)]
            if first.play:
                self._end_player(seat, first, player.failed)
            else:  # no fault: its deal had been withdrawn
                self._end_process(player)
                self._renew_seat(seat)

    def _carry_out_replies(self, run: Run) -> None:
        play = run.play
        assert play
        while run.open and (seat := run.open[0]) in run.replies:
            run.open = run.open[1:]
            player, line = self.players[seat], run.replies.pop(seat)
            try:
                if len(line) > LONG and player.process:
                    player.read_long(play.take_reply, seat, line)
                else:
                    play.take_reply(seat, line)
            except Misplay as misplay:
                self._lose_deal(run, seat, misplay)

    def _end_player(self, seat: int, first: Run, failed: Misplay) -> None:
        """Record one fault, in the first deal that waits; the others go on in a new process.

        If no time is left for a new process, the player loses all deals that have begun.
        """
        kind, player = self._lose_deal(first, seat, failed), self.players[seat]
        if kind not in SPENT or min(player.bank, player.wall) > 0:
            self._renew_seat(seat)
            return
        for run in self._running:
            if run.play and run.play.is_playing(seat):
                run.play.give_to_stand_in(seat, kind)
                self._skip_seat(run, seat)

    def _renew_seat(self, seat: int) -> None:
        """Prepare all deals for a new process at a seat."""
        self._all_seated = False
        for run in self._running:
            if run.play and run.play.is_playing(seat):
                run.play.renew_process(seat)

    def _skip_seat(self, run: Run, seat: int) -> None:
        """Wait no longer for a reply of a seat that has lost the deal."""
        if seat in run.open:
            run.open = tuple(other for other in run.open if other != seat)
            self._carry_out_replies(run)

    def _lose_deal(self, run: Run, seat: int, misplay: Misplay) -> Kind:
        assert run.play
        kind = run.play.lose_deal(seat, misplay)
        if kind != FORFEIT:
            run.tally = run.tally.add_fault(self.players[seat].place.entrant)
            self._counts_changed = self._has_counted = True
        self._all_seated = False
        self._skip_seat(run, seat)
        return kind

    def _seat_all(self) -> None:
        """Start the missing processes, and withdraw the deals that follow a fifth failed start."""
        self._all_seated = True
        for run in self._running:
            if run.play:
                self._seat_players(run)
                self._withdraw_outdated_deals()

    def _seat_players(self, run: Run) -> None:
        """Start processes for players without one; players that are out lose the deal."""
        play, (_, terms) = run.play, run.begun[-1]
        assert play
        playing = [player for seat, player in enumerate(self.players) if play.is_playing(seat)]
        out = [player for player in playing if player.place.entrant in terms.out]
        starting = [player for player in playing if player.to_start and player not in out]
        if starting:
            self._start_players(starting)
        for seat, player in enumerate(self.players):
            if player in out:
                self._lose_deal(run, seat, Misplay(FORFEIT, f"{MAX_FAULTS} faults in this seating"))
                self._close_unless_needed(seat)
            elif player in starting and player.failed:
                self._lose_deal(run, seat, player.failed)

    def _close_unless_needed(self, seat: int) -> None:
        """End the process of a player that is out, unless another deal needs it."""
        if not any(run.play.is_playing(seat) for run in self._runs if run.play):
            self.players[seat].close()

    def _start_players(self, players: Sequence[ProgramPlayer]) -> None:
        began = time.perf_counter()
        skip_inode_numbers()
        for player in players:
            player.start()
        hear_all(players, self._go_on)
        for player in players:
            player.read_greeting()
        self.start_ms += (time.perf_counter() - began) * 1000
