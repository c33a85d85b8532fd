"""Tournaments as a picture that fits its terminal: what moves is seen first, and nothing is cut off below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from maumau.screen.board import Board
from maumau.screen.output import plain
from maumau.screen.table import match_table, standing_table, write_legend

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text

    from maumau.screen.live_deal import LiveTable
    from maumau.screen.picture import Suits

BESIDE: Final = 116
"""Columns from which the ratings are beside the deal."""
RATINGS: Final = 52
"""Columns of the ratings there."""
MATCHES: Final = 12
"""The most matches that are listed."""
DEAL: Final = 5
WHOLE_DEAL: Final = 17
"""Rows of a deal with its last events in one row, and with a row for each."""
NO_DEAL: Final = "no deal is being played at the moment"


class Cell:
    """Content with a fixed number of rows."""

    def __init__(self, content: RenderableType, rows: int) -> None:
        self.content, self.rows = content, rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        lines = console.render_lines(self.content, options.update(height=None), pad=False)[: self.rows]
        for line in [*lines, *[[]] * (self.rows - len(lines))]:
            yield from line
            yield Segment.line()


class Picture:
    """The boards of tournaments, the first one with all the room left, and a last line below them."""

    def __init__(self, boards: Sequence[Board], footer: str = "") -> None:
        self.boards, self.footer = boards, footer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from maumau.screen.picture import FRENCH, LETTERS

        rows = options.max_height - 1 - bool(self.footer)  # one row stays free for the cursor
        suits = LETTERS if options.ascii_only else FRENCH
        others = self.boards[1 : max(1, rows)]
        for board in self.boards[:1]:
            yield from BoardPage(board, options.max_width, max(1, rows - len(others)), suits).cells()
        for board in others:
            yield Cell(_title(board, options.max_width), 1)
        if self.footer:
            yield Cell(_line(self.footer, "dim"), 1)


class MatchPicture:
    """A match or a pairing with its deal. head: its score."""

    def __init__(self, table: LiveTable, head: RenderableType) -> None:
        self.table, self.head = table, head

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.console import Group

        from maumau.screen.picture import FRENCH, LETTERS

        suits = LETTERS if options.ascii_only else FRENCH
        rows = min(WHOLE_DEAL, options.max_height - 4)
        yield self.head
        yield Cell("", 1)
        yield Cell(Group(*self.table.draw(options.max_width, rows, suits)), rows)


class Ask(NamedTuple):
    """A part of a page, with its least useful and its largest number of rows."""

    part: str
    least: int
    most: int


class BoardPage:
    """One board in the given number of rows and columns."""

    def __init__(self, board: Board, width: int, rows: int, suits: Suits) -> None:
        self.board, self.width, self.rows, self.suits = board, width, rows, suits
        self.beside = width >= BESIDE and bool(board.standings)

    def cells(self) -> Iterator[Cell]:
        """Yield the title, and each part that there is room for after an empty row."""
        yield Cell(_title(self.board, self.width), 1)
        shared = self._shared()
        for part in ("deal", "ratings", "matches", "legend"):
            if rows := shared.get(part):
                yield Cell("", 1)
                yield Cell(getattr(self, f"_{part}")(rows), rows)

    def _shared(self) -> dict[str, int]:
        """Return the rows of each part: the most important part first, then more for each in turn."""
        shared: dict[str, int] = {}
        left = self.rows - 1
        for part, least, most in self._asks():
            have = shared.get(part, 0)
            room = left if have else left - 1
            rows = min(most, have + room)
            if rows > have and rows >= least:
                left -= rows - have + (not have)
                shared[part] = rows
        return shared

    def _asks(self) -> list[Ask]:
        ratings = len(self.board.standings) + bool(self.board.standings)
        matches = self._listed
        deal = self.board.table or self.board.playing
        high = max(WHOLE_DEAL, ratings) if self.beside else WHOLE_DEAL
        asks = [
            Ask("deal", 1, DEAL if deal else 0),
            Ask("ratings", 2, 0 if self.beside else min(ratings, 4)),
            Ask("matches", 1, min(matches, 4)),
            Ask("ratings", 2, 0 if self.beside else ratings),
            Ask("matches", 1, min(matches, 7)),
            Ask("deal", 10, high if deal or self.beside else 0),
            Ask("matches", 1, matches),
            Ask("legend", 3, 3),
        ]
        return [ask for ask in asks if ask.most]

    @property
    def _listed(self) -> int:
        """The rows of all lines about matches."""
        shown = min(MATCHES, len(self.board.at_work(MATCHES)) + len(self.board.decided))
        return shown + bool(shown) + bool(self._waiting)

    @property
    def _waiting(self) -> str:
        waiting = len(self.board.playing) - len(self.board.at_work(1000))
        words = "match waits" if waiting == 1 else "matches wait"
        return f"{waiting} {words} for a first result" if waiting else ""

    def _deal(self, rows: int) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        width = self.width - RATINGS - 3 if self.beside else self.width
        table = self.board.table
        lines = table.draw(width, rows, self.suits) if table else [_line(NO_DEAL, "dim")]
        if not self.beside:
            return Group(*lines)
        pair = Table.grid(padding=(0, 3, 0, 0))
        pair.add_column(width=width)
        pair.add_column(width=RATINGS)
        pair.add_row(Group(*lines), self._ratings(rows))
        return pair

    def _ratings(self, rows: int) -> RenderableType:
        entries = self.board.tournament.entries if self.board.tournament else ()
        return standing_table(self.board.standings[: rows - 1], entries, tight=True)

    def _matches(self, rows: int) -> RenderableType:
        from rich.console import Group

        waiting = [_line(self._waiting, "dim")] if self._waiting else []
        room = rows - 1 - len(waiting)
        shown = self.board.at_work(room)
        shown += self.board.decided[: room - len(shown)]
        listed = [match_table(shown, self.board.ahead, tight=True)] if shown else []
        return Group(*listed, *waiting)

    def _legend(self, _rows: int) -> RenderableType:
        from rich.console import Group

        spec = self.board.tournament.spec_toml if self.board.tournament else ""
        return Group(*(_line(line, "dim") for line in write_legend(spec)))


def _title(board: Board, width: int) -> Text:
    """Return as much of a board's title as the width has room for."""
    words, *more = board.title
    for each in more:
        if len(words) + len(each) + 2 <= width:
            words = f"{words}, {each}"
    return _line(words, "bold")


def _line(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(plain(text), style, no_wrap=True, overflow="ellipsis")
