"""Records: a deal written down, strict and readable, and played again.

A record holds the deal and what happened, hidden parts and all; everything that follows from the rules
(cards drawn, turns missed, who went out) is checked against them when it is played again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from typing import Final

import msgspec

from maumau.errors import BadRecord, MaumauError, UnknownVariant
from maumau.game.deal import Deal, deal, deal_by_hand
from maumau.game.model.state import FORFEITS, GIVEN_UP
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES, STRIDE
from maumau.game.notation.event import IN
from maumau.game.ruleset.growth import add_rule
from maumau.game.ruleset.rules import Rules, chosen_text, load
from maumau.game.ruleset.variant import list_names

PLAIN: Final = re.compile(r"[^\s\"\[\]]+")
HEADER: Final = ("cut ", "refused ", "up ")  # events written among the cards
HELD: Final = "held"
QUIET: Final = ("window", "appeal")  # windows in which holding is not recorded
POLLS: Final = ("vote", "react")  # windows in which every reply is recorded
ASKED_TOGETHER: Final = (*QUIET, *POLLS)
MARK: Final = f"\n[forfeits {FORFEITS}]\n"
DEALS: Final = re.compile(r"(?m)^(?=\[maumau 1\]$)")
FORFEIT: Final = re.compile(r"forfeit ([A-J]) ([a-z]+)")


def record(d: Deal, result: tuple[list[int], list[int]] | None = None) -> str:
    """Return the deal's record: header, cards, events, and the result if it is over.

    `result`: its places and points, if they are known already.
    """
    lines = [
        "[maumau 1]",
        *table_lines(d.rules, d.seats),
        f"[{'hand' if d.made.by_hand else 'seed'}{_write_seed(d)}]",
    ]
    if d.made.first:
        lines.append(f"[first {SEATS[d.made.first]}]")
    if d.made.sizes:
        lines.append(f"[hands {write_numbers(d.made.sizes)}]")
    if d.faults and d.made.forfeits == FORFEITS:
        lines.append(f"[forfeits {FORFEITS}]")
    lines += _write_cards(d)
    lines += _list_told_events(d)
    if d.over:
        places, points = result or (d.places, d.points)
        lines.append(f"result places {write_numbers(places)} points {write_numbers(points)}")
    return "\n".join(lines) + "\n"


def list_lost_seats(text: str, *, is_game: bool = False) -> tuple[int, ...]:
    """Return the seats that lost the deal of a record by a fault, or gave up its game; sorted.

    None in a record from before version 2 of forfeits.
    """
    if MARK not in text:
        return ()
    deals = [one for one in DEALS.split(text) if MARK in one]
    found = (FORFEIT.fullmatch(line) for one in deals for line in one.split("\n"))
    lost = {SEATS.index(fault[1]) for fault in found if fault and (not is_game or fault[2] in GIVEN_UP)}
    return tuple(sorted(lost))


def drop_mark(text: str) -> str:
    """Return a record without its mark of forfeits, so that lines of two records can be compared."""
    return text.replace(MARK, "\n")


def count_early_forfeits(text: str) -> int:
    """Return the number of deals of a record or of several whose forfeits are from before version 2."""
    return sum("\nforfeit " in one and MARK not in one for one in DEALS.split(text))


@lru_cache(maxsize=64)
def table_lines(rules: Rules, seats: int) -> tuple[str, ...]:
    """Return the header lines of the rules, the rules added by players, and the number of seats."""
    added = [f"[added {' '.join(rules.added)}]"] if rules.added else []
    return f"[rules {rules.name} {chosen_text(rules)} {rules.hash}]", *added, f"[seats {seats}]"


def _write_seed(d: Deal) -> str:
    text = d.seed.text
    return "" if d.made.by_hand and not text else " " + seed_text(text)


def seed_text(text: str) -> str:
    """Return a seed as it is written: plain where possible, else as JSON."""
    return text if PLAIN.fullmatch(text) else msgspec.json.encode(text).decode()


def _write_cards(d: Deal) -> list[str]:
    lines = [_write_line(f"deal {SEATS[seat]}", d.made.dealt[seat]) for seat in range(d.seats)]
    lines.append(_write_line("up", (d.made.up,)))
    lines += [_write_line("cut", d.made.cut)] if d.made.cut else []
    if d.made.by_hand:
        lines.append(_write_line("stock", d.made.laid))
        lines += [_write_line("rest", d.made.rest)] if d.made.rest else []
    return lines


def _list_told_events(d: Deal, start: int = 0) -> list[str]:
    """Return the events from number `start` on that are not in the header, as the cut and up cards are.

    Before some of them it is said that windows had closed with nobody reacting.
    """
    texts = [event if isinstance(event, str) else event.full for event in d.log[start:]]
    if not d.court.held:
        return [text for text in texts if not text.startswith(HEADER)]
    told = []
    for at, text in enumerate(texts, start):
        if not text.startswith(HEADER):
            told += [HELD] * d.court.held.get(at, 0)
            told.append(text)
    return told


def event_lines(d: Deal) -> list[int]:
    """Return the number of event lines in the record after the first n events, for each n from 0 on."""
    lines = [0]
    for at, event in enumerate(d.log):
        header = isinstance(event, str) and event.startswith(HEADER)
        lines.append(lines[-1] + (0 if header else 1 + d.court.held.get(at, 0)))
    return lines


def _write_line(head: str, cards: Iterable[int]) -> str:
    return " ".join([head, *[NAMES[(card.bit_length() - 1) % STRIDE] for card in cards]])


def write_numbers(values: list[int]) -> str:
    """Numbers by seat, as a line has them."""
    return " ".join(map(str, values))


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

    `before` is how many lines stand before it in a longer text, so that the line is named right; `own` are
    rules of one's own (`load_file`) that the record may name.
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
        raise UnknownVariant(
            f"there is no variant {name!r}; known are {known}; if it is somebody's own, its file is needed"
        )
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
    for expected in _write_cards(d):
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
    events = _list_told_events(d, start)
    if not events:
        first = reader.at
        line = reader.next("an event")
        while line.startswith("shuffle ") and reader.more():  # a draw that made the shuffle necessary follows
            line = reader.next("an event")
        while line == HELD and reader.more():  # accusations after a window that closed silently follow
            _close_windows(reader, d)
            line = reader.next("an event")
        _carry_out_line(reader, d, line)
        while d.asks in POLLS and not _list_told_events(d, start):  # logged once all have replied
            _carry_out_line(reader, d, reader.next("an event"))
        events = _list_told_events(d, start)
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


__all__ = ["record", "replay", "replay_stages"]
