"""Gestures: an apology to a player one harms, an astonished face before shuffling, and their menu entries.

They are symbolic: an additional word in a bot's action, and a violation if it is missing.
"""

from __future__ import annotations

from typing import Final

from maumau.game.model.move import Menu, Move, make_menu
from maumau.game.model.state import State
from maumau.game.notation.action import Action, parse
from maumau.game.table import side, stock

PICK_UP: Final = Move("pick_up_ripe_cards")


def add_gestures(d: State) -> None:
    """Add the astonished draw, and picking up ripe penalty cards, to the menu of the seat on turn."""
    rules, court, listed = d.compiled.law, d.court, d.menu.moves
    more: dict[Action, Move] = {}
    word = "draw" if "draw" in listed else "take" if "take" in listed else ""
    if rules.willi and word and _needs_shuffle(d, word):
        more[parse(f"{word}/willi")] = listed[word]
    if court.ripe[d.seat] and d.asks == "turn":
        more[parse("take")] = PICK_UP
    if more:
        d.menu = _extend_menu(d.menu, more)


def _extend_menu(menu: Menu, more: dict[Action, Move]) -> Menu:
    """Return the menu with more words, in canonical order."""
    plays = {action: menu.moves[action.text] for action in menu.actions if not action.word}
    words = {action: menu.moves[action.text] for action in menu.actions if action.word} | more
    words = {action: words[action] for action in sorted(words, key=lambda action: action.text)}
    return make_menu(plays | words, short=menu.short)


def _needs_shuffle(d: State, word: str) -> bool:
    """Return True if the pile must be shuffled for this draw."""
    return d.stock.bit_count() < (1 if word == "draw" else d.owed) and stock.get_pile(d) != 0


def forgot_astonished_face(d: State, action: Action) -> bool:
    """Return True if this draw needs an astonished face that is missing.

    "Ist auf dem Kartenstapel keine Karte mehr vorhanden, so muss der ... Spieler so tun als würde er ... ein
    Karte ziehen und dann verwunderten Gesichtsausdrucks mit dem Mischen ... beginnen."
    """
    rules = d.compiled.law
    return rules.willi and action.said != "willi" and _needs_shuffle(d, action.word)


def check_apology(d: State, seat: int, move: Move, action: Action) -> None:
    """Charge a missing apology. If a move harms another player "muss ein Geste der Versöhnung folgen"."""
    if move.power.harms and action.said != "sorry":
        side.commit_violation(d, seat, "sorry")
