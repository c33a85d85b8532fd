"""The review of a deal on a screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from maumau.game.notation.action import SEATS
from maumau.page.words import show_cards, tell_choice, tell_event
from maumau.screen.output import bold, plain
from maumau.screen.picture import STYLES, draw_signs, ordinal

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.review.review import Decision, Review

BARS: Final = "▁▂▃▄▅▆▇█"


def picture_review(review: Review, title: str, names: Sequence[str], suits: str) -> Iterator[RenderableType]:
    """Yield the lines and tables of a review. names: the players by seat, if they are known."""
    who = [plain(name) or f"seat {SEATS[seat]}" for seat, name in enumerate(names or [""] * review.seats)]
    yield bold(f"{title + ', ' if title else ''}{review.rules}: {who[review.seat]} {_tell_end(review)}")
    yield (
        f"Chances to win, as {who[review.seat]} could know them then, ± one standard error:"
        f" {review.playouts:,} deals played out in at most {review.budget_s:g} s of CPU time."
    )
    yield from _tell_faults(review, who)
    if not review.decisions:
        yield f"{who[review.seat]} decided nothing in this deal."
        return
    yield f"Over the deal: {''.join(_draw_bar(one.chance) for one in review.decisions)}"
    yield from _list_costliest(review, who, suits)
    yield _table_luck(review)
    yield _table_decisions(review, who, suits)


def _tell_end(review: Review) -> str:
    place = review.places[review.seat]
    first = review.places.count(1)
    if place == 1:
        return "won" if first == 1 else f"shares the first place with {first - 1} others"
    return f"came {ordinal(place)} of {review.seats}"


def _tell_faults(review: Review, who: Sequence[str]) -> Iterator[str]:
    for one in review.forfeits:
        decides = " This decided the deal; luck and play end here." if one.decides else ""
        told = tell_event(f"forfeit {SEATS[one.seat]} {one.kind}", who)
        yield f"Event {one.event + 1}: {told}.{decides}"


def _draw_bar(chance: float) -> str:
    return BARS[min(len(BARS) - 1, int(chance * len(BARS)))]


def _list_costliest(review: Review, who: Sequence[str], suits: str) -> Iterator[RenderableType]:
    """Yield the costliest moments, or a sentence that no loss stands out."""
    if not review.costliest:
        yield "No decision was costly: chance explains every loss."
        return
    yield Text("\nThe costliest moments", "bold")
    for rank, number in enumerate(review.costliest, 1):
        one = review.decisions[number - 1]
        words = (
            f"{rank}. event {one.event + 1}: {tell_choice(one.taken, who)} ({_tell(one.chance, one.error)})"
        )
        better = f"; better {tell_choice(one.best, who)} ({_tell_best(one)})"
        cost = f", {_tell(one.loss, one.loss_error)} more" if one.loss else ""
        yield draw_signs(words + better + cost, STYLES[suits])


def _tell_best(one: Decision) -> str:
    return _tell(one.actions[0].chance, one.actions[0].error)


def _tell(value: float, error: float, sign: str = "") -> str:
    """Return a figure in per cent with its error, never rounded to nothing; what is certain has none."""
    if not error:
        return f"{value * 100:.0f}%"
    size = error * 100
    return f"{value * 100:{sign}.0f}% ± {size:.{0 if size >= 1 else 1}f}"


def _table_luck(review: Review) -> Table:
    made = Table(title="\nLuck and play, in the chance to win", title_justify="left", box=None)
    made.add_column("what")
    made.add_column("gave", justify="right")
    made.add_row("an equal chance for all", f"{review.even:.0%}")
    parts = {
        "the hand dealt, and the start": review.dealt,
        "own cards drawn": review.drawn,
        "the others, and what no figure separates from chance": review.rest,
        "own costly decisions": review.play,
    }
    if any(one.decides for one in review.forfeits):
        parts["the fault that decided the deal"] = review.fault
    for words, amount in parts.items():
        made.add_row(words, _tell(amount.value, amount.error, "+"))
    made.add_row("the outcome", f"{review.outcome:.0%}")
    return made


def _table_decisions(review: Review, who: Sequence[str], suits: str) -> Table:
    """Return the table of all decisions: what was done, its chance, and the best if it was another."""
    made = Table(title="\nEvery decision", title_justify="left", box=None)
    for header in ("event", "done", "chance", "best", "costs", "drawn", "gave"):
        made.add_column(header, justify="left" if header in ("done", "best", "drawn") else "right")
    for one in review.decisions:
        best = "" if one.best == one.taken else tell_choice(one.best, who)
        made.add_row(
            str(one.event + 1),
            draw_signs(tell_choice(one.taken, who), STYLES[suits]),
            _tell(one.chance, one.error),
            draw_signs(best, STYLES[suits]),
            Text(_tell(one.loss, one.loss_error), "bold red") if one.costly else "",
            draw_signs(show_cards(" ".join(one.drawn)), STYLES[suits]),
            "" if one.gift is None else _tell(one.gift, one.gift_error, "+"),
        )
    return made
