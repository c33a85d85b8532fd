"""`maumau replay`: step through a record, in a terminal with keys, else line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maumau.cli.output import Json, console, json_line, plain, show
from maumau.errors import BadFile, BadRecord

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.cli.picture import Frame
    from maumau.cli.source import Source
    from maumau.game import Rules
    from maumau.page.page import Told

FORWARD = {" ", "l", "\r", "\n", "\x1b[C", "\x1bOC"}
BACK = {"h", "b", "\x7f", "\x1b[D", "\x1bOD"}
START, END = {"g", "\x1b[H", "\x1bOH", "\x1b[1~"}, {"G", "\x1b[F", "\x1bOF", "\x1b[4~"}
NEXT, LAST = {"n", "\x1b[B", "\x1bOB"}, {"p", "\x1b[A", "\x1bOA"}
QUIT = {"q", "\x1b", "\x04"}
HELP = "→ on, ← back, g start, G end, n next deal, p last deal, q quit"


class Style(StrEnum):
    """The suits cards are drawn with."""

    FRENCH = "french"
    GERMAN = "german"


def add_to(app: typer.Typer) -> None:
    """Registers the command."""
    app.command()(replay)


Html = Annotated[Path | None, typer.Option(help="Write a self-contained HTML page that shows it.")]


def replay(  # noqa: PLR0913 - a flag for everything that may be chosen
    file: Annotated[
        Path, typer.Argument(help="A record of a deal, a deal set or a game, or an export; `-` reads stdin.")
    ],
    *,
    match: Annotated[str | None, typer.Option(help="The match in an export, such as 1.2.1.")] = None,
    deal: Annotated[
        int | None, typer.Option(min=0, help="The number of the deal; in an export, of the deal set.")
    ] = None,
    at: Annotated[
        int | None, typer.Option(min=0, help="Print the table after this many events and exit.")
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Show only what this seat sees, such as B.")] = None,
    suits: Annotated[Style, typer.Option(help="The suits to draw cards with.")] = Style.FRENCH,
    own: Annotated[Path | None, typer.Option("--rules", help="The .toml file of your own variant.")] = None,
    html: Html = None,
    as_json: Json = False,
) -> None:
    """Step through a record with the arrow keys; without a terminal, print it line by line.

    Example: maumau replay cup.export.jsonl --match 2.1.1 --deal 17
    """
    from maumau.cli.source import sources
    from maumau.game import load_file

    rules = load_file(own) if own else None
    played = [Played(source, rules) for source in sources(file, match, deal)]
    place = _seat(seat, played)
    if html:
        _page(played, html, as_json=as_json)
    elif at is not None:
        _print_at(played[0], at, place, suits, as_json=as_json)
    elif as_json or not (console().is_terminal and sys.stdin.isatty()):
        _print_all(played, place, as_json=as_json)
    else:
        Browser(played, suits, place).run()
    for each in played:
        if each.error and (at is None or each is played[0]):
            raise each.error


class Played:
    """A record played until its end, or until the line that is wrong: `error` says why."""

    def __init__(self, source: Source, given: Rules | None) -> None:
        from maumau.cli.picture import Frame
        from maumau.game.record import replay_stages

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
        self.frames = [frame._replace(title=self._title(number)) for number, frame in enumerate(self.frames)]

    def told(self, tell: Callable[..., Told]) -> Told:
        """The deal as the page tells it."""
        from msgspec.structs import replace

        stages = [(frame.deal, frame.line) for frame in self.frames]
        found = tell(self.name, stages, str(self.error or ""))
        return replace(found, names=list(self.names)) if self.names else found

    def _title(self, number: int) -> str:
        last, here = self.frames[-1], self.frames[number]
        name = f"{self.name}, " if self.name else ""
        name += "".join(f"{seat} {plain(bot)}, " for seat, bot in zip("ABCDEFGHIJ", self.names, strict=False))
        return f"{name}{last.deal.rules.name}, event {here.events} of {last.events}, line {here.line}"


def _seat(letter: str | None, played: Sequence[Played]) -> int | None:
    """The number of a seat; BadFile if nobody sits there."""
    from maumau.game.action import SEATS

    if letter is None or not played[0].frames:
        return None
    seats = min(each.frames[0].deal.seats for each in played if each.frames)
    if len(letter) != 1 or letter.upper() not in SEATS[:seats]:
        raise BadFile(f"nobody sits at {letter!r}: the seats are {' '.join(SEATS[:seats])}")
    return SEATS.index(letter.upper())


def _page(played: Sequence[Played], path: Path, *, as_json: bool) -> None:
    """One file with everything in it, to be opened by a double click."""
    from maumau.page.file import write_file
    from maumau.page.page import tell_deal

    whole = [each for each in played if each.frames]
    write_file(path, [each.told(tell_deal) for each in whole])
    if as_json:
        json_line({"page": str(path), "deals": len(whole)})
    else:
        show(f"{path}: {len(whole)} {'deal' if len(whole) == 1 else 'deals'}")


def _print_at(played: Played, at: int, seat: int | None, suits: str, *, as_json: bool) -> None:
    """The first stage at which at least `at` events have happened."""
    from maumau.cli.picture import STYLES, picture

    found = next((frame for frame in played.frames if frame.events >= at), None)
    if found is None and played.error is None:
        raise BadFile(f"the record has {played.frames[-1].events} events, not {at}")
    if found and as_json:
        json_line(_state(found, seat))
    elif found:
        show(picture(found, STYLES[suits], seat))


def _print_all(played: Sequence[Played], seat: int | None, *, as_json: bool) -> None:
    for each in played:
        if not as_json and each.name:
            show(each.name)
        for frame in each.frames:
            if as_json:
                json_line(({"deal": each.name} if each.name else {}) | _state(frame, seat))
            else:
                show(_line(frame, seat))


def _line(frame: Frame, seat: int | None) -> str:
    """What has happened in a stage, and how things stand then."""
    state = _state(frame, seat)
    counts = " ".join(map(str, state["counts"]))
    words = [
        f"top {state['top'] or 'nothing'}",
        *(f"{key} {state[key]}" for key in ("wish", "owed", "skips") if state[key]),
    ]
    told = "; ".join(state["events"])
    return f"{frame.events:>4}  {told:<28} {', '.join(words)}, in hand {counts}, stock {state['stock']}"


def _state(frame: Frame, seat: int | None) -> dict[str, Any]:
    """A stage as one JSON object: with the hands, or as a seat sees it."""
    import msgspec

    from maumau.game.cards import list_names

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

    def __init__(self, played: Sequence[Played], suits: str, seat: int | None) -> None:
        self.played = played
        self.suits = suits
        self.seat = seat
        self.deal = self.at = 0
        self.done = False

    def run(self) -> None:
        """Until the reader quits."""
        from maumau.cli.keys import pressed

        with pressed() as keys, console().screen() as screen:
            while not self.done:
                screen.update(self._shown())
                found = keys()
                self.done = not found
                for key in found:
                    self.press(key)

    def press(self, key: str) -> None:
        """What a key does."""
        last = len(self.played[self.deal].frames) - 1
        if key in FORWARD | BACK:
            self.at = max(0, min(last, self.at + (1 if key in FORWARD else -1)))
        elif key in START | END:
            self.at = 0 if key in START else max(0, last)
        elif key in NEXT | LAST:
            self.deal = max(0, min(len(self.played) - 1, self.deal + (1 if key in NEXT else -1)))
            self.at = 0
        self.done = self.done or key in QUIT

    def _shown(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        from maumau.cli.picture import STYLES, picture

        played = self.played[self.deal]
        parts: list[RenderableType] = []
        if played.frames:
            parts.append(picture(played.frames[self.at], STYLES[self.suits], self.seat))
        if played.error and self.at >= len(played.frames) - 1:
            parts.append(Text(f"\n{played.error}", "bold red"))
        return Group(*parts, Text(f"\n{HELP}", "dim"))
