"""A table of an environment: a deal, the seat that must choose, and what it has chosen so far."""

from __future__ import annotations

from maumau.env.choices import ALSO, CALL, KEEP, KEPT, PUT, RESCUE, Choices
from maumau.errors import IllegalAction, PlatformFault
from maumau.game import Action, Deal, parse
from maumau.game.model.move import Menu
from maumau.game.notation.cards import CODES, NAMES, list_codes

NOBODY = -1


class EnvTable:
    """A deal whose seats are asked one after the other, in a window as well, where no reply is shown.

    `seat` must choose (-1: the deal is over), `row` is the mask of its choices. `parts` are the cards that it
    has put so far, `call` the call that it will make, `said` its late calls and accusations since its last
    action, each of which is possible once.
    """

    __slots__ = ("call", "choices", "deal", "own", "parts", "row", "said", "seat")

    def __init__(self, choices: Choices, deal: Deal) -> None:
        self.choices = choices
        self.own = choices.calls == "own"
        self.take_up(deal)

    def take_up(self, deal: Deal) -> None:
        """Begin, or go on with, another deal."""
        self.deal = deal
        self.parts: list[int] = []
        self.said: list[str] = []
        self.call = ""
        self._look()

    def check(self, number: int) -> None:
        """Raise IllegalAction if the mask does not have this choice."""
        if not 0 <= number < len(self.row) or not self.row[number]:
            raise IllegalAction(self._explain(number))

    def break_off(self) -> None:
        """End the deal for this environment: nobody chooses any more."""
        self.seat, self.row = NOBODY, bytes(len(self.choices.names))

    def step(self, number: int) -> None:
        """Carry out a choice; raise IllegalAction, and change nothing, if the mask does not have it."""
        self.check(number)
        seat = self.seat
        action = self.choices.actions[seat][number]
        if action is None or self.parts or self.own or self.said:
            self._go_on(number, action)
            return
        deal = self.deal
        deal.apply(seat, action + deal.due(seat, action))
        self._look()

    def send(self, texts: list[str]) -> None:
        """Carry out actions of the seat that must choose, as notation: late calls come first."""
        seat = self.seat
        for text in texts:
            self.deal.apply(seat, text)
        self.parts, self.said, self.call = [], [], ""
        self._look()

    def _act(self, action: Action) -> None:
        """Carry out an action, with the call that was chosen or that it owes."""
        deal, seat = self.deal, self.seat
        deal.apply(seat, action + (self.call if self.own else deal.due(seat, action)))
        self.parts, self.said, self.call = [], [], ""
        self._look()

    def _look(self) -> None:
        """Find out which seat must choose now, and between what."""
        deal, choices = self.deal, self.choices
        to_act = deal.to_act
        if not to_act:
            self.seat, self.row = NOBODY, bytes(len(choices.names))
            return
        seat = self.seat = to_act[0]
        menu = deal.menu if seat == deal.seat else self.menu
        kept = choices.rows[seat].get(id(menu))
        self.row = choices.mark_menu(menu, seat) if kept is None else kept[1]
        if deal.calls.owing >= 0 or choices.watchful:
            self._mark_also()

    def _mark_also(self) -> None:
        """Add to the mask the late calls and accusations that have not been made since the last action."""
        also = [text for text in self.deal.also(self.seat) if text not in self.said]
        if also:
            row = bytearray(self.row)
            for text in also:
                row[self.choices.by_text[self.seat][text]] = 1
            self.row = bytes(row)

    @property
    def menu(self) -> Menu:
        """The listed actions of the seat that must choose."""
        if self.seat == self.deal.seat:
            return self.deal.menu
        if self.deal.window is None:
            raise PlatformFault("no seat is asked")
        return self.deal.window.menus[self.seat]

    def _go_on(self, number: int, action: Action | None) -> None:
        """Carry out a choice that is not an action by itself, or follows one that is not."""
        kind, text = self.choices.kinds[number], self.choices.texts[self.seat][number]
        if kind == ALSO:
            self.said.append(text)
            self.deal.apply(self.seat, text)
            said, seat = self.said, self.seat
            self._look()
            self.said = said if seat == self.seat else []
        elif kind == CALL:
            self.call = text.removeprefix("call ")
            self._forbid_calls()
        elif kind == PUT:
            self.parts.append(CODES[text.removeprefix("put ")])
            self.row = self._look_at_parts()
            self._forbid_calls()
        elif action is not None and not self.parts:
            self._act(action)
        else:
            self._act(self._finish(kind, text))

    def _forbid_calls(self) -> None:
        """Take late calls and accusations off the mask, and calls if one is chosen: an action must follow."""
        row = bytearray(self.row)
        for number, kind in enumerate(self.choices.kinds):
            if kind == ALSO or (kind == CALL and self.call):
                row[number] = 0
        self.row = bytes(row)

    def _finish(self, kind: str, text: str) -> Action:
        """Return the action that is complete with this choice."""
        names = [NAMES[code] for code in self.parts]
        if kind == KEEP:
            return parse(f"keep:{'+'.join(names) or '-'}")
        if kind == RESCUE:
            return next(action for action in self.menu.actions if action.word == RESCUE)
        return parse(self._write(names, text))

    def _write(self, names: list[str], form: str) -> str:
        return f"{names[0]}~{form}" if self.choices.compiled.blind.applies else "+".join([*names, form])

    # --- after a card has been put -----------------------------------------------------------------------

    def _look_at_parts(self) -> bytes:
        """Return the mask of what may follow the cards that have been put, kept as long as the menu is."""
        deal, choices, menu = self.deal, self.choices, self.menu
        key = (id(menu), self.seat, deal.hands[self.seat], deal.top, *self.parts)
        kept = choices.further.get(key)
        if kept is None:
            if len(choices.further) >= KEPT:
                choices.further.clear()
            kept = choices.further[key] = menu, self._mark_parts()
        return kept[1]

    def _mark_parts(self) -> bytes:
        """Return the mask of what may follow the cards that have been put."""
        choices = self.choices
        row = bytearray(len(choices.names))
        if self.deal.asks == KEEP:
            numbers = self._list_kept()
        else:
            by_text = choices.by_text[self.seat]
            names = [NAMES[code] for code in self.parts]
            forms = self._list_forms()
            numbers = [by_text[form] for form in forms if self._allows(self._write(names, form))]
            if not choices.compiled.blind.applies:
                numbers += self._list_further(names, forms)
        for number in numbers:
            row[number] = 1
        if choices.own_calls:
            row[choices.number["call !"]] = row[choices.number["call !!"]] = 1
        return bytes(row)

    def _list_kept(self) -> list[int]:
        """Return the numbers that go on with a set of cards to keep, in canonical order."""
        count, begun = len(self.parts), tuple(self.parts)
        listed = [action for action in self.menu.actions if action.cards[:count] == begun]
        return [self.choices.begin(action, count) for action in listed]

    def _list_forms(self) -> list[str]:
        """Return the forms of last cards on the first one that was put, or claims for it."""
        if self.choices.compiled.blind.applies:
            listed = [action.text[3:] for action in self.menu.actions if action.claim >= 0]
        else:
            bottom = self.parts[0]
            listed = [
                action.text.rpartition("+")[2]
                for action in self.menu.actions
                if len(action.cards) > 1 and action.cards[0] == bottom
            ]
        return list(dict.fromkeys(listed))

    def _list_further(self, names: list[str], forms: list[str]) -> list[int]:
        """Return the numbers of cards that may be put on those, with another one to follow."""
        held = list_codes(self.deal.hands[self.seat])
        for code in self.parts:
            held.remove(code)
        return [
            self.choices.number[f"put {NAMES[code]}"]
            for code in dict.fromkeys(held)
            if any(self._allows(self._write([*names, NAMES[code]], form)) for form in forms)
        ]

    def _allows(self, text: str) -> bool:
        return text in self.menu.moves or self.deal.allows(self.seat, text)

    def _explain(self, number: int) -> str:
        """Return why a choice is refused, with those that there are."""
        if self.seat == NOBODY:
            return "the deal is over: reset the environment"
        names = self.choices.names
        what = f"{number} ({names[number]})" if 0 <= number < len(names) else f"{number}"
        listed = ", ".join(f"{at} ({names[at]})" for at, may in enumerate(self.row) if may)
        return f"action {what} is outside the mask of player_{self.seat}, which has {listed}"
