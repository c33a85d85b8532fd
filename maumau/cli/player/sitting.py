"""The screen of a person at a table: pure, so that screens of any size can be tested."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from maumau.cli.player.choice import LETTERS, DrawnQuestion, TypedChoice
from maumau.cli.player.phrase import CALLS, YOU, phrase_sayings, phrase_top, tell_events
from maumau.cli.player.question import TOGETHER, list_actions, word_question
from maumau.cli.player.rulesheet import write_rules
from maumau.cli.player.steps import ActionStep, ask_step, list_actions_apart, list_steps
from maumau.game.notation.action import SEATS
from maumau.page.words import show_cards, sort_cards
from maumau.protocol.words import clean_line
from maumau.screen.output import count_things
from maumau.screen.picture import Suits, coloured, draw_signs

if TYPE_CHECKING:
    from maumau.client.live import Told

WIDTH, HEIGHT = 80, 24  # of a screen, unless it is smaller
LONGEST_NAME: Final = 20
NARROW: Final = 72  # columns below which names are cut to 10
HEAD: Final = 2  # lines of the score at the top
LATEST: Final = 3  # events that are shown before lines are left blank
CHOICES: Final = 4  # lines of choices where there is little room
SAYINGS: Final = 2  # lines for late calls and accusations, then
AWAY: Final = "The arena does not answer; coming back …"
WAITING: Final = "The deal begins when somebody has come to every seat."
HELP: Final = "number, card, w why not + Enter · ? rules · Ctrl-C leaves"
HELP_WITHOUT_KEYS: Final = "number, card, w why not, ? rules + Enter · Ctrl-C leaves"
READING: Final = "Enter: next page · q: back to the table"


class Sitting:
    """A seat as its player sees it. `hear` messages, `lines` to draw, `choose` for typed text.

    own_calls: the player makes the calls; else the call that an action owes is made with it.
    raw: events and actions are shown in notation, and every action has its number. has_keys: single keys are
    read, else lines.
    """

    def __init__(
        self,
        suits: Suits,
        *,
        own_calls: bool = False,
        raw: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.suits, self.own_calls, self.raw, self.clock = suits, own_calls, raw, clock
        self.has_keys = False
        self.names: list[str] = []
        self.rules = self.options = self.words = self.score = ""
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
        self._offer: DrawnQuestion | None = None  # the question as it was drawn
        self._chosen: list[tuple[str, ...]] = []  # the actions that were left after each step
        self._read: list[Text] = []  # the rest of the rules, while they are read
        self._answered: dict[str, Any] | None = None
        self._heard = self._began = clock()  # time of the last clocks; time of the question

    def fit(self, width: int, height: int) -> None:
        """Set the size of the screen, up to a readable maximum."""
        self.width, self.height = min(width, WIDTH), min(height, HEIGHT)

    def hear(self, told: Told) -> None:
        """Apply a message to the seat."""
        if self.words == AWAY:  # the arena speaks again
            self.words = ""
        if told.clocks_ms:
            self.clocks, self._heard = told.clocks_ms, self.clock()
        if told.table is not None:
            self.names = [clean_line(name)[:LONGEST_NAME] for name in told.table.names]
            self.rules, self.options, self.turn = told.table.rules, told.table.options_json, told.turn
            self.seat = told.seat if told.seat >= 0 else self.seat
            self.has_begun |= told.table.state != "waiting"
            self.words = "" if self.has_begun else WAITING
        if told.kind in ("line", "news"):
            self._apply_part(told)
        elif told.kind == "refused":
            self.words, self.question = f"Not so: {show_cards(clean_line(told.words))}", self._answered
        elif told.kind == "away":
            self.words = AWAY
        elif told.kind == "voided":
            self.words, self.question = f"The table ended without a result: {clean_line(told.words)}.", None
        elif told.kind == "replaced":
            self.words, self.question = "Somebody plays this seat from elsewhere now.", None

    def _apply_part(self, told: Told) -> None:
        view = told.view
        if "end" in view:
            self.end, self.question, self.turn = view["end"], None, None
            self.events += view["end"]["events"]
        elif "counts" in view:
            self.words = self.words if self.has_begun else ""
            self.has_begun = True
            self.view, self.events = view, [*self.events, *view["events"]]
            self.question, self._offer, self._chosen = view if view["ask"] else None, None, []
            mine = view["ask"] and view["ask"] not in TOGETHER
            self.turn = self.seat if mine else told.turn
            if self.question:
                self.cursor, self.words, self._began = told.cursor, "", self.clock()

    def answer(self) -> None:
        """Mark the question as answered; a refusal restores it."""
        self._answered, self.question, self.words = self.question, None, ""
        self._chosen, self._offer = [], None

    def choose(self, typed: str) -> TypedChoice:
        """Return the meaning of a typed line among the choices drawn last; take a step at once."""
        if not self.question:
            return TypedChoice(words="Nobody asks you anything just now.", wants_rules=typed == "?")
        if self._offer is None:
            self.lines()
        assert self._offer
        chosen = self._offer.read_choice(typed)
        if chosen.actions:
            self._chosen.append(chosen.actions)
        elif chosen.is_back and self._chosen:
            self._chosen.pop()
        if chosen.actions or chosen.is_back:
            self._offer = None
        return chosen

    def step_back(self) -> None:
        """Take the last step back."""
        if self._chosen:
            self._chosen.pop()
            self._offer = None

    # --- the rules ---

    def list_rules(self) -> list[Text]:
        """Return the rules of the table, as wide as the screen."""
        return write_rules(self.rules, self.options, self.width)

    def open_rules(self) -> None:
        """Show the rules in place of the table, page by page."""
        self._read = self.list_rules()

    @property
    def is_reading(self) -> bool:
        """True while the rules are shown."""
        return bool(self._read)

    def turn_page(self, *, close: bool = False) -> None:
        """Goes on in the rules; after the last page, or to close them, back to the table."""
        self._read = [] if close else self._read[self._page_size() :]

    def _page_size(self) -> int:
        return max(1, self.height - 2)

    def _lines_of_rules(self) -> list[Text]:
        asked = f" · {word_question(self.question, self._player_name)}" if self.question else ""
        foot = draw_signs(f"{READING}{asked}", self.suits, "bold")
        foot.truncate(self.width, overflow="ellipsis")
        return [*(line.copy() for line in self._read[: self._page_size()]), foot]

    # --- drawing ---

    def lines(self, typed: str = "") -> list[Text]:
        """As many as fit: where there is little room, what is asked stays and the rest gives way."""
        lines = self._lines_of_rules() if self._read else self._lines_of_table(typed)
        for line in lines:
            line.truncate(self.width)
        return lines

    def _lines_of_table(self, typed: str) -> list[Text]:
        head = [
            *self._draw_head(),
            *self._draw_seats(),
            Text(),
            *(() if self.end else (*self._draw_pile(), Text())),
        ]
        hand = tuple(self._draw_hand()) if self.view and not self.end else ()
        tail = [Text(), *hand, *self._draw_question(), *self._draw_foot(typed)]
        events = max(LATEST, min(len(self.events), len(self.names)))  # the last one of each seat
        if (spare := self.height - 1 - len(head) - len(tail) - events) > 0:
            tail = [Text(), *hand, *self._draw_question(spare), *self._draw_foot(typed)]
        if self.height - 1 - len(head) - len(tail) < LATEST:
            head, tail = ([line for line in part if line.plain] for part in (head, tail))
        room = max(1, self.height - 1 - len(head) - len(tail))
        return [*head, *self._draw_events(room), *tail][-self.height :]

    def _draw_head(self) -> Iterator[Text]:
        words = f"{self.rules} · you are {SEATS[self.seat]}" if self.seat >= 0 else ""
        told = f"{words} · {self.score}" if self.score else words
        lines = wrap(told, self.width, max_lines=HEAD, placeholder=" …", break_on_hyphens=False)
        yield from (Text(line, "dim") for line in lines or [""])

    def _draw_seats(self) -> Iterator[Text]:
        most = LONGEST_NAME if self.width >= NARROW else LONGEST_NAME // 2
        for seat, clock in enumerate(self._describe_clocks()):
            counts, out = self.view.get("counts"), self.view.get("out") or []
            name = self.names[seat] or ("you" if seat == self.seat else f"seat {SEATS[seat]}")
            words = [count_things(counts[seat], "card")] if counts else ["comes"]
            for field, what in (("side", "in front"), ("totals", "points"), ("lives", "lives")):
                value = self.view.get(field)
                words += [f"{value[seat]} {what}"] if isinstance(value, list) and value[seat] else []
            words += [f"out as number {out.index(seat) + 1}"] if seat in out else []
            words = self._describe_result(seat) if self.end else words
            mark, style = ("▶", "bold") if seat == self.turn else (" ", "")
            yield Text(f"{mark} {SEATS[seat]} {name[:most]:<{most}} {clock:>6}  {', '.join(words)}", style)

    def _describe_result(self, seat: int) -> list[str]:
        assert self.end
        points = self.end["points"]
        return [
            f"place {self.end['places'][seat]}",
            *([count_things(points[seat], "point")] if any(points) else []),
        ]

    def _describe_clocks(self) -> Iterator[str]:
        passed = round((self.clock() - self._heard) * 1000)
        for seat, left in enumerate(self.clocks):
            now = max(0, left - passed) if seat == self.turn and not self.end else left
            yield f"{now // 60_000}:{now // 1000 % 60:02}"

    def _draw_pile(self) -> Iterator[Text]:
        view = self.view
        if not view:
            return
        yield draw_signs(phrase_top(view, self._player_name), self.suits)
        words = [f"stock {view['stock']}", "clockwise" if view["direction"] == 1 else "counter-clockwise"]
        words += [f"{view['owed']} to take"] if view["owed"] else []
        words += [f"{view['skips']} to miss a turn"] if view["skips"] else []
        yield Text(", ".join(words))

    def _draw_events(self, room: int) -> Iterator[Text]:
        if self.raw:
            yield from (coloured(event, self.suits) for event in self.events[-room:])
        else:
            names = [YOU if seat == self.seat else self._player_name(seat) for seat in range(len(self.names))]
            yield from (draw_signs(told, self.suits) for told in tell_events(self.events, names)[-room:])

    def _draw_hand(self) -> Iterator[Text]:
        cards = sort_cards(self.view.get("hand") or [])
        cards = cards if self.raw else [show_cards(card) for card in cards]
        label = "your hand  " if cards else "you have no cards"
        for number, line in enumerate(self._fill_lines(cards, self.width - len(label))):
            yield Text(" " * len(label) if number else label).append_text(line[0])

    def _draw_question(self, spare: int = 0) -> Iterator[Text]:
        """Yield the question, with up to `spare` extra lines for its choices."""
        if self.end:
            order = sorted(range(len(self.end["places"])), key=lambda seat: self.end["places"][seat])  # type: ignore[index]
            told = ", ".join(f"{self.end['places'][s]}. {self._player_name(s)}" for s in order)
            yield from self._wrap_sentence(f"The deal is over: {told}", "bold")
            if self.end["fault"]:
                yield from self._wrap_sentence(f"You lost it by a fault: {self.end['fault']}.", "")
            return
        question = self.question
        if not question:
            who = "others" if self.turn is None else self._player_name(self.turn)
            yield Text(f"{who} to play …" if self.view else "", "dim")
            return
        sentence = f"{word_question(question, self._player_name)}{self._word_time(question)}"
        yield from self._wrap_sentence(sentence, "bold")
        yield from self._draw_choices(question, spare)

    def _word_time(self, question: dict[str, Any]) -> str:
        """Return the rest of a reaction window, which no seat's clock shows."""
        if question["ask"] not in TOGETHER or not question.get("bank_ms"):
            return ""
        left = max(0.0, question["bank_ms"] / 1000 - (self.clock() - self._began))
        return f" {ceil(left)} s left."

    def _draw_choices(self, question: dict[str, Any], spare: int) -> Iterator[Text]:
        steps, asked = self._list_steps(question)
        if asked:
            yield from self._wrap_sentence(asked, "bold")
            spare -= 1
        words = [f"{number} {self._label_step(question, step)}" for number, step in enumerate(steps, 1)]
        lines, numbers = self._wrap_words(words, max(1, CHOICES + spare)) if words else ([], 0)
        yield from lines
        spare -= max(0, len(lines) - CHOICES)
        also = question.get("also") or []
        words = phrase_sayings(also, LETTERS, self._player_name)
        if self.raw:
            words = [f"{letter} {word}" for letter, word in zip(LETTERS, also, strict=False)]
        lines, letters = self._wrap_words(["say besides:", *words], SAYINGS + spare) if words else ([], 1)
        yield from lines
        self._offer = DrawnQuestion(question, steps, numbers, letters - 1, self.own_calls, not self._chosen)

    def _list_steps(self, question: dict[str, Any]) -> tuple[list[ActionStep], str]:
        """Return the present choices, and the question if a part is chosen already."""
        actions = self._chosen[-1] if self._chosen else list_actions(question)
        if question["ask"] == "react":  # any number is an answer
            return [], ""
        if self.raw:
            return list_actions_apart(actions), ""
        level, steps = list_steps(actions, self._player_name)
        asked = ask_step(level, actions) if level and len(steps) > 1 else ""
        return steps, f"{asked} 0 goes back." if self._chosen else asked

    def _label_step(self, question: dict[str, Any], step: ActionStep) -> str:
        call = question["call"].get(step.actions[0], "") if len(step.actions) == 1 else ""
        if self.own_calls or not call:
            return step.label
        return step.label + (call if self.raw else CALLS[call])

    def _draw_cards(self, words: str) -> Text:
        return coloured(words, self.suits) if self.raw else draw_signs(words, self.suits)

    def _wrap_sentence(self, words: str, style: str) -> Iterator[Text]:
        """Yield a sentence in as many lines as it takes."""
        for line in wrap(words, self.width):
            yield draw_signs(line, self.suits, style)

    def _player_name(self, seat: int) -> str:
        """Return a player's name, with the seat if two have the same one."""
        name = self.names[seat]
        if seat == self.seat:
            return YOU.lower()
        return (
            f"{name} ({SEATS[seat]})"
            if name and self.names.count(name) > 1
            else name or f"seat {SEATS[seat]}"
        )

    def _wrap_words(self, words: Sequence[str], most: int) -> tuple[list[Text], int]:
        """Return the words in at most `most` lines, and how many of them fit; a count stands for the rest."""
        lines = self._fill_lines(words, self.width - 6)[:most]
        last, upto = lines[-1]
        if upto < len(words):
            last.append(f"  +{len(words) - upto}")
        return [line for line, _ in lines], upto

    def _fill_lines(self, words: Sequence[str], width: int) -> list[tuple[Text, int]]:
        """Return words drawn in lines of at most this width, each with the number drawn by its end."""
        lines: list[tuple[Text, int]] = [(Text(), 0)]
        for number, word in enumerate(words, 1):
            drawn, line = self._draw_cards(word), lines[-1][0]
            if line.cell_len and line.cell_len + 2 + drawn.cell_len > width:
                lines.append((drawn, number))
            else:
                lines[-1] = (line.append("  " if line.cell_len else "").append_text(drawn), number)
        return lines

    def _draw_foot(self, typed: str) -> Iterator[Text]:
        yield from self._wrap_sentence(self.words, "yellow") if self.words else (Text(),)
        if self.question:
            yield Text(f"> {typed}", "bold").append("" if typed else self._write_help(), "dim")

    def _write_help(self) -> str:
        return HELP if self.has_keys else HELP_WITHOUT_KEYS
