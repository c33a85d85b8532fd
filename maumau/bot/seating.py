"""One seating of a block: its deals between the same processes, several at once where all programs take that.

Play goes in rounds. In a round each program is asked, in one write, for all the decisions that wait for it;
when everybody has replied the replies are carried out, in the order of the deals. So nothing depends on who
was faster, and a fault happens in the same place whenever the same block is played again.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from maumau.bot.fault import FORFEIT, MAX_FAULTS, Kind, Misplay
from maumau.bot.outcome import DealOutcome
from maumau.bot.pace import Pace
from maumau.bot.play import Play
from maumau.bot.player import GoOn, Player, hear_all


class Seating:
    """Deals between these players, at most `at_once` side by side; faults are counted by entrant.

    `start_ms` is what the starts of processes took.
    """

    def __init__(self, players: Sequence[Player], at_once: int, go_on: GoOn, pace: Pace) -> None:
        self.players, self.start_ms = players, 0.0
        self._at_once, self._go_on, self._pace = at_once, go_on, pace
        self._faults: Counter[int] = Counter()
        self._plays: list[Play] = []
        self._waiting: list[list[Play]] = [[] for _ in players]
        self._sound = False  # everybody has a process, and nobody has new faults

    def play(self, deals: Iterator[Play]) -> Iterator[tuple[int, DealOutcome]]:
        """Play them all; each with its set's number as it ends, not in the order of their beginning."""
        while True:
            while len(self._plays) < self._at_once and (play := next(deals, None)):
                self._seat(play)
                self._plays.append(play)
            if not self._plays:
                return
            if not self._sound:
                self._sound = True
                for play in self._plays:
                    self._seat(play)
            if time.perf_counter() >= self._pace.due:
                self._look_at_pace()
            yield from self._round()

    def _look_at_pace(self) -> None:
        """Between rounds nobody thinks, and a probe has the core for itself."""
        self._pace.look()
        for player in self.players:
            player.count()

    def _round(self) -> Iterator[tuple[int, DealOutcome]]:
        """Ask, hear and carry out; the deals that are over."""
        waiting = self._waiting
        for each in waiting:
            each.clear()
        over = []
        for play in self._plays:
            for seat in play.advance():
                waiting[seat].append(play)
            if play.over:
                over.append(play)
        asked = [seat for seat, plays in enumerate(waiting) if plays]
        for seat in asked:
            self._ask(seat, waiting[seat])
        if asked:
            self._hear(asked)
            for seat in asked:
                self._take(seat, waiting[seat])
        for play in over:
            self._plays.remove(play)
            yield play.set_number, play.finish()
            self._go_on()

    def _ask(self, seat: int, plays: list[Play]) -> None:
        player = self.players[seat]
        try:
            bank = player.read_bank([play.set_number for play in plays])
        except Misplay as misplay:
            player.refuse(misplay)
        else:
            player.ask([play.question(seat, bank) for play in plays])

    def _hear(self, seats: list[int]) -> None:
        if len(seats) > 1:
            hear_all([self.players[seat] for seat in seats], self._go_on)
        elif self.players[seats[0]].failed is None:
            self.players[seats[0]].hear(self._go_on)

    def _take(self, seat: int, plays: list[Play]) -> None:
        """Carry out the replies; who has died loses every deal that waits for one."""
        player = self.players[seat]
        for play, line in zip(plays, player.replies, strict=False):
            try:
                play.take(seat, line)
            except Misplay as misplay:
                self._lose(play, seat, misplay)
                if self._out(player):
                    return
            player.taken += 1
        if player.failed:
            self._bury(seat, plays[player.taken :], player.failed)

    def _bury(self, seat: int, lost: list[Play], failed: Misplay) -> None:
        """One fault, booked to the first deal; the deals that wait for nothing go on in a new process."""
        first, *others = lost
        kind = self._lose(first, seat, failed)
        for play in others:
            play.lost(seat, kind)
        for play in self._plays:
            if play.plays(seat):
                play.renew(seat)

    def _lose(self, play: Play, seat: int, misplay: Misplay) -> Kind:
        kind = play.lose(seat, misplay)
        if kind != FORFEIT:
            self._faults[self.players[seat].place.entrant] += 1
        self._sound = False
        return kind

    def _seat(self, play: Play) -> None:
        """Whoever has no process starts one, whoever has five faults is out."""
        playing = [player for seat, player in enumerate(self.players) if play.plays(seat)]
        out = [player for player in playing if self._out(player)]
        starting = [player for player in playing if player.to_start and player not in out]
        if starting:
            self._start(starting)
        for seat, player in enumerate(self.players):
            if player in out:
                player.close()
                self._lose(play, seat, Misplay(FORFEIT, f"{MAX_FAULTS} faults in this seating"))
            elif player in starting and player.failed:
                self._lose(play, seat, player.failed)

    def _out(self, player: Player) -> bool:
        """Whether its faults have reached MAX_FAULTS, so that the rest of the seating is lost."""
        return self._faults[player.place.entrant] >= MAX_FAULTS

    def _start(self, players: Sequence[Player]) -> None:
        began = time.perf_counter()
        for player in players:
            player.start()
        hear_all(players, self._go_on)
        for player in players:
            player.greet()
        self.start_ms += (time.perf_counter() - began) * 1000
