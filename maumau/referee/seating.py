"""One seating of a block: its deals between the same processes, several at once if all programs accept that.

Play goes in rounds. In a round each program is asked, in one write, for all the decisions that wait for it;
when all have replied the replies are carried out, in the order of the deals. So nothing depends on speed,
and a fault happens in the same place whenever the same block is played again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from maumau.protocol.fault import FORFEIT, MAX_FAULTS, STALL, Kind, Misplay
from maumau.protocol.outcome import DealOutcome
from maumau.referee.pace import Pace
from maumau.referee.play import DealPlay
from maumau.referee.player import GoOn, ProgramPlayer, hear_all
from maumau.sandbox.kernel.noise import skip_inode_numbers

LONG = 1000  # bytes of a reply that costs the referee more than most to read


class Seating:
    """Deals between these players, at most `at_once` side by side; faults are counted by entrant.

    `start_ms` is the time of all starts of processes. Once `most_stalled` deals have stalled
    (`DealPlay.has_stalled`) all players forfeit the deals that have not begun, unless a player is out; 0 for
    no limit.
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
        self._stalled, self._most_stalled = 0, most_stalled
        self._faults: Counter[int] = Counter()
        self._plays: list[DealPlay] = []
        self._waiting: list[list[DealPlay]] = [[] for _ in players]
        self._sound = False  # True if all have a process and no new faults

    def play(self, deals: Iterator[DealPlay]) -> Iterator[tuple[int, DealOutcome]]:
        """Play all deals; yield each with its set's number as it ends, not in the order of their start."""
        return self.play_as_dealt(lambda: next(deals, None))

    def play_as_dealt(self, take: Callable[[], DealPlay | None]) -> Iterator[tuple[int, DealOutcome]]:
        """Play deals, some of which begin only after others have ended, until none is left.

        take: return the next deal, None if there is none now.
        """
        while True:
            while len(self._plays) < self._at_once and (play := take()):
                if self._has_stalled():
                    play.forfeit_all(STALL)
                else:
                    self._seat_players(play)
                self._plays.append(play)
            if not self._plays:
                return
            if not self._sound:
                self._sound = True
                for play in self._plays:
                    self._seat_players(play)
            if time.perf_counter() >= self._pace.due:
                self._look_at_pace()
            yield from self._play_round()

    def _look_at_pace(self) -> None:
        """Probe the pace between rounds, when no program thinks and the probe has the core for itself."""
        self._pace.probe_host()
        for player in self.players:
            player.count_time()

    def _play_round(self) -> Iterator[tuple[int, DealOutcome]]:
        """Ask, wait for replies and carry them out; return the deals that are over."""
        waiting = self._waiting
        for each in waiting:
            each.clear()
        over = []
        for play in self._plays:
            for seat in play.advance_deal():
                waiting[seat].append(play)
            if play.over:
                over.append(play)
        asked = [seat for seat, plays in enumerate(waiting) if plays]
        for seat in asked:
            self._ask_seat(seat, waiting[seat], alone=len(asked) == 1)
        if asked:
            self._hear_seats(asked)
            for seat in asked:
                self._take_replies(seat, waiting[seat])
        for play in over:
            self._plays.remove(play)
            self._stalled += play.has_stalled
            yield play.set_number, play.finish_deal()
            self._go_on()

    def _ask_seat(self, seat: int, plays: list[DealPlay], *, alone: bool) -> None:
        player = self.players[seat]
        try:
            bank = player.read_bank([play.set_number for play in plays])
        except Misplay as misplay:
            player.mark_failed(misplay)
        else:
            player.ask([play.question_line(seat, bank) for play in plays], alone=alone)

    def _hear_seats(self, seats: list[int]) -> None:
        if len(seats) > 1:
            hear_all([self.players[seat] for seat in seats], self._go_on)
        elif self.players[seats[0]].failed is None:
            self.players[seats[0]].hear_replies(self._go_on)

    def _take_replies(self, seat: int, plays: list[DealPlay]) -> None:
        """Carry out the replies; a program that has died loses every deal that waits for one."""
        player = self.players[seat]
        for play, line in zip(plays, player.replies, strict=False):
            try:
                if len(line) > LONG:
                    player.read_long(play.take_reply, seat, line)
                else:
                    play.take_reply(seat, line)
            except Misplay as misplay:
                self._lose_deal(play, seat, misplay)
                if self._has_max_faults(player):
                    return
            player.taken += 1
        if player.failed:
            self._end_player(seat, plays[player.taken :], player.failed)

    def _end_player(self, seat: int, lost: list[DealPlay], failed: Misplay) -> None:
        """Record one fault, in the first deal; deals that wait for no reply continue in a new process."""
        first, *others = lost
        kind = self._lose_deal(first, seat, failed)
        for play in others:
            play.give_to_stand_in(seat, kind)
        for play in self._plays:
            if play.is_playing(seat):
                play.renew_process(seat)

    def _lose_deal(self, play: DealPlay, seat: int, misplay: Misplay) -> Kind:
        kind = play.lose_deal(seat, misplay)
        if kind != FORFEIT:
            self._faults[self.players[seat].place.entrant] += 1
        self._sound = False
        return kind

    def _seat_players(self, play: DealPlay) -> None:
        """Start processes for players without one; those with MAX_FAULTS faults lose the deal."""
        playing = [player for seat, player in enumerate(self.players) if play.is_playing(seat)]
        out = [player for player in playing if self._has_max_faults(player)]
        starting = [player for player in playing if player.to_start and player not in out]
        if starting:
            self._start_players(starting)
        for seat, player in enumerate(self.players):
            if player in out:
                player.close()
                self._lose_deal(play, seat, Misplay(FORFEIT, f"{MAX_FAULTS} faults in this seating"))
            elif player in starting and player.failed:
                self._lose_deal(play, seat, player.failed)

    def _has_max_faults(self, player: ProgramPlayer) -> bool:
        """Return True if the player's faults have reached MAX_FAULTS, which loses the rest of the seating."""
        return self._faults[player.place.entrant] >= MAX_FAULTS

    def _has_stalled(self) -> bool:
        """Return True if too many deals have stalled and no player is out."""
        is_reached = 0 < self._most_stalled <= self._stalled
        return is_reached and not any(map(self._has_max_faults, self.players))

    def _start_players(self, players: Sequence[ProgramPlayer]) -> None:
        began = time.perf_counter()
        skip_inode_numbers()
        for player in players:
            player.start()
        hear_all(players, self._go_on)
        for player in players:
            player.read_greeting()
        self.start_ms += (time.perf_counter() - began) * 1000
