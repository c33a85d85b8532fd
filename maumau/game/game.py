"""A game: consecutive deals, to a target, for a number of rounds, or until one player has lives left."""

from __future__ import annotations

import hashlib

from msgspec.structs import replace

from maumau.errors import BadDeal, BadRule, GameOver, IllegalAction
from maumau.game.deal import Deal, deal, deal_by_hand
from maumau.game.model.chance import deal_seed
from maumau.game.model.state import GIVEN_UP
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.play.start import compile_rules
from maumau.game.ruleset.growth import add_rule, has_earned_rule, list_addable_rules
from maumau.game.ruleset.rules import Rules
from maumau.game.seen import View
from maumau.game.table.score import count_points

BLOCKED = 3  # this many blocked deals in a row cost the fullest hand a life


class Game:
    """Consecutive deals under the same rules. `deal` is the present one; `next` deals the following one.

    Where hands are scored, points are added up until a total reaches the target, and the lowest total wins;
    where the points are for winning, the highest.
    Where there are lives, the loser of a deal loses one, and the last player left wins.
    Elsewhere a game is one deal, or as many as the option `rounds` says, and the most wins win.
    Who forfeits a deal unplayed has lost the game, which ends when no two others are left.
    Where rules can be added, `asks` is `rule` when a deal is over and its winner may add one;
    at any other time it is that of the deal.
    """

    def __init__(self, rules: Rules, seats: int, seed: str, first: Deal | None = None) -> None:
        self.rules = rules
        self.seats = seats
        self.seed = seed
        self.number = 0
        self._blocked = 0
        self._before = [0] * seats
        self._lost = [0] * seats
        self._fell: dict[int, int] = {}  # by seat: the number of the deal that cost its last life
        self.past: list[Deal] = []
        self._scores: list[list[int]] = []  # after each past deal
        self.away: set[int] = set()  # seats that have left; they are dealt no cards
        self.coming = 0  # seats that join with the next deal
        self.said: dict[int, str] = {}  # by the number of the deal: the rule added by its winner, or `rule:-`
        self.deal = self._told(first or deal(rules, seats, deal_seed(seed, 0)))

    @property
    def total(self) -> list[int]:
        """The present total of each seat: points where hands are scored, else deals won."""
        if not self.deal.over:
            return self._before[:]
        reset = self.deal.compiled.count.reset
        totals = [before + now for before, now in zip(self._before, self._earned(), strict=True)]
        return [reset.get(total, total) for total in totals]

    def _earned(self) -> list[int]:
        if self.deal.compiled.count.adds():
            return self.deal.points
        return [int(seat == self.deal.winner) for seat in range(self.seats)]

    @property
    def lives(self) -> list[int] | None:
        """The present lives of each seat; None where there are none."""
        lives = self.deal.compiled.lives
        lost = self._lost[:]
        for seat in self._losers() if self.deal.over else []:
            lost[seat] += 1
        return [lives - count for count in lost] if lives else None

    def _losers(self) -> list[int]:
        """Return the losers of the deal: seats with faults, else the last with cards, or the fullest hand."""
        d = self.deal
        if d.faults:
            return sorted(d.faults)
        left = [seat for seat in range(self.seats) if d.made.dealt[seat] and d.active >> seat & 1]
        if len(left) == 1:
            return left
        if not self._stopped():
            counted = count_points(d)
            return [max(left, key=lambda seat: (counted[seat], -seat))]
        if self._blocked + 1 < BLOCKED:
            return []
        return [max(left, key=lambda seat: (d.hands[seat].bit_count(), count_points(d)[seat], -seat))]

    def _stopped(self) -> bool:
        """Return True if the deal ended undecided: blocked, or at the cap."""
        d = self.deal
        return not d.out or (d.compiled.places and d.active.bit_count() > 1)

    @property
    def over(self) -> bool:
        """True if the game has been decided by the deal that has just ended."""
        if not self.deal.over:
            return False
        played = self.number + 1
        if self.seats - len(self._given_up()) <= 1:
            return True
        rounds = self.rules.number("rounds")
        if played >= self.rules.number("max_hands") or (rounds and played >= rounds):
            return True
        if self.lives is not None:
            return sum(left > 0 for left in self.lives) <= 1
        count = self.deal.compiled.count
        if count.above:
            return max(self.total) > count.above
        return max(self.total) >= count.target if count.adds() and not rounds else not rounds

    @property
    def places(self) -> list[int]:
        """The place of each seat by its total (where there are lives, by these), from 1; equals share."""
        count = self.deal.compiled.count
        scores = self.total if count.adds() and not count.most_wins else [-won for won in self.total]
        if self.lives is not None:
            scores = [
                -left or self.number - self._fell.get(seat, self.number)
                for seat, left in enumerate(self.lives)
            ]
        lost = self._given_up()
        keys = [(seat in lost, score) for seat, score in enumerate(scores)]
        return [1 + sum(other < key for other in keys) for key in keys]

    def _given_up(self) -> set[int]:
        """Return the seats that have forfeited a deal of the game unplayed."""
        faults = [one.faults for one in (*self.past, self.deal) if one.faults]
        return {seat for each in faults for seat, kind in each.items() if kind in GIVEN_UP}

    @property
    def scores(self) -> list[list[int]]:
        """The lives of each seat after each deal where there are lives, else the totals."""
        return [*self._scores, self.lives or self.total]

    # --- decisions --------------------------------------------------------------------------------------

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that must decide now."""
        if not self.deal.over:
            return self.deal.to_act
        seat = self.deal.winner
        if seat is None or self.over or self.number in self.said:
            return ()
        players = sum(bool(hand) for hand in self.deal.made.dealt)
        right = has_earned_rule(self.rules, players, self._before[seat], self.total[seat])
        return (seat,) if right else ()

    @property
    def asks(self) -> str:
        """The kind of decision."""
        return self.deal.asks or ("rule" if self.to_act else "")

    def legal(self, seat: int) -> list[Action]:
        """Return the actions listed for a seat: those of the deal, or the rules that it may add."""
        if self.asks != "rule":
            return self.deal.legal(seat)
        if seat not in self.to_act:
            return []
        return [
            parse(text)
            for text in sorted(["rule:-", *(f"rule:{rule}" for rule in list_addable_rules(self.rules))])
        ]

    def apply(self, seat: int, action: Action | str) -> None:
        """Carry out an action of the deal, or add a rule; raise IllegalAction if it is not allowed."""
        if self.asks != "rule":
            self.deal.apply(seat, action)
            return
        rule = (parse(action) if isinstance(action, str) else action).plain
        if seat not in self.to_act or rule.word != "rule":
            raise IllegalAction(f"{rule}: {SEATS[self.to_act[0]]} may add a rule now, or none (rule:-)")
        if rule.detail != "-":
            try:
                self.rules = add_rule(self.rules, rule.detail)
            except BadRule as error:
                raise IllegalAction(str(error)) from None
        self.said[self.number] = rule.text

    def view(self, seat: int) -> View:
        """Return the view of a seat: its view of the deal, and the rules that it may add."""
        seen = self.deal.view(seat)
        if self.asks != "rule":
            return seen
        asked = "rule" if seat in self.to_act else ""
        legal = [rule.text for rule in self.legal(seat)]
        return replace(seen, ask=asked, legal=legal, totals=self.total, added=list(self.rules.added))

    @property
    def winner(self) -> int | None:
        """The seat that has won the game; None while it goes on, or if several share the first place."""
        first = [seat for seat, place in enumerate(self.places) if place == 1]
        return first[0] if self.over and len(first) == 1 else None

    def first(self) -> int:
        """Return the seat that leads the next deal: one clockwise from the last leader, or the winner."""
        hands = self.hands()
        winner = self.deal.winner if self.rules.word("first_player") == "winner" else None
        leader = (self.deal.made.first + 1) % len(hands) if winner is None else winner
        while not hands[leader]:
            leader = (leader + 1) % len(hands)
        return leader

    def hands(self) -> list[int]:
        """Return the number of cards of each seat in the next deal: 0 if it is out of the game or left it."""
        seats, lives = self.seats + self.coming, self.deal.compiled.lives
        full = compile_rules(self.rules, seats, len(self.away)).pack.hand
        left = (self.lives or [lives] * self.seats) + [lives] * self.coming
        sizes = [max(1, full - (lives - count)) if count > 0 or not lives else 0 for count in left]
        return [0 if seat in self.away else size for seat, size in enumerate(sizes)]

    def leave(self, seat: int) -> None:
        """Remove a seat between two deals, unconditionally; it keeps its points and may come back.

        GameOver if a deal goes on or the game is over; BadDeal if it is not in the game, or too few would
        be left.
        """
        self._between()
        if seat in self.away or not 0 <= seat < self.seats:
            raise BadDeal(f"seat {seat} is not in the game")
        if self.seats + self.coming - len(self.away) <= self.rules.seats[0]:
            raise BadDeal(f"{self.rules.name} is played by {self.rules.seats[0]} at least")
        self.away.add(seat)

    def join(self, seat: int | None = None) -> int:
        """Bring a seat back between two deals, or add a new one without points; return its number.

        GameOver if a deal goes on or the game is over; BadDeal if it has not left, or the table is full.
        """
        self._between()
        if seat is not None:
            if seat not in self.away:
                raise BadDeal(f"seat {seat} has not left")
            self.away.remove(seat)
            return seat
        if self.seats + self.coming >= self.rules.seats[1]:
            raise BadDeal(f"{self.rules.name} is played by {self.rules.seats[1]} at most")
        self.coming += 1
        return self.seats + self.coming - 1

    def _between(self) -> None:
        if self.over or not self.deal.over:
            raise GameOver

    def next(self) -> Deal:
        """Deal the next deal; GameOver if the game is over or the present deal is not.

        A winner who may add a rule and has not chosen one adds none.
        """
        if self.over or not self.deal.over:
            raise GameOver
        self._lapse()
        leader, sizes = self.first(), self.hands()
        self._book()
        seed = deal_seed(self.seed, self.number)
        differ = self.away or self.deal.compiled.lives
        self.deal = self._told(deal(self.rules, self.seats, seed, leader, sizes=sizes if differ else None))
        return self.deal

    def next_by_hand(
        self,
        hands: dict[int, str],
        up: str,
        stock: str,
        first: int | None = None,
        *,
        cut: str = "",
        rest: str = "",
    ) -> Deal:
        """Lay the next deal out, also when the game is over; GameOver if the present deal is not.

        Seats without a hand are not in it; a seat after the last one joins.
        """
        if not self.deal.over:
            raise GameOver
        self._lapse()
        self.coming = max(self.coming, max(hands) + 1 - self.seats)
        leader = self.first() if first is None else first
        self._book()
        full = {seat: hands.get(seat, "") for seat in range(self.seats)}
        self.deal = self._told(deal_by_hand(self.rules, full, up, stock, leader, cut=cut, rest=rest))
        return self.deal

    def _lapse(self) -> None:
        for seat in self.to_act:
            self.apply(seat, "rule:-")

    def follow(self, d: Deal) -> Deal:
        """Go on with the next deal as it was played elsewhere; BadDeal if this game deals another."""
        if not self.deal.over:
            raise GameOver
        self.coming = max(0, d.seats - self.seats)
        if d.made.by_hand:
            self._book()
        else:
            if not self.deal.compiled.lives:
                self.away = {seat for seat, size in enumerate(d.made.sizes) if not size}
            self.next()
        return self.put(d)

    def put(self, d: Deal) -> Deal:
        """Have the present deal as it was played elsewhere; BadDeal if it is another deal."""
        if _get_deal_identity(d)[:2] != _get_deal_identity(self.deal)[:2] or not (
            d.made.by_hand or _get_deal_identity(d) == _get_deal_identity(self.deal)
        ):
            raise BadDeal(f"this is not deal {self.number} of the game")
        self.deal = self._told(d)
        return d

    def _book(self) -> None:
        losers, lives = self._losers(), self.lives
        self._before = self.total
        self._blocked = self._blocked + 1 if self._stopped() and not losers else 0
        for seat in losers:
            self._lost[seat] += 1
            if lives is not None and lives[seat] == 0:
                self._fell[seat] = self.number
        self._scores.append(lives or self._before[:])
        self.past.append(self.deal)
        self.number += 1
        self.seats += self.coming
        self._before += [0] * self.coming
        self._lost += [0] * self.coming
        self.coming = 0

    def _told(self, d: Deal) -> Deal:
        """Return the deal with the totals and lives that its players know of the game."""
        if d.compiled.count.adds():
            d.made.totals = self._before[:]
        if d.compiled.lives:
            d.made.lives = [d.compiled.lives - lost for lost in self._lost]
        return d


def _get_deal_identity(d: Deal) -> tuple[object, ...]:
    """Return the values that determine a deal: rules, seats, seed, leader, and the sizes of the hands."""
    return d.rules.hash, d.seats, d.seed.text, d.made.first, d.made.sizes


def hash_game(rules_hash: str) -> str:
    """Return the hash of whole games of these rules: a worker that plays single deals only has none such."""
    return hashlib.sha256(f"game {rules_hash}".encode()).hexdigest()
