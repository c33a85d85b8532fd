"""The deal on the table: one after another, at a pace that people can follow."""

from collections.abc import Callable

from msgspec import Struct

from maumau.answer import LiveDeal, Match

STEP = 0.7  # seconds that an event is shown
PAUSE = 2.5  # seconds that a deal stays when all of it was shown
WAITING = 20  # deals that wait; of them the newest is shown next


class ShownDeal(Struct, frozen=True):
    """A deal as far as it is known, and when its show began, by the table's clock.

    hands: of a deal from the archive, after each event, by seat; empty while the contest is played.
    """

    contest: str
    match: Match
    deal: LiveDeal
    began: float
    hands: tuple[tuple[tuple[str, ...], ...], ...] = ()

    @property
    def key(self) -> str:
        """What tells it from every other deal."""
        return f"{self.match.id}.{self.match.take}.{self.deal.set}.{self.deal.seating}"

    def known(self, now: float) -> int:
        """How many of its events are shown by now; at least the first."""
        return min(len(self.deal.events), 1 + int((now - self.began) / STEP))


class Table:
    """What is shown now. `feed` takes in the pieces of deals that a watch tells."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._fresh: dict[tuple[str, int, int], ShownDeal] = {}
        self.shown: ShownDeal | None = None

    def feed(self, contest: str, match: Match, deal: LiveDeal) -> bool:
        """Takes in a piece of a deal; whether what is shown has changed."""
        key = (match.id, deal.set, deal.seating)
        if self.shown and (self.shown.match.id, self.shown.deal.set, self.shown.deal.seating) == key:
            longer = _joined(self.shown, deal)
            changed = longer is not self.shown
            self.shown = longer
            return changed | self.tick()
        if key in self._fresh:
            self._fresh[key] = _joined(self._fresh[key], deal)
        elif not deal.start and deal.events:
            self._fresh[key] = ShownDeal(contest, match, deal, 0.0)
            while len(self._fresh) > WAITING:
                del self._fresh[next(iter(self._fresh))]
        return self.tick()

    @property
    def is_showing(self) -> bool:
        """Whether the show of a deal goes on."""
        return bool(self.shown and self._clock() < self.shown.began + _length(self.shown.deal))

    def show(self, deal: ShownDeal) -> None:
        """Shows this deal from now on."""
        self.shown = ShownDeal(deal.contest, deal.match, deal.deal, self._clock(), deal.hands)

    def tick(self) -> bool:
        """Goes on to the newest deal when the last one was shown; whether it did."""
        if not self._fresh or self.is_showing:
            return False
        _, newest = self._fresh.popitem()
        self._fresh.clear()
        self.show(newest)
        return True


def _length(deal: LiveDeal) -> float:
    return STEP * len(deal.events) + PAUSE


def _joined(shown: ShownDeal, piece: LiveDeal) -> ShownDeal:
    """With the piece that comes next; any other is passed over."""
    deal = shown.deal
    if piece.start != len(deal.events) or not (piece.events or piece.places):
        return shown
    whole = LiveDeal(
        deal.set, deal.seating, deal.entrants, 0, deal.events + piece.events, deal.counts + piece.counts,
        piece.places or deal.places, piece.points or deal.points,
    )  # fmt: skip
    return ShownDeal(shown.contest, shown.match, whole, shown.began)
