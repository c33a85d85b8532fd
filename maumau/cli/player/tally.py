"""The score of several deals that the same players play one after another, and the end of a game. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from maumau.errors import BadRequest, BadSpec
from maumau.screen.output import count_things

if TYPE_CHECKING:
    from maumau.game import Rules


class GameGoal(NamedTuple):
    """The end of a game of several deals, and the rule for its winner.

    rounds: number of its deals, or 0. points: a total that ends it, or 0. most: deals after which it ends in
    any case. most_wins: the highest total wins, else the lowest. has_points: totals are points, else deals
    won. reset: totals that become others.
    """

    rounds: int
    points: int
    most: int
    most_wins: bool
    has_points: bool
    reset: Mapping[int, int]

    def __str__(self) -> str:
        if self.rounds:
            return f"game of {count_things(self.rounds, 'deal')}"
        return f"game to {count_things(self.points, 'point')}"


def find_goal(rules: Rules, seats: int) -> GameGoal | None:
    """Return when a game by these rules ends; None where one deal is a game, or where there are lives."""
    from maumau.game.play.start import compile_rules

    compiled = compile_rules(rules, seats)
    count, rounds = compiled.count, rules.number("rounds")
    points = count.above + 1 if count.above else count.target if count.adds() and not rounds else 0
    if compiled.lives or not (rounds or points):
        return None
    most_wins = count.most_wins or not count.adds()
    return GameGoal(rounds, points, rules.number("max_hands"), most_wins, count.adds(), count.reset)


def set_goal(rules: Rules, target: int | None, rounds: int | None) -> Rules:
    """Return the rules of a game to this many points or of this many deals, as contests play it.

    Without both, return them as they are.

    Raises:
        BadRequest: The variant has no such game.
    """
    if target is None and rounds is None:
        return rules
    from maumau.contest.whole_game import WholeGame, build_options
    from maumau.game import load_any

    try:
        wanted = WholeGame(target=target, rounds=rounds)
        chosen = build_options(wanted, rules.name, rules.chosen, rules.text, "game")
    except BadSpec as error:
        told = str(error).removeprefix("game.").replace("options.scoring = true", "--option scoring=true")
        raise BadRequest(told) from None
    game = load_any(rules.name, rules.text, **chosen)
    if find_goal(game, game.seats[0]) is None:
        key = "rounds" if target is None else "target"
        raise BadRequest(f"{key}: a game of {rules.name} is decided by lives, which are not counted here.")
    return game


class DealTally:
    """Deals won and points by player, in the order in which they sat in the first deal.

    goal: of the game that the deals are, or None for deals without an end.
    """

    def __init__(self, goal: GameGoal | None = None) -> None:
        self.goal = goal
        self.deals = 0
        self._won: Counter[str] = Counter()
        self._points: Counter[str] = Counter()

    def add(self, players: Sequence[str], end: Mapping[str, Any]) -> None:
        """Count a deal; players: by seat. A deal in which several are first is won by nobody."""
        self.deals += 1
        first = [seat for seat, place in enumerate(end["places"]) if place == 1]
        reset = self.goal.reset if self.goal else {}
        for seat, player in enumerate(players):
            self._won[player] += int(first == [seat])
            total = self._points[player] + end["points"][seat]
            self._points[player] = reset.get(total, total)

    @property
    def is_over(self) -> bool:
        """True if the last deal has ended the game."""
        if self.goal is None or not self.deals:
            return False
        if self.deals >= min(self.goal.rounds or self.goal.most, self.goal.most):
            return True
        return bool(self.goal.points) and max(self._points.values()) >= self.goal.points

    def __str__(self) -> str:
        won = ", ".join(f"{player} {count}" for player, count in self._won.items())
        points = ", ".join(f"{player} {count}" for player, count in self._points.items())
        of = f" of a {self.goal}" if self.goal else ""
        told = f"After {count_things(self.deals, 'deal')}{of}: won {won}"
        return f"{told}; points {points}" if any(self._points.values()) else told

    def tell_winner(self) -> str:
        """Return who has won the game, with what, and what the others have."""
        assert self.goal
        totals, thing = (self._points, "point") if self.goal.has_points else (self._won, "deal")
        best = (max if self.goal.most_wins else min)(totals.values())
        first = [player for player in totals if totals[player] == best]
        who, much = " and ".join(first), count_things(best, thing)
        verb = "win" if first == ["you"] else "wins"
        what = f"{who} {verb} with {much}" if len(first) == 1 else f"{who} share first place with {much} each"
        others = ", ".join(f"{player} {count}" for player, count in totals.items() if player not in first)
        after = f" after {count_things(self.deals, 'deal')}" if self.deals != self.goal.rounds else ""
        if self.deals == self.goal.most and after:
            after += ", the most it may have"
        return f"The {self.goal} is over{after}: {what}{f'; {others}' if others else ''}."
