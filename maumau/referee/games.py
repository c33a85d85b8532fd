"""The games of a seating: in each, the next deal begins when the one before has ended.

A game is the outcome of its set: places and totals at its end, the record of all its deals, the faults in any
of them. A fault loses its deal, as everywhere, and the game goes on; whoever has MAX_FAULTS in a seating
forfeits what is left, and has lost each game in which a deal is left (`maumau/game/game.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from maumau.game import Game, Rules, record_game
from maumau.game.resume import count_events
from maumau.protocol.fault import Fault
from maumau.protocol.outcome import DealOutcome, Note
from maumau.referee.play import DealPlay, Look
from maumau.referee.player import ProgramPlayer


class GameCourse:
    """A set that is a whole game. deal_s: reference seconds that each further deal adds to a bank."""

    def __init__(
        self,
        rules: Rules,
        set_number: int,
        seed: str,
        players: Sequence[ProgramPlayer],
        look: Look | None,
        deal_s: float,
    ) -> None:
        self.set_number = set_number
        self._rules, self._seed, self._players, self._look = rules, seed, players, look
        self._deal_s = deal_s
        self._game: Game | None = None
        self._dealt = 0
        self._ended: list[DealOutcome] = []

    def begin_course(self, kept: int = 0) -> None:
        past = self._game.past[:kept] if self._game else []
        self._game = Game(self._rules, len(self._players), self._seed)
        for number, played in enumerate(past):
            (self._game.follow if number else self._game.put)(played)
        self._dealt = kept
        del self._ended[kept:]

    def take_deal(self, number: int) -> DealPlay | None:
        assert self._game
        if self._dealt:
            if self._game.over:
                return None
            self._game.next()
            for player in self._players:
                player.extend_bank(self.set_number, self._deal_s)
        self._dealt += 1
        d = self._game.deal
        return DealPlay(d, self.set_number, number, d.seed.text, self._players, self._look)

    def add_deal(self, outcome: DealOutcome) -> None:
        self._ended.append(outcome)

    def finish_course(self) -> DealOutcome:
        game = self._game
        assert game
        faults, notes, events = list[Fault](), list[Note](), 0
        for outcome in self._ended:
            faults += outcome.faults
            notes += [Note(events + one.event, one.seat, one.text) for one in outcome.notes]
            events += count_events(outcome.record)
        seats = self._ended[-1].seats
        return DealOutcome(seats, game.places, game.total, record_game(game), faults, notes)
