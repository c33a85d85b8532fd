"""Rules of what only some variants have, compiled: calls, lying, kings thrown in, queen rounds, dealing."""

from __future__ import annotations

from typing import Final

from maumau.game.notation import cards
from maumau.game.ruleset.clause import Blind as BlindClause
from maumau.game.ruleset.clause import Call, Comeback
from maumau.game.ruleset.power import require_known_word, require_number, require_truth, select_cards
from maumau.game.ruleset.rules import Rules

UNTIL: Final = ("play", "next_action", "own_turn", "own_zug", "next_zug")
PENALTIES: Final = ("deal_add", "replace", "cannot_lay_last")


NO_CALL: Final = Call(others=False, penalty=0)


class CallRule:
    """A call that must be made: the cards of the special one, the deadline, the penalty.

    Where a variant has no clause of it, it does not apply: no card owes it, and it costs nothing.
    """

    __slots__ = ("applies", "at_once", "double", "locks", "others", "own_zug", "penalty", "replaces")

    def __init__(self, calls: list[Call], hand: int, copies: int) -> None:
        self.applies = bool(calls)
        call = calls[-1] if calls else NO_CALL
        self.double = cards.spread_copies(select_cards(call.double), copies)
        self.others = call.others
        self.at_once = require_known_word("until", call.until, UNTIL) == "play"
        self.own_zug = call.until == "own_zug"
        self.locks = call.penalty == "cannot_lay_last"
        self.replaces = call.penalty == "replace"
        if isinstance(call.penalty, str):
            require_known_word("penalty", call.penalty, PENALTIES)
            self.penalty = 0 if self.locks else hand
        else:
            self.penalty = require_number("penalty", call.penalty)


class BlindRule:
    """Rules of face-down play: which claims are allowed, and the price of a wrong doubt and of a lie.

    Where a variant has no clause of it, they do not apply.
    """

    __slots__ = (
        "applies",
        "caught_draw",
        "caught_over",
        "caught_return",
        "legal",
        "wrong_draw",
        "wrong_miss",
    )

    def __init__(self, clauses: list[BlindClause]) -> None:
        self.applies = bool(clauses)
        clause = clauses[-1] if clauses else BlindClause()
        self.legal = require_truth("claim_legal", clause.claim_legal)
        self.wrong_draw = require_number("wrong_draw", clause.wrong_draw)
        self.wrong_miss = require_truth("wrong_miss", clause.wrong_miss)
        self.caught_return = self.applies and require_truth("caught_return", clause.caught_return)
        self.caught_draw = require_number("caught_draw", clause.caught_draw)
        self.caught_over = require_truth("caught_over", clause.caught_over)


class KingRule:
    """Rules of cards thrown in out of turn: on which cards, until when, and whose turn follows."""

    __slots__ = ("cards", "mirrored", "next_zug", "row", "turn")

    def __init__(self, rules: Rules, kings: int, mirrored: int) -> None:
        self.cards = kings
        self.mirrored = mirrored  # cards that may count as one
        self.next_zug = bool(kings) and rules.word("king_window") == "next_zug"
        self.turn = rules.word("king_turn")
        self.row = rules.number("king_row_min", 1)


class QueenRule:
    """Rules of queen rounds: no cards where there are none."""

    __slots__ = ("callers", "cards", "playable", "shown")

    def __init__(self, rules: Rules, queens: int, mirrored: int) -> None:
        self.cards = queens
        self.playable = queens | mirrored if queens else 0
        self.callers = queens if rules.flag("qr_real_queens") else self.playable
        self.shown = rules.flag("qr_show_two")


class DealingRule:
    """Rules of the start of a deal: the up card, the cut, the dealer's errors."""

    __slots__ = ("cut", "cut_counts", "cut_most", "errors", "start", "start_wild")

    def __init__(self, rules: Rules) -> None:
        self.start = rules.word("start_card")
        self.errors = rules.number("deal_error_rate")
        self.start_wild = rules.word("start_wild")
        self.cut = rules.flag("cut_on")
        self.cut_counts = rules.options.get("cut_kept_count_in_deal", True) is True
        self.cut_most = rules.number("cut_max_repeat", 100)


class DrawRule:
    """Rules of drawing: when it is allowed, what may be laid after it, when the pile is shuffled."""

    __slots__ = ("keeps_chain", "may_play", "must_play", "until_playable", "voluntary", "when_empty")

    def __init__(self, rules: Rules) -> None:
        self.voluntary = rules.flag("voluntary_draw")
        self.may_play = rules.word("may_play_drawn")
        if "play_after_draw" in rules.options:
            self.may_play = "drawn_only" if rules.flag("play_after_draw") else "none"
        self.must_play = rules.flag("must_play_drawn")
        self.until_playable = rules.flag("draw_until_playable")
        self.when_empty = rules.word("reshuffle_when") == "when_empty"
        self.keeps_chain = rules.word("reshuffle_keep") == "top_and_chain"


class OrderRule:
    """Rules of the order of play: the direction at the start, double reversals, who answers missed turns."""

    __slots__ = ("all_respond", "direction", "reverse_again")

    def __init__(self, rules: Rules) -> None:
        self.direction = rules.number("initial_dir", 1)
        self.reverse_again = rules.word("reverse_two") == "again"
        self.all_respond = rules.word("skip_responder") == "all"


class ComebackRule:
    """Rules for players without cards, who have won only when their turn comes: who is brought back."""

    __slots__ = ("applies", "cards", "skip_extends")

    def __init__(self, clauses: list[Comeback]) -> None:
        self.applies = bool(clauses)
        self.cards = sum(select_cards(back.cards) for back in clauses)
        self.skip_extends = any(back.skip_extends is True for back in clauses)
