"""Game records: rules, then the records of the deals; a game resumes where it stopped."""

from __future__ import annotations

import re
from typing import Final

from maumau.errors import BadDeal, BadRecord, GameOver, MaumauError
from maumau.game.deal import Deal
from maumau.game.game import Game
from maumau.game.notation.action import SEATS
from maumau.game.record import DEALS, record, seed_text, table_lines, write_numbers
from maumau.game.replay import Reader, read_seed, read_table, replay
from maumau.game.ruleset.rules import Rules

DEAL: Final = "[maumau 1]"
GAME: Final = "[maumau game 1]"
END: Final = re.compile(r"(?m)^(?:[A-J] rule:|game ).*\n")
HEADERS: Final = ("[", "deal ", "up ", "cut ", "refused ", "stock ", "rest ", "result ")
RULE: Final = re.compile(r"[A-J] rule:")


def record_game(game: Game) -> str:
    """Return the game's record: a header, its deals in order, and the result if it is over."""
    deals = [*game.past, game.deal]
    head = [GAME, *table_lines(deals[0].rules, deals[0].seats), f"[seed {seed_text(game.seed)}]"]
    played = "".join(record(d) + _get_added_rule(game, number, d) for number, d in enumerate(deals))
    return "\n".join(head) + "\n" + played + (_write_result(game) if game.over else "")


def _get_added_rule(game: Game, number: int, d: Deal) -> str:
    """Return the line with the rule that the winner of a deal has added or declined."""
    said = game.said.get(number)
    return f"{SEATS[d.winner]} {said}\n" if said and d.winner is not None else ""


def _write_result(game: Game) -> str:
    return f"game places {write_numbers(game.places)} total {write_numbers(game.total)}\n"


def resume(text: str, own: Rules | None = None) -> Game:
    """Return the game of a record, to be played on; raise BadRecord with line and reason if it is wrong.

    own: a custom variant that the record may name.
    """
    reader = Reader(text, own=own)
    if reader.tag("maumau game") != "1":
        raise reader.wrong("this is not version 1 of the format")
    rules, seats = read_table(reader)
    game = Game(rules, seats, read_seed(reader, reader.tag("seed")))
    begun = False
    while reader.more() and not (begun and reader.sees("game ")):
        _read_deal(reader, game, begun=begun)
        begun = True
    if not begun:
        reader.next("the record of a deal")
    if reader.more():
        _check_result(reader, game)
    return game


def _read_deal(reader: Reader, game: Game, *, begun: bool) -> None:
    """Read one deal's record and have it as the game's next deal."""
    start = reader.at
    reader.next("the record of a deal")
    while reader.more() and not (
        reader.sees(DEAL) or reader.sees("game ") or RULE.match(reader.lines[reader.at])
    ):
        reader.next("a line of the deal")
    d = replay("\n".join(reader.lines[start : reader.at]) + "\n", start, reader.own)
    go_on = game.follow if begun else game.put
    try:
        go_on(d)
    except (BadDeal, GameOver) as error:
        raise BadRecord(f"line {start + 1}: {error}") from None
    if reader.more() and RULE.match(reader.lines[reader.at]):
        line = reader.next("a rule to be added")
        try:
            game.apply(SEATS.index(line[0]), line[2:])
        except MaumauError as error:
            raise reader.wrong(str(error)) from None


def _check_result(reader: Reader, game: Game) -> None:
    line = reader.next("the result")
    if not game.over:
        raise reader.wrong("the game is not over here")
    if line + "\n" != _write_result(game):
        raise reader.wrong(f"by the rules this is {_write_result(game)[:-1]!r}")
    if reader.more():
        reader.next("nothing")
        raise reader.wrong("nothing follows the result")


def split_deals(text: str) -> list[str]:
    """Return the records of a game's deals, without what stands between them."""
    return [END.sub("", one) for one in DEALS.split(text)[1:]]


def count_events(text: str) -> int:
    """Return the number of events in the record of a deal."""
    return sum(not line.startswith(HEADERS) for line in text.splitlines())
