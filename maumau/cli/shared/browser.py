"""Replayed deals on a screen: stepped through with keys in a terminal, else line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maumau.errors import BadFile, BadRecord
from maumau.screen.output import Style, console, json_line, plain, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.cli.shared.source import DealSource
    from maumau.client.answer import RuleSet, SetResult
    from maumau.game import Rules
    from maumau.page.page import PageDeal
    from maumau.screen.picture import Frame

FORWARD = {" ", "l", "\r", "\n", "\x1b[C", "\x1bOC"}
BACK = {"h", "b", "\x7f", "\x1b[D", "\x1bOD"}
START, END = {"g", "\x1b[H", "\x1bOH", "\x1b[1~"}, {"G", "\x1b[F", "\x1bOF", "\x1b[4~"}
NEXT, LAST = {"n", "\x1b[B", "\x1bOB"}, {"p", "\x1b[A", "\x1bOA"}
QUIT = {"q", "\x1b", "\x04"}
HELP = "→ on, ← back, g start, G end, n next deal, p last deal, q quit"


def show_played(
    played: Sequence[ReplayedDeal],
    seat: str | None,
    suits: Style,
    at: int | None = None,
    html: Path | None = None,
    *,
    as_json: bool = False,
) -> None:
    """Show deals as the options of `replay` say; raise the error of a wrong record afterwards."""
    place = _seat_number(seat, played)
    if html:
        _write_page(played, html, as_json=as_json)
    elif at is not None:
        _print_at(played[0], at, place, suits, as_json=as_json)
    elif as_json or not (console().is_terminal and sys.stdin.isatty()):
        _print_all(played, place, as_json=as_json)
    else:
        Browser(played, suits, place).run()
    for each in played:
        if each.error and (at is None or each is played[0]):
            raise each.error


def replay_set(
    played: SetResult, names: Sequence[str], rules: RuleSet | None, title: str
) -> list[ReplayedDeal]:
    """Return the deals of a set, replayed. names: the bots, by the set's entrants."""
    from maumau.cli.shared.source import DealSource, list_texts
    from maumau.game import load_text

    own = load_text(rules.name, rules.variant_toml) if rules and rules.variant_toml else None
    texts = [
        (f"seating {seating}{told}", text, deal.entrants)
        for seating, deal in enumerate(played.deals)
        for told, text in list_texts(deal.record)
    ]
    return [
        ReplayedDeal(
            DealSource(
                f"{title}, set {played.number}, {told}",
                text,
                0,
                tuple(names[entrant] for entrant in entrants),
                own,
            ),
            None,
        )
        for told, text, entrants in texts
    ]


class ReplayedDeal:
    """A record replayed until its end, or until a wrong line: `error` has the reason."""

    def __init__(self, source: DealSource, given: Rules | None) -> None:
        from maumau.game.replay import replay_stages
        from maumau.screen.picture import Frame

        self.name, self.names = source.name, source.names
        self.frames: list[Frame] = []
        self.error: BadRecord | None = None
        seen = 0
        try:
            for d, line in replay_stages(source.text, source.before, given or source.own):
                self.frames.append(Frame("", line, d.copy(), len(d.log) - seen))
                seen = len(d.log)
            if not d.over:
                self.error = BadRecord(f"line {line}: the record ends here, and the deal is not over")
        except BadRecord as error:
            self.error = error
        if self.error and self.name:
            self.error = BadRecord(f"{self.name}: {self.error}")
        self.frames = [
            frame._replace(title=self._deal_title(number)) for number, frame in enumerate(self.frames)
        ]

    def told(self, tell: Callable[..., PageDeal]) -> PageDeal:
        """Return the deal as the page shows it."""
        from msgspec.structs import replace

        stages = [(frame.deal, frame.line) for frame in self.frames]
        found = tell(self.name, stages, str(self.error or ""))
        return replace(found, names=list(self.names)) if self.names else found

    def _deal_title(self, number: int) -> str:
        last, here = self.frames[-1], self.frames[number]
        name = f"{self.name}, " if self.name else ""
        name += "".join(f"{seat} {plain(bot)}, " for seat, bot in zip("ABCDEFGHIJ", self.names, strict=False))
        return f"{name}{last.deal.rules.name}, event {here.events} of {last.events}, line {here.line}"


def _seat_number(letter: str | None, played: Sequence[ReplayedDeal]) -> int | None:
    """Return the number of a seat; raise BadFile if it is not occupied."""
    from maumau.game.notation.action import SEATS

    if letter is None or not played[0].frames:
        return None
    seats = min(each.frames[0].deal.seats for each in played if each.frames)
    if len(letter) != 1 or letter.upper() not in SEATS[:seats]:
        raise BadFile(f"nobody sits at {letter!r}: the seats are {' '.join(SEATS[:seats])}")
    return SEATS.index(letter.upper())


def _write_page(played: Sequence[ReplayedDeal], path: Path, *, as_json: bool) -> None:
    """Write one file with everything in it, to be opened by a double click."""
    from maumau.page.file import write_file
    from maumau.page.page import tell_deal

    whole = [each for each in played if each.frames]
    write_file(path, [each.told(tell_deal) for each in whole])
    if as_json:
        json_line({"page": str(path), "deals": len(whole)})
    else:
        show(f"{path}: {len(whole)} {'deal' if len(whole) == 1 else 'deals'}")


def _print_at(played: ReplayedDeal, at: int, seat: int | None, suits: str, *, as_json: bool) -> None:
    """Print the first stage at which at least `at` events have happened."""
    from maumau.screen.picture import STYLES, picture

    found = next((frame for frame in played.frames if frame.events >= at), None)
    if found is None and played.error is None:
        raise BadFile(f"the record has {played.frames[-1].events} events, not {at}")
    if found and as_json:
        json_line(_stage_as_json(found, seat))
    elif found:
        show(picture(found, STYLES[suits], seat))


def _print_all(played: Sequence[ReplayedDeal], seat: int | None, *, as_json: bool) -> None:
    for each in played:
        if not as_json and each.name:
            show(each.name)
        for frame in each.frames:
            if as_json:
                json_line(({"deal": each.name} if each.name else {}) | _stage_as_json(frame, seat))
            else:
                show(_describe_stage(frame, seat))


def _describe_stage(frame: Frame, seat: int | None) -> str:
    """Return the events of a stage and the resulting state in one line."""
    state = _stage_as_json(frame, seat)
    counts = " ".join(map(str, state["counts"]))
    words = [
        f"top {state['top'] or 'nothing'}",
        *(f"{key} {state[key]}" for key in ("wish", "owed", "skips") if state[key]),
    ]
    told = "; ".join(state["events"])
    return f"{frame.events:>4}  {told:<28} {', '.join(words)}, in hand {counts}, stock {state['stock']}"


def _stage_as_json(frame: Frame, seat: int | None) -> dict[str, Any]:
    """Return a stage as one JSON object: with the hands, or as a seat sees it."""
    import msgspec

    from maumau.game.notation.cards import list_names

    d = frame.deal
    start = len(d.log) - frame.fresh
    view: dict[str, Any] = msgspec.to_builtins(d.view(0 if seat is None else seat, start))
    state = {"event": frame.events, "line": frame.line, "to_act": d.to_act, "asks": d.asks, "over": d.over}
    if seat is None:
        for own in ("ask", "seat", "hand", "legal", "call", "also", "drawn", "shown"):
            view.pop(own, None)
        view["events"] = d.events[start:]
        view["hands"] = [list_names(hand) for hand in d.hands]
    return state | view


class Browser:
    """Stepping through records with keys."""

    def __init__(self, played: Sequence[ReplayedDeal], suits: str, seat: int | None) -> None:
        self.played = played
        self.suits = suits
        self.seat = seat
        self.deal = self.at = 0
        self.done = False

    def run(self) -> None:
        """Read keys until the reader quits."""
        from maumau.screen.keys import pressed

        with pressed() as keys, console().screen() as screen:
            while not self.done:
                screen.update(self._render_stage())
                found = keys()
                self.done = not found
                for key in found:
                    self.press(key)

    def press(self, key: str) -> None:
        """Act on a key."""
        last = len(self.played[self.deal].frames) - 1
        if key in FORWARD | BACK:
            self.at = max(0, min(last, self.at + (1 if key in FORWARD else -1)))
        elif key in START | END:
            self.at = 0 if key in START else max(0, last)
        elif key in NEXT | LAST:
            self.deal = max(0, min(len(self.played) - 1, self.deal + (1 if key in NEXT else -1)))
            self.at = 0
        self.done = self.done or key in QUIT

    def _render_stage(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        from maumau.screen.picture import STYLES, picture

        played = self.played[self.deal]
        parts: list[RenderableType] = []
        if played.frames:
            parts.append(picture(played.frames[self.at], STYLES[self.suits], self.seat))
        if played.error and self.at >= len(played.frames) - 1:
            parts.append(Text(f"\n{played.error}", "bold red"))
        return Group(*parts, Text(f"\n{HELP}", "dim"))
