"""A seat for a language model: texts about its table, and the actions that it plays."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from maumau.cli.player.question import word_question
from maumau.errors import IllegalAction, MaumauError, WrongState
from maumau.page.words import tell_event

if TYPE_CHECKING:
    from maumau.client.live import Seat, Table, Told

WAIT_SECONDS: Final = 20.0
"""Longest wait for the next question: clients of MCP give up after a minute."""

HIDDEN: Final = frozenset({"rng", "bank_ms", "deal", "ask", "events", "seat"})
"""Fields of a question that are of no use to a model, or that have a place of their own."""


class ModelSeat:
    """A seat at a live table, which listens in a thread of its own; safe for threads."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._changed = threading.Condition()
        self._table: Table | None = None
        self._number = -1
        self._cursor = 0
        self._question: dict[str, Any] | None = None
        self._events: list[str] = []
        self._clocks: tuple[int, ...] = ()
        self._end: dict[str, Any] = {}
        self._verdict = ""  # of the last reply: "" while it is awaited, "taken", or the words of a refusal
        threading.Thread(target=self._take_news, daemon=True).start()

    @property
    def is_over(self) -> bool:
        """True when nothing more is asked here."""
        return bool(self._end)

    def leave_table(self) -> None:
        """Leave the table, whose clock for this seat runs on."""
        self._seat.leave()
        self._end_play("left", "You have left the table.")

    def view_table(self, wait: float = 0.0) -> dict[str, Any]:
        """Return what the seat may know now. wait: seconds to wait for its turn or for the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._question or self._end, wait)
            return self._tell_all()

    def play_action(self, action: str, wait: float = WAIT_SECONDS) -> dict[str, Any]:
        """Play an action; return the new view. Raise WrongState if not asked, IllegalAction if refused."""
        with self._changed:
            question = self._question
            if question is None or self._end:
                raise WrongState(self._end.get("words") or "It is not your turn: look again.")
            self._verdict = ""
            self._seat.reply(self._cursor, action)
            self._changed.wait_for(lambda: self._verdict or self._end, wait)
            if self._verdict not in {"", "taken"}:
                legal = ", ".join(question["legal"])
                raise IllegalAction(f"{action!r} was refused: {self._verdict} Legal are: {legal}.")
        return self.view_table(wait)

    def _take_news(self) -> None:
        try:
            for told in self._seat:
                with self._changed:
                    self._note_news(told)
                    self._changed.notify_all()
        except MaumauError as error:
            self._end_play("void", str(error))
        else:
            self._end_play("over", "The deal is over.")

    def _end_play(self, state: str, words: str) -> None:
        with self._changed:
            self._end = self._end or {"state": state, "words": words}
            self._changed.notify_all()

    def _note_news(self, told: Told) -> None:
        if told.clocks_ms:
            self._clocks = told.clocks_ms
        if told.kind == "seated":
            self._table, self._number = told.table, told.seat
        elif told.kind == "line":
            self._note_line(told)
        elif told.kind == "taken":
            self._question, self._verdict = None, "taken"
        elif told.kind == "refused":
            self._verdict = told.words or told.reason
        elif told.kind == "replaced":
            self._end = {"state": "left", "words": "Another program has taken this seat with its token."}
        elif told.kind == "voided":
            self._end = {"state": "void", "words": f"The table was closed without a result: {told.words}"}

    def _note_line(self, told: Told) -> None:
        self._events += told.view.get("events", ())
        if "ask" in told.view:
            self._question, self._cursor = told.view, told.cursor
        elif "end" in told.view:
            end = told.view["end"]
            self._events += end.get("events", ())
            self._end = {"state": "over", "words": "The deal is over."}
            self._end |= {key: end[key] for key in ("places", "points", "fault") if key in end}

    def _tell_all(self) -> dict[str, Any]:
        events, self._events = self._events, []
        players = [self._name_seat(seat) for seat in range(self._table.seats if self._table else 0)]
        told: dict[str, Any] = {
            "state": "your turn" if self._question else "waiting",
            "table": self._table.id if self._table else "",
            "rules": self._table.rules if self._table else "",
            "you": self._name_seat(self._number),
            "players": players,
            "happened": [tell_event(event, players) for event in events],
            "clocks_seconds": [round(clock / 1000) for clock in self._clocks],
        }
        if self._end:
            return told | self._end
        if self._question:
            told["question"] = word_question(self._question, self._name_seat)
            told |= {key: value for key, value in self._question.items() if key not in HIDDEN}
        return told

    def _name_seat(self, seat: int) -> str:
        letter = chr(ord("A") + seat) if seat >= 0 else "?"
        name = self._table.names[seat] if self._table and seat < len(self._table.names) else ""
        return f"{letter} ({name})" if name else letter
