"""The ways in which deals and games end, how each is known, and a finder of an example of each.

`python -m tests.game.ending NAME ...` writes the golden records of these variants that are missing or do not
hold any more, and says which. One that changes shows a rule that has changed: look at it before you keep it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from maumau.errors import BadOption, BadRecord, UnreadableAction
from maumau.game import (
    Deal,
    Game,
    Rules,
    deal,
    deal_by_hand,
    load,
    parse,
    record,
    record_game,
    replay,
    resume,
)
from maumau.game.model.scoring import Count
from maumau.game.notation.cards import NAMES, STRIDE
from tests.game.play import step

FOLDER = Path(__file__).parent / "golden"
TRIES = 3000


class Way(NamedTuple):
    """One way to end: the options it needs, and what shows that a deal (or game) has ended so."""

    options: dict[str, Any]
    shows: Callable[[Any], bool]


def ways(name: str) -> dict[str, Way]:
    """Return every way in which a deal of this variant can end, by its word."""
    rules = load(name)
    table = deal(rules, 3, "ways").compiled
    owing = [power for power in table.powers if power.owe and not power.last]
    found = {
        "out": Way(first_out(rules), lambda d: won(d) and not d.compiled.places),
        "cap": Way({"max_decisions": 12}, lambda d: stopped(d) and d.left <= 0),
        "forfeit": Way({}, lambda d: won(d) and bool(d.faults)),
    }
    if not table.blind.applies:  # face down a card can always be laid
        found["blocked"] = Way({}, lambda d: stopped(d) and d.left > 0)
    if any(power.answer for power in owing) and not table.blind.applies:
        found["answer"] = Way({}, lambda d: won(d) and d.owed > 0 and d.active.bit_count() > 0)
    if owing and fits(name, final_effects=True):
        found["effects"] = Way({"final_effects": True}, lambda d: won(d) and d.compiled.powers[d.top].owe > 0)
    if table.has_card_sets:
        found["set"] = Way({}, lambda d: won(d) and len(last_cards(d)) > 1)
    if fits(name, places=True):
        found["places"] = Way({"places": True}, lambda d: won(d) and len(d.out) == d.seats - 1 > 1)
    if table.law.applies and table.law.plenum:
        found["plenum"] = Way({"violations": "full", "tschuldi": True}, lambda d: won(d) and tried(d))
    if "comeback" in rules.options:
        found["comeback"] = Way({"comeback": True}, lambda d: won(d) and came_back(d))
    return found | _counted(name)


def _counted(name: str) -> dict[str, Way]:
    """Return the ways that matter with points: a last card that doubles, or has its own value."""
    options = next((chosen for chosen in scorings(name) if rules_count(load(name, **chosen)).adds()), None)
    if options is None:
        return {}
    count, found = rules_count(load(name, **options)), {}
    if count.double:
        found["double"] = Way(options, lambda d: won(d) and d.compiled.count.double >> d.top & 1 == 1)
    if count.out:
        found["queen"] = Way(options, lambda d: won(d) and min(d.points) < 0)
    if count.called:
        found["called"] = Way(options, lambda d: won(d) and max(d.points) == d.compiled.count.called)
    return found


def game_ways(name: str) -> dict[str, Way]:
    """Return every way in which a game of this variant can end."""
    found = {"rounds": Way({"rounds": 2}, lambda game: game.number == 1)}
    rules = load(name)
    if "lives" in rules.options:
        found["lives"] = Way({"lives": 2}, lambda game: sorted(game.lives)[-2] == 0)
        return found | {"hands": Way({"max_hands": 2}, lambda game: game.number == 1)}
    for options in scorings(name):
        count = rules_count(load(name, **options))
        if count.above:
            found["above"] = Way(options, lambda game: max(game.total) > game.deal.compiled.count.above)
        elif count.adds():
            small = {"target": 2 if count.win else 40, "rounds": 0}
            found["target"] = Way(
                options | small, lambda game: max(game.total) >= game.deal.compiled.count.target
            )
        if count.adds():
            found["hands"] = Way(options | {"max_hands": 2, "rounds": 0}, lambda game: game.number == 1)
    if not rules_count(rules).adds():
        found["one"] = Way({}, lambda game: game.number == 0)
    return found


def first_out(rules: Rules) -> dict[str, Any]:
    """Return the choice that ends a deal with the first one out, where it goes on to the last."""
    return {"hand_end": "first_out"} if "hand_end" in rules.options else {}


def scorings(name: str) -> Iterator[dict[str, Any]]:
    """Yield the choices that make a variant count points, if it does not by itself."""
    for options in ({}, {"scoring": True}, {"ru101_scoring": True}, {"ts_score": "points"}):
        if fits(name, **options):
            yield options


def fits(name: str, **options: Any) -> bool:
    try:
        load(name, **options)
    except BadOption:
        return False
    return True


def rules_count(rules: Rules) -> Count:
    return deal(rules, 3, "count").compiled.count


# --- what shows how it ended -----------------------------------------------------------------------------


def won(d: Deal) -> bool:
    return d.over and d.winner is not None


def stopped(d: Deal) -> bool:
    return d.over and not d.out


def last_cards(d: Deal) -> tuple[int, ...]:
    """Return the cards laid last."""
    return next((cards for _, cards in reversed(list(laid(d)))), ())


def laid(d: Deal) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the seat and the cards of each lay, in order."""
    for event in d.events:
        seat, _, rest = event.partition(" ")
        try:
            action = parse(rest)
        except UnreadableAction:
            continue
        if not action.word:
            yield seat, action.cards


def tried(d: Deal) -> bool:
    """Return True if the plenum has voted, and an illegal card was taken back."""
    told = " ".join(d.events)
    return " guilty " in told and " innocent " in told and " back " in told


def came_back(d: Deal) -> bool:
    """Return True if a seat without cards was dealt some again."""
    counts = {"ABCDEFGHIJ"[seat]: len(hand) for seat, hand in enumerate(d.made.dealt)}
    for event in d.events:
        seat, _, rest = event.partition(" ")
        if seat not in counts:
            continue
        if rest.startswith(("+", "draw ")):
            if not counts[seat]:
                return True
            counts[seat] += int(rest[1:].split(" ")[0]) if rest[0] == "+" else 1
        elif rest[:2] in NAMES and rest != "out":
            counts[seat] -= len(parse(rest).cards)
    return False


# --- finding an example ----------------------------------------------------------------------------------


def example(name: str, word: str, way: Way) -> Deal:
    """Return a deal that ends so, as short as the first few found."""
    found: list[Deal] = []
    for number in range(TRIES):
        rng = random.Random(f"{name} {word} {number}")
        d = _small(load(name, **way.options), rng) if word == "blocked" else _dealt(name, word, way, number)
        while not d.over and len(d.log) < 400:
            if word == "forfeit" and len(d.log) == 12:
                d.forfeit(d.to_act[0], "crash")
            if word == "plenum":
                step(d, rng, owed=False)
            else:
                ahead(d, rng)
        if way.shows(d):
            found.append(d)
        if len(found) == 5:
            break
    return min(found, key=lambda d: len(d.log))


def ahead(d: Deal, rng: random.Random) -> None:
    """Play one action with the call it owes, mostly a card, since drawing for ever does not end."""
    seat = rng.choice(d.to_act)
    listed = d.legal(seat)
    cards = [action for action in listed if not action.word]
    action = rng.choice(cards if cards and rng.random() < 0.85 else listed)
    d.apply(seat, action + d.due(seat, action))


def _dealt(name: str, word: str, way: Way, number: int) -> Deal:
    rules = load(name, **way.options)
    return deal(rules, 2 if word == "answer" else 2 + number % 3, f"{word} {number}")


def _small(rules: Rules, rng: random.Random) -> Deal:
    """Return a deal by hand between two, of a few cards and nothing to draw."""
    names = [NAMES[(card.bit_length() - 1) % STRIDE] for card in deal(rules, 2, "pack").compiled.pack.deck]
    cards = rng.sample(names, 6)
    return deal_by_hand(rules, {0: " ".join(cards[:2]), 1: " ".join(cards[2:5])}, cards[5], "")


def game_example(name: str, word: str, way: Way) -> Game:
    """Return a game that ends so."""
    for number in range(TRIES):
        rng = random.Random(f"{name} {word} {number}")
        game = Game(load(name, **way.options), 2 + number % 2, f"{word} {number}")
        while True:
            while not game.deal.over:
                ahead(game.deal, rng)
            if game.over:
                break
            game.next()
        if way.shows(game) and len(game.past) < 12:
            return game
    raise LookupError(f"no game of {name} found that ends by {word}")


def path_of(name: str, word: str) -> Path:
    return FOLDER / f"{name}-{word}.record"


def true(name: str, word: str, way: Way) -> bool:
    """Return True if the record exists, can be replayed, and ends in this way."""
    path = path_of(name, word)
    if not path.exists():
        return False
    text = path.read_text(encoding="utf-8")
    try:
        again = resume(text) if word.startswith("game-") else replay(text)
    except BadRecord:
        return False
    return again.rules.name == name and way.shows(again) and again.over


def every(name: str) -> dict[str, Way]:
    """Return every way in which a deal or a game (`game-`) of this variant can end."""
    return ways(name) | {f"game-{word}": way for word, way in game_ways(name).items()}


def main() -> None:
    for name in sys.argv[1:]:
        for word, way in every(name).items():
            if true(name, word, way):
                continue
            if word.startswith("game-"):
                text = record_game(game_example(name, word[5:], way))
            else:
                text = record(example(name, word, way))
            path_of(name, word).write_text(text, encoding="utf-8")
            print(f"written: {name}-{word}")


if __name__ == "__main__":
    main()
