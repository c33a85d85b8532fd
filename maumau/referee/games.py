"""The games of a seating: in each, the next deal begins when the one before has ended.

A game is the outcome of its set: places and totals at its end, the record of all its deals, the faults in any
of them. A fault loses its deal, as everywhere, and the game goes on; whoever has MAX_FAULTS in a seating
forfeits what is left, and has lost each game in which a deal is left (`maumau/game/game.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from maumau.game import Game, Rules, record_game
from maumau.game.resume import count_events
from maumau.protocol.fault import Fault
from maumau.protocol.outcome import DealOutcome, Note
from maumau.referee.play import DealPlay, Look
from maumau.referee.player import ProgramPlayer
from maumau.referee.seating import Seating


class Games:
    """Games between these players. `deal_s`: reference seconds that each further deal adds to a bank."""

    def __init__(
        self, rules: Rules, players: Sequence[ProgramPlayer], deal_s: float, look: Look | None
    ) -> None:
        self._rules, self._players, self._deal_s, self._look = rules, players, deal_s, look
        self._begun: dict[int, _GamePlay] = {}  # by set
        self._next: deque[DealPlay] = deque()
        self._dealt = 0

    def play_games(
        self, table: Seating, sets: Iterable[tuple[int, str]]
    ) -> Iterator[tuple[int, DealOutcome]]:
        """Play the games of these sets, each given by its number and seed; yield each as it ends."""
        waiting = iter(sets)

        def take_next() -> DealPlay | None:
            """Return the next deal: of a game that has begun, else the first of another; None: of none."""
            if not self._next and (one := next(waiting, None)):
                self._begin_game(*one)
            return self._next.popleft() if self._next else None

        for number, outcome in table.play_as_dealt(take_next):
            game = self._begun[number]
            game.add_deal(outcome)
            if game.over:
                yield number, self._begun.pop(number).finish_game()
            else:
                game.deal_next()
                for player in self._players:
                    player.extend_bank(self._deal_s)
                self._queue_deal(number, game)

    def _begin_game(self, number: int, seed: str) -> None:
        game = self._begun[number] = _GamePlay(Game(self._rules, len(self._players), seed))
        self._queue_deal(number, game)

    def _queue_deal(self, number: int, game: _GamePlay) -> None:
        deal = game.game.deal
        play = DealPlay(deal, number, self._dealt, deal.seed.text, self._players, self._look)
        self._dealt += 1
        self._next.append(play)


class _GamePlay:
    """A game being played, with what its deals have left."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._faults: list[Fault] = []
        self._notes: list[Note] = []
        self._events = 0
        self._seats: list[int] = []

    @property
    def over(self) -> bool:
        return self.game.over

    def add_deal(self, outcome: DealOutcome) -> None:
        """Take in a deal that has ended."""
        self._seats = outcome.seats
        self._faults += outcome.faults
        self._notes += [Note(self._events + one.event, one.seat, one.text) for one in outcome.notes]
        self._events += count_events(outcome.record)

    def deal_next(self) -> None:
        """Deal the next deal."""
        self.game.next()

    def finish_game(self) -> DealOutcome:
        """Return the game's outcome."""
        game = self.game
        return DealOutcome(self._seats, game.places, game.total, record_game(game), self._faults, self._notes)
