"""A deal: one hand of cards, played until it ends. The one door to the rooms of this package."""

from __future__ import annotations

from maumau.errors import BadDeal, IllegalAction
from maumau.game import call, cards, score, start, turn, window
from maumau.game.action import SEATS, Action, parse
from maumau.game.chance import Seed
from maumau.game.end import finish_deal
from maumau.game.event import Secret
from maumau.game.foul import find_foul
from maumau.game.move import Move
from maumau.game.reason import explain_refusal
from maumau.game.rules import Rules
from maumau.game.seen import View
from maumau.game.sips import count_sips
from maumau.game.state import NOBODY, State
from maumau.game.together import find_unlisted_set
from maumau.game.view import build_view


class Deal(State):
    """A deal in progress; `deal` and `deal_by_hand` make one.

    `to_act` are the seats that must decide now, `asks` the kind of decision, `over` and `winner` the end.
    """

    __slots__ = ()

    def legal(self, seat: int) -> list[Action]:
        """The actions listed for a seat in canonical form; none if it is not to act."""
        if seat == self.seat:
            return self.menu.actions.copy()
        return window.list_replies(self, seat)

    def due(self, seat: int, action: Action) -> str:
        """The call that this listed action owes now: "", "!" or "!!"."""
        if self.hands[seat].bit_count() > self.largest_hand_owing_call:
            return ""
        return call.get_due_call(self, seat, action)

    def also(self, seat: int) -> list[str]:
        """The late calls and accusations that this seat may send now, besides what is listed."""
        if window.is_window_busy(self):
            return []
        late = ["!", "!!"] if call.may_call_late(self, seat) else []
        return late + call.list_accusations(self, seat)

    def allows(self, seat: int, action: Action | str) -> bool:
        """Whether `apply` would accept this."""
        if isinstance(action, str):
            action = parse(action)
        if seat == self.seat and (
            action.bare in self.menu.moves or (self.has_unlisted_actions and find_unlisted_move(self, action))
        ):
            return True
        return window.accepts_reply(self, seat, action) or str(action) in self.also(seat)

    def apply(self, seat: int, action: Action | str) -> None:
        """Carry out an action; IllegalAction says why it is not allowed, and nothing has changed."""
        if isinstance(action, str):
            action = parse(action)
        move = self.menu.moves.get(action.bare)
        if move is None or seat != self.seat:
            move = (
                find_unlisted_move(self, action) if self.has_unlisted_actions and seat == self.seat else None
            )
            if move is None:
                self._apply_out_of_turn(seat, action)
                return
        self.left -= 1
        run = move.run  # Python 3.11 looks a function up faster in a slot than it calls it there
        run(self, seat, move, action)
        if not self.left and not self.over:
            finish_deal(self)

    def _apply_out_of_turn(self, seat: int, action: Action) -> None:
        """What is done while another is on turn: a reply to a window, a late call, an accusation."""
        if not 0 <= seat < self.seats or self.over:
            raise IllegalAction(explain_refusal(self, seat, action))
        last = self.to_act == (seat,)  # asked together, all may reply, though it is one decision too many
        if window.keep_reply(self, seat, action):
            if last and self.left <= 0 and not self.over:
                finish_deal(self)
        elif window.is_window_busy(self):
            raise IllegalAction(explain_refusal(self, seat, action))
        elif call.handle_accusation(self, seat, action):
            if self.seat != NOBODY:
                turn.refresh_decision(self, self.seat)
        elif action.word != "!" or not call.make_late_call(self, seat, action):
            raise IllegalAction(explain_refusal(self, seat, action))
        elif seat == self.seat:  # the word may have set its last card free
            turn.refresh_decision(self, seat)

    def copy(self) -> Deal:
        """The same deal once more; neither hears of the other."""
        twin = Deal()
        twin.fill(self)
        return twin

    def forfeit(self, seat: int, kind: str) -> None:
        """Record a fault: the seat has lost the deal, and a stand-in plays on for it."""
        if self.court is not None:
            self.court.tell(self.log)
        self.log.append(f"forfeit {SEATS[seat]} {kind}")
        self.faults.setdefault(seat, kind)

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
        """What is counted without effect on the deal, by seat; only what the variant has."""
        return {"sips": count_sips(self)} if self.compiled.kings else {}

    @property
    def events(self) -> list[str]:
        """Everything that has happened, hidden parts and all."""
        return [event.full if isinstance(event, Secret) else event for event in self.log]

    def view(self, seat: int, start: int = 0) -> View:
        """What this seat sees now, with the events from number `start` on."""
        return build_view(self, seat, start)

    def seen(self, seat: int, start: int = 0) -> list[str]:
        """What a seat has seen happen, from event number `start` on."""
        return [
            event if isinstance(event, str) else event.full if event.owner == seat else event.shown
            for event in (self.log[start:] if start else self.log)
        ]

    def watched(self, start: int = 0) -> list[str]:
        """What somebody who sees no hand has seen happen."""
        return self.seen(NOBODY, start)


def find_unlisted_move(d: Deal, action: Action) -> Move | None:
    """The move of what the seat on turn may do though it is not listed: another order, or a foul."""
    return find_unlisted_set(d, action) or find_foul(d, action)


def deal(rules: Rules, seats: int, seed: str, first: int = 0, *, sizes: list[int] | None = None) -> Deal:
    """Deal for this many seats; seat 0 leads, or the one named. All chance comes from the seed, any text.

    `sizes` are the cards for each seat where they differ; a seat with none is not in this deal.
    """
    away = 0 if sizes is None else sizes.count(0)
    blank = rules.blanks.get(seats + 16 * away) or _prepare_blank_deal(rules, seats, away)
    d = blank.copy()
    d.seed = ready = Seed(seed)
    d.first = first
    if sizes is not None:
        d.sizes = sizes
        d.active = sum(1 << seat for seat, size in enumerate(sizes) if size)
        if len(sizes) != seats or min(sizes) < 0 or d.active.bit_count() < 2 or not d.active >> first & 1:
            raise BadDeal(f"{sizes} are not hands for {seats} seats with seat {first} first")
    start.deal_from_seed(d, ready)
    return d


def _prepare_blank_deal(rules: Rules, seats: int, away: int) -> Deal:
    """A deal before it is dealt, kept to be copied."""
    blank = Deal()
    blank.clear(rules, start.compile_rules(rules, seats, away), Seed(""))
    rules.blanks[seats + 16 * away] = blank
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
    """A deal laid out: hands by seat, the up card, the stock from its top, what lies under it, a cut."""
    seats = len(hands)
    if sorted(hands) != list(range(seats)) or not 0 <= first < seats:
        raise BadDeal(f"the hands are those of seats 0 to {seats - 1}, and one of these is first")
    d = Deal()
    away = sum(not hand.split() for hand in hands.values())
    d.clear(rules, start.compile_rules(rules, seats, away), Seed(seed))
    d.by_hand = True
    d.first = first
    parts = [cards.codes_of(hands[seat]) for seat in range(seats)]
    parts += [[cards.code_of(up)], cards.codes_of(cut), cards.codes_of(stock), cards.codes_of(rest)]
    laid = iter(cards.number_copies(code for part in parts for code in part))
    made = [[next(laid) for _ in part] for part in parts]
    d.dealt, (d.up,), d.cut = made[:seats], made[seats], made[seats + 1]
    d.laid = d.order = tuple(made[seats + 2])
    d.rest = tuple(made[seats + 3])
    start.check_cards_in_pack(d)
    d.full = sum(sum(part) for part in made)
    if d.cut:
        start.ask_cut(d)
    else:
        start.turn_up_card(d, [list(hand) for hand in d.dealt])
    return d


def first_action(d: Deal, seat: int) -> Action:
    """The stand-in's choice: the first listed action and the call it owes."""
    action = d.legal(seat)[0]
    return action + d.due(seat, action)
