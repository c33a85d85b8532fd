"""Records played again: every line is read, carried out, and compared with what the rules make of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, reduce

import msgspec

from maumau.errors import BadRecord, MaumauError, UnknownVariant
from maumau.game.deal import Deal, deal, deal_by_hand
from maumau.game.model.state import FORFEITS
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.event import IN
from maumau.game.record import (
    ASKED_TOGETHER,
    FORFEIT,
    HELD,
    PLAIN,
    POLLS,
    QUIET,
    list_told_events,
    write_cards,
    write_numbers,
)
from maumau.game.ruleset.growth import add_rule
from maumau.game.ruleset.own import load
from maumau.game.ruleset.rules import Rules, chosen_text
from maumau.game.ruleset.variant import list_names


class Reader:
    """The lines of a record with a reading position."""

    def __init__(self, text: str, before: int = 0, own: Rules | None = None) -> None:
        self.own = own
        self.lines = text.split("\n")
        self.before = before  # lines before these in a longer text
        self.at = 0
        self.forfeits = 1  # the version by which its forfeits count
        if self.lines.pop() != "":
            self.at = len(self.lines) + 1
            raise self.wrong("the record breaks off, its last line has no end")

    def wrong(self, why: str) -> BadRecord:
        """Return the error for the line just read."""
        return BadRecord(f"line {self.before + self.at}: {why}")

    def more(self) -> bool:
        """Return True if there is another line."""
        return self.at < len(self.lines)

    def sees(self, head: str) -> bool:
        """Return True if the next line begins with `head`."""
        return self.more() and self.lines[self.at].startswith(head)

    def next(self, expected: str) -> str:
        """Return the next line."""
        if not self.more():
            self.at += 1
            raise self.wrong(f"the record ends where {expected} should be")
        self.at += 1
        return self.lines[self.at - 1]

    def tag(self, name: str) -> str:
        """Return the text after the name in the next line, `[name …]`."""
        line = self.next(f"[{name} …]")
        if not (line.startswith(f"[{name} ") and line.endswith("]")) and line != f"[{name}]":
            raise self.wrong(f"expected [{name} …], not {line[:80]!r}")
        return line[len(name) + 2 : -1]

    def cards(self, head: str) -> str:
        """Return the cards after the head in the next line."""
        line = self.next(f"{head!r} and cards")
        if line != head and not line.startswith(head + " "):
            raise self.wrong(f"expected {head!r} and cards, not {line[:80]!r}")
        return line[len(head) + 1 :]


def replay(text: str, before: int = 0, own: Rules | None = None) -> Deal:
    """Play a record again; BadRecord names the line that cannot be read or does not follow the rules.

    `before` is the number of lines before it in a longer text, for the line in an error; `own` are the custom
    rules (`load_file`) that the record may name.
    """
    for d, _ in replay_stages(text, before, own):
        played = d
    return played


def replay_stages(text: str, before: int = 0, own: Rules | None = None) -> Iterator[tuple[Deal, int]]:
    """Yield the deal as dealt, then after each action with its consequences: one object, played on.

    With each the number of the last line read.
    """
    reader = Reader(text, before, own)
    if reader.tag("maumau") != "1":
        raise reader.wrong("this is not version 1 of the format")
    rules, seats = read_table(reader)
    try:
        d = _read_deal(reader, rules, seats)
    except MaumauError as error:
        raise error if isinstance(error, BadRecord) else reader.wrong(str(error)) from None
    yield d, before + reader.at
    read = 0
    while reader.more():
        if reader.sees("result ") and d.asks not in ASKED_TOGETHER:
            _read_result(reader, d)
            break
        read = _read_step(reader, d, read)
        yield d, before + reader.at


def read_table(reader: Reader) -> tuple[Rules, int]:
    """Return the rules and the number of seats in the next lines."""
    rules = _read_rules(reader)
    seats = reader.tag("seats")
    if seats not in map(str, range(1, len(SEATS) + 1)):
        raise reader.wrong(f"{seats!r} is not a number of seats")
    return rules, int(seats)


def _read_rules(reader: Reader) -> Rules:
    parts = reader.tag("rules").split(" ")
    added = tuple(reader.tag("added").split(" ")) if reader.sees("[added") else ()
    try:
        rules = _load_rules(parts[0], " ".join(parts[1:-1]), added, reader.own)
    except (MaumauError, msgspec.MsgspecError, RecursionError) as error:
        raise reader.wrong(str(error)) from None
    if rules.hash != parts[-1] or chosen_text(rules) != " ".join(parts[1:-1]):
        raise reader.wrong(f"these are not the rules of the record: their hash is {rules.hash}")
    return rules


@lru_cache(maxsize=64)
def _load_rules(name: str, options: str, added: tuple[str, ...], own: Rules | None) -> Rules:
    """Return the rules of a record, cached: consecutive records often have the same ones."""
    chosen = msgspec.json.decode(options, type=dict[str, object])
    if own is not None and own.name == name:
        return reduce(add_rule, added, Rules(name, own.variant, chosen, text=own.text))
    if name not in list_names():
        known = ", ".join(list_names())
        raise UnknownVariant(f"there is no variant {name!r}; known: {known}; a custom variant needs its file")
    return reduce(add_rule, added, load(name, **chosen))


def _read_deal(reader: Reader, rules: Rules, seats: int) -> Deal:
    by_hand = reader.sees("[hand")
    seed = read_seed(reader, reader.tag("hand" if by_hand else "seed").lstrip(" "), by_hand=by_hand)
    first = 0
    if reader.sees("[first"):
        letter = reader.tag("first")
        if letter not in SEATS[1:seats]:
            raise reader.wrong(f"{letter!r} is not a seat that can be named first")
        first = SEATS.index(letter)
    if not by_hand:
        sizes = _read_sizes(reader)
        _read_forfeits(reader)
        return _check_cards(reader, deal(rules, seats, seed, first, sizes=sizes))
    _read_forfeits(reader)
    hands = {seat: reader.cards(f"deal {SEATS[seat]}") for seat in range(seats)}
    up = reader.cards("up")
    cut = reader.cards("cut") if reader.sees("cut ") else ""
    stock = reader.cards("stock")
    rest = reader.cards("rest") if reader.sees("rest ") else ""
    return deal_by_hand(rules, hands, up, stock, first, seed, cut=cut, rest=rest)


def _read_sizes(reader: Reader) -> list[int] | None:
    if not reader.sees("[hands"):
        return None
    sizes = reader.tag("hands").split(" ")
    if not all(size.isdecimal() and len(size) < 3 for size in sizes):
        raise reader.wrong(f"{sizes} are not numbers of cards")
    return [int(size) for size in sizes]


def _read_forfeits(reader: Reader) -> None:
    """Read by which version forfeits count; a record from before version 2 does not say it."""
    if reader.sees("[forfeits"):
        if reader.tag("forfeits") != str(FORFEITS):
            raise reader.wrong(f"forfeits count by version {FORFEITS} here, or are not marked")
        reader.forfeits = FORFEITS


def _check_cards(reader: Reader, d: Deal) -> Deal:
    for expected in write_cards(d):
        if reader.next(repr(expected)) != expected:
            raise reader.wrong(f"the seed deals {expected!r}")
    return d


def read_seed(reader: Reader, text: str, *, by_hand: bool = False) -> str:
    """Return a seed written by `seed_text`; only a deal by hand may have none."""
    if text.startswith('"'):
        try:
            return msgspec.json.decode(text, type=str)
        except msgspec.MsgspecError as error:
            raise reader.wrong(f"the seed cannot be read: {error}") from None
    if not PLAIN.fullmatch(text) and not (by_hand and not text):
        raise reader.wrong(f"the seed cannot be read: {text[:80]!r}")
    return text


def _read_step(reader: Reader, d: Deal, start: int) -> int:
    """Read the events of the deal since number `start`, or the next action and its consequences."""
    events = list_told_events(d, start)
    if not events:
        first = reader.at
        line = reader.next("an event")
        while line.startswith("shuffle ") and reader.more():  # a draw that made the shuffle necessary follows
            line = reader.next("an event")
        while line == HELD and reader.more():  # accusations after a window that closed silently follow
            _close_windows(reader, d)
            line = reader.next("an event")
        _carry_out_line(reader, d, line)
        while d.asks in POLLS and not list_told_events(d, start):  # logged once all have replied
            _carry_out_line(reader, d, reader.next("an event"))
        events = list_told_events(d, start)
        reader.at = first
    for event in events:
        line = reader.next(repr(event))
        if line != event:
            raise reader.wrong(f"by the rules {event!r} happens here, not {line[:80]!r}")
    return len(d.log)


def _close_windows(reader: Reader, d: Deal) -> None:
    """Let all seats hold once."""
    if d.asks not in QUIET:
        raise reader.wrong(f"there is no window that closes here: the decision is {d.asks}")
    for seat in d.to_act:
        d.apply(seat, "hold")


def _carry_out_line(reader: Reader, d: Deal, line: str) -> None:
    """Carry out a line. If it implies that no one reacts to an open window, let a seat hold."""
    who, _, said = line.partition(" ")
    seat = SEATS.find(who) if len(who) == 1 else -1
    fault = FORFEIT.fullmatch(line)
    try:
        if fault and SEATS.index(fault[1]) < d.seats:
            d.made.forfeits = reader.forfeits
            d.forfeit(SEATS.index(fault[1]), fault[2])
        elif d.asks in QUIET and not _belongs_to_window(d, seat, said):
            d.apply(d.to_act[0], "hold")
        elif 0 <= seat < d.seats:
            _carry_out_action(d, seat, parse(said.split(" ")[0]))
        else:
            raise reader.wrong(f"{line[:80]!r} is not what a seat does")
    except BadRecord:
        raise
    except MaumauError as error:
        raise reader.wrong(str(error)) from None


def _belongs_to_window(d: Deal, seat: int, said: str) -> bool:
    """Return True if a line belongs to the open window, and not to the time after it closed."""
    text = said.partition(" ")[0]
    try:
        if not parse(text).word and not said.endswith(f" {IN}"):
            return False
        return 0 <= seat < d.seats and d.allows(seat, text)
    except MaumauError:
        return False


def _carry_out_action(d: Deal, seat: int, action: Action) -> None:
    """Apply an action; of a window only the winning reaction is recorded, so the others hold."""
    if d.asks != "window" or action.word in ("accuse", "!"):
        d.apply(seat, action)
        return
    for other in d.to_act:
        d.apply(other, action if other == seat else "hold")


def _read_result(reader: Reader, d: Deal) -> None:
    line = reader.next("the result")
    if not d.over:
        raise reader.wrong("the deal is not over here")
    if reader.forfeits == FORFEITS and not d.faults:
        raise reader.wrong("the header speaks of forfeits, and nobody forfeited")
    expected = f"result places {write_numbers(d.places)} points {write_numbers(d.points)}"
    if line != expected:
        raise reader.wrong(f"by the rules this is {expected!r}")
    if reader.more():
        reader.next("nothing")
        raise reader.wrong("nothing follows the result")
