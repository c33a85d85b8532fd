"""What a person at a table sees: pure, so that screens of any size can be tested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from maumau.bot.words import clean_line
from maumau.cli.choice import LETTERS, Choice, Offer
from maumau.cli.picture import Suits, coloured, top_line
from maumau.cli.question import TOGETHER, count_things, list_actions, word_question
from maumau.game.action import SEATS
from maumau.game.record import FORFEIT

if TYPE_CHECKING:
    from maumau.live import Told

WIDTH, HEIGHT = 80, 24  # of a screen, unless it is smaller
LONGEST_NAME: Final = 20
NARROW: Final = 72  # columns below which names are cut to 10
LATEST: Final = 3  # events that are shown before lines are left blank
CHOICES: Final = 4  # lines of choices where there is little room
SAYINGS: Final = 2  # lines of what may be said besides, then
RANKS: Final = "23456789TJQKA"
COLOURS: Final = "CDSH"  # black and red in turn, so that neighbours differ
AWAY: Final = "The arena does not answer; coming back …"
STAND_IN: Final = "a stand-in"
FAULTS: Final = {"time": "out of time and lost"}
WAITING: Final = "The deal begins when somebody has come to every seat."
HELP: Final = "a number or notation, then Enter; Ctrl-C leaves"


class Sitting:
    """A seat as its player sees it. `hear` what is told, `lines` to draw, `choose` what is typed.

    own_calls: the player makes the calls himself; else the call that an action owes is made with it.
    """

    def __init__(
        self, suits: Suits, *, own_calls: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.suits, self.own_calls, self.clock = suits, own_calls, clock
        self.names: list[str] = []
        self.rules = self.words = ""
        self.seat = -1
        self.has_begun = False  # as far as is known
        self.view: dict[str, Any] = {}
        self.question: dict[str, Any] | None = None
        self.cursor = 0
        self.events: list[str] = []
        self.clocks: Sequence[int] = ()
        self.turn: int | None = None
        self.end: dict[str, Any] | None = None
        self.width, self.height = WIDTH, HEIGHT
        self._shown: tuple[int, int] | None = None  # numbers and letters of the question that were drawn
        self._answered: dict[str, Any] | None = None
        self._heard = self._began = clock()  # when the clocks were told; when the question came

    def fit(self, width: int, height: int) -> None:
        """The screen has this size now; no more of it is used than reads well."""
        self.width, self.height = min(width, WIDTH), min(height, HEIGHT)

    def hear(self, told: Told) -> None:
        """Takes in what the seat is told."""
        if self.words == AWAY:  # the arena speaks again
            self.words = ""
        if told.clocks_ms:
            self.clocks, self._heard = told.clocks_ms, self.clock()
        if told.table is not None:
            self.names = [clean_line(name)[:LONGEST_NAME] for name in told.table.names]
            self.rules, self.turn = told.table.rules, told.turn
            self.seat = told.seat if told.seat >= 0 else self.seat
            self.has_begun |= told.table.state != "waiting"
            self.words = "" if self.has_begun else WAITING
        if told.kind in ("line", "news"):
            self._see(told)
        elif told.kind == "refused":
            self.words, self.question = f"Not so: {clean_line(told.words)}", self._answered
        elif told.kind == "away":
            self.words = AWAY
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
            self.words = self.words if self.has_begun else ""
            self.has_begun = True
            self.view, self.events = view, [*self.events, *view["events"]]
            self.question, self._shown = view if view["ask"] else None, None
            mine = view["ask"] and view["ask"] not in TOGETHER
            self.turn = self.seat if mine else told.turn
            if self.question:
                self.cursor, self.words, self._began = told.cursor, "", self.clock()

    def answer(self) -> None:
        """The question was answered; if that is refused, it stands again."""
        self._answered, self.question, self.words = self.question, None, ""

    def choose(self, typed: str) -> Choice:
        """What a typed line means, among the choices that were drawn last."""
        if not self.question:
            return Choice(words="Nobody asks you anything just now.")
        if self._shown is None:
            self.lines()
        assert self._shown
        return Offer(self.question, *self._shown, self.own_calls).read_choice(typed)

    # --- what is drawn ---

    def lines(self, typed: str = "") -> list[Text]:
        """As many as fit: where there is little room, what is asked stays and the rest gives way."""
        head = [self._head(), *self._seats(), Text(), *(() if self.end else (*self._pile(), Text()))]
        hand = tuple(self._hand()) if self.view and not self.end else ()
        tail = [Text(), *hand, *self._asked(), *self._foot(typed)]
        events = max(LATEST, min(len(self.events), len(self.names)))  # the last one of each seat
        if (spare := self.height - 1 - len(head) - len(tail) - events) > 0:
            tail = [Text(), *hand, *self._asked(spare), *self._foot(typed)]
        if self.height - 1 - len(head) - len(tail) < LATEST:
            head, tail = ([line for line in part if line.plain] for part in (head, tail))
        room = max(1, self.height - 1 - len(head) - len(tail))
        lines = [*head, *self._events(room), *tail][-self.height :]
        for line in lines:
            line.truncate(self.width)
        return lines

    def _head(self) -> Text:
        return Text(f"{self.rules} · you are {SEATS[self.seat]}" if self.seat >= 0 else "", "dim")

    def _seats(self) -> Iterator[Text]:
        most = LONGEST_NAME if self.width >= NARROW else LONGEST_NAME // 2
        for seat, clock in enumerate(self._clocks()):
            counts, out = self.view.get("counts"), self.view.get("out") or []
            name = self.names[seat] or ("you" if seat == self.seat else "")
            words = [count_things(counts[seat], "card")] if counts else ["comes"]
            for field, what in (("side", "in front"), ("totals", "points"), ("lives", "lives")):
                value = self.view.get(field)
                words += [f"{value[seat]} {what}"] if isinstance(value, list) and value[seat] else []
            words += [f"out as number {out.index(seat) + 1}"] if seat in out else []
            words = self._result(seat) if self.end else words
            mark, style = ("▶", "bold") if seat == self.turn else (" ", "")
            yield Text(f"{mark} {SEATS[seat]} {name[:most]:<{most}} {clock:>6}  {', '.join(words)}", style)

    def _result(self, seat: int) -> list[str]:
        assert self.end
        points = self.end["points"]
        return [
            f"place {self.end['places'][seat]}",
            *([count_things(points[seat], "point")] if any(points) else []),
        ]

    def _clocks(self) -> Iterator[str]:
        passed = round((self.clock() - self._heard) * 1000)
        for seat, left in enumerate(self.clocks):
            now = max(0, left - passed) if seat == self.turn and not self.end else left
            yield f"{now // 60_000}:{now // 1000 % 60:02}"

    def _pile(self) -> Iterator[Text]:
        view = self.view
        if not view:
            return
        line = top_line(view["top"], view["wish"], self.suits) if view["top"] else Text("nothing on top yet")
        if view.get("claim"):
            line.append(f", {SEATS[view['by']]} claims ").append_text(coloured(view["claim"], self.suits))
        yield line
        words = [f"stock {view['stock']}", "clockwise" if view["direction"] == 1 else "counter-clockwise"]
        words += [f"{view['owed']} to take"] if view["owed"] else []
        words += [f"{view['skips']} to miss a turn"] if view["skips"] else []
        yield Text(", ".join(words))

    def _events(self, room: int) -> Iterator[Text]:
        for event in self._named_events()[-room:]:
            yield coloured(event, self.suits)

    def _named_events(self) -> list[str]:
        """Each event with the name of who did it: a stand-in where the seat has lost, or one is left."""
        named, lost = list[str](), set[str]()
        for event in self.events:
            if fault := FORFEIT.fullmatch(event):
                lost.add(fault[1])
                named.append(self._named(f"{fault[1]} {FAULTS.get(fault[2], fault[2])}; {STAND_IN} plays on"))
                continue
            replaced = event[:1] in lost or len(self.names) - len(lost) <= 1
            named.append(self._named(event, f"{STAND_IN} for " if replaced else ""))
        return named

    def _named(self, event: str, whose: str = "") -> str:
        who, _, did = event.partition(" ")
        if len(who) != 1 or who not in SEATS[: len(self.names)] or not did:
            return event
        return f"{whose}{self._who(SEATS.index(who))}: {did}"

    def _hand(self) -> Iterator[Text]:
        cards = sorted(self.view.get("hand") or [], key=_order)
        label = "your hand  " if cards else "you have no cards"
        for number, line in enumerate(self._filled(cards, self.width - len(label))):
            yield Text(" " * len(label) if number else label).append_text(line[0])

    def _asked(self, spare: int = 0) -> Iterator[Text]:
        """What is asked, with this many lines more than the fewest for what may be chosen."""
        if self.end:
            order = sorted(range(len(self.end["places"])), key=lambda seat: self.end["places"][seat])  # type: ignore[index]
            told = ", ".join(f"{self.end['places'][s]}. {self._who(s)}" for s in order)
            yield from self._said(f"The deal is over: {told}", "bold")
            if self.end["fault"]:
                yield from self._said(f"You lost it by a fault: {self.end['fault']}.", "")
            return
        question = self.question
        if not question:
            who = "others" if self.turn is None else self._who(self.turn)
            yield Text(f"{who} to play …" if self.view else "", "dim")
            return
        sentence = f"{word_question(question, self._who)}{self._word_time(question)}"
        yield from self._said(sentence, "bold")
        yield from self._choices(question, spare)

    def _word_time(self, question: dict[str, Any]) -> str:
        """What is left of a reaction window, which no seat's clock shows."""
        if question["ask"] not in TOGETHER or not question.get("bank_ms"):
            return ""
        left = max(0.0, question["bank_ms"] / 1000 - (self.clock() - self._began))
        return f" {ceil(left)} s left."

    def _choices(self, question: dict[str, Any], spare: int) -> Iterator[Text]:
        call = {} if self.own_calls else question["call"]
        words = [f"{n} {action}{call.get(action, '')}" for n, action in enumerate(list_actions(question), 1)]
        lines, numbers = self._wrapped(words, CHOICES + spare)
        yield from lines
        spare -= max(0, len(lines) - CHOICES)
        also = question.get("also") or []
        words = [f"{letter} {word}" for letter, word in zip(LETTERS, also, strict=False)]
        lines, letters = self._wrapped(["say besides:", *words], SAYINGS + spare) if words else ([], 1)
        yield from lines
        self._shown = numbers, letters - 1

    def _said(self, words: str, style: str) -> Iterator[Text]:
        """A sentence in as many lines as it takes."""
        for line in wrap(words, self.width):
            drawn = coloured(line, self.suits)
            drawn.stylize(style)
            yield drawn

    def _who(self, seat: int) -> str:
        """Of two with the same name it is said which one."""
        name = self.names[seat]
        if seat == self.seat:
            return "you"
        return f"{SEATS[seat]} {name}" if name and self.names.count(name) > 1 else str(name or SEATS[seat])

    def _wrapped(self, words: Sequence[str], most: int) -> tuple[list[Text], int]:
        """The words in at most `most` lines, and how many of them fit; a count stands for the rest."""
        lines = self._filled(words, self.width - 6)[:most]
        last, upto = lines[-1]
        if upto < len(words):
            last.append(f"  +{len(words) - upto}")
        return [line for line, _ in lines], upto

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
        yield from self._said(self.words, "yellow") if self.words else (Text(),)
        if self.question:
            yield Text(f"> {typed}", "bold").append("" if typed else HELP, "dim")


def _order(card: str) -> tuple[int, int]:
    """By suit, then by rank; jokers last."""
    if card == "XX":
        return len(COLOURS), 0
    return COLOURS.index(card[1]), RANKS.index(card[0])
