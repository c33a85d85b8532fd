"""The deal on show: one after another, at a pace that people can follow."""

from collections.abc import Callable

from msgspec import Struct

from maumau.client.answer import LiveDeal, Match, Pairing

STEP = 0.7  # seconds for which an event is shown
PAUSE = 2.5  # seconds for which a deal stays after its last event
WAITING = 20  # deals that wait; the newest of them is shown next


class ShownGame(Struct, frozen=True, kw_only=True):
    """A match of a contest or a pairing of a ladder, of which deals are shown.

    id: unlike that of any other. contest: its name, or the ladder's. names: of its bots. sets: their number.
    estimate: of the first one's mean score.
    """

    id: str
    contest: str
    label: str
    names: tuple[str, ...]
    sets: int
    estimate: float
    is_ladder: bool = False


class ShownMatch(ShownGame, frozen=True, kw_only=True):
    """A match of a contest."""

    match: Match


def show_match(contest: str, match: Match) -> ShownMatch:
    """Return a match with its contest."""
    return ShownMatch(
        id=f"{match.id}.{match.take}",
        contest=contest,
        label=match.label,
        sets=match.sets,
        names=tuple(match.names.values()),
        estimate=match.estimate,
        match=match,
    )


def show_pairing(ladder: str, one: Pairing) -> ShownGame:
    """Return a pairing with its ladder."""
    return ShownGame(
        id=f"{ladder} {one.id}",
        contest=ladder,
        label=one.id,
        sets=one.booked,
        names=tuple(one.names.values()),
        estimate=one.score,
        is_ladder=True,
    )


class ShownDeal(Struct, frozen=True):
    """A deal as far as it is known, and the start of its show, by the table's clock.

    hands: of a deal from the archive, after each event, by seat; empty while the contest is played.
    """

    game: ShownGame
    deal: LiveDeal
    began: float
    hands: tuple[tuple[tuple[str, ...], ...], ...] = ()

    @property
    def key(self) -> str:
        """The key of the deal."""
        return f"{self.game.id}.{self.deal.set}.{self.deal.seating}"

    def known(self, now: float) -> int:
        """Return the number of its events shown by now; at least 1."""
        return min(len(self.deal.events), 1 + int((now - self.began) / STEP))


class DealWatch:
    """The deal on show. `add_part` takes in the parts of deals that a watch yields."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._fresh: dict[tuple[str, int, int], ShownDeal] = {}
        self.shown: ShownDeal | None = None

    def add_part(self, game: ShownGame, deal: LiveDeal) -> bool:
        """Take in a part of a deal; return True if what is shown has changed."""
        key = (game.id, deal.set, deal.seating)
        if self.shown and (self.shown.game.id, self.shown.deal.set, self.shown.deal.seating) == key:
            longer = _join_parts(self.shown, deal)
            changed = longer is not self.shown
            self.shown = longer
            return changed | self.advance_deal()
        if key in self._fresh:
            self._fresh[key] = _join_parts(self._fresh[key], deal)
        elif not deal.start and deal.events:
            self._fresh[key] = ShownDeal(game, deal, 0.0)
            while len(self._fresh) > WAITING:
                del self._fresh[next(iter(self._fresh))]
        return self.advance_deal()

    @property
    def is_showing(self) -> bool:
        """True while a deal is being shown."""
        return bool(self.shown and self._clock() < self.shown.began + _measure_length(self.shown.deal))

    def show_deal(self, deal: ShownDeal) -> None:
        """Show this deal from now on."""
        self.shown = ShownDeal(deal.game, deal.deal, self._clock(), deal.hands)

    def advance_deal(self) -> bool:
        """Go on to the newest deal once the last one was shown; return True if it did."""
        if not self._fresh or self.is_showing:
            return False
        _, newest = self._fresh.popitem()
        self._fresh.clear()
        self.show_deal(newest)
        return True


def _measure_length(deal: LiveDeal) -> float:
    return STEP * len(deal.events) + PAUSE


def _join_parts(shown: ShownDeal, piece: LiveDeal) -> ShownDeal:
    """Return the deal with its next part added, or as it is played anew; any other part is ignored."""
    deal = shown.deal
    if not piece.start and piece.events != deal.events[: len(piece.events)]:
        return ShownDeal(shown.game, piece, shown.began)
    if piece.start != len(deal.events) or not (piece.events or piece.places):
        return shown
    whole = LiveDeal(
        deal.set,
        deal.seating,
        deal.entrants,
        0,
        deal.events + piece.events,
        deal.counts + piece.counts,
        piece.places or deal.places,
        piece.points or deal.points,
    )
    return ShownDeal(shown.game, whole, shown.began)
