"""What a person at a table sees, and what is typed means: pure, so that 80 by 24 characters can be tested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from rich.text import Text

from maumau.bot.words import clean_line
from maumau.cli.picture import Suits, coloured, top_line
from maumau.game.action import SEATS

if TYPE_CHECKING:
    from maumau.live import Told

WIDTH: Final = 80
HEIGHT: Final = 24
CHOICES: Final = 4  # lines of choices
RANKS: Final = "23456789TJQKA"
COLOURS: Final = "CDSH"  # black and red in turn, so that neighbours differ
ASKED: Final = {
    "turn": "Your turn.",
    "answer": "You must take cards or miss a turn, unless you answer.",
    "cover": "The card must be covered.",
    "again": "You may lay another card.",
    "keep": "You cut these cards: which do you keep?",
    "wish": "Which suit do you name?",
    "doubt": "Do you believe the card that was laid face down?",
    "rescue": "You drew a card that you may lay now.",
    "window": "You may react out of turn.",
    "chain": "You may lay another seven after the last one.",
    "appeal": "You are accused: accept the penalty, or call the plenum?",
    "vote": "The plenum votes: guilty or innocent?",
    "react": "Touch the table! A number from 0 (at once) to 999; the slowest pays.",
    "rule": "You may add a rule.",
}
TOGETHER: Final = ("window", "appeal", "vote", "react")  # asked without a clock of one's own
HELP: Final = "a number or notation, then Enter; Ctrl-C leaves"


class Choice(msgspec.Struct, frozen=True):
    """What is sent for what was typed; words: why nothing is."""

    line: str = ""
    words: str = ""


class Sitting:
    """A seat as its player sees it. `hear` what is told, `lines` to draw, `choose` what is typed.

    own_calls: the player makes the calls himself; else the call that an action owes is made with it.
    """

    def __init__(
        self, suits: Suits, *, own_calls: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.suits, self.own_calls, self.clock = suits, own_calls, clock
        self.names: Sequence[str] = ()
        self.rules = self.words = ""
        self.seat = -1
        self.view: dict[str, Any] = {}
        self.question: dict[str, Any] | None = None
        self.cursor = 0
        self.events: list[str] = []
        self.clocks: Sequence[int] = ()
        self.turn: int | None = None
        self.end: dict[str, Any] | None = None
        self._answered: dict[str, Any] | None = None
        self._heard = clock()

    def hear(self, told: Told) -> None:
        """Takes in what the seat is told."""
        if told.clocks_ms:
            self.clocks, self._heard = told.clocks_ms, self.clock()
        if told.table is not None:
            self.names = [clean_line(name, 20) for name in told.table.names]
            self.rules, self.turn = told.table.rules, told.turn
            self.seat = told.seat if told.seat >= 0 else self.seat
        if told.kind in ("line", "news"):
            self._see(told)
        elif told.kind == "refused":
            self.words, self.question = f"Not so: {clean_line(told.words)}", self._answered
        elif told.kind == "away":
            self.words = "The arena does not answer; coming back …"
        elif told.kind == "voided":
            self.words, self.question = f"The table ended without a result: {clean_line(told.words)}.", None
        elif told.kind == "replaced":
            self.words, self.question = "Somebody plays this seat from elsewhere now.", None

    def _see(self, told: Told) -> None:
        view = told.view
        if "end" in view:
            self.end, self.question, self.turn = view["end"], None, None
            self.events += view["end"]["events"]
        elif "counts" in view:
            self.view, self.events = view, [*self.events, *view["events"]]
            self.question = view if view["ask"] else None
            mine = view["ask"] and view["ask"] not in TOGETHER
            self.turn = self.seat if mine else told.turn
            if self.question:
                self.cursor, self.words = told.cursor, ""

    def answer(self) -> None:
        """The question was answered; if that is refused, it stands again."""
        self._answered, self.question, self.words = self.question, None, ""

    # --- what is typed ---

    def choose(self, typed: str) -> Choice:
        """A number or notation, and letters for what may be said besides: `2`, `7S!`, `1 a`."""
        if not self.question:
            return Choice(words="Nobody asks you anything just now.")
        first, *rest = typed.split() or [""]
        legal, also = self.question["legal"], self.question.get("also") or []
        said = []
        for word in rest:
            number = ord(word) - ord("a") if len(word) == 1 else -1
            found = also[number] if 0 <= number < len(also) else word
            if found not in also:
                return Choice(words=f"{word!r} is not among what you may say besides.")
            said.append(found)
        act = self._action(first, legal)
        if not act:
            return Choice(
                words=f"{first[:20]!r} is not on the list: type a number from 1 to {len(legal)}, or notation."
            )
        return Choice(msgspec.json.encode({"act": act, "also": said}).decode() if said else act)

    def _action(self, word: str, legal: Sequence[str]) -> str:
        """The action meant; "" if none is."""
        assert self.question
        mark = word[len(word.rstrip("!")) :]
        bare = word.rstrip("!")
        if bare.isascii() and bare.isdecimal() and self.question["ask"] != "react":
            number = int(bare)
            return self._called(legal[number - 1], mark) if 0 < number <= len(legal) else ""
        if self.question["ask"] == "react":
            bare = f"react:{bare}" if bare.isdecimal() and int(bare) <= 999 else bare
            return bare if bare.startswith("react:") else ""
        named = {action.lower(): action for action in legal}
        if bare.lower() in named:
            return self._called(named[bare.lower()], mark)
        return word if any(sign in bare for sign in "+~/@>") else ""  # several cards in another order, say

    def _called(self, action: str, mark: str) -> str:
        assert self.question
        owed = "" if self.own_calls else str(self.question["call"].get(action, ""))
        return action + (mark or owed)

    # --- what is drawn ---

    def lines(self, typed: str = "") -> list[Text]:
        """At most 24 lines of at most 80 characters."""
        head = [self._head(), *self._seats(), Text(), *self._pile(), Text()]
        hand = [] if self.end else list(self._hand())
        tail = [Text(), *hand, *self._asked(), *self._foot(typed)]
        room = max(1, HEIGHT - 1 - len(head) - len(tail))
        lines = [*head, *self._events(room), *tail][:HEIGHT]
        for line in lines:
            line.truncate(WIDTH)
        return lines

    def _head(self) -> Text:
        return Text(f"{self.rules} · you are {SEATS[self.seat]}"[:WIDTH], "dim")

    def _seats(self) -> Iterator[Text]:
        for seat, clock in enumerate(self._clocks()):
            counts, out = self.view.get("counts"), self.view.get("out") or []
            name = self.names[seat] or ("you" if seat == self.seat else "")
            words = [f"{counts[seat]} cards" if counts[seat] != 1 else "1 card"] if counts else ["comes"]
            for field, what in (("side", "in front"), ("totals", "points"), ("lives", "lives")):
                value = self.view.get(field)
                words += [f"{value[seat]} {what}"] if isinstance(value, list) and value[seat] else []
            words += [f"out as number {out.index(seat) + 1}"] if seat in out else []
            words = [f"place {self.end['places'][seat]}"] if self.end else words
            mark, style = ("▶", "bold") if seat == self.turn else (" ", "")
            line = f"{mark} {SEATS[seat]} {name:<20} {clock:>6}  {', '.join(words)}"
            yield Text(line[:WIDTH], style)

    def _clocks(self) -> Iterator[str]:
        passed = round((self.clock() - self._heard) * 1000)
        for seat, left in enumerate(self.clocks):
            now = max(0, left - passed) if seat == self.turn and not self.end else left
            yield f"{now // 60_000}:{now // 1000 % 60:02}"

    def _pile(self) -> Iterator[Text]:
        view = self.view
        if not view:
            yield Text("The deal begins when somebody has come to every seat.")
            return
        line = top_line(view["top"], view["wish"], self.suits)
        if view.get("claim"):
            line.append(f", {SEATS[view['by']]} claims ").append_text(coloured(view["claim"], self.suits))
        yield line
        words = [f"stock {view['stock']}", "clockwise" if view["direction"] == 1 else "counter-clockwise"]
        words += [f"{view['owed']} to take"] if view["owed"] else []
        words += [f"{view['skips']} to miss a turn"] if view["skips"] else []
        yield Text(", ".join(words))

    def _events(self, room: int) -> Iterator[Text]:
        for event in self.events[-room:]:
            yield coloured(self._named(event), self.suits)

    def _named(self, event: str) -> str:
        """The event with the name of who did it."""
        who, _, did = event.partition(" ")
        if len(who) != 1 or who not in SEATS[: len(self.names)] or not did:
            return event
        seat = SEATS.index(who)
        return f"{'you' if seat == self.seat else self.names[seat] or who}: {did}"

    def _hand(self) -> Iterator[Text]:
        cards = sorted(self.view.get("hand") or [], key=_order)
        label = "your hand  "
        for number, line in enumerate(self._filled(cards, WIDTH - len(label))):
            yield Text(" " * len(label) if number else label).append_text(line[0])

    def _asked(self) -> Iterator[Text]:
        if self.end:
            order = sorted(range(len(self.end["places"])), key=lambda seat: self.end["places"][seat])  # type: ignore[index]
            told = ", ".join(f"{self.end['places'][s]}. {self._who(s)}" for s in order)
            yield Text(f"The deal is over: {told}"[:WIDTH], "bold")
            if self.end["fault"]:
                yield Text(f"You lost it by a fault: {self.end['fault']}.")
            return
        question = self.question
        if not question:
            who = "others" if self.turn is None else self._who(self.turn)
            yield Text(f"{who} to play …" if self.view else "", "dim")
            return
        yield Text(self._sentence(question)[:WIDTH], "bold")
        call = {} if self.own_calls else question["call"]
        shown = [f"{n} {action}{call.get(action, '')}" for n, action in enumerate(question["legal"], 1)]
        yield from self._wrapped(shown, CHOICES)
        if also := question.get("also"):
            spoken = [f"{chr(ord('a') + n)} {word}" for n, word in enumerate(also[:26])]
            yield from self._wrapped(["say besides:", *spoken], 2)

    def _sentence(self, question: dict[str, Any]) -> str:
        sentence = ASKED.get(question["ask"], str(question["ask"]))
        if question.get("shown"):
            sentence += f" {' '.join(question['shown'])}"
        if question.get("drawn"):
            sentence += f" {question['drawn']}"
        if question.get("after"):
            sentence += f" (after {question['after']})"
        if accused := question.get("accused"):
            by, seat = self._who(accused["by"]), self._who(accused["seat"])
            sentence += f" {by} accuses {seat}: {accused['kind']}."
        return sentence

    def _who(self, seat: int) -> str:
        return "you" if seat == self.seat else str(self.names[seat] or SEATS[seat])

    def _wrapped(self, words: Sequence[str], most: int) -> Iterator[Text]:
        """Words in lines; those for which there is no room are counted."""
        lines = self._filled(words, WIDTH - 6)
        for line, _ in lines[: most - 1]:
            yield line
        if len(lines) >= most:
            last, upto = lines[most - 1]
            yield last.append(f"  +{len(words) - upto}" if upto < len(words) else "")

    def _filled(self, words: Sequence[str], width: int) -> list[tuple[Text, int]]:
        """Words drawn in lines of at most this width; with each how many are drawn by its end."""
        lines: list[tuple[Text, int]] = [(Text(), 0)]
        for number, word in enumerate(words, 1):
            drawn, line = coloured(word, self.suits), lines[-1][0]
            if line.cell_len and line.cell_len + 2 + drawn.cell_len > width:
                lines.append((drawn, number))
            else:
                lines[-1] = (line.append("  " if line.cell_len else "").append_text(drawn), number)
        return lines

    def _foot(self, typed: str) -> Iterator[Text]:
        yield Text(self.words[:WIDTH], "yellow")
        if self.question:
            yield Text(f"> {typed}", "bold").append("" if typed else HELP, "dim")


def _order(card: str) -> tuple[int, int]:
    """By suit, then by rank; jokers last."""
    if card == "XX":
        return len(COLOURS), 0
    return COLOURS.index(card[1]), RANKS.index(card[0])
