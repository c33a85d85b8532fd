"""A deal: one hand of cards, played until it ends. The public entry point of this package."""

from __future__ import annotations

from maumau.errors import BadDeal, IllegalAction
from maumau.game.legal.decision import refresh_decision
from maumau.game.model.chance import Chance, Seed, ShuffleEpoch
from maumau.game.model.move import Move
from maumau.game.model.state import FORFEITS, NOBODY, Made, State
from maumau.game.notation import cards
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.event import Secret
from maumau.game.play import start, turn
from maumau.game.play.run import RUNS, carry_out_reply
from maumau.game.playout import RANDOM, Policy, play_on
from maumau.game.reason import explain_refusal
from maumau.game.ruleset.rules import Rules
from maumau.game.seen import View
from maumau.game.swiss.sips import count_sips
from maumau.game.table import score, window
from maumau.game.table.end import finish_deal
from maumau.game.view import build_view


class Deal(State):
    """A deal in progress; `deal` and `deal_by_hand` make one.

    `to_act` are the seats that must decide now, `asks` the kind of decision, `over` and `winner` the end.
    """

    __slots__ = ()

    def legal(self, seat: int) -> list[Action]:
        """Return the actions listed for a seat in canonical form; none if it is not to act."""
        if seat == self.seat:
            return self.menu.actions.copy()
        return window.list_replies(self, seat)

    def due(self, seat: int, action: Action) -> str:
        """Return the call that this listed action owes now: "", "!" or "!!"."""
        if self.hands[seat].bit_count() > self.compiled.largest_hand_owing_call:
            return ""
        return self.compiled.calls.get_due_call(self, seat, action)

    def also(self, seat: int) -> list[str]:
        """Return the late calls and accusations that this seat may send now, besides what is listed."""
        if window.is_window_busy(self):
            return []
        calls = self.compiled.calls
        late = ["!", "!!"] if calls.may_call_late(self, seat) else []
        return late + calls.list_accusations(self, seat)

    def allows(self, seat: int, action: Action | str) -> bool:
        """Return True if `apply` would accept this action."""
        if isinstance(action, str):
            action = parse(action)
        if seat == self.seat and (
            action.bare in self.menu.moves
            or (self.compiled.has_unlisted_actions and find_unlisted_move(self, action))
        ):
            return True
        return window.accepts_reply(self, seat, action) or str(action) in self.also(seat)

    def apply(self, seat: int, action: Action | str) -> None:
        """Carry out an action; raise IllegalAction, and change nothing, if it is not allowed."""
        if isinstance(action, str):
            action = parse(action)
        move = self.menu.moves.get(action.bare)
        if move is None or seat != self.seat:
            move = (
                find_unlisted_move(self, action)
                if self.compiled.has_unlisted_actions and seat == self.seat
                else None
            )
            if move is None:
                self._apply_out_of_turn(seat, action)
                return
        self.left -= 1
        run = move.run  # Python 3.11 looks a function up faster in a slot than it calls it there
        if run is None:
            run = move.run = RUNS[move.kind]
        run(self, seat, move, action)
        if not self.left and not self.over:
            finish_deal(self)

    def _apply_out_of_turn(self, seat: int, action: Action) -> None:
        """Carry out an action of a seat not on turn: a reply to a window, a late call, an accusation."""
        if not 0 <= seat < self.seats or self.over:
            raise IllegalAction(explain_refusal(self, seat, action))
        if carry_out_reply(self, seat, action):
            return
        if window.is_window_busy(self):
            raise IllegalAction(explain_refusal(self, seat, action))
        if self.compiled.calls.handle_accusation(self, seat, action):
            turn.hold_hearing(self)
            if self.seat != NOBODY:
                refresh_decision(self, self.seat)
        elif action.word != "!" or not self.compiled.calls.make_late_call(self, seat, action):
            raise IllegalAction(explain_refusal(self, seat, action))
        elif seat == self.seat:  # the word may have set its last card free
            refresh_decision(self, seat)

    def copy(self) -> Deal:
        """Return an independent copy of the deal."""
        twin = Deal()
        twin.fill(self)
        return twin

    def play_out(self, rng: Chance, policy: Policy = RANDOM, most: int = 0) -> tuple[int, int]:
        """Play on by a policy, to the end or for `most` actions (0: no limit), with the calls owed.

        Return the number of actions and of all that were listed with them for seats on turn.
        """
        return play_on(self, rng.random, policy, most)

    def play_out_many(self, number: int, rng: Chance, policy: Policy = RANDOM) -> list[Deal]:
        """Return this many copies, each played to its end by a policy."""
        draw, twins = rng.random, []
        for _ in range(number):
            twin = self.copy()
            play_on(twin, draw, policy, 0)
            twins.append(twin)
        return twins

    def can_lose(self, seat: int) -> bool:
        """Return True if a fault now loses the deal: it goes on, and the seat is in it and not yet out."""
        is_dealt = not self.made.dealt or bool(self.made.dealt[seat])
        return not self.over and is_dealt and seat not in self.out

    def forfeit(self, seat: int, kind: str) -> None:
        """Record a fault: the seat has lost the deal, and a stand-in plays on for it.

        A seat that has gone out loses its place, and with it the win: the next one out has won. Raise
        IllegalAction, and change nothing, if the deal is over or the seat is not in it.
        """
        is_of_now = self.made.forfeits == FORFEITS
        if self.over and is_of_now:
            raise IllegalAction("the deal is over: nobody can lose it any more")
        if not 0 <= seat < self.seats or (self.made.dealt and not self.made.dealt[seat] and is_of_now):
            raise IllegalAction(f"no seat {seat} plays in this deal")
        self.compiled.calls.note_closed_windows(self)
        self.log.append(f"forfeit {SEATS[seat]} {kind}")
        self.faults.setdefault(seat, kind)
        if self.winner == seat and is_of_now:
            self.winner = next((other for other in self.out if other not in self.faults), None)

    @property
    def places(self) -> list[int]:
        """The place of each seat, from 1; equals share the best number. Only when the deal is over."""
        return score.rank_seats(self)

    @property
    def points(self) -> list[int]:
        """The points of each seat. Only when the deal is over."""
        return score.count_points(self)

    @property
    def stats(self) -> dict[str, list[int]]:
        """Statistics without effect on the deal, by name and seat; only those that the variant has."""
        return {"sips": count_sips(self)} if self.compiled.kings.cards else {}

    @property
    def events(self) -> list[str]:
        """All events, including their hidden parts."""
        return [event.full if isinstance(event, Secret) else event for event in self.log]

    def view(self, seat: int, start: int = 0) -> View:
        """Return the seat's present view, with the events from number `start` on."""
        return build_view(self, seat, start)

    def seen(self, seat: int, start: int = 0) -> list[str]:
        """Return the events as a seat has seen them, from event number `start` on."""
        return [
            event if isinstance(event, str) else event.full if event.owner == seat else event.shown
            for event in (self.log[start:] if start else self.log)
        ]

    def watched(self, start: int = 0) -> list[str]:
        """Return the events as a watcher sees them, who sees no hand."""
        return self.seen(NOBODY, start)


def find_unlisted_move(d: Deal, action: Action) -> Move | None:
    """Return the move of an unlisted but allowed action of the seat on turn: another order, or a foul."""
    for feature in d.compiled.hooks.find_unlisted:
        move = feature.find_unlisted(d, action)
        if move is not None:
            return move
    return None


def deal(rules: Rules, seats: int, seed: str, first: int = 0, *, sizes: list[int] | None = None) -> Deal:
    """Deal for this many seats; seat 0 leads, or the one named. All chance comes from the seed, any text.

    `sizes` are the cards for each seat where they differ; a seat with none is not in this deal.
    """
    away = 0 if sizes is None else sizes.count(0)
    blank = rules.kept.get(("blank", seats, away))
    d = (blank if isinstance(blank, Deal) else _prepare_blank_deal(rules, seats, away)).copy()
    d.made = Made()
    ready = Seed(seed)
    d.epoch = ShuffleEpoch(0, 0, 0, ready)
    d.made.first = first
    if sizes is not None:
        d.made.sizes = sizes
        d.active = sum(1 << seat for seat, size in enumerate(sizes) if size)
        if len(sizes) != seats or min(sizes) < 0 or d.active.bit_count() < 2 or not d.active >> first & 1:
            raise BadDeal(f"{sizes} are not hands for {seats} seats with seat {first} first")
    start.deal_from_seed(d, ready)
    return d


def _prepare_blank_deal(rules: Rules, seats: int, away: int) -> Deal:
    """Return a deal before dealing, which is cached and copied."""
    blank = Deal()
    blank.clear(start.compile_rules(rules, seats, away), Seed(""))
    rules.kept["blank", seats, away] = blank
    return blank


def deal_by_hand(
    rules: Rules,
    hands: dict[int, str],
    up: str,
    stock: str,
    first: int = 0,
    seed: str = "",
    *,
    cut: str = "",
    rest: str = "",
) -> Deal:
    """Return a deal laid out: hands by seat, up card, stock from its top, cards under it, and a cut."""
    seats = len(hands)
    if sorted(hands) != list(range(seats)) or not 0 <= first < seats:
        raise BadDeal(f"the hands are those of seats 0 to {seats - 1}, and one of these is first")
    d = Deal()
    away = sum(not hand.split() for hand in hands.values())
    d.clear(start.compile_rules(rules, seats, away), Seed(seed))
    d.made.by_hand = True
    d.made.first = first
    parts = [cards.codes_of(hands[seat]) for seat in range(seats)]
    parts += [[cards.code_of(up)], cards.codes_of(cut), cards.codes_of(stock), cards.codes_of(rest)]
    laid = iter(cards.number_copies(code for part in parts for code in part))
    made = [[next(laid) for _ in part] for part in parts]
    d.made.dealt, (d.made.up,), d.made.cut = made[:seats], made[seats], made[seats + 1]
    d.made.laid = tuple(made[seats + 2])
    d.epoch = ShuffleEpoch(0, 0, 0, d.seed, d.made.laid)
    d.made.rest = tuple(made[seats + 3])
    start.check_cards_in_pack(d)
    d.made.full = sum(sum(part) for part in made)
    if d.made.cut:
        start.ask_cut(d)
    else:
        start.turn_up_card(d, [list(hand) for hand in d.made.dealt])
    return d


def first_action(d: Deal, seat: int) -> Action:
    """Return the stand-in's choice: the first listed action and the call it owes."""
    action = d.legal(seat)[0]
    return action + d.due(seat, action)
