"""Scenarios: rules by example. A scenario is dealt by hand, played step by step, and checked on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from maumau.errors import IllegalAction, MaumauError, ScenarioFailed, UnreadableAction
from maumau.game.deal import Deal, deal_by_hand
from maumau.game.game import Game
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, STRIDE, SUITS, codes_of, list_names
from maumau.game.notation.event import IN, Secret
from maumau.game.play.start import compile_rules
from maumau.game.record import record
from maumau.game.ruleset.own import load_any
from maumau.game.ruleset.rules import Rules
from maumau.game.table import side

Step = Mapping[str, Any]
QUIET: Final = ("window", "appeal")  # windows in which a silent seat holds
PAST: Final = ("turn", "asks", "legal", "offers", "offers_not")  # checks that skip windows without reactions
NONE: Final = (None, "none")
TOP: Final = {"id", "says", "cite", "rules", "variant", "options", "deal", "first", "steps", "confidence"}


def run_scenario(scenario: Mapping[str, Any]) -> None:
    """Play a scenario; raise ScenarioFailed with the step, the expected and the actual value."""
    unknown = set(scenario) - TOP
    if unknown:
        raise ScenarioFailed(f"unknown key {', '.join(sorted(unknown))}")
    _check_shape(scenario)
    rules = load_any(scenario["rules"], scenario.get("variant", ""), **(scenario.get("options") or {}))
    play = ScenarioPlay(rules, scenario)
    for number, step in enumerate(scenario["steps"], 1):
        try:
            play.step(number - 1, step)
        except ScenarioFailed as failure:
            raise ScenarioFailed(f"step {number}, {failure}") from None
        except MaumauError as error:
            raise ScenarioFailed(f"step {number}, {_format_value(step)}: {error}") from None


def _check_shape(scenario: Mapping[str, Any]) -> None:
    missing = [key for key in ("rules", "deal", "steps") if key not in scenario]
    if missing:
        raise ScenarioFailed(f"it does not say {', '.join(missing)}")
    if not isinstance(scenario["deal"], Mapping):
        raise ScenarioFailed("deal is not a table of hands, such as {A: 7H 9C, B: 8H, up: 9H}")
    if not isinstance(scenario.get("variant", ""), str):
        raise ScenarioFailed("variant is not the text of a variant's file")
    steps = scenario["steps"]
    if not isinstance(steps, list) or not all(isinstance(step, Mapping) for step in steps):
        raise ScenarioFailed("steps is not a list of steps, such as [{A: 7H}, {turn: B}]")
    if scenario.get("first", "A") not in list(SEATS):
        raise ScenarioFailed(f"first is not a seat: the seats are {' '.join(SEATS)}")


class ScenarioPlay:
    """A scenario under way."""

    def __init__(self, rules: Rules, scenario: Mapping[str, Any]) -> None:
        self.rules = rules
        self.steps: list[Step] = scenario["steps"]
        dealt = build_deal_arguments(rules, scenario["deal"])
        first = SEATS.index(scenario.get("first", "A"))
        self.game = Game(rules, len(dealt["hands"]), "", deal_by_hand(rules, first=first, **dealt))
        self.since = 0

    @property
    def deal(self) -> Deal:
        """The present deal."""
        return self.game.deal

    def step(self, at: int, step: Step) -> None:
        """Act, deal the next deal, or check."""
        if "next" in step:
            self._hold_unless({})
            dealt = dict(step["next"])
            first = dealt.pop("first", None)
            leader = None if first is None else SEATS.index(first)
            self.game.next_by_hand(first=leader, **build_deal_arguments(self.rules, dealt))
            self.since = 0
        elif _is_action_step(step):
            self._hold_unless(step)
            self.since = len(self.deal.log)
            self._act(step)
        else:
            self._hold_unless(next((later for later in self.steps[at:] if _is_action_step(later)), {}))
            for name, wanted in step.items():
                self._check(name, wanted)

    def _hold_unless(self, step: Step) -> None:
        """Let everybody hold at once unless the next step that acts answers the open window."""
        d = self.deal
        while not _answers_question(d, step) and d.asks in QUIET:
            d.apply(d.to_act[0], "hold")

    def _act(self, step: Step) -> None:
        d = self.deal
        asked = d.to_act
        said: set[str] = set()
        for seat, text in step.items():
            if _only_holds(d, step, seat) or text in said:
                continue
            self.game.apply(SEATS.index(seat), str(text))
            if str(text).startswith("accuse@"):
                said.add(str(text))  # "one accusation per violation": the first seat accuses
        if len(asked) > 1:
            for other in asked:
                if d.asks == "window" and other in d.to_act and SEATS[other] not in step:
                    d.apply(other, "hold")

    def _silent(self) -> bool:
        """Return True if the open window offers nothing to lay: accusations can wait until it closes."""
        d = self.deal
        return d.asks == "window" and all(len(d.legal(seat)) == 1 for seat in d.to_act)

    def _past(self, check: Callable[[ScenarioPlay, Any], Any], wanted: Any) -> Any:
        """Return the check's result after all have held, on a copy of the deal."""
        here, self.game.deal = self.deal, self.deal.copy()
        while self._silent():
            self.deal.apply(self.deal.to_act[0], "hold")
        found = check(self, wanted)
        self.game.deal = here
        return found

    def _check(self, name: str, wanted: Any) -> None:
        check = CHECKS.get(name)
        if check is None:
            raise ScenarioFailed(f"unknown check {name}; known: {', '.join(sorted(CHECKS))}")
        found = check(self, wanted)
        if found != wanted and name in PAST and self._silent():
            found = self._past(check, wanted)
        if found != wanted:
            raise ScenarioFailed(f"expected {name} {_format_value(wanted)}, got {_format_value(found)}")


def build_deal_arguments(rules: Rules, dealt: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of deal_by_hand for a scenario's deal."""
    hands = {SEATS.index(key): _join_cards(value) for key, value in dealt.items() if key in SEATS}
    unknown = set(dealt) - {*SEATS, "up", "stock", "rest", "cut"}
    if unknown:
        raise ScenarioFailed(f"unknown key {', '.join(sorted(unknown))} in the deal")
    up, stock, cut = (_join_cards(dealt.get(key)) for key in ("up", "stock", "cut"))
    rest = ""
    if dealt.get("rest", "below") == "below":
        named = Counter(codes_of(" ".join([*hands.values(), up, stock, cut])))
        pack = Counter((bit.bit_length() - 1) % STRIDE for bit in compile_rules(rules, len(hands)).pack.deck)
        rest = " ".join(NAMES[code] for code in sorted((pack - named).elements()))
    return {"hands": hands, "up": up, "stock": stock, "cut": cut, "rest": rest}


def _join_cards(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else str(value or "")


def _is_action_step(step: Step) -> bool:
    return bool(step) and all(key in SEATS for key in step)


def _is_listed(d: Deal, seat: str, text: Any) -> bool:
    at = SEATS.index(seat)
    try:
        return at in d.to_act and d.allows(at, str(text))
    except UnreadableAction:
        return False


def _answers_question(d: Deal, step: Step) -> bool:
    """Return True if a step answers the decision that is due."""
    listed = [_is_listed(d, seat, text) for seat, text in step.items() if not _only_holds(d, step, seat)]
    return any(listed) and all(listed)


def _only_holds(d: Deal, step: Step, seat: str) -> bool:
    """Return True if a step of several seats says `hold` for one that was not asked."""
    return len(step) > 1 and step[seat] == "hold" and SEATS.index(seat) not in d.to_act


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_format_value(found)}" for key, found in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_value, value)) + "]"
    return "none" if value is None else str(value)


# --- checks: actual values, in the shape of the expected ones ----------------------------------------------


def _list_actions(play: ScenarioPlay) -> list[str]:
    """Return the actions of the first seat that must act."""
    game = play.game
    return [str(action) for action in game.legal(game.to_act[0])] if game.to_act else []


def _check_legal(play: ScenarioPlay, wanted: Any) -> Any:
    found = _list_actions(play)
    return wanted if sorted(found) == sorted(map(str, wanted)) else found


def _check_offers(play: ScenarioPlay, wanted: Any) -> Any:
    found = _list_actions(play)
    return wanted if set(map(str, wanted)) <= set(found) else found


def _check_offers_not(play: ScenarioPlay, wanted: Any) -> Any:
    found = _list_actions(play)
    offered = [text for text in map(str, wanted) if text in found]
    return f"a list with {_format_value(offered)}" if offered else wanted


def _check_illegal(play: ScenarioPlay, wanted: Any) -> Any:
    d = play.deal
    for seat, text in wanted.items():
        before = record(d), d.asks, d.to_act, len(d.log)
        try:
            d.apply(SEATS.index(seat), str(text))
        except (IllegalAction, UnreadableAction):
            if before != (record(d), d.asks, d.to_act, len(d.log)):
                return "a refusal that changed something"
            continue
        return "it accepted"
    return wanted


def _check_event(play: ScenarioPlay, wanted: Any) -> Any:
    events = play.deal.log[play.since :]
    told = [
        text
        for event in events
        for text in ([event.full, event.shown] if isinstance(event, Secret) else [event])
    ]
    return wanted if wanted in [*told, *(text.removesuffix(f" {IN}") for text in told)] else told


def _check_hand(play: ScenarioPlay, wanted: Any) -> Any:
    hands = {seat: list_names(play.deal.hands[SEATS.index(seat)]) for seat in wanted}
    if all(sorted(_join_cards(wanted[seat]).split()) == sorted(hand) for seat, hand in hands.items()):
        return wanted
    return {seat: " ".join(hand) for seat, hand in hands.items()}


def _check_by_seat(values: Callable[[ScenarioPlay], list[int]]) -> Callable[[ScenarioPlay, Any], Any]:
    return lambda play, wanted: {seat: values(play)[SEATS.index(seat)] for seat in wanted}


def _check_value(value: Callable[[ScenarioPlay], Any]) -> Callable[[ScenarioPlay, Any], Any]:
    """Return a check of a single value; `none` and nothing are equal."""

    def check(play: ScenarioPlay, wanted: Any) -> Any:
        found = value(play)
        return wanted if wanted in NONE and found in NONE else found

    return check


def _name_seat(seat: int | None) -> str | None:
    return None if seat is None else SEATS[seat]


CHECKS: Final[dict[str, Callable[[ScenarioPlay, Any], Any]]] = {
    "legal": _check_legal,
    "offers": _check_offers,
    "offers_not": _check_offers_not,
    "illegal": _check_illegal,
    "event": _check_event,
    "hand": _check_hand,
    "asks": _check_value(lambda play: play.game.asks or None),
    "turn": _check_value(lambda play: _name_seat(play.game.to_act[0]) if play.game.to_act else None),
    "owed": _check_value(lambda play: play.deal.owed),
    "skips": _check_value(lambda play: play.deal.skips),
    "top": _check_value(lambda play: NAMES[play.deal.top]),
    "wish": _check_value(lambda play: SUITS[play.deal.wish] if play.deal.wish >= 0 else None),
    "direction": _check_value(lambda play: play.deal.direction),
    "stock": _check_value(lambda play: play.deal.stock.bit_count()),
    "out": _check_value(lambda play: [SEATS[seat] for seat in play.deal.out]),
    "over": _check_value(lambda play: play.deal.over),
    "winner": _check_value(lambda play: _name_seat(play.deal.winner)),
    "match_over": _check_value(lambda play: play.game.over),
    "match_winner": _check_value(lambda play: _name_seat(play.game.winner)),
    "side": _check_by_seat(lambda play: side.count_penalty_cards(play.deal)),
    "count": _check_by_seat(lambda play: [hand.bit_count() for hand in play.deal.hands]),
    "score": _check_by_seat(lambda play: play.deal.points),
    "total": _check_by_seat(lambda play: play.game.total),
    "stat": lambda play, wanted: {
        name: {seat: play.deal.stats[name][SEATS.index(seat)] for seat in seats}
        for name, seats in wanted.items()
    },
    "deals": lambda play, _: {SEATS[seat]: cards for seat, cards in enumerate(play.game.hands()) if cards},
}
