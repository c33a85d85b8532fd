"""Actions as numbers: one fixed list for each variant, its options and a number of seats.

Most numbers are one action. Several cards laid together, a card laid face down and the cards kept of a cut
are chosen one after the other: `put 9H`, `put KH`, then `7H` lays `9H+KH+7H`; `put 8D`, then `9S` lays
`8D~9S`; `put 7C`, then `keep` keeps it. So the list stays short, and every set and order of cards can be
chosen. Other seats are named by their distance, `@+1` being the next one clockwise: a policy is the same for
every seat.
"""

from __future__ import annotations

from typing import Final, Literal

from maumau.errors import BadOption, PlatformFault
from maumau.game import Action, Rules, deal, parse
from maumau.game.model.compiled import CompiledRules
from maumau.game.model.move import Menu
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, SUITS
from maumau.game.play.start import compile_rules
from maumau.game.ruleset.power import Power

Rows = dict[int, tuple[Menu, bytes]]
"""Masks by the ids of the menus that they are of."""
Calls = Literal["owed", "own"]
CALLS: Final = ("owed", "own")
KEPT: Final = 5_000  # rows kept of a table's menus
WORDS: Final = (
    "draw", "take", "skip", "pass", "hold", "accept", "doubt", "decline", "on", "rescue",
)  # fmt: skip
COURT: Final = ("appeal", "guilty", "innocent", "draw/willi", "take/willi", "count")
KEEP, RESCUE, PUT, CALL, ALSO, ACT = "keep", "rescue", "put", "call", "also", "act"


class Choices:
    """The list of actions of a table: `names` by number, and what each does.

    `kinds` says how a number is carried out; `actions[seat]` has the action of each number that is one.
    """

    def __init__(self, rules: Rules, seats: int, calls: Calls = "owed") -> None:
        if calls not in CALLS:
            raise BadOption(f"calls = {calls!r} is not known; known: {', '.join(CALLS)}")
        self.rules, self.seats, self.calls = rules, seats, calls
        deal(rules, seats, "")  # BadDeal if the rules do not allow this number of seats
        self.compiled = compile_rules(rules, seats)
        self.own_calls = calls == "own" and _has_calls(self.compiled)
        self.puts = bool(
            self.compiled.has_card_sets or self.compiled.blind.applies or self.compiled.dealing.cut
        )
        self.watchful = self.compiled.accuse or self.compiled.law.applies or self.compiled.left.locks
        named = self._list_names()
        self.names = [name for name, _ in named]
        self.kinds = [kind for _, kind in named]
        self.number = {name: number for number, name in enumerate(self.names)}
        self.texts = [[_turn_round(name, seat, seats) for name in self.names] for seat in range(seats)]
        self.actions = [self._list_actions(seat) for seat in range(seats)]
        self.by_text = [self._number_texts(seat) for seat in range(seats)]
        relative = any("@+" in name for name, kind in named if kind == ACT)
        self.rows = [Rows() for _ in range(seats)] if relative else [Rows()] * seats
        self.further: dict[tuple[int, ...], tuple[Menu, bytes]] = {}

    def __len__(self) -> int:
        return len(self.names)

    def _list_names(self) -> list[tuple[str, str]]:
        compiled, kinds = self.compiled, self.compiled.pack.kinds
        law = compiled.law.applies
        named = [(form, ACT) for code in kinds for form in _list_forms(compiled, code, self.seats)]
        named += [(word, RESCUE if word == RESCUE else ACT) for word in WORDS]
        named += [(f"wish:{suit}", ACT) for suit in SUITS]
        named += [(word, ALSO if word == "count" else ACT) for word in COURT if law]
        if any(power.touch for power in compiled.powers):
            named += [(f"react:{time}", ACT) for time in range(0, 1000, 100)]
        if self.puts:
            named += [(f"put {NAMES[code]}", PUT) for code in kinds] + [(KEEP, KEEP)]
        if _has_calls(compiled):
            named += [("!", ALSO), ("!!", ALSO)]
        charges = compiled.law.kinds if law else ("mau", "mau_mau") if compiled.accuse else ()
        named += [(f"accuse@+{step}:{kind}", ALSO) for step in range(1, self.seats) for kind in charges]
        return named + ([("call !", CALL), ("call !!", CALL)] if self.own_calls else [])

    def _list_actions(self, seat: int) -> list[Action | None]:
        pairs = zip(self.texts[seat], self.kinds, strict=True)
        return [parse(text) if kind == ACT else None for text, kind in pairs]

    def _number_texts(self, seat: int) -> dict[str, int]:
        """Return the numbers of actions and of late calls and accusations by their text."""
        texts = self.texts[seat]
        return {texts[number]: number for number, kind in enumerate(self.kinds) if kind in (ACT, ALSO)}

    def mark_menu(self, menu: Menu, seat: int) -> bytes:
        """Return the mask of a menu, a byte for each number, and keep both."""
        rows = self.rows[seat]
        if len(rows) >= KEPT:
            rows.clear()
        row = self._mark(menu, seat)
        rows[id(menu)] = menu, row  # with the menu: its id stays its own
        return row

    def _mark(self, menu: Menu, seat: int) -> bytes:
        row, by_text = bytearray(len(self.names)), self.by_text[seat]
        for action in menu.actions:
            number = by_text.get(action.text)
            row[self.begin(action) if number is None else number] = 1
        if self.own_calls:
            row[self.number["call !"]] = row[self.number["call !!"]] = 1
        return bytes(row)

    def begin(self, action: Action, after: int = 0) -> int:
        """Return the number that goes on choosing an action of which `after` cards are chosen."""
        if len(action.cards) == 1 and not action.word and action.claim < 0:
            raise PlatformFault(f"the list of actions lacks {action}")
        if action.word == RESCUE:
            return self.number[RESCUE]
        if after >= len(action.cards):
            return self.number[KEEP]
        return self.number[f"put {NAMES[action.cards[after]]}"]


def _has_calls(compiled: CompiledRules) -> bool:
    return compiled.left.applies or compiled.out.applies or compiled.law.applies


def _list_forms(compiled: CompiledRules, code: int, seats: int) -> list[str]:
    """Return every form in which a card may be laid under these rules."""
    powers = [compiled.powers[code]]
    if powers[0].mirror:  # it counts as the card below it
        powers = [compiled.powers[kind] for kind in compiled.pack.kinds]
    forms = [text for power in powers for text in _list_forms_of(compiled, code, power, seats)]
    return list(dict.fromkeys(forms))


def _list_forms_of(compiled: CompiledRules, code: int, power: Power, seats: int) -> list[str]:
    name = NAMES[code]
    texts = [name, *(f"{name}>{suit}" for suit in SUITS if power.wishes)]
    if power.target or power.swap:
        aims = [f"+{step}" for step in range(1, seats)] + ["-"]
        texts += [f"{text}@{aim}" for text in texts for aim in aims]
    if compiled.law.sorry and power.harms:
        texts += [f"{text}/sorry" for text in texts]
    if (compiled.queens.cards | compiled.queens.callers) >> code & 1:
        texts += [f"{text}/{said}" for text in texts for said in ("start", "end")]
    return texts


def _turn_round(name: str, seat: int, seats: int) -> str:
    """Return a name as notation for this seat: distances become letters."""
    head, mark, tail = name.partition("@+")
    if not mark:
        return name
    distance, colon, kind = tail.partition(":")
    step, slash, said = distance.partition("/")
    return f"{head}@{SEATS[(seat + int(step)) % seats]}{slash}{said}{colon}{kind}"
