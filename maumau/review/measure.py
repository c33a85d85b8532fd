"""The value of each action at a decision, estimated on common samples with common random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import Final

from maumau.errors import IllegalAction
from maumau.game.deal import Deal
from maumau.review.policy import Policy
from maumau.review.sample import Sampler

CAP: Final = 400  # actions after which a playout counts as undecided
FIRST, GROWTH = 6, 1.5  # samples at the first check for hopeless actions; factor to the next check
MOST: Final = 12  # actions that stay after the first check, at most
WIDEST: Final = 24  # actions measured, at most
BEHIND: Final = 3.0  # standard errors behind the best action at which one is hopeless
DOUBT: Final = 0.05  # probability of reporting a loss in a deal without one
SAMPLES: Final = 4000  # for one decision, at most
USUAL: Final = 400.0  # microseconds of a playout, until one was measured
DEAL, SHUFFLE, STEP = 40.0, 3.0, 9.0
JUDGED, LISTED, LISTED_SETS = 34.0, 2.0, 0.5
"""Prices in microseconds of a slow core: of a playout besides its actions, of a hidden card, of an action;
the surcharge for an action where players are judged, and for a listed action where cards lie face down, or
where several are laid together."""


class ActionTally:
    """The outcomes of one action: chances, places and points, by sample."""

    def __init__(self, action: str) -> None:
        self.action = action
        self.shares: list[float] = []
        self.places = 0
        self.points = 0

    def __len__(self) -> int:
        return len(self.shares)

    @property
    def mean(self) -> float:
        return sum(self.shares) / len(self.shares)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return estimate_error(self.shares)


def estimate_error(values: Sequence[float]) -> float:
    """Return the standard error of their mean, as if one more success and one more failure had been seen.

    Without these, an outcome that happened every time would count as certain.
    """
    number = len(values)
    mean = (sum(values) + 1) / (number + 2)
    spread = sum((value - mean) ** 2 for value in values) + (1 - mean) ** 2 + mean**2
    return sqrt(spread / (number + 1) / (number + 2))


def compare_tallies(best: ActionTally, other: ActionTally) -> tuple[float, float]:
    """Return how much worse one action is than another in the samples of both, and the standard error."""
    gaps = [good - bad for good, bad in zip(best.shares, other.shares, strict=False)]
    number = len(gaps)
    mean = sum(gaps) / number
    spread = sum((gap - mean) ** 2 for gap in gaps) + 1.0  # as if one more had differed
    return mean, sqrt(spread / number / (number + 1))


def stands_out(loss: float, error: float, others: int) -> bool:
    """Return True if chance does not explain the loss. others: in the whole deal, actions not taken."""
    return loss > error * NormalDist().inv_cdf(1 - DOUBT / max(1, others))


class Meter:
    """Playouts of one table at a price: `left` is the budget in microseconds."""

    def __init__(self, d: Deal, seat: int, seed: str) -> None:
        self.policy = Policy(d)
        self.seat = seat
        self.seed = seed
        self.left = 0.0
        self.spent = 0.0
        self.playouts = 0
        self.adds = d.compiled.count.adds()
        self.price = STEP + (JUDGED if d.compiled.law.applies else 0.0)
        sets = LISTED_SETS if d.compiled.has_card_sets else 0.0
        self.listed = LISTED if d.compiled.blind.applies else sets

    def measure(self, sampler: Sampler, actions: Sequence[str], kept: str, name: str) -> list[ActionTally]:
        """Return the tallies of the actions, in their order; those far behind have fewer samples.

        kept: an action that is never given up. No actions: the position is played on by itself.
        """
        tallies = [ActionTally(action) for action in actions] or [ActionTally("")]
        racing, number, check = tallies[:], 0, float(FIRST)
        chance = Random(f"{self.seed} {name}")  # noqa: S311  # a measurement, not a secret
        while number < SAMPLES and (self.left > 0 or number < FIRST):
            sample, again = sampler.sample(chance), chance.getrandbits(62)
            self._pay_price(SHUFFLE * len(sampler.hidden))
            for tally in racing:
                self._play_out(sample.copy(), tally, Random(again))  # noqa: S311  # ditto
            number += 1
            if number >= check:
                check *= GROWTH
                racing = _give_up(racing, kept)
                if len(racing) == 1 and len(tallies) > 1 and number >= FIRST * 8:
                    break
        return tallies

    def count_room(self, given: float) -> int:
        """Return the number of actions that this budget covers at the cost of playouts so far."""
        usual = self.spent / self.playouts if self.playouts else USUAL
        return max(2, min(WIDEST, int(given / (FIRST * usual))))

    def _pay_price(self, price: float) -> None:
        self.left -= price
        self.spent += price

    def _play_out(self, d: Deal, tally: ActionTally, rng: Random) -> None:
        """Play one action, then all seats by the policy, and count the outcome."""
        if tally.action:
            d.apply(self.seat, tally.action)
        step, steps, listed = self.policy.step, 0, 0
        while not d.over and steps < CAP:
            listed += len(d.menu.actions)
            step(d, rng)
            steps += 1
        self._pay_price(DEAL + self.price * steps + self.listed * listed)
        self.playouts += 1
        self._count_playout(d, tally)

    def _count_playout(self, d: Deal, tally: ActionTally) -> None:
        if not d.over:  # endless by this policy: an even share
            tally.shares.append(1 / d.seats)
            tally.places += (d.seats + 1) // 2
            return
        places = d.places
        place = places[self.seat]
        tally.shares.append(1 / places.count(1) if place == 1 else 0.0)
        tally.places += place
        if self.adds:
            tally.points += d.points[self.seat]


def _give_up(racing: list[ActionTally], kept: str) -> list[ActionTally]:
    """Return the actions that may still be the best, and the one that is kept."""
    best = max(racing, key=lambda tally: tally.mean)
    near: list[ActionTally] = []
    for tally in sorted(racing, key=lambda tally: -tally.mean):
        gap, error = compare_tallies(best, tally)
        if tally is best or tally.action == kept or (gap <= BEHIND * error and len(near) < MOST):
            near.append(tally)
    return [tally for tally in racing if tally in near]


def list_playable(sampler: Sampler, actions: Sequence[str], taken: str, room: int) -> list[str]:
    """Return at most `room` actions that the samples allow; lies are left out first.

    A late call may no longer be possible.
    """
    sample = sampler.sample(Random(0))  # noqa: S311  # ditto
    found = []
    for action in dict.fromkeys([taken, *_thin_out(actions, room)]):
        try:
            sample.copy().apply(sampler.seat, action)
        except IllegalAction:
            continue
        found.append(action)
    return found


def _thin_out(actions: Sequence[str], room: int) -> list[str]:
    """Return a sample of the actions, evenly spread, with true claims before false ones."""
    true = [action for action in actions if "~" not in action or action[:2] == action[3:5]]
    lies = [action for action in actions if action not in true]
    kept = true[:: -(-len(true) // room)] if true else []
    left = room - len(kept)
    return kept + (lies[:: -(-len(lies) // left)] if lies and left > 0 else [])
