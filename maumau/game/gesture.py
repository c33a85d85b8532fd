"""Gestures: an apology to who is harmed, an astonished face before shuffling; and what else widens a list.

They are tokens: for bots a word more on the action, and the violation of who leaves it out.
"""

from __future__ import annotations

from maumau.game import law, stock
from maumau.game.action import Action, parse
from maumau.game.move import Menu, Move
from maumau.game.state import State


def add_gestures(d: State) -> None:
    """The list of the seat on turn with the astonished draw, and with picking up what has ripened."""
    rules, court, listed = d.compiled.law, d.court, d.menu.moves
    if rules is None or court is None:
        return
    more: dict[Action, Move] = {}
    word = "draw" if "draw" in listed else "take" if "take" in listed else ""
    if rules.willi and word and _needs_shuffle(d, word):
        more[parse(f"{word}/willi")] = listed[word]
    if court.ripe[d.seat] and d.asks == "turn":
        more[parse("take")] = d.compiled.pick
    if more:
        d.menu = _extend_menu(d.menu, more)


def _extend_menu(menu: Menu, more: dict[Action, Move]) -> Menu:
    """A list with more words, in canonical order."""
    plays = {action: menu.moves[action.text] for action in menu.actions if not action.word}
    words = {action: menu.moves[action.text] for action in menu.actions if action.word} | more
    words = {action: words[action] for action in sorted(words, key=lambda action: action.text)}
    return Menu(plays | words, short=menu.short)


def _needs_shuffle(d: State, word: str) -> bool:
    """Whether the pile must be shuffled for what is drawn now."""
    return d.stock.bit_count() < (1 if word == "draw" else d.owed) and stock.get_pile(d) != 0


def forgot_astonished_face(d: State, action: Action) -> bool:
    """Whether who draws now must look astonished, and does not.

    "Ist auf dem Kartenstapel keine Karte mehr vorhanden, so muss der ... Spieler so tun als würde er ... ein
    Karte ziehen und dann verwunderten Gesichtsausdrucks mit dem Mischen ... beginnen."
    """
    rules = d.compiled.law
    return rules is not None and rules.willi and action.said != "willi" and _needs_shuffle(d, action.word)


def check_apology(d: State, seat: int, move: Move, action: Action) -> None:
    """If a move harms another player "muss ein Geste der Versöhnung folgen"."""
    if d.court is not None and move.power.harms and action.said != "sorry":
        law.commit_violation(d, seat, "sorry")
