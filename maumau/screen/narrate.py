"""A deal told in sentences, with the cards that each player holds after every action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, list_names
from maumau.game.record import event_lines
from maumau.game.replay import replay_stages
from maumau.page.words import show_cards, tell_event
from maumau.screen.picture import Suits, draw_signs
from maumau.screen.told import ShownNote

if TYPE_CHECKING:
    from maumau.game import Deal, Rules

PILE = "on the pile"
SENTENCE = 46
"""Columns of a sentence before the cards after it."""


def narrate_deal(
    record: str, notes: Sequence[ShownNote], names: Sequence[str], suits: Suits, own: Rules | None = None
) -> Iterator[Text]:
    """Yield a deal line by line: the cards dealt, each event in a sentence, notes below their event.

    Args:
        record: The deal's record.
        notes: Remarks of programs, by the number of the event they were made with.
        names: What the players are called, by seat.
        suits: How cards are drawn.
        own: The rules of a variant that is not the library's own.
    """
    called = _tell_apart(names)
    told, begun = 0, False  # `told` counts events
    for deal, _ in replay_stages(record, own=own):
        for place in range(told, len(deal.log)):
            yield from _narrate_event(deal, place, called, suits)
            before, line = event_lines(deal)[place : place + 2]
            yield from (
                draw_signs(f"    {names[note.seat]}: {_one_line(note.text)}", suits, "italic")
                for note in notes
                if before < note.event == line
            )
        told = len(deal.log)
        if not begun and deal.top >= 0:  # before, cards of a cut may be kept and hands are not dealt
            begun = True
            yield from _show_start(deal, called, suits)


def _tell_apart(names: Sequence[str]) -> list[str]:
    """Return the names, followed by the seat if several players share them."""
    return [f"{name} ({SEATS[seat]})" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def _show_start(deal: Deal, names: Sequence[str], suits: Suits) -> Iterator[Text]:
    if any(event.startswith("cut ") for event in deal.events):
        yield Text()
    width = max(map(len, (PILE, *names)))
    for seat, name in enumerate(names):
        yield draw_signs(f"{name:{width}}  {_show_hand(deal, seat)}", suits)
    yield draw_signs(f"{PILE:{width}}  {show_cards(NAMES[deal.top])}", suits)
    yield Text()


def _narrate_event(deal: Deal, place: int, names: Sequence[str], suits: Suits) -> Iterator[Text]:
    event = deal.events[place]
    if event.startswith(("[", "up ")):  # a header in the middle; the card that `_show_start` shows
        return
    sentence = draw_signs(tell_event(event, names), suits)
    seat = SEATS.find(event[0]) if event[1:2] == " " else -1
    if seat >= 0 and place + 1 == len(deal.log):  # the hand is that after the last event
        sentence.append(" " * max(2, SENTENCE - sentence.cell_len))
        sentence.append(draw_signs(_show_hand(deal, seat), suits, "dim"))
    yield sentence


def _show_hand(deal: Deal, seat: int) -> str:
    cards = list_names(deal.hands[seat])
    return show_cards(" ".join(cards)) if cards else "no cards"


def _one_line(text: str) -> str:
    return " ".join(text.split())
