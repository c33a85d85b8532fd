"""The review of a deal for one seat: its decisions, what they cost, and what luck gave and took."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import Final

import msgspec

from maumau.errors import BadRecord
from maumau.game.deal import Deal
from maumau.review.measure import WIDEST, ActionTally, Meter, compare_tallies, list_playable, stands_out
from maumau.review.moment import Course, Forfeit, Moment, count_players, follow_seat

SECONDS: Final = 5.0
MICRO: Final = 1e6
LEAST: Final = 0.02  # a smaller loss is not called costly, however sure it is
SHOWN_COSTLIEST: Final = 3
ARMS: Final = 8  # a decision with more actions has no larger share of the budget


class Figure(msgspec.Struct, frozen=True):
    """The worth of an action: the chance to win with its standard error, the expected place, and points.

    points: None where the rules count none. samples: deals that it was played out in.
    """

    action: str
    chance: float
    error: float
    place: float
    points: float | None
    samples: int


class Decision(msgspec.Struct, frozen=True, rename={"costly": "dear"}):
    """One decision: what was asked, what was done, and what it cost against the best action.

    number: in the review, from 1. event: events of the record before it; stage: of its replay. costly: the
    loss stands out of its error. actions: best first. drawn: cards drawn with it; gift: what these gave or
    took.
    """

    number: int
    event: int
    stage: int
    asks: str
    taken: str
    best: str
    chance: float
    error: float
    loss: float
    loss_error: float
    costly: bool
    actions: list[Figure]
    drawn: list[str] = []
    gift: float | None = None
    gift_error: float = 0.0


class Amount(msgspec.Struct, frozen=True):
    """A part of the way from an even chance to the outcome, with its standard error."""

    value: float
    error: float


class Review(msgspec.Struct, frozen=True, rename={"costliest": "dearest"}):
    """The review of one seat. outcome: 1 for a deal won, a share of 1 if others came first too, else 0.

    The parts add up: even + dealt + drawn + rest + play + fault = outcome. dealt: the hand and the start.
    drawn: the seat's own draws. rest: cards and play of the others, and what is too small to tell from
    chance. play: the losses of the costly decisions. fault: from the chance just before the fault that
    decided the deal to the outcome, nothing without one; the other parts and the decisions end there.
    forfeits: all faults. budget_s: CPU seconds allowed. playouts: deals played out.
    """

    rules: str
    seats: int
    seat: int
    places: list[int]
    points: list[int]
    outcome: float
    even: float
    dealt: Amount
    drawn: Amount
    rest: Amount
    play: Amount
    fault: Amount
    forfeits: list[Forfeit]
    decisions: list[Decision]
    costliest: list[int]
    budget_s: float
    playouts: int
    seed: str


def review_deal(
    stages: Iterable[tuple[Deal, int]], seat: int, *, seconds: float = SECONDS, seed: str = ""
) -> Review:
    """Review a seat's deal from the stages of its record; BadRecord if it breaks off before the end.

    The budget is spent by a fixed price list: with the same seed the figures are the same everywhere.
    """
    course = follow_seat(stages, seat)
    d = course.end
    if not d.over:
        raise BadRecord("the record ends before the deal is over, and only a whole deal can be reviewed")
    meter = Meter(d, seat, seed)
    decisions = _measure_decisions(course, meter, seconds * MICRO)
    return _sum_up(course, seat, decisions, meter, seconds)


def _measure_decisions(course: Course, meter: Meter, budget: float) -> list[Decision]:
    """Measure all decisions, each with a share of the budget by the number of its actions.

    The share of one action is left for the samples before the fault that decided the deal.
    """
    moments, kept = course.moments, course.before is not None
    sizes = [min(len(moment.choices), ARMS) for moment in moments]
    shares = [size + (moment.after is not None) for size, moment in zip(sizes, moments, strict=True)]
    others = sum(min(len(moment.choices), WIDEST) - 1 for moment in moments)
    found: list[Decision] = []
    for at, (moment, size) in enumerate(zip(moments, sizes, strict=True)):
        share = budget / (sum(shares[at:]) + kept)
        meter.left, spent = share * size, meter.spent
        actions = list_playable(moment.before, moment.choices, moment.taken, meter.count_room(meter.left))
        if moment.taken not in actions:
            continue
        tallies = meter.measure(moment.before, actions, moment.taken, f"{at}")
        gift = None
        if moment.after is not None:
            meter.left = share
            (gift,) = meter.measure(moment.after, [], "", f"{at} drawn")
        budget -= meter.spent - spent
        found.append(_judge_moment(len(found) + 1, moment, tallies, gift, others, adds=meter.adds))
    meter.left = budget
    return found


def _judge_moment(
    number: int,
    moment: Moment,
    tallies: list[ActionTally],
    gift: ActionTally | None,
    others: int,
    *,
    adds: bool,
) -> Decision:
    """Return the decision with its figures: the best of the actions that were measured to the end."""
    most = max(map(len, tallies))
    best = max(tallies, key=lambda tally: (len(tally) == most, tally.mean, tally.action == moment.taken))
    taken = next(tally for tally in tallies if tally.action == moment.taken)
    loss, error = (0.0, 0.0) if taken is best else compare_tallies(best, taken)
    ranked = sorted(tallies, key=lambda tally: (tally is not best, -tally.mean))
    return Decision(
        number,
        moment.line,
        moment.stage,
        moment.asks,
        moment.taken,
        best.action,
        taken.mean,
        taken.error,
        loss,
        error,
        loss >= LEAST and stands_out(loss, error, others),
        [_tell_figure(tally, adds=adds) for tally in ranked],
        list(moment.drawn),
        None if gift is None else gift.mean - taken.mean,
        0.0 if gift is None else hypot(gift.error, taken.error),
    )


def _tell_figure(tally: ActionTally, *, adds: bool) -> Figure:
    number = len(tally)
    points = tally.points / number if adds else None
    return Figure(tally.action, tally.mean, tally.error, tally.places / number, points, number)


def _sum_up(course: Course, seat: int, decisions: list[Decision], meter: Meter, seconds: float) -> Review:
    d, places = course.end, course.end.places
    outcome = 1 / places.count(1) if places[seat] == 1 else 0.0
    even = 1 / count_players(d)
    costly = sorted((one for one in decisions if one.costly), key=lambda one: -one.loss)
    dealt, drawn, play = _weigh_start(decisions, even), _add_gifts(decisions), _add_losses(costly)
    fault = _weigh_fault(course, decisions, meter, even, outcome)
    rest = outcome - even - dealt.value - drawn.value - play.value - fault.value
    return Review(
        d.rules.name,
        d.seats,
        seat,
        places,
        d.points,
        outcome,
        even,
        dealt,
        drawn,
        Amount(rest, hypot(dealt.error, drawn.error, play.error, fault.error)),
        play,
        fault,
        course.forfeits,
        decisions,
        [one.number for one in costly[:SHOWN_COSTLIEST]],
        seconds,
        meter.playouts,
        meter.seed,
    )


def _weigh_start(decisions: list[Decision], even: float) -> Amount:
    if not decisions:
        return Amount(0.0, 0.0)
    best = decisions[0].actions[0]
    return Amount(best.chance - even, best.error)


def _weigh_fault(
    course: Course, decisions: list[Decision], meter: Meter, even: float, outcome: float
) -> Amount:
    """Return what the fault that decided the deal gave or took; nothing if none did."""
    if not any(one.decides for one in course.forfeits):
        return Amount(0.0, 0.0)
    if course.before is not None:
        (before,) = meter.measure(course.before, [], "", "fault")
        return Amount(outcome - before.mean, before.error)
    if decisions:  # the chance since then is not known: others were asked what depends on their cards
        return Amount(outcome - decisions[-1].chance, decisions[-1].error)
    return Amount(outcome - even, 0.0)


def _add_gifts(decisions: list[Decision]) -> Amount:
    gifts = [(one.gift, one.gift_error) for one in decisions if one.gift is not None]
    return Amount(sum(gift for gift, _ in gifts), hypot(*(error for _, error in gifts)))


def _add_losses(costly: list[Decision]) -> Amount:
    return Amount(-sum(one.loss for one in costly), hypot(*(one.loss_error for one in costly)))
